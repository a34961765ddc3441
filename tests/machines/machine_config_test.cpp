// SPDX-License-Identifier: Apache-2.0
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "network/vc_rig.h"
#include "support/catch.h"
#include "support/forked.h"
#include "support/refusals.h"
#include "support/text_file.h"
#include "support/thrown.h"
#include "tsuji/graph/multistage.h"
#include "tsuji/graph/topology_file.h"
#include "tsuji/machines/cenju4/cenju4_config.h"
#include "tsuji/machines/cenju4/cenju4_machine.h"
#include "tsuji/machines/cenju4/first_hop_of.h"
#include "tsuji/machines/cenju4/vc_machine.h"

// Requirements that a machine's configuration has on each of its parts.

using namespace tsuji;
using namespace tsuji::network;
using namespace tsuji::machines;
using namespace tsuji::network::test;

namespace {

using Change = std::function<void(Cenju4Config&)>;

std::string refused(const Change& change) {
  Cenju4Config config;
  change(config);
  config.resolve();
  return tsuji::test::refused_key(config);
}

std::string refused(const NetworkConfig& network, const Cenju4Config& nodes) {
  struct Both {
    const NetworkConfig& network;
    const Cenju4Config& nodes;
    void validate() const { VcMachine::validate(network, nodes); }
  };
  return tsuji::test::refused_key(Both{network, nodes});
}

/// Nodes that need only single-cast packets of their network.
Cenju4Config plain_nodes() {
  Cenju4Config nodes;
  nodes.library.barrier = host::BarrierMethod::tree;
  nodes.library.broadcast = host::BroadcastMethod::tree;
  return nodes;
}

}  // namespace

TEST_CASE("a Cenju-4 machine is refused by the part with the error, under its key") {
  CHECK(refused([](Cenju4Config&) {}).empty());
  const std::vector<std::pair<Change, std::string>> wrong = {
      {[](Cenju4Config& c) { c.clock_period_ps = 99; }, "clock_period_ps"},
      {[](Cenju4Config& c) { c.clock_period_ps = 1'000'001; }, "clock_period_ps"},
      {[](Cenju4Config& c) { c.network.topology.nodes = 1; }, "network.nodes"},
      {[](Cenju4Config& c) { c.network.crosspoint.fifo_packets = 5; }, "switch.fifo_packets"},
      {[](Cenju4Config& c) { c.nic.sizes.header_flits = 5; }, "sizes.header_flits"},
      {[](Cenju4Config& c) { c.nic.sender.tlb_entries = 0; }, "sender.tlb_entries"},
      {[](Cenju4Config& c) { c.memory.bytes = 1; }, "memory.bytes"},
      {[](Cenju4Config& c) { c.memory_controller.memory_word_ns = 0; }, "memory.word_ns"},
      {[](Cenju4Config& c) { c.library.credits = 0; }, "library.credits"},
      {[](Cenju4Config& c) { c.software.poll_loop_ns = 0; }, "software.poll_loop_ns"},
      {[](Cenju4Config& c) { c.processor.cache.ways = 0; }, "cache.ways"},
      {[](Cenju4Config& c) { c.os.log_buffer_bytes = 1; }, "os.log_buffer_bytes"},
      {[](Cenju4Config& c) { c.os.sender_set = nic::sender_sets; }, "os.sender_set"},
      {[](Cenju4Config& c) { c.library.heap_bytes = host::OsTask::max_heap_bytes; }, "library.heap_bytes"},
      {[](Cenju4Config& c) { c.memory.bytes = 1U << 20; }, "memory.bytes"},
      {[](Cenju4Config& c) { c.faults.lost_per_flit = 2; }, "faults.lost_per_flit"}};
  for (std::size_t w = 0; w < wrong.size(); ++w) {
    CAPTURE(w);
    CHECK(refused(wrong[w].first) == wrong[w].second);
  }
  for (const Picoseconds period : {100, 1'000'000})
    CHECK(refused([period](Cenju4Config& c) { c.clock_period_ps = period; }).empty());
}

TEST_CASE("jobs have ranks, each on another node of the machine, with memory and cids for all of them") {
  const auto with = [](std::vector<JobPlacement> jobs) {
    return refused([&](Cenju4Config& c) {
      c.network.topology.nodes = 8;
      c.jobs = jobs;
    });
  };
  CHECK(with({{0, 1}, {7, 3, 1}, {5}}).empty());
  CHECK(with({{0, 1}, {}}) == "jobs");
  CHECK(with({{0, 8}}) == "jobs");
  CHECK(with({{0, 1, 0}}) == "jobs");
  CHECK(with(std::vector<JobPlacement>(256, JobPlacement{2})) == "jobs");
  CHECK(with(std::vector<JobPlacement>(40, JobPlacement{2})) == "memory.bytes");
}

TEST_CASE("the largest heap is the rest beside the library's other areas") {
  Cenju4Config config;
  config.memory.bytes = std::uint64_t{1} << 32;
  config.library.heap_bytes = host::OsTask::max_heap_bytes;
  config.resolve();
  const std::uint64_t beside = config.os.heap_bytes - config.library.heap_bytes;
  CHECK(beside > 0);
  CHECK_THROWS_WITH(config.validate(),
                    Catch::Contains("up to " + std::to_string(host::OsTask::max_heap_bytes - beside)));
  config.library.heap_bytes = host::OsTask::max_heap_bytes - beside;
  config.resolve();
  CHECK(config.os.heap_bytes == host::OsTask::max_heap_bytes);
  CHECK_NOTHROW(config.validate());
}

TEST_CASE("values derived from the keys: ports, buffers, times") {
  Cenju4Config config;
  config.network.topology.radix = 8;
  config.network.topology.nodes = 40;
  config.library.credits = 7;
  config.library.collective_messages = 9;
  config.library.header_queue_bytes = 8192;
  config.software.poll_loop_ns = 250;
  config.software.system_call_ns = 777;
  config.resolve();
  CHECK(config.network.crosspoint.ports == 8);
  CHECK(config.os.queue_bytes == 8192);
  CHECK(config.os.message_buffer0_bytes == host::message_buffer_bytes(40, 7));
  CHECK(config.os.message_buffer1_bytes == host::message_buffer_bytes(1, 9));
  CHECK(config.processor.poll_loop_cycles == 250 * 80 / 1000);  // 80 MHz
  CHECK(config.processor.system_call_ns == 777);
}

TEST_CASE("a synchronization packet that is incomplete when its table reads it is refused") {
  // Flit k of a packet comes in t + k, and the table begins in t + 16 - 1 - 2: port flit and 13 of header.
  const auto header = [](unsigned flits, unsigned nodes = 64) {
    return [=](Cenju4Config& c) {
      c.nic.sizes.synchronization_header_flits = flits;
      c.network.topology.nodes = nodes;
    };
  };
  CHECK(refused(header(13)).empty());
  CHECK(refused(header(14)) == "sizes.synchronization_header_flits");
  CHECK(refused(header(18)) == "sizes.synchronization_header_flits");
  CHECK(refused(header(14, 65)).empty());  // a larger system does not synchronize
  const auto times = [](unsigned synchronization, unsigned access) {
    return [=](Cenju4Config& c) {
      c.network.crosspoint.synchronization_cycles = synchronization;
      c.network.crosspoint.table_access_cycles = access;
    };
  };
  CHECK(refused(times(12, 2)).empty());
  CHECK(refused(times(11, 2)) == "sizes.synchronization_header_flits");
  CHECK(refused(times(16, 6)).empty());
  CHECK(refused(times(16, 7)) == "sizes.synchronization_header_flits");
  Cenju4Config config;
  config.nic.sizes.synchronization_header_flits = 18;
  config.resolve();
  CHECK_THROWS_WITH(config.validate(),
                    "sizes.synchronization_header_flits: of the packet's 19 flits, 14 have arrived when the "
                    "synchronization table reads it (got '18'); accepted: up to 13, or "
                    "switch.synchronization_cycles of at least 21");
}

TEST_CASE("nodes of Cenju-4 on a network of virtual channels: impossible configurations are refused") {
  NetworkConfig network = torus(4);
  CHECK(refused(network, plain_nodes()).empty());
  CHECK(refused(network, Cenju4Config{}) == "library.barrier");
  Cenju4Config broadcasts = plain_nodes();
  broadcasts.library.broadcast = host::BroadcastMethod::hardware;
  CHECK(refused(network, broadcasts) == "library.broadcast");
  network.link_faults = "0@1";  // packets may be lost, and the run says so
  CHECK(refused(network, plain_nodes()).empty());
  network.link_faults.clear();
  // 256 bytes are 32 words of three flits, after a port flit and a header (Kanoh 2000).
  for (const unsigned header : {18U, 6U}) {
    Cenju4Config nodes = plain_nodes();
    nodes.nic.sizes.header_flits = header;
    const unsigned largest = 1 + header + 96;
    for (const auto switching :
         {router::Switching::virtual_cut_through, router::Switching::store_and_forward}) {
      network.network.router.switching = switching;
      network.network.buffer_flits = largest - 1;
      CHECK(refused(network, nodes) == "router.buffer_flits");
      network.network.buffer_flits = largest;
      CHECK(refused(network, nodes).empty());
    }
  }
  network.network.router.switching = router::Switching::wormhole;
  network.network.buffer_flits = 1;
  CHECK(refused(network, plain_nodes()).empty());
}

TEST_CASE(
    "nodes of Cenju-4 take number, clock and processes from their network, which has 2 to 1,024 nodes") {
  const auto complete = [](const std::vector<unsigned>& radices, unsigned nodes_per_router) {
    NetworkConfig network = torus(4);
    network.topology.kind = "mesh";
    network.topology.of<graph::CubeConfig>().radices = radices;
    network.topology.of<graph::CubeConfig>().nodes_per_router = nodes_per_router;
    network.clock_period_ps = 2000;
    network.process_mode = ProcessMode::process_each;
    network.shuffle_seed = 5;
    network.resolve();
    const graph::Topology topology = make_topology(network.topology, 1);
    return VcMachine::complete_config(plain_nodes(), network, topology);
  };
  const Cenju4Config nodes = complete({4, 3}, 1);
  CHECK(nodes.network.topology.nodes == 12);
  CHECK(nodes.clock_period_ps == 2000);
  CHECK(nodes.process_mode == ProcessMode::process_each);
  CHECK(nodes.shuffle_seed == 5);
  CHECK(nodes.os.message_buffer0_bytes == host::message_buffer_bytes(12, nodes.library.credits));
  CHECK(complete({2}, 1).network.topology.nodes == 2);
  CHECK(complete({32, 32}, 1).network.topology.nodes == 1024);
  CHECK_THROWS_WITH(complete({41, 25}, 1), Catch::Contains("cannot address 1025 nodes"));
}

TEST_CASE("routers too large for crossbar or allocator are refused with their number of ports") {
  const auto refusal = [](const std::vector<unsigned>& radices, unsigned nodes_per_router, unsigned vcs,
                          unsigned speedup) -> std::string {
    NetworkConfig config = torus(4);
    config.topology.kind = "mesh";
    config.topology.of<graph::CubeConfig>().radices = radices;
    config.topology.of<graph::CubeConfig>().nodes_per_router = nodes_per_router;
    config.network.vcs = vcs;
    config.network.router.input_speedup = speedup;
    const auto error = tsuji::test::thrown<ConfigError>([&] {
      config.network.validate();
      const VcRig rig(config);
      rig.config.network.require_crossbars(rig.plan.topology);  // of modules
    });
    return error ? error->key() + ": " + error->what() : "";
  };
  // A router in the middle of a 3x3 mesh has four links beside its nodes.
  CHECK(refusal({3, 3}, 60, 2, 1).empty());
  CHECK_THAT(refusal({3, 3}, 61, 2, 1),
             Catch::Contains("topology.kind: ") && Catch::Contains("has 65 ports"));
  CHECK(refusal({3, 3}, 28, 2, 2).empty());
  CHECK_THAT(refusal({3, 3}, 29, 2, 2), Catch::Contains("has 33 ports"));
  CHECK(refusal({3, 3}, 4, 2, 2).empty());
  CHECK_THAT(refusal({3, 3}, 4, 2, 3), Catch::Contains("router.input_speedup: "));
}

TEST_CASE("the ports of each router are checked, those of the first one, too") {
  for (const unsigned nodes : {63U, 64U}) {
    std::string text = "link 0 1\nnode 0 at 1\n";
    for (unsigned node = 1; node <= nodes; ++node) text += "node " + std::to_string(node) + " at 0\n";
    const tsuji::test::TextFile file(text);
    NetworkConfig config = torus(4);
    config.topology.kind = "file";
    config.topology.of<graph::TopologyFileConfig>().file = file.path();
    CAPTURE(nodes);
    const VcRig rig(config);
    const auto check = [&] { rig.config.network.require_crossbars(rig.plan.topology); };
    if (nodes == 63) CHECK_NOTHROW(check());
    if (nodes == 64) CHECK_THROWS_WITH(check(), Catch::Contains("router 0 has 65 ports"));
  }
}

TEST_CASE("packets of every kind leave a node by the topology's ports: straight through a redundant stage") {
  const graph::MultistageConfig config{100, 4, 6, 2};  // two redundant stages
  const graph::Multistage topology(config);
  for (NodeId node = 0; node < config.nodes; ++node) {
    const FirstHopOf hop(topology, node);
    const std::uint32_t straight = 1U << node % 4;
    CHECK(hop.single_cast(99) == straight);
    CHECK(hop.multicast(1, 0b1001) == straight);
    CHECK(hop.synchronization(0b1001) == straight);
    CHECK(hop.multicast(1, 0) == 0);
  }
}

TEST_CASE("faults are injected on the last channels or on all, and on none without faults") {
  const auto probed = [](double lost, FaultyChannels channels) {
    return tsuji::test::forked([&] {
      Cenju4Config config;
      config.network.topology.nodes = 4;
      config.memory.bytes = std::uint64_t{64} << 20;
      config.library.heap_bytes = 1 << 20;
      config.faults.lost_per_flit = lost;
      config.faulty_channels = channels;
      config.resolve();
      config.validate();
      Cenju4Machine machine("machine", config);
      std::string text;
      for (unsigned stage = 0; stage <= machine.network().topology().stages(); ++stage) {
        unsigned count = 0;
        for (unsigned line = 0; line < machine.network().topology().lines(); ++line)
          count += machine.network().link(stage, line).probe() != nullptr;
        text += std::to_string(count) + " ";
      }
      return text;
    });
  };
  // Four lines through two stages: three rows of channels.
  CHECK(probed(0, FaultyChannels::all) == "0 0 0 ");
  CHECK(probed(0.1, FaultyChannels::last) == "0 0 4 ");
  CHECK(probed(0.1, FaultyChannels::all) == "4 4 4 ");
}
