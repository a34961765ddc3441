// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "support/scripted_routing.h"
#include "tsuji/core/packet.h"
#include "tsuji/link/flit_channel.h"
#include "tsuji/lookup/local_lookup.h"
#include "tsuji/router/vc/full_vc_router.h"
#include "tsuji/routing/route_hints.h"

namespace tsuji::router::test {

/// A flit that left the router, with the cycle in which the far end can handle it.
struct Seen {
  Cycle cycle;
  unsigned port, vc;
  PacketIndex packet;
  unsigned sequence;
  bool dead = false;  ///< thrown away
};

/// Hints with one bit: whether the next output is port 1.
class HintsOfPort1 final : public routing::RouteHints {
 public:
  unsigned bits() const override { return 1; }
  bool may_confirm(routing::RouterId, std::uint32_t, std::uint32_t out_port) const override {
    return out_port == 1;
  }
  bool confirms(const routing::RouteQuery& query, std::uint32_t out_port) const override {
    return query.destination == out_port;
  }
};

struct RigConfig {
  unsigned ports = 3;
  FlitChannelConfig channel;
  VcRouterConfig router;
  Cycle rc_cycles = 1;
  unsigned node_port = ~0U;  ///< leads to a node; all others to routers
  bool full = false;         ///< the full driver, even where the fast one suffices
  bool knows_routing = true, hints = true;
  const routing::Routing* behind = nullptr;  ///< routing of the look-up passed in; null: the rig's own
  std::vector<unsigned> straight = {};       ///< of each input: the table of a static predictor
  bool sparse =
      false;  ///< the router runs in the cycles in which it may have something to do, and in no others
};

/// One router with hand-driven neighbours. Flits come from the far ends of its input channels, and leave into
/// sinks that take a flit in the cycle of its arrival, unless they are stopped.
class Rig {
 public:
  explicit Rig(const RigConfig& rig_config, RouteLookup* lookup = nullptr, RouterEvents* events = nullptr)
      : config(rig_config),
        routing(routing::vc_range(0, config.channel.vcs),
                [this](const routing::RouteQuery& query, routing::RouteSet& candidates) {
                  candidates.add(query.destination.node(), routing::vc_range(0, config.channel.vcs));
                }),
        plain(routing, rig_config.rc_cycles) {
    if (config.hints) routing.hinting = &hints;
    std::vector<RouterPort> ports;
    for (unsigned p = 0; p < config.ports; ++p) {
      in.push_back(std::make_unique<FlitChannel>(config.channel));
      out.push_back(std::make_unique<FlitChannel>(config.channel));
      calendars.push_back(std::make_unique<ArrivalCalendar>(arena, 16, 64));
      out.back()->bind_receiver({}, *calendars.back(), 0, 0, arena);
      senders.push_back(std::make_unique<FlitSender>());
      in.back()->bind_sender({}, sender_calendar, 1, *senders.back());
      ports.push_back({in.back().get(), out.back().get(), p == config.node_port});
    }
    stopped.resize(config.ports);
    RouterParts parts{pool, lookup == nullptr ? plain : *lookup, events, 8, 1, &arena};
    parts.routing = config.behind != nullptr ? config.behind : config.knows_routing ? &routing : nullptr;
    parts.predictor_table = [this](graph::RouterId, PredictorTable) { return config.straight; };
    if (config.full) {
      state = make_in<FullVcRouter>(arena, config.router, 0, ports, parts);
    } else {
      state = make_vc_router(config.router, 0, ports, parts);
    }
    state->bind({});
  }

  PacketIndex packet(unsigned destination, unsigned flits, std::uint32_t serial = 0) {
    PacketRef reference = pool.make();
    reference.edit().id = packet_id(7, serial);
    reference.edit().destination = destination;
    reference.edit().flits = static_cast<std::uint16_t>(flits);
    return reference.detach();
  }
  /// Lets flit `sequence` of a packet arrive at input `port` in cycle `cycle`, after the deserializer if
  /// there is one.
  void arrive(Cycle cycle, unsigned port, unsigned vc, PacketIndex packet, unsigned sequence) {
    Flit flit;
    flit.packet = packet;
    flit.sequence = static_cast<std::uint16_t>(sequence);
    flit.flags = static_cast<std::uint8_t>(Flit::is_flit | (sequence == 0 ? Flit::head : 0) |
                                           (sequence + 1U == pool.at(packet).flits ? Flit::tail : 0));
    const Cycle departure = cycle - in[port]->ready_after();
    under_way.insert({departure - 1, {port, vc, flit}});
  }
  /// Lets a whole packet arrive, one flit a cycle.
  void arrive(Cycle cycle, unsigned port, unsigned vc, PacketIndex packet) {
    for (unsigned f = 0; f < pool.at(packet).flits; ++f) arrive(cycle + f, port, vc, packet, f);
  }

  /// Runs all cycles before `end`.
  void run(Cycle end) {
    for (; now < end; ++now) {
      for (; !under_way.empty() && under_way.begin()->first <= now; under_way.erase(under_way.begin())) {
        const Arrival& arrival = under_way.begin()->second;
        in[arrival.port]->send(now, arrival.vc, arrival.flit);
      }
      for (unsigned p = 0; p < config.ports; ++p) take_output(p);
      if (config.sparse && !due()) continue;
      next = state->advance(now);
      woken = false;
      ++steps;
    }
  }

  struct Arrival {
    unsigned port, vc;
    Flit flit;
  };

  RigConfig config;
  const HintsOfPort1 hints;
  tsuji::test::ScriptedRouting routing;  ///< to port `destination`, on any virtual channel
  lookup::LocalLookup plain;
  PacketPool pool;
  Arena arena;
  std::vector<std::unique_ptr<FlitChannel>> in, out;
  std::vector<std::unique_ptr<FlitSender>> senders;
  std::vector<std::unique_ptr<ArrivalCalendar>> calendars;
  ArrivalCalendar sender_calendar{arena, 16, 1};
  ArenaPtr<VcRouter> state;
  std::vector<bool> stopped;  ///< per output: its sink takes nothing
  std::vector<Seen> seen;
  std::multimap<Cycle, Arrival> under_way;  ///< arrivals by the cycle in which the far end sends
  Cycle now = 10;
  Cycle next = never;
  bool woken = false;  ///< sparse: something other than a channel scheduled the next cycle
  std::uint64_t steps = 0;

 private:
  /// Returns true if the router has scheduled this cycle, or a flit or a credit comes in it.
  bool due() const {
    bool comes = woken || next <= now;
    for (unsigned p = 0; p < config.ports; ++p) {
      for (unsigned vc = 0; vc < config.channel.vcs; ++vc) {
        for (unsigned place = 0; place < config.channel.depth_flits; ++place)
          comes |= in[p]->ring(vc).behind_front(place).cycle() == now ||
                   out[p]->ring(vc).behind_front(place).cycle() == now;
      }
    }
    return comes;
  }
  void take_output(unsigned p) {
    for (unsigned vc = 0; vc < config.channel.vcs && !stopped[p]; ++vc) {
      const FlitSlot& front = out[p]->ring(vc).front();
      if (!front.holds_flit() || front.cycle() > now) continue;
      seen.push_back({now, p, vc, front.packet(), front.sequence(), front.killed()});
      out[p]->pop(now, vc);
    }
  }
};

/// The cycles in which the far end can handle the flits of a packet, without dead ones.
inline std::vector<Cycle> cycles_of(const Rig& rig, PacketIndex packet) {
  std::vector<Cycle> cycles;
  for (const Seen& seen : rig.seen)
    if (seen.packet == packet && !seen.dead) cycles.push_back(seen.cycle);
  return cycles;
}

}  // namespace tsuji::router::test
