// SPDX-License-Identifier: Apache-2.0
#include "tsuji/machines/cenju4/vc_machine.h"

#include <string>
#include <vector>

#include "machines/machines.h"
#include "network/vc_rig.h"
#include "support/catch.h"
#include "support/forked.h"
#include "tsuji/host/library/dma_program.h"
#include "tsuji/link/packet_link.h"
#include "tsuji/network/config/network_plan.h"
#include "tsuji/platform/cenju4_job.h"

// Nodes of Cenju-4 on a network of virtual channels.

using namespace tsuji;
using namespace tsuji::network;
using namespace tsuji::machines;
using namespace tsuji::network::test;
using tsuji::test::forked;

namespace {

/// Records the cycles in which heads are sent on a channel.
struct HeadLog final : PacketLinkProbe {
  bool on_send(Cycle now, PacketTransfer&) override {
    heads.push_back(now);
    return true;
  }
  void on_room(unsigned, Cycle) override {}
  std::vector<Cycle> heads;
};

/// Nodes on a mesh of 2x2 routers.
struct OnMesh {
  OnMesh() {
    nodes.library.barrier = host::BarrierMethod::tree;
    nodes.library.broadcast = host::BroadcastMethod::tree;
    nodes = VcMachine::complete_config(nodes, network, plan.topology);
  }
  VcMachine::Parts parts() { return {network, plan.topology, *plan.routing, nodes, bridge}; }

  const NetworkConfig network = [] {
    NetworkConfig config = torus(2);
    config.topology.kind = "mesh";
    config.resolve();
    return config;
  }();
  const NetworkPlan plan{network};
  Cenju4Config nodes;
  const traffic::LinkBridgeConfig bridge;
};

/// Runs a transfer from node 0 to node 1. Returns "CYCLES MANY": the time of the first packet from its head
/// on the interface's channel to its head in the network, and 1 if there were more than 4 packets;
/// "exception: ..." on failure.
std::string first_packet() {
  OnMesh mesh;
  std::vector<observe::DeliveredPacket> delivered;
  VcMachine::Parts parts = mesh.parts();
  parts.on_delivered = [&](const observe::DeliveredPacket& packet) {
    if (packet.source == 0) delivered.push_back(packet);
  };
  VcMachine machine(parts);
  HeadLog log;
  auto* const channel = dynamic_cast<PacketLink*>(sc_core::sc_find_object("from_node0"));
  if (channel == nullptr) return "no channel";
  channel->set_probe(&log);
  platform::Cenju4Job job(machine);
  job.load([](host::RankRuntime& runtime) {
    return std::make_unique<host::DmaProgram>(runtime, host::DmaProgram::Config{0, 1, 1024});
  });
  job.run([](Cycle) {});
  if (delivered.size() != log.heads.size() || delivered.empty()) return "packets are missing";
  const Cycle on_wires = delivered.front().injected + 1;  // Packet::injected of flit networks
  return std::to_string(on_wires - log.heads.front()) + " " + std::to_string(delivered.size() > 4);
}

}  // namespace

TEST_CASE(
    "a head takes one cycle on the interface's channel, and is on the network's wires one cycle later") {
  CHECK(forked(first_packet) == "2 1");
}

TEST_CASE("run_for: packets on virtual channels are accounted for whenever a run stops") {
  const std::string busy = forked([] {
    OnMesh mesh;
    VcMachine machine(mesh.parts());
    platform::Cenju4Job job(machine);
    return std::to_string(tsuji::test::run_in_slices(machine, job, [](host::RankRuntime& rank) {
      for (unsigned round = 0; round < 400; ++round) rank.collectives.barrier();
    }));
  });
  CAPTURE(busy);
  CHECK(std::stoul(busy) > 30);
}

TEST_CASE("run_for: the bound on packets of virtual channels is exact where senders have nothing to send") {
  const std::string text = forked([] {
    OnMesh mesh;
    VcMachine machine(mesh.parts());
    tsuji::test::LosesOne loses(9);
    tsuji::test::lose_one_on("to_node3", loses);
    platform::Cenju4Job job(machine);
    job.load([](host::RankRuntime& runtime) {
      return std::make_unique<tsuji::test::Script>(runtime, [](host::RankRuntime& rank) {
        for (unsigned round = 0; round < 40; ++round) rank.collectives.barrier();
      });
    });
    return tsuji::test::failure_in_slices(machine, 3000);
  });
  CHECK_THAT(text, Catch::Contains("are under way"));
}
