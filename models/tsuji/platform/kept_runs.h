// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <iosfwd>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace tsuji::platform {

/// How a run that left a folder has ended.
enum class Ended {
  no,        ///< there is none, or it was cut off
  complete,  ///< with its whole result.json
  failed,    ///< as a model failure, with failure.txt
};
Ended how_ended(const std::string& folder);

using Answer = std::function<nlohmann::ordered_json(const std::vector<std::string>& words)>;
using Completion = std::function<void(nlohmann::ordered_json& answer)>;
/// Answers command lines: each line of `lines` is a JSON array of words, each answer a JSON document in a
/// line of `out`, in the same order. `answer` is called in a copy of this process each, so that none sees
/// what another has set; `complete` in this one. ConfigError (--check-runs) for a line that is none;
/// ModelError where a copy ends without an answer.
void answer_command_lines(std::istream& lines, std::ostream& out, const Answer& answer,
                          const Completion& complete);

}  // namespace tsuji::platform
