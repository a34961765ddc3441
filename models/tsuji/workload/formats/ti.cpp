// SPDX-License-Identifier: Apache-2.0
#include "tsuji/workload/trace_formats.h"

namespace tsuji::workload {
namespace {

/// Time-independent traces (read_trace()).
struct TimeIndependent {
  Trace make(const TraceFile& file) const { return read_trace(file.path, file.limits); }
};

}  // namespace

void add_ti(TraceFormats& formats) {
  formats.add<TimeIndependent>("ti");
}

}  // namespace tsuji::workload
