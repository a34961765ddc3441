// SPDX-License-Identifier: Apache-2.0
#include "tsuji/host/library/broadcast_inbox.h"

#include <algorithm>
#include <array>

namespace tsuji::host {

BroadcastInbox::BroadcastInbox(Cpu& cpu, const TaskLayout& layout, const SoftwareCycles& times, Heap& heap,
                               Waiter& waiter)
    : cpu_(cpu), times_(times), heap_(heap), reader_(cpu, layout, 1), self_(layout.pe) {
  waiter.add(*this);
}

bool BroadcastInbox::take(std::uint32_t sequence, Message& message) {
  const auto found = std::find_if(waiting_.begin(), waiting_.end(), [&](const Message& candidate) {
    return candidate.envelope.sequence == sequence;
  });
  if (found == waiting_.end()) return false;
  message = *found;
  waiting_.erase(found);
  return true;
}

std::uint64_t BroadcastInbox::received_of(std::uint64_t broadcasts) const {
  // Roots of later ones may be ahead. None of them is this rank, whose own messages do not wait here.
  const auto later = std::count_if(waiting_.begin(), waiting_.end(), [&](const Message& message) {
    return message.envelope.sequence >= broadcasts;
  });
  return reader_.messages() - static_cast<std::uint64_t>(later);
}

bool BroadcastInbox::progress() {
  bool any = false;
  Message message;
  while (reader_.open(message.envelope)) {
    any = true;
    cpu_.compute(times_.paralib_receive);
    const std::uint64_t bytes = message.envelope.message_bytes;
    // A longer one came by remote DMA before; the message only says so.
    message.payload_bytes = bytes <= Envelope::eager_limit ? bytes : 0;
    if (message.envelope.source != self_) {
      std::array<unsigned char, Envelope::eager_limit> payload;
      message.copy = heap_.take(message.payload_bytes);
      reader_.payload(payload.data(), message.payload_bytes);
      cpu_.store_block(message.copy, payload.data(), message.payload_bytes);
      waiting_.push_back(message);
    }
    reader_.close(message.payload_bytes);
  }
  return any;
}

}  // namespace tsuji::host
