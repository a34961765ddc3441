#include "common/pin_wave.h"

#include <algorithm>

#include "tsuji/core/error.h"

namespace tsuji::bench {
namespace {

constexpr Picoseconds cycle_ps = 1000;

observe::WaveFileConfig file_of(const std::string& path, Cycle from) {
  const std::size_t dot = path.rfind('.');
  const std::string ending = dot == std::string::npos ? "" : path.substr(dot);
  if (dot == 0 || (ending != ".vcd" && ending != ".fst"))
    throw ConfigError("--trace", path, "no waveform format by this ending", "FILE.vcd or FILE.fst");
  observe::WaveFileConfig file;
  file.path = path.substr(0, dot);
  file.format = ending == ".vcd" ? observe::WaveFileFormat::vcd : observe::WaveFileFormat::fst;
  file.window.from = from * cycle_ps;
  return file;
}

void add_pins(observe::Wave& wave, const PinList& list, bool inputs, const std::string& scope,
              std::vector<observe::SignalId>& signals) {
  for (const Pin& pin : list.pins()) {
    if (pin.input != inputs) continue;
    for (unsigned lane = 0; lane < pin.lanes; ++lane) {
      const std::string path =
          "bench." + scope + "." + pin.name + (pin.lanes == 1 ? "" : "_" + std::to_string(lane));
      signals.push_back(wave.add(path, pin.width_bits,
                                 pin.width_bits == 1 ? observe::WaveFormat::binary : observe::WaveFormat::hex,
                                 scope));
    }
  }
}

}  // namespace

PinWave::PinWave(const std::string& path, const std::vector<const PinList*>& sides, Cycle from)
    : wave_(observe::open_wave_file(file_of(path, from))),
      first_outputs_(sides[0]->input_lanes()),
      outputs_(sides[0]->output_lanes()),
      two_sides_(sides.size() == 2) {
  if (two_sides_) differs_ = wave_->add("bench.differs", 1, observe::WaveFormat::binary, "comparison");
  add_pins(*wave_, *sides[0], true, "inputs", signals_);
  for (const PinList* const side : sides) add_pins(*wave_, *side, false, side->side(), signals_);
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
