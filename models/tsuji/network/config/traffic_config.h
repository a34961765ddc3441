// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tsuji/config/key_table.h"
#include "tsuji/core/units.h"
#include "tsuji/graph/faults.h"
#include "tsuji/graph/topology.h"
#include "tsuji/network/config/network_config.h"
#include "tsuji/traffic/emission.h"
#include "tsuji/traffic/retry_state.h"
#include "tsuji/workload/arrival_kinds.h"
#include "tsuji/workload/packet_length.h"
#include "tsuji/workload/packet_list.h"
#include "tsuji/workload/pattern_kinds.h"

namespace tsuji::network {

enum class TrafficKind { open_loop, closed_loop, list, none };
enum class LengthKind { fixed, range, weighted };

/// Traffic of a network's nodes without anything behind them.
struct TrafficConfig {
  TrafficKind kind = TrafficKind::open_loop;
  std::string pattern = "uniform";  ///< a word of `patterns`
  workload::PatternKinds patterns = workload::pattern_kinds();
  double load_flits_per_node_cycle = 0.1;  ///< [0, 1]; open loop; the mean over the nodes that send
  std::string injection = "bernoulli";     ///< a word of `arrivals`
  workload::ArrivalKinds arrivals = workload::arrival_kinds();
  LengthKind length = LengthKind::fixed;
  unsigned packet_flits = 4;
  unsigned largest_packet_flits = 16;
  std::vector<unsigned> lengths, weights;
  bool to_self = true;
  std::string list;          ///< a file
  std::uint64_t window = 1;  ///< closed loop; packets, 0: without bound
  Cycle gap_cycles = 0;      ///< closed loop
  Cycle last_cycle = 0;      ///< open loop: no packet is born later; 0: no end

  /// Checks without the network; TrafficSources refuses the rest.
  void validate() const;
  /// ConfigError where load_flits_per_node_cycle has no effect, for a sweep over it.
  void check_sweep() const;
  workload::PacketLengths packet_lengths() const;
  /// Why no packet is offered, "traffic.kind is none"; empty: packets are.
  std::string silence() const;
};

/// A network's limits on a list's packets: cut-through and store-and-forward need room for whole ones.
workload::PacketListLimits packet_limits(const NetworkConfig& network);
/// ConfigError where packets of `flits` flits must fit into the network's buffers as a whole, and do not.
void require_room(const NetworkConfig& network, unsigned flits);
/// require_room() for all packets of `traffic`; those of a list are refused by packet_limits().
void validate_lengths(const NetworkConfig& network, const TrafficConfig& traffic);

/// ConfigError where acknowledgements do not fit into the network's buffers, or a packet's tries would take
/// longer than a run may last.
void validate_retry(const NetworkConfig& network, const traffic::RetryConfig& retry);

/// The network as patterns and lists see it.
struct TrafficNodes {
  unsigned nodes = 0;
  std::vector<unsigned> radices;  ///< of a k-ary n-cube; empty for other networks
  unsigned nodes_per_router = 1;
  std::vector<workload::NodeState> states;  ///< per node; empty: all live
  static TrafficNodes of(const graph::Topology& topology, const graph::FaultSet& faults = {});
  unsigned living() const;
  bool cuts_off() const;
  workload::NodeState state(NodeId node) const {
    return states.empty() ? workload::NodeState::living : states[node];
  }
};

/// Packets that were born and not sent, because one of their ends is cut off.
struct UnreachablePackets {
  std::uint64_t packets = 0;
  std::vector<std::uint64_t> from, to;  ///< per node, of those that are cut off
};

/// The sources of all nodes. Shared parts (pattern, matrix, list) are made once and checked against the
/// network: ConfigError with the key, or the file's line, where they do not fit.
class TrafficSources {
 public:
  /// `limits`: of the packets of a list.
  TrafficSources(const TrafficConfig& config, const TrafficNodes& nodes, std::uint64_t seed,
                 const workload::PacketListLimits& limits = {});
  /// A silent node's source has no packets; without traffic there is no source, and no node is built. No
  /// packet has a dead or cut-off end.
  std::unique_ptr<traffic::EmissionSource> source(NodeId node) const;
  /// Packets born before a cycle, left out by source(). Zero for a node that only arrivals would allow to
  /// send.
  UnreachablePackets unreachable(Cycle end) const;
  /// In the mean, the flits a cycle that a pair's packets bring into the network at a
  /// traffic.load_flits_per_node_cycle of 1. Of an open loop.
  double demand(NodeId source, NodeId destination) const;

 private:
  /// All packets of a node, those that cannot be sent, too.
  std::unique_ptr<traffic::EmissionSource> every_packet(NodeId node) const;
  std::unique_ptr<traffic::EmissionSource> open_loop(NodeId node) const;
  std::unique_ptr<traffic::EmissionSource> closed_loop(NodeId node) const;
  std::unique_ptr<traffic::EmissionSource> listed(NodeId node) const;

  const TrafficConfig config_;
  const std::shared_ptr<const TrafficNodes> nodes_;
  const std::uint64_t seed_;
  const workload::PacketLengths lengths_;
  std::shared_ptr<const workload::Pattern> pattern_;
  std::vector<std::vector<workload::ListedPacket>> lists_;
};

/// Binds the keys traffic.*.
void add_traffic_keys(config::KeyTable& keys, TrafficConfig& config);
/// A list is measured from its first packet, unless an input sets another warm-up. After the keys traffic.*
/// and measure.*.
void measure_whole_lists(config::KeyTable& keys);

}  // namespace tsuji::network
