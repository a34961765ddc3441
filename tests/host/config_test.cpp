// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <string>
#include <vector>

#include "support/catch.h"
#include "support/refusals.h"
#include "support/thrown.h"
#include "tsuji/host/cache.h"
#include "tsuji/host/memory.h"
#include "tsuji/host/memory_service.h"
#include "tsuji/host/os_agent.h"
#include "tsuji/host/processor.h"

using namespace tsuji;
using namespace tsuji::host;
using tsuji::test::check_bounds;
using tsuji::test::refused_key;

namespace {

/// Checks that time `ns` of an otherwise valid configuration is accepted at `least` and refused below.
template <class Config>
void check_time(const char* key, Config& config, double& ns, double least = 0) {
  INFO(key);
  const double valid = ns;
  ns = least;
  CHECK(refused_key(config).empty());
  for (const double bad : {least - 0.0001, -1.0, std::nan("")}) {
    ns = bad;
    CHECK(refused_key(config) == key);
  }
  ns = valid;
}

constexpr std::uint64_t memory_bytes = 512ULL << 20;  // Kanoh 2000, section 2

/// The key with which an operating system's agent is refused; empty if it is accepted.
std::string refused_agent(const OsConfig& config, std::uint16_t logical_pe, const std::vector<NodeId>& nodes,
                          std::uint64_t bytes = memory_bytes) {
  const auto error = tsuji::test::thrown<ConfigError>([&] { OsAgent(config, logical_pe, nodes, bytes); });
  return error ? error->key() : std::string();
}

}  // namespace

TEST_CASE("a cache has 1 to 16 ways, lines of 8 to 128 bytes, and a power of two of sets") {
  CacheConfig config;
  config.bytes = 2 * 128;
  for (const unsigned ways : {1U, 2U, 3U, 16U}) {
    config.ways = ways;
    for (const std::uint64_t sets : {1U, 2U, 4096U}) {
      config.bytes = sets * ways * 128;
      CHECK(refused_key(config).empty());
    }
    for (const std::uint64_t bytes : {0U, ways * 128 * 3, ways * 128 + 8, ways * 64}) {
      config.bytes = bytes;
      CHECK(refused_key(config) == "cache.bytes");
    }
  }
  for (const unsigned ways : {0U, 17U}) {
    config.ways = ways;
    CHECK(refused_key(config) == "cache.ways");
  }
  config = {};
  for (const unsigned bytes : {8U, 16U, 32U, 64U, 128U}) {
    config.line_bytes = bytes;
    CHECK(refused_key(config).empty());
  }
  for (const unsigned bytes : {0U, 4U, 24U, 96U, 256U}) {
    config.line_bytes = bytes;
    CHECK(refused_key(config) == "cache.line_bytes");
  }
}

TEST_CASE(
    "times of memory, controller and processor are accepted down to their minimum, and refused below it") {
  MemoryConfig memory;
  check_time("memory.first_word_ns", memory, memory.first_word_ns);
  check_time("memory.word_ns", memory, memory.word_ns);
  MemoryControllerConfig controller;
  check_time("memory.clean_answer_ns", controller, controller.clean_answer_ns);
  check_time("memory.dirty_answer_ns", controller, controller.dirty_answer_ns);
  check_time("memory.dirty_word_ns", controller, controller.dirty_word_ns, 0.001);
  check_time("memory.first_word_ns", controller, controller.memory_first_word_ns, 0.001);
  check_time("memory.word_ns", controller, controller.memory_word_ns, 0.001);
  check_time("memory.write_ns", controller, controller.write_ns);
  check_time("memory.read_modify_ns", controller, controller.read_modify_ns);
  check_time("memory.refusal_ns", controller, controller.refusal_ns, 0.001);
  ProcessorConfig processor;
  check_time("processor.hit_ns", processor, processor.hit_ns);
  check_time("processor.store_ns", processor, processor.store_ns);
  check_time("processor.block_word_ns", processor, processor.block_word_ns);
  check_time("processor.register_write_ns", processor, processor.register_write_ns);
  check_time("processor.register_read_ns", processor, processor.register_read_ns);
  check_time("processor.system_call_ns", processor, processor.system_call_ns);
  check_time("processor.interrupt_ns", processor, processor.interrupt_ns);
}

TEST_CASE("a time that is too short is refused with the minimum") {
  MemoryControllerConfig controller;
  controller.write_ns = -1;
  CHECK_THROWS_WITH(controller.validate(), Catch::EndsWith("accepted: 0 or more"));
  controller = {};
  controller.dirty_word_ns = 0;
  CHECK_THROWS_WITH(controller.validate(), Catch::EndsWith("accepted: 0.001 ns or more"));
}

TEST_CASE("a processor has a poll loop, a stack, and lines of the memory controller's size") {
  ProcessorConfig config;
  config.poll_loop_cycles = 1;
  config.stack_bytes = 16384;
  CHECK(refused_key(config).empty());
  config.poll_loop_cycles = 0;
  CHECK(refused_key(config) == "processor.poll_loop_cycles");
  config = {};
  config.stack_bytes = 16383;
  CHECK(refused_key(config) == "processor.stack_bytes");
  config = {};
  config.cache.line_bytes = 64;
  CHECK(refused_key(config) == "cache.line_bytes");
  config = {};
  config.cache.ways = 0;
  CHECK(refused_key(config) == "cache.ways");
}

TEST_CASE("resources of a task are accepted up to their bounds, and refused beyond them") {
  OsConfig config;
  check_bounds("os.sender_set", config, config.sender_set, 2, 3);
  check_bounds("os.queue_bytes", config, config.queue_bytes, 4096, 65536);
  check_bounds("os.message_buffer0_bytes", config, config.message_buffer0_bytes, 0, 64U << 20);
  check_bounds("os.message_buffer1_bytes", config, config.message_buffer1_bytes, 0, 64U << 20);
  check_bounds("os.log_buffer_bytes", config, config.log_buffer_bytes, 0, 64U << 20);
  check_bounds("os.heap_bytes", config, config.heap_bytes, 4096, 256U << 20);
  check_bounds("os.multicast_entries", config, config.multicast_entries, 1, 4096);
  check_bounds("os.synchronization_entries", config, config.synchronization_entries, 1, 4096);
  // Sizes beyond the bounds by their smallest step, and sizes between valid ones.
  const auto refused = [](auto change) {
    OsConfig one;
    change(one);
    return refused_key(one);
  };
  CHECK(refused([](auto& c) { c.queue_bytes = 2048; }) == "os.queue_bytes");
  CHECK(refused([](auto& c) { c.queue_bytes = 12288; }) == "os.queue_bytes");
  CHECK(refused([](auto& c) { c.queue_bytes = 131072; }) == "os.queue_bytes");
  CHECK(refused([](auto& c) { c.message_buffer0_bytes = 64; }) == "os.message_buffer0_bytes");
  CHECK(refused([](auto& c) { c.message_buffer1_bytes = (64U << 20) + 128; }) == "os.message_buffer1_bytes");
  CHECK(refused([](auto& c) { c.heap_bytes = 2048; }) == "os.heap_bytes");
  CHECK(refused([](auto& c) { c.heap_bytes = (256U << 20) + 4096; }) == "os.heap_bytes");
  CHECK(refused([](auto& c) { c.heap_bytes = 0; }) == "os.heap_bytes");
}

TEST_CASE("a task has 1 to 4,096 logical processors on nodes below 1,024, all within its memory") {
  const OsConfig config;
  const std::vector<NodeId> most(4096, 1023);
  CHECK(refused_agent(config, 4095, most).empty());
  CHECK(refused_agent(config, 0, std::vector<NodeId>(4097, 0)) == "os.pes");
  CHECK(refused_agent(config, 0, {}) == "os.pes");
  CHECK(refused_agent(config, 0, {0, 1024}) == "os.nodes");
  CHECK(refused_agent(config, 2, {0, 1}) == "os.logical_pe");
  CHECK(refused_agent(config, 1, {0, 1}).empty());
  const std::uint64_t end = OsAgent(config, 0, {0, 1}, memory_bytes).tables_in_memory().end;
  CHECK(refused_agent(config, 0, {0, 1}, end).empty());
  CHECK(refused_agent(config, 0, {0, 1}, end - 1) == "memory.bytes");
}

TEST_CASE("a task of a default configuration has the resources of the handbook") {
  constexpr std::uint64_t kb = 1024;
  const OsConfig config;
  CHECK(config.cid == 1);
  CHECK(config.sender_set == 2);
  CHECK(config.queue_bytes == 16 * kb);
  CHECK(config.message_buffer0_bytes == 64 * kb);
  CHECK(config.message_buffer1_bytes == 64 * kb);
  CHECK(config.log_buffer_bytes == 16 * kb);
  CHECK(config.heap_bytes == 4 * kb * kb);
  CHECK(config.multicast_entries == 64);
  CHECK(config.synchronization_entries == nic::sids);
}

TEST_CASE("a node has the paper's memory size") {
  CHECK(MemoryConfig{}.bytes == memory_bytes);
}
