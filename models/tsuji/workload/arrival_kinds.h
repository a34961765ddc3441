// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "tsuji/config/kinds.h"
#include "tsuji/core/random.h"
#include "tsuji/core/units.h"

namespace tsuji::workload {

/// Birth times of a node's packets, as gaps between births; no random number is drawn per cycle.
class ArrivalProcess {
 public:
  virtual ~ArrivalProcess() = default;
  /// Cycles from the previous birth (from cycle 0 for the first packet) to the next one; at least 1.
  virtual Cycle gap(CounterRandom& random) = 0;
};

struct ArrivalRate {
  double packets_per_cycle = 0.025;  ///< Long-run mean, in [least, 1].
  /// Mean length; messages of refusals convert rates into loads in flits, the unit of the key.
  double flits_per_packet = 1;

  /// Smallest rate; below it the logarithm used for geometric gaps is less exact than 1e-7.
  static constexpr double least = 1e-9;
};

struct ArrivalTraits {
  static constexpr const char* selector = "traffic.injection";
  static constexpr const char* unknown = "no such arrivals";
};

/// Every arrival process by its word in `traffic.injection`, with its parameters.
using ArrivalKinds = config::Kinds<ArrivalTraits, std::unique_ptr<ArrivalProcess>, const ArrivalRate&>;

/// The processes listed in CMakeLists.txt.
ArrivalKinds arrival_kinds();

/// Adapter for a process without parameters: constructs A(packets per cycle).
template <class A>
struct KeylessArrivals {
  std::unique_ptr<ArrivalProcess> make(const ArrivalRate& rate) const {
    return std::make_unique<A>(rate.packets_per_cycle);
  }
};

/// Makes a process. Throws ConfigError for a rate outside [least, 1], for an unknown kind, and for parameters
/// that the kind refuses.
std::unique_ptr<ArrivalProcess> make_arrivals(const ArrivalKinds& kinds, const std::string& kind,
                                              const ArrivalRate& rate);

/// Formats a load with nine digits, so that a load that was divided by a packet length and multiplied again
/// is printed as the user wrote it.
std::string load_text(double value);

}  // namespace tsuji::workload
