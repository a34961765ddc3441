// SPDX-License-Identifier: Apache-2.0
#include "tsuji/instruments/followed_packets.h"

#include <algorithm>
#include <tuple>

namespace tsuji::instruments {

bool FollowedPacket::may_be(const Packet& packet) const {
  if (wanted_.id) return packet.id == *wanted_.id;
  // Packets of routers, such as copies of a gateway, are of no node's kind.
  return !wanted_.kind || (packet.kind == *wanted_.kind && !packet_source(packet.id).is_router());
}

void FollowedPacket::begin_with(const Packet& packet, Cycle at) {
  found_ = true;
  id_ = packet.id;
  kind_ = packet.kind;
  source_ = packet.source;
  destination_ = packet.destination;
  from_ = to_ = at;
  stops_.clear();
}

void FollowedPacket::stop(const std::string& place, Cycle at) {
  from_ = std::min(from_, at);
  to_ = std::max(to_, at);
  const auto same = [&](const Stop& stop) { return stop.place == place; };
  if (std::none_of(stops_.begin(), stops_.end(), same)) stops_.push_back({place, at});
}

std::string FollowedPacket::heading() const {
  switch (kind_) {
    case PacketKind::multicast:
      return "multicast " + packet_name(id_);
    case PacketKind::synchronization:
      return "synchronization " + packet_name(id_);
    case PacketKind::single_cast:
      break;
  }
  return "packet " + packet_name(id_) + " to " + destination_.name();
}

FollowedPackets::FollowedPackets(const std::vector<FollowedPacket::Wanted>& wanted, Cycle first)
    : first_(first) {
  for (const FollowedPacket::Wanted& one : wanted) packets_.emplace_back(one);
}

bool FollowedPackets::may_begin(const FollowedPacket& followed, const Packet& packet,
                                const std::string& place) const {
  if (!followed.may_be(packet)) return false;
  if (followed.wanted_.kind && !kinds_begin_.empty() && kinds_begin_.count(place) == 0) return false;
  return std::none_of(packets_.begin(), packets_.end(), [&](const FollowedPacket& other) {
    return &other != &followed && other.found_ && other.id_ == packet.id;
  });
}

void FollowedPackets::comes(const Packet& packet, const std::string& place, Cycle at) {
  if (at < first_) return;
  for (FollowedPacket& followed : packets_) {
    const bool same = followed.found_ && packet.id == followed.id_;
    // Modules run in any order: an earlier head may be reported later.
    if (!same && may_begin(followed, packet, place) &&
        (!followed.found_ || std::tie(at, packet.id) < std::tie(followed.from_, followed.id_)))
      followed.begin_with(packet, at);
    if (followed.found_ && packet.id == followed.id_) followed.stop(place, at);
  }
}

void FollowedPackets::goes(const Packet& packet, Cycle at) {
  for (FollowedPacket& followed : packets_)
    if (followed.found_ && packet.id == followed.id_ && at > followed.to_) followed.to_ = at;
}

std::vector<const FollowedPacket*> FollowedPackets::found() const {
  std::vector<const FollowedPacket*> found;
  for (const FollowedPacket& packet : packets_)
    if (packet.found_) found.push_back(&packet);
  std::sort(found.begin(), found.end(), [](const FollowedPacket* a, const FollowedPacket* b) {
    return std::tie(a->from_, a->id_) < std::tie(b->from_, b->id_);
  });
  return found;
}

void FollowedPackets::collect(const std::string& place, std::vector<Part>& parts) const {
  const auto entries = places_.find(place);
  if (entries == places_.end()) return;
  for (const Entry& entry : entries->second) {
    if (!entry.include.empty()) {
      collect(entry.include, parts);
      continue;
    }
    const auto same = [&](const Part& part) { return part.heading == entry.part.heading; };
    auto part = std::find_if(parts.begin(), parts.end(), same);
    if (part == parts.end()) part = parts.insert(parts.end(), {entry.part.heading, {}});
    for (const std::string& path : entry.part.paths)
      if (std::find(part->paths.begin(), part->paths.end(), path) == part->paths.end())
        part->paths.push_back(path);
  }
}

std::vector<FollowedPackets::Part> FollowedPackets::parts(const FollowedPacket& packet,
                                                          std::size_t rows) const {
  // Modules report copies of a packet in any order.
  std::vector<FollowedPacket::Stop> stops = packet.stops_;
  std::sort(stops.begin(), stops.end(),
            [](const auto& a, const auto& b) { return std::tie(a.at, a.place) < std::tie(b.at, b.place); });
  std::vector<Part> parts;
  collect(sends(packet.source_), parts);
  for (const FollowedPacket::Stop& stop : stops) collect(stop.place, parts);
  if (packet.kind_ == PacketKind::single_cast) collect(receives(packet.destination_), parts);
  std::size_t needed = 0, longest = 0;
  for (const Part& part : parts) {
    needed += 1 + part.paths.size();
    longest = std::max(longest, part.paths.size());
  }
  for (; needed > rows && longest > least_signals; --longest) {
    for (Part& part : parts) {
      if (part.paths.size() != longest) continue;
      part.paths.pop_back();
      --needed;
    }
  }
  return parts;
}

}  // namespace tsuji::instruments
