#include "tsuji/fabric/config/faults_config.h"

#include <limits>
#include <string>

#include "tsuji/core/error.h"

namespace tsuji::fabric {

void FaultsConfig::validate() const {
  const bool named = !links.empty() || !routers.empty();
  for (const auto& [key, count] :
       {std::pair{"faults.random_links", random_links}, std::pair{"faults.random_routers", random_routers}}) {
    if (count != 0 && named)
      throw ConfigError(key, std::to_string(count), "faults are named, too",
                        "0, or faults.links and faults.routers []");
  }
}

graph::FaultSet FaultsConfig::on(const graph::Topology& topology) const {
  validate();
  if (random_links != 0 || random_routers != 0)
    return graph::draw_connected_faults(topology, {random_links, random_routers, seed});
  graph::FaultSet faults{links, routers};
  faults.validate(topology);
  return faults;
}

void add_fault_keys(config::KeyTable& keys, FaultsConfig& config, const std::vector<std::string>& bearing) {
  constexpr unsigned most = std::numeric_limits<unsigned>::max() - 1;
  constexpr unsigned longest = 1'000'000;
  keys.add("faults.links", config.links, {0, most}, {0, longest}, "",
           "dead links, both directions, as --print-topology json numbers them");
  keys.add("faults.routers", config.routers, {0, most}, {0, longest}, "",
           "dead routers, with all of their links and nodes");
  keys.add("faults.random_links", config.random_links, {0, longest}, "links",
           "dead links, drawn at random among the sets that leave all living routers connected");
  keys.add("faults.random_routers", config.random_routers, {0, longest}, "routers",
           "dead routers, drawn with them");
  keys.add("faults.seed", config.seed, {0, ~0ULL}, "", "seed of random faults, on its own");
  if (!bearing.empty()) keys.only_with("faults.*", {{"routing.kind", bearing}});
}

}  // namespace tsuji::fabric
