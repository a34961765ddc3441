// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "tsuji/core/units.h"
#include "tsuji/link/interrupt_line.h"
#include "tsuji/nic/event_causes.h"

namespace tsuji::nic {

/// Lists of cids, a bit each, that an event concerns.
enum class CidList : std::uint8_t { received, message0_quarter, message1_quarter, log_quarter };
inline constexpr unsigned cid_lists = 4;
inline constexpr unsigned cid_list_words = 4;

enum class NicHalf : std::uint8_t { sender, receiver };

/// The events of one interface between its two halves and the registers (registers.h). Reports of one cycle
/// may come in any order: bits are joined, and each half has its own registers. An interface whose interrupt
/// line leads nowhere stops the run with the violation instead.
class NicEvents {
 public:
  /// A half that waits for a page. Address and access as the task gave them.
  struct Fault {
    bool waits = false;
    Violation cause = Violation::none;
    std::uint8_t cid = 0;
    bool write = false;
    std::uint64_t address = 0;
    std::uint64_t encode() const;
  };
  /// The first refusal since the operating system cleared it; `further` counts those after it, up to 65,535.
  struct Refusal {
    Violation cause = Violation::none;
    std::uint8_t cid = 0;
    std::uint16_t place = 0;  ///< Sender: set; Receiver: buffer (0, 1: message; 2: log)
    std::uint16_t further = 0;
    std::uint64_t encode() const;
    void forget(std::uint64_t seen);
  };

  /// Null: violations stop the run.
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
  void clear(std::uint64_t bits) { pending_ &= ~bits; }
  std::uint64_t enabled() const { return enabled_; }
  /// Events that are pending already are raised from `now` on.
  void enable(std::uint64_t bits, Cycle now);
  const Fault& sender_fault() const { return sender_fault_; }
  const Fault& receiver_fault() const { return receiver_fault_; }
  void sender_answered() { sender_fault_ = {}; }
  void receiver_answered() { receiver_fault_ = {}; }
  const Refusal& sender_refusal() const { return sender_refusal_; }
  const Refusal& receiver_refusal() const { return receiver_refusal_; }
  /// Takes away what a handler has read; refusals since then stay, under the first one's cause.
  void clear_sender_refusal(std::uint64_t seen) { sender_refusal_.forget(seen); }
  void clear_receiver_refusal(std::uint64_t seen) { receiver_refusal_.forget(seen); }
  /// Bit per control-register set.
  std::uint64_t empty_sets() const { return empty_sets_; }
  void clear_empty_sets(std::uint64_t bits) { empty_sets_ &= ~bits; }
  /// As in registers.h.
  std::uint64_t memory_error(NicHalf half) const { return memory_errors_[index(half)]; }
  void clear_memory_error(NicHalf half) { memory_errors_[index(half)] = 0; }
  /// Word 0..3 of a list: cids 64 w to 64 w + 63.
  std::uint64_t cid_bits(CidList list, unsigned word) const { return cids_[index(list)][word]; }
  void clear_cid_bits(CidList list, unsigned word, std::uint64_t bits) { cids_[index(list)][word] &= ~bits; }

 private:
  static unsigned index(CidList list) { return static_cast<unsigned>(list); }
  static unsigned index(NicHalf half) { return static_cast<unsigned>(half); }
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
