// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tsuji/core/units.h"
#include "tsuji/observe/wave_text.h"

namespace tsuji::observe {

/// Representation of a signal in the viewer.
enum class WaveFormat : std::uint8_t { binary, hex, decimal, text, analog };
/// Number of a signal, in the order in which signals were added.
using SignalId = std::uint32_t;

/// Width in bits of a signal whose values are 0..most.
constexpr unsigned bits_for(std::uint64_t most) {
  unsigned bits = 1;
  while (bits < 64 && most >> bits != 0) ++bits;
  return bits;
}

/// Signals and time that the viewer shows when it opens the save file of a waveform.
struct WaveView {
  /// Signals under one heading.
  struct Part {
    std::string heading;             ///< Text above the signals.
    std::vector<std::string> paths;  ///< Paths of the signals, in the order of their rows.
  };
  std::vector<Part> parts;  ///< Parts from top to bottom.
  Picoseconds from = 0,     ///< First time shown.
      to = 0;               ///< Last time shown.
  std::string scope;        ///< Scope, with its dot, that the labels of its signals omit.
  /// Named marker of GTKWave.
  struct Marker {
    Picoseconds at;    ///< Time of the marker.
    std::string name;  ///< Text of the marker.
  };
  std::vector<Marker> markers = {};  ///< At most 26 markers, A to Z.
};

/// Waveform under construction. Models report changes (and are never polled) with the time at which the
/// change is visible. That time may be in the future: all flits of a packet are known when its head leaves.
/// Changes are written in order of time; of two changes of one signal at one time the later call has effect.
/// In a run without waveforms models hold a null pointer.
///
/// Contract: add() and name_value() for all signals, then change() and advance() during the run, open_on() if
/// at all, and close() once.
class Wave {
 public:
  virtual ~Wave() = default;

  /// Adds a signal at a dotted path, for example "network.stage0.switch3.out1.head"; each dot begins a scope.
  /// `group` is its heading in the GTKWave save file that is written with the waveform; a signal with an
  /// empty group is not in that file. All signals are added before the first change.
  virtual SignalId add(const std::string& path, unsigned width_bits, WaveFormat format,
                       const std::string& group) = 0;
  /// Changes a signal to a number at `time`.
  virtual void change(SignalId signal, Picoseconds time, std::uint64_t value) = 0;
  /// A new value of a signal.
  struct Change {
    SignalId signal;       ///< Signal that changes.
    std::uint64_t number;  ///< Its new number.
    const WaveText* text;  ///< Its new text; null: a number.
  };
  /// Makes `count` changes at `time`.
  void change_each(Picoseconds time, const Change* const* changes, std::size_t count) {
    for (const Change* const* at = changes; at != changes + count; ++at) {
      const Change& one = **at;
      if (one.text == nullptr) {
        change(one.signal, time, one.number);
      } else {
        change(one.signal, time, std::string(one.text->view()));
      }
    }
  }
  /// Makes changes of `count` signals, each once and in ascending order, at `time`. All other changes up to
  /// `time` have been made, so these may be written to the file at once. `changes` has a pointer to each.
  virtual void change_at_once(Picoseconds time, const Change* const* changes, std::size_t count) {
    change_each(time, changes, count);
  }
  /// Changes a text signal at `time`: the name of a transaction while it lasts, an empty text when idle.
  virtual void change(SignalId signal, Picoseconds time, const std::string& text) = 0;
  /// Names a value of a signal in the save file, such as a state or a packet kind.
  virtual void name_value(SignalId signal, std::uint64_t value, const std::string& text) = 0;
  /// Sets the view of the save file: the existing signals of `view` under the headings of their parts, and
  /// its time; all groups are folded. Called before close(); without a call all groups are open.
  virtual void open_on(const WaveView& /*view*/) {}
  /// Reports that all changes before `time` are final, and may be written to the file.
  virtual void advance(Picoseconds time) = 0;
  /// Writes the remaining changes and the save file.
  virtual void close() = 0;
  /// True if a signal has changed within the window. Called after close().
  virtual bool shows_change() const { return true; }
};

}  // namespace tsuji::observe
