// SPDX-License-Identifier: Apache-2.0
#include "tsuji/observe/packet_records.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <functional>
#include <numeric>
#include <string_view>

#include "tsuji/core/error.h"
#include "tsuji/core/output_file.h"

namespace tsuji::observe {
namespace {

/// Word for a packet that has arrived and does not count.
std::string_view word_of(PacketArrival arrival) {
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

/// A line of the file up to its cause. std::ostream formats a number in ten times as long.
class LineText {
 public:
  /// Its largest length.
  static constexpr std::size_t most_fields = 10 + PacketRecords::most_parts, field_bytes = 21,
                               most_bytes =
                                   longest_packet_name + 2 * End::longest_name + most_fields * field_bytes;

  /// `at`: room for a line.
  LineText(const DeliveredPacket& p, char* at) : at_(at) {
    name(p.id).comma().name(p.source).comma().name(p.destination);
    field(p.flits).field(p.hops).field(p.created).field(p.injected);
  }
  LineText& comma(unsigned count = 1) {
    for (; count != 0; --count) *at_++ = ',';
    return *this;
  }
  [[gnu::always_inline]] LineText& field(std::uint64_t number) {
    comma();
    if (number < 10) {  // most cycles of a part
      *at_++ = digit(number);
    } else if (number < 100) {
      two_digits(number);
    } else if (number < 10'000) {
      const std::uint64_t hundreds = number / 100;
      if (hundreds < 10) {
        *at_++ = digit(hundreds);
      } else {
        two_digits(hundreds);
      }
      two_digits(number % 100);
    } else {
      at_ = std::to_chars(at_, at_ + field_bytes, number).ptr;
    }
    return *this;
  }
  const char* end() const { return at_; }

 private:
  static char digit(std::uint64_t number) { return static_cast<char>('0' + number); }
  [[gnu::always_inline]] void two_digits(std::uint64_t number) {
    const auto small = static_cast<std::uint32_t>(number), tens = small / 10;
    at_[0] = digit(tens);
    at_[1] = digit(small - 10 * tens);
    at_ += 2;
  }
  LineText& name(PacketId id) {
    at_ = put_name(at_, id);
    return *this;
  }
  LineText& name(End end) {
    at_ = end.put_name(at_);
    return *this;
  }

  char* at_;
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

void PacketRecords::add(const DeliveredPacket& packet, const std::vector<Cycle>& parts) {
  const Cycle latency = packet.tail_cycle - packet.created;
  const Cycle sum = std::accumulate(parts.begin(), parts.end(), Cycle{0});
  if (parts.size() != config_.parts.size() || sum != latency) {
    throw ModelError("packet records", packet.tail_cycle, packet_name(packet.id),
                     "the parts of its latency add up to " + std::to_string(sum) + " cycles, and it took " +
                         std::to_string(latency));
  }
  if (!begins(packet.tail_cycle)) return;
  LineText text(packet, room_for(LineText::most_bytes));
  text.field(packet.head_cycle).field(packet.tail_cycle).field(latency);
  for (const Cycle part : parts) text.field(part);
  unsigned group = packet.hops * distance_groups_;
  if (distances_ != nullptr && !packet.source.is_router() && !packet.destination.is_router())
    group += 1 + (*distances_)(packet.source.node(), packet.destination.node());
  count(group, parts);
  text.comma(2);
  hold(packet, text.end(), word_of(packet.arrival));
}

void PacketRecords::count_distances(const graph::NodeDistances& distances) {
  distances_ = &distances;
  distance_groups_ = distances.longest() + 2;
}

void PacketRecords::count(unsigned group, const std::vector<Cycle>& parts) {
  if (group >= sums_.size()) sums_.resize(group + std::size_t{1});
  std::vector<std::uint64_t>& of_group = sums_[group];
  if (of_group.empty()) of_group.resize(parts.size() + 1);
  std::uint64_t* sum = of_group.data();
  ++*sum;
  for (const Cycle part : parts) *++sum += part;
}

void PacketRecords::add_to(Sums& sums, std::size_t number, const std::vector<std::uint64_t>& group) {
  if (group.empty()) return;
  if (number >= sums.size()) sums.resize(number + 1);
  sums[number].resize(group.size());
  std::transform(group.begin(), group.end(), sums[number].begin(), sums[number].begin(), std::plus<>());
}

PacketRecords::Sums PacketRecords::sums_by_hops() const {
  Sums sums;
  for (std::size_t group = 0; group < sums_.size(); ++group)
    add_to(sums, group / distance_groups_, sums_[group]);
  return sums;
}

PacketRecords::Sums PacketRecords::sums_by_distance() const {
  Sums sums;
  for (std::size_t group = 0; group < sums_.size(); ++group)
    if (group % distance_groups_ != 0) add_to(sums, group % distance_groups_ - 1, sums_[group]);
  return sums;
}

void PacketRecords::add_dropped(const DeliveredPacket& packet, Cycle now, const std::string& cause) {
  if (!begins(now)) return;
  LineText text(packet, room_for(LineText::most_bytes));
  text.comma(3 + static_cast<unsigned>(config_.parts.size())).field(now).comma();
  hold(packet, text.end(), cause);
}

/// Returns true for a line of cycle `end` that is to be written. Writes those of earlier cycles.
bool PacketRecords::begins(Cycle end) {
  if (end < config_.first_cycle || end > config_.last_cycle) return false;
  if (end != held_end_) write_held();
  held_end_ = end;
  return any_ = true;
}

/// Returns the end of the text, at which `bytes` more fit.
char* PacketRecords::room_for(std::size_t bytes) {
  if (text_.size() - length_ < bytes) text_.resize(2 * text_.size() + bytes);
  return text_.data() + length_;
}

void PacketRecords::append(std::string_view text) {
  text.copy(room_for(text.size()), text.size());
  length_ += text.size();
}

void PacketRecords::hold(const DeliveredPacket& packet, const char* end, std::string_view cause) {
  const std::size_t first = length_;
  length_ = static_cast<std::size_t>(end - text_.data());
  if (!cause.empty()) append(cause);
  if (!config_.classes.empty()) {
    append(",");
    append(config_.classes.at(packet.message_class));
  }
  *room_for(1) = '\n';
  ++length_;
  const Line line{packet.destination, packet.id, first, length_};
  if (!held_.empty() && line < held_.back()) held_in_order_ = false;
  held_.push_back(line);
}

void PacketRecords::flush() {
  file_.write(text_.data(), static_cast<std::streamsize>(length_));
  length_ = 0;
}

void PacketRecords::sort_held() {
  const std::size_t first = held_.front().first;
  std::sort(held_.begin(), held_.end());
  sorted_.clear();
  for (const Line& line : held_) sorted_.append(text_.data() + line.first, line.end - line.first);
  sorted_.copy(text_.data() + first, sorted_.size());
  held_in_order_ = true;
}

void PacketRecords::write_held() {
  if (!held_in_order_) sort_held();
  held_.clear();
  if (length_ >= text_bytes) flush();
}

void PacketRecords::close() {
  if (!file_.is_open()) return;
  write_held();
  flush();
  close_output(file_, config_.path);
}

}  // namespace tsuji::observe
