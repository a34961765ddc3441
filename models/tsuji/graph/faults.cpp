// SPDX-License-Identifier: Apache-2.0
#include "tsuji/graph/faults.h"

#include <algorithm>
#include <numeric>

#include "tsuji/core/error.h"
#include "tsuji/core/random.h"
#include "tsuji/graph/living_network.h"

namespace tsuji::graph {
namespace {

constexpr std::uint64_t random_component = 0xFA177;

void validate_list(const char* key, const char* what, const std::vector<std::uint32_t>& list,
                   std::size_t existing) {
  std::vector<std::size_t> place(existing, 0);  // position in the list, from 1
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string value = "value " + std::to_string(i + 1) + " of the list ";
    if (list[i] >= existing)
      throw ConfigError(key, std::to_string(list[i]), value + "names no " + what,
                        existing == 0 ? "none" : "0.." + std::to_string(existing - 1));
    if (place[list[i]] != 0)
      throw ConfigError(
          key, std::to_string(list[i]),
          value + "names a " + what + " that value " + std::to_string(place[list[i]]) + " also names",
          std::string("each ") + what + " once");
    place[list[i]] = i + 1;
  }
}

/// Sampling without replacement: a random permutation that is extended by each draw.
class Sampler {
 public:
  explicit Sampler(std::size_t values) : values_(values) { std::iota(values_.begin(), values_.end(), 0U); }
  std::vector<std::uint32_t> draw(unsigned count, CounterRandom& random) {
    for (unsigned i = 0; i < count; ++i) std::swap(values_[i], values_[i + random.below(values_.size() - i)]);
    std::vector<std::uint32_t> drawn(values_.begin(), values_.begin() + count);
    std::sort(drawn.begin(), drawn.end());
    return drawn;
  }

 private:
  std::vector<std::uint32_t> values_;
};

bool any_link_is_dead_anyway(const Topology& topology, const FaultSet& faults) {
  const auto dead = [&](RouterId router) {
    return std::binary_search(faults.routers.begin(), faults.routers.end(), router);
  };
  return std::any_of(faults.links.begin(), faults.links.end(), [&](std::uint32_t link) {
    return dead(topology.links()[link].a.router) || dead(topology.links()[link].b.router);
  });
}

void refuse_impossible(const Topology& topology, const RandomFaults& demand) {
  if (demand.routers >= topology.routers())
    throw ConfigError("faults.random_routers", std::to_string(demand.routers), "leaves no router alive",
                      "0.." + std::to_string(topology.routers() - 1));
  const std::size_t links = topology.links().size();
  const std::size_t tree = topology.routers() - demand.routers - 1;
  if (demand.links + tree > links)
    throw ConfigError("faults.random_links", std::to_string(demand.links),
                      "leaves fewer links than the living routers need to be connected",
                      links < tree ? "fewer routers" : "0.." + std::to_string(links - tree));
}

}  // namespace

void FaultSet::validate(const Topology& topology) const {
  validate_list("faults.links", "link", links, topology.links().size());
  validate_list("faults.routers", "router", routers, topology.routers());
}

FaultSet draw_connected_faults(const Topology& topology, const RandomFaults& demand) {
  refuse_impossible(topology, demand);
  constexpr std::uint64_t most_work = 100'000'000;
  const std::uint64_t most_draws =
      std::clamp<std::uint64_t>(most_work / (topology.links().size() + topology.routers()), 100, 100'000);
  CounterRandom random(demand.seed, random_component);
  Sampler links(topology.links().size()), routers(topology.routers());
  for (std::uint64_t draws = 0; draws < most_draws; ++draws) {
    FaultSet faults;
    faults.routers = routers.draw(demand.routers, random);
    faults.links = links.draw(demand.links, random);
    if (any_link_is_dead_anyway(topology, faults)) continue;
    if (LivingNetwork(topology, faults).cut_off().empty()) return faults;
  }
  const bool blame_links = demand.links >= demand.routers;
  throw ConfigError(blame_links ? "faults.random_links" : "faults.random_routers",
                    std::to_string(blame_links ? demand.links : demand.routers),
                    "no connected set of " + std::to_string(demand.links) + " dead links and " +
                        std::to_string(demand.routers) + " dead routers was found in " +
                        std::to_string(most_draws) + " draws",
                    "fewer");
}

}  // namespace tsuji::graph
