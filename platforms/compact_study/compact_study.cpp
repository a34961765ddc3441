// SPDX-License-Identifier: Apache-2.0
#include "platforms/compact_study/compact_study.h"

#include <algorithm>
#include <string>
#include <systemc>

#include "tsuji/core/error.h"
#include "tsuji/graph/random_graphs.h"
#include "tsuji/results/results.h"

namespace tsuji::platform {

CompactStudy::CompactStudy() {
  topology.kind = "random_grid";
  topology.of<graph::RandomGraphConfig>().nodes = 256;
}

void CompactStudy::validate() const {
  topology.validate();
  if (topology.kind != "random_grid" && topology.kind != "random_regular" && seeds != 1)
    throw ConfigError("study.seeds", std::to_string(seeds), "topology.kind " + topology.kind + " has no seed",
                      "1, or topology.kind random_grid");
}

graph::Topology make_study_topology(const CompactStudy& study, unsigned seed) {
  network::TopologyConfig config = study.topology;
  config.of<graph::RandomGraphConfig>().seed = seed;
  graph::Topology topology = network::make_topology(config, 1);
  if (topology.routers() < 2)
    throw ConfigError("topology.kind", config.kind, "has one router, and no paths to others",
                      "a topology of at least 2 routers");
  return topology;
}

StudyGraph::StudyGraph(const CompactStudy& study, unsigned seed)
    : topology(make_study_topology(study, seed)), network(topology, {}), hops(network) {}

unsigned degree_of(const graph::Topology& topology) {
  std::vector<unsigned> links(topology.routers(), 0);
  for (const graph::RouterLink& link : topology.links()) {
    ++links[link.a.router];
    ++links[link.b.router];
  }
  return *std::max_element(links.begin(), links.end());
}

routing::CompactTables tables_with(const StudyGraph& graph, const CompactStudy& study, unsigned entries) {
  routing::CompactConfig config = study.routing;
  config.entries = entries;
  return {graph.topology, graph.network, graph.hops, config};
}

routing::MandatoryEntries needed_entries(const StudyGraph& graph, const CompactStudy& study) {
  // The usual number: full tables would take gigabytes.
  routing::CompactConfig config = study.routing;
  config.entries.reset();
  const routing::CompactTables tables(graph.topology, graph.network, graph.hops, config);
  return tables.mandatory(tables.most_mandatory());
}

void for_each_graph(
    const CompactStudy& study, const RunOptions& options, observe::Results& results,
    const std::function<void(unsigned seed, const std::function<void(double)>& done)>& visit) {
  for (unsigned i = 0; i < study.seeds; ++i) {
    options.check_interruption(results);
    const auto done = [&](double share) { options.progress->update((i + share) / study.seeds); };
    visit(study.first_seed + i, done);
    done(1);
  }
  results.metric("graphs", study.seeds, "");
}

namespace {

void add_keys(config::KeyTable& keys, CompactStudy& s) {
  keys.add_choice("study.kind", s.kind,
                  {{"hops", run_compact_hops},
                   {"proof", run_compact_proof},
                   {"layers", run_compact_layers},
                   {"growth", run_compact_growth}},
                  "quantity to study; hops: hops and table bits for given numbers of entries; proof: freedom "
                  "from livelock and deadlock for all pairs; layers: virtual-channel layers and table bits "
                  "of all schemes; growth: entries needed for a given mean path length");
  keys.add("study.seeds", s.seeds, {1, 1'000'000}, "graphs", "number of random graphs");
  keys.add(
      "study.first_seed", s.first_seed, {0, 1'000'000'000}, "",
      "seed of the first random graph, instead of topology.seed; the next graphs use the following seeds");
  keys.add("study.entries", s.entries, {0, routing::CompactTables::most_routers}, {1, 64}, "entries",
           "hops: largest numbers of table entries of a router, one table row for each; 0: the mandatory "
           "entries only");
  keys.add("study.stretch_percent", s.stretch_percent, {0, 1000}, "%",
           "growth: allowed increase of the mean path length over that of shortest paths (stretch)");
  keys.add("study.margin_percent", s.margin_percent, {0, 50}, "%",
           "growth: tolerance of the search for the least number of entries; a larger one makes the search "
           "shorter");
  keys.add("study.destinations", s.destinations, {0, routing::CompactTables::most_routers}, "routers",
           "growth: number of destinations whose path lengths are measured, drawn at random; 0: all");
  keys.add("study.times", s.times, "proof: whether to report processor times, which differ from run to run");
  keys.only_with("study.entries", {{"study.kind", {"hops"}}});
  keys.only_with("study.stretch_percent", {{"study.kind", {"growth"}}});
  keys.only_with("study.margin_percent", {{"study.kind", {"growth"}}});
  keys.only_with("study.destinations", {{"study.kind", {"growth"}}});
  keys.only_with("study.times", {{"study.kind", {"proof"}}});
  network::add_topology_keys(keys, s.topology);
  s.routing.add_keys(keys);
  keys.only_with("routing.entries", {{"study.kind", {"proof", "layers"}}});
}

/// A study has no key for the routing, so what compact tables refuse is the topology's fault.
void run(const CompactStudy& study, const RunOptions& options, observe::Results& results) {
  try {
    study.kind(study, options, results);
  } catch (const ConfigError& error) {
    if (error.key() != "routing.kind") throw;
    throw ConfigError("topology.kind", study.topology.kind, error.problem(), error.accepted());
  }
}

}  // namespace
}  // namespace tsuji::platform

int sc_main(int argc, char** argv) {
  using namespace tsuji::platform;
  CompactStudy study;
  Platform platform;
  platform.name = "compact_study";
  platform.description = "Questions about compact routing tables: hops, bits, proofs, layers, growth";
  platform.leading_keys = {"study.kind",       "study.seeds",    "study.first_seed", "study.entries",
                           "topology.kind",    "topology.nodes", "topology.degree",  "topology.wire_length",
                           "topology.radices", "routing.entries"};
  platform.add_keys = [&](tsuji::config::KeyTable& keys) { add_keys(keys, study); };
  platform.validate = [&] { study.validate(); };
  platform.run = [&](const RunOptions& options, tsuji::observe::Results& results) {
    run(study, options, results);
  };
  return run_platform(argc, argv, platform);
}
