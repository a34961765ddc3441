// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "platforms/compact_study/compact_study.h"
#include "tsuji/results/results.h"

namespace tsuji::platform {
namespace {

observe::ResultTable& hops_table(observe::Results& results) {
  return results.table("hops", {{"seed", ""},
                                {"entries", "entries"},
                                {"needed", "entries"},
                                {"beside", "entries"},
                                {"completion", "entries"},
                                {"fits", ""},
                                {"average", "hops"},
                                {"shortest_average", "hops"},
                                {"longest", "hops"},
                                {"longest_shortest", "hops"},
                                {"stretch", ""},
                                {"stored", "entries"},
                                {"livelocks", ""},
                                {"entry_bits", "bits"},
                                {"table_bits", "bits"},
                                {"full_table_bits", "bits"}});
}

}  // namespace

void run_compact_hops(const CompactStudy& study, const RunOptions& options, observe::Results& results) {
  observe::ResultTable& table = hops_table(results);
  unsigned refused = 0;
  std::uint64_t livelocks = 0;
  for_each_graph(study, options, results, [&](unsigned seed, const std::function<void(double)>& done) {
    const StudyGraph graph(study, seed);
    const routing::MandatoryEntries needed = needed_entries(graph, study);
    for (std::size_t k = 0; k < study.entries.size(); ++k) {
      const unsigned entries = study.entries[k] == 0 ? needed.all() : study.entries[k];
      const bool fits = entries >= needed.all();
      std::vector<observe::Value> row{seed,          entries,           needed.all(),
                                      needed.beside, needed.completion, fits ? 1 : 0};
      if (!fits) {
        ++refused;
        row.resize(16, nullptr);
        table.row(std::move(row));
        continue;
      }
      const routing::CompactTables tables = tables_with(graph, study, entries);
      const routing::CompactReport report = routing::check_compact(graph.network, graph.hops, tables);
      const routing::TableBitsOf bits(tables.space(), degree_of(graph.topology));
      livelocks += report.failures();
      for (observe::Value& cell : std::vector<observe::Value>{
               report.average(), report.shortest_average(), report.longest, report.longest_shortest,
               report.stretch, tables.all_entries(), report.failures(), bits.compact_entry(),
               std::uint64_t{entries} * bits.compact_entry(), bits.full().table})
        row.push_back(std::move(cell));
      table.row(std::move(row));
      done(static_cast<double>(k + 1) / static_cast<double>(study.entries.size()));
    }
  });
  results.metric("refused", refused, "graphs");
  results.metric("livelocks", livelocks, "");
  results.headline("Hops by compact tables, " + std::to_string(study.seeds) + " graphs");
}

}  // namespace tsuji::platform
