// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <string>

#include "platforms/compact_study/compact_study.h"
#include "tsuji/results/results.h"

namespace tsuji::platform {
namespace {

observe::ResultTable& proof_table(observe::Results& results) {
  return results.table("proof", {{"seed", ""},
                                 {"entries", "entries"},
                                 {"pairs", "pairs"},
                                 {"average", "hops"},
                                 {"longest", "hops"},
                                 {"stretch", ""},
                                 {"wrong_entries", "entries"},
                                 {"no_nearer_entry", "pairs"},
                                 {"no_fall", "hops"},
                                 {"turns_back", "hops"},
                                 {"not_arriving", "pairs"},
                                 {"layers", "layers"},
                                 {"layers_with_cycles", "layers"}});
}

/// Processor times of a study's steps, added up over its graphs.
struct Times {
  double graph = 0, hops = 0, tables = 0, routes = 0, layers = 0;
  void add_to(observe::Results& results) const {
    results.metric("graph_seconds", graph, "s");
    results.metric("hops_seconds", hops, "s");
    results.metric("tables_seconds", tables, "s");
    results.metric("ways_seconds", routes, "s");
    results.metric("layers_seconds", layers, "s");
  }
};

/// Adds the processor time since the last call.
class StopWatch {
 public:
  void add(double& seconds) {
    const double now = processor_seconds();
    seconds += now - last_;
    last_ = now;
  }

 private:
  double last_ = processor_seconds();
};

}  // namespace

void run_compact_proof(const CompactStudy& study, const RunOptions& options, observe::Results& results) {
  constexpr double share_of_routes = 0.3;
  observe::ResultTable& table = proof_table(results);
  Times times;
  std::uint64_t failures = 0;
  for_each_graph(study, options, results, [&](unsigned seed, const std::function<void(double)>& done) {
    StopWatch watch;
    const graph::Topology topology = make_study_topology(study, seed);
    const graph::LivingNetwork network(topology, {});
    watch.add(times.graph);
    std::optional<graph::AllHops> hops(network);
    watch.add(times.hops);
    std::optional<routing::CompactTables> tables(std::in_place, topology, network, *hops, study.routing);
    watch.add(times.tables);
    routing::CompactCheckConfig check;
    check.progress = [&](double share) {
      done(share_of_routes * share);
      options.check_interruption(results);
    };
    const routing::CompactReport report = routing::check_compact(network, *hops, *tables, check);
    watch.add(times.routes);
    hops.reset();
    const routing::CompactRoutes routes(topology, network, *tables);
    done(share_of_routes);
    const routing::TurnLayers layers(topology, routes.paths(), "compact");
    const unsigned cyclic = routing::layers_with_cycles(topology, layers);
    watch.add(times.layers);
    for (const std::string& text : report.problems)
      options.log->warn("seed " + std::to_string(seed) + ": " + text);
    failures += report.failures() + cyclic;
    table.row({seed, tables->capacity(), report.pairs, report.average(), report.longest, report.stretch,
               report.wrong_entries, report.no_nearer_entry, report.no_fall, report.turns_back,
               report.not_arriving, layers.layers(), cyclic});
  });
  results.metric("failures", failures, "");
  if (study.times) times.add_to(results);
  results.headline("Every pair's route by compact tables, and layers against deadlock");
}

}  // namespace tsuji::platform
