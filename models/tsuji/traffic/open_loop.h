// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "tsuji/core/random.h"
#include "tsuji/traffic/traffic_kinds.h"
#include "tsuji/workload/arrival_kinds.h"

namespace tsuji::traffic {

/// Open loop: packets are born independently of the network's state. Arrivals, destinations and lengths are
/// drawn from separate random streams.
class SyntheticLoad final : public EmissionSource {
 public:
  struct Parts {
    /// Pattern under which this node sends (its share is not 0).
    std::shared_ptr<const workload::Pattern> pattern;
    std::unique_ptr<workload::ArrivalProcess> arrivals;
    workload::PacketLengths lengths;
    unsigned payload_bytes = 0;  ///< Bytes that each packet carries and its sink compares; a multiple of 8.
    Cycle last_cycle = never;    ///< Last cycle in which a packet is born.
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
  double load_flits_per_node_cycle = 0.1;  ///< Mean over the nodes that send, in [0, 1].
  std::string injection = "bernoulli";     ///< a word of `arrivals`
  workload::ArrivalKinds arrivals = workload::arrival_kinds();
  Cycle last_cycle = 0;    ///< Last cycle in which a packet is born; 0: no limit.
  double most_load = 1.0;  ///< Largest load; set before add_keys() for nodes with several network ports.

  void add_keys(config::KeyTable& keys);
  void validate() const;
  std::unique_ptr<const Traffic> make(const TrafficGiven& given) const;
};

}  // namespace tsuji::traffic
