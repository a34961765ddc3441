// SPDX-License-Identifier: Apache-2.0
#include "tsuji/faults/living_links.h"

#include <algorithm>

namespace tsuji::faults {

std::vector<std::uint32_t> LivingLinks::links_of(const FaultEvent& event) const {
  if (!event.of_router) return {event.number};
  std::vector<std::uint32_t> links;
  for (unsigned port = 0; port < topology_.ports(event.number); ++port) {
    const graph::Topology::Far& far = topology_.far(event.number, port);
    if (far.kind == graph::Topology::Far::Kind::router) links.push_back(far.link);
  }
  std::sort(links.begin(), links.end());
  links.erase(std::unique(links.begin(), links.end()), links.end());
  return links;
}

std::vector<std::uint32_t> LivingLinks::apply(const FaultEvent& event) {
  std::vector<std::uint32_t> changed = links_of(event);
  const auto same = [&](bool lived) {
    changed.erase(std::remove_if(changed.begin(), changed.end(),
                                 [&](std::uint32_t link) { return lives(link) != lived; }),
                  changed.end());
  };
  same(!event.returns);
  (event.of_router ? router_dead_ : link_dead_)[event.number] = !event.returns;
  same(event.returns);
  return changed;
}

}  // namespace tsuji::faults
