// SPDX-License-Identifier: Apache-2.0
#include "tsuji/platform/log.h"

#include <spdlog/logger.h>
#include <spdlog/sinks/ostream_sink.h>

namespace tsuji::platform {

Log::Log(const std::string& name, std::ostream& out)
    : logger_(std::make_shared<spdlog::logger>(name,
                                               std::make_shared<spdlog::sinks::ostream_sink_st>(out, true))) {
  logger_->set_pattern("%n: %l: %v");
}

void Log::warn(const std::string& text) const {
  logger_->warn("{}", text);
}

}  // namespace tsuji::platform
