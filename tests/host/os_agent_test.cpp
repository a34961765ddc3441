// SPDX-License-Identifier: Apache-2.0
#include "tsuji/host/os_agent.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include "host/node_bench.h"
#include "support/catch.h"
#include "tsuji/core/error.h"

using namespace tsuji;
using namespace tsuji::host;
using namespace tsuji::host::test;

namespace {

/// 40 PEs on the nodes 3, 4 .. 42.
std::vector<NodeId> nodes_of_pes(unsigned count = 40, NodeId first = 3) {
  std::vector<NodeId> nodes(count);
  std::iota(nodes.begin(), nodes.end(), first);
  return nodes;
}

/// A node whose operating system has booted.
struct Booted {
  explicit Booted(const OsConfig& config = {}, std::vector<NodeId> nodes = nodes_of_pes(),
                  const std::function<void(Cpu&)>& body = {})
      : clocks(),
        node("n", clocks.main, clocks.half, {}, body),
        agent(config, 7, std::move(nodes), 512ULL << 20) {
    node.processor.set_address_space(agent.address_space());
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    agent.boot(*node.processor.memory.get_base_port().operator->(),
               *node.processor.registers.get_base_port().operator->());
  }
  std::uint64_t word(std::uint64_t physical) const {
    std::uint64_t value = 0;
    node.memory.storage().read(physical, &value, 8);
    return value;
  }
  template <std::size_t n>
  std::array<std::uint64_t, n> words(std::uint64_t physical) const {
    std::array<std::uint64_t, n> values;
    for (std::size_t i = 0; i < n; ++i) values[i] = word(physical + 8 * i);
    return values;
  }
  std::uint64_t reg(std::uint64_t offset) const {
    const auto found = node.registers.values.find(offset);
    return found == node.registers.values.end() ? ~0ULL : found->second;
  }
  /// Translates as the network interface does: registers, segment table, page table.
  std::uint64_t translate(std::uint64_t logical) const {
    const std::uint64_t table = reg(nic::common_os_base + nic::segment_table_base);
    const std::uint64_t cid = agent.layout().cid;
    for (unsigned s = 0; s < nic::segments_per_cid; ++s) {
      const auto segment = nic::SegmentEntry::decode(
          words<3>(table + (cid * nic::segments_per_cid + s) * nic::SegmentEntry::bytes));
      const std::uint64_t page = logical / nic::page_bytes;
      if (!segment.valid || page < segment.lowest_page || page > segment.highest_page) continue;
      const auto entry = nic::PageEntry::decode(word(segment.page_table + (page - segment.lowest_page) * 8));
      REQUIRE(entry.valid);
      REQUIRE(entry.writable);
      return entry.physical + logical % nic::page_bytes;
    }
    return ~0ULL;
  }
  Clocks clocks;
  Node node;
  OsAgent agent;
};

/// Boots the node for the agent's tasks and runs its program to the end.
void boot_and_run(Node& node, OsAgent& agent, Clocks& clocks) {
  node.processor.set_address_space(agent.address_space());
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  agent.boot(*node.processor.memory.get_base_port().operator->(),
             *node.processor.registers.get_base_port().operator->());
  clocks.run();
  REQUIRE(node.processor.finished());
}

}  // namespace

TEST_CASE("os agent: network interface and processor translate a task's addresses alike") {
  Booted booted;
  const auto& task = booted.agent.layout();
  std::uint64_t scattered = 0;
  for (const auto& buffer : {task.heap, task.message[0], task.message[1], task.log}) {
    REQUIRE(buffer.bytes > 0);
    for (std::uint64_t at = buffer.address; at < buffer.address + buffer.bytes; at += 4096) {
      const auto seen = booted.agent.address_space().translate(at + 24);
      REQUIRE((seen.mapped && seen.writable));
      REQUIRE(booted.translate(at + 24) == seen.physical);
      REQUIRE(seen.physical >= booted.agent.physical().buffers);
      if (at > buffer.address) {
        scattered += booted.agent.address_space().translate(at - 4096 + 24).physical + 4096 != seen.physical;
      }
    }
  }
  REQUIRE(scattered > 1000);
  // A table that tasks only read, or that is read by physical address, is no valid destination of a parcel.
  REQUIRE(booted.translate(task.buffer_entry) == ~0ULL);
  REQUIRE(booted.translate(task.synchronization_counters) == ~0ULL);
  for (const std::uint64_t table : {task.buffer_entry, task.synchronization_counters}) {
    REQUIRE(booted.agent.address_space().translate(table).mapped);
    REQUIRE_FALSE(booted.agent.address_space().translate(table).writable);
  }
  REQUIRE(booted.agent.address_space().translate(task.queue.address).writable);
  REQUIRE_FALSE(booted.agent.address_space().translate(0).mapped);
}

TEST_CASE("os agent: contiguous placement") {
  OsConfig config;
  config.placement = PagePlacement::contiguous;
  Booted booted(config);
  const auto& heap = booted.agent.layout().heap;
  for (std::uint64_t at = 0; at < heap.bytes; at += 4096) {
    REQUIRE(booted.translate(heap.address + at) == booted.agent.physical().heap + at);
  }
}

TEST_CASE("os agent: registers of Sender and Receiver, node table") {
  OsConfig config;
  config.sender_set = 3;
  config.queue_bytes = 65536;
  config.cid = 200;
  Booted booted(config);
  const auto& task = booted.agent.layout();
  const std::uint64_t set = nic::sender_os_base + 3 * nic::sender_set_stride;
  const std::uint64_t queue = booted.reg(set + nic::queue_base);
  REQUIRE(queue % 65536 == 0);
  REQUIRE(queue == booted.agent.address_space().translate(task.queue.address).physical);
  REQUIRE(task.queue.bytes == 65536);
  REQUIRE(booted.agent.address_space().translate(task.queue.address + 65535).physical == queue + 65535);
  REQUIRE(booted.reg(set + nic::queue_bytes) == 65536);
  REQUIRE(booted.reg(set + nic::queue_cid) == 200);
  REQUIRE(booted.reg(set + nic::source_pe) == 7);
  REQUIRE(booted.reg(set + nic::node_table_entries) == 40);
  REQUIRE(booted.reg(set + nic::multicast_table_entries) == 64);
  REQUIRE(booted.reg(set + nic::synchronization_table_entries) == 128);
  REQUIRE(task.queue_write_register == 0x3000);
  for (unsigned pe = 0; pe < 40; ++pe) {
    const auto entry = nic::NodeEntry::decode(booted.word(booted.reg(set + nic::node_table_base) + 8 * pe));
    REQUIRE((entry.valid && entry.node == pe + 3 && entry.cid == 200));
  }
  REQUIRE(booted.reg(nic::common_os_base + nic::receiver_cid) == 200);
  REQUIRE(booted.reg(nic::common_os_base + nic::flush_tlbs) != ~0ULL);
}

TEST_CASE("os agent: buffer table and its limits") {
  OsConfig config;
  config.message_buffer1_bytes = 0;
  config.log_buffer_bytes = 128;
  Booted booted(config);
  const auto& task = booted.agent.layout();
  const std::uint64_t table = booted.reg(nic::common_os_base + nic::buffer_table_base);
  REQUIRE(table % 128 == 0);
  const auto entry = booted.words<8>(table + 64 * task.cid);
  REQUIRE(entry == std::array<std::uint64_t, 8>{task.message[0].address, 0, 0, 0, 0, task.reply_notifications,
                                                task.log.address, 0});
  REQUIRE(task.reply_notifications % nic::line_bytes == 0);
  REQUIRE(booted.agent.address_space().translate(task.reply_notifications).writable);
  REQUIRE(booted.agent.address_space().translate(task.buffer_entry).physical == table + 64 * task.cid);
  const auto limits =
      booted.words<11>(booted.reg(nic::common_os_base + nic::buffer_limit_table_base) + 128 * task.cid);
  REQUIRE(limits[0] == task.message[0].address);
  REQUIRE(limits[1] == 64 << 10);
  REQUIRE((limits[2] == 0 && limits[3] == 0));
  REQUIRE(limits[4] == task.log.address);
  REQUIRE(limits[5] == 128);
  REQUIRE(limits[6] == booted.agent.address_space().translate(task.synchronization_counters).physical);
  for (unsigned buffer = 0; buffer < 3; ++buffer)
    REQUIRE(limits[8 + buffer] == 0);  // read pointers start at 0
}

TEST_CASE("os agent: multicast headers, one for each group of 64 nodes, shared when equal") {
  Booted booted({}, nodes_of_pes(200, 10));
  const auto parts = booted.agent.register_multicast({0, 53, 54, 199});  // nodes 10, 63, 64, 209
  REQUIRE(parts.size() == 3);
  const std::uint64_t set = nic::sender_os_base + nic::first_user_set * nic::sender_set_stride;
  const std::uint64_t maps[] = {1ULL << 10 | 1ULL << 63, 1, 1ULL << 17};
  const std::uint32_t groups[] = {0, 1, 3};
  for (unsigned p = 0; p < 3; ++p) {
    REQUIRE((parts[p].group == groups[p] && parts[p].map == maps[p]));
    const auto entry = nic::MulticastEntry::decode(
        booted.words<2>(booted.reg(set + nic::multicast_table_base) + 16 * parts[p].offset));
    REQUIRE((entry.valid && entry.map == maps[p] && entry.group == groups[p] && entry.cid == 1));
  }
  REQUIRE(booted.agent.register_multicast({54})[0].offset == parts[1].offset);
  REQUIRE(booted.agent.register_multicast({55})[0].offset == 3);
  REQUIRE_THROWS_AS(booted.agent.register_multicast({200}), ModelError);
  REQUIRE_THROWS_AS(booted.agent.register_synchronization({0, 1}, 0), ModelError);  // more than 64 nodes
}

TEST_CASE("os agent: synchronization headers") {
  OsConfig config;
  config.synchronization_entries = 2;
  Booted booted(config);
  REQUIRE(booted.agent.register_synchronization({0, 1, 39}, 5) == 0);
  REQUIRE(booted.agent.register_synchronization({0}, 127) == 1);
  const std::uint64_t set = nic::sender_os_base + nic::first_user_set * nic::sender_set_stride;
  const auto entry =
      nic::SynchronizationEntry::decode(booted.words<2>(booted.reg(set + nic::synchronization_table_base)));
  REQUIRE((entry.valid && entry.sid == 5 && entry.cid == 1));
  REQUIRE(entry.map == (1ULL << 3 | 1ULL << 4 | 1ULL << 42));
  REQUIRE(entry.map == booted.agent.synchronization_map({39, 0, 1}));
  REQUIRE_THROWS_AS(booted.agent.register_synchronization({1}, 6), ModelError);  // the table is full
  REQUIRE_THROWS_AS(booted.agent.register_synchronization({1}, 128), ModelError);
}

TEST_CASE("os agent: a task gets all its registers, and its place among the logical processors") {
  OsConfig config;
  config.sender_set = 2;
  Booted booted(config);
  const auto& task = booted.agent.layout();
  CHECK(task.cid == 1);
  CHECK(task.logical_pe == 7);
  CHECK(task.pes == 40);
  CHECK(task.queue_write_register == 0x2000);
  CHECK(task.queue_read_register == 0x2008);
  for (unsigned n = 0; n < 3; ++n) CHECK(task.address_register[n] == 0xD008 + 8 * n);
  for (unsigned n = 0; n < 2; ++n) CHECK(task.message_read_register[n] == 0xD020 + 8 * n);
  CHECK(task.log_read_register == 0xD030);
  CHECK(task.heap.address == OsTask::heap_base);
  CHECK(task.heap.bytes == config.heap_bytes);
  CHECK(task.message[0].bytes == config.message_buffer0_bytes);
  CHECK(task.message[1].bytes == config.message_buffer1_bytes);
  CHECK(task.log.bytes == config.log_buffer_bytes);
}

TEST_CASE("os agent: its areas begin after page 0 and do not overlap") {
  OsConfig config;
  config.cid = 255;
  config.queue_bytes = 65536;
  config.message_buffer0_bytes = 128;
  config.message_buffer1_bytes = 4096 + 128;
  config.log_buffer_bytes = 0;
  config.multicast_entries = 257;
  config.synchronization_entries = 1;
  const OsAgent agent(config, 0, nodes_of_pes(513, 0), 512ULL << 20);
  const PhysicalLayout& at = agent.physical();
  const NodeTables& all = agent.tables_in_memory();
  const std::vector<std::pair<std::uint64_t, std::uint64_t>> areas = {
      {all.segment_table, 256 * 4 * 24},
      {all.buffer_table, 256 * 64},
      {all.buffer_limit_table, 256 * 128},
      {at.node_table, 513 * 8},
      {at.multicast_table, 257 * 16},
      {at.synchronization_table, 16},
      {at.heap_page_table, 8 * (config.heap_bytes / 4096)},
      {at.buffer_page_table, 3 * 8},
      {at.synchronization_counters, 128 * 8},
      {at.queue, 65536},
      {at.buffers, 3 * 4096},
      {at.heap, config.heap_bytes},
      {at.reply_notifications, 64 * 16},
      {at.reply_page_table, 8},
      {all.reply_queue, 65536}};
  std::uint64_t behind = 4096;
  for (const auto& [begin, bytes] : areas) {
    CHECK(begin % 4096 == 0);
    CHECK(begin >= behind);
    // Only alignment leaves gaps.
    CHECK(begin - behind < (begin == at.queue || begin == all.reply_queue ? 65536 : 4096));
    behind = begin + bytes;
  }
  CHECK(at.queue % 65536 == 0);
  CHECK(all.reply_queue % 65536 == 0);
  CHECK(all.end == (behind + 4095) / 4096 * 4096);
  CHECK(agent.layout().message[1].address == agent.layout().message[0].address + 4096);
  CHECK(agent.layout().log.address == 0);
  // The last task's entry is on the last page of its table.
  const auto entry = agent.address_space().translate(agent.layout().buffer_entry);
  CHECK(entry.physical == all.buffer_table + 64 * 255);
}

TEST_CASE("os agent: nodes without buffers have a heap and a queue") {
  OsConfig config;
  config.message_buffer0_bytes = config.message_buffer1_bytes = config.log_buffer_bytes = 0;
  Booted booted(config);
  const auto& task = booted.agent.layout();
  CHECK(booted.translate(task.heap.address) ==
        booted.agent.address_space().translate(task.heap.address).physical);
  CHECK(booted.translate(0x20000000) == ~0ULL);
}

TEST_CASE("os agent: impossible requests are model errors with the reason") {
  OsConfig config;
  config.multicast_entries = 2;
  {
    OsAgent asleep(config, 7, nodes_of_pes(), 512ULL << 20);
    CHECK_THROWS_WITH(asleep.register_multicast({1}),
                      Catch::Contains("os agent") && Catch::Contains("used before boot"));
  }
  Booted booted(config);
  OsAgent& agent = booted.agent;
  CHECK(agent.register_multicast({1})[0].offset == 0);
  CHECK(agent.register_multicast({2})[0].offset == 1);
  CHECK(agent.register_multicast({1})[0].offset == 0);
  CHECK_THROWS_WITH(agent.register_multicast({1, 2}), Catch::Contains("the multicast header table is full"));
  CHECK_THROWS_WITH(agent.register_multicast({40}), Catch::Contains("there is no logical PE 40"));
  CHECK_THROWS_WITH(agent.synchronization_map({40}), Catch::Contains("there is no logical PE 40"));
  CHECK_THROWS_WITH(agent.register_synchronization({1}, 128),
                    Catch::Contains("there is no synchronization identifier 128"));
  CHECK_NOTHROW(OsAgent({}, 0, {63}, 512ULL << 20).synchronization_map({0}));
  OsAgent large({}, 0, {0, 64}, 512ULL << 20);
  CHECK_THROWS_WITH(large.synchronization_map({0}), Catch::Contains("at most 64 nodes only"));
}

TEST_CASE("os agent: a register that refuses its value stops the boot") {
  Clocks clocks;
  Node node("n", clocks.main, clocks.half);
  node.registers.refused = nic::common_os_base + nic::receiver_cid;
  OsAgent agent({}, 7, nodes_of_pes(), 512ULL << 20);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  CHECK_THROWS_WITH(agent.boot(*node.processor.memory.get_base_port().operator->(),
                               *node.processor.registers.get_base_port().operator->()),
                    Catch::Contains("register 49184 answered TLM_ADDRESS_ERROR_RESPONSE"));
}

TEST_CASE("os agent: a task uses its node by system calls") {
  std::uint16_t offset = 99;
  OsAgent* agent = nullptr;
  Cycle called = 0;
  std::uint64_t pointer = 0;
  Booted booted({}, nodes_of_pes(), [&](Cpu& cpu) {
    cpu.system_call([&] { offset = agent->register_multicast({1, 2})[0].offset; });
    called = cpu.now();
    pointer = cpu.load(agent->layout().buffer_entry);
    cpu.store(agent->layout().queue.address, 1);
    cpu.store(agent->layout().heap.address + 5 * 4096, 2);
  });
  agent = &booted.agent;
  booted.clocks.run();
  REQUIRE(booted.node.processor.finished());
  REQUIRE(offset == 0);
  REQUIRE(called == 1040);
  REQUIRE(pointer == booted.agent.layout().message[0].address);
}

TEST_CASE("os agent: tables of a node without traffic are small") {
  Booted booted({}, nodes_of_pes(1000, 0));
  REQUIRE(booted.node.memory.storage().pages_allocated() <= 16);
}

TEST_CASE("os configurations that are impossible are refused") {
  const auto refused = [](auto change, std::uint64_t memory_bytes = 512ULL << 20) {
    OsConfig config;
    change(config);
    REQUIRE_THROWS_AS(OsAgent(config, 0, {0, 1}, memory_bytes), ConfigError);
  };
  refused([](OsConfig& c) { c.queue_bytes = 2048; });
  refused([](OsConfig& c) { c.queue_bytes = 12288; });
  refused([](OsConfig& c) { c.queue_bytes = 131072; });
  refused([](OsConfig& c) { c.sender_set = 1; });
  refused([](OsConfig& c) { c.message_buffer0_bytes = 100; });
  refused([](OsConfig& c) { c.heap_bytes = 0; });
  refused([](OsConfig& c) { c.heap_bytes = 4097; });
  refused([](OsConfig& c) { c.multicast_entries = 0; });
  refused([](OsConfig&) {}, 1 << 20);
  REQUIRE_THROWS_AS(OsAgent({}, 2, {0, 1}, 512ULL << 20), ConfigError);
  REQUIRE_THROWS_AS(OsAgent({}, 0, {}, 512ULL << 20), ConfigError);
  REQUIRE_THROWS_AS(OsAgent({}, 0, {1024}, 512ULL << 20), ConfigError);
}

TEST_CASE("os agent: a set is disabled, saved and loaded in that order, and unchanged if no task needs it") {
  std::vector<OsTask> tasks;
  for (unsigned task = 0; task < 3; ++task) {
    OsConfig config;
    config.cid = static_cast<std::uint8_t>(10 + task);
    config.sender_set = 2 + task % 2;
    tasks.emplace_back(config, 0, nodes_of_pes());
  }
  Clocks clocks;
  OsAgent* agent = nullptr;
  const std::vector<bool> all(3, true);
  constexpr std::uint64_t os2 = nic::sender_os_base + 2 * nic::sender_set_stride;
  Node* bench = nullptr;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> to_second, to_third, back;
  Node node("n", clocks.main, clocks.half, {}, [&](Cpu& cpu) {
    auto& writes = bench->registers.writes;
    auto& values = bench->registers.values;
    values[nic::receiver_task_base + nic::address_register0] = 0x1111;
    values[nic::receiver_task_base + nic::log_read_pointer] = 0x2222;
    writes.clear();
    CHECK(agent->schedule(cpu, 0, all) == 1);
    to_second = std::exchange(writes, {});
    values[os2 + nic::queue_state] = 0x40 | 0x20 << 16;
    CHECK(agent->schedule(cpu, 1, all) == 2);
    to_third = std::exchange(writes, {});
    CHECK(agent->schedule(cpu, 2, {true, false, true}) == 0);
    back = std::exchange(writes, {});
    CHECK(agent->schedule(cpu, 0, {true, false, false}) == 0);
    CHECK(writes.empty());
  });
  bench = &node;
  OsAgent own(std::move(tasks), 512ULL << 20);
  agent = &own;
  boot_and_run(node, own, clocks);
  const auto of_receiver = [](const auto& write) { return write.first >= nic::common_os_base; };
  // Task 1 has set 3 since the boot.
  REQUIRE(to_second.size() == 7);
  CHECK(std::all_of(to_second.begin(), to_second.end(), of_receiver));
  CHECK(to_second.front() ==
        std::pair<std::uint64_t, std::uint64_t>(nic::common_os_base + nic::receiver_cid, 11));
  // Task 2 takes set 2 from task 0, whose pointers are restored with it.
  using Write = std::pair<std::uint64_t, std::uint64_t>;
  REQUIRE(to_third.size() == 7 + 12);
  CHECK(to_third[7] == Write(os2 + nic::queue_bytes, 0));
  CHECK(to_third[8] == Write(os2 + nic::queue_cid, 12));
  CHECK(to_third[17] == Write(os2 + nic::queue_bytes, 16 << 10));
  CHECK(to_third[18] == Write(os2 + nic::queue_state, 0));
  REQUIRE(back.size() == 7 + 12);
  CHECK(back[0] == Write(nic::common_os_base + nic::receiver_cid, 10));
  CHECK(back[1] == Write(nic::receiver_task_base + nic::address_register0, 0x1111));
  CHECK(back[6] == Write(nic::receiver_task_base + nic::log_read_pointer, 0x2222));
  CHECK(back[8] == Write(os2 + nic::queue_cid, 10));
  CHECK(back[18] == Write(os2 + nic::queue_state, 0x40 | 0x20 << 16));
}

TEST_CASE("os agent: a header that several groups share stays until the last of them is released") {
  OsConfig config;
  config.multicast_entries = 2;
  config.synchronization_entries = 1;
  Booted booted(config);
  OsAgent& agent = booted.agent;
  const std::uint64_t table = booted.agent.physical().multicast_table;
  const auto valid = [&](unsigned offset) {
    return nic::MulticastEntry::decode(booted.words<2>(table + std::uint64_t{16} * offset)).valid;
  };
  CHECK(agent.register_multicast({1, 2})[0].offset == 0);
  CHECK(agent.register_multicast({2, 1})[0].offset == 0);
  CHECK(agent.register_multicast({3})[0].offset == 1);
  agent.release_multicast({0});
  CHECK(valid(0));
  agent.release_multicast({0});
  CHECK_FALSE(valid(0));
  CHECK(valid(1));
  CHECK_THROWS_WITH(agent.release_multicast({0}), Catch::Contains("multicast header 0 is not registered"));
  CHECK_THROWS_WITH(agent.release_multicast({2}), Catch::Contains("multicast header 2 is not registered"));
  CHECK(agent.register_multicast({5})[0].offset == 0);
  CHECK(agent.register_synchronization({1, 2}, 7) == 0);
  agent.release_synchronization(0);
  CHECK_THROWS_WITH(agent.release_synchronization(0),
                    Catch::Contains("synchronization header 0 is not registered"));
  CHECK(agent.register_synchronization({3, 4}, 9) == 0);
}

TEST_CASE(
    "os agent: a task without its set sees its refusal when it gets the set again, and no refused reply") {
  std::vector<OsTask> tasks;
  for (unsigned task = 0; task < 2; ++task) {
    OsConfig config;
    config.cid = static_cast<std::uint8_t>(11 + task);
    tasks.emplace_back(config, 0, nodes_of_pes());
  }
  Clocks clocks;
  OsAgent own(std::move(tasks), 512ULL << 20);
  constexpr std::uint64_t os2 = nic::sender_os_base + 2 * nic::sender_set_stride;
  constexpr auto segment = static_cast<std::uint64_t>(nic::Violation::segment);
  Node* bench = nullptr;
  std::vector<unsigned> told;
  own.set_offence_handler([&](const OsAgent::Offence& offence) { told.push_back(offence.place); });
  std::vector<std::uint64_t> states;
  Node node("n", clocks.main, clocks.half, {}, [&](Cpu& cpu) {
    auto& values = bench->registers.values;
    for (const std::uint64_t place : {2, 1}) {  // its own set, and that of the replies
      values[os2 + nic::queue_state] = 0x40 | 0x40 << 16;
      CHECK(own.schedule(cpu, 0, {true, true}) == 1);
      values[nic::event_os_base + nic::event_pending] =
          std::uint64_t{1} << static_cast<unsigned>(nic::NicEvent::sender_refused);
      values[nic::event_os_base + nic::sender_refusal] = segment | 11 << 8 | place << 16;
      own.interrupt(cpu);
      CHECK(own.schedule(cpu, 1, {true, true}) == 0);
      states.push_back(bench->registers.writes.back().second);
    }
  });
  bench = &node;
  boot_and_run(node, own, clocks);
  CHECK(told == std::vector<unsigned>{2, 1});
  CHECK(states == std::vector<std::uint64_t>{0x40 | 0x40 << 16 | segment << 32, 0x40 | 0x40 << 16});
}
