// SPDX-License-Identifier: Apache-2.0
#include "tsuji/host/library/task_layout.h"

#include <string>

#include "tsuji/core/error.h"
#include "tsuji/nic/tables.h"

namespace tsuji::host {
namespace {

constexpr std::uint64_t largest_base_alignment = 65536;

void check(const char* key, std::uint64_t value, std::uint64_t lowest, std::uint64_t highest) {
  if (value >= lowest && value <= highest) return;
  throw ConfigError(std::string("library.") + key, std::to_string(value), "out of range",
                    std::to_string(lowest) + ".." + std::to_string(highest));
}

std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}

/// Allocates consecutive areas. Each begins on a cache line, so that no two areas share a cache line.
class Areas {
 public:
  explicit Areas(std::uint64_t base) : next_(base) {}
  std::uint64_t take(std::uint64_t bytes, std::uint64_t alignment = nic::line_bytes) {
    const std::uint64_t at = round_up(next_, alignment);
    next_ = at + bytes;
    return at;
  }
  std::uint64_t next() const { return next_; }

 private:
  std::uint64_t next_;
};

}  // namespace

void LibraryConfig::validate() const {
  check("header_queue_bytes", header_queue_bytes, 4096, 65536);
  if ((header_queue_bytes & (header_queue_bytes - 1)) != 0) {
    throw ConfigError("library.header_queue_bytes", std::to_string(header_queue_bytes), "not a power of two",
                      "4096 8192 16384 32768 65536");
  }
  check("credits", credits, 1, 64);
  check("send_slots", send_slots, 1, 1024);
  check("rendezvous_slots", rendezvous_slots, 1, 1024);
  check("collective_messages", collective_messages, 1, 1024);
  check("all_reduce_packets", all_reduce_packets, 1, 64);
  check("barrier_fan_in", barrier_fan_in, 2, 64);
  check("heap_bytes", heap_bytes, nic::page_bytes, std::uint64_t{1} << 29);
  if (heap_bytes % nic::page_bytes != 0) {
    throw ConfigError("library.heap_bytes", std::to_string(heap_bytes), "not whole pages",
                      "a multiple of 4096");
  }
}

std::uint64_t message_buffer_bytes(std::uint64_t sources, std::uint64_t credits) {
  const std::uint64_t messages = sources * credits * TaskLayout::slot_bytes;
  return round_up(messages * 4, std::uint64_t{3} * 4 * nic::line_bytes) / 3 + 4 * nic::line_bytes;
}

TaskLayout plan_task_layout(const LibraryConfig& config, std::uint32_t pe, std::uint32_t pes,
                            unsigned register_set, std::uint64_t base, std::uint64_t buffer_entry,
                            std::uint32_t multicast_groups) {
  constexpr std::uint64_t word = 8;
  if (base == 0 || base % largest_base_alignment != 0) {
    throw ConfigError("library.base", std::to_string(base), "cannot hold the header queue",
                      "a multiple of 65536, not 0");
  }
  TaskLayout layout;
  layout.pe = pe;
  layout.pes = pes;
  layout.register_set = register_set;
  layout.buffer_entry = buffer_entry;
  constexpr std::uint32_t group = TaskLayout::multicast_group_nodes;
  layout.multicast_groups = multicast_groups == 0 ? (pes + group - 1) / group : multicast_groups;
  layout.base = base;
  Areas areas(base);
  layout.header_queue_bytes = config.header_queue_bytes;
  layout.header_queue = areas.take(config.header_queue_bytes, config.header_queue_bytes);
  layout.message_buffer_bytes = {message_buffer_bytes(pes, config.credits),
                                 message_buffer_bytes(1, config.collective_messages)};
  for (unsigned buffer = 0; buffer < 2; ++buffer) {
    layout.message_buffer[buffer] = areas.take(layout.message_buffer_bytes[buffer], nic::page_bytes);
  }
  layout.synchronization_counters = areas.take(nic::sids * word, nic::page_bytes);
  layout.barrier_counter = areas.take(word);
  layout.send_slots =
      areas.take(std::uint64_t{TaskLayout::slot_bytes} * config.send_slots, TaskLayout::slot_bytes);
  layout.send_notifications = areas.take(word * config.send_slots);
  layout.credit_table = areas.take(word * pes);
  layout.clear_to_send = areas.take(word * config.rendezvous_slots);
  layout.data_sent = areas.take(word * config.rendezvous_slots);
  layout.data_arrived = areas.take(word * config.rendezvous_slots);
  layout.group_notifications = areas.take(word * layout.multicast_groups);
  layout.release_counter = areas.take(word);
  if (config.realignment == Realignment::software) {
    layout.copy_sent = areas.take(word);
    layout.copy = areas.take(TaskLayout::copy_bytes);
  }
  layout.heap_bytes = config.heap_bytes;
  layout.heap = areas.take(config.heap_bytes, nic::page_bytes);
  layout.end = areas.next();
  return layout;
}

}  // namespace tsuji::host
