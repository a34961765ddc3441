// SPDX-License-Identifier: Apache-2.0
#define CATCH_CONFIG_RUNNER
#include <iostream>
#include <systemc>
#include <unordered_map>
#include <utility>

#include "support/catch.h"
#include "support/sc_reports.h"

namespace {

unsigned failures = 0;

/// Number of objects that expect a message type, and of its reports.
struct Expectation {
  unsigned listeners = 0;
  unsigned seen = 0;
};
std::unordered_map<std::string, Expectation> expectations;

void on_report(const sc_core::sc_report& report, const sc_core::sc_actions& actions) {
  if (report.get_severity() != sc_core::SC_INFO && actions != sc_core::SC_DO_NOTHING) {
    const auto expected = expectations.find(report.get_msg_type());
    if (expected != expectations.end() && expected->second.listeners > 0)
      ++expected->second.seen;
    else
      tsuji::test::add_report_failure("unexpected " + sc_core::sc_report_compose_message(report));
  }
  sc_core::sc_report_handler::default_handler(report, actions);
}

}  // namespace

namespace tsuji::test {

void watch_reports() {
  sc_core::sc_report_handler::set_handler(on_report);
}

void add_report_failure(const std::string& what) {
  ++failures;
  const auto* test = Catch::getCurrentContext().getResultCapture();
  std::cerr << "SystemC report" << (test == nullptr ? "" : " in \"" + test->getCurrentTestName() + "\"")
            << ": " << what << std::endl;
}

unsigned report_failures() {
  return failures;
}

ExpectedReport::ExpectedReport(std::string type)
    : type_(std::move(type)), seen_before_(expectations[type_].seen) {
  ++expectations[type_].listeners;
}

ExpectedReport::~ExpectedReport() {
  Expectation& expectation = expectations[type_];
  --expectation.listeners;
  if (expectation.seen == seen_before_) add_report_failure("an expected report did not come: " + type_);
}

}  // namespace tsuji::test

int sc_main(int count, char** arguments) {
  tsuji::test::watch_reports();
  const int failed_tests = Catch::Session().run(count, arguments);
  const unsigned reports = tsuji::test::report_failures();
  if (reports > 0) std::cerr << "unexpected or missing SystemC reports: " << reports << std::endl;
  return failed_tests == 0 && reports > 0 ? 1 : failed_tests;
}
