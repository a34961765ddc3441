// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "tsuji/clock/clock_domain.h"
#include "tsuji/config/key_table.h"
#include "tsuji/core/described.h"
#include "tsuji/crosspoint/switch_kinds.h"
#include "tsuji/crosspoint/switch_module.h"
#include "tsuji/graph/multistage.h"
#include "tsuji/link/packet_link.h"

namespace tsuji::network {

struct CrosspointNetworkConfig {
  graph::MultistageConfig topology;
  std::string switch_kind = "crosspoint";  ///< a word of `switch_kinds`
  crosspoint::SwitchKinds switch_kinds = crosspoint::switch_kinds();
  /// Parameters of all kinds; `ports` is set from the topology's radix.
  crosspoint::CrosspointConfig crosspoint;
  /// Added to the one cycle of every channel (scripts/handbook.d/rooms/crosspoint.md).
  unsigned cable_cycles = 0;
  RoomSignal room_signal = RoomSignal::wire;  ///< Signal of every channel, including channels to nodes.
  /// Returns what takes the place of the selected kind, such as RTL in some switches; empty: nothing does.
  std::function<crosspoint::SwitchKind(const crosspoint::SwitchKind&, const CrosspointNetworkConfig&)>
      replace_switches;

  /// Binds switch.kind, if there are several kinds, and the keys of the kinds.
  void add_switch_kind_keys(config::KeyTable& keys);
};

/// A multistage network of switches of one kind. Node n sends into from_node(n) and receives from to_node(n).
/// Network ports without a node are connected to channels that carry nothing.
class CrosspointNetwork final : public sc_core::sc_module, public Described {
 public:
  std::string stands_for() const override { return "multistage network (Kanoh 2000, section 3)"; }
  /// A `switch_kind` without `make` selects the kind in `config`.
  CrosspointNetwork(sc_core::sc_module_name name, ClockDomain& domain, const CrosspointNetworkConfig& config,
                    const crosspoint::SwitchKind& switch_kind = {});
  ~CrosspointNetwork() override;

  /// Sets the pool of packets that switches make, those with combined operands; it outlives the packets.
  void set_pool(PacketPool& pool);
  const graph::Multistage& topology() const { return topology_; }
  PacketLink& from_node(NodeId node) { return *links_.front()[node]; }
  PacketLink& to_node(NodeId node) { return *links_.back()[node]; }
  const PacketLink& from_node(NodeId node) const { return *links_.front()[node]; }
  /// Channel `line` after `stage` stages: stage 0 comes from the nodes, stage stages() goes to the nodes.
  PacketLink& link(unsigned stage, unsigned line) { return *links_[stage][line]; }
  const crosspoint::SwitchKind& switch_kind() const { return switch_kind_; }
  crosspoint::SwitchModule& at(unsigned stage, unsigned index) { return *switches_[stage][index]; }
  const crosspoint::SwitchModule& at(unsigned stage, unsigned index) const {
    return *switches_[stage][index];
  }
  /// Packets on channels and in switches before cycle `now`. A switch counts as having processed a head in
  /// the cycle of its arrival: a multicast counts as its copies there.
  struct Population {
    std::uint64_t packets = 0, flits = 0;
    std::uint64_t replicated = 0;  ///< Copies that no switch has counted yet.
  };
  Population population(Cycle now) const;
  /// Sum of the counters of all switches. This function and those below may be called after the end of
  /// elaboration.
  crosspoint::SwitchCounters counters() const;
  /// Flits of all packets on channels and in switches; a packet counts with all its flits.
  std::uint64_t flits_in_flight() const;
  /// Report of the packets at the heads of FIFOs in all switches, at most `limit` lines.
  std::string held_report(unsigned limit) const;
  /// Checks each switch after all movement has ended in cycle `now`: received + replicated - merged - dropped
  /// = sent + held. Throws ModelError if the sums differ.
  void check_conservation(Cycle now) const;

 private:
  const CrosspointNetworkConfig config_;
  const graph::Multistage topology_;
  const crosspoint::SwitchKind switch_kind_;
  std::vector<std::vector<std::unique_ptr<PacketLink>>> links_;  ///< Indexed by stage and line.
  std::vector<std::vector<std::unique_ptr<crosspoint::SwitchModule>>> switches_;
};

}  // namespace tsuji::network
