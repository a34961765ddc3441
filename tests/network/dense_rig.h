// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "network/drawn_network.h"
#include "support/pick.h"
#include "tsuji/graph/dragonfly.h"
#include "tsuji/graph/fat_tree.h"
#include "tsuji/graph/hyperx.h"
#include "tsuji/instruments/port_waits.h"
#include "tsuji/results/results.h"

// Networks that run without modules and with them: configurations that are drawn, and texts of all that must
// be equal.

namespace tsuji::network::test::drawn_dense {

using tsuji::router::Switching;
using tsuji::test::pick;

/// More virtual channels than a word has bits for the five ports of a router, of which nodes have few or
/// many.
inline void widen(VcNetworkConfig& n, CounterRandom& random) {
  n.vcs = 13 + static_cast<unsigned>(random.below(3));
  if (n.node_vcs == 0 && random.below(2) == 0) n.node_vcs = 1 + static_cast<unsigned>(random.below(16));
}

/// Times of routers beside those of the stages.
inline void draw_times(std::uint64_t seed, VcNetworkConfig& n) {
  CounterRandom random(seed, 25);
  if (n.router.prediction.on()) return;
  n.router.vc_change_cycles = pick<Cycle>(random, {0, 0, 1, 1, 2, 70});
  n.router.block_timeout_cycles = pick<Cycle>(random, {0, 0, 3, 10, 30, 300});
  n.router.hop_limit = pick<Cycle>(random, {0, 0, 1, 3});
}

/// Some networks have Detour-UD, whose adaptive virtual channels deadlock.
inline void draw_recovery(std::uint64_t seed, NetworkConfig& config) {
  CounterRandom random(seed, 26);
  if (random.below(4) != 0) return;
  VcNetworkConfig& n = config.network;
  config.topology.kind = pick<std::string>(random, {"torus", "torus", "mesh"});
  config.topology.of<graph::CubeConfig>().radices =
      pick<std::vector<unsigned>>(random, {{4, 4}, {5, 3}, {3, 3, 2}});
  config.routing.kind = "detour_ud";
  n.vcs = 2 + static_cast<unsigned>(random.below(3));
  n.rc_cycles = std::max<Cycle>(n.rc_cycles, 1);
  n.router.prediction.kind = "none";
  n.router.block_timeout_cycles = pick<Cycle>(random, {1, 8, 20, 60, 250});
  n.router.hop_limit = pick<Cycle>(random, {0, 2, 6});
  n.table_cycles = pick<Cycle>(random, {1, 5, 5, 90});
  n.table_ports = 1 + static_cast<unsigned>(random.below(3));
  n.table_pipelined = random.below(2) == 0;
  config.dead.random_links = static_cast<unsigned>(random.below(3));
  config.dead.random_routers = static_cast<unsigned>(random.below(3));
  config.dead.seed = seed;
}

/// Some networks have look-up hardware in their switches, whose answers come soon, long after the slots of
/// stages, or in the order of the memory's accesses.
inline void draw_lookup(std::uint64_t seed, NetworkConfig& config) {
  CounterRandom random(seed, 28);
  const std::string& topology = config.topology.kind;
  const bool in_tables = config.routing.kind == NetworkConfig{}.routing.kind &&
                         (topology == "mesh" || topology == "torus" || topology == "fly");
  if (random.below(2) != 0 || !in_tables || config.network.router.prediction.on()) return;
  lookup::LookupConfig& lookup = config.lookup;
  config.network.rc_cycles = 1;
  // Routers without other times have a cycle of their own.
  router::VcRouterConfig& router = config.network.router;
  if (random.below(2) == 0) {
    router.vc_change_cycles = 0;
    router.block_timeout_cycles = 0;
    router.hop_limit = 0;
  }
  lookup.kind = pick<std::string>(random, {"cached", "cached", "cam", "ideal"});
  lookup.timing.hash_cycles = 1 + random.below(3);
  lookup.timing.cache_cycles = 1 + random.below(3);
  lookup.timing.cam_cycles = pick<Cycle>(random, {1, 4, 25, 90});
  lookup.timing.cam_of_switch = lookup.kind == "cam" && random.below(2) == 0;
  lookup.timing.cam_pipelined = lookup.kind == "cached" || random.below(2) == 0;
  lookup.timing.blocking = random.below(3) == 0;
  lookup.cache.entries = pick<unsigned>(random, {1, 4, 64});
  lookup.cache.ways = std::min(lookup.cache.entries, pick<unsigned>(random, {1, 4}));
  lookup.warm = pick(random, {lookup::WarmCaches::none, lookup::WarmCaches::all});
}

/// A network with drawn times, buffers, topologies and routings.
inline NetworkConfig network_of(std::uint64_t seed) {
  CounterRandom random(seed, 24);
  NetworkConfig config = drawn(seed);
  VcNetworkConfig& n = config.network;
  config.link_latency_cycles = random.below(8) == 0 ? 40 : 1 + random.below(4);
  n.flit_cycles = 1;
  n.rc_cycles = random.below(4);
  n.credit_latency_cycles = random.below(3);
  n.credit_process_cycles = random.below(3);
  if (random.below(4) == 0) n.node_credit_process_cycles = random.below(4);
  if (random.below(4) == 0) n.node_vcs = 1 + static_cast<unsigned>(random.below(4));
  n.first_injection_vc = static_cast<unsigned>(random.below(2));
  n.fec_cycles = random.below(3);
  n.router.va_cycles = 1 + random.below(3);
  n.router.atomic_vcs = random.below(4) == 0;
  n.router.selection = pick(random, {router::Selection::first, router::Selection::most_credits,
                                     router::Selection::round_robin, router::Selection::random});
  if (random.below(3) == 0) {
    n.router.switching = Switching::virtual_cut_through;
    n.buffer_flits = 5 + static_cast<unsigned>(random.below(4));
  }
  const bool wide = random.below(4) == 0;
  if (random.below(3) == 0) {
    n.router.prediction.kind = pick<std::string>(
        random, {"latest_port", "last_destination", "finite_context", "always_miss", "oracle"});
    n.router.prediction.check = router::PredictionCheck::kill;
  }
  switch (random.below(8)) {
    case 6:
      config.topology.kind = "dragonfly";
      config.routing.kind = pick(random, {"minimal", "valiant", "ugal", "par", "in_transit"});
      n.vcs = 5;
      break;
    case 7:
      config.topology.kind = "hyperx";
      config.topology.of<graph::HyperXConfig>().radices = {3, 3};
      config.routing.kind = pick(random, {"ugal", "dal", "omni_war"});
      n.vcs = 4 + static_cast<unsigned>(random.below(3));
      if (config.routing.kind == "dal" && n.router.switching == Switching::wormhole)
        n.router.atomic_vcs = true;
      break;
    case 0:
      config.topology.kind = "fat_tree";
      if (n.router.prediction.on() && random.below(3) != 0) {
        // As many links up as down: straight on for each input alone, up for several if there are fewer.
        const bool straight = random.below(2) == 0;
        n.router.prediction.kind = straight ? "straight" : "up";
        if (!straight) config.topology.of<graph::FatTreeConfig>().up_links = 2;
      }
      break;
    case 1:
      config.topology.kind = "fly";
      break;
    case 2:
      config.topology.kind = "torus";
      config.topology.of<graph::CubeConfig>().radices = {5, 4, 3};
      n.vcs = 2 + static_cast<unsigned>(random.below(3));
      break;
    case 3:
      config.topology.of<graph::CubeConfig>().radices = {9, 8};
      break;
    default:
      config.topology.of<graph::CubeConfig>().radices = {4, 3};
      if (n.router.prediction.on() && random.below(2) == 0) n.router.prediction.kind = "straight";
      if (random.below(2) == 0) {
        config.routing.kind = "duato";
        n.vcs = 2 + static_cast<unsigned>(random.below(3));
        if (n.router.switching == Switching::wormhole) n.router.atomic_vcs = true;
      }
  }
  if (wide) widen(n, random);
  // Most networks have stages of a cycle, for which routers have a cycle of their own.
  if (random.below(3) == 0) n.rc_cycles = n.router.va_cycles = 1;
  if (wide && random.below(2) == 0) {  // more than 127 virtual channels
    n.vcs = 16;
    n.node_vcs = 0;
    config.topology.of<graph::DragonflyConfig>().nodes_per_router = 4;
    config.topology.of<graph::HyperXConfig>().nodes_per_router = 8;
  }
  draw_times(seed, n);
  draw_recovery(seed, config);
  draw_lookup(seed, config);
  return config;
}

inline bool recovers_from_deadlock(std::uint64_t seed) {
  return network_of(seed).routing.kind == "detour_ud";
}

inline bool looks_up(std::uint64_t seed) {
  return network_of(seed).lookup.in_switch();
}

inline TrafficConfig traffic_of(std::uint64_t seed) {
  TrafficConfig traffic = lengths(0.1 + 0.07 * static_cast<double>(seed % 10), 700);
  if (seed % 5 == 0) traffic.kind = "closed_loop";
  return traffic;
}

/// Some nodes repeat what is not acknowledged in time, most of it too early.
inline traffic::RetryConfig retry_of(std::uint64_t seed) {
  CounterRandom random(seed, 27);
  traffic::RetryConfig retry;
  if (random.below(4) != 0) return retry;
  retry.timeout_cycles = pick<Cycle>(random, {1, 15, 40, 100, 700});
  retry.ack_flits = 1 + static_cast<unsigned>(random.below(2));
  retry.most_tries = pick<unsigned>(random, {1, 2, 3, 8});
  return retry;
}

struct How {
  bool dense = true;
  bool ahead = true;
  unsigned threads = 1;
  bool records = false;  ///< with the parts of each packet's latency
  bool waits = false;    ///< with the states of all input virtual channels
  bool ends = false;     ///< the records end after the first cycles
  bool pauses = true;    ///< outputs pause when their virtual channel changes
};

inline std::string predictions(const VcRig& rig) {
  const VcNetwork& network = rig.loaded->network();
  if (!rig.config.network.router.prediction.on()) return "";
  std::string text;
  const auto add = [&text](const router::PredictionCounters& counters) {
    for (const std::uint64_t visits : counters.visits) text += std::to_string(visits) + " ";
    text += std::to_string(counters.kept_flits) + " " + std::to_string(counters.saved_cycles) + "; ";
  };
  add(network.prediction_counters());
  for (graph::RouterId id = 0; id < network.routers(); ++id) {
    add(network.prediction_counters(id));
    for (unsigned port = 0; port < network.router(id).ports(); ++port)
      add(network.prediction_counters_at({id, port}));
    text += std::to_string(network.router(id).predicting()->predictor_bits()) + " ";
  }
  return text;
}

inline std::string totals(const VcRig& rig) {
  const NetworkAccounts& accounts = rig.loaded->accounts();
  observe::NetworkMetrics metrics;
  accounts.add_counters(metrics);
  std::string text = std::to_string(metrics.packets_sent) + " " + std::to_string(metrics.flit_hops) + " " +
                     std::to_string(metrics.flits_in_flight_at_end) + " " +
                     std::to_string(accounts.flits_ejected_in_window()) + " " +
                     std::to_string(accounts.flits_sent()) + " " +
                     std::to_string(accounts.packets_under_way()) + " " +
                     std::to_string(accounts.packets_not_ended()) + ": ";
  accounts.for_each_link([&](const observe::LinkLoad& load) { text += std::to_string(load.flits) + " "; });
  return text;
}

inline std::string counts(const VcRig& rig) {
  std::string text = totals(rig);
  const router::RouterCounters routers = rig.loaded->network().counters();
  text += "timeouts=" + std::to_string(routers.timeouts) + " far=" + std::to_string(routers.over_hop_limit) +
          " late=" + std::to_string(routers.recoveries) +
          " lost=" + std::to_string(routers.recoveries_by_hops) +
          " reads=" + std::to_string(rig.loaded->network().table_counters().reads) +
          " read waits=" + std::to_string(rig.loaded->network().table_counters().wait_cycles) + " ";
  if (rig.loaded->lookup() != nullptr) {
    const lookup::LookupCounters all = rig.loaded->lookup()->counters();
    text += " looked up=" + std::to_string(all.cache.lookups) + " hits=" + std::to_string(all.cache.hits) +
            " misses=" + std::to_string(all.cache.misses) +
            " memory waits=" + std::to_string(all.cam_wait_sum);
    for (const std::uint64_t count :
         {all.cache.fills, all.cache.evictions, all.cam_accesses, all.cam_wait_most})
      text += " " + std::to_string(count);
  }
  for (graph::RouterId id = 0; id < rig.loaded->network().routers(); ++id) {
    const router::RouterCounters own = rig.loaded->network().counters(id);
    text += std::to_string(own.flits) + " " + std::to_string(own.timeouts) + " ";
  }
  for (const VcNetwork::ChannelUse& use : rig.loaded->network().channel_uses())
    text += std::to_string(use.sent) + "/" + std::to_string(use.place.to_node ? 0 : use.held) + "/" +
            std::to_string(use.vcs * use.depth_flits) + " ";
  return text + "; " + predictions(rig);
}

/// Counters of packets repeated, messages given up and messages lost.
inline std::string repeats(const VcRig& rig) {
  if (rig.loaded->retry() == nullptr) return "";
  observe::Results results("test", "", 1, {});
  rig.loaded->retry()->add_to(results);
  const nlohmann::ordered_json metrics = results.to_json()["metrics"];
  std::string text;
  for (const char* metric : {"packets_repeated", "acks_sent", "duplicates", "given_up", "packets_lost"})
    text += std::string(" ") + metric + "=" + metrics[metric]["value"].dump();
  return text + " of " + std::to_string(rig.loaded->retry()->messages_born()) + ", kept " +
         std::to_string(rig.loaded->retry()->messages_kept()) + "; ";
}

/// State of every input virtual channel between two cycles.
inline std::string states(const VcRig& rig) {
  const VcNetwork& network = rig.loaded->network();
  std::string text;
  for (graph::RouterId id = 0; id < network.routers(); ++id) {
    const router::FlitRouter& router = network.router(id);
    for (unsigned port = 0; port < router.ports(); ++port) {
      for (unsigned vc = 0; vc < router.output(port).vcs; ++vc)
        text += std::to_string(router.room(port, vc)) + " ";
      for (unsigned vc = 0; vc < router.vcs(port); ++vc) {
        const router::VcView view = router.view(port, vc);
        text += std::to_string(static_cast<unsigned>(view.state)) + (view.has_flit ? "f " : " ");
        if (view.state == router::VcState::idle) continue;
        text += packet_name(rig.loaded->pool().at(view.packet).id) + " " + std::to_string(view.blocked_since);
        if (view.state == router::VcState::active)
          text += " " + std::to_string(view.out_port) + "." + std::to_string(view.out_vc);
        if (view.state == router::VcState::waiting)
          for (const routing::RouteCandidate& one : router.candidates(port, vc))
            text += " " + std::to_string(one.port) + ":" + std::to_string(one.vcs);
        text += "; ";
      }
    }
  }
  return text;
}

/// Cycles of each input virtual channel by state.
inline std::string waits(instruments::PortWaits& waits, Cycle now) {
  waits.settle(now);
  std::string text = std::to_string(waits.flits_held());
  for (const std::uint64_t sum : waits.sums()) text += " " + std::to_string(sum);
  waits.for_each([&](const graph::PortRef& port, unsigned vc, const instruments::PortWaits::Cycles& cycles) {
    text += "; " + std::to_string(port.router) + "." + std::to_string(port.port) + "." + std::to_string(vc);
    for (const std::uint64_t state : cycles) text += " " + std::to_string(state);
  });
  return text + "; ";
}

/// Where the texts begin to differ, with what comes before and after; empty: nowhere.
inline std::string first_difference(const std::string& one, const std::string& other) {
  const auto places = std::mismatch(one.begin(), one.end(), other.begin(), other.end());
  if (places.first == one.end() && places.second == other.end()) return "";
  const auto at = static_cast<std::size_t>(places.first - one.begin()),
             from = at - std::min<std::size_t>(at, 160);
  return one.substr(from, 260) + " | " + other.substr(from, 260);
}

/// The last number after `name` in a text of deliveries().
inline std::uint64_t last_count(const std::string& text, const std::string& name) {
  const std::size_t at = text.rfind(name);
  return at == std::string::npos ? 0 : std::stoull(text.substr(at + name.size()));
}

}  // namespace tsuji::network::test::drawn_dense
