#pragma once

#include <cstdint>

#include "command_line.h"
#include "config/key_table.h"
#include "fabric/network_config.h"

namespace tsuji::platform {

enum class LookupStudyKind : std::uint8_t { destinations };

/// Questions about route look-ups for which a whole application is too much. Each kind is one file,
/// lookup_KIND.cpp, and reads the keys that it needs.
struct LookupStudy {
  LookupStudyKind kind = LookupStudyKind::destinations;
  fabric::NetworkConfig network;

  void validate() const;  ///< throws ConfigError
};

/// Binds the keys study.* and those of a network.
void add_lookup_study_keys(config::KeyTable& keys, LookupStudy& study);

/// To how many destinations packets go that pass an input port, over all pairs of different nodes: table
/// `ports`, a line for each port that anything comes in by (paper 000, fig. 10).
void run_lookup_destinations(const LookupStudy& study, const RunOptions& options, observe::Results& results);

}  // namespace tsuji::platform
