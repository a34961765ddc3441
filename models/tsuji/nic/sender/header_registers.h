// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "tsuji/core/units.h"
#include "tsuji/nic/nic_events.h"
#include "tsuji/nic/parcel.h"
#include "tsuji/nic/registers.h"
#include "tsuji/nic/sender/header_queue.h"
#include "tsuji/nic/sender/packet_cutter.h"
#include "tsuji/nic/sender/parcel_order.h"

namespace tsuji::nic {

/// Control-register set of the Sender: the header queue of one task, and the registers that the operating
/// system sets for that task.
struct ControlRegisterSet {
  HeaderQueue queue;  ///< header queue of the task
  /// Words of the operating system's page (registers.h); queue_base and queue_bytes are kept in `queue`.
  std::array<std::uint64_t, 11> os{};
  std::uint64_t status = 0;  ///< `queue_status`
  /// Word of the operating system's page at an offset of registers.h.
  std::uint64_t at(std::uint64_t offset) const { return os[offset / 8]; }
  /// Sets `status` for the refusal of the header at `offset` of the queue of this generation. If the set has
  /// another queue by now, `status` remains unchanged; an event informs the operating system.
  void refused(Violation cause, std::uint64_t offset, std::uint32_t generation) {
    if (generation == queue.generation()) {
      status = fields::queue_status::cause.word_of(static_cast<std::uint64_t>(cause)) |
               fields::queue_status::header_offset.word_of(offset);
    }
  }
  /// Value of the register `queue_state`.
  std::uint64_t state() const {
    return fields::queue_state::write_pointer.word_of(queue.write_pointer()) |
           fields::queue_state::read_pointer.word_of(queue.read_pointer()) |
           fields::queue_state::cause.word_of(status);
  }
};

/// The Sender's sets by number (registers.h).
using ControlRegisterSets = std::array<ControlRegisterSet, sender_sets>;

/// Header register with its parcel: the header, the results of RHM's look-up, and the progress of SPM.
struct ParcelState {
  /// Stage of a parcel.
  enum class Stage : std::uint8_t {
    free,     ///< the register holds no parcel
    loading,  ///< RHM reads and looks up the header
    sending,  ///< SPM may choose the parcel
    leaving,  ///< all packets are cut; the notification is not written yet
  };
  Stage stage = Stage::free;     ///< stage of this parcel
  unsigned set = 0;              ///< control-register set
  ParcelHeader header;           ///< header as RHM read it
  unsigned cid = 0;              ///< context to which source and notification address belong
  std::uint16_t source_pe = 0;   ///< logical PE of the sender
  unsigned destination_cid = 0;  ///< context of the receiving task
  NodeId node = 0;               ///< destination (single cast)
  std::uint32_t group = 0;       ///< group of 64 nodes (multicast)
  std::uint64_t map = 0;         ///< members of the group (multicast, synchronization)
  std::uint8_t sid = 0;          ///< synchronization identifier
  std::uint32_t port_bits = 0;   ///< ports of the first switch, one bit each
  std::uint64_t age = 0;         ///< order of arrival in the header registers
  Cycle created = 0;             ///< cycle in which RHM wrote the register
  std::uint32_t offset = 0;      ///< bytes cut into packets
  std::uint64_t last_line = PacketCutter::no_line;  ///< PacketCut::last_line of the last packet
  Cycle left_at = never;           ///< cycle in which the last flit of the last packet has left
  std::uint64_t queue_offset = 0;  ///< offset of the header in its queue
  std::uint32_t generation = 0;    ///< generation of the header's queue
  bool refused = false;            ///< a reply without data, because its source is not mapped

  /// True if the payload is read from memory; false if it comes from the header.
  bool reads_memory() const {
    return !header.inline_data && header.protocol != Protocol::atomic_add && !is_request(header.protocol) &&
           (header.protocol != Protocol::synchronization || header.length > 0);
  }
  /// Name for messages: set and queue offset.
  std::string name() const {
    return "parcel of set " + std::to_string(set) + " at queue offset " + std::to_string(queue_offset);
  }
};

/// Header registers between RHM and SPM (Kanoh 2000, 4.2).
///
/// Contract: RHM calls claim(), fills the register and calls enter(). SPM chooses by order(), calls
/// cut_through() after the last packet of a parcel and release() once its notification, if any, is written.
class HeaderRegisters {
 public:
  std::string stands_for() const { return "header registers (Kanoh 2000, section 4.2)"; }
  explicit HeaderRegisters(unsigned registers) : parcels_(registers) {}

  ParcelState& operator[](unsigned index) { return parcels_[index]; }
  unsigned size() const { return static_cast<unsigned>(parcels_.size()); }
  unsigned used() const { return used_; }
  bool has_free() const { return used_ < parcels_.size(); }
  /// True if a parcel has packets that are not cut yet, or one whose notification is not written.
  bool any_entered() const { return (sending_ | leaving_) != 0; }
  /// True if a parcel has packets that are not cut yet.
  bool any_sending() const { return sending_ != 0; }
  /// Index of the parcel that has packets to cut; -1: there are several. any_sending() must be true.
  int only_sending() const { return (sending_ & (sending_ - 1)) == 0 ? __builtin_ctz(sending_) : -1; }
  /// Index of a free register, whose stage becomes `loading`; has_free() must be true.
  unsigned claim();
  /// Sets the stage to `sending`, so that SPM may choose the parcel.
  void enter(unsigned index, Cycle now);
  /// Sets the stage `leaving`: all packets are cut, and the notification is due after the last one has left.
  void cut_through(unsigned index);
  /// Frees a register.
  void release(unsigned index);
  /// Index of the oldest parcel whose notification is due in cycle `now`; -1: none.
  int notification(Cycle now) const { return leaving_ == 0 ? -1 : oldest_that_left(now); }
  /// Next cycle in which a notification becomes due; never: none.
  Cycle notification_at() const { return leaving_ == 0 ? never : next_to_leave(); }
  const ParcelOrder& order() const { return order_; }
  /// True if a register holds a parcel of this set.
  bool holds(unsigned set) const;

 private:
  int oldest_that_left(Cycle now) const;
  Cycle next_to_leave() const;

  std::vector<ParcelState> parcels_;
  ParcelOrder order_;
  unsigned used_ = 0, leaving_ = 0;  ///< numbers of registers in use and in stage leaving
  std::uint32_t sending_ = 0;        ///< registers in stage sending, one bit each
  std::uint64_t ages_ = 0;
};

}  // namespace tsuji::nic
