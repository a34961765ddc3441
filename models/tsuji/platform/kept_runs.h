// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <iosfwd>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace tsuji::platform {

/// State of the run that a folder keeps.
enum class KeptState {
  unfinished,  ///< The folder has no run, or its run was cut off.
  complete,    ///< The folder has a complete result.json.
  failed,      ///< The run ended with a model failure, described in failure.txt.
};
/// Returns the state of the run in `folder`, read from its result.json and failure.txt.
KeptState kept_state(const std::string& folder);

using Answer = std::function<nlohmann::ordered_json(const std::vector<std::string>& words)>;
using Completion = std::function<void(nlohmann::ordered_json& answer)>;
/// Process in which `answer` is called.
enum class CallsOfAnswer {
  in_copies,       ///< A forked copy for every line: no call sees the state of another.
  in_this_process  ///< For an answer that keeps no state which decides another.
};
/// Answers command lines: each line of `lines` is a JSON array of words, each answer a JSON document on one
/// line of `out`, in the order of the input. `complete` is called in this process. Throws ConfigError
/// (--check-runs) for a malformed line, and ModelError if there is no answer to a line.
void answer_command_lines(std::istream& lines, std::ostream& out, const Answer& answer,
                          const Completion& complete, CallsOfAnswer calls = CallsOfAnswer::in_copies);

}  // namespace tsuji::platform
