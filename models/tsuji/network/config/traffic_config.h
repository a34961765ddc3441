// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
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
#include "tsuji/traffic/rails.h"
#include "tsuji/traffic/retry_state.h"
#include "tsuji/workload/length_kinds.h"
#include "tsuji/workload/pattern_kinds.h"

namespace tsuji::traffic {
class AnsweringNode;
}

namespace tsuji::network {

/// Synthetic traffic of a network's nodes, which have no network interface.
struct TrafficConfig {
  std::string kind = "open_loop";  ///< a word of `kinds`
  traffic::TrafficKinds kinds =
      traffic::traffic_kinds();     ///< Kinds of traffic by their value of traffic.kind.
  std::string pattern = "uniform";  ///< a word of `patterns`
  workload::PatternKinds patterns =
      workload::pattern_kinds();  ///< Patterns by their value of traffic.pattern.
  bool to_self = true;            ///< A node may send to itself.
  std::string length = "fixed";   ///< a word of `lengths`
  /// Distributions of packet lengths by their value of traffic.length.
  workload::LengthKinds lengths = workload::length_kinds();

  /// Parameters of a kind of traffic, for example config.of<traffic::OpenLoopConfig>().last_cycle.
  template <class P>
  P& of() {
    return kinds.of<P>();
  }
  /// Parameters of a kind of traffic.
  template <class P>
  const P& of() const {
    return kinds.of<P>();
  }
  /// Properties of the selected kind of traffic.
  const traffic::TrafficTraits& traits() const { return kinds.traits(kind); }
  /// Checks all that does not depend on the network; TrafficSources checks the rest.
  void validate() const;
  /// Throws ConfigError for a kind without an offered load, which a load sweep needs.
  void check_sweep() const;
  /// Makes the selected distribution of packet lengths. Throws ConfigError for wrong parameters.
  workload::PacketLengths packet_lengths() const { return lengths.make(length); }
};

/// Limits of a network for packets of a list: virtual cut-through and store-and-forward need buffers for a
/// whole packet.
workload::PacketListLimits packet_limits(const NetworkConfig& network);
/// Throws ConfigError if packets must fit completely into the network's buffers and `flits` flits do not.
void require_room(const NetworkConfig& network, unsigned flits);
/// Calls require_room() for all packets of `traffic`, except with TrafficTraits::own_lengths.
void validate_lengths(const NetworkConfig& network, const TrafficConfig& traffic);

/// Throws ConfigError for an offered load of more than a flit in a cycle on each of a node's network ports.
void validate_load(const TrafficConfig& traffic, unsigned ports);

/// Throws ConfigError if acknowledgements do not fit into the network's buffers, or if all tries of a packet
/// could exceed the longest run.
void validate_retry(const NetworkConfig& network, const traffic::RetryConfig& retry);

/// Properties of the network that patterns and packet lists use.
struct TrafficNodes {
  unsigned nodes = 0;                         ///< Number of nodes, with dead ones.
  std::vector<unsigned> radices;              ///< Radices of a k-ary n-cube; empty for other networks.
  unsigned nodes_per_router = 1;              ///< Nodes per router of a k-ary n-cube.
  const graph::Topology* topology = nullptr;  ///< Must outlive the patterns; null: unknown.
  std::vector<workload::NodeState> states;    ///< State of each node; empty: all nodes live.
  traffic::Rails rails;                       ///< Network ports of the nodes; with several, all nodes live.
  /// Properties of a topology with dead parts, which outlives the result. With several ports a node has
  /// coordinates if its ports share a router, and no group.
  static TrafficNodes of(const graph::Topology& topology, const graph::FaultSet& faults = {},
                         const traffic::Rails& rails = {});
  /// Number of nodes in state `living`.
  unsigned living() const;
  /// True if any node is in state `cut_off`.
  bool cuts_off() const;
  /// State of a node; living if `states` is empty.
  workload::NodeState state(NodeId node) const {
    return states.empty() ? workload::NodeState::living : states[node];
  }
};

/// Packets that were born and never sent, because one of their ends is cut off.
struct UnreachablePackets {
  std::uint64_t packets = 0;  ///< Number of packets.
  std::vector<std::uint64_t>
      from,  ///< [node]: number of packets from a cut-off node; empty: none is cut off, or none is counted.
      to;    ///< [node]: number of packets for a cut-off node; as long as `from`.
};

/// Sources of all nodes. Shared parts (pattern, matrix, list) are made once and checked against the network.
/// Throws ConfigError with the key, or the file's line, if they do not fit.
class TrafficSources {
 public:
  /// `limits` apply to the packets of a list.
  /// With `classes`, packets get their classes, and some are answered (traffic/classed_source.h).
  TrafficSources(const TrafficConfig& config, const TrafficNodes& nodes, std::uint64_t seed,
                 const workload::PacketListLimits& limits = {}, MessageClasses classes = {});
  /// Source of a node, or of one of its network ports (Rails::place); its packets have no dead or cut-off
  /// end. The source of a silent node has no packets. Returns null for traffic without sources, in which case
  /// no node is built.
  std::unique_ptr<traffic::EmissionSource> source(NodeId place) const;
  /// True if the sources of a node's ports call each other's modules (LoadedParts::sources_have_channels).
  bool ports_wake_each_other() const { return answers_; }
  /// Packets born before cycle `end` that source() omits. Zero for a node that may only send after arrivals.
  UnreachablePackets unreachable(Cycle end) const;
  /// Mean flits per cycle that packets of a pair, of nodes or of their ports, bring into the network; see
  /// Traffic::demand().
  double demand(NodeId source, NodeId destination) const;
  /// See Traffic::silence().
  std::string silence() const { return traffic_->silence(); }

 private:
  std::unique_ptr<traffic::EmissionSource> generated(NodeId node) const;
  std::unique_ptr<traffic::EmissionSource> source_of_rail(NodeId place) const;
  std::unique_ptr<traffic::EmissionSource> answering_port(std::unique_ptr<traffic::EmissionSource> all,
                                                          NodeId place) const;

  const std::shared_ptr<const TrafficNodes> nodes_;
  const std::shared_ptr<const MessageClasses> classes_;  ///< Never null.
  const std::uint64_t seed_;
  bool answers_ = false;   ///< several ports of a node share a source that answers what arrives
  double mean_flits_ = 0;  ///< Mean length of the generated packets.
  std::shared_ptr<const workload::Pattern> pattern_;  ///< Null for traffic that draws no destinations.
  std::unique_ptr<const traffic::Traffic> traffic_;
  /// [node]: state that its ports share, for traffic that answers what arrives.
  mutable std::map<NodeId, std::weak_ptr<traffic::AnsweringNode>> answering_;
};

/// Binds the keys traffic.*.
void add_traffic_keys(config::KeyTable& keys, TrafficConfig& config);
/// Makes the measurement of a packet list start with its first packet, unless an input sets another warm-up.
/// Call it after the keys traffic.* and measure.* have been added.
void measure_whole_lists(config::KeyTable& keys);

}  // namespace tsuji::network
