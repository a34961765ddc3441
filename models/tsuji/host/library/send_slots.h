// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "tsuji/host/cpu.h"
#include "tsuji/host/library/envelope.h"
#include "tsuji/host/library/memory_copy.h"
#include "tsuji/host/library/task_layout.h"
#include "tsuji/nic/parcel.h"

namespace tsuji::host {

/// Buffers of 256 bytes, used round-robin, that hold eager messages until the Sender has read them. Each has
/// a notification word and is not written again before the Sender has set that word.
class SendSlots {
 public:
  SendSlots(Cpu& cpu, const TaskLayout& layout, const SoftwareCycles& times, std::uint32_t slots)
      : cpu_(cpu), layout_(layout), times_(times), in_use_(slots, false) {}

  /// Returns true if the next slot can be written. Loads its notification word if the slot was in use.
  bool ready() {
    if (in_use_[next_] && cpu_.load(notification(next_)) == nic::sent_pattern) in_use_[next_] = false;
    return !in_use_[next_];
  }
  /// Writes a message into the next slot and returns the slot's number. Call it after ready() has returned
  /// true.
  std::uint32_t fill(const Envelope& envelope, std::uint64_t payload, std::uint64_t payload_bytes) {
    const std::uint32_t slot = next_;
    next_ = static_cast<std::uint32_t>((next_ + 1) % in_use_.size());
    in_use_[slot] = true;
    cpu_.store(notification(slot), 0);
    const auto words = envelope.encode();
    cpu_.store_block(address(slot), words.data(), Envelope::bytes);
    copy_memory(cpu_, times_, address(slot) + Envelope::bytes, payload, payload_bytes);
    return slot;
  }
  std::uint64_t address(std::uint32_t slot) const {
    return layout_.send_slots + std::uint64_t{TaskLayout::slot_bytes} * slot;
  }
  std::uint64_t notification(std::uint32_t slot) const {
    return layout_.send_notifications + std::uint64_t{8} * slot;
  }
  bool blocked() const { return in_use_[next_]; }
  /// Address of the word that changes when the next slot becomes ready.
  std::uint64_t next_notification() const { return notification(next_); }
  static std::uint32_t message_bytes(std::uint64_t payload_bytes) {
    return Envelope::bytes + static_cast<std::uint32_t>((payload_bytes + 7) / 8 * 8);
  }

 private:
  Cpu& cpu_;
  const TaskLayout& layout_;
  const SoftwareCycles& times_;
  std::vector<bool> in_use_;
  std::uint32_t next_ = 0;
};

}  // namespace tsuji::host
