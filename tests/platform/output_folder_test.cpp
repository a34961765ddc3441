// SPDX-License-Identifier: Apache-2.0
#include "tsuji/platform/output_folder.h"
#include "support/thrown.h"

#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <functional>
#include <map>
#include <set>

#include "support/catch.h"
#include "support/temporary_folder.h"
#include "tsuji/core/error.h"

using namespace tsuji;
using namespace tsuji::platform;
using tsuji::test::TemporaryFolder;
namespace fs = std::filesystem;

namespace {

using Files = std::map<std::string, std::string>;  ///< content by name

void write(const std::string& path, const std::string& text) {
  fs::create_directories(fs::path(path).parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The files without hidden ones, as a user sees them.
Files seen_in(const std::string& folder) {
  Files files;
  if (!fs::is_directory(folder)) return files;
  for (fs::recursive_directory_iterator entry(folder), end; entry != end; ++entry) {
    const std::string name = entry->path().lexically_relative(folder).string();
    if (entry->path().filename().string().front() == '.') {
      entry.disable_recursion_pending();
    } else if (entry->is_regular_file()) {
      files[name] = text_of(entry->path());
    }
  }
  return files;
}

std::set<std::string> names_in(const std::string& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.insert(entry.path().filename().string());
  return names;
}

/// A whole run that leaves these files.
void run(const std::string& out, const Files& files) {
  OutputFolder folder(out);
  folder.begin("");
  for (const auto& [name, text] : files) write(folder.staging() + "/" + name, text);
  folder.commit();
}

const Files first = {
    {"result.json", "first"}, {"resolved.yaml", "1"}, {"packets.csv", "1,2\n"}, {"load_1/x", "x"}};
const Files second = {
    {"result.json", "second"}, {"resolved.yaml", "2"}, {"wave.fst", "w"}, {"load_2/x", "y"}};

Files both(Files files, const Files& more) {
  files.insert(more.begin(), more.end());
  return files;
}

/// Ends the process after `work`, with status 1 after an exception.
[[noreturn]] void exit_after(const std::function<void()>& work) {
  try {
    work();
  } catch (...) {
    _exit(1);
  }
  _exit(0);
}

/// Runs `work` in a child process, so that a test may kill it or change its folder.
int in_child(const std::function<void()>& work) {
  const pid_t child = fork();
  if (child == 0) exit_after(work);
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

enum class KilledAt { no_call, a_call, not_permitted };

/// Runs `work` in a child and kills it at the start of its system call `number`.
KilledAt kill_at_call(unsigned number, const std::function<void()>& work) {
  const pid_t child = fork();
  if (child == 0) {
    if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) _exit(3);
    raise(SIGSTOP);
    exit_after(work);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFEXITED(status)) return KilledAt::not_permitted;
  // Two stops a call: on entry and on exit.
  for (unsigned stop = 0; stop < 2 * number + 1; ++stop) {
    ptrace(PTRACE_SYSCALL, child, nullptr, nullptr);
    waitpid(child, &status, 0);
    if (WIFEXITED(status)) {
      CHECK(WEXITSTATUS(status) == 0);
      return KilledAt::no_call;
    }
  }
  kill(child, SIGKILL);
  waitpid(child, &status, 0);
  return KilledAt::a_call;
}

/// Kills a second run over a first one at each of its system calls. `check` examines the remaining files each
/// time.
void kill_at_all_calls(const std::function<void(const std::string& out)>& prepare,
                       const std::function<void(const std::string& out)>& work,
                       const std::function<void(const std::string& out)>& check) {
  unsigned calls = 0;
  for (;; ++calls) {
    const TemporaryFolder folder;
    const std::string out = folder.file("out");
    prepare(out);
    const KilledAt killed = kill_at_call(calls, [&] { work(out); });
    if (killed == KilledAt::not_permitted) {
      WARN("skipped: this process may not trace another one");
      return;
    }
    if (killed == KilledAt::no_call) break;
    INFO("killed at call " << calls);
    check(out);
    // The killed run does not block the next one.
    run(out, first);
    CHECK(seen_in(out) == first);
  }
  CHECK(calls > 20);
}

}  // namespace

TEST_CASE("a folder is replaced as a whole, and only by a run that completes") {
  const TemporaryFolder folder;
  const std::string out = folder.file("a/b/out");
  run(out, first);
  CHECK(seen_in(out) == first);
  {
    OutputFolder cut_off(out);
    cut_off.begin("");
    write(cut_off.staging() + "/result.json", "third");
    CHECK(seen_in(out) == first);
  }
  CHECK(seen_in(out) == first);
  run(out, second);
  CHECK(seen_in(out) == second);
  CHECK(names_in(folder.file("a/b")) == std::set<std::string>{"out"});
}

TEST_CASE("a folder made by the user keeps its rights, and links keep their targets") {
  const TemporaryFolder folder;
  fs::create_directory(folder.file("real"));
  chmod(folder.file("real").c_str(), 0751);
  fs::create_directory_symlink("real", folder.file("link"));
  run(folder.file("link"), first);
  run(folder.file("link/"), second);
  CHECK(fs::is_symlink(folder.file("link")));
  CHECK(seen_in(folder.file("real")) == second);
  CHECK(fs::status(folder.file("real")).permissions() == fs::perms(0751));
}

TEST_CASE("files of others stay, also beside a run's files of the same name") {
  const TemporaryFolder folder;
  const std::string out = folder.file("out");
  write(out + "/notes.txt", "notes");
  write(out + "/wave.fst", "mine");
  run(out, second);
  const Files others = {{"notes.txt", "notes"}, {"wave.fst~", "mine"}};
  CHECK(seen_in(out) == both(second, others));
  write(out + "/load_2/view.gtkw", "a view");
  run(out, first);
  CHECK(seen_in(out) == both(both(first, others), {{"load_2/view.gtkw", "a view"}}));
  // Folders of others stay in place, and the run's files around them are removed nevertheless.
  write(out + "/papers/one", "paper");
  run(out, second);
  CHECK(seen_in(out) ==
        both(both(second, others), {{"load_2/view.gtkw", "a view"}, {"papers/one", "paper"}}));
  CHECK(names_in(folder.file("")) == std::set<std::string>{"out"});
}

TEST_CASE("a folder of a version without a list of its files counts as a run's, too") {
  const TemporaryFolder folder;
  const std::string out = folder.file("out");
  for (const char* name : {"result.json", "resolved.yaml", "packets.csv", "notes.txt"})
    write(out + "/" + name, "old");
  run(out, {{"resolved.yaml", "2"}});
  CHECK(seen_in(out) == Files{{"resolved.yaml", "2"}, {"notes.txt", "old"}});
}

TEST_CASE("an output folder that is a process's current folder is kept") {
  const TemporaryFolder folder;
  const std::string out = folder.file("out");
  run(out, first);
  write(out + "/notes.txt", "notes");
  struct stat before = {}, after = {};
  REQUIRE(stat(out.c_str(), &before) == 0);
  CHECK(in_child([&] {
          fs::current_path(out);
          run(".", second);
        }) == 0);
  REQUIRE(stat(out.c_str(), &after) == 0);
  CHECK(before.st_ino == after.st_ino);
  CHECK(seen_in(out) == both(second, {{"notes.txt", "notes"}}));
  CHECK(names_in(folder.file("")) == std::set<std::string>{"out"});
}

TEST_CASE("one run at a time has a folder, and the next one when that run has been killed") {
  const TemporaryFolder folder;
  const std::string out = folder.file("out");
  run(out, first);
  const auto refusal = [&](const std::string& path) {
    return tsuji::test::text_of<ConfigError>([&] { const OutputFolder other(path); });
  };
  {
    const OutputFolder one(out);
    const std::string text = refusal(folder.file("./out/"));
    CHECK_THAT(text,
               Catch::Contains("another run writes there: process " + std::to_string(getpid()) + " on "));
    CHECK(refusal(folder.file("out2")).empty());
  }
  CHECK(refusal(out).empty());
  // Also from within the folder, with the same lock.
  {
    const OutputFolder one(out);
    CHECK(in_child([&] {
            fs::current_path(out);
            if (refusal(".").empty()) _exit(1);
          }) == 0);
  }
  CHECK(in_child([&] {
          OutputFolder killed(out);
          killed.begin("");
          write(killed.staging() + "/result.json", "half");
          kill(getpid(), SIGKILL);
        }) == SIGKILL);
  CHECK(seen_in(out) == first);
  run(out, second);
  CHECK(seen_in(out) == second);
  CHECK(names_in(folder.file("")) == std::set<std::string>{"out"});
}

TEST_CASE("a run that is killed at any system call leaves the old folder or the new one") {
  const Files notes = {{"notes.txt", "notes"}};
  kill_at_all_calls(
      [&](const std::string& out) {
        run(out, first);
        write(out + "/notes.txt", "notes");
      },
      [](const std::string& out) { run(out, second); },
      [&](const std::string& out) {
        const Files seen = seen_in(out);
        CHECK((seen == both(first, notes) || seen == both(second, notes)));
        fs::remove(out + "/notes.txt");
      });
}

TEST_CASE("a first run that is killed at any system call leaves its folder or none") {
  kill_at_all_calls([](const std::string&) {}, [](const std::string& out) { run(out, second); },
                    [](const std::string& out) {
                      const Files seen = seen_in(out);
                      CHECK((seen.empty() || seen == second));
                    });
}

TEST_CASE("a folder that must stay in place has a result only with all of that result's files") {
  const Files others = {{"papers/one", "paper"}};
  kill_at_all_calls(
      [&](const std::string& out) {
        run(out, first);
        write(out + "/papers/one", "paper");
      },
      [](const std::string& out) { run(out, second); },
      [&](const std::string& out) {
        Files seen = seen_in(out);
        CHECK(seen["papers/one"] == "paper");
        if (seen["result.json"] == "first") CHECK(seen == both(first, others));
        if (seen["result.json"] == "second") CHECK(seen == both(second, others));
        // One of the two is complete: if it is not in place, the next run puts it there.
        { const OutputFolder next(out); }
        seen = seen_in(out);
        CHECK((seen == both(first, others) || seen == both(second, others)));
        fs::remove_all(out + "/papers");
      });
}

TEST_CASE("a run continues with finished folders of a killed one, if it is the same run") {
  const TemporaryFolder folder;
  const std::string out = folder.file("out");
  run(out, first);
  CHECK(in_child([&] {
          OutputFolder killed(out);
          killed.begin("one");
          write(killed.staging() + "/load_1/x", "done");
          write(killed.staging() + "/.load_2.partial/x", "half");
          write(killed.staging() + "/sweep.csv", "half");
          kill(getpid(), SIGKILL);
        }) == SIGKILL);
  {
    OutputFolder same(out);
    same.begin("one");
    CHECK(seen_in(same.staging()) == Files{{"load_1/x", "done"}});
    CHECK_FALSE(fs::exists(same.staging() + "/.load_2.partial"));
    // The run stops without completing, as the next one does.
    same.commit();
  }
  CHECK(seen_in(out) == Files{{"load_1/x", "done"}});
  {
    OutputFolder third(out);
    third.begin("one");
    CHECK(seen_in(third.staging()) == Files{{"load_1/x", "done"}});
  }
  {
    OutputFolder other(out);
    other.begin("two");
    CHECK(seen_in(other.staging()).empty());
    other.discard();
  }
  {
    OutputFolder last(out);
    last.begin("one");
    last.forget_identity();
    last.commit();
  }
  OutputFolder again(out);
  again.begin("one");
  CHECK(seen_in(again.staging()).empty());
}

TEST_CASE("a full disk leaves the old folder, and is no error of the command line") {
  const TemporaryFolder folder;
  const std::string out = folder.file("out");
  run(out, first);
  CHECK(in_child([&] {
          // Limits the size of every file.
          std::signal(SIGXFSZ, SIG_IGN);
          OutputFolder full(out);
          full.begin("");
          write(full.staging() + "/result.json", "second");
          const rlimit limit{5, 5};
          setrlimit(RLIMIT_FSIZE, &limit);
          try {
            full.commit();
            _exit(2);
          } catch (const OutputError&) {
          }
        }) == 0);
  CHECK(seen_in(out) == first);
  CHECK(names_in(folder.file("")) == std::set<std::string>{"out"});
}

TEST_CASE("impossible folders are refused") {
  const TemporaryFolder folder;
  write(folder.file("file"), "");
  fs::create_symlink("nowhere", folder.file("dangling"));
  for (const char* name : {"file", "file/x", "dangling"}) {
    INFO(name);
    CHECK_THROWS_AS(OutputFolder(folder.file(name)), ConfigError);
  }
  CHECK(names_in(folder.file("")) == std::set<std::string>{"dangling", "file"});
  if (geteuid() == 0) return;  // root may write anywhere
  fs::create_directory(folder.file("locked"));
  chmod(folder.file("locked").c_str(), 0500);
  CHECK_THROWS_AS(OutputFolder(folder.file("locked")), ConfigError);
  CHECK_THROWS_AS(OutputFolder(folder.file("locked/in")), ConfigError);
}
