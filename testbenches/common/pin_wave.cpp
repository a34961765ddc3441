// SPDX-License-Identifier: Apache-2.0
#include "common/pin_wave.h"

#include <algorithm>

#include "tsuji/core/error.h"

namespace tsuji::bench {
namespace {

constexpr Picoseconds cycle_ps = 1000;

observe::WaveFileConfig file_of(const std::string& path, const PinView& view) {
  const std::size_t dot = path.rfind('.');
  const std::string ending = dot == std::string::npos ? "" : path.substr(dot);
  if (dot == 0 || (ending != ".vcd" && ending != ".fst"))
    throw ConfigError("--waves", path, "no waveform format by this ending", "FILE.vcd or FILE.fst");
  observe::WaveFileConfig file;
  file.path = path.substr(0, dot);
  file.format = ending == ".vcd" ? observe::WaveFileFormat::vcd : observe::WaveFileFormat::fst;
  file.window.from = view.from * cycle_ps;
  if (view.marker) file.marker = *view.marker * cycle_ps;
  return file;
}

observe::SignalId add_lane(observe::Wave& wave, const Pin& pin, unsigned lane, const std::string& scope,
                           const std::string& group) {
  const std::string path =
      "bench." + scope + "." + pin.name + (pin.lanes == 1 ? "" : "_" + std::to_string(lane));
  return wave.add(path, pin.width_bits,
                  pin.width_bits == 1 ? observe::WaveFormat::binary : observe::WaveFormat::hex, group);
}

}  // namespace

PinWave::PinWave(const std::string& path, const std::vector<const PinList*>& sides, const PinView& view)
    : wave_(observe::open_wave_file(file_of(path, view))),
      signals_(sides[0]->input_lanes() + sides.size() * sides[0]->output_lanes()),
      first_outputs_(sides[0]->input_lanes()),
      outputs_(sides[0]->output_lanes()),
      two_sides_(sides.size() == 2) {
  if (two_sides_) differs_ = wave_->add("bench.differs", 1, observe::WaveFormat::binary, "comparison");
  add_outputs(sides, view, true);
  for (const Pin& pin : sides[0]->pins())
    for (unsigned lane = 0; pin.input && lane < pin.lanes; ++lane)
      signals_[pin.at + lane] = add_lane(*wave_, pin, lane, "inputs", "inputs");
  add_outputs(sides, view, false);
}

/// Outputs that differ first, or the others; the values of both sides next to each other.
void PinWave::add_outputs(const std::vector<const PinList*>& sides, const PinView& view, bool on_top) {
  const std::vector<std::size_t>& first = view.first_to_differ;
  for (const Pin& pin : sides[0]->pins()) {
    for (unsigned lane = 0; !pin.input && lane < pin.lanes; ++lane) {
      if ((std::find(first.begin(), first.end(), pin.at + lane) != first.end()) != on_top) continue;
      for (std::size_t side = 0; side < sides.size(); ++side)
        signals_[first_outputs_ + side * outputs_ + pin.at + lane] =
            add_lane(*wave_, pin, lane, sides[side]->side(), on_top ? "first to differ" : "outputs");
    }
  }
}

void PinWave::row(Cycle cycle, const PinRow& values) {
  const Picoseconds now = cycle * cycle_ps;
  for (std::size_t i = 0; i < signals_.size(); ++i) wave_->change(signals_[i], now, values[i]);
  if (two_sides_) {
    const auto model = values.begin() + static_cast<std::ptrdiff_t>(first_outputs_);
    const auto twin = model + static_cast<std::ptrdiff_t>(outputs_);
    wave_->change(differs_, now, std::equal(model, twin, twin) ? 0 : 1);
  }
  wave_->advance(now);
}

void PinWave::close(Cycle end) {
  wave_->advance(end * cycle_ps);
  wave_->close();
}

}  // namespace tsuji::bench
