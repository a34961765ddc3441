// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "tsuji/core/packet.h"
#include "tsuji/core/units.h"
#include "tsuji/observe/log_selection.h"

namespace tsuji::observe {

/// Format of a log: lines of text, or one JSON object in each line.
enum class LogFormat : std::uint8_t { text, json };

/// Destination of a log's lines.
class LogSink {
 public:
  virtual ~LogSink() = default;
  /// Writes one line; `text` ends without a newline.
  virtual void line(LogLevel level, const std::string& text) = 0;
  /// Closes the destination. Throws OutputError if a line could not be written.
  virtual void close() = 0;
};

/// Parameters of a log.
struct RunLogConfig {
  LogSelection selection;                ///< Levels of the modules.
  LogFormat format = LogFormat::text;    ///< Format of the lines.
  Cycle first_cycle = 0;                 ///< Lines of earlier cycles are omitted.
  Cycle last_cycle = never;              ///< Lines of later cycles are omitted.
  std::vector<LogModules> modules = {};  ///< Modules that may be added; empty: any.
};

/// Kind of a line.
struct LogEvent {
  const char* name;  ///< Word of the event in the line.
  unsigned rank;     ///< Order among one module's lines about one packet in one cycle, lowest first.
};

/// Log of a run: one line for each event, with cycle, level, module and packet, in the order of cycles. Lines
/// of one cycle are ordered by module, packet and rank, so that the order in which modules run does not
/// appear. An event may be written ahead of its cycle.
///
/// Contract: add() before the first cycle, write() during the run, advance() between slices, close() once at
/// its end.
class RunLog {
 public:
  /// Module that writes lines.
  struct Module {
    std::uint32_t number = 0;        ///< Position among the modules of the log.
    LogLevel level = LogLevel::off;  ///< Most detailed level of its lines.
    /// True if a line of this level is written.
    bool logs(LogLevel line) const { return level >= line; }
  };

  /// Log that writes to `sink`.
  RunLog(RunLogConfig config, std::unique_ptr<LogSink> sink);

  /// Returns the module of this name, and adds it in the first call. The order of first calls is the order of
  /// lines within a cycle. Throws ModelError for a module that RunLogConfig::modules lacks, because the
  /// selection was checked without it.
  Module add(const std::string& name);
  /// Levels of the modules.
  const LogSelection& selection() const { return config_.selection; }
  /// Writes a line, unless its level is more detailed than the module's.
  void write(const Module& module, LogLevel level, Cycle cycle, const LogEvent& event,
             std::optional<PacketId> packet, const std::string& text);
  /// Reports that the packet ends in cycle `last`; its lines of later cycles are discarded.
  void end_packet(PacketId packet, Cycle last);
  /// Reports that all cycles before `now` have run, and writes their lines. The last of these cycles is held
  /// back, because events between two cycles may still add lines to it.
  void advance(Cycle now);
  /// Writes the lines up to the last cycle that has run.
  void close(Cycle last);
  /// True if no line has been written.
  bool empty() const { return !any_; }

 private:
  struct Line {
    Cycle cycle;
    std::uint32_t module;
    LogLevel level;
    bool has_packet;
    PacketId packet;
    LogEvent event;
    std::string text;
    bool operator<(const Line& other) const;
  };
  void write_before(Cycle cycle);
  std::string text_of(const Line& line) const;
  std::string json_of(const Line& line) const;

  const RunLogConfig config_;
  const std::unique_ptr<LogSink> sink_;
  std::vector<std::string> modules_;
  std::unordered_map<std::string, Module> by_name_;
  std::vector<Line> held_;
  bool any_ = false;
};

}  // namespace tsuji::observe
