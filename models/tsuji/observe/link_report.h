// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "tsuji/graph/topology.h"
#include "tsuji/results/results.h"

namespace tsuji::observe {

/// Load of one direction of a link between routers.
struct LinkLoad {
  std::uint32_t link = 0;   ///< index into Topology::links()
  graph::PortRef from,      ///< sending port
      to;                   ///< receiving port
  std::uint64_t flits = 0;  ///< flits sent in the run
};

/// Parameters of the link report.
struct LinkReportConfig {
  std::uint64_t rows = 256;  ///< number of rows of the table in result.json
  bool csv = false;          ///< write all directions to a CSV file
};

/// Visitor of links: calls its argument for each direction of each link, in the order of the links.
using ForEachLink = std::function<void(const std::function<void(const LinkLoad&)>&)>;

/// Adds the table `links`, with the busiest directions first; directions with equal flits are ordered by link
/// and sending router. The terminal shows the ten busiest. `cycles` is the length of the run, from which the
/// utilization follows. With `config.csv`, `csv_path` receives all directions in the order of the links.
/// Memory is proportional to the rows of the table, not to the links.
void add_link_report(const LinkReportConfig& config, const graph::Topology& topology, Cycle cycles,
                     const ForEachLink& for_each, const std::string& csv_path, Results& results);

}  // namespace tsuji::observe
