// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <vector>

#include "tsuji/session/instrument_table.h"
#include "tsuji/session/instruments/member_places.h"
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
    const bool grouped = run.config.workload.nic == NicKind::cenju4_groups;
    for (const NodeId node : wanted) {
      nodes.node(node).processor().add_wave(*run.wave);
      nodes.node(node).interface().add_wave(*run.wave);
      follow(*run.followed, node, grouped);
    }
  }

 private:
  /// Adds the modules by which a node sends and receives; the node is an end of the network or a member of a
  /// group.
  static void follow(instruments::FollowedPackets& followed, NodeId node, bool grouped) {
    using Followed = instruments::FollowedPackets;
    const std::string name = "node " + std::to_string(node), scope = "node" + std::to_string(node) + ".";
    followed.add(grouped ? member_sends(node) : Followed::sends(node),
                 {name + ", Sender",
                  {scope + "processor.activity", scope + "nic.sender.rhm", scope + "nic.sender.spm"}});
    followed.add(
        grouped ? member_receives(node) : Followed::receives(node),
        {name + ", Receiver",
         {scope + "nic.receiver.state", scope + "nic.receiver.packets_held", scope + "processor.activity"}});
  }
};

}  // namespace

void add_node_waves(InstrumentTable& table) {
  add_instrument<NodeSignals>(table);
}

}  // namespace tsuji::session
