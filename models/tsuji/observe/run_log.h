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

enum class LogFormat : std::uint8_t { text, json };

/// Destination of a log's lines.
class LogSink {
 public:
  virtual ~LogSink() = default;
  virtual void line(LogLevel level, const std::string& text) = 0;
  /// OutputError where something could not be written.
  virtual void close() = 0;
};

struct RunLogConfig {
  LogSelection selection;
  LogFormat format = LogFormat::text;
  Cycle first_cycle = 0;  ///< lines of earlier cycles are left out
  Cycle last_cycle = never;
  std::vector<LogModules> modules = {};  ///< those that may be added; none: any
};

/// Kind of a line. Of one module's lines about one packet in one cycle, those of a lower rank come first.
struct LogEvent {
  const char* name;
  unsigned rank;
};

/// The log of a run: a line an event, with cycle, level, module and packet, in the order of cycles. Lines of
/// one cycle are in the order of modules, then packets, then ranks: the order in which modules run does not
/// show. An event may be written ahead of its cycle.
///
/// Contract: add() before the first cycle, write() during the run, advance() between slices, close() once at
/// its end.
class RunLog {
 public:
  /// A module, with the detail of its lines.
  struct Module {
    std::uint32_t number = 0;
    LogLevel level = LogLevel::off;
    bool logs(LogLevel line) const { return level >= line; }
  };

  RunLog(RunLogConfig config, std::unique_ptr<LogSink> sink);

  /// A module, once or again, with its level. ModelError for one that RunLogConfig::modules lacks: the
  /// selection was checked without it. The order of the first calls is that of lines within a cycle.
  Module add(const std::string& name);
  const LogSelection& selection() const { return config_.selection; }
  /// Of the module's own level, or more detail than it is asked for: then nothing is written.
  void write(const Module& module, LogLevel level, Cycle cycle, const LogEvent& event,
             std::optional<PacketId> packet, const std::string& text);
  /// The packet ends in cycle `last`: its lines of later cycles are void.
  void end_packet(PacketId packet, Cycle last);
  /// All cycles before `now` have run. The last of them is kept back, as the time between it and the next
  /// one may still add to it.
  void advance(Cycle now);
  /// Writes the lines up to the last cycle that has run.
  void close(Cycle last);
  /// No line has been written.
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
