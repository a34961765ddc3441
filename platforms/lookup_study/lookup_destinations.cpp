// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <vector>

#include "platforms/lookup_study/lookup_study.h"
#include "platforms/lookup_study/lookup_walk.h"
#include "tsuji/graph/cube.h"
#include "tsuji/results/results.h"
#include "tsuji/routing/routing.h"

namespace tsuji::platform {
namespace {

using Far = graph::Topology::Far;

/// Which destinations were seen at each input port of each router.
class Seen {
 public:
  explicit Seen(const graph::Topology& topology) : topology_(topology), first_port_{0} {
    for (graph::RouterId router = 0; router < topology.routers(); ++router)
      first_port_.push_back(first_port_.back() + topology.ports(router));
    bits_.resize(first_port_.back() * std::size_t{topology.nodes()});
  }
  void mark(const graph::PortRef& in, NodeId destination) { bits_[place(in) + destination] = true; }
  unsigned count(const graph::PortRef& in) const {
    unsigned sum = 0;
    for (NodeId node = 0; node < topology_.nodes(); ++node) sum += bits_[place(in) + node] ? 1U : 0U;
    return sum;
  }

 private:
  std::size_t place(const graph::PortRef& in) const {
    return (first_port_[in.router] + in.port) * topology_.nodes();
  }
  const graph::Topology& topology_;
  std::vector<std::size_t> first_port_;
  std::vector<bool> bits_;
};

/// Origin of the packets of a port: the dimension and direction in a cube, or the router or node at the far
/// end.
std::string port_name(const graph::Topology& topology, const graph::PortRef& in) {
  const Far& far = topology.far(in.router, in.port);
  if (far.kind == Far::Kind::node) return "injection";
  if (topology.shape_as<graph::CubeShape>() == nullptr) return "router " + std::to_string(far.at.router);
  // Packets from the lower neighbour move up.
  return "dimension " + std::to_string(in.port / 2) + (in.port % 2 == 0 ? " down" : " up");
}

}  // namespace

void run_lookup_destinations(const LookupStudy& study, const RunOptions& options, observe::Results& results) {
  const StudyPlan plan(study.network);
  const graph::Topology& topology = plan.topology;
  Seen seen(topology);
  for (NodeId source = 0; source < topology.nodes(); ++source) {
    options.check_interruption(results);
    for (NodeId destination = 0; destination < topology.nodes(); ++destination)
      if (source != destination)
        walk(topology, *plan.routing, source, destination,
             [&](const graph::PortRef& in) { seen.mark(in, destination); });
  }
  observe::ResultTable& table =
      results.table("ports", {{"router", ""}, {"port", ""}, {"from", ""}, {"destinations", "nodes"}});
  unsigned most = 0;
  for (graph::RouterId router = 0; router < topology.routers(); ++router)
    for (unsigned port = 0; port < topology.ports(router); ++port) {
      if (!topology.far(router, port).receives) continue;
      const unsigned count = seen.count({router, port});
      most = std::max(most, count);
      table.row({router, port, port_name(topology, {router, port}), count});
    }
  results.metric("destinations_most", most, "nodes");
  results.headline(topology.name() + ": destinations of the packets that pass an input port");
}

}  // namespace tsuji::platform
