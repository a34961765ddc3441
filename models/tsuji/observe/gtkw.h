// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tsuji/observe/wave_file.h"

namespace tsuji::observe {

/// Writes `stem`.gtkw, which opens `stem` + `ending` in GTKWave with the signals under the headings of their
/// groups (in the order in which the first signal of each was added), and one `stem`.namesN.txt for each
/// distinct set of value names. The files refer to each other by name only, so their folder can be moved. The
/// time shown is `shown`, with the marker at `marker`. With a `view` that has signals, these come first, and
/// the groups are folded. ModelError if a file cannot be written.
void write_gtkw(const std::string& stem, const std::string& ending, const std::vector<SignalInfo>& signals,
                WaveWindow shown, Picoseconds marker, const WaveView* view = nullptr);

}  // namespace tsuji::observe
