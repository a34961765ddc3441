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
  /// All packets of a node, those for dead and cut-off nodes, too. Null: no node is built.
  virtual std::unique_ptr<EmissionSource> source(NodeId node) const = 0;
  /// Mean flits a cycle from one node to another at a traffic.load_flits_per_node_cycle of 1. Called only
  /// where TrafficTraits::offers_load holds.
  virtual double demand(NodeId source, NodeId destination) const {
    (void)source;
    (void)destination;
    return 0.0;
  }
  /// Reason why no packet is sent, "traffic.kind is none"; empty: packets are sent.
  virtual std::string silence() const { return ""; }
};

/// Network that the packets are for.
struct TrafficGiven {
  unsigned nodes = 0;
  std::uint64_t seed = 1;
  std::shared_ptr<const workload::Pattern> pattern;  ///< null unless TrafficTraits::draws
  workload::PacketLengths lengths;                   ///< of packets whose lengths are drawn
  workload::PacketListLimits limits;                 ///< of packets with lengths of their own
};

struct TrafficTraits {
  static constexpr const char* selector = "traffic.kind";
  static constexpr const char* unknown = "no such traffic";
  std::string text = "a kind of this project";  ///< for --list-keys
  bool draws = false;                           ///< reads traffic.pattern, traffic.to_self and traffic.length
  bool draws_lengths = false;                   ///< reads traffic.length alone of these
  bool offers_load = false;     ///< reads traffic.load_flits_per_node_cycle, which a sweep sets
  bool receivers_send = false;  ///< as PatternConfig::receivers_send
  bool own_lengths = false;     ///< traffic.length is not checked; make() checks lengths against the limits
};

/// Every kind of traffic by its word in `traffic.kind`, with its parameters.
using TrafficKinds = config::Kinds<TrafficTraits, std::unique_ptr<const Traffic>, const TrafficGiven&>;

/// The kinds of CMakeLists.txt.
TrafficKinds traffic_kinds();

/// Source of a node that sends nothing.
inline std::unique_ptr<EmissionSource> no_packets() {
  return std::make_unique<ListedEmissions>(std::vector<Emission>{});
}

}  // namespace tsuji::traffic
