// SPDX-License-Identifier: Apache-2.0
#include "platforms/lookup_study/lookup_study.h"

#include <string>
#include <systemc>
#include <vector>

#include "tsuji/core/error.h"
#include "tsuji/core/run_time.h"
#include "tsuji/results/results.h"

namespace tsuji::platform {

namespace {

/// Which key is read with which kind.
void add_uses(config::KeyTable& keys) {
  const auto only_with = [&keys](const char* kind, const std::vector<const char*>& names) {
    for (const char* name : names) keys.only_with(std::string("study.") + name, {{"study.kind", {kind}}});
  };
  only_with("conflicts", {"seeds", "inserted", "ways"});
  only_with("throughput", {"ports", "lookups", "outstanding", "miss_every", "misses"});
  only_with("zero_load", {"pairs"});
  only_with("power", {"load_percent", "packet_flits", "packets", "flush_every"});
}

}  // namespace

void add_lookup_study_keys(config::KeyTable& keys, LookupStudy& s) {
  keys.add_choice(
      "study.kind", s.kind,
      {{"conflicts", run_lookup_conflicts},
       {"destinations", run_lookup_destinations},
       {"throughput", run_lookup_throughput},
       {"zero_load", run_lookup_zero_load},
       {"power", run_lookup_power}},
      "quantity to study; conflicts: entries that random keys evict; destinations: number of destinations "
      "that use an input port; throughput: look-ups per second of a switch; zero_load: latency of single "
      "packets on a torus; power: power of a loaded switch's look-ups");
  constexpr unsigned many = 1'000'000'000;
  keys.add("study.seeds", s.seeds, {1, many}, "",
           "conflicts: number of caches, each with a different set of random keys");
  keys.add("study.inserted", s.inserted, {1, 1'000'000}, {1, 64}, "keys",
           "conflicts: numbers of inserted keys, one series for each");
  keys.add("study.ways", s.ways, {1, 65535}, {1, 64}, "entries",
           "conflicts: associativities of the cache, instead of lookup.ways");
  keys.add("study.ports", s.ports, {1, 256}, "ports", "throughput: number of ports that request look-ups");
  keys.add("study.lookups", s.lookups, {1, many}, "look-ups", "throughput: number of look-ups of each port");
  keys.add("study.outstanding", s.outstanding, {1, 65535}, "look-ups",
           "throughput: largest number of outstanding look-ups of a port");
  keys.add("study.miss_every", s.miss_every, {0, many}, "look-ups",
           "throughput: look-ups per miss, the inverse of the miss rate; 0: no misses");
  keys.add_choice("study.misses", s.misses,
                  {{"regular", MissPattern::regular}, {"random", MissPattern::random}},
                  "throughput: misses at regular intervals, or at random");
  keys.add("study.pairs", s.pairs, {1, 1'000'000}, "pairs",
           "zero_load: number of node pairs at the largest distance");
  keys.add("study.load_percent", s.load_percent, {0, 100}, "%",
           "power: offered load as a percentage of the link bandwidth");
  keys.add("study.packet_flits", s.packet_flits, {1, 65535}, "flits", "power: packet length");
  keys.add("study.packets", s.packets, {1, many}, "packets",
           "power: number of packets of each port; at zero load, the run is as long as with this number of "
           "packets at full load");
  keys.add("study.flush_every", s.flush_every, {0, many}, "packets",
           "power: packets of each port between two flushes of all caches; 0: no flushes");
  add_uses(keys);
  network::add_network_keys(keys, s.network);
}

StudyPlan::StudyPlan(const network::NetworkConfig& network) : NetworkPlan(network) {
  if (routing->decisions() != nullptr)
    throw ConfigError("routing.kind", network.routing.kind,
                      "it decides separately for each packet, and studies follow one route for each pair",
                      "a routing without decisions");
}

void require_in_run(const char* key, unsigned things, const char* unit, Cycle apart, ClockPeriod period,
                    Cycle before) {
  const Cycle most = (last_run_cycle(period) - before) / apart;
  if (things <= most) return;
  throw ConfigError(
      key, std::to_string(things),
      "later than a run may last with clock_period_ps " + std::to_string(period.ps()),
      "at most " + std::to_string(most) + " " + unit + ", " + std::to_string(apart) + " cycles apart");
}

}  // namespace tsuji::platform

int sc_main(int argc, char** argv) {
  using namespace tsuji::platform;
  LookupStudy study;
  Platform platform;
  platform.name = "lookup_study";
  platform.description =
      "Questions about route look-ups, routing-table caches and content-addressable memories";
  platform.leading_keys = {"study.kind",        "topology.kind",  "topology.radices", "routing.kind",
                           "lookup.kind",       "lookup.entries", "lookup.ways",      "lookup.cache_cycles",
                           "lookup.cam_cycles", "router.vcs"};
  platform.add_keys = [&](tsuji::config::KeyTable& keys) { add_lookup_study_keys(keys, study); };
  platform.resolve = [&] { study.network.resolve(); };
  platform.validate = [&] { study.network.validate(); };
  platform.run = [&](const RunOptions& options, tsuji::observe::Results& results) {
    study.kind(study, options, results);
  };
  return run_platform(argc, argv, platform);
}
