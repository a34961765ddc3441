#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "command_line.h"
#include "config/key_table.h"
#include "fabric/network_config.h"
#include "lookup/routing_table_cache.h"

namespace tsuji::platform {

enum class LookupStudyKind : std::uint8_t { conflicts, destinations };

/// Questions about route look-ups for which a whole application is too much. Each kind is one file,
/// lookup_KIND.cpp, and reads the keys that it needs.
struct LookupStudy {
  LookupStudyKind kind = LookupStudyKind::destinations;
  fabric::NetworkConfig network;
  lookup::RoutingTableCacheConfig cache;
  std::string hash = "crc32c";
  unsigned seeds = 1000;                                 ///< conflicts: caches that are filled
  std::vector<unsigned> inserted{256, 512, 1024, 2048};  ///< conflicts: series
  std::vector<unsigned> ways{1, 2, 4, 8, 16};            ///< conflicts: of each series

  void validate() const;  ///< throws ConfigError
};

/// Binds the keys study.* and those of a network.
void add_lookup_study_keys(config::KeyTable& keys, LookupStudy& study);

/// How many entries random identifiers evict from caches that were empty: table `conflicts`, a line for each
/// number of keys and of ways, with the sum and the sum of squares over all seeds (paper 000, fig. 5).
void run_lookup_conflicts(const LookupStudy& study, const RunOptions& options, observe::Results& results);

/// To how many destinations packets go that pass an input port, over all pairs of different nodes: table
/// `ports`, a line for each port that anything comes in by (paper 000, fig. 10).
void run_lookup_destinations(const LookupStudy& study, const RunOptions& options, observe::Results& results);

}  // namespace tsuji::platform
