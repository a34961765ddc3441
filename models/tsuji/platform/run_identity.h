// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace tsuji::platform {

/// Names runs by everything that decides their results: the executable's bytes, the configuration, the bytes
/// of every file that it names or that comes with Tsuji, and `words` (options). Two runs of one name have the
/// same results. Files are read once: they do not change while this lives.
class RunIdentity {
 public:
  /// Reads the executable of this process.
  RunIdentity();
  /// 16 hexadecimal digits.
  std::string of(const nlohmann::ordered_json& config, const std::string& words);

 private:
  void name_files_by_content(nlohmann::ordered_json& config);

  std::string executable_digest_;
  std::map<std::string, std::string> file_digests_;  ///< by path
};

}  // namespace tsuji::platform
