// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include "platforms/compact_study/compact_study.h"
#include "tsuji/core/error.h"
#include "tsuji/core/random.h"
#include "tsuji/results/results.h"

namespace tsuji::platform {
namespace {

/// Mean path lengths of a graph for numbers of entries.
class Growth {
 public:
  Growth(const CompactStudy& study, unsigned seed, const RunOptions& options, observe::Results& results)
      : study_(study), graph_(study, seed), options_(options), results_(results) {
    const unsigned routers = graph_.topology.routers();
    if (study.destinations == 0 || study.destinations >= routers) return;
    CounterRandom random(options.seed, seed);
    for (unsigned i = 0; i < study.destinations; ++i)
      check_.destinations.push_back(static_cast<routing::RouterId>(random.below(routers)));
  }

  struct Found {
    unsigned needed = 0, too_few = 0, entries = 0;
    double average = 0, shortest_average = 0;
    unsigned entry_bits = 0;
  };
  /// The fewest entries with routes that are short enough, up to the study's margin.
  Found find() {
    Found found;
    found.needed = needed_entries(graph_, study_).all();
    unsigned low = found.needed,
             high = low;  // routes are short enough with high entries; not with fewer than low
    while (!short_enough(high, found)) {
      low = high + 1;
      high = std::min(2 * high, graph_.topology.routers());  // all shortest paths have room
    }
    found.entries = high;
    while ((high - low) * 100ULL > std::uint64_t{study_.margin_percent} * high) {
      const unsigned middle = low + (high - low) / 2;
      if (short_enough(middle, found)) {
        found.entries = high = middle;
      } else {
        low = middle + 1;
      }
    }
    found.too_few = low - 1;
    return found;
  }
  const graph::Topology& topology() const { return graph_.topology; }

 private:
  bool short_enough(unsigned entries, Found& found) {
    options_.check_interruption(results_);
    const routing::CompactTables tables = tables_with(graph_, study_, entries);
    found.entry_bits = routing::TableBitsOf(tables.space(), degree_of(graph_.topology)).compact_entry();
    const routing::CompactReport report = routing::check_compact(graph_.network, graph_.hops, tables, check_);
    if (report.failures() != 0) throw ModelError("compact", report.problems[0]);
    if (report.average() > report.shortest_average() * (1 + study_.stretch_percent / 100.0)) return false;
    found.average = report.average();
    found.shortest_average = report.shortest_average();
    return true;
  }

  const CompactStudy& study_;
  const StudyGraph graph_;
  const RunOptions& options_;
  observe::Results& results_;
  routing::CompactCheckConfig check_;
};

}  // namespace

void run_compact_growth(const CompactStudy& study, const RunOptions& options, observe::Results& results) {
  observe::ResultTable& table = results.table("growth", {{"seed", ""},
                                                         {"routers", ""},
                                                         {"needed", "entries"},
                                                         {"too_few", "entries"},
                                                         {"entries", "entries"},
                                                         {"share", ""},
                                                         {"average", "hops"},
                                                         {"shortest_average", "hops"},
                                                         {"table_bits", "bits"},
                                                         {"full_table_bits", "bits"}});
  for_each_graph(study, options, results, [&](unsigned seed, const std::function<void(double)>&) {
    Growth growth(study, seed, options, results);
    const Growth::Found found = growth.find();
    const unsigned routers = growth.topology().routers();
    const unsigned port_bits = routing::bits_below(degree_of(growth.topology()));
    table.row({seed, routers, found.needed, found.too_few, found.entries,
               static_cast<double>(found.entries) / routers, found.average, found.shortest_average,
               std::uint64_t{found.entries} * found.entry_bits, std::uint64_t{routers} * port_bits});
  });
  results.headline("Entries of compact tables for routes at most " + std::to_string(study.stretch_percent) +
                   " % longer than shortest paths");
}

}  // namespace tsuji::platform
