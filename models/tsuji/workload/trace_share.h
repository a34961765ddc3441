// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tsuji/workload/trace.h"

namespace tsuji::workload {

/// First part of a trace whose ranks agree (check_ranks): of each rank the first `share` (above 0, up to 1)
/// of its operations, and further ones until no message and no collective operation is cut: every send of the
/// part has its receive, every request its wait, and all ranks take part in the same collectives. A finalize
/// at the end of a rank ends its part. With share 1 the trace itself. Throws ConfigError for a part with more
/// than most_operations operations, as a part has no repetitions.
Trace first_share(Trace trace, double share);

}  // namespace tsuji::workload
