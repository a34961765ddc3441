// SPDX-License-Identifier: Apache-2.0
#include "tsuji/session/instruments.h"

#include <algorithm>
#include <utility>

#include "tsuji/platform/empty_results.h"

namespace tsuji::session {
namespace {

WatchedRun with_wave(WatchedRun run, observe::Wave* wave) {
  run.wave = wave;
  return run;
}

}  // namespace

Instruments::Instruments(const InstrumentTable& table, WatchedRun run)
    : wave_(run.options.open_wave("network", run.results)), run_(with_wave(run, wave_.get())) {
  for (const auto& kind : table) {
    std::unique_ptr<Instrument> instrument = kind->make(run_);
    if (instrument == nullptr) continue;
    if (kind->sees_deliveries(run_.options)) see_deliveries_.push_back(instrument.get());
    instruments_.push_back(std::move(instrument));
  }
  for (const auto& instrument : instruments_) instrument->begin();
}

bool Instruments::see_deliveries(const InstrumentTable& table, const platform::RunOptions& options) {
  return std::any_of(table.begin(), table.end(),
                     [&](const auto& kind) { return kind->sees_deliveries(options); });
}

void Instruments::delivered(const observe::DeliveredPacket& packet) {
  for (Instrument* const instrument : see_deliveries_) instrument->delivered(packet);
}

void Instruments::advance(Cycle now) {
  for (const auto& instrument : instruments_) instrument->advance(now);
}

void Instruments::close() {
  for (const auto& instrument : instruments_) instrument->close();
  if (wave_) wave_->close();
}

void Instruments::report(const RunEnd& end) {
  platform::EmptyResults(run_.options, run_.loaded.domain().period().ps_at(end.cycles), run_.results)
      .check(wave_.get());
  for (const auto& instrument : instruments_) instrument->report(end, run_.results);
}

void Instruments::show() {
  for (const auto& instrument : instruments_) instrument->show(run_.results);
}

}  // namespace tsuji::session
