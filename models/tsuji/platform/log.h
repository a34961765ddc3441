// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fstream>
#include <iosfwd>
#include <memory>
#include <string>

#include "tsuji/observe/run_log.h"

namespace spdlog {
class logger;  // takes seconds to compile: log.cpp alone includes it
}

namespace tsuji::platform {

/// Writes a run's warnings as "NAME: warning: TEXT". Code that runs every cycle does not use it.
class Log {
 public:
  /// `out` must outlive the log.
  Log(const std::string& name, std::ostream& out);
  void warn(const std::string& text) const;

 private:
  std::shared_ptr<spdlog::logger> logger_;
};

/// The file of a run's log.
class LogFile final : public observe::LogSink {
 public:
  /// Throws ConfigError if the file cannot be written.
  explicit LogFile(const std::string& path);
  void line(observe::LogLevel level, const std::string& text) override;
  void close() override;

 private:
  const std::string path_;
  std::ofstream file_;
  std::shared_ptr<spdlog::logger> logger_;
};

}  // namespace tsuji::platform
