// SPDX-License-Identifier: Apache-2.0
#include "tsuji/core/error.h"
#include "tsuji/host/os_agent.h"
#include "tsuji/nic/parcel.h"

namespace tsuji::host {
namespace {

bool holds(std::uint64_t pending, nic::NicEvent event) {
  return (pending >> static_cast<unsigned>(event) & 1U) != 0;
}

}  // namespace

void OsAgent::interrupt(Cpu& cpu) {
  constexpr std::uint64_t events = nic::event_os_base;
  const std::uint64_t pending = cpu.register_read(events + nic::event_pending);
  if (pending == 0) return;
  cpu.register_write(events + nic::event_pending, pending);
  if (holds(pending, nic::NicEvent::sender_fault))
    answer_fault(cpu, events + nic::sender_fault_state, events + nic::sender_fault_address);
  if (holds(pending, nic::NicEvent::receiver_fault))
    answer_fault(cpu, events + nic::receiver_fault_state, events + nic::receiver_fault_address);
  if (holds(pending, nic::NicEvent::sender_refused)) take_refusal(cpu, events + nic::sender_refusal, true);
  if (holds(pending, nic::NicEvent::receiver_refused))
    take_refusal(cpu, events + nic::receiver_refusal, false);
  if (holds(pending, nic::NicEvent::memory_error)) {
    take_memory_error(cpu, events + nic::sender_memory_error, true);
    take_memory_error(cpu, events + nic::receiver_memory_error, false);
  }
}

void OsAgent::take_memory_error(Cpu& cpu, std::uint64_t offset, bool sender) {
  const std::uint64_t word = cpu.register_read(offset);
  if (word == 0) return;
  cpu.register_write(offset, 0);
  const std::uint64_t address = word & ~(std::uint64_t{1} << 63U);
  if (on_memory_error_) return on_memory_error_(sender, address);
  throw ModelError("os agent of node " + std::to_string(cpu.node()), cpu.now(), "",
                   std::string("memory refused a request of the ") + (sender ? "Sender" : "Receiver") +
                       " at physical address " + std::to_string(address));
}

void OsAgent::answer_fault(Cpu& cpu, std::uint64_t state, std::uint64_t address) {
  const std::uint64_t word = cpu.register_read(state);
  if (word == 0) return;  // answered already
  const std::uint64_t logical = cpu.register_read(address);
  const OsTask* task = task_of(static_cast<unsigned>(word >> 8U & 0xff));
  const bool on_demand = static_cast<nic::Violation>(word & 0xff) == nic::Violation::page &&
                         task != nullptr && task->map_page(node_, logical);
  if (on_demand) {
    cpu.compute(page_fault_cycles_);
    ++page_faults_;
  }
  cpu.register_write(state, on_demand ? nic::fault_retry : nic::fault_refuse);
}

/// Problem of the header that this set's status names; the header still lies in the queue, until the task
/// writes over it.
std::string OsAgent::header_detail(Cpu& cpu, unsigned set) const {
  const std::uint64_t page = set * nic::sender_set_stride;
  const std::uint64_t offset =
      cpu.register_read(nic::sender_set_base + page + nic::queue_status) >> 16U & 0xffff;
  const std::uint64_t base = cpu.register_read(nic::sender_os_base + page + nic::queue_base);
  std::array<std::uint64_t, 4> words{};
  node_.read_words(base + offset, words.data(), words.size());
  return nic::parcel_problem(nic::ParcelHeader::decode(words), set);
}

/// The status that the set would have shown to its task, which reads it when it has the set again.
void OsAgent::tell_absent(const Offence& offence) {
  constexpr std::uint64_t cause_bits = 0xff;
  std::uint64_t& state = task_of(offence.cid)->saved.queue_state;
  state = (state & 0xffffffff) | (static_cast<std::uint64_t>(offence.cause) & cause_bits) << 32U;
}

void OsAgent::take_refusal(Cpu& cpu, std::uint64_t offset, bool sent) {
  const std::uint64_t word = cpu.register_read(offset);
  if (word == 0) return;
  Offence offence;
  offence.cause = static_cast<nic::Violation>(word & 0xff);
  offence.cid = static_cast<unsigned>(word >> 8U & 0xff);
  offence.sent = sent;
  offence.place = static_cast<unsigned>(word >> 16U & 0xffff);
  offence.count = 1 + (word >> 32U);
  const OsTask* task = task_of(offence.cid);
  // A refused reply is of the replies' set, whosever memory was asked for.
  const bool absent =
      sent && task != nullptr && task->config().sender_set == offence.place && !in_its_set(*task);
  if (absent) tell_absent(offence);
  if (sent && !absent && offence.cause == nic::Violation::header)
    offence.detail = header_detail(cpu, offence.place);
  cpu.register_write(offset, word);
  if (on_offence_) return on_offence_(offence);
  throw ModelError("os agent of node " + std::to_string(cpu.node()), cpu.now(), "",
                   "the task of cid " + std::to_string(offence.cid) +
                       (sent ? " has sent from set " : " has received in buffer ") +
                       std::to_string(offence.place) + ": " + nic::name_of(offence.cause) +
                       (offence.detail.empty() ? "" : ": " + offence.detail));
}

}  // namespace tsuji::host
