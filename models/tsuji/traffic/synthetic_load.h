// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "tsuji/core/random.h"
#include "tsuji/traffic/emission.h"
#include "tsuji/workload/arrival_kinds.h"
#include "tsuji/workload/packet_length.h"
#include "tsuji/workload/pattern.h"

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

}  // namespace tsuji::traffic
