// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tsuji/host/library/envelope.h"

namespace tsuji::host {

using RequestId = std::uint32_t;

inline constexpr std::uint32_t any_source = ~std::uint32_t{0};
inline constexpr std::int32_t any_tag = -1;

/// Selects the messages that a receive matches.
struct MessagePattern {
  std::uint32_t source = any_source;
  std::int32_t tag = any_tag;
  Context context = Context::user;
  bool takes(const Envelope& envelope) const {
    return context == envelope.context && (source == any_source || source == envelope.source) &&
           (tag == any_tag || tag == envelope.tag);
  }
};

/// A message that arrived before its receive: its payload, copied into the heap (eager), or its sender's
/// slot.
struct Unexpected {
  Envelope envelope;
  std::uint64_t copy = 0;  ///< Address of the payload's copy; 0 for a request to send.
};

/// Queues of receives without a message and of messages without a receive. A receive matches the oldest
/// message that fits, a message the oldest receive that accepts it, so that messages of one pair and tag
/// never overtake each other.
class MatchQueues {
 public:
  struct Posted {
    MessagePattern pattern;
    RequestId request = 0;
  };

  /// Called for a message that has arrived. If a receive matches, removes it, writes it to `request` and
  /// returns true.
  bool match_message(const Envelope& envelope, RequestId& request) {
    const auto found = std::find_if(posted_.begin(), posted_.end(),
                                    [&](const Posted& posted) { return posted.pattern.takes(envelope); });
    if (found == posted_.end()) return false;
    request = found->request;
    posted_.erase(found);
    return true;
  }
  /// Called for a new receive. If a message matches, removes it, writes it to `message` and returns true.
  bool match_receive(const MessagePattern& pattern, Unexpected& message) {
    const auto found = std::find_if(unexpected_.begin(), unexpected_.end(),
                                    [&](const Unexpected& came) { return pattern.takes(came.envelope); });
    if (found == unexpected_.end()) return false;
    message = *found;
    unexpected_.erase(found);
    return true;
  }
  void post(const MessagePattern& pattern, RequestId request) { posted_.push_back({pattern, request}); }
  void keep(const Unexpected& message) { unexpected_.push_back(message); }

  const std::vector<Unexpected>& unexpected() const { return unexpected_; }

 private:
  std::vector<Posted> posted_;
  std::vector<Unexpected> unexpected_;
};

}  // namespace tsuji::host
