// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tsuji/config/kinds.h"
#include "tsuji/workload/trace.h"

namespace tsuji::workload {

/// File of a trace, and the limits on its contents.
struct TraceFile {
  std::string path;
  TraceLimits limits;
};

struct TraceFormatTraits {
  static constexpr const char* selector = "workload.trace_format";
  static constexpr const char* unknown = "no such format of a trace";
};

/// Every trace format by its word in `workload.trace_format`. The product is the trace in the file;
/// ConfigError with file and line for one that the format refuses. Its caller checks by check_ranks() that
/// peers and counts exist and that ranks agree; the format itself refuses what TraceLimits forbids, and
/// requests that nobody waits for.
using TraceFormats = config::Kinds<TraceFormatTraits, Trace, const TraceFile&>;

/// The formats of CMakeLists.txt.
TraceFormats trace_formats();

}  // namespace tsuji::workload
