// SPDX-License-Identifier: Apache-2.0
#include "tsuji/core/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <thread>

#include "support/catch.h"
#include "support/failing_open.h"
#include "support/temporary_folder.h"
#include "support/text_file.h"
#include "tsuji/core/error.h"

using namespace tsuji;
using tsuji::test::refusal;
using tsuji::test::TemporaryFolder;

namespace {

void write(const std::string& path, const std::string& text) {
  OutputFile file(path, "--out");
  file.stream() << text;
  file.commit();
}

std::size_t entries(const TemporaryFolder& folder) {
  using std::filesystem::directory_iterator;
  return static_cast<std::size_t>(std::distance(directory_iterator(folder.file("")), directory_iterator()));
}

}  // namespace

TEST_CASE("a file replaces the previous one as a whole, and no other file remains") {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.txt");
  write(path, "a long text of an earlier run\n");
  {
    OutputFile file(path, "--out");
    file.stream() << std::string(1 << 20, 'x') << std::flush;
    CHECK(folder.text("a.txt") == "a long text of an earlier run\n");
    CHECK(folder.text("a.txt.part").size() == 1 << 20);
    // The file fails before commit().
  }
  CHECK(folder.text("a.txt") == "a long text of an earlier run\n");
  CHECK(entries(folder) == 1);
  // A killed run has left more than the next one writes.
  std::ofstream(folder.file("a.txt.part")) << std::string(1000, 'y');
  write(path, "short\n");
  CHECK(folder.text("a.txt") == "short\n");
  CHECK(entries(folder) == 1);
}

TEST_CASE("a link to a file stays, and its target is written") {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.file("deep"));
  write(folder.file("deep/a.txt"), "old\n");
  std::filesystem::create_symlink("deep/a.txt", folder.file("link"));
  write(folder.file("link"), "new\n");
  CHECK(std::filesystem::is_symlink(folder.file("link")));
  CHECK(folder.text("deep/a.txt") == "new\n");
  CHECK(entries(folder) == 2);
}

TEST_CASE("a pipe is written directly") {
  const TemporaryFolder folder;
  const std::string path = folder.file("pipe");
  REQUIRE(mkfifo(path.c_str(), 0600) == 0);
  std::string read;
  std::thread reader([&] { read = folder.text("pipe"); });
  write(path, "through\n");
  reader.join();
  CHECK(read == "through\n");
  CHECK(entries(folder) == 1);
}

TEST_CASE("of two that write one file the second is refused, and so are folders and impossible files") {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.txt");
  const auto open = [](const std::string& name) { return refusal([&] { OutputFile file(name, "--out"); }); };
  auto first = std::make_unique<OutputFile>(path, "--out");
  CHECK_THAT(open(path),
             Catch::StartsWith("--out: cannot be written: another process writes it (got '" + path));
  first->stream() << "first\n";
  first->commit();
  // The name is free from the commit on, although the first object still exists.
  write(path, "second\n");
  first.reset();
  CHECK(folder.text("a.txt") == "second\n");
  CHECK_THAT(open(folder.file("")), Catch::Contains("Is a directory"));
  CHECK_THAT(open(folder.file("none/a.txt")), Catch::Contains("No such file or directory"));
}

TEST_CASE("a disk without room for a file is a failure of the run, and a read-only folder is refused") {
  const TemporaryFolder folder;
  for (const int error : {ENOSPC, EDQUOT, EACCES}) {
    const test::FailingOpen failing(error);
    const std::string path = folder.file("a.txt"),
                      problem = std::string("cannot be written: ") + std::strerror(error);
    if (error == EACCES)
      CHECK_THAT(refusal([&] { OutputFile file(path, "--out"); }), Catch::StartsWith("--out: " + problem));
    else
      CHECK_THROWS_WITH(OutputFile(path, "--out"), path + ": " + problem);
    if (error != EACCES) CHECK_THROWS_AS(OutputFile(path, "--out"), OutputError);
  }
  CHECK(entries(folder) == 0);
}

TEST_CASE("a stream that failed is a failure, and is not reported with an earlier call's error") {
  const TemporaryFolder folder;
  OutputFile file(folder.file("a.txt"), "--out");
  file.stream().setstate(std::ios::badbit);
  errno = EACCES;
  CHECK_THROWS_WITH(file.commit(), Catch::EndsWith("a.txt: cannot be written"));
  CHECK_FALSE(folder.has("a.txt"));
}

TEST_CASE("a written file is closed, or the reason of the failure is reported") {
  const TemporaryFolder folder;
  std::ofstream good(folder.file("a.txt")), missing(folder.file("none/a.txt"));
  good << "text";
  close_output(good, "a.txt");
  CHECK(folder.text("a.txt") == "text");
  std::ofstream full("/dev/full");
  // More than a buffer, so that it fails before it is closed, and nothing is left to write.
  full << std::string(1 << 20, 'x') << std::flush;
  errno = 0;
  CHECK_THROWS_WITH(close_output(full, "full"), "full: cannot be written: No space left on device");
  errno = ENOENT;
  CHECK_THROWS_WITH(close_output(missing, "b.txt"), "b.txt: cannot be written: No such file or directory");
  CHECK(write_problem(0) == "cannot be written");
}

TEST_CASE("a full disk is reported, and existing content stays") {
  CHECK_THROWS_AS(write("/dev/full", std::string(1 << 20, 'x')), OutputError);
  CHECK_THROWS_WITH(write("/dev/full", "x"), Catch::Contains("/dev/full: cannot be written: No space left"));
}
