// SPDX-License-Identifier: Apache-2.0
#include "tsuji/platform/empty_results.h"

namespace tsuji::platform {

void EmptyResults::check(const observe::LoadMeasurement& measurement, const std::string& silence) const {
  const std::string why = measurement.why_nothing_measured();
  if (silence.empty() && !why.empty()) warn("no packet is measured: " + why);
}

void EmptyResults::check(const observe::Wave* wave) const {
  if (wave != nullptr && !wave->shows_change())
    warn("the waveform shows no change: " + cause("none of its signals changes in its window"));
}

void EmptyResults::check(const observe::PacketRecords* records) const {
  if (records != nullptr && records->empty())
    warn("packets.csv has no packet: " + cause("none ends in its window"));
}

void EmptyResults::check(const observe::RunLog* log) const {
  if (log != nullptr && log->empty())
    warn("the log has no line: " + cause("nothing happens in its modules within its window"));
}

void EmptyResults::packet_not_found(const std::string& name) const {
  warn("the waveform shows no packet " + name +
       " (waves.packet): " + cause("it does not pass any router of the waveform"));
}

std::string EmptyResults::cause(const std::string& otherwise) const {
  const auto ns = [](Picoseconds time) {
    const bool whole = time % 1000 == 0;
    return (whole ? observe::Value(time / 1000) : observe::Value(static_cast<double>(time) / 1000)).text() +
           " ns";
  };
  if (options_.record_window.from <= end_) return otherwise;
  return "the run ends at " + ns(end_) + ", and --window begins at " + ns(options_.record_window.from);
}

}  // namespace tsuji::platform
