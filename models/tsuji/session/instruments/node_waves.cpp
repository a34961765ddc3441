// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "tsuji/session/instrument_table.h"
#include "tsuji/session/network_run.h"

namespace tsuji::session {
namespace {

/// Processors and network interfaces of Cenju-4 nodes.
class NodeSignals final : public Instrument {
 public:
  static bool watches(const WatchedRun& run) { return run.wave != nullptr && run.cenju4_nodes != nullptr; }
  explicit NodeSignals(const WatchedRun& run) {
    machines::Cenju4Nodes& nodes = *run.cenju4_nodes;
    const std::vector<unsigned>& chosen = run.config.watch.nodes;
    std::vector<NodeId> wanted(chosen.begin(), chosen.end());
    for (NodeId node = 0; node < nodes.nodes() && chosen.empty(); ++node) wanted.push_back(node);
    std::sort(wanted.begin(), wanted.end());
    wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
    for (const NodeId node : wanted) {
      nodes.node(node).processor().add_wave(*run.wave);
      nodes.node(node).interface().add_wave(*run.wave);
    }
  }
};

}  // namespace

void add_node_waves(InstrumentTable& table) {
  add_instrument<NodeSignals>(table);
}

}  // namespace tsuji::session
