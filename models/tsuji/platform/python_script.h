// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace tsuji::platform {

/// Outcome of a Python script.
struct ScriptEnd {
  int status = 0;    ///< Exit status; 128 + signal if a signal ended the script.
  std::string said;  ///< Its output in one line.
};

/// Runs a Python script that comes with Tsuji and waits for its end. The interpreter is the environment's
/// TSUJI_PYTHON, Debian's /usr/bin/python3 (another one may lack Debian's packages), or python3 of PATH.
/// `arguments` begin with the script's path. `log` is a file for its output, which is removed.
ScriptEnd run_python(const std::vector<std::string>& arguments, const std::string& log);

}  // namespace tsuji::platform
