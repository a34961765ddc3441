// SPDX-License-Identifier: Apache-2.0
#include "tsuji/platform/python_script.h"

#include <cstdlib>
#include <filesystem>

#include "tsuji/platform/child_process.h"
#include "tsuji/platform/sweep_runs.h"

namespace tsuji::platform {
namespace {

std::string python_interpreter() {
  const char* chosen = std::getenv("TSUJI_PYTHON");
  if (chosen != nullptr && *chosen != '\0') return chosen;
  const std::string of_debian = "/usr/bin/python3";
  return std::filesystem::exists(of_debian) ? of_debian : "python3";
}

}  // namespace

ScriptEnd run_python(const std::vector<std::string>& arguments, const std::string& log) {
  std::vector<std::string> command = {"/usr/bin/env", python_interpreter()};
  command.insert(command.end(), arguments.begin(), arguments.end());
  ChildProcess script(command, log);
  script.wait();
  const ScriptEnd end{script.exit_status(), one_line(text_of_file(log))};
  std::filesystem::remove(log);
  return end;
}

}  // namespace tsuji::platform
