// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "tsuji/host/library/os_services.h"
#include "tsuji/host/os_agent.h"
#include "tsuji/host/sid_allocator.h"

namespace tsuji::machines {

/// System calls of one task for groups: the node's operating system registers headers, and the machine's
/// allocator assigns sids.
class TaskServices final : public host::OsServices {
 public:
  /// `task` is the number of the task on the node; `synchronizes`: the network supports synchronization.
  TaskServices(host::OsAgent& os, unsigned task, host::SidAllocator& sids, host::Cpu& cpu, bool synchronizes)
      : os_(os), task_(task), sids_(sids), cpu_(cpu), synchronizes_(synchronizes) {}

  /// Requests a sid. The allocator answers one cycle after all requests of this cycle.
  void ask_for_group(std::uint32_t pe, const std::vector<std::uint32_t>& members, Cycle now) override;
  host::GroupHandle register_group(std::uint32_t pe, const std::vector<std::uint32_t>& members) override;
  void release_group(std::uint32_t pe, const std::vector<std::uint32_t>& members,
                     const host::GroupHandle& group, Cycle now) override;

 private:
  host::SidAllocator::Group sids_group(std::uint64_t map, std::uint32_t number) const {
    return {os_.layout(task_).cid, map, number};
  }

  host::OsAgent& os_;
  const unsigned task_;
  host::SidAllocator& sids_;
  host::Cpu& cpu_;
  const bool synchronizes_;
  /// [set of nodes]: number of registrations, equal on all of these nodes.
  std::map<std::uint64_t, std::uint32_t> registered_;
};

}  // namespace tsuji::machines
