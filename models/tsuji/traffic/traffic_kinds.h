// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tsuji/config/kinds.h"
#include "tsuji/traffic/emission.h"
#include "tsuji/workload/packet_list.h"
#include "tsuji/workload/pattern.h"

namespace tsuji::traffic {

/// Packets of all nodes of a network.
class Traffic {
 public:
  virtual ~Traffic() = default;
  /// Source of all packets of a node, including packets for dead and cut-off nodes. Null: no node is built.
  virtual std::unique_ptr<EmissionSource> source(NodeId node) const = 0;
  /// Mean flits per cycle from one node to another at a traffic.load_flits_per_node_cycle of 1. Called only
  /// for kinds with TrafficTraits::offers_load.
  virtual double demand(NodeId source, NodeId destination) const {
    (void)source;
    (void)destination;
    return 0.0;
  }
  /// Reason why no packet is sent, for example "traffic.kind is none"; empty: packets are sent.
  virtual std::string silence() const { return ""; }
};

/// Network for which the packets are made.
struct TrafficGiven {
  unsigned nodes = 0;                                ///< Number of nodes, with dead ones.
  std::uint64_t seed = 1;                            ///< Seed of all random choices of the traffic.
  std::shared_ptr<const workload::Pattern> pattern;  ///< Null unless TrafficTraits::draws.
  workload::PacketLengths lengths;    ///< Distribution of packet lengths, for kinds that draw them.
  workload::PacketListLimits limits;  ///< Limits for packets whose lengths the kind defines itself.
  unsigned ports = 1;                 ///< Network ports of a node.
};

/// Properties of a word of `traffic.kind`.
struct TrafficTraits {
  static constexpr const char* selector = "traffic.kind";    ///< Key that selects the kind.
  static constexpr const char* unknown = "no such traffic";  ///< Refusal of an unknown word.
  std::string text = "a kind of this project";               ///< Text for --list-keys.
  bool draws = false;  ///< The kind uses traffic.pattern, traffic.to_self and traffic.length.
  /// The kind uses traffic.length, but neither traffic.pattern nor traffic.to_self.
  bool draws_lengths = false;
  bool offers_load = false;     ///< The kind uses traffic.load_flits_per_node_cycle, which a load sweep sets.
  bool receivers_send = false;  ///< See PatternConfig::receivers_send.
  bool has_sources = true;      ///< false: Traffic::source() returns null, and the network is without nodes
  bool own_lengths = false;  ///< traffic.length is not checked; make() checks the kind's own lengths against
                             ///< TrafficGiven::limits.
};

/// Every kind of traffic by its word in `traffic.kind`, with its parameters.
using TrafficKinds = config::Kinds<TrafficTraits, std::unique_ptr<const Traffic>, const TrafficGiven&>;

/// The kinds listed in CMakeLists.txt.
TrafficKinds traffic_kinds();

/// Source of a node that sends nothing.
inline std::unique_ptr<EmissionSource> no_packets() {
  return std::make_unique<ListedEmissions>(std::vector<Emission>{});
}

}  // namespace tsuji::traffic
