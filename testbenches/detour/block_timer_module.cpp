// SPDX-License-Identifier: Apache-2.0
#include "detour/block_timer_module.h"

namespace tsuji::router {

BlockTimerModule::BlockTimerModule(sc_core::sc_module_name module_name, Cycle timeout_cycles)
    : sc_module(module_name), timeout_cycles_(timeout_cycles), timer_(timeout_cycles) {
  SC_METHOD(on_edge);
  sensitive << clock.pos();
  dont_initialize();
}

void BlockTimerModule::on_edge() {
  if (reset.read()) {
    timer_ = ProgressTimer(timeout_cycles_);
    stands_ = recovers_ = 0;
  } else {
    take_heads();
  }
  ++now_;
  expired.write(look());
}

void BlockTimerModule::take_heads() {
  stands_ = (stands_ & ~leave.read()) | come.read();
  recovers_ = (recovers_ & stands_ & ~come.read()) | (come.read() & in_recovery.read());
  for (unsigned input = 0; input < inputs; ++input) {
    if ((come.read() >> input & 1U) == 0) continue;
    since_[input] = now_;
    if ((in_recovery.read() >> input & 1U) == 0) timer_.start(now_);
  }
}

/// As VcRouter::recover_late_heads(), first in a cycle.
std::uint32_t BlockTimerModule::look() {
  if (timer_.next_look() > now_) return 0;
  std::uint32_t late = 0;
  timer_.begin_look();
  for (unsigned input = 0; input < inputs; ++input) {
    if ((stands_ >> input & 1U) == 0) continue;
    const bool spared =
        ProgressTimer::spares((to_node.read() >> input & 1U) != 0, (recovers_ >> input & 1U) != 0);
    if (!spared && timer_.late(since_[input], now_)) late |= 1U << input;
  }
  recovers_ |= late;
  return late;
}

}  // namespace tsuji::router
