// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tsuji/machines/replay/rank_timeline.h"
#include "tsuji/platform/command_line.h"
#include "tsuji/results/results.h"

namespace tsuji::session {

/// Writes rank_timeline.csv, rank_messages.csv and critical_path.csv to the output folder. `tables`: adds the
/// table `critical_path` of cycles by part, too.
void add_rank_report(const machines::RankTimeline& timeline, bool tables, const platform::RunOptions& options,
                     observe::Results& results);

}  // namespace tsuji::session
