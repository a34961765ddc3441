// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tsuji/observe/wave.h"

namespace tsuji::observe {

/// One signal as the writers of a waveform file and of its save file see it.
struct SignalInfo {
  std::string path;
  unsigned width_bits = 1;  ///< 1..64; of no meaning for text
  WaveFormat format = WaveFormat::binary;
  std::string group;
  std::vector<std::pair<std::uint64_t, std::string>> names;  ///< in the order in which they were given

  bool is_text() const { return format == WaveFormat::text; }
  /// The part behind the last dot, with the bit range that viewers show on a vector: "head[7:0]".
  std::string leaf() const;
  /// The bit range alone: "[7:0]", or nothing.
  std::string range() const;
};

/// Writer of one waveform format. Times rise, and a signal's value is given only if it changes:
/// the order of events is WaveFile's business. A file that cannot be opened is a ConfigError; one that cannot
/// be written on, a ModelError.
class WaveSink {
 public:
  virtual ~WaveSink() = default;
  /// Once, before anything else: signal i is `signals[i]`.
  virtual void declare(const std::vector<SignalInfo>& signals) = 0;
  /// The changes that follow show at `time`; the first call is the file's beginning, at which all signals get
  /// a value.
  virtual void time(Picoseconds time) = 0;
  virtual void value(SignalId signal, std::uint64_t value) = 0;
  virtual void text(SignalId signal, const std::string& text) = 0;
  virtual void close() = 0;
};

std::unique_ptr<WaveSink> open_vcd(const std::string& path);
/// ConfigError in a build without gtkwave's writer: writes_fst() in wave_file.h.
std::unique_ptr<WaveSink> open_fst(const std::string& path);

/// Signals in the order of a walk through their scopes: calls `enter(name)`, `leave()` and `signal(id)`;
/// siblings in the order in which they were added. Shared by the formats, which both nest scopes.
class ScopeWalk {
 public:
  virtual ~ScopeWalk() = default;
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
