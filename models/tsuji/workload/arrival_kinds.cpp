// SPDX-License-Identifier: Apache-2.0
#include "tsuji/workload/arrival_kinds.h"

#include <cstdio>

#include "tsuji/core/error.h"

namespace tsuji::workload {

std::string load_text(double value) {
  char digits[32];
  std::snprintf(digits, sizeof digits, "%.9g", value);
  return digits;
}

std::unique_ptr<ArrivalProcess> make_arrivals(const ArrivalKinds& kinds, const std::string& kind,
                                              const ArrivalRate& arrivals) {
  const double rate = arrivals.packets_per_cycle;
  if (!(rate >= ArrivalRate::least && rate <= 1.0)) {
    const double flits = arrivals.flits_per_packet;
    throw ConfigError(
        "traffic.load_flits_per_node_cycle", load_text(rate * flits),
        "load out of range for a node that sends packets of " + load_text(flits) + " flits on average",
        rate > 1.0 ? "at most " + load_text(flits) + " flits/cycle of a node, one packet per cycle"
                   : "0, or at least " + load_text(ArrivalRate::least * flits) +
                         " flits/cycle of a node, one packet in 10^9 cycles");
  }
  return kinds.make(kind, arrivals);
}

}  // namespace tsuji::workload
