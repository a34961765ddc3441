// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "tsuji/config/key_table.h"
#include "tsuji/core/random.h"
#include "tsuji/core/units.h"
#include "tsuji/nic/parcel.h"
#include "tsuji/traffic/emission.h"

namespace tsuji::network {

/// Multicast part of synthetic traffic, for networks with multicasts.
struct MulticastTrafficConfig {
  double share = 0;    ///< Fraction of all packets that are multicasts, [0, 1].
  unsigned nodes = 8;  ///< Destinations of a multicast, 1..64; fewer in a node group with fewer nodes.

  /// Throws ConfigError for more destinations than the largest node group of a network of `nodes` nodes has.
  void validate(unsigned nodes) const;
};

/// Binds the keys traffic.multicast_share and traffic.multicast_nodes.
void add_multicast_traffic_keys(config::KeyTable& keys, MulticastTrafficConfig& config);

/// Adapts packets of any source to the multistage network: flits beyond the port flit and the header carry
/// data that the sink checks, and a share of the packets become multicasts to distinct nodes drawn from a
/// uniformly drawn node group. Length and birth cycle are unchanged.
class CrosspointEmissions final : public traffic::EmissionSource {
 public:
  struct Parts {
    nic::PacketSizes sizes;
    MulticastTrafficConfig multicast;
    unsigned nodes = 0;
    std::uint64_t seed = 1;
  };
  CrosspointEmissions(std::unique_ptr<EmissionSource> packets, const Parts& parts, NodeId node);

  bool next(traffic::Emission& emission) override;
  bool listens() const override { return packets_->listens(); }
  Cycle lookahead_cycles() const override { return packets_->lookahead_cycles(); }
  void arrived(Cycle now, const Packet& packet) override { packets_->arrived(now, packet); }

 private:
  void draw_multicast(traffic::Emission& emission);

  const std::unique_ptr<EmissionSource> packets_;
  const Parts parts_;
  CounterRandom random_;
};

}  // namespace tsuji::network
