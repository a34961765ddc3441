// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "tsuji/observe/signal_set.h"
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
  void change_at_once(Picoseconds time, const Change* const* changes, std::size_t count) override;
  /// Changes a text signal at `time`.
  void change(SignalId signal, Picoseconds time, const std::string& text) override;
  void name_value(SignalId signal, std::uint64_t value, const std::string& text) override;
  void open_on(const WaveView& view) override { view_ = view; }
  void advance(Picoseconds time) override;
  void close() override;
  bool shows_change() const override { return changed_; }

 private:
  /// A change that waits.
  struct Waiting {
    SignalId signal;
    std::uint64_t value;  ///< of a text signal: place in texts_
  };
  /// Changes at one time, in the order of the calls.
  struct Step {
    Picoseconds time;
    std::vector<Waiting> changes;
  };
  /// Value of a signal after the changes that were taken, and the value in the file. Of a text signal: places
  /// in texts_.
  struct Level {
    std::uint64_t value = 0, written_value = 0;
    std::uint64_t largest = 0;  ///< number that fits into the signal's bits; of a text: any
    bool is_text = false;
  };
  /// Text of a signal.
  struct Text {
    WaveText brief;
    std::string longer;  ///< not empty: the text, which does not fit into `brief`

    std::string_view view() const { return longer.empty() ? brief.view() : longer; }
  };
  void check(SignalId signal, Picoseconds time, bool text);
  [[noreturn]] void refuse(SignalId signal, Picoseconds time, bool text) const;
  [[noreturn]] void refuse_width(SignalId signal, std::uint64_t value) const;
  std::vector<Waiting>& changes_at(Picoseconds time);
  std::size_t insert_step(Picoseconds time);
  void start();
  void write_before(Picoseconds time);
  std::uint64_t place_for_text();
  std::uint64_t keep_text(const WaveText& text);
  void release_text(std::uint64_t place);
  bool same_texts(std::uint64_t place, std::uint64_t other) const {
    return texts_[place].view() == texts_[other].view();
  }
  void take(const Waiting& change);
  void write_step(Picoseconds time);
  bool may_write_at_once(Picoseconds time);
  bool replace_text(SignalId signal, const WaveText& text);
  void write_all(Picoseconds time);
  void write_time(Picoseconds time);
  void write_changed(SignalId signal, Picoseconds time);
  void write_level(SignalId signal);
  [[noreturn]] void fail(const std::string& problem) const;

  const std::unique_ptr<WaveSink> sink_;
  const WaveWindow window_;
  const std::optional<Picoseconds> marker_;
  std::optional<WaveView> view_;
  const std::string stem_, ending_;
  std::vector<SignalInfo> signals_;
  std::unordered_set<std::string> paths_;
  std::vector<Level> levels_;
  std::vector<Step> steps_;                         ///< descending by time: the earliest is the last
  std::size_t last_step_ = 0;                       ///< index in steps_ where the step of the last change was
  std::vector<std::vector<Waiting>> free_changes_;  ///< empty lists, with their memory
  std::vector<Text> texts_ =
      std::vector<Text>(1);  ///< texts of signals and of changes that wait; place 0: the empty text
  std::vector<std::uint64_t> free_texts_;
  std::vector<const Change*> fresh_;  ///< memory for change_at_once()
  SignalSet touched_;                 ///< signals that change in the step being put together
  Picoseconds passed_ = 0;            ///< changes before it have been taken
  Picoseconds last_ = 0;              ///< time of the latest change within the window
  Picoseconds written_time_ = 0;
  bool started_ = false;  ///< signals are declared
  bool open_ = false;     ///< the file has its first time
  bool closed_ = false;
  bool changed_ = false;  ///< a signal has changed after the beginning of the window
};

}  // namespace tsuji::observe
