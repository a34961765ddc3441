// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tsuji/host/cpu.h"
#include "tsuji/host/library/os_services.h"
#include "tsuji/host/library/put_plan.h"
#include "tsuji/host/library/software_times.h"
#include "tsuji/host/library/task_layout.h"
#include "tsuji/nic/parcel.h"

namespace tsuji::host {

/// Where a parcel goes: one logical PE, or a registered group.
struct Target {
  PacketKind kind = PacketKind::single_cast;
  std::uint16_t number = 0;  ///< logical PE, or offset in the multicast header table
  static Target pe(std::uint32_t pe) { return {PacketKind::single_cast, static_cast<std::uint16_t>(pe)}; }
  static Target group(std::uint16_t offset) { return {PacketKind::multicast, offset}; }
};

/// The parallel library of the machine, after Paralib/CJ4 (Kanoh 2000, 4.1, 5.4, 6.1): user-level parcels. A
/// call writes a parcel header into the header queue in memory by four cached stores and moves the Sender's
/// write pointer; it returns when the header is queued, not when the data are sent. Addresses and lengths are
/// multiples of 8, those of a put of 4 (rooms/library.md, Odd words); a notification address of 0 means none.
/// Operations that the hardware does not keep in order are not kept in order here, either.
///
/// Misuse (odd addresses, lengths that do not fit) is a ModelError.
class Paralib {
 public:
  Paralib(Cpu& cpu, const TaskLayout& layout, const SoftwareCycles& times, OsServices& os);
  Paralib(const Paralib&) = delete;
  Paralib& operator=(const Paralib&) = delete;

  /// One packet (8..256 bytes) into message buffer 0 or 1.
  void send(Target to, unsigned buffer, std::uint64_t source, std::uint32_t bytes,
            std::uint64_t notification = 0);
  /// Remote DMA of any length, in parcels of at most 512 KB; the notification comes with the last. From odd
  /// words, single words of the destination may be wrong until those of the last parcel are there. Words that
  /// the processor loads or copies are read during the call; a copy of more than 512 KB, and the next one,
  /// waits until the Sender has read it.
  void put(Target to, std::uint64_t source, std::uint64_t destination, std::uint64_t bytes,
           std::uint64_t notification = 0);
  /// Remote DMA to the receivers' address register 0-2, plus `offset`.
  void put_to_register(Target to, unsigned address_register, std::uint64_t source, std::uint64_t offset,
                       std::uint64_t bytes, std::uint64_t notification = 0);
  /// Eight bytes in inline mode.
  void put_word(Target to, std::uint64_t destination, std::uint64_t value);
  /// Adds to the 64-bit word at `destination`; its receivers poll it.
  void atomic_add(Target to, std::uint64_t destination, std::uint64_t addend);
  /// Remote read of up to 512 KB from `source`, at the other PE, to `destination` here. reply(rrid) tells
  /// when the last word is there. `rrid`: 0..63, of the caller's choice, not in use by another get or compare
  /// & swap.
  void get(std::uint32_t from, std::uint64_t source, std::uint64_t destination, std::uint32_t bytes,
           unsigned rrid);
  /// Puts `value` into the word at `destination` of another PE; its old value comes to `old_to` here. Nothing
  /// else tells that it has come.
  void swap(std::uint32_t at, std::uint64_t destination, std::uint64_t value, std::uint64_t old_to);
  /// The same if the word is `compared`; reply(rrid) tells the old value, and whether it was.
  void compare_swap(std::uint32_t at, std::uint64_t destination, std::uint64_t compared, std::uint64_t value,
                    unsigned rrid);
  struct Reply {
    bool arrived = false, equal = false;
    bool refused = false;   ///< the address is not mapped there; the words are as they were
    std::uint64_t old = 0;  ///< compare & swap
  };
  /// A look at the notification of `rrid`: poll until it has arrived.
  Reply reply(unsigned rrid);
  std::uint64_t reply_address(unsigned rrid) const {
    return layout_.reply_notifications + std::uint64_t{nic::ReplyNotification::bytes} * rrid;
  }
  /// Enters a round of a group's barrier; it is over when synchronization_count has grown by one for each
  /// round.
  void synchronize(const GroupHandle& group);
  std::uint64_t synchronization_count(std::uint8_t sid) { return cpu_.load(synchronization_address(sid)); }
  std::uint64_t synchronization_address(std::uint8_t sid) const {
    return layout_.synchronization_counters + std::uint64_t{8} * sid;
  }
  /// A system call: headers for multicast and synchronization among `members`, this task included.
  GroupHandle register_group(const std::vector<std::uint32_t>& members);
  /// A system call: gives back what register_group gave. Behind the group's last barrier and the end of its
  /// last multicast here.
  void release_group(const std::vector<std::uint32_t>& members, const GroupHandle& group);
  void set_address_register(unsigned number, std::uint64_t address);
  /// Parcels from now on leave entries in their receivers' logs, or none; requests never do.
  void set_log(bool logs) { logs_ = logs; }

  std::uint64_t parcels() const { return parcels_; }

 private:
  void push(nic::ParcelHeader header);
  void wait_for_queue_room();
  void await_reply(unsigned rrid);
  void check(bool fine, const char* what) const;
  /// Remote DMA in pieces; `destination` grows with them.
  void put_pieces(nic::ParcelHeader header, std::uint64_t bytes, std::uint64_t notification);
  void put_copy(nic::ParcelHeader header, const PutPiece& piece, std::uint64_t notification);
  static nic::ParcelHeader header_to(Target to, nic::Protocol protocol);

  Cpu& cpu_;
  const TaskLayout& layout_;
  const SoftwareCycles& times_;
  OsServices& os_;
  std::uint32_t write_ = 0;  ///< offsets in the header queue
  std::uint32_t read_ = 0;   ///< as the Sender told last
  std::uint64_t parcels_ = 0;
  bool logs_ = false;
  bool copied_ = false;  ///< a copy is, or was, to be sent
};

}  // namespace tsuji::host
