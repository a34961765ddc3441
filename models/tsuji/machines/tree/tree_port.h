// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "tsuji/clock/clock_domain.h"
#include "tsuji/core/described.h"
#include "tsuji/link/packet_link.h"
#include "tsuji/link/wave_group.h"
#include "tsuji/machines/tree/tree_probe.h"
#include "tsuji/machines/tree/tree_unit.h"
#include "tsuji/traffic/emission.h"
#include "tsuji/traffic/multicast_numbers.h"

namespace tsuji::machines {

/// SystemC module of a unit: the control port of its router, and its channels, on the router's clock.
///
/// A packet between two units has the neighbour's router as its destination (rooms/tree.md). Its contents are
/// sent in the tree link's channel, which also carries the room signals, and are taken from there when the
/// last flit arrives.
class TreePort final : public sc_core::sc_module, public traffic::EmissionSource, public Described {
 public:
  std::string stands_for() const override {
    return "unit at a router that multicasts and synchronizes along a tree; in no paper";
  }
  /// Channels of a branch.
  struct Channels {
    PacketOutIf* out = nullptr;  ///< channel to the neighbour or node
    PacketInIf* in = nullptr;    ///< channel from the neighbour or node
  };
  /// `channels` has the channels of each branch of the unit, `all` also those of other trees. Channels and
  /// `numbers` outlive the port.
  TreePort(sc_core::sc_module_name name, const TreeUnit::Parts& parts, std::vector<Channels> channels,
           std::vector<Channels> all, traffic::MulticastNumbers& numbers);

  const TreeUnit& unit() const { return unit_; }
  /// Adopts the new tree, with these channels, between cycle `now` and the next one.
  void change(Cycle now, std::vector<Channels> channels);
  /// Marks a link of the tree as failed, between two cycles.
  void link_died(const NodeTree::TreeLink& link) { unit_.link_died(tree_.branch_at(router_, link)); }
  /// Adds the signals of the unit, after elaboration: the packet that the router's port sends, packets in the
  /// FIFOs, open barriers and, for a tree that changes, the number of the tree and the kept multicasts.
  void add_wave(observe::Wave& wave);

  TreeProbe* probe() const { return probe_; }
  void set_probe(TreeProbe* probe) { probe_ = probe; }

  bool next(traffic::Emission& emission) override;
  void bind(Clocked& node) override;
  void arrived(Cycle now, const Packet& packet) override;
  void departed(Cycle now, const Packet& packet) override;
  void dropped(Cycle now, const Packet& packet, const char* cause) override;
  Cycle next_event() const override { return event_; }
  void advance(Cycle now) override;

 private:
  struct Ports;
  enum Signal : unsigned { sends, to_router, packet_id, held, barriers, tree, kept };
  enum class Sends : std::uint8_t { nothing, multicast, synchronization, confirmation };
  void show(Cycle now);
  std::uint16_t flits_between_units(const Packet& packet) const;
  void leave(unsigned branch, Cycle now, Sends what, std::uint64_t name, std::uint64_t number);
  void left(Cycle now);
  End neighbour(unsigned branch) const;
  bool is_link(unsigned branch) const { return branch < tree_.links(router_).size(); }

  const NodeTree& tree_;
  const graph::RouterId router_;
  const unsigned fifo_packets_;
  std::vector<Channels> channels_;
  const std::vector<Channels> all_channels_;
  traffic::MulticastNumbers& numbers_;
  TreeUnit unit_;
  Clocked* self_ = nullptr;
  std::deque<traffic::Emission> outbox_;  ///< packets for neighbours
  Cycle event_ = never;
  Sends sends_ = Sends::nothing;
  traffic::Emission last_hop_;
  std::uint32_t hops_left_ = 0;  ///< packets of the unit that have left, or were dropped before
  std::unique_ptr<WaveGroup> wave_;
  TreeProbe* probe_ = nullptr;
};

}  // namespace tsuji::machines
