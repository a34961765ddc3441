// SPDX-License-Identifier: Apache-2.0
#include "tsuji/instruments/followed_packet.h"

#include <algorithm>
#include <tuple>

namespace tsuji::instruments {

void FollowedPacket::comes(const Packet& packet, const std::string& port, unsigned vc, Cycle at) {
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
  to_ = std::max(to_, at);
  const auto same = [&](const Stop& stop) { return stop.port == port && stop.vc == vc; };
  if (std::none_of(stops_.begin(), stops_.end(), same)) stops_.push_back({port, vc});
}

std::string FollowedPacket::heading() const {
  return "packet " + packet_name(id_) + " to " + destination_.name();
}

std::vector<std::string> FollowedPacket::signals(std::vector<std::string> names, std::size_t rows) const {
  while (names.size() > 1 && names.size() * stops_.size() > rows) names.pop_back();
  std::vector<std::string> paths;
  for (const Stop& stop : stops_) {
    for (const std::string& name : names) {
      if (paths.size() == rows) return paths;
      const bool of_vc = name.front() == '.';
      paths.push_back(stop.port + (of_vc ? ".vc" + std::to_string(stop.vc) + name : "." + name));
    }
  }
  return paths;
}

}  // namespace tsuji::instruments
