// SPDX-License-Identifier: Apache-2.0
#include "tsuji/session/instruments.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "tsuji/platform/empty_results.h"
#include "tsuji/session/network_run.h"

namespace tsuji::session {
namespace {

WatchedRun with_files(WatchedRun run, observe::Wave* wave, instruments::FollowedPackets* followed,
                      observe::RunLog* log) {
  run.wave = wave;
  run.followed = followed;
  run.log = log;
  return run;
}

std::vector<observe::LogModules> log_modules(const NetworkRunConfig& config,
                                             const graph::Topology& topology) {
  std::vector<observe::LogModules> all;
  for (const auto& kind : config.instruments)
    for (observe::LogModules& modules : kind->log_modules(config, topology))
      all.push_back(std::move(modules));
  return all;
}

}  // namespace

Instruments::Instruments(const InstrumentTable& table, WatchedRun run)
    : wave_(run.options.open_wave("network", run.results)),
      followed_(wave_ == nullptr ? nullptr
                                 : std::make_unique<instruments::FollowedPackets>(
                                       run.config.watch.followed(),
                                       run.options.record_cycles(run.loaded.domain().period()).first)),
      log_(run.options.open_run_log(log_modules(run.config, run.plan.topology), run.loaded.domain().period(),
                                    run.results)),
      run_(with_files(run, wave_.get(), followed_.get(), log_.get())) {
  const bool alone =
      std::any_of(table.begin(), table.end(), [&](const auto& kind) { return kind->alone(run_.options); });
  for (const auto& kind : table) {
    if (alone && !kind->alone(run_.options) &&
        (kind->sees_flits(run_.options) || kind->counts_waits(run_.options) ||
         kind->sees_deliveries(run_.options)))
      continue;
    std::unique_ptr<Instrument> instrument = kind->make(run_);
    if (instrument == nullptr) continue;
    if (kind->sees_deliveries(run_.options)) see_deliveries_.push_back(instrument.get());
    instruments_.push_back(std::move(instrument));
  }
  for (const auto& instrument : instruments_) instrument->elaborate();
  for (const auto& instrument : instruments_) instrument->begin();
}

void Instruments::check_log(const NetworkRunConfig& config, const graph::Topology& topology,
                            const platform::RunOptions& options) {
  if (!options.log_selection) return;
  options.log_selection->check(log_modules(config, topology));
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
  if (log_) log_->advance(now);
  run_to_ = now;
}

Cycle Instruments::next_stop() const {
  Cycle stop = never;
  for (const auto& instrument : instruments_) stop = std::min(stop, instrument->next_stop());
  return stop;
}

bool Instruments::done() const {
  return std::any_of(instruments_.begin(), instruments_.end(),
                     [](const auto& instrument) { return instrument->done(); });
}

void Instruments::close() {
  for (const auto& instrument : instruments_) instrument->close();
  if (followed_) open_on_packets();
  if (wave_) wave_->close();
  if (log_) log_->close(std::max(run_.loaded.domain().now(), run_to_ == 0 ? 0 : run_to_ - 1));
}

/// Opens the view on about a screen of rows, from before the first packet's parcel to after its last place.
void Instruments::open_on_packets() {
  const std::vector<const instruments::FollowedPacket*> found = followed_->found();
  if (found.empty()) return;
  constexpr std::size_t screen_rows = 60;
  const auto time_of = [this](Cycle cycle) { return run_.loaded.domain().time_of(cycle).value(); };
  observe::WaveView view;
  Cycle to = 0;
  for (const instruments::FollowedPacket* const packet : found) {
    std::vector<observe::WaveView::Part> parts = followed_->parts(*packet, screen_rows / found.size());
    if (!parts.empty()) parts.front().heading = packet->heading() + ": " + parts.front().heading;
    std::move(parts.begin(), parts.end(), std::back_inserter(view.parts));
    if (found.size() > 1) view.markers.push_back({time_of(packet->from()), packet->heading()});
    to = std::max(to, packet->to());
  }
  const Cycle from = found.front()->from();
  const Cycle before = run_.cenju4_nodes == nullptr ? 10 : 100;
  const Cycle margin = before + (to - from) / 8;
  view.scope = "network.";
  view.from = time_of(from - std::min(margin, from));
  view.to = time_of(to + margin);
  wave_->open_on(view);
}

void Instruments::report(const RunEnd& end) {
  const platform::EmptyResults empty(run_.options, run_.loaded.domain().period().ps_at(end.cycles),
                                     run_.results);
  empty.check(wave_.get());
  empty.check(log_.get());
  for (const auto& instrument : instruments_) instrument->report(end, run_.results);
}

void Instruments::show() {
  for (const auto& instrument : instruments_) instrument->show(run_.results);
}

}  // namespace tsuji::session
