// SPDX-License-Identifier: Apache-2.0
// The queues of all outputs between two cycles, which UGAL-G reads.
#include "tsuji/network/queue_snapshot.h"
#include "network/vc_rig.h"
#include "support/catch.h"
#include "support/forked.h"

using namespace tsuji;
using namespace tsuji::network;
using namespace tsuji::network::test;

TEST_CASE("a snapshot has the queue of each output of each router, the last one's too") {
  NetworkConfig config;
  config.topology.kind = "mesh";
  config.topology.of<graph::CubeConfig>().radices = {3, 2};
  config.topology.of<graph::CubeConfig>().nodes_per_router = 2;
  config.routing.kind = "ugal_g";
  config.network.vcs = 2;
  config.network.buffer_flits = 4;
  // A third of the packets fill the outputs of router 5 to its nodes, the others go to the second nodes of
  // all.
  std::vector<VcRig::Send> sends;
  for (NodeId from = 0; from < 10; ++from)
    for (unsigned serial = 0; serial < 12; ++serial)
      sends.push_back({from, serial % 3 == 0 ? 10 + serial % 2 : (2 * (serial + from) + 1) % 12, 1, 4});
  VcRig rig(config);
  rig.build(sends);
  QueueSnapshot snapshot(rig.plan.topology);
  const graph::Topology& topology = rig.plan.topology;
  std::vector<unsigned> at_last_port(topology.routers());
  for (Cycle now = 20; now < 120; now += 10) {
    rig.loaded->run_to(now);
    snapshot.take(rig.loaded->network(), now);
    for (graph::RouterId router = 0; router < topology.routers(); ++router)
      for (unsigned port = 0; port < topology.ports(router); ++port) {
        const unsigned queue = rig.loaded->network().router(router).queue(port, now);
        CAPTURE(now, router, port);
        CHECK(snapshot.queue(router, port) == queue);
        if (port + 1 == topology.ports(router)) at_last_port[router] = std::max(at_last_port[router], queue);
      }
  }
  for (const unsigned flits : at_last_port) CHECK(flits > 0);
}
