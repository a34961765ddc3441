// SPDX-License-Identifier: Apache-2.0
#pragma once

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
  crosspoint::CrosspointConfig crosspoint;    ///< of all kinds; its `ports` follow the topology's radix
  unsigned cable_cycles = 0;                  ///< added to every channel's own cycle (rooms/crosspoint.md)
  RoomSignal room_signal = RoomSignal::wire;  ///< of every channel, those to the nodes included

  /// Binds switch.kind, from a second kind on, and the keys of the kinds.
  void add_switch_kind_keys(config::KeyTable& keys);
};

/// A multistage network of switches of one kind, ready to be bound to its nodes: node n sends into
/// from_node(n) and receives from to_node(n). Lines that have no node end in channels that nobody drives or
/// reads.
class CrosspointNetwork final : public sc_core::sc_module, public Described {
 public:
  std::string stands_for() const override { return "multistage network (Kanoh 2000, section 3)"; }
  /// `switch_kind` without `make`, the default: the one that `config` chooses.
  CrosspointNetwork(sc_core::sc_module_name name, ClockDomain& domain, const CrosspointNetworkConfig& config,
                    const crosspoint::SwitchKind& switch_kind = {});
  ~CrosspointNetwork() override;

  const graph::Multistage& topology() const { return topology_; }
  PacketLink& from_node(NodeId node) { return *links_.front()[node]; }
  PacketLink& to_node(NodeId node) { return *links_.back()[node]; }
  const PacketLink& from_node(NodeId node) const { return *links_.front()[node]; }
  /// Channel `line` behind `stage` stages: 0 comes from the nodes, stages() leads to them.
  PacketLink& link(unsigned stage, unsigned line) { return *links_[stage][line]; }
  const crosspoint::SwitchKind& switch_kind() const { return switch_kind_; }
  crosspoint::SwitchModule& at(unsigned stage, unsigned index) { return *switches_[stage][index]; }
  const crosspoint::SwitchModule& at(unsigned stage, unsigned index) const {
    return *switches_[stage][index];
  }
  /// Packets on channels and in switches before cycle `now`, as if switches looked at a head in the cycle in
  /// which it comes: a multicast counts as its copies there.
  struct Population {
    std::uint64_t packets = 0, flits = 0;
    std::uint64_t replicated = 0;  ///< copies that no switch has counted yet
  };
  Population population(Cycle now) const;
  /// The sum over all switches. This and all below from the end of elaboration on.
  crosspoint::SwitchCounters counters() const;
  /// Flits of all packets on channels and in switches; a packet counts whole.
  std::uint64_t flits_in_flight() const;
  /// The packets that wait in front in all switches, at most `limit` lines.
  std::string held_report(unsigned limit) const;
  /// Once nothing moves in cycle `now`: received + replicated - merged - dropped = sent + held, in every
  /// switch; ModelError if not.
  void check_conservation(Cycle now) const;

 private:
  const CrosspointNetworkConfig config_;
  const graph::Multistage topology_;
  const crosspoint::SwitchKind switch_kind_;
  std::vector<std::vector<std::unique_ptr<PacketLink>>> links_;  ///< [stage][line]
  std::vector<std::vector<std::unique_ptr<crosspoint::SwitchModule>>> switches_;
};

}  // namespace tsuji::network
