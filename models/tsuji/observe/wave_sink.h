// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tsuji/observe/wave.h"

namespace tsuji::observe {

/// Signal of a waveform, for the writers of the file and of its save file.
struct SignalInfo {
  std::string path;                        ///< dotted path
  unsigned width_bits = 1;                 ///< width, 1..64; without meaning for text
  WaveFormat format = WaveFormat::binary;  ///< representation in the viewer
  std::string group;                       ///< heading in the save file; empty: not in that file
  std::vector<std::pair<std::uint64_t, std::string>> names;  ///< named values, in the order of name_value()

  bool is_text() const { return format == WaveFormat::text; }
  /// Part of the path after the last dot, with the bit range that viewers show for a vector: "head[7:0]".
  std::string leaf() const;
  /// Bit range, for example "[7:0]"; empty for one bit.
  std::string range() const;
};

/// Writer of one waveform format. WaveFile calls it with ascending times, and with a signal's value only if
/// the value changes. Throws ModelError if the file cannot be written.
///
/// Contract: declare() once, then time() and the changes at that time, for each time; close() once.
class WaveSink {
 public:
  virtual ~WaveSink() = default;
  /// Writes the declarations; SignalId i refers to `signals[i]`.
  virtual void declare(const std::vector<SignalInfo>& signals) = 0;
  /// Sets the time of the following changes. The first call begins the file; all signals then get a value.
  virtual void time(Picoseconds time) = 0;
  virtual void value(SignalId signal, std::uint64_t value) = 0;
  virtual void text(SignalId signal, std::string_view text) = 0;
  /// value() or text() for each of `count` changes, of different signals.
  virtual void changes(const Wave::Change* const* changes, std::size_t count) {
    for (const Wave::Change* const* at = changes; at != changes + count; ++at) {
      const Wave::Change& one = **at;
      if (one.text == nullptr) {
        value(one.signal, one.number);
      } else {
        text(one.signal, one.text->view());
      }
    }
  }
  virtual void close() = 0;
};

/// Opens a VCD file. Throws ConfigError if the file cannot be opened.
std::unique_ptr<WaveSink> open_vcd(const std::string& path);
/// Opens an FST file. Throws ConfigError if the file cannot be opened, and in a build without GTKWave's FST
/// writer (writes_fst() in wave_file.h).
std::unique_ptr<WaveSink> open_fst(const std::string& path);

/// Depth-first walk through the scopes of signals, for formats that nest scopes. Siblings are visited in the
/// order in which they were added.
class ScopeWalk {
 public:
  virtual ~ScopeWalk() = default;
  /// Calls enter(), signal() and leave() for all scopes and signals.
  void walk(const std::vector<SignalInfo>& signals);

 protected:
  virtual void enter(const std::string& scope) = 0;
  virtual void leave() = 0;
  virtual void signal(SignalId id, const SignalInfo& info) = 0;

 private:
  struct Scope;
  void visit(const Scope& scope, const std::vector<SignalInfo>& signals);
};

}  // namespace tsuji::observe
