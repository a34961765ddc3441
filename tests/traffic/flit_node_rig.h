// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "support/catch.h"
#include "support/scripted_routing.h"
#include "tsuji/traffic/flit_node_state.h"

namespace tsuji::traffic::test {

inline constexpr NodeId own = 3, other = 8;
inline const std::vector<Emission> nothing;

inline Emission emission(Cycle created, unsigned flits) {
  Emission one;
  one.created = created;
  one.flits = static_cast<std::uint16_t>(flits);
  one.payload_bytes = 0;
  one.destination = other;
  return one;
}

/// Node with two classes of messages, of which class `c` has virtual channel `c`.
inline FlitNodeConfig two_classes() {
  FlitNodeConfig config;
  config.classes.all.resize(2);
  config.classes.all[1].first_vc = 1;
  config.policy = config.classes.policy();
  return config;
}

/// Source with an endless number of packets in cycle 7.
class Endless final : public EmissionSource {
 public:
  bool next(Emission& emission) override {
    emission = test::emission(7, 1);
    return true;
  }
};

/// A node whose router is driven by hand.
class Rig final : public FlitNodeEvents {
 public:
  explicit Rig(std::vector<Emission> list = {}, const FlitNodeConfig& node_config = {},
               routing::VcMask injection = 0xf, unsigned depth = 2, Cycle flit_cycles = 1,
               std::unique_ptr<CongestionControl> control = nullptr, bool whole_packets = false)
      : Rig(std::make_unique<ListedEmissions>(std::move(list)), node_config, injection, depth, flit_cycles,
            std::move(control), whole_packets) {}
  explicit Rig(std::unique_ptr<EmissionSource> source, const FlitNodeConfig& node_config = {},
               routing::VcMask injection = 0xf, unsigned depth = 2, Cycle flit_cycles = 1,
               std::unique_ptr<CongestionControl> control = nullptr, bool whole_packets = false)
      : config(node_config),
        routing(injection),
        out(channel(depth, flit_cycles, whole_packets)),
        in(channel(depth, flit_cycles, whole_packets)) {
    state = std::make_unique<FlitNodeState>(FlitNodeState::Parts{config, pool, routing, *this, arena}, own,
                                            std::move(source), std::move(control));
    out.bind_receiver({}, router_calendar, 0, 0, arena);
    in.bind_sender({}, router_calendar, 1, router_sender);
    state->bind({}, out, in);
  }

  /// Runs all cycles before `end`: spurious wake-ups must change nothing.
  void run(Cycle end) {
    for (; now < end; ++now) {
      next = state->advance(now);
      for (unsigned vc = 0; vc < out.vcs(); ++vc) {
        if (!takes || !out.ring(vc).front().holds_flit() || out.ring(vc).front().cycle() > now) continue;
        seen.push_back({now, vc, out.ring(vc).front().flit()});
        out.pop(now, vc);
      }
    }
  }
  /// Lets a flit arrive that the node can take in cycle `cycle`, announced by its router one cycle earlier.
  void arrive(Cycle cycle, unsigned vc, PacketIndex packet, unsigned sequence) {
    Flit flit;
    flit.packet = packet;
    flit.sequence = static_cast<std::uint16_t>(sequence);
    flit.flags = static_cast<std::uint8_t>(Flit::is_flit | (sequence == 0 ? Flit::head : 0) |
                                           (sequence + 1U == pool.at(packet).flits ? Flit::tail : 0));
    in.send(cycle - 2, vc, flit);
  }
  PacketIndex packet(NodeId destination, unsigned flits) {
    PacketRef reference = pool.make_bare();
    reference.edit().destination = destination;
    reference.edit().flits = static_cast<std::uint16_t>(flits);
    return reference.detach();
  }
  void on_born(End node, const Emission& born_now, Cycle) override {
    CHECK(node == own);
    born.push_back(born_now.created);
  }
  void on_delivered(const Packet& packet, Cycle head, Cycle tail) override {
    CHECK(packet.destination == own);
    delivered.push_back({head, tail});
  }

  struct Seen {
    Cycle cycle;
    unsigned vc;
    Flit flit;
  };

  const FlitNodeConfig config;
  const tsuji::test::ScriptedRouting routing;
  PacketPool pool;
  Arena arena;
  ArrivalCalendar router_calendar{arena, 16, 16};
  FlitSender router_sender;
  FlitChannel out, in;
  std::unique_ptr<FlitNodeState> state;
  Cycle now = 0, next = never;
  bool takes = true;
  std::vector<Seen> seen;  ///< taken by the router
  std::vector<Cycle> born;
  std::vector<std::pair<Cycle, Cycle>> delivered;

 private:
  static FlitChannelConfig channel(unsigned depth, Cycle flit_cycles, bool whole_packets) {
    FlitChannelConfig config;
    config.vcs = 4;
    config.depth_flits = depth;
    config.flit_cycles = flit_cycles;
    config.whole_packets = whole_packets;
    return config;
  }
};

}  // namespace tsuji::traffic::test
