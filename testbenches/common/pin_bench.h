// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <systemc>
#include <vector>

#include "common/device.h"
#include "common/pin_record.h"
#include "common/pin_wave.h"
#include "common/scoreboard.h"
#include "common/stimulus.h"
#include "tsuji/core/units.h"
#include "tsuji/observe/wave_file.h"

namespace tsuji::bench {

/// The first cycle in which two sides differ, or a side breaks a rule of the scoreboard.
struct Difference {
  Cycle cycle;
  /// "cycle N: SIGNAL: model 0x.., twin 0x.." for each output that differs, "cycle N: SIDE: SENTENCE" for
  /// each rule that is broken.
  std::vector<std::string> lines;
  std::vector<std::size_t> lanes;  ///< lanes of the outputs that differ
};

struct PinBenchConfig {
  Cycle cycles = 1'000'000;
  Cycle compared_from = 0;  ///< first compared cycle; earlier differences and violations are ignored
  Cycle kept = 200;         ///< cycles before a difference that its waveform shows
  Cycle kept_after = 20;    ///< number of cycles recorded after the difference
  std::string difference_wave = observe::writes_fst() ? "difference.fst" : "difference.vcd";
  std::string record;  ///< a text file of all pins in all cycles (PinRecord); empty: none
  std::string wave;    ///< a waveform of all cycles from `wave_from` to `wave_to`; empty: none
  Cycle wave_from = 0, wave_to = ~Cycle{0};
};

/// Drives one device, or two devices in parallel, through their pins with one stimulus, compares every output
/// in every cycle, and checks each device with a separate scoreboard, if one is given. Inputs change at the
/// beginning of a cycle; outputs are sampled in its middle, when combinational logic has settled; then the
/// clock rises. After the first difference the bench runs for some more cycles, so that the waveform shows
/// the consequences, writes the waveform and stops.
class PinBench final : public sc_core::sc_module {
 public:
  PinBench(sc_core::sc_module_name name, const PinBenchConfig& config, sc_core::sc_signal<bool>& clock,
           std::vector<Dut*> sides, Stimulus& stimulus, Drive& drive,
           std::vector<std::unique_ptr<Scoreboard>> scoreboards = {});

  void run();
  const std::optional<Difference>& difference() const { return difference_; }
  Cycle cycles() const { return cycle_; }
  /// A hash over all outputs of the first side in all cycles: equal runs have equal hashes.
  std::uint64_t digest() const { return digest_; }
  /// Changes and cycles other than 0 of each output.
  void print_activity(std::ostream& out) const;
  /// Outputs that kept one value all the time: nothing can be said about them.
  std::vector<std::string> idle_outputs() const;

  SC_HAS_PROCESS(PinBench);

 private:
  void on_half();
  void begin_cycle();
  void middle();
  void look();
  void record();
  void judge(std::vector<std::string>& lines);
  void compare(std::vector<std::string>& lines) const;
  std::vector<std::size_t> lanes_that_differ() const;
  void write_difference() const;
  std::string lane_name(const Pin& pin, unsigned lane) const;
  std::vector<const PinList*> pin_lists() const;

  const PinBenchConfig config_;
  sc_core::sc_signal<bool>& clock_;
  const std::vector<Dut*> sides_;
  Stimulus& stimulus_;
  Drive& drive_;
  const std::vector<std::unique_ptr<Scoreboard>> scoreboards_;  ///< [side], or none
  Cycle cycle_ = 0;
  bool high_ = true;
  std::vector<std::vector<std::uint64_t>> outputs_;  ///< [side]
  std::vector<std::uint64_t> before_, changes_, busy_;
  std::vector<PinRow> kept_;  ///< the last cycles, a ring
  std::unique_ptr<PinWave> wave_;
  std::unique_ptr<PinRecord> record_file_;
  std::uint64_t digest_ = 0xcbf29ce484222325;
  std::optional<Difference> difference_;
};

}  // namespace tsuji::bench
