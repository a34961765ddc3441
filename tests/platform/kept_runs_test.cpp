// SPDX-License-Identifier: Apache-2.0
#include "tsuji/platform/kept_runs.h"

#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "platform/outcome.h"
#include "support/catch.h"
#include "support/temporary_folder.h"
#include "tsuji/core/error.h"
#include "tsuji/platform/command_line.h"

using namespace tsuji;
using namespace tsuji::platform;
using tsuji::test::TemporaryFolder;
using Json = nlohmann::ordered_json;
using Words = std::vector<std::string>;
using tsuji::test::Outcome;

namespace {

/// A platform that writes a line for each run that is played.
class Counted {
 public:
  Outcome run(const Words& words) {
    unsigned value = 1;
    std::string file, end;
    Platform platform;
    platform.name = "counted";
    platform.description = "counts";
    platform.add_keys = [&](config::KeyTable& keys) {
      keys.add("run.value", value, {1, 10}, "", "a value");
      keys.add("run.file", file, "a file");
      keys.add("run.end", end, "how it ends");
    };
    platform.run = [&](const RunOptions& options, observe::Results& results) {
      std::ofstream(folder_.file("played"), std::ios::app) << value << '\n';
      if (end == "fails") throw ModelError("router", 7, "", "lost a flit");
      if (end == "signal") std::raise(SIGTERM);
      options.check_interruption(results);
      results.metric("value", value, "");
    };
    PlatformOption doubled;
    doubled.name = "--doubled";
    doubled.value_name = "TIMES";
    doubled.meaning = "something else";
    doubled.run = [&](const std::string&, const RunOptions& options, observe::Results& results) {
      platform.run(options, results);
    };
    platform.options = {doubled};
    return tsuji::test::call(platform, words);
  }
  Outcome kept(Words words) {
    words.insert(words.end(), {"--runs", runs(), "--quiet"});
    return run(words);
  }
  /// Answers of --check-runs.
  std::vector<Json> check(const std::vector<Words>& lines) {
    std::ofstream file(folder_.file("lines"));
    for (const Words& words : lines) file << Json(words).dump() << '\n';
    file.close();
    const Outcome outcome = run({"--check-runs", folder_.file("lines")});
    REQUIRE(outcome.err.empty());
    REQUIRE(outcome.status == 0);
    std::istringstream answers(outcome.out);
    std::vector<Json> documents;
    for (std::string line; std::getline(answers, line);) documents.push_back(Json::parse(line));
    REQUIRE(documents.size() == lines.size());
    return documents;
  }
  std::string identity(const Words& words) { return check({words}).front().at("identity"); }
  std::string place(const Words& words) { return runs() + "/" + identity(words); }
  std::string write(const std::string& name, const std::string& text) {
    std::filesystem::create_directories(std::filesystem::path(folder_.file(name)).parent_path());
    std::ofstream(folder_.file(name)) << text;
    return folder_.file(name);
  }
  /// Values of the played runs.
  std::string played() { return folder_.has("played") ? folder_.text("played") : ""; }
  std::string runs() { return folder_.file("runs"); }

 private:
  TemporaryFolder folder_;
};

}  // namespace

TEST_CASE("a kept run is played once, and found by its identity") {
  Counted counted;
  REQUIRE(counted.kept({"--set", "run.value=3"}).status == 0);
  const std::string place = counted.place({"--set", "run.value=3"});
  CHECK(kept_state(place) == KeptState::complete);
  CHECK(kept_state(place + "x") == KeptState::unfinished);
  CHECK(counted.kept({"--set", "run.value=3"}).status == 0);
  CHECK(counted.played() == "3\n");
  const Outcome told = counted.run({"--set", "run.value=3", "--runs", counted.runs()});
  CHECK(told.out == "has run before: " + place + "/result.json\n");
  CHECK(counted.kept({"--set", "run.value=4"}).status == 0);
  CHECK(counted.kept({"--set", "run.value=3", "--seed", "2"}).status == 0);
  CHECK(counted.played() == "3\n4\n3\n");
}

TEST_CASE("a kept failure fails again") {
  Counted counted;
  for (int i = 0; i < 2; ++i) {
    const Outcome outcome = counted.kept({"--set", "run.end=fails"});
    CHECK(outcome.status == 1);
    CHECK(outcome.err == "counted: model failure: router, cycle 7: lost a flit\n");
  }
  CHECK(counted.played() == "1\n");
  CHECK(kept_state(counted.place({"--set", "run.end=fails"})) == KeptState::failed);
}

TEST_CASE("a run that a signal ended is played again") {
  Counted counted;
  for (int i = 0; i < 2; ++i) CHECK(counted.kept({"--set", "run.end=signal"}).status == 143);
  CHECK(counted.played() == "1\n1\n");
  CHECK(kept_state(counted.place({"--set", "run.end=signal"})) == KeptState::unfinished);
}

TEST_CASE("a kept run that another process plays is waited for") {
  Counted counted;
  const std::string place = counted.place({});
  std::filesystem::create_directories(counted.runs());
  const std::filesystem::path path = place;
  const std::string lock = (path.parent_path() / ("." + path.filename().string() + ".lock")).string();
  const int file = open(lock.c_str(), O_RDWR | O_CREAT, 0644);
  REQUIRE(flock(file, LOCK_EX) == 0);
  const pid_t other = fork();
  if (other == 0) {
    close(file);  // otherwise it would wait for itself
    _exit(counted.kept({}).status);
  }
  usleep(200000);
  CHECK(waitpid(other, nullptr, WNOHANG) == 0);
  // The other run ends in the meantime.
  counted.write("runs/" + path.filename().string() + "/result.json", R"({"status": "complete"})");
  unlink(lock.c_str());
  close(file);
  int status = 1;
  REQUIRE(waitpid(other, &status, 0) == other);
  CHECK(status == 0);
  CHECK(counted.played().empty());
}

TEST_CASE("an identity consists of values, input bytes, options and recordings") {
  Counted counted;
  const std::string plain = counted.identity({});
  CHECK(plain == counted.identity({"--set", "run.value=1"}));
  CHECK(plain == counted.identity({"--quiet", "--out", "x"}));
  CHECK(plain.rfind("counted-", 0) == 0);
  const std::string a = counted.write("a/input", "bytes"), b = counted.write("b/input", "bytes"),
                    c = counted.write("c/input", "others");
  const auto of_file = [&](const std::string& path) {
    return counted.identity({"--set", "run.file=" + path});
  };
  CHECK(of_file(a) == of_file(b));
  CHECK(of_file(a) != of_file(c));
  CHECK(of_file(a) != plain);
  std::vector<std::string> different = {plain, of_file(a), of_file(c)};
  for (const Words& words : std::vector<Words>{{"--set", "run.value=2"},
                                               {"--seed", "5"},
                                               {"--records"},
                                               {"--waves"},
                                               {"--waves", "--records"},
                                               {"--waves", "--waves-format", "vcd"},
                                               {"--waves", "--window", "1:2"},
                                               {"--doubled", "3"},
                                               {"--doubled", "4"}})
    different.push_back(counted.identity(words));
  for (std::size_t i = 0; i < different.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) CHECK(different[i] != different[j]);
  CHECK(counted.identity({"--records", "--waves"}) == counted.identity({"--waves", "--records"}));
}

TEST_CASE("command lines are checked one by one, and none is played") {
  Counted counted;
  const std::string yaml = counted.write("c.yaml", "run:\n  value: 11\n");
  const auto answers =
      counted.check({{"--set", "run.value=2"}, {}, {"--set", "run.value=0"}, {"--sett"}, {yaml}});
  CHECK(answers[0]["config"].dump() == R"({"seed":1,"run":{"value":2,"file":"","end":""}})");
  CHECK(answers[1]["config"]["run"]["value"] == 1);  // not the previous line's value
  CHECK(answers[2]["key"] == "run.value");
  CHECK(answers[2]["refused"] ==
        "--set run.value=0: run.value: out of range (got '0'); accepted: an integer 1..10");
  CHECK_FALSE(answers[2].contains("identity"));
  CHECK_THAT(answers[3]["refused"].get<std::string>(), Catch::Contains("--sett"));
  CHECK_THAT(answers[4]["refused"].get<std::string>(), Catch::Contains("c.yaml:2:10"));
  CHECK(counted.played().empty());
}

TEST_CASE("bad use of kept runs is refused") {
  Counted counted;
  const auto refused = [&](const Words& words) {
    const Outcome outcome = counted.run(words);
    CHECK(outcome.status == 2);
    return outcome.err;
  };
  CHECK(refused({"--runs", counted.runs(), "--out", "x"}) ==
        "counted: --out: does not go together with --runs (got 'x'); accepted: one of them\n");
  CHECK(refused({"--check-runs", "/no/file"}) ==
        "counted: --check-runs: cannot be read: No such file or directory (got '/no/file'); accepted: a file "
        "of "
        "command lines, or - for stdin\n");
  CHECK_THAT(refused({"--check-runs", counted.write("bad", "[]\n{}\n")}),
             Catch::Contains("line 2 is not a command line") && Catch::Contains("a JSON array of words"));
  CHECK_THAT(refused({"--check-runs", counted.write("numbers", "[3]\n")}), Catch::Contains("line 1"));
  CHECK(counted.played().empty());
}
