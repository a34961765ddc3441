// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace tsuji::platform {

/// Computes a run's identity from everything that determines its results: the bytes of the executable, the
/// configuration, the bytes of every file that the configuration names or that comes with Tsuji, and `words`
/// (options). Two runs of one identity have equal results. Each file is read once and must not change while
/// this object exists.
class RunIdentity {
 public:
  /// Reads the executable of this process.
  RunIdentity();
  /// The identity: 16 hexadecimal digits.
  std::string of(const nlohmann::ordered_json& config, const std::string& words);

 private:
  void name_files_by_content(nlohmann::ordered_json& config);

  std::string executable_digest_;
  std::map<std::string, std::string> file_digests_;  ///< Digests of files, by path.
};

}  // namespace tsuji::platform
