// SPDX-License-Identifier: Apache-2.0
#include "tsuji/machines/cenju4/task_services.h"

namespace tsuji::machines {
namespace {

using Pes = std::vector<std::uint16_t>;

}  // namespace

void TaskServices::ask_for_group(std::uint32_t, const std::vector<std::uint32_t>& members, Cycle now) {
  if (!synchronizes_) return;
  const std::uint64_t map = os_.synchronization_map(Pes(members.begin(), members.end()), task_);
  sids_.request(now, sids_group(map, registered_[map]));
}

host::GroupHandle TaskServices::register_group(std::uint32_t, const std::vector<std::uint32_t>& members) {
  const Pes pes(members.begin(), members.end());
  host::GroupHandle handle;
  for (const auto& part : os_.register_multicast(pes, task_)) handle.multicast.push_back(part.offset);
  handle.synchronizes = synchronizes_;
  if (!synchronizes_) return handle;
  const std::uint64_t map = os_.synchronization_map(pes, task_);
  handle.number = registered_[map]++;
  handle.sid = sids_.sid(cpu_.now(), sids_group(map, handle.number));
  handle.synchronization = os_.register_synchronization(pes, handle.sid, task_);
  return handle;
}

void TaskServices::release_group(std::uint32_t, const std::vector<std::uint32_t>& members,
                                 const host::GroupHandle& group, Cycle now) {
  os_.release_multicast(group.multicast, task_);
  if (!group.synchronizes) return;
  os_.release_synchronization(group.synchronization, task_);
  const std::uint64_t map = os_.synchronization_map(Pes(members.begin(), members.end()), task_);
  sids_.release(now, sids_group(map, group.number));
}

}  // namespace tsuji::machines
