// SPDX-License-Identifier: Apache-2.0
#include "tsuji/host/os_agent.h"
#include "tsuji/nic/registers.h"

namespace tsuji::host {
namespace {

constexpr std::uint64_t task_page = nic::receiver_task_base;

std::uint64_t address_register(std::size_t n) {
  return task_page + nic::address_register0 + 8 * n;
}
std::uint64_t read_pointer(std::size_t n) {
  return task_page + nic::message_read_pointer0 + 8 * n;
}

}  // namespace

/// In the order of their numbers, which is the same on all nodes, so that nodes that share their tasks and
/// change them at one time have the ranks of one task at one time.
unsigned OsAgent::schedule(Cpu& cpu, unsigned present, const std::vector<bool>& runnable) {
  unsigned next = present;
  do next = (next + 1) % tasks();
  while (!runnable[next]);
  if (next == present) return next;
  cpu.compute(task_switch_cycles_);
  exchange_receiver(cpu, tasks_[present], tasks_[next]);
  exchange_set(cpu, tasks_[next]);
  return next;
}

/// The values that are written go to the next task's entries of the tables once more; they are there already.
void OsAgent::exchange_receiver(Cpu& cpu, OsTask& from, const OsTask& to) const {
  for (std::size_t n = 0; n < 3; ++n) {
    from.saved.address[n] = cpu.register_read(address_register(n));
    from.saved.read[n] = cpu.register_read(read_pointer(n));
  }
  cpu.register_write(nic::common_os_base + nic::receiver_cid, to.cid());
  for (std::size_t n = 0; n < 3; ++n) {
    cpu.register_write(address_register(n), to.saved.address[n]);
    cpu.register_write(read_pointer(n), to.saved.read[n]);
  }
}

/// A task keeps its set, and sends from it, until another running task needs the set.
void OsAgent::exchange_set(Cpu& cpu, OsTask& to) {
  OsTask*& owner = loaded_[to.config().sender_set];
  if (owner == &to) return;
  cpu.register_write(owner->os_page() + nic::queue_bytes, 0);
  owner->saved.queue_state = cpu.register_read(owner->os_page() + nic::queue_state);
  for (const auto& [offset, value] : to.set_registers()) cpu.register_write(offset, value);
  cpu.register_write(to.os_page() + nic::queue_state, to.saved.queue_state);
  owner = &to;
}

}  // namespace tsuji::host
