// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <sstream>
#include <string>
#include <utility>

#include "network/reconfiguring_cube.h"
#include "support/catch.h"
#include "support/forked.h"

// The cycles in which links die and routers take new tables, observed from outside.

using namespace tsuji;
using namespace tsuji::network;
using namespace tsuji::network::test;

namespace {

/// Number of heads that hold an output.
unsigned holders(const router::FlitRouter& router, std::uint32_t output) {
  unsigned heads = 0;
  for (unsigned port = 0; port < router.ports(); ++port) {
    for (unsigned vc = 0; vc < router.vcs(port); ++vc) {
      const router::VcView head = router.view(port, vc);
      heads += head.state == router::VcState::active && head.out_port == output ? 1 : 0;
    }
  }
  return heads;
}

}  // namespace

TEST_CASE(
    "a dead link takes no flit and no head holds it, and a router keeps no packet that recovers by older "
    "tables") {
  const std::string text = tsuji::test::forked([] {
    std::ostringstream wrong;
    NetworkConfig config = cube({6, 6}, "link 3@300:1500, link 8@340, link 20@700:1500, router 5@900:1800");
    config.network.router.block_timeout_cycles = 8;
    VcRig rig(config);
    rig.build(load(1, 16, 2500));  // saturated, so that messages recover
    LoadedNetwork& loaded = *rig.loaded;
    std::map<std::uint32_t, std::uint64_t> sent;  // over links that are dead
    std::map<graph::RouterId, std::uint32_t> before;
    unsigned updates = 0;
    while (loaded.now() < 2500) {
      loaded.run_to(loaded.now() + 1);
      for (std::uint32_t link = 0; link < rig.plan.topology.links().size(); ++link) {
        if (loaded.supervisor().living().lives(link)) {
          sent.erase(link);
          continue;
        }
        const std::uint64_t flits = loaded.network().flits_sent(link, true, loaded.now()).value() +
                                    loaded.network().flits_sent(link, false, loaded.now()).value();
        if (sent.emplace(link, flits).first->second != flits)
          wrong << "cycle " << loaded.now() << ": a flit over link " << link << '\n';
        for (const graph::PortRef& end :
             {rig.plan.topology.links()[link].a, rig.plan.topology.links()[link].b})
          if (holders(loaded.network().router(end.router), end.port) != 0)
            wrong << "cycle " << loaded.now() << ": link " << link << " is held\n";
      }
      for (graph::RouterId router = 0; router < rig.plan.topology.routers(); ++router) {
        const std::uint32_t generation = loaded.changes().routing_view(router).generation;
        if (std::exchange(before[router], generation) == generation) continue;
        ++updates;
        loaded.network().visit_packets_at(
            router, loaded.now(), [&](PacketIndex index, const VcNetwork::InputPlace&) {
              const Packet& packet = loaded.pool().at(index);
              if (packet.packet_class == PacketClass::recovery && packet.tables != generation)
                wrong << "cycle " << loaded.now() << ": " << packet_name(packet.id) << " is kept\n";
            });
      }
    }
    if (updates < 90) wrong << updates << " updates";
    const auto fates = loaded.accounts().fates().dropped;
    const std::map<std::string, std::uint64_t> dropped(fates.begin(), fates.end());
    if (dropped.count("in_recovery") == 0) wrong << "nothing was dropped in recovery";
    return wrong.str();
  });
  INFO(text);
  CHECK(text.empty());
}
