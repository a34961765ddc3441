// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "nic/rig.h"
#include "support/catch.h"
#include "support/recorded_wave.h"

using namespace tsuji;
using namespace tsuji::nic;
using namespace tsuji::test;

namespace {

constexpr unsigned cid = 1;

}  // namespace

TEST_CASE("the waveform shows states and pointers as they change, and changes no cycle") {
  Pair unobserved("unobserved"), shown("shown");
  RecordedWave wave;
  shown.a.nic.add_wave(wave);
  shown.b.nic.add_wave(wave);
  elaborate();
  for (Pair* pair : {&unobserved, &shown}) {
    pair->a.open_set(2, cid);
    pair->b.open_set(2, cid);
    pair->a.map(cid, 0x10000, 1);
    pair->b.map(cid, 0x10000, 1);
    pair->a.push(2, dma(0x10000, 0x10000, 512));
    pair->a.ring_at_start(2);
  }
  unobserved.run();
  CHECK(unobserved.b.deliveries == shown.b.deliveries);
  CHECK(std::count(wave.paths.begin(), wave.paths.end(), "node0.nic.sender.spm") == 1);
  CHECK(std::count(wave.paths.begin(), wave.paths.end(), "node1.nic.receiver.state") == 1);
  std::vector<std::array<std::uint64_t, 2>> last(wave.paths.size(), {0, ~std::uint64_t{0}});
  for (const auto& [signal, time, value] : wave.changes) {
    CHECK(time % 12500 == 0);
    CHECK(time >= last[signal][0]);
    CHECK(value != last[signal][1]);
    last[signal] = {time, value};
  }
  const auto pointer = std::find(wave.paths.begin(), wave.paths.end(), "node0.nic.sender.set2.read_pointer");
  CHECK(last[pointer - wave.paths.begin()][1] == 32);
}

TEST_CASE("the waveform names the steps of a parcel") {
  Pair pair("pair");
  RecordedWave wave;
  pair.a.nic.add_wave(wave);
  pair.b.nic.add_wave(wave);
  elaborate();
  pair.a.open_set(2, cid);
  pair.b.open_set(2, cid);
  pair.a.map(cid, 0x10000, 1);
  pair.b.map(cid, 0x10000, 1);
  pair.b.buffer(cid, 0, 0x10000, 1024);
  pair.b.set(common_os_base + receiver_cid, cid);
  ParcelHeader message = dma(0x10000, 0, 8);
  message.protocol = Protocol::message0;
  message.notify = true;
  message.notification = 0x10100;
  pair.a.push(2, message);
  pair.a.ring_at_start(2);
  pair.at(5000, [&] { pair.b.write(receiver_task_base + address_register0, 0x10000); });
  pair.run();
  using States = std::vector<std::string>;
  CHECK(wave.states("node0.nic.sender.rhm") ==
        States{"fetch", "fetching", "look_up", "looking_up", "store", "idle"});
  // A walk's second read follows its first directly, as a pointer follows its data. The notification's page
  // is the source's.
  CHECK(wave.states("node0.nic.sender.spm") == States{"idle", "translate", "walk", "walking", "build", "read",
                                                      "reading", "idle", "translate", "notify", "notifying",
                                                      "idle"});
  CHECK(wave.states("node1.nic.receiver.state") ==
        States{"idle", "check", "fetching_entry", "fetching_limits", "translate", "walk", "walking", "write",
               "writing", "idle", "setting_register", "idle"});
  using Values = std::vector<std::uint64_t>;
  CHECK(wave.values("node0.nic.sender.header_registers_used") == Values{1, 0});
  CHECK(wave.values("node0.nic.sender.packets_unsent") == Values{0, 1, 0});
  CHECK(wave.values("node0.nic.sender.room") == Values{1});
  CHECK(wave.values("node0.nic.sender.set2.write_pointer") == Values{32});
  CHECK(wave.values("node0.nic.sender.set2.read_pointer") == Values{0, 32});
  CHECK(wave.values("node0.nic.sender.set3.write_pointer") == Values{0});
  CHECK(wave.values("node1.nic.receiver.packets_held") == Values{1, 0});
}

TEST_CASE("steps that are decided ahead appear in their own cycles") {
  NicConfig config;
  config.sender.choose_cycles = 3;
  config.sender.translate_cycles = 5;
  config.sender.build_header_cycles = 7;
  config.receiver.place_cycles = 4;
  config.receiver.translate_cycles = 6;
  Pair pair("pair", config);
  RecordedWave wave;
  pair.a.nic.add_wave(wave);
  pair.b.nic.add_wave(wave);
  elaborate();
  for (Node* node : {&pair.a, &pair.b}) {
    node->open_set(2, cid);
    node->map(cid, 0x10000, 1);
  }
  pair.a.push(2, dma(0x10000, 0x10000, 8));
  pair.a.ring_at_start(2);
  // The second parcel finds its pages in the TLBs.
  pair.at(5000, [&] {
    pair.a.push(2, dma(0x10000, 0x10000, 8));
    pair.a.ring(2);
  });
  pair.run();
  const auto second = [&](const std::string& path) {
    auto steps = wave.steps(path);
    steps.erase(steps.begin(),
                std::find_if(steps.begin(), steps.end(), [](const auto& step) { return step.first > 5000; }));
    return steps;
  };
  const auto rhm = second("node0.nic.sender.rhm"), spm = second("node0.nic.sender.spm"),
             receiver = second("node1.nic.receiver.state");
  REQUIRE(rhm.size() == 6);
  CHECK(rhm[0] == std::pair<Cycle, std::string>(5001, "fetch"));
  CHECK(rhm[1].second == "fetching");
  CHECK(rhm[1].first == 5002);
  REQUIRE(spm.size() == 5);
  const Cycle chosen = spm[0].first;
  CHECK(rhm[5] == std::pair<Cycle, std::string>(chosen, "idle"));
  using Steps = std::vector<std::pair<Cycle, std::string>>;
  CHECK(Steps(spm.begin(), spm.end() - 1) ==
        Steps{{chosen, "translate"}, {chosen + 3, "build"}, {chosen + 8, "read"}, {chosen + 15, "reading"}});
  REQUIRE(receiver.size() == 5);
  const Cycle whole = receiver[0].first;
  CHECK(Steps(receiver.begin(), receiver.end() - 1) ==
        Steps{{whole, "check"}, {whole + 1, "translate"}, {whole + 5, "write"}, {whole + 11, "writing"}});
}

TEST_CASE("a packet from a physical address has no translation in the waveform") {
  NicConfig config;
  config.sender.choose_cycles = 3;
  config.sender.build_header_cycles = 7;
  Pair pair("pair", config);
  RecordedWave wave;
  pair.a.nic.add_wave(wave);
  elaborate();
  for (Node* node : {&pair.a, &pair.b}) node->open_set(os_set, cid);
  ParcelHeader header = dma(0x600000, 0x600000, 8);
  header.physical = true;
  pair.a.push(os_set, header);
  pair.a.ring_at_start(os_set);
  pair.run();
  const auto steps = wave.steps("node0.nic.sender.spm");
  REQUIRE(steps.size() >= 4);
  const Cycle chosen = steps[1].first;
  using Steps = std::vector<std::pair<Cycle, std::string>>;
  CHECK(Steps(steps.begin() + 1, steps.begin() + 4) ==
        Steps{{chosen, "build"}, {chosen + 3, "read"}, {chosen + 10, "reading"}});
}

TEST_CASE("every signal of a full network interface fits into its width") {
  NicConfig config;
  config.sender.header_registers = 8;
  config.sender.fifo_packets = config.sender.read_ahead_packets = 8;
  // No place is released, and the queue has the largest size.
  Lone lone(config, 16, [](const Packet&, unsigned, Cycle) { return never; });
  lone.hops.ports = [](NodeId node) { return 1U << node; };
  RecordedWave wave;
  lone.node.nic.add_wave(wave);
  elaborate();
  lone.node.open_set(3, cid, 65536);
  ParcelHeader header = inline_word(0, 0x100000);
  for (unsigned parcel = 0; parcel < 2047; ++parcel) {
    header.logical_pe = static_cast<std::uint16_t>(parcel % 15);
    lone.node.push(3, header);
  }
  lone.node.ring_at_start(3);
  lone.run();
  for (std::size_t signal = 0; signal < wave.paths.size(); ++signal) {
    INFO(wave.paths[signal]);
    std::uint64_t largest = 0;
    for (const auto& change : wave.changes) {
      if (change[0] == signal) largest = std::max(largest, change[2]);
    }
    CHECK(largest >> wave.widths[signal] == 0);
    const auto names = wave.names.find(static_cast<observe::SignalId>(signal));
    if (names != wave.names.end())
      CHECK(wave.widths[signal] == observe::bits_for(names->second.rbegin()->first));
  }
  const auto most = [&](const std::string& name) {
    const auto values = wave.values("node0.nic.sender." + name);
    return *std::max_element(values.begin(), values.end());
  };
  CHECK(most("header_registers_used") == 8);
  CHECK(most("packets_unsent") == 8);
  CHECK(most("set3.write_pointer") == 65536 - 32);
  CHECK(most("room") == 0xffff);
  for (const char* name : {"header_registers_used", "packets_unsent", "set3.write_pointer", "room"})
    CHECK(wave.width("node0.nic.sender." + std::string(name)) == observe::bits_for(most(name)));
}

TEST_CASE(
    "a network interface is drained before its first header and after the last flit, write and pointer") {
  OpenPair pair(cid);
  pair.a.map(cid, 0x10000, 1);
  pair.b.map(cid, 0x10000, 1);
  pair.b.set(common_os_base + receiver_cid, cid);
  constexpr Cycle plain = 1000, notified = 2000, pointer = 3000, end = 4000;
  pair.at(plain, [&] {
    pair.a.push(2, dma(0x10000, 0x10000, 256));
    pair.a.ring(2);
  });
  pair.at(notified, [&] {
    ParcelHeader header = dma(0x10000, 0x10000, 256);
    header.notify = true;
    header.notification = 0x10800;
    pair.a.push(2, header);
    pair.a.ring(2);
  });
  pair.at(pointer, [&] { pair.b.write(receiver_task_base + address_register0, 0x10000); });
  std::array<std::vector<bool>, 2> drained;
  for (Cycle cycle = 0; cycle < end; ++cycle) {
    pair.at(cycle, [&, cycle] {
      drained[0].push_back(pair.a.nic.drained(cycle));
      drained[1].push_back(pair.b.nic.drained(cycle));
    });
  }
  pair.run();
  const auto drained_but = [&](unsigned node, Cycle from, Cycle to) {
    REQUIRE(from < to);
    for (Cycle cycle = from; cycle < to; ++cycle) {
      INFO(cycle);
      CHECK_FALSE(drained[node][cycle]);
    }
    CHECK(drained[node][from - 1]);
    CHECK(drained[node][to]);
  };
  REQUIRE(pair.b.deliveries.size() == 2);
  const Cycle flits = PacketSizes{}.flits(PacketKind::single_cast, 256);
  const MemoryRequest& notification = pair.a.memory.log.back();
  REQUIRE(notification.address == pair.a.physical(cid, 0x10800));
  drained_but(0, plain, pair.b.deliveries[0].injected + flits);
  drained_but(0, notified, notification.last_word);
  // The Receiver has a packet from its last flit on.
  constexpr Cycle wire = 1;
  for (const Delivery& delivery : pair.b.deliveries)
    drained_but(1, delivery.injected + wire + flits, delivery.now);
  const MemoryRequest& written = pair.b.memory.log.back();
  REQUIRE(written.address == buffers_at + std::uint64_t{64} * cid + 8 * BufferEntry::address_register_word);
  drained_but(1, pointer, written.last_word);
}
