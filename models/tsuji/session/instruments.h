// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "tsuji/session/instrument_table.h"

namespace tsuji::session {

/// The instruments of one run, and its waveform.
class Instruments {
 public:
  /// Opens OUT/network.{fst,vcd} where --trace asks for it. `run.wave` is filled in.
  Instruments(const InstrumentTable& table, WatchedRun run);

  void delivered(const observe::DeliveredPacket& packet);
  void advance(Cycle now);
  void close();
  void report(const RunEnd& end);
  void show();
  static bool see_deliveries(const InstrumentTable& table, const platform::RunOptions& options);

 private:
  const std::unique_ptr<observe::Wave> wave_;
  const WatchedRun run_;
  std::vector<std::unique_ptr<Instrument>> instruments_;
  std::vector<Instrument*> see_deliveries_;
};

}  // namespace tsuji::session
