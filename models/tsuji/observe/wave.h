// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tsuji/core/units.h"

namespace tsuji::observe {

enum class WaveFormat : std::uint8_t { binary, hex, decimal, text, analog };
using SignalId = std::uint32_t;

/// The width of a signal whose values are 0..most.
constexpr unsigned bits_for(std::uint64_t most) {
  unsigned bits = 1;
  while (bits < 64 && most >> bits != 0) ++bits;
  return bits;
}

/// Signals and time that the save file of a waveform opens on.
struct WaveView {
  struct Part {
    std::string heading;
    std::vector<std::string> paths;  ///< of signals, in the order of their rows
  };
  std::vector<Part> parts;
  Picoseconds from = 0, to = 0;
  std::string scope;  ///< with its dot: labels of signals in it leave it out
  /// Named markers of GTKWave, at most 26: A, B, and so on.
  struct Marker {
    Picoseconds at;
    std::string name;
  };
  std::vector<Marker> markers = {};
};

/// A waveform file in the making. Models report what happens (never a poll), with the time at which it shows,
/// which may lie in the future: a packet's flits are known when its head leaves. Changes come out in order of
/// time; of two for one signal at one time the later call wins. Without waves there is no Wave, and
/// models test a null pointer.
class Wave {
 public:
  virtual ~Wave() = default;

  /// A signal at a dotted path, e.g. "network.stage0.switch3.out1.head": the dots make scopes. `group` puts
  /// it under a heading of the GTKWave save file that is written beside the waveform; an empty group leaves
  /// it out of that file. All signals are added before the first change.
  virtual SignalId add(const std::string& path, unsigned width_bits, WaveFormat format,
                       const std::string& group) = 0;
  virtual void change(SignalId signal, Picoseconds time, std::uint64_t value) = 0;
  /// Text signals show a transaction's name for as long as it lasts; empty text is the idle level.
  virtual void change(SignalId signal, Picoseconds time, const std::string& text) = 0;
  /// Names values of a signal in the save file (a state or a packet kind).
  virtual void name_value(SignalId signal, std::uint64_t value, const std::string& text) = 0;
  /// The save file opens on the signals of `view` that there are, under the headings of their parts, and on
  /// its time; all groups are folded. Before close(); without a call all groups are open.
  virtual void open_on(const WaveView& /*view*/) {}
  /// All changes before `time` are final and may be written out.
  virtual void advance(Picoseconds time) = 0;
  /// Writes the rest, the file's end and the .gtkw.
  virtual void close() = 0;
  /// A signal has changed within the window. After close().
  virtual bool shows_change() const { return true; }
};

}  // namespace tsuji::observe
