// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "tsuji/core/units.h"

namespace tsuji::nic {

/// What the Receiver tells the Sender; else they know nothing of each other. The Receiver appends the headers
/// of replies to the queue of set 1 in memory (4.3), and a reply that has come lets a further request go.
/// What is told in cycle n counts from n + 1 on, in any order of the two halves.
class ReplyPort {
 public:
  virtual ~ReplyPort() = default;
  /// The queue cannot take a header; empty: it can.
  virtual std::string queue_problem() const = 0;
  /// Physical address of the next header.
  virtual std::uint64_t next_header() const = 0;
  /// A header is in memory there.
  virtual void append(Cycle now) = 0;
  /// A request has no reply yet.
  virtual bool awaits_reply() const = 0;
  /// The last packet of a reply has been written out.
  virtual void answered(Cycle now) = 0;
};

}  // namespace tsuji::nic
