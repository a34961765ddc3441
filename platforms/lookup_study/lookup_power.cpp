// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "platforms/lookup_study/lookup_study.h"
#include "platforms/lookup_study/switch_routing.h"
#include "tsuji/core/error.h"
#include "tsuji/core/run_time.h"
#include "tsuji/network/config/traffic_config.h"
#include "tsuji/network/loaded_network.h"
#include "tsuji/platform/network_slices.h"
#include "tsuji/results/results.h"

namespace tsuji::platform {
namespace {

constexpr unsigned switch_ports = 7;  // a torus of three dimensions and the switch's own node

/// One switch with a node at each port.
graph::Topology one_switch() {
  std::vector<graph::NodePorts> nodes;
  for (unsigned port = 0; port < switch_ports; ++port) nodes.push_back({{0, port}, {0, port}});
  return {"one switch of seven ports", {switch_ports}, {}, std::move(nodes), graph::Shape{}};
}

/// Packets at even intervals from one port to the next, so that no output is wanted twice.
class EvenStream final : public traffic::EmissionSource {
 public:
  EvenStream(NodeId node, std::uint64_t packets, unsigned flits, Cycle interval)
      : destination_((node + 1) % switch_ports), left_(packets), flits_(flits), interval_(interval) {}
  bool next(traffic::Emission& emission) override {
    if (left_ == 0) return false;
    --left_;
    emission.created = at_;
    emission.destination = destination_;
    emission.flits = static_cast<std::uint16_t>(flits_);
    at_ += interval_;
    return true;
  }

 private:
  const NodeId destination_;
  std::uint64_t left_;
  const unsigned flits_;
  const Cycle interval_;
  Cycle at_ = 0;
};

/// Runs to `end`, and empties the caches in the middle of intervals, if that is asked for.
void run_with_flushes(network::LoadedNetwork& loaded, NetworkSlices& slices, Cycle every, Cycle end) {
  if (every != 0)
    for (Cycle at = every / 2; at < end; at += every) {
      slices.run_to(at);
      loaded.lookup()->flush_all(at - 1);
    }
  slices.run_to(end);
}

void add_power(const LookupStudy& study, const lookup::LookupCounters& counters, bool has_caches,
               double seconds, observe::Results& results) {
  const lookup::LookupEnergy& energy = study.network.lookup.energy;
  const auto lookups = static_cast<double>(counters.cache.lookups);
  const double caches = has_caches ? switch_ports : 0;
  // nJ each, over seconds, are nW; in mW.
  const double cache_mw = has_caches ? lookups * energy.cache_nj * 1e-6 / seconds : 0.0;
  const double cam_mw = static_cast<double>(counters.cam_accesses) * energy.cam_nj * 1e-6 / seconds;
  const double cache_static = caches * energy.cache_static_mw;
  results.metric("lookups", counters.cache.lookups, "look-ups");
  results.metric("cam_accesses", counters.cam_accesses, "accesses");
  results.metric("lookups_per_second", lookups / seconds, "1/s");
  results.metric("miss_ratio",
                 lookups > 0 ? observe::Value(static_cast<double>(counters.cam_accesses) / lookups)
                             : observe::Value(nullptr),
                 "");
  results.metric("cache_dynamic_mw", cache_mw, "mW");
  results.metric("cache_static_mw", cache_static, "mW");
  results.metric("cam_dynamic_mw", cam_mw, "mW");
  results.metric("cam_static_mw", energy.cam_static_mw, "mW");
  results.metric("power_mw", cache_mw + cache_static + cam_mw + energy.cam_static_mw, "mW");
}

}  // namespace

void run_lookup_power(const LookupStudy& study, const RunOptions& options, observe::Results& results) {
  const graph::Topology topology = one_switch();
  const SwitchRouting routing(switch_ports, study.network.network.vcs);
  study.network.network.validate_with(topology, routing);
  study.network.lookup.validate_with(topology, routing, "to the port");
  if (!study.network.lookup.in_switch())
    throw ConfigError("lookup.kind", "local", "its energy is not known", "cam, cached or ideal");
  network::require_room(study.network, study.packet_flits);
  const unsigned load = study.load_percent;
  const std::uint64_t packets = load == 0 ? 0 : study.packets;
  const Cycle interval = load == 0 ? study.packet_flits : Cycle{study.packet_flits} * 100 / load;
  const ClockPeriod period(study.network.clock_period_ps);
  const Cycle duration = study.packets * interval;
  require_in_run("study.packets", study.packets, "packets", interval, period);
  network::LoadedNetwork::Parts parts{study.network, topology, routing};
  parts.seed = options.seed;
  parts.make_source = [&](NodeId node) {
    return std::make_unique<EvenStream>(node, packets, study.packet_flits, interval);
  };
  network::LoadedNetwork loaded(parts);
  NetworkSlices slices(loaded, options, results);
  run_with_flushes(loaded, slices, study.flush_every * interval, duration);
  slices.run_to(2 * last_run_cycle(
                        period));  // energy of look-ups in flight at the end of the period is already counted
  loaded.check_conservation();
  add_power(study, loaded.lookup()->counters(), study.network.lookup.has_caches(), period.ns(duration) * 1e-9,
            results);
  results.metric("packets_delivered", loaded.accounts().packets_delivered(), "packets");
  results.headline("Look-ups of one switch of seven ports at " + std::to_string(load) + " % load");
}

}  // namespace tsuji::platform
