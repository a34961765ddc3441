// SPDX-License-Identifier: Apache-2.0
#include "common/pin_wave.h"

#include <algorithm>
#include <array>
#include <utility>

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

observe::SignalId add_signal(observe::Wave& wave, const Pin& pin, unsigned lane, const std::string& scope,
                             const std::string& group) {
  const std::string path =
      "bench." + scope + "." + pin.name + (pin.lanes == 1 ? "" : "_" + std::to_string(lane));
  return wave.add(path, pin.width_bits,
                  pin.width_bits == 1 ? observe::WaveFormat::binary : observe::WaveFormat::hex, group);
}

/// A lane of a pin, with the place of its group among all.
struct Lane {
  const Pin* pin;
  unsigned lane;
  std::array<std::uint64_t, 2> place;  ///< port and virtual channel, each plus one; 0: none
  std::string group;
};

/// Lanes that do not differ first: inputs and then outputs, those of no port first.
std::vector<Lane> lanes_of(const PinList& pins, const std::vector<std::size_t>& first) {
  constexpr unsigned none = PinList::LaneGroup::none;
  std::vector<Lane> lanes;
  for (const bool input : {true, false})
    for (const Pin& pin : pins.pins())
      for (unsigned lane = 0; pin.input == input && lane < pin.lanes; ++lane) {
        if (!input && std::find(first.begin(), first.end(), pin.at + lane) != first.end()) continue;
        const auto [port, vc] = pins.group_of(pin, lane);
        std::string group = input ? "inputs" : "outputs";
        if (port != none) group = "port " + std::to_string(port);
        if (vc != none) group += ", virtual channel " + std::to_string(vc);
        lanes.push_back({&pin, lane, {port == none ? 0 : port + 1U, vc == none ? 0 : vc + 1U}, group});
      }
  std::stable_sort(lanes.begin(), lanes.end(),
                   [](const Lane& a, const Lane& b) { return a.place < b.place; });
  return lanes;
}

}  // namespace

PinWave::PinWave(const std::string& path, const std::vector<const PinList*>& sides, const PinView& view)
    : wave_(observe::open_wave_file(file_of(path, view))),
      signals_(sides[0]->input_lanes() + sides.size() * sides[0]->output_lanes()),
      first_outputs_(sides[0]->input_lanes()),
      outputs_(sides[0]->output_lanes()),
      two_sides_(sides.size() == 2) {
  if (two_sides_) differs_ = wave_->add("bench.differs", 1, observe::WaveFormat::binary, "comparison");
  const std::vector<std::size_t>& first = view.first_to_differ;
  for (const Pin& pin : sides[0]->pins())
    for (unsigned lane = 0; !pin.input && lane < pin.lanes; ++lane)
      if (std::find(first.begin(), first.end(), pin.at + lane) != first.end())
        add_lane(sides, pin, lane, "first to differ");
  for (const Lane& one : lanes_of(*sides[0], first)) add_lane(sides, *one.pin, one.lane, one.group);
}

/// The values of both sides of an output next to each other.
void PinWave::add_lane(const std::vector<const PinList*>& sides, const Pin& pin, unsigned lane,
                       const std::string& group) {
  if (pin.input) {
    signals_[pin.at + lane] = add_signal(*wave_, pin, lane, "inputs", group);
    return;
  }
  for (std::size_t side = 0; side < sides.size(); ++side)
    signals_[first_outputs_ + side * outputs_ + pin.at + lane] =
        add_signal(*wave_, pin, lane, sides[side]->side(), group);
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
