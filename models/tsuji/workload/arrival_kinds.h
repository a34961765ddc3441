// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "tsuji/config/kinds.h"
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

struct ArrivalRate {
  double packets_per_cycle = 0.025;  ///< the mean in the long run, [least, 1]
  double flits_per_packet = 1;       ///< in the mean: refusals name loads in flits, as they are given

  /// Below, the gaps' logarithm is no longer exact to 1e-7.
  static constexpr double least = 1e-9;
};

struct ArrivalTraits {
  static constexpr const char* selector = "traffic.injection";
  static constexpr const char* unknown = "no such arrivals";
};

/// Every arrival process by its word in `traffic.injection`, with its parameters.
using ArrivalKinds = config::Kinds<ArrivalTraits, std::unique_ptr<ArrivalProcess>, const ArrivalRate&>;

/// The processes of CMakeLists.txt.
ArrivalKinds arrival_kinds();

/// The parameters of a process that has none: A(packets a cycle).
template <class A>
struct PlainArrivals {
  std::unique_ptr<ArrivalProcess> make(const ArrivalRate& rate) const {
    return std::make_unique<A>(rate.packets_per_cycle);
  }
};

/// ConfigError for a rate that no process has, and as ArrivalKinds::make().
std::unique_ptr<ArrivalProcess> make_arrivals(const ArrivalKinds& kinds, const std::string& kind,
                                              const ArrivalRate& rate);

/// Nine digits: a load that was divided by a packet's length and multiplied again looks as it was given.
std::string load_text(double value);

}  // namespace tsuji::workload
