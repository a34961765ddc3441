#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace tsuji::platform {

/// A name for everything that decides a run's results: the executable's bytes, the configuration, the bytes
/// of every file that it names, and `words` (an option). Two runs of one name have the same results.
std::string run_identity(const nlohmann::ordered_json& config, const std::string& words);

}  // namespace tsuji::platform
