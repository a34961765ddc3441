// SPDX-License-Identifier: Apache-2.0
#include "tsuji/host/os_agent.h"

#include <algorithm>

#include "tsuji/core/error.h"
#include "tsuji/nic/parcel.h"

namespace tsuji::host {
namespace {

constexpr std::uint64_t page = nic::page_bytes;

std::vector<OsTask> one_task(const OsConfig& config, std::uint16_t logical_pe,
                             std::vector<NodeId> nodes_of_pes) {
  std::vector<OsTask> tasks;
  tasks.emplace_back(config, logical_pe, std::move(nodes_of_pes));
  return tasks;
}

}  // namespace

OsAgent::OsAgent(std::vector<OsTask> tasks, std::uint64_t memory_bytes) : tasks_(std::move(tasks)) {
  lay_out(memory_bytes);
  for (OsTask& task : tasks_) {
    if (task_of(task.cid()) != &task)
      throw ConfigError("os.cid", std::to_string(task.cid()), "two tasks of a node have this cid",
                        "a different cid for each task");
    OsTask*& owner = loaded_[task.config().sender_set];
    if (owner == nullptr) owner = &task;
  }
}

OsAgent::OsAgent(const OsConfig& config, std::uint16_t logical_pe, std::vector<NodeId> nodes_of_pes,
                 std::uint64_t memory_bytes)
    : OsAgent(one_task(config, logical_pe, std::move(nodes_of_pes)), memory_bytes) {}

unsigned OsAgent::outstanding_requests(unsigned nodes, unsigned wanted) {
  constexpr auto headers = static_cast<unsigned>(reply_queue_bytes / nic::ParcelHeader::bytes - 1);
  return std::max(1U, std::min(wanted, headers / nodes));
}

OsTask* OsAgent::task_of(unsigned cid) {
  const auto found =
      std::find_if(tasks_.begin(), tasks_.end(), [&](const OsTask& task) { return task.cid() == cid; });
  return found == tasks_.end() ? nullptr : &*found;
}

/// Places each area on separate pages, one after the other; page 0 stays free, so that address 0 is invalid.
void OsAgent::lay_out(std::uint64_t memory_bytes) {
  std::uint64_t next = page;
  const auto take = [&](std::uint64_t bytes) {
    const std::uint64_t start = next;
    next += (bytes + page - 1) / page * page;
    return start;
  };
  tables_.segment_table = take(std::uint64_t{nic::cids} * nic::segments_per_cid * nic::SegmentEntry::bytes);
  tables_.buffer_table = take(std::uint64_t{nic::cids} * nic::BufferEntry::bytes);
  tables_.buffer_limit_table = take(std::uint64_t{nic::cids} * nic::BufferLimits::bytes);
  for (OsTask& task : tasks_) task.lay_out(tables_, next);
  next = (next + reply_queue_bytes - 1) / reply_queue_bytes * reply_queue_bytes;
  tables_.reply_queue = take(reply_queue_bytes);
  tables_.end = next;
  if (next > memory_bytes) {
    throw ConfigError("memory.bytes", std::to_string(memory_bytes),
                      "too small for the tasks and their tables", std::to_string(next) + " or more");
  }
}

void OsAgent::boot(tlm::tlm_fw_transport_if<>& memory, tlm::tlm_fw_transport_if<>& registers) {
  node_.bind(memory, registers);
  for (const OsTask& task : tasks_) task.write_tables(node_);
  program_registers();
}

void OsAgent::program_registers() {
  const std::uint64_t common = nic::common_os_base;
  node_.write_register(common + nic::segment_table_base, tables_.segment_table);
  node_.write_register(common + nic::buffer_table_base, tables_.buffer_table);
  node_.write_register(common + nic::buffer_limit_table_base, tables_.buffer_limit_table);
  node_.write_register(common + nic::flush_tlbs, 1);
  node_.write_register(nic::event_os_base + nic::event_enable, ~std::uint64_t{0});
  if (!tasks_.empty()) node_.write_register(common + nic::receiver_cid, tasks_.front().cid());
  for (const OsTask* task : loaded_) {
    if (task == nullptr) continue;
    for (const auto& [offset, value] : task->set_registers()) node_.write_register(offset, value);
  }
  const std::uint64_t replies = nic::sender_os_base + nic::reply_set * nic::sender_set_stride;
  node_.write_register(replies + nic::queue_base, tables_.reply_queue);
  node_.write_register(replies + nic::queue_bytes, reply_queue_bytes);
}

}  // namespace tsuji::host
