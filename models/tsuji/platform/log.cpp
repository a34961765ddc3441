// SPDX-License-Identifier: Apache-2.0
#include "tsuji/platform/log.h"

#include <spdlog/logger.h>
#include <spdlog/sinks/ostream_sink.h>

#include <cerrno>
#include <cstring>

#include "tsuji/core/error.h"
#include "tsuji/core/output_file.h"

namespace tsuji::platform {
namespace {

std::shared_ptr<spdlog::logger> logger_to(const std::string& name, std::ostream& out, bool flushes) {
  return std::make_shared<spdlog::logger>(name,
                                          std::make_shared<spdlog::sinks::ostream_sink_st>(out, flushes));
}

}  // namespace

Log::Log(const std::string& name, std::ostream& out) : logger_(logger_to(name, out, true)) {
  logger_->set_pattern("%n: %l: %v");
}

void Log::warn(const std::string& text) const {
  logger_->warn("{}", text);
}

LogFile::LogFile(const std::string& path)
    : path_(path), file_(path, std::ios::binary), logger_(logger_to("", file_, false)) {
  if (!file_)
    throw ConfigError("", path_, std::string("the log cannot be written: ") + std::strerror(errno),
                      "a folder in which files can be created");
  logger_->set_level(spdlog::level::trace);
  logger_->set_pattern("%v");
}

void LogFile::line(observe::LogLevel level, const std::string& text) {
  logger_->log(level == observe::LogLevel::trace ? spdlog::level::trace : spdlog::level::debug, "{}", text);
}

void LogFile::close() {
  if (file_.is_open()) close_output(file_, path_);
}

}  // namespace tsuji::platform
