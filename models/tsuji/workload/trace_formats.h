// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tsuji/config/kinds.h"
#include "tsuji/workload/trace.h"

namespace tsuji::workload {

/// File of a trace, and the limits on its contents.
struct TraceFile {
  std::string path;    ///< Path of the file.
  TraceLimits limits;  ///< Limits of the machine that replays the trace.
};

/// Properties of a word of `workload.trace_format`.
struct TraceFormatTraits {
  static constexpr const char* selector = "workload.trace_format";     ///< Key that selects the format.
  static constexpr const char* unknown = "no such format of a trace";  ///< Refusal of an unknown word.
};

/// Every trace format by its word in `workload.trace_format`. The product is the trace in the file. A format
/// throws ConfigError with file and line for a malformed file, for contents beyond TraceLimits, and for
/// requests that are never waited for. The caller uses check_ranks() to check that peers and counts exist and
/// that ranks agree.
using TraceFormats = config::Kinds<TraceFormatTraits, Trace, const TraceFile&>;

/// The formats listed in CMakeLists.txt.
TraceFormats trace_formats();

}  // namespace tsuji::workload
