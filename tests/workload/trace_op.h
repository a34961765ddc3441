// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tsuji/workload/trace.h"

namespace tsuji::test {

/// Makes an operation of a trace.
inline workload::TraceOp op(workload::TraceOpKind kind, std::uint64_t value = 0, unsigned peer = 0,
                            int tag = 0, bool receives = false) {
  workload::TraceOp made;
  made.kind = kind;
  made.value = value;
  made.peer = static_cast<std::uint16_t>(peer);
  made.tag = tag;
  made.receives = receives;
  return made;
}

}  // namespace tsuji::test
