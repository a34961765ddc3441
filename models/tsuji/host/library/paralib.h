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

/// Destination of a parcel: one logical PE, or a registered group.
struct Target {
  PacketKind kind = PacketKind::single_cast;  ///< Single cast or multicast.
  std::uint16_t number = 0;                   ///< Logical PE, or offset in the multicast header table.
  /// Parcel for the logical PE `pe`.
  static Target pe(std::uint32_t pe) { return {PacketKind::single_cast, static_cast<std::uint16_t>(pe)}; }
  /// Parcel for a registered group, by its offset in the multicast header table.
  static Target group(std::uint16_t offset) { return {PacketKind::multicast, offset}; }
};

/// User-level parcels: the machine's parallel library, after Paralib/CJ4 (Kanoh 2000, sections 4.1, 5.4,
/// 6.1). A call writes a parcel header into the header queue in memory by four cached stores and advances the
/// Sender's write pointer; it returns when the header is queued, before the data are sent. Addresses and
/// lengths are multiples of 8, those of a put multiples of 4 (rooms/library.md, Odd words); a notification
/// address of 0 means no notification. Operations that the hardware does not keep in order are not ordered by
/// the library either.
///
/// Throws ModelError for misuse: misaligned addresses, lengths out of range.
class Paralib {
 public:
  /// The references must outlive the object.
  Paralib(Cpu& cpu, const TaskLayout& layout, const SoftwareCycles& times, OsServices& os);
  Paralib(const Paralib&) = delete;
  Paralib& operator=(const Paralib&) = delete;

  /// Sends one packet (8..256 bytes) into message buffer 0 or 1.
  void send(Target to, unsigned buffer, std::uint64_t source, std::uint32_t bytes,
            std::uint64_t notification = 0);
  /// Remote DMA of any length, in parcels of at most 512 KB; the notification comes with the last parcel. If
  /// source or destination is an odd word, single words of the destination may be wrong until the last parcel
  /// has arrived. Words that the processor loads or copies are read during the call; the next copy, or a copy
  /// of more than 512 KB, waits until the Sender has read the previous one.
  void put(Target to, std::uint64_t source, std::uint64_t destination, std::uint64_t bytes,
           std::uint64_t notification = 0);
  /// Remote DMA to the receivers' address register 0-2, plus `offset`.
  void put_to_register(Target to, unsigned address_register, std::uint64_t source, std::uint64_t offset,
                       std::uint64_t bytes, std::uint64_t notification = 0);
  /// Puts eight bytes in inline mode.
  void put_word(Target to, std::uint64_t destination, std::uint64_t value);
  /// Adds `addend` to the 64-bit word at `destination`. The destination's task polls the word.
  void atomic_add(Target to, std::uint64_t destination, std::uint64_t addend);
  /// Remote read of up to 512 KB from `source` at PE `from` to `destination` here. reply(rrid) shows when the
  /// last word has arrived. The caller chooses `rrid`, 0..63, not in use by another get or compare & swap.
  void get(std::uint32_t from, std::uint64_t source, std::uint64_t destination, std::uint32_t bytes,
           unsigned rrid);
  /// Writes `value` to the word at `destination` of another PE; the old value is written to `old_to` here,
  /// without a notification.
  void swap(std::uint32_t at, std::uint64_t destination, std::uint64_t value, std::uint64_t old_to);
  /// Like swap(), but only if the word equals `compared`; reply(rrid) returns the old value and whether it
  /// was equal.
  void compare_swap(std::uint32_t at, std::uint64_t destination, std::uint64_t compared, std::uint64_t value,
                    unsigned rrid);
  /// Notification of a get or compare & swap.
  struct Reply {
    bool arrived = false,   ///< The notification has arrived.
        equal = false;      ///< The word equalled the compared value.
    bool refused = false;   ///< The address is not mapped at the other PE; no word has changed.
    std::uint64_t old = 0;  ///< Old value, for compare & swap.
  };
  /// Reads the notification of `rrid` once; call it until `arrived`.
  Reply reply(unsigned rrid);
  /// Address of the notification of `rrid`, for polling.
  std::uint64_t reply_address(unsigned rrid) const {
    return layout_.reply_notifications + std::uint64_t{nic::ReplyNotification::bytes} * rrid;
  }
  /// Enters a round of a group's barrier. The round is complete when synchronization_count() has grown by one
  /// for each round entered.
  void synchronize(const GroupHandle& group);
  /// Enters a round of a group with an operand of 8 to 128 bytes, whole words within a cache line. The
  /// network combines the operands of all members; the result is written to address register
  /// nic::combine_register plus `offset` of every member before synchronization_count() grows. A single word
  /// is read during the call, others until the round is complete.
  void combine(const GroupHandle& group, Combine operation, std::uint64_t source, std::uint32_t bytes,
               std::uint64_t offset);
  /// Rounds of the group `sid` that are complete, modulo 2^64.
  std::uint64_t synchronization_count(std::uint8_t sid) { return cpu_.load(synchronization_address(sid)); }
  /// Address of the counter of completed rounds of the group `sid`, for polling.
  std::uint64_t synchronization_address(std::uint8_t sid) const {
    return layout_.synchronization_counters + std::uint64_t{8} * sid;
  }
  /// System call: registers headers for multicast and synchronization among `members`, which include this
  /// task.
  GroupHandle register_group(const std::vector<std::uint32_t>& members);
  /// System call: releases the result of register_group(). Call it after the group's last barrier and the end
  /// of its last multicast from here.
  void release_group(const std::vector<std::uint32_t>& members, const GroupHandle& group);
  /// Sets address register 0..2 of this task, to which put_to_register() of other PEs refers; a multiple
  /// of 8.
  void set_address_register(unsigned number, std::uint64_t address);
  /// Selects whether subsequent parcels leave entries in their receivers' logs; requests never do.
  void set_log(bool logs) { logs_ = logs; }

  /// Parcels queued so far.
  std::uint64_t parcels() const { return parcels_; }

 private:
  void push(nic::ParcelHeader header);
  void wait_for_queue_room();
  void await_reply(unsigned rrid);
  void check(bool fine, const char* what) const;
  /// Remote DMA in pieces; `destination` increases from piece to piece.
  void put_pieces(nic::ParcelHeader header, std::uint64_t bytes, std::uint64_t notification);
  void put_copy(nic::ParcelHeader header, const PutPiece& piece, std::uint64_t notification);
  static nic::ParcelHeader header_to(Target to, nic::Protocol protocol);

  Cpu& cpu_;
  const TaskLayout& layout_;
  const SoftwareCycles& times_;
  OsServices& os_;
  std::uint32_t write_ = 0;  ///< Write offset in the header queue.
  std::uint32_t read_ = 0;   ///< The Sender's read offset, as loaded last.
  std::uint64_t parcels_ = 0;
  bool logs_ = false;
  bool copied_ = false;  ///< A copy has been queued at least once.
};

}  // namespace tsuji::host
