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
#include "tsuji/traffic/closed_loop.h"
#include "tsuji/traffic/list.h"
#include "tsuji/traffic/open_loop.h"
#include "tsuji/traffic/retry_state.h"
#include "tsuji/workload/length_kinds.h"
#include "tsuji/workload/pattern_kinds.h"

namespace tsuji::network {

/// Traffic of a network's nodes without anything behind them.
struct TrafficConfig {
  std::string kind = "open_loop";  ///< a word of `kinds`
  traffic::TrafficKinds kinds = traffic::traffic_kinds();
  std::string pattern = "uniform";  ///< a word of `patterns`
  workload::PatternKinds patterns = workload::pattern_kinds();
  bool to_self = true;
  std::string length = "fixed";  ///< a word of `lengths`
  workload::LengthKinds lengths = workload::length_kinds();

  /// The parameters of a kind of traffic: config.of<traffic::OpenLoopConfig>().last_cycle.
  template <class P>
  P& of() {
    return kinds.of<P>();
  }
  template <class P>
  const P& of() const {
    return kinds.of<P>();
  }
  const traffic::TrafficTraits& traits() const { return kinds.traits(kind); }
  /// Checks without the network; TrafficSources refuses the rest.
  void validate() const;
  /// ConfigError for a kind without an offered load, for a sweep over it.
  void check_sweep() const;
  workload::PacketLengths packet_lengths() const { return lengths.make(length); }
};

/// A network's limits on a list's packets: cut-through and store-and-forward need room for whole ones.
workload::PacketListLimits packet_limits(const NetworkConfig& network);
/// ConfigError where packets of `flits` flits must fit into the network's buffers as a whole, and do not.
void require_room(const NetworkConfig& network, unsigned flits);
/// require_room() for all packets of `traffic`, except where TrafficTraits::own_lengths holds.
void validate_lengths(const NetworkConfig& network, const TrafficConfig& traffic);

/// ConfigError where acknowledgements do not fit into the network's buffers, or a packet's tries would take
/// longer than a run may last.
void validate_retry(const NetworkConfig& network, const traffic::RetryConfig& retry);

/// The network as patterns and lists see it.
struct TrafficNodes {
  unsigned nodes = 0;
  std::vector<unsigned> radices;  ///< of a k-ary n-cube; empty for other networks
  unsigned nodes_per_router = 1;
  const graph::Topology* topology = nullptr;  ///< outlives the patterns; null: not known
  std::vector<workload::NodeState> states;    ///< per node; empty: all live
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
  /// Mean flits a cycle of a pair's packets that enter the network, as Traffic::demand().
  double demand(NodeId source, NodeId destination) const;
  /// As Traffic::silence().
  std::string silence() const { return traffic_->silence(); }

 private:
  const std::shared_ptr<const TrafficNodes> nodes_;
  std::shared_ptr<const workload::Pattern> pattern_;  ///< null for traffic that draws no destinations
  std::unique_ptr<const traffic::Traffic> traffic_;
};

/// Binds the keys traffic.*.
void add_traffic_keys(config::KeyTable& keys, TrafficConfig& config);
/// A list is measured from its first packet, unless an input sets another warm-up. After the keys traffic.*
/// and measure.*.
void measure_whole_lists(config::KeyTable& keys);

}  // namespace tsuji::network
