#pragma once

#include <cstdint>
#include <vector>

#include "tsuji/config/key_table.h"
#include "tsuji/graph/faults.h"

namespace tsuji::fabric {

/// Links and routers that are dead throughout a run: named ones, or a random set that leaves all others
/// connected.
struct FaultsConfig {
  std::vector<unsigned> links, routers;
  unsigned random_links = 0, random_routers = 0;
  std::uint64_t seed = 1;  ///< of the random set

  bool empty() const { return links.empty() && routers.empty() && random_links == 0 && random_routers == 0; }
  void validate() const;  ///< throws ConfigError
  /// ConfigError for links and routers that a topology does not have, that are named twice, and for more
  /// random ones than it can lose.
  graph::FaultSet on(const graph::Topology& topology) const;
};

/// Binds the keys faults.*; after routing.kind, on which they depend: `bearing` are its words with which they
/// have an effect.
void add_fault_keys(config::KeyTable& keys, FaultsConfig& config, const std::vector<std::string>& bearing);

}  // namespace tsuji::fabric
