// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tsuji/core/units.h"
#include "tsuji/workload/trace.h"

namespace tsuji::workload {

struct MessageKey;
struct RankMessage;

/// Observer of ranks that replay a trace. Ranks of different nodes may call at the same time.
class RankWatch {
 public:
  virtual ~RankWatch() = default;
  /// The rank has computed, or waited in an operation, in cycles `first` up to `end`. `ended_by`: the message
  /// whose end has ended the wait, received or sent; null: computing.
  virtual void spent(std::uint16_t rank, TraceOpKind operation, Cycle first, Cycle end,
                     const MessageKey* ended_by) = 0;
  /// The rank, or its network interface for it, sends a part of a message.
  virtual void sent(std::uint16_t rank, const RankMessage& message, Cycle now) = 0;
  /// A part of a message has arrived.
  virtual void came(std::uint16_t rank, const RankMessage& message, Cycle now) = 0;
};

}  // namespace tsuji::workload
