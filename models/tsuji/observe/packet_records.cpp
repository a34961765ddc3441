// SPDX-License-Identifier: Apache-2.0
#include "tsuji/observe/packet_records.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <numeric>
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

}  // namespace

PacketRecords::PacketRecords(const PacketRecordsConfig& config)
    : config_(config), file_(config.path, std::ios::binary) {
  if (!file_) {
    throw ConfigError("", config_.path,
                      std::string("packet records cannot be written: ") + std::strerror(errno),
                      "a folder in which files can be created");
  }
  file_ << "packet,source,destination,flits,hops,created_cycle,injected_cycle,head_cycle,tail_cycle,latency_"
           "cycles";
  for (const std::string& part : config_.parts) file_ << ',' << part << "_cycles";
  file_ << ",dropped_cycle,cause\n";
}

void PacketRecords::add(const DeliveredPacket& packet, const std::vector<Cycle>& parts) {
  const Cycle latency = packet.tail_cycle - packet.created;
  const Cycle sum = std::accumulate(parts.begin(), parts.end(), Cycle{0});
  if (parts.size() != config_.parts.size() || sum != latency) {
    throw ModelError("packet records", packet.tail_cycle, packet_name(packet.id),
                     "the parts of its latency add up to " + std::to_string(sum) + " cycles, and it took " +
                         std::to_string(latency));
  }
  hold({packet.tail_cycle, packet, parts, ""});
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
  file_ << packet_name(p.id) << ',' << p.source.name() << ',' << p.destination.name() << ',' << p.flits << ','
        << p.hops << ',' << p.created << ',' << p.injected << ',';
  if (line.cause.empty()) {
    file_ << p.head_cycle << ',' << p.tail_cycle << ',' << p.tail_cycle - p.created;
    for (const Cycle part : line.parts) file_ << ',' << part;
    file_ << ",," << word_of(p.arrival) << '\n';
  } else {
    file_ << ",," << std::string(config_.parts.size(), ',') << ',' << line.end << ',' << line.cause << '\n';
  }
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
  close_output(file_, config_.path);
}

}  // namespace tsuji::observe
