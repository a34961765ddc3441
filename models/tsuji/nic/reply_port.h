// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "tsuji/core/units.h"

namespace tsuji::nic {

/// Port from the Receiver to the Sender, the only connection between the two. The Receiver appends headers of
/// replies to the queue of set 1 in memory (section 4.3), and an arrived reply allows a further request. A
/// call in cycle n takes effect in n + 1, so that the order of the two halves within a cycle does not matter.
class ReplyPort {
 public:
  virtual ~ReplyPort() = default;
  /// Reason for which the queue cannot accept a header; empty: it can.
  virtual std::string queue_problem() const = 0;
  /// Physical address of the next header.
  virtual std::uint64_t next_header() const = 0;
  /// Reports that a header has been written at next_header().
  virtual void append(Cycle now) = 0;
  /// True if a request has no reply yet.
  virtual bool awaits_reply() const = 0;
  /// Reports that the last packet of a reply has been written to memory.
  virtual void answered(Cycle now) = 0;
};

}  // namespace tsuji::nic
