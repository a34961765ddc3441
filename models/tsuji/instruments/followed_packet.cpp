// SPDX-License-Identifier: Apache-2.0
#include "tsuji/instruments/followed_packet.h"

#include <algorithm>
#include <tuple>

namespace tsuji::instruments {

void FollowedPacket::comes(const Packet& packet, const std::string& place, Cycle at) {
  if (at < first_ || (wanted_ && packet.id != *wanted_)) return;
  // Modules run in any order: an earlier head may be reported later.
  if (!found_ || (packet.id != id_ && std::tie(at, packet.id) < std::tie(from_, id_))) {
    found_ = true;
    id_ = packet.id;
    source_ = packet.source;
    destination_ = packet.destination;
    from_ = to_ = at;
    stops_.clear();
  }
  if (packet.id != id_) return;
  from_ = std::min(from_, at);
  to_ = std::max(to_, at);
  const auto same = [&](const Stop& stop) { return stop.place == place; };
  if (std::none_of(stops_.begin(), stops_.end(), same)) stops_.push_back({place, at});
}

std::string FollowedPacket::heading() const {
  return "packet " + packet_name(id_) + " to " + destination_.name();
}

void FollowedPacket::collect(const std::string& place, std::vector<Part>& parts) const {
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

std::vector<FollowedPacket::Part> FollowedPacket::parts(std::size_t rows) const {
  // Modules report copies of a packet in any order.
  std::vector<Stop> stops = stops_;
  std::sort(stops.begin(), stops.end(),
            [](const Stop& a, const Stop& b) { return std::tie(a.at, a.place) < std::tie(b.at, b.place); });
  std::vector<Part> parts;
  collect(sends(source_), parts);
  for (const Stop& stop : stops) collect(stop.place, parts);
  collect(receives(destination_), parts);
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
