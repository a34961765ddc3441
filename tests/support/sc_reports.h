// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace tsuji::test {

/// A SystemC warning, error or fatal error fails the run of the test executable, caught or not, unless a test
/// expects it. Reports that the model has silenced (SC_DO_NOTHING) do not count.

/// Expects reports of one message type for its lifetime; at least one must come.
class ExpectedReport {
 public:
  explicit ExpectedReport(std::string type);
  ~ExpectedReport();
  ExpectedReport(const ExpectedReport&) = delete;
  ExpectedReport& operator=(const ExpectedReport&) = delete;

 private:
  std::string type_;
  unsigned seen_before_;
};

/// Starts to count this process's reports.
void watch_reports();

/// Fails the run with `what` and the name of the current test case.
void add_report_failure(const std::string& what);

/// Number of failures.
unsigned report_failures();

}  // namespace tsuji::test
