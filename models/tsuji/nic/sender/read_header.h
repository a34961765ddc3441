// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>

#include "tsuji/nic/first_hop.h"
#include "tsuji/nic/memory_port.h"
#include "tsuji/nic/nic_config.h"
#include "tsuji/nic/nic_events.h"
#include "tsuji/nic/sender/header_registers.h"

namespace tsuji::nic {

/// RHM, the Read Header Module (Kanoh 2000, 4.2): reads the next parcel header from the non-empty queues in
/// round-robin order, checks it, looks its destination up in the node, multicast header or synchronization
/// header table, adds the port bits and writes it into a header register.
///
/// Contract: in each of its cycles the Sender calls finish_store() and collect() before SPM's turn, advance()
/// after it, and due() at the end of the cycle. The other functions are called between cycles.
class ReadHeader {
 public:
  std::string stands_for() const { return "RHM, which reads headers of parcels (Kanoh 2000, section 4.2)"; }
  /// States, numbered as in the waveform.
  enum class State : std::uint8_t { idle, fetch, fetching, look_up, looking_up, store };

  ReadHeader(const SenderConfig& config, const sc_core::sc_object& module, const FirstHop& first_hop,
             ControlRegisterSets& sets, HeaderRegisters& registers, MemoryPort& port, NicEvents& events);

  /// Makes a parcel visible to SPM from the cycle after its header register was written. Called before SPM's
  /// turn.
  void finish_store(Cycle now) {
    if (state_ != State::store || now <= due_) return;
    registers_.enter(register_, due_);
    go_idle(due_ + 1);
  }
  /// finish_store() before its cycle, for a parcel that nothing can precede. Returns the cycle from which SPM
  /// may choose it. The state is `store`.
  Cycle finish_ahead();
  /// Takes an answer of memory. Called first in the Sender's cycle, so that the port is free in this cycle.
  /// Returns true if RHM has used the port's turn that is due next.
  bool collect(Cycle now);
  /// True if RHM has a request for the memory port in cycle `now`.
  bool wants_port(Cycle now) const {
    return (state_ == State::fetch || state_ == State::look_up) && now >= due_;
  }
  /// Does the work of the present state: chooses a queue, or sends a request to memory.
  void advance(Cycle now) {
    if (state_ == State::idle) {
      if (may_have_header_) select(now);
    } else if (state_ == State::fetch || state_ == State::look_up) {
      request(now);
    }
  }
  /// Reports that a queue's pointers or its place have changed.
  void queue_changed() { may_have_header_ = true; }
  /// Chooses a queue for the future cycle `now` if RHM is idle. Of two write pointers for one cycle the one
  /// that was written first is chosen. Returns false if no queue was chosen.
  bool choose_ahead(Cycle now) {
    if (state_ != State::idle) return false;
    select(now);
    return state_ == State::fetch;
  }
  /// Next cycle with work, without a wake-up by the memory port; never: none.
  Cycle due(Cycle now) const;
  State state() const { return state_; }
  /// Sends each request in its own cycle, for waveforms; results do not change.
  void show_each_step() { shows_each_step_ = true; }
  /// Reports that the set has another queue, whose next header may be read.
  void exchanged(unsigned set) { held_ &= ~(1U << set); }
  /// Reports that the reply to a request has arrived.
  void answered() { --outstanding_; }
  /// Number of requests that have no reply yet.
  unsigned outstanding() const { return outstanding_; }

 private:
  void go_idle(Cycle due) {
    state_ = State::idle;
    due_ = due;
  }
  [[noreturn]] void fail(Cycle now, const std::string& what) const;
  /// Drops the header, and reports the refusal to task and operating system.
  void refuse(Cycle now, Violation cause, const std::string& what);
  std::uint32_t queues_with_headers() const;
  void select(Cycle now);
  void request(Cycle now);
  bool look_up_ahead(Cycle now);
  /// True if the set has got another queue since the header was chosen.
  bool queue_left() const;
  void forget(Cycle now);
  void take_header(Cycle now);
  bool puts_back(const ParcelHeader& header, unsigned set);
  void take_reply_path(Cycle now);
  void take_physical_node(Cycle now);
  void take_entry(Cycle now);
  /// False: the header was refused.
  bool find_entry(Cycle now, const ParcelState& parcel);

  const SenderConfig& config_;
  const sc_core::sc_object& module_;
  const FirstHop& first_hop_;
  ControlRegisterSets& sets_;
  HeaderRegisters& registers_;
  MemoryPort& port_;
  NicEvents& events_;
  QueueScheduler scheduler_{sender_sets};
  State state_ = State::idle;
  bool shows_each_step_ = false;
  bool may_have_header_ = false;  ///< false: all queues are empty
  Cycle due_ = 0;
  unsigned register_ = 0;
  std::uint64_t entry_address_ = 0;
  unsigned entry_bytes_ = 0;
  unsigned outstanding_ = 0;
  std::uint32_t held_ = 0;  ///< one bit for each set whose next header is a request above the limit
};

}  // namespace tsuji::nic
