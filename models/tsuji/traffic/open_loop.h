// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "tsuji/core/random.h"
#include "tsuji/traffic/traffic_kinds.h"
#include "tsuji/workload/arrival_kinds.h"

namespace tsuji::traffic {

/// Open loop: packets are born whatever the network does. Arrivals, destinations and lengths are drawn from
/// streams of their own.
class SyntheticLoad final : public EmissionSource {
 public:
  struct Parts {
    std::shared_ptr<const workload::Pattern> pattern;  ///< in which this node is not silent
    std::unique_ptr<workload::ArrivalProcess> arrivals;
    workload::PacketLengths lengths;
    unsigned payload_bytes = 0;  ///< that a packet carries and its sink compares; a multiple of 8
    Cycle last_cycle = never;    ///< no packet is born later
  };
  SyntheticLoad(Parts parts, NodeId node, std::uint64_t seed);
  bool next(Emission& emission) override;
  bool listens() const override { return false; }
  Cycle lookahead_cycles() const override { return never; }

 private:
  const Parts parts_;
  const NodeId node_;
  CounterRandom arrivals_, destinations_, lengths_;
  Cycle at_ = 0;
};

/// Parameters of traffic.kind open_loop.
struct OpenLoopConfig {
  double load_flits_per_node_cycle = 0.1;  ///< [0, 1]; the mean over the nodes that send
  std::string injection = "bernoulli";     ///< a word of `arrivals`
  workload::ArrivalKinds arrivals = workload::arrival_kinds();
  Cycle last_cycle = 0;  ///< no packet is born later; 0: no end

  void add_keys(config::KeyTable& keys);
  void validate() const;
  std::unique_ptr<const Traffic> make(const TrafficGiven& given) const;
};

}  // namespace tsuji::traffic
