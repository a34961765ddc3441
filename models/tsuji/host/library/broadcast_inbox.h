// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "tsuji/host/cpu.h"
#include "tsuji/host/library/heap.h"
#include "tsuji/host/library/message_reader.h"
#include "tsuji/host/library/software_times.h"
#include "tsuji/host/library/waiter.h"

namespace tsuji::host {

/// Receives multicast messages from message buffer 1. Messages of two roots may overtake each other; the
/// number of their collective distinguishes them. A message that arrives before its collective is waited for
/// is kept in the heap. A root receives and discards its own multicast.
class BroadcastInbox final : public ProgressSource {
 public:
  struct Message {
    Envelope envelope;
    std::uint64_t copy = 0;  ///< Heap copy of the payload; the caller of take() releases it.
    std::uint64_t payload_bytes = 0;
  };

  BroadcastInbox(Cpu& cpu, const TaskLayout& layout, const SoftwareCycles& times, Heap& heap, Waiter& waiter);

  /// If the message of collective `sequence` has arrived, writes it to `message` and returns true.
  bool take(std::uint32_t sequence, Message& message);
  /// Number of messages of the first `broadcasts` collectives that have been taken from message buffer 1,
  /// including the rank's own.
  std::uint64_t received_of(std::uint64_t broadcasts) const;
  bool empty() const { return waiting_.empty(); }

  bool progress() override;
  void watch(std::vector<std::uint64_t>& addresses) const override {
    addresses.push_back(reader_.pointer_address());
  }

 private:
  Cpu& cpu_;
  const SoftwareCycles& times_;
  Heap& heap_;
  MessageReader reader_;
  std::uint32_t self_;
  std::vector<Message> waiting_;
};

}  // namespace tsuji::host
