// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tsuji/results/results.h"

namespace tsuji::platform {

/// Name of the page of a run's results in its output folder.
inline constexpr const char* report_page = "report.html";

/// Checks before a run that its page can be written: throws ConfigError (--report) if the interpreter or a
/// library of the page is missing. `folder` is a folder for a temporary file.
void check_report(const std::string& folder);

/// Writes the page from the results in `folder`, and changed.yaml, which the page shows and whose text is
/// `changed`. Lists both files in the results. Returns the problem of a page that could not be written, or an
/// empty text.
std::string write_report(const std::string& folder, const std::string& changed, observe::Results& results);

}  // namespace tsuji::platform
