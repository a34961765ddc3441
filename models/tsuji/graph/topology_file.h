// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <istream>
#include <string>

#include "tsuji/config/key_table.h"
#include "tsuji/graph/topology.h"

namespace tsuji::graph {

/// Reads a topology from a text file with one statement per line; rooms/graph.md has the format. Links
/// without a latency get `link_latency_cycles`. ConfigError of topology.file with file:line:column for every
/// error in the text, and for a file that cannot be read.
Topology read_topology_file(const std::string& path, Cycle link_latency_cycles);
/// Reads a topology from a stream; `name` is used as the file name in messages.
Topology read_topology(std::istream& text, const std::string& name, Cycle link_latency_cycles);

/// Parameters of the kind file.
struct TopologyFileConfig {
  std::string file;

  void add_keys(config::KeyTable& keys);
  void validate() const;
  Topology make(Cycle link_latency_cycles) const;
};

}  // namespace tsuji::graph
