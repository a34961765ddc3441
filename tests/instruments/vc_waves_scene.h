// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "instruments/levels.h"
#include "network/drawn_network.h"
#include "network/vc_rig.h"
#include "support/catch.h"
#include "tsuji/instruments/vc_network_waves.h"

namespace tsuji::instruments::test {

using network::NetworkConfig;
using network::test::drawn;
using network::test::lengths;
using network::test::VcRig;

using FlitKey = std::pair<PacketId, unsigned>;  ///< packet, sequence

struct Passage {
  unsigned vc;
  Flit flit;
  PacketId packet;
  Cycle now, departure, ready;
};
struct Credit {
  unsigned vc;
  Cycle now, usable;
};

/// Log of a channel's probe.
struct ChannelLog final : FlitProbe {
  explicit ChannelLog(VcRig& own_rig) : rig(own_rig) {}
  void on_flit(const FlitChannel&, unsigned vc, const Flit& flit, Cycle departure, Cycle ready) override {
    const PacketId packet = rig.loaded->pool().at(flit.packet).id;
    flits.push_back({vc, flit, packet, rig.loaded->domain().now(), departure, ready});
  }
  void on_credit(const FlitChannel&, unsigned vc, Cycle now, Cycle usable) override {
    credits.push_back({vc, now, usable});
  }
  VcRig& rig;
  std::vector<Passage> flits;
  std::vector<Credit> credits;
};

/// A head's stages at an input virtual channel.
struct HeadLog {
  PacketId packet = 0;
  NodeId destination = 0;
  Cycle rc = 0, va = 0, sa = 0, crossing = never;
};

struct RouterLog final : router::RouterProbe {
  explicit RouterLog(VcRig& own_rig) : rig(own_rig) {}
  void on_stage(graph::RouterId router, unsigned port, unsigned vc, PacketIndex packet,
                router::HeadStage stage, Cycle at) override {
    auto& heads = inputs[{router, port, vc}];
    const Packet& own = rig.loaded->pool().at(packet);
    if (stage == router::HeadStage::route_computation)
      heads.push_back({own.id, own.destination.node(), at, never, never, never});
    if (stage == router::HeadStage::vc_allocation) heads.back().va = at;
    if (stage == router::HeadStage::switch_allocation) heads.back().sa = at;
    if (stage == router::HeadStage::crossing) {
      // A head that leaks, or whose words pass, has not requested its route yet.
      if (heads.empty() || heads.back().packet != own.id)
        heads.push_back({own.id, own.destination.node(), at, never, never, never});
      heads.back().crossing = at;
    }
  }
  void on_prediction(graph::RouterId router, unsigned port, unsigned, PacketIndex,
                     router::PredictionOutcome outcome, Cycle at) override {
    predictions[{router, port}][at] = outcome;
    ++outcomes[static_cast<std::size_t>(outcome)];
  }
  VcRig& rig;
  std::map<std::tuple<graph::RouterId, unsigned, unsigned>, std::vector<HeadLog>> inputs;
  std::map<std::pair<graph::RouterId, unsigned>, std::map<Cycle, router::PredictionOutcome>> predictions;
  decltype(router::PredictionCounters::visits) outcomes{};
};

/// A loaded network with logs on everything, and a waveform.
class Scene {
 public:
  Scene(std::uint64_t seed, const VcNetworkWavesConfig& shown) : Scene(seed, shown, drawn(seed)) {}
  Scene(std::uint64_t seed, const VcNetworkWavesConfig& shown, const network::NetworkConfig& config)
      : rig(config), routers(rig), shown_(shown) {
    rig.build(lengths(0.35, 150), seed);
    network::VcNetwork& network = rig.loaded->network();
    for (const network::VcNetwork::ChannelPlace& place : network.channels()) {
      places.push_back(place);
      logs.push_back(std::make_unique<ChannelLog>(rig));
      place.channel->set_probe(logs.back().get());
    }
    for (graph::RouterId id = 0; id < network.routers(); ++id) network.module(id).set_probe(&routers);
    waves = std::make_unique<VcNetworkWaves>(
        VcNetworkWaves::Parts{network, rig.loaded->pool(), rig.loaded->domain(), levels, followed}, shown);
  }

  void run() {
    for (end = 40; end < 2000 && (end <= 200 || rig.loaded->accounts().packets_under_way() != 0); end += 40)
      play();
    play();  // the last credits
    REQUIRE(rig.loaded->accounts().packets_under_way() == 0);
    waves->finish();
    for (std::size_t c = 0; c < places.size(); ++c) {
      for (const Passage& flit : logs[c]->flits) {
        if (!places[c].from_node)
          departures_[places[c].from.router][{flit.packet, flit.flit.sequence}] = flit.departure;
      }
    }
    CHECK(levels.late == 0);
  }

  void play() {
    rig.loaded->run_to(end);
    waves->advance(end);
    CHECK(levels.passed() == ps(end));
  }

  Picoseconds ps(Cycle cycle) const { return rig.loaded->domain().time_of(cycle).value(); }
  bool is_shown(graph::RouterId router) const {
    return router != graph::none &&
           (shown_.routers.empty() || std::count(shown_.routers.begin(), shown_.routers.end(), router) != 0);
  }
  std::string path_of(const network::VcNetwork::ChannelPlace& place) const {
    const bool in = !place.to_node && is_shown(place.to.router);
    const graph::PortRef at = in ? place.to : place.from;
    return "network.r" + std::to_string(at.router) + (in ? ".in" : ".out") + std::to_string(at.port);
  }

  /// Flits of a virtual channel arrive and leave in order.
  static Cycle ready_of(const ChannelLog& log, const Credit& credit) {
    const auto same = [&credit](const auto& one) { return one.vc == credit.vc; };
    const auto place = std::count_if(log.credits.data(), &credit, same);
    auto flit = std::find_if(log.flits.begin(), log.flits.end(), same);
    for (auto before = place; before > 0; --before) flit = std::find_if(flit + 1, log.flits.end(), same);
    return flit->ready;
  }
  /// Checks the wires, credits and fill levels of a channel in all shown cycles.
  void check_channel(std::size_t c) {
    const network::VcNetwork::ChannelPlace& place = places[c];
    const std::string path = path_of(place);
    const ChannelLog& log = *logs[c];
    const Cycle flit_cycles = place.channel->flit_cycles();
    const auto depth = place.channel->depth_flits();
    unsigned wrong = 0, most_used = 0;
    for (Cycle now = shown_.first_cycle; now < std::min(end, shown_.last_cycle); ++now) {
      std::string text;
      std::uint64_t last_vc = 0;
      Cycle last = 0;
      std::vector<std::uint64_t> credits(place.channel->vcs(), depth), held(place.channel->vcs(), 0);
      for (const Passage& one : log.flits) {
        if (one.departure <= now && one.departure >= last) {  // a hit may pass flits that won earlier
          last = one.departure;
          last_vc = one.vc;
        }
        if (one.departure <= now && now < one.departure + flit_cycles)
          text = packet_name(one.packet) + "." + std::to_string(one.flit.sequence) +
                 (one.flit.is_head() ? " H" : "") + (one.flit.is_tail() ? " T" : "");
        if (one.now < now) --credits[one.vc];
        if (one.ready <= now) ++held[one.vc];
      }
      for (const Credit& one : log.credits) {
        if (one.usable <= now) ++credits[one.vc];
        // If its words pass, a flit has left before it could be buffered.
        if (one.now < now && ready_of(log, one) <= now) --held[one.vc];
      }
      wrong += levels.text(path + ".flit", ps(now)) != text;
      wrong += levels.value(path + ".vc", ps(now)) != last_vc;
      for (unsigned v = 0; v < place.channel->vcs(); ++v) {
        const std::string own = path + ".vc" + std::to_string(v);
        wrong += levels.value(own + ".credits", ps(now)) != credits[v];
        wrong += levels.value(own + ".occupancy", ps(now)) != held[v];
        most_used = std::max(most_used, static_cast<unsigned>(depth - credits[v]));
      }
    }
    CAPTURE(path);
    CHECK(wrong == 0);
    used_ = std::max(used_, most_used);
  }

  /// Checks the stages of heads at the inputs that a channel feeds, and of the flits in its buffer's places.
  void check_stages(std::size_t c) {
    const network::VcNetwork::ChannelPlace& place = places[c];
    const std::string path = path_of(place);
    unsigned wrong = 0;
    for (unsigned v = 0; v < place.channel->vcs(); ++v) {
      const std::string own = path + ".vc" + std::to_string(v);
      const auto& heads = routers.inputs[{place.to.router, place.to.port, v}];
      const std::vector<InBuffer> flits = in_buffer(c, v, heads);
      for (Cycle now = 0; now < end; ++now) {
        const auto [stage, packet] = head_level(heads, tail_departures(c, v), now);
        wrong += levels.value(own + ".stage", ps(now)) != stage;
        wrong += levels.text(own + ".packet", ps(now)) != packet;
        if (!shown_.slots) continue;
        for (unsigned s = 0; s < place.channel->depth_flits(); ++s)
          wrong += levels.value(own + ".slot" + std::to_string(s), ps(now)) !=
                   slot_level(flits, s, place.channel->depth_flits(), now);
      }
    }
    CAPTURE(path);
    CHECK(wrong == 0);
  }

  /// Checks the packet of each head at the inputs that a channel feeds, in the cycle in which the head is
  /// first reported.
  void check_heads(std::size_t c) {
    const network::VcNetwork::ChannelPlace& place = places[c];
    unsigned wrong = 0;
    for (unsigned v = 0; v < place.channel->vcs(); ++v)
      for (const HeadLog& head : routers.inputs[{place.to.router, place.to.port, v}])
        wrong += levels.text(path_of(place) + ".vc" + std::to_string(v) + ".packet", ps(head.rc)) !=
                 packet_name(head.packet) + " to " + std::to_string(head.destination);
    CHECK(wrong == 0);
  }

  /// Checks the outcomes of predictions of heads at the input that a channel feeds, each for a cycle.
  void check_predictions(std::size_t c) {
    const network::VcNetwork::ChannelPlace& place = places[c];
    const auto& fates = routers.predictions[{place.to.router, place.to.port}];
    unsigned wrong = 0;
    for (Cycle now = 0; now < end; ++now) {
      const auto fate = fates.find(now);
      wrong += levels.value(path_of(place) + ".prediction", ps(now)) !=
               (fate == fates.end() ? 0 : static_cast<std::uint64_t>(fate->second) + 1);
    }
    CHECK(wrong == 0);
  }

  VcRig rig;
  RouterLog routers;
  Levels levels;
  std::vector<network::VcNetwork::ChannelPlace> places;
  std::vector<std::unique_ptr<ChannelLog>> logs;
  FollowedPackets followed{{{}}, 0};
  std::unique_ptr<VcNetworkWaves> waves;
  Cycle end = 0;
  unsigned used() const { return used_; }

 private:
  enum : std::uint64_t { idle, wait, rc, va, sa, st, des, ser };
  struct InBuffer {
    Cycle ready, front, leaves, departure;
    const HeadLog* head;  ///< null: a body flit
  };
  const router::VcRouterConfig& timing() const { return rig.config.network.router; }

  std::vector<Passage> flits_of(std::size_t c, unsigned v) const {
    std::vector<Passage> own;
    for (const Passage& one : logs[c]->flits)
      if (one.vc == v) own.push_back(one);
    return own;
  }
  /// Departure of each packet's tail from the router, in the order of arrivals.
  std::vector<Cycle> tail_departures(std::size_t c, unsigned v) {
    std::vector<Cycle> all;
    for (const Passage& one : flits_of(c, v))
      if (one.flit.is_tail())
        all.push_back(departures_[places[c].to.router].at({one.packet, one.flit.sequence}));
    return all;
  }
  std::uint64_t passing(Cycle departure, Cycle now, std::uint64_t before) const {
    if (now >= departure) return idle;
    if (now + timing().ser_cycles >= departure) return ser;
    if (now + timing().ser_cycles + timing().st_cycles >= departure) return st;
    return before;
  }
  static std::uint64_t head_stage(const HeadLog& head, Cycle now) {
    return now >= head.crossing ? st : now >= head.sa ? sa : now >= head.va ? va : now >= head.rc ? rc : wait;
  }
  std::pair<std::uint64_t, std::string> head_level(const std::vector<HeadLog>& heads,
                                                   const std::vector<Cycle>& departures, Cycle now) const {
    std::size_t at = heads.size();
    while (at > 0 && heads[at - 1].rc > now) --at;
    if (at == 0) return {idle, ""};
    const HeadLog& head = heads[at - 1];
    const std::uint64_t stage = passing(departures.at(at - 1), now, head_stage(head, now));
    return {stage, stage == idle ? "" : packet_name(head.packet) + " to " + std::to_string(head.destination)};
  }
  std::vector<InBuffer> in_buffer(std::size_t c, unsigned v, const std::vector<HeadLog>& heads) {
    std::vector<Cycle> leaving;
    for (const Credit& one : logs[c]->credits)
      if (one.vc == v) leaving.push_back(one.now);
    std::vector<InBuffer> all;
    std::size_t head = 0;
    for (const Passage& one : flits_of(c, v)) {
      const Cycle before = all.empty() ? 0 : all.back().leaves + 1;
      all.push_back({one.ready, std::max(before, one.ready), leaving.at(all.size()),
                     departures_[places[c].to.router].at({one.packet, one.flit.sequence}),
                     one.flit.is_head() ? &heads.at(head++) : nullptr});
    }
    return all;
  }
  /// Flits use the places of a buffer in turn.
  std::uint64_t slot_level(const std::vector<InBuffer>& flits, unsigned slot, unsigned depth,
                           Cycle now) const {
    std::uint64_t level = idle;
    for (std::size_t f = slot; f < flits.size(); f += depth) {
      const InBuffer& flit = flits[f];
      if (flit.ready - timing().des_cycles > now) break;
      if (now < flit.ready) {
        level = des;
      } else if (now < flit.front) {
        level = wait;
      } else {
        level = passing(flit.departure, now,
                        flit.head == nullptr ? std::uint64_t{sa} : head_stage(*flit.head, now));
      }
    }
    return level;
  }

  const VcNetworkWavesConfig shown_;
  std::map<graph::RouterId, std::map<FlitKey, Cycle>> departures_;  ///< from routers
  unsigned used_ = 0;
};

}  // namespace tsuji::instruments::test
