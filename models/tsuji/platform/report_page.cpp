// SPDX-License-Identifier: Apache-2.0
#include "tsuji/platform/report_page.h"

#include <filesystem>
#include <fstream>

#include "tsuji/core/error.h"
#include "tsuji/core/output_file.h"
#include "tsuji/platform/python_script.h"
#include "tsuji/platform/shared_file.h"

namespace tsuji::platform {
namespace {

/// Runs scripts/report.py. The log is no file of the run.
ScriptEnd run_report(std::vector<std::string> arguments, const std::string& folder) {
  arguments.insert(arguments.begin(), shared_file("scripts/report.py"));
  return run_python(arguments, folder + "/report.log");
}

}  // namespace

void check_report(const std::string& folder) {
  const ScriptEnd end = run_report({"--check"}, folder);
  if (end.status != 0)
    throw ConfigError("--report", "", end.said.empty() ? "scripts/report.py does not run" : end.said, "");
}

std::string write_report(const std::string& folder, const std::string& changed, observe::Results& results) {
  const std::string path = folder + "/changed.yaml";
  std::ofstream file(path, std::ios::binary);
  file << changed;
  close_output(file, path);
  results.file("changed.yaml", "keys that are not the default");
  const ScriptEnd end = run_report({folder}, folder);
  if (end.status != 0) {
    std::filesystem::remove(folder + "/" + report_page);
    return end.said.empty() ? "cannot be written; the disk may be full" : end.said;
  }
  results.file(report_page, "page for a browser");
  return "";
}

}  // namespace tsuji::platform
