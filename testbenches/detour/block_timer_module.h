// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <systemc>

#include "tsuji/router/progress_timer.h"

namespace tsuji::router {

/// Block timers of a router's input virtual channels with pins, 18 of them: ProgressTimer, which checks all
/// heads when a timer may have expired, and the heads at the fronts. In one cycle, heads leave first, then
/// others arrive. Outputs show the beginning of a cycle: an expired head reads the table again in this cycle.
class BlockTimerModule final : public sc_core::sc_module {
 public:
  static constexpr unsigned inputs = 18;

  sc_core::sc_in<bool> clock{"clock"};
  sc_core::sc_in<bool> reset{"reset"};
  // A bit for each input virtual channel.
  sc_core::sc_in<std::uint32_t> come{"come"};  ///< a head reaches the front, or restarts its timer
  sc_core::sc_in<std::uint32_t> in_recovery{
      "in_recovery"};  ///< the arriving head is in recovery, as all heads on UD channels are
  sc_core::sc_in<std::uint32_t> leave{"leave"};       ///< the head leaves
  sc_core::sc_in<std::uint32_t> to_node{"to_node"};   ///< the head waits for ejection, until it leaves
  sc_core::sc_out<std::uint32_t> expired{"expired"};  ///< for a cycle; the head is then in recovery

  BlockTimerModule(sc_core::sc_module_name name, Cycle timeout_cycles);

  SC_HAS_PROCESS(BlockTimerModule);

 private:
  void on_edge();
  void take_heads();
  std::uint32_t look();

  const Cycle timeout_cycles_;
  ProgressTimer timer_;
  std::array<Cycle, inputs> since_ = {};
  std::uint32_t stands_ = 0, recovers_ = 0;
  Cycle now_ = 1;
};

}  // namespace tsuji::router
