// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tsuji/core/units.h"
#include "tsuji/observe/load_measurement.h"
#include "tsuji/observe/packet_records.h"
#include "tsuji/observe/wave.h"
#include "tsuji/platform/command_line.h"
#include "tsuji/results/results.h"

namespace tsuji::platform {

/// Warns if a complete run lacks everything of a kind that its user requested.
class EmptyResults {
 public:
  /// `end` is the end time of the run.
  EmptyResults(const RunOptions& options, Picoseconds end, observe::Results& results)
      : options_(options), end_(end), results_(results) {}

  /// Warns if no packet was measured. `silence` names the reason why the load offers no packet, in which case
  /// no warning is given; empty: packets are offered.
  void check(const observe::LoadMeasurement& measurement, const std::string& silence) const;
  /// Warns if the waveform shows no change. Call it after Wave::close(). Null: no waveform was requested.
  void check(const observe::Wave* wave) const;
  /// Warns if packets.csv has no packet. Null: no records were requested.
  void check(const observe::PacketRecords* records) const;
  /// Warns if the log has no line. Call it after RunLog::close(). Null: no log was requested.
  void check(const observe::RunLog* log) const;
  /// Warns that the packet at which the waveform's view should open does not exist.
  void packet_not_found(const std::string& name) const;

 private:
  void warn(const std::string& sentence) const {
    if (!results_.partial()) results_.warn(sentence);
  }
  /// Cause of an empty record: the time window begins after the end of the run; else `otherwise`.
  std::string cause(const std::string& otherwise) const;

  const RunOptions& options_;
  const Picoseconds end_;
  observe::Results& results_;
};

}  // namespace tsuji::platform
