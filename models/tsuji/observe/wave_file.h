// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "tsuji/observe/wave.h"
#include "tsuji/observe/wave_sink.h"

namespace tsuji::observe {

/// File format of a waveform: Value Change Dump (IEEE 1364), or GTKWave's FST.
enum class WaveFileFormat : std::uint8_t { vcd, fst };

/// True in a build with gtkwave's FST writer (models/tsuji/observe/CMakeLists.txt).
bool writes_fst();
/// FST if the build writes it, otherwise VCD.
inline WaveFileFormat default_wave_format() {
  return writes_fst() ? WaveFileFormat::fst : WaveFileFormat::vcd;
}

/// Part of the run that a waveform shows.
struct WaveWindow {
  Picoseconds from = 0;              ///< First time shown.
  Picoseconds to = ~Picoseconds{0};  ///< Last time shown.
};

/// Parameters of a waveform file.
struct WaveFileConfig {
  std::string path;  ///< Path without its ending; ".vcd" or ".fst", and ".gtkw" are added.
  WaveFileFormat format = default_wave_format();  ///< File format.
  WaveWindow window;                              ///< Part of the run that the file shows.
  /// Time of GTKWave's marker in the save file; empty: beginning of the window.
  std::optional<Picoseconds> marker = {};
};

/// Opens a waveform file. Throws ConfigError if the file cannot be written.
std::unique_ptr<Wave> open_wave_file(const WaveFileConfig& config);

/// Wave that sorts changes by time and passes them to a file format. Changes wait in a list of their time
/// until advance() passes the time. Changes without a new value are not written; of several calls for one
/// time only the last value is. Numbers are 0 and texts empty until their first change. Changes after the
/// window are discarded; of those before it only the value at the beginning of the window remains.
///
/// Throws ModelError for a signal added twice or after the first change, a value wider than its signal, text
/// for a number, and a change before a time that advance() has passed.
class WaveFile final : public Wave {
 public:
  /// `ending` is the ending of the waveform's file name, with its dot.
  WaveFile(std::unique_ptr<WaveSink> sink, const WaveFileConfig& config, std::string ending);
  /// Closes the file if close() was not called; errors are then lost.
  ~WaveFile() override;

  SignalId add(const std::string& path, unsigned width_bits, WaveFormat format,
               const std::string& group) override;
  /// Changes a signal to a number at `time`.
  void change(SignalId signal, Picoseconds time, std::uint64_t value) override;
  void change_numbers(Picoseconds time, const std::vector<Number>& numbers) override;
  /// Changes a text signal at `time`.
  void change(SignalId signal, Picoseconds time, const std::string& text) override;
  void name_value(SignalId signal, std::uint64_t value, const std::string& text) override;
  void open_on(const WaveView& view) override { view_ = view; }
  void advance(Picoseconds time) override;
  void close() override;
  bool shows_change() const override { return changed_; }

 private:
  /// The value of a text signal is its place in texts_.
  using Change = Number;
  /// Changes at one time, in the order of the calls.
  struct Step {
    Picoseconds time;
    std::vector<Change> changes;
  };
  /// Value of a signal after the changes that were taken, and the value in the file. Of a text signal: places
  /// in texts_.
  struct Level {
    std::uint64_t value = 0, written_value = 0;
    std::uint64_t largest = 0;  ///< largest number that fits into the signal's bits
    bool is_text = false;
  };
  /// Set of signals, which are visited in ascending order.
  class SignalSet {
   public:
    void resize(std::size_t signals) {
      words_.resize((signals + 63) / 64);
      summary_.resize((words_.size() + 63) / 64);
    }
    void insert(SignalId signal) {
      words_[signal / 64] |= std::uint64_t{1} << (signal % 64);
      summary_[signal / 4096] |= std::uint64_t{1} << (signal / 64 % 64);
    }
    /// Calls visit(signal) for each member, and removes all members.
    template <class Visit>
    void take(const Visit& visit);

   private:
    std::vector<std::uint64_t> words_;    ///< bit s of word w: signal 64 w + s
    std::vector<std::uint64_t> summary_;  ///< bit w of word v: word 64 v + w is not 0
  };

  void check(SignalId signal, Picoseconds time, bool text);
  [[noreturn]] void refuse(SignalId signal, Picoseconds time, bool text) const;
  [[noreturn]] void refuse_width(SignalId signal, std::uint64_t value) const;
  std::vector<Change>& changes_at(Picoseconds time);
  std::size_t insert_step(Picoseconds time);
  void start();
  void write_before(Picoseconds time);
  std::uint64_t keep_text(const std::string& text);
  void release_text(std::uint64_t place);
  void take(const Change& change);
  void write_step(Picoseconds time);
  void write_all(Picoseconds time);
  void write_time(Picoseconds time);
  void write_level(SignalId signal, Picoseconds time, bool changed_only);
  [[noreturn]] void fail(const std::string& problem) const;

  const std::unique_ptr<WaveSink> sink_;
  const WaveWindow window_;
  const std::optional<Picoseconds> marker_;
  std::optional<WaveView> view_;
  const std::string stem_, ending_;
  std::vector<SignalInfo> signals_;
  std::unordered_set<std::string> paths_;
  std::vector<Level> levels_;
  std::vector<Step> steps_;                        ///< descending by time: the earliest is the last
  std::size_t last_step_ = 0;                      ///< index in steps_ where the step of the last change was
  std::vector<std::vector<Change>> free_changes_;  ///< empty lists, with their memory
  std::vector<std::string> texts_{
      ""};  ///< texts of signals and of changes that wait; place 0: the empty text
  std::vector<std::uint64_t> free_texts_;
  SignalSet touched_;       ///< signals that change in the step being put together
  Picoseconds passed_ = 0;  ///< changes before it have been taken
  Picoseconds last_ = 0;    ///< time of the latest change within the window
  Picoseconds written_time_ = 0;
  bool started_ = false;  ///< signals are declared
  bool open_ = false;     ///< the file has its first time
  bool closed_ = false;
  bool changed_ = false;  ///< a signal has changed after the beginning of the window
};

}  // namespace tsuji::observe
