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

/// Warnings in the results of a complete run that has nothing of what its user asked for.
class EmptyResults {
 public:
  /// `end`: the run's.
  EmptyResults(const RunOptions& options, Picoseconds end, observe::Results& results)
      : options_(options), end_(end), results_(results) {}

  /// No packet was measured. `silence`: why none is offered, which is no matter for a warning; empty: some
  /// are.
  void check(const observe::LoadMeasurement& measurement, const std::string& silence) const;
  /// A waveform that shows no change. After its close(); null: none was asked for.
  void check(const observe::Wave* wave) const;
  /// packets.csv without a packet; null: not asked for.
  void check(const observe::PacketRecords* records) const;
  /// A log without a line. After its close(); null: not asked for.
  void check(const observe::RunLog* log) const;
  /// A packet that the view of a waveform was to open on.
  void packet_not_found(const std::string& name) const;

 private:
  void warn(const std::string& sentence) const {
    if (!results_.partial()) results_.warn(sentence);
  }
  /// Where --window begins after the run's end; else `otherwise`.
  std::string cause(const std::string& otherwise) const;

  const RunOptions& options_;
  const Picoseconds end_;
  observe::Results& results_;
};

}  // namespace tsuji::platform
