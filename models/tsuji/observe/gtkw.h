// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tsuji/observe/wave_file.h"

namespace tsuji::observe {

/// Writes the GTKWave save file `stem`.gtkw of the waveform `stem` + `ending`, and one `stem`.namesN.txt for
/// each distinct set of value names. Signals are listed under the headings of their groups, in the order in
/// which the first signal of each group was added. If `view` has signals, these are listed first, and the
/// groups are folded. `shown` is the visible time, `marker` the time of the marker. The files refer to each
/// other by name only, so that their folder can be moved. Throws ModelError if a file cannot be written.
void write_gtkw(const std::string& stem, const std::string& ending, const std::vector<SignalInfo>& signals,
                WaveWindow shown, Picoseconds marker, const WaveView* view = nullptr);

}  // namespace tsuji::observe
