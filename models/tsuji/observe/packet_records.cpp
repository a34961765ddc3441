// SPDX-License-Identifier: Apache-2.0
#include "tsuji/observe/packet_records.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <functional>
#include <numeric>
#include <string_view>
#include <tuple>

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

/// A line of the file. std::ostream formats a number in ten times as long.
class LineText {
 public:
  explicit LineText(const DeliveredPacket& p) {
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
      at_ = std::to_chars(at_, text_.data() + text_.size(), number).ptr;
    }
    return *this;
  }
  /// Ends the line with an empty column.
  std::string_view without_cause() {
    comma();
    *at_++ = '\n';
    return {text_.data(), static_cast<std::size_t>(at_ - text_.data())};
  }

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

void PacketRecords::add(const DeliveredPacket& packet, const std::vector<Cycle>& parts) {
  const Cycle latency = packet.tail_cycle - packet.created;
  const Cycle sum = std::accumulate(parts.begin(), parts.end(), Cycle{0});
  if (parts.size() != config_.parts.size() || sum != latency) {
    throw ModelError("packet records", packet.tail_cycle, packet_name(packet.id),
                     "the parts of its latency add up to " + std::to_string(sum) + " cycles, and it took " +
                         std::to_string(latency));
  }
  if (!begins(packet.tail_cycle)) return;
  LineText text(packet);
  text.field(packet.head_cycle).field(packet.tail_cycle).field(latency);
  for (const Cycle part : parts) text.field(part);
  unsigned group = packet.hops * distance_groups_;
  if (distances_ != nullptr && !packet.source.is_router() && !packet.destination.is_router())
    group += 1 + (*distances_)(packet.source.node(), packet.destination.node());
  count(group, parts);
  text.comma();
  hold(packet, text.without_cause(), word_of(packet.arrival));
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
  LineText text(packet);
  text.comma(3 + static_cast<unsigned>(config_.parts.size())).field(now);
  hold(packet, text.without_cause(), cause);
}

/// Returns true for a line of cycle `end` that is to be written. Writes those of earlier cycles.
bool PacketRecords::begins(Cycle end) {
  if (end < config_.first_cycle || end > config_.last_cycle) return false;
  if (end != held_end_) write_held();
  held_end_ = end;
  return any_ = true;
}

void PacketRecords::hold(const DeliveredPacket& packet, std::string_view text, std::string_view cause) {
  const std::size_t first = held_text_.size();
  held_text_.append(text);
  if (!cause.empty() || !config_.classes.empty()) {
    held_text_.pop_back();
    held_text_.append(cause);
    if (!config_.classes.empty()) held_text_.append(",").append(config_.classes.at(packet.message_class));
    held_text_ += '\n';
  }
  held_.push_back({packet.destination, packet.id, first, held_text_.size()});
}

void PacketRecords::flush() {
  file_ << text_;
  text_.clear();
}

void PacketRecords::write_held() {
  if (held_.size() > 1) {
    std::sort(held_.begin(), held_.end(), [](const Line& a, const Line& b) {
      return std::tie(a.destination, a.id) < std::tie(b.destination, b.id);
    });
  }
  for (const Line& line : held_) text_.append(held_text_, line.first, line.end - line.first);
  held_.clear();
  held_text_.clear();
  if (text_.size() >= text_bytes) flush();
}

void PacketRecords::close() {
  if (!file_.is_open()) return;
  write_held();
  flush();
  close_output(file_, config_.path);
}

}  // namespace tsuji::observe
