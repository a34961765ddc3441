// SPDX-License-Identifier: Apache-2.0
#include "machines/machines.h"
#include "support/catch.h"

namespace tsuji::test {
namespace {

std::uint64_t sum(const nic::PerPacketKind& kinds) {
  return kinds[0] + kinds[1] + kinds[2];
}

}  // namespace

machines::Cenju4Config small_machine(unsigned nodes) {
  machines::Cenju4Config config;
  config.network.topology.nodes = nodes;
  config.nic.sender.tlb_entries = 1;
  config.nic.receiver.tlb_entries = 1;
  config.nic.receiver.fifo_packets = 1;
  config.processor.cache.bytes = 4096;
  config.library.header_queue_bytes = 4096;
  config.library.credits = 1;
  config.library.send_slots = 1;
  config.library.rendezvous_slots = 1;
  config.library.collective_messages = 1;
  config.library.heap_bytes = 1 << 20;
  config.memory.bytes = 64 << 20;
  config.os.placement = host::PagePlacement::scattered;
  return config;
}

Variants::Variants(const machines::Cenju4Config& config) {
  const auto add = [&](const char* name, const std::function<void(machines::Cenju4Config&)>& change) {
    machines::Cenju4Config own = config;
    change(own);
    own.resolve();
    own.validate();
    auto machine = std::make_unique<machines::Cenju4Machine>(name, own);
    auto job = std::make_unique<platform::Cenju4Job>(*machine);
    all.push_back({name, std::move(machine), std::move(job)});
  };
  add("events", [](machines::Cenju4Config&) {});
  add("process_each", [](machines::Cenju4Config& c) { c.process_mode = ProcessMode::process_each; });
  add("shuffled", [](machines::Cenju4Config& c) { c.shuffle_seed = 77; });
  add("flits", [](machines::Cenju4Config& c) {
    c.network.crosspoint.mode = crosspoint::SwitchMode::flit_by_flit;
    c.shuffle_seed = 5;
  });
}

void run_script(platform::Cenju4Job& job, const Script::Body& body) {
  job.load([&](host::RankRuntime& runtime) { return std::make_unique<Script>(runtime, body); });
  job.run([](Cycle) {});
}

void check_accounts(const machines::Cenju4Machine& machine) {
  std::uint64_t sent = 0, delivered = 0, dropped = 0;
  for (NodeId node = 0; node < machine.nodes(); ++node) {
    sent += sum(machine.node(node).interface().sender_counters().packets);
    delivered += sum(machine.node(node).interface().receiver_counters().packets);
    for (const std::uint64_t packets : machine.node(node).interface().receiver_counters().dropped)
      dropped += packets;
  }
  const crosspoint::SwitchCounters switches = machine.network().counters();
  CHECK(sent > 0);
  CHECK(sent + switches.replicated - switches.merged - switches.dropped - dropped == delivered);
  CHECK(machine.metrics().packets_sent == sent);
  CHECK(switches.held == 0);
  CHECK(switches.held_flits == 0);
  CHECK(machine.network().flits_in_flight() == 0);
}

}  // namespace tsuji::test
