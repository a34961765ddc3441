// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "tsuji/core/units.h"
#include "tsuji/link/interrupt_line.h"
#include "tsuji/nic/event_causes.h"

namespace tsuji::nic {

/// Lists of cids that an event concerns, one bit for each cid.
enum class CidList : std::uint8_t { received, message0_quarter, message1_quarter, log_quarter };
inline constexpr unsigned cid_lists = 4;
inline constexpr unsigned cid_list_words = 4;

enum class NicHalf : std::uint8_t { sender, receiver };

/// The events of one interface, from its two halves to the registers (registers.h). Reports of one cycle may
/// come in any order: bits are combined by OR, and each half has its own registers. Without an interrupt
/// line, a violation ends the run instead.
class NicEvents {
 public:
  /// A half that waits for a page, with the address and the access of the task.
  struct Fault {
    bool waits = false;
    Violation cause = Violation::none;
    std::uint8_t cid = 0;
    bool write = false;
    std::uint64_t address = 0;
    std::uint64_t encode() const;
  };
  /// The first refusal since the operating system cleared the register; `further` counts those after it, up
  /// to 65,535.
  struct Refusal {
    Violation cause = Violation::none;
    std::uint8_t cid = 0;
    std::uint16_t place = 0;  ///< Sender: set; Receiver: buffer (0, 1: message; 2: log)
    std::uint16_t further = 0;
    std::uint64_t encode() const;
    void forget(std::uint64_t seen);
  };

  /// Sets the interrupt line; null: violations end the run.
  void set_line(InterruptLine* line) { line_ = line; }
  bool handled() const { return line_ != nullptr; }

  void raise(NicEvent event, Cycle now);
  void sender_fault(const Fault& fault, Cycle now);
  void receiver_fault(const Fault& fault, Cycle now);
  void sender_refused(Violation cause, unsigned cid, unsigned set, Cycle now);
  void receiver_refused(Violation cause, unsigned cid, unsigned buffer, Cycle now);
  void sender_empty(unsigned set, Cycle now);
  void received(unsigned cid, Cycle now);
  void quarter(unsigned cid, unsigned buffer, Cycle now);
  void memory_error(NicHalf half, std::uint64_t address, Cycle now);

  std::uint64_t pending() const { return pending_; }
  /// Clears pending events in `now`.
  void clear(std::uint64_t bits, Cycle now);
  std::uint64_t enabled() const { return enabled_; }
  /// Enables events. Events that are already pending interrupt from `now` on.
  void enable(std::uint64_t bits, Cycle now);
  const Fault& sender_fault() const { return sender_fault_; }
  const Fault& receiver_fault() const { return receiver_fault_; }
  void sender_answered() { sender_fault_ = {}; }
  void receiver_answered() { receiver_fault_ = {}; }
  const Refusal& sender_refusal() const { return sender_refusal_; }
  const Refusal& receiver_refusal() const { return receiver_refusal_; }
  /// Clears a refusal that a handler has read; refusals since then remain, under the cause of the first one.
  void clear_sender_refusal(std::uint64_t seen) { sender_refusal_.forget(seen); }
  void clear_receiver_refusal(std::uint64_t seen) { receiver_refusal_.forget(seen); }
  /// One bit for each control-register set.
  std::uint64_t empty_sets() const { return empty_sets_; }
  void clear_empty_sets(std::uint64_t bits) { empty_sets_ &= ~bits; }
  /// Value of the memory-error register (registers.h).
  std::uint64_t memory_error(NicHalf half) const { return memory_errors_[index(half)]; }
  void clear_memory_error(NicHalf half) { memory_errors_[index(half)] = 0; }
  /// Word 0..3 of a list: cids 64 w to 64 w + 63, where w is `word`.
  std::uint64_t cid_bits(CidList list, unsigned word) const { return cids_[index(list)][word]; }
  void clear_cid_bits(CidList list, unsigned word, std::uint64_t bits) { cids_[index(list)][word] &= ~bits; }

 private:
  static unsigned index(CidList list) { return static_cast<unsigned>(list); }
  static unsigned index(NicHalf half) { return static_cast<unsigned>(half); }
  void tell_lowered(bool was_up, Cycle now);
  void add(CidList list, unsigned cid) { cids_[index(list)][cid / 64] |= std::uint64_t{1} << cid % 64; }
  static void note(Refusal& own, Violation cause, unsigned cid, unsigned place);

  InterruptLine* line_ = nullptr;
  std::uint64_t pending_ = 0, enabled_ = 0;
  Fault sender_fault_, receiver_fault_;
  Refusal sender_refusal_, receiver_refusal_;
  std::uint64_t empty_sets_ = 0;
  std::array<std::uint64_t, 2> memory_errors_{};
  std::array<std::array<std::uint64_t, cid_list_words>, cid_lists> cids_{};
};

}  // namespace tsuji::nic
