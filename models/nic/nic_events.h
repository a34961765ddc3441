#pragma once

#include <array>
#include <cstdint>

#include "tsuji/core/units.h"
#include "tsuji/link/interrupt_line.h"

namespace tsuji::nic {

/// Why the interface refuses what a task asked for (README.md, Protection). Numbers are those of the status
/// registers; 0: nothing was refused.
enum class Violation : std::uint8_t {
  none = 0,
  header = 1,         ///< a header that `parcel_problem` refuses
  destination = 2,    ///< a logical PE or an offset beyond its table, or without an entry
  write_pointer = 3,  ///< outside the queue, no header's, or beyond the read pointer
  segment = 4,        ///< an address in no segment of its cid
  page = 5,           ///< a page without a valid entry
  read_only = 6,      ///< a write to a page that is read only
  buffer = 7,     ///< a packet for a buffer that its cid does not have, or whose read pointer lies outside
  overrun = 8,    ///< a packet for a message or log buffer without room
  alignment = 9,  ///< a register plus offset that is no address of a packet's data
  remote = 10,    ///< the other node has refused a request: its address is not mapped there
};
const char* name_of(Violation violation);

/// What the operating system can be interrupted for; the number is the bit in `event_pending`.
enum class NicEvent : std::uint8_t {
  sender_refused = 0,    ///< a header or a write pointer, or the rest of a parcel
  sender_fault = 1,      ///< SPM waits for a page
  receiver_refused = 2,  ///< a packet
  receiver_fault = 3,    ///< the Receiver waits for a page
  sender_empty = 4,      ///< a set's queue is empty and its last packet has left
  received = 5,          ///< a parcel whose header asks for it has been written out
  quarter = 6,           ///< a message or log buffer's pointer has entered another quarter
};

/// Lists of cids, a bit each, that an event concerns.
enum class CidList : std::uint8_t { received, message0_quarter, message1_quarter, log_quarter };
inline constexpr unsigned cid_lists = 4;
inline constexpr unsigned cid_list_words = 4;

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
  /// Word 0..3 of a list: cids 64 w to 64 w + 63.
  std::uint64_t cid_bits(CidList list, unsigned word) const { return cids_[index(list)][word]; }
  void clear_cid_bits(CidList list, unsigned word, std::uint64_t bits) { cids_[index(list)][word] &= ~bits; }

 private:
  static unsigned index(CidList list) { return static_cast<unsigned>(list); }
  void add(CidList list, unsigned cid) { cids_[index(list)][cid / 64] |= std::uint64_t{1} << cid % 64; }
  static void note(Refusal& own, Violation cause, unsigned cid, unsigned place);

  InterruptLine* line_ = nullptr;
  std::uint64_t pending_ = 0, enabled_ = 0;
  Fault sender_fault_, receiver_fault_;
  Refusal sender_refusal_, receiver_refusal_;
  std::uint64_t empty_sets_ = 0;
  std::array<std::array<std::uint64_t, cid_list_words>, cid_lists> cids_{};
};

}  // namespace tsuji::nic
