// SPDX-License-Identifier: Apache-2.0
#include "tsuji/observe/packet_records.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <numeric>
#include <string_view>
#include <tuple>
#include <utility>

#include "tsuji/core/error.h"
#include "tsuji/core/output_file.h"

namespace tsuji::observe {
namespace {

/// Word for a packet that has arrived and does not count.
const char* word_of(PacketArrival arrival) {
  switch (arrival) {
    case PacketArrival::first:
      break;
    case PacketArrival::duplicate:
      return "duplicate";
    case PacketArrival::acknowledgement:
      return "acknowledgement";
  }
  return "";
}

/// A line of the file up to its last column but one. std::ostream formats a number in ten times as long.
class LineText {
 public:
  LineText& comma() {
    *at_++ = ',';
    return *this;
  }
  LineText& field(std::uint64_t number) {
    comma();
    at_ = std::to_chars(at_, text_.data() + text_.size(), number).ptr;
    return *this;
  }
  LineText& name(PacketId id) {
    at_ = put_name(at_, id);
    return *this;
  }
  LineText& name(End end) {
    at_ = end.put_name(at_);
    return *this;
  }
  std::string_view view() const { return {text_.data(), static_cast<std::size_t>(at_ - text_.data())}; }

 private:
  static constexpr std::size_t most_fields = 10 + PacketRecords::most_parts, field_bytes = 21;
  std::array<char, longest_packet_name + 2 * End::longest_name + most_fields * field_bytes> text_;
  char* at_ = text_.data();
};

}  // namespace

PacketRecords::PacketRecords(const PacketRecordsConfig& config)
    : config_(config), file_(config.path, std::ios::binary) {
  if (config_.parts.size() > most_parts)
    throw ModelError("packet records", std::to_string(config_.parts.size()) + " components of a latency");
  if (!file_) {
    throw ConfigError("", config_.path,
                      std::string("packet records cannot be written: ") + std::strerror(errno),
                      "a folder in which files can be created");
  }
  file_ << "packet,source,destination,flits,hops,created_cycle,injected_cycle,head_cycle,tail_cycle,latency_"
           "cycles";
  for (const std::string& part : config_.parts) file_ << ',' << part << "_cycles";
  file_ << ",dropped_cycle,cause" << (config_.classes.empty() ? "\n" : ",class\n");
}

void PacketRecords::add(const DeliveredPacket& packet, std::vector<Cycle> parts) {
  const Cycle latency = packet.tail_cycle - packet.created;
  const Cycle sum = std::accumulate(parts.begin(), parts.end(), Cycle{0});
  if (parts.size() != config_.parts.size() || sum != latency) {
    throw ModelError("packet records", packet.tail_cycle, packet_name(packet.id),
                     "the parts of its latency add up to " + std::to_string(sum) + " cycles, and it took " +
                         std::to_string(latency));
  }
  hold({packet.tail_cycle, packet, std::move(parts), ""});
}

void PacketRecords::add_dropped(const DeliveredPacket& packet, Cycle now, const std::string& cause) {
  hold({now, packet, {}, cause});
}

void PacketRecords::hold(Line line) {
  if (line.end < config_.first_cycle || line.end > config_.last_cycle) return;
  if (!held_.empty() && held_.front().end != line.end) write_held();
  held_.push_back(std::move(line));
  any_ = true;
}

void PacketRecords::write(const Line& line) {
  const DeliveredPacket& p = line.packet;
  LineText text;
  text.name(p.id).comma().name(p.source).comma().name(p.destination);
  text.field(p.flits).field(p.hops).field(p.created).field(p.injected);
  const bool delivered = line.cause.empty();
  if (delivered) {
    text.field(p.head_cycle).field(p.tail_cycle).field(p.tail_cycle - p.created);
    for (const Cycle part : line.parts) text.field(part);
    text.comma();
  } else {
    text.comma().comma().comma();
    for (std::size_t part = 0; part < config_.parts.size(); ++part) text.comma();
    text.field(line.end);
  }
  text_ += text.view();
  text_ += ',';
  text_ += delivered ? word_of(p.arrival) : line.cause;
  if (!config_.classes.empty()) text_ += ',' + config_.classes.at(p.message_class);
  text_ += '\n';
  if (text_.size() >= text_bytes) flush();
}

void PacketRecords::flush() {
  file_ << text_;
  text_.clear();
}

void PacketRecords::write_held() {
  std::sort(held_.begin(), held_.end(), [](const Line& a, const Line& b) {
    return std::tie(a.packet.destination, a.packet.id) < std::tie(b.packet.destination, b.packet.id);
  });
  for (const Line& line : held_) write(line);
  held_.clear();
}

void PacketRecords::close() {
  if (!file_.is_open()) return;
  write_held();
  flush();
  close_output(file_, config_.path);
}

}  // namespace tsuji::observe
