// SPDX-License-Identifier: Apache-2.0
#include "nic/system.h"
#include "support/catch.h"

namespace tsuji::test {

using namespace tsuji::nic;

System::System(Clocks& clocks, Node& node, Cycle delay) : clocks_(clocks), node_(node), delay_(delay) {
  node.nic.set_interrupt_line(this);
  node.set(event_os_base + event_enable, ~std::uint64_t{0});
}

void System::raised(Cycle now) {
  REQUIRE(clocks_.domain.cycle_at_kernel_time() == now);
  raised_at.push_back(now);
  clocks_.at(now + delay_, [this, now] { interrupt(now + delay_); });
}

void System::interrupt(Cycle now) {
  const std::uint64_t pending = node_.get(event_os_base + event_pending);
  node_.write(event_os_base + event_pending, pending);
  if (pending == 0) return;
  events.push_back(pending);
  take_refusal(sender_refusal);
  take_refusal(receiver_refusal);
  take_fault(sender_fault_state, sender_fault_address, now);
  take_fault(receiver_fault_state, receiver_fault_address, now);
}

void System::take_refusal(std::uint64_t offset) {
  const std::uint64_t word = node_.get(event_os_base + offset);
  const Refused refused{static_cast<Violation>(word & 0xff), static_cast<unsigned>(word >> 8U & 0xff),
                        static_cast<unsigned>(word >> 16U & 0xffff)};
  if (refused.cause == Violation::none) return;
  for (std::uint64_t n = 0; n <= word >> 32U; ++n) refusals.push_back(refused);
  node_.write(event_os_base + offset, word);
}

void System::take_fault(std::uint64_t offset, std::uint64_t address_offset, Cycle now) {
  const std::uint64_t word = node_.get(event_os_base + offset);
  if (word == 0) return;
  const Faulted fault{static_cast<Violation>(word & 0xff), static_cast<unsigned>(word >> 8U & 0xff),
                      (word >> 16U & 1U) != 0, node_.get(event_os_base + address_offset)};
  faults.push_back(fault);
  const bool again = maps && node_.map_again(fault.cid, fault.address);
  node_.write(event_os_base + offset, again ? fault_retry : fault_refuse);
  answered_at = now;
}

}  // namespace tsuji::test
