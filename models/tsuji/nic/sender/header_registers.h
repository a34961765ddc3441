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

/// A control-register set: the queue, and what the operating system loads for the task that owns it.
struct ControlRegisterSet {
  HeaderQueue queue;
  /// The operating system's page, word by word (registers.h); the first two live in `queue`.
  std::array<std::uint64_t, 11> os{};
  std::uint64_t status = 0;  ///< `queue_status`
  std::uint64_t at(std::uint64_t offset) const { return os[offset / 8]; }
  /// A header of this set, at `offset` of its queue. One of a queue that has left the set is no longer its
  /// business: the operating system hears of it by the event.
  void refused(Violation cause, std::uint64_t offset, std::uint32_t generation) {
    if (generation == queue.generation()) status = static_cast<std::uint64_t>(cause) | offset << 16U;
  }
  std::uint64_t state() const { return queue.write_pointer() | queue.read_pointer() << 16U | status << 32U; }
};

using ControlRegisterSets = std::array<ControlRegisterSet, sender_sets>;

/// A parcel in a header register: what RHM read and looked up, and how far SPM is.
struct ParcelState {
  enum class Stage : std::uint8_t {
    free,
    loading,  ///< RHM is at work on it
    sending,  ///< SPM may choose it
    leaving,  ///< its last packet is cut; the notification is owed
  };
  Stage stage = Stage::free;
  unsigned set = 0;
  ParcelHeader header;
  unsigned cid = 0;  ///< whose addresses source and notification are
  std::uint16_t source_pe = 0;
  unsigned destination_cid = 0;
  NodeId node = 0;
  std::uint32_t group = 0;
  std::uint64_t map = 0;
  std::uint8_t sid = 0;
  std::uint32_t port_bits = 0;
  std::uint64_t age = 0;
  Cycle created = 0;         ///< when RHM wrote it into the register
  std::uint32_t offset = 0;  ///< bytes cut so far
  std::uint64_t last_line = PacketCutter::no_line;
  Cycle left_at = never;  ///< when the last flit of the last packet is gone
  std::uint64_t queue_offset = 0;
  std::uint32_t generation = 0;  ///< of the queue that its header was in
  bool refused = false;          ///< a reply without data: its source is not mapped

  /// Source data come from memory, not from the header.
  bool reads_memory() const {
    return !header.inline_data && header.protocol != Protocol::atomic_add && !is_request(header.protocol) &&
           header.protocol != Protocol::synchronization;
  }
  std::string name() const {
    return "parcel of set " + std::to_string(set) + " at queue offset " + std::to_string(queue_offset);
  }
};

/// The header registers between RHM and SPM.
class HeaderRegisters {
 public:
  std::string stands_for() const { return "header registers (Kanoh 2000, section 4.2)"; }
  explicit HeaderRegisters(unsigned registers) : parcels_(registers) {}

  ParcelState& operator[](unsigned index) { return parcels_[index]; }
  unsigned size() const { return static_cast<unsigned>(parcels_.size()); }
  unsigned used() const { return used_; }
  bool has_free() const { return used_ < parcels_.size(); }
  /// A parcel has packets that are not yet cut.
  bool any_sending() const { return sending_ > 0; }
  /// Takes a free register for loading.
  unsigned claim();
  /// The parcel is loaded: SPM sees it.
  void enter(unsigned index, Cycle now);
  /// All packets are cut; the register is free, or waits for its notification.
  void cut_through(unsigned index);
  void release(unsigned index);
  /// The oldest parcel whose notification is due in cycle `now`, or -1.
  int notification(Cycle now) const { return leaving_ == 0 ? -1 : oldest_that_left(now); }
  /// The next cycle in which one becomes due.
  Cycle notification_at() const { return leaving_ == 0 ? never : next_to_leave(); }
  const ParcelOrder& order() const { return order_; }
  /// A parcel of this set is in a register.
  bool holds(unsigned set) const;

 private:
  int oldest_that_left(Cycle now) const;
  Cycle next_to_leave() const;

  std::vector<ParcelState> parcels_;
  ParcelOrder order_;
  unsigned used_ = 0, sending_ = 0, leaving_ = 0;  ///< in use; in these stages
  std::uint64_t ages_ = 0;
};

}  // namespace tsuji::nic
