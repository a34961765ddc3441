// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "tsuji/graph/topology.h"
#include "tsuji/results/results.h"

namespace tsuji::observe {

/// One direction of a link between routers.
struct LinkLoad {
  std::uint32_t link = 0;  ///< as the topology numbers it
  graph::PortRef from, to;
  std::uint64_t flits = 0;
};

struct LinkReportConfig {
  std::uint64_t rows = 256;  ///< of the table in result.json
  bool csv = false;          ///< all of them in a file
};

/// Calls its argument for every direction of every link, link by link.
using ForEachLink = std::function<void(const std::function<void(const LinkLoad&)>&)>;

/// Adds the table `links`, the busiest directions first, those of equal flits by link and sending router; the
/// ten busiest come to the terminal. `cycles`: of the run, for the share of them in which a link carried a
/// flit. With `csv`, `csv_path` gets all directions, in the order of the links. Memory is that of the table's
/// rows, however many links there are.
void add_link_report(const LinkReportConfig& config, const graph::Topology& topology, Cycle cycles,
                     const ForEachLink& for_each, const std::string& csv_path, Results& results);

}  // namespace tsuji::observe
