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

/// Multicast messages, from message buffer 1. Those of two roots can overtake each other on their way, so
/// they are told apart by the number of their collective; what comes before it is asked for waits in the
/// heap. A root gets its own multicast, too, and drops it.
class BroadcastInbox final : public ProgressSource {
 public:
  struct Message {
    Envelope envelope;
    std::uint64_t copy = 0;  ///< of the payload that came with it; the taker gives it back
    std::uint64_t payload_bytes = 0;
  };

  BroadcastInbox(Cpu& cpu, const TaskLayout& layout, const SoftwareCycles& times, Heap& heap, Waiter& waiter);

  /// True, and the message, if that of collective `sequence` has come.
  bool take(std::uint32_t sequence, Message& message);
  /// Messages of the first `broadcasts` collectives that have left message buffer 1, own ones included.
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
