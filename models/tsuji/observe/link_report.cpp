// SPDX-License-Identifier: Apache-2.0
#include "tsuji/observe/link_report.h"

#include <tuple>
#include <vector>

#include "tsuji/observe/busiest_rows.h"

namespace tsuji::observe {
namespace {

constexpr std::size_t rows_on_terminal = 10;

/// The order of the table.
bool is_before(const LinkLoad& a, const LinkLoad& b) {
  return std::tie(b.flits, a.link, a.from.router, a.from.port) <
         std::tie(a.flits, b.link, b.from.router, b.from.port);
}

std::string place_text(const graph::PortRef& port) {
  return std::to_string(port.router) + ":" + std::to_string(port.port);
}

/// "3 4", the router's place in its topology's own axes; empty where it has none.
std::string coordinates_text(const graph::Topology& topology, graph::RouterId router) {
  std::string text;
  for (const unsigned axis : topology.coordinates(router))
    text += (text.empty() ? "" : " ") + std::to_string(axis);
  return text;
}

std::vector<Value> row_of(const LinkLoad& link, const graph::Topology& topology, Cycle cycles) {
  const double use = cycles == 0 ? 0 : static_cast<double>(link.flits) / static_cast<double>(cycles);
  return {place_text(link.from),
          place_text(link.to),
          link.flits,
          cycles == 0 ? Value(nullptr) : Value(use),
          link.link,
          coordinates_text(topology, link.from.router),
          coordinates_text(topology, link.to.router)};
}

}  // namespace

void add_link_report(const LinkReportConfig& config, const graph::Topology& topology, Cycle cycles,
                     const ForEachLink& for_each, const std::string& csv_path, Results& results) {
  BusiestRows<LinkLoad> busiest(config.rows, is_before);
  for_each([&](const LinkLoad& link) { busiest.add(link); });
  ResultTable& table = results.table("links", {{"from", ""},
                                               {"to", ""},
                                               {"flits", "flits"},
                                               {"utilization", "flits/cycle"},
                                               {"link", ""},
                                               {"from_at", ""},
                                               {"to_at", ""}});
  for (const LinkLoad& link : busiest.sorted()) table.row(row_of(link, topology, cycles));
  results.show_rows("links", rows_on_terminal, "busiest links");
  if (!config.csv) return;
  if (topology.links().empty()) results.warn("links.csv is empty: the topology has no link between routers");
  results.file(csv_path.substr(csv_path.rfind('/') + 1), "a line for every direction of a link");
  RowFile file(csv_path, "from,to,flits,utilization,link,from_at,to_at");
  for_each([&](const LinkLoad& link) { file.add(row_of(link, topology, cycles)); });
  file.close();
}

}  // namespace tsuji::observe
