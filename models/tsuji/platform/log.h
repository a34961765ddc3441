// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <memory>
#include <string>

namespace spdlog {
class logger;  // takes seconds to compile: log.cpp alone includes it
}

namespace tsuji::platform {

/// Warnings of a run, as "NAME: warning: TEXT"; never from what runs every cycle.
class Log {
 public:
  /// `out` outlives the log.
  Log(const std::string& name, std::ostream& out);
  void warn(const std::string& text) const;

 private:
  std::shared_ptr<spdlog::logger> logger_;
};

}  // namespace tsuji::platform
