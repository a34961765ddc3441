// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tsuji/core/random.h"
#include "tsuji/core/units.h"

namespace tsuji::workload {

/// When a node's packets are born, as gaps between one birth and the next: nothing is drawn a cycle.
class ArrivalProcess {
 public:
  virtual ~ArrivalProcess() = default;
  /// Cycles from the birth before (from cycle 0 for the first) to the next one; at least 1.
  virtual Cycle gap(CounterRandom& random) = 0;
};

struct ArrivalConfig {
  double packets_per_cycle = 0.025;       ///< the mean in the long run, [1e-9, 1]
  double burst_packets_per_cycle = 0.25;  ///< on_off: while on, [packets_per_cycle, 1]
  double burst_cycles = 100;              ///< on_off: mean length of being on, >= 1
  double flits_per_packet = 1;            ///< in the mean: refusals name loads in flits, as they are given
};

/// An arrival process by name.
struct ArrivalKind {
  const char* name;
  /// Throws ConfigError where the rates do not go together.
  std::unique_ptr<ArrivalProcess> (*make)(const ArrivalConfig&);
  /// Of traffic.*, keys that no other process reads, with spaces between them.
  const char* keys = "";
};
const std::vector<ArrivalKind>& arrival_kinds();

/// ConfigError for a name that is not in the table.
std::unique_ptr<ArrivalProcess> make_arrivals(const std::string& name, const ArrivalConfig& config);

}  // namespace tsuji::workload
