// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "tsuji/session/instrument_table.h"

namespace tsuji::session {

/// The instruments of one run, and its waveform.
class Instruments {
 public:
  /// Opens OUT/network.{fst,vcd} and OUT/log.{txt,jsonl} where --waves and --log ask for them. `run.wave` and
  /// `run.log` are filled in.
  Instruments(const InstrumentTable& table, WatchedRun run);

  void delivered(const observe::DeliveredPacket& packet);
  void advance(Cycle now);
  /// Next cycle at which advance() must be called before any later cycle runs; `never` for any.
  Cycle next_stop() const;
  /// The last cycle of advance().
  Cycle run_to() const { return run_to_; }
  /// Returns true if the run may end now (Instrument::done).
  bool done() const;
  void close();
  void report(const RunEnd& end);
  void show();
  /// ConfigError if --log names a module of no instrument.
  static void check_log(const NetworkRunConfig& config, const graph::Topology& topology,
                        const platform::RunOptions& options);
  static bool see_deliveries(const InstrumentTable& table, const platform::RunOptions& options);

 private:
  void open_on_packets();

  const std::unique_ptr<observe::Wave> wave_;
  const std::unique_ptr<instruments::FollowedPackets> followed_;
  const std::unique_ptr<observe::RunLog> log_;
  const WatchedRun run_;
  std::vector<std::unique_ptr<Instrument>> instruments_;
  std::vector<Instrument*> see_deliveries_;
  Cycle run_to_ = 0;  ///< the cycles before it have run
};

}  // namespace tsuji::session
