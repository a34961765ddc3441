// SPDX-License-Identifier: Apache-2.0
#include "support/sc_reports.h"

#include <sys/wait.h>

#include <climits>
#include <cstdio>
#include <systemc>

#include "support/catch.h"
#include "support/forked.h"

namespace {

struct HiddenCase {
  int status;
  std::string text;
};

/// Runs one hidden case of this executable in a separate process.
HiddenCase run_hidden(const std::string& name) {
  char self[PATH_MAX];
  REQUIRE(realpath("/proc/self/exe", self) != nullptr);
  FILE* output = popen(("'" + std::string(self) + "' '" + name + "' 2>&1").c_str(), "r");
  REQUIRE(output != nullptr);
  std::string text;
  char buffer[4096];
  for (std::size_t bytes = 0; (bytes = fread(buffer, 1, sizeof buffer, output)) > 0;)
    text.append(buffer, bytes);
  const int status = pclose(output);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, text};
}

}  // namespace

TEST_CASE("a test passes if SystemC is silent or reports what the test expects") {
  for (const char* name :
       {"hidden: silence", "hidden: information", "hidden: a warning that is expected",
        "hidden: an error that is expected", "hidden: a warning that the model has silenced"}) {
    const HiddenCase ended = run_hidden(name);
    CAPTURE(name, ended.text);
    CHECK(ended.status == 0);
    CHECK(ended.text.find("1 assertion in 1 test case") != std::string::npos);
  }
}

TEST_CASE("a report that no test expects fails the run and is reported with its test") {
  for (const char* name :
       {"hidden: a warning", "hidden: an error that is caught", "hidden: a warning of the kernel",
        "hidden: a warning of another type than expected", "hidden: a warning after the expectation"}) {
    const HiddenCase ended = run_hidden(name);
    CAPTURE(name, ended.text);
    CHECK(ended.status == 1);
    CHECK(ended.text.find("All tests passed") != std::string::npos);
    CHECK(ended.text.find("in \"" + std::string(name) + "\": unexpected ") != std::string::npos);
  }
}

TEST_CASE("an expected report must come, and a forked process's report counts for the test") {
  const HiddenCase missing = run_hidden("hidden: a warning that never comes");
  CHECK(missing.status == 1);
  CHECK(missing.text.find("an expected report did not come: planted") != std::string::npos);
  const HiddenCase forked = run_hidden("hidden: a warning in a forked process");
  CHECK(forked.status == 1);
  CHECK(forked.text.find("in a process of its own") != std::string::npos);
  CHECK(forked.text.find("planted: said") != std::string::npos);
}

TEST_CASE("hidden: silence", "[.]") {
  CHECK(true);
}

TEST_CASE("hidden: information", "[.]") {
  SC_REPORT_INFO("planted", "said");
  CHECK(true);
}

TEST_CASE("hidden: a warning that is expected", "[.]") {
  const tsuji::test::ExpectedReport expected("planted");
  SC_REPORT_WARNING("planted", "said");
  CHECK(true);
}

TEST_CASE("hidden: an error that is expected", "[.]") {
  const tsuji::test::ExpectedReport expected("planted");
  CHECK_THROWS_AS([] { SC_REPORT_ERROR("planted", "said"); }(), sc_core::sc_report);
}

TEST_CASE("hidden: a warning that the model has silenced", "[.]") {
  sc_core::sc_report_handler::set_actions("planted", sc_core::SC_DO_NOTHING);
  SC_REPORT_WARNING("planted", "said");
  CHECK(true);
}

TEST_CASE("hidden: a warning", "[.]") {
  SC_REPORT_WARNING("planted", "said");
  CHECK(true);
}

TEST_CASE("hidden: an error that is caught", "[.]") {
  CHECK_THROWS_AS([] { SC_REPORT_ERROR("planted", "said"); }(), sc_core::sc_report);
}

TEST_CASE("hidden: a warning of the kernel", "[.]") {
  sc_core::sc_stop();
  sc_core::sc_stop();
  CHECK(true);
}

TEST_CASE("hidden: a warning of another type than expected", "[.]") {
  const tsuji::test::ExpectedReport expected("planted");
  SC_REPORT_WARNING("planted", "said");
  SC_REPORT_WARNING("other", "said");
  CHECK(true);
}

TEST_CASE("hidden: a warning after the expectation", "[.]") {
  {
    const tsuji::test::ExpectedReport expected("planted");
    SC_REPORT_WARNING("planted", "said");
  }
  SC_REPORT_WARNING("planted", "said");
  CHECK(true);
}

TEST_CASE("hidden: a warning that never comes", "[.]") {
  const tsuji::test::ExpectedReport expected("planted");
  CHECK(true);
}

TEST_CASE("hidden: a warning in a forked process", "[.]") {
  const std::string text = tsuji::test::forked([] {
    SC_REPORT_WARNING("planted", "said");
    return std::string("written");
  });
  CHECK(text == "written");
}
