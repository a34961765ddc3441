// SPDX-License-Identifier: Apache-2.0
#include "tsuji/core/input_file.h"

#include <unistd.h>

#include <filesystem>
#include <iterator>

#include "support/catch.h"
#include "support/forked.h"
#include "support/temporary_folder.h"
#include "support/text_file.h"
#include "tsuji/core/output_file.h"

using namespace tsuji;
using tsuji::test::refusal;
using tsuji::test::TextFile;

namespace {

auto open_descriptors() {
  using std::filesystem::directory_iterator;
  return std::distance(directory_iterator("/proc/self/fd"), directory_iterator());
}

std::string pattern(std::size_t bytes) {
  std::string text(bytes, '\0');
  for (std::size_t i = 0; i < bytes; ++i) text[i] = static_cast<char>(i * 7 + i / 251);
  return text;
}

}  // namespace

TEST_CASE("a file of any size is read whole, up to the maximum") {
  for (std::size_t bytes : {0, 1, 65535, 65536, 65537, 131072, 200'000}) {
    const TextFile file(pattern(bytes));
    CAPTURE(bytes);
    CHECK(read_input_file(file.path(), "some.file", "a file", bytes) == pattern(bytes));
    if (bytes == 0) continue;
    CHECK(refusal([&] { read_input_file(file.path(), "some.file", "a file", bytes - 1); }) ==
          "some.file: the file is too long (got '" + file.path() + "'); accepted: a file of at most " +
              std::to_string(bytes - 1) + " bytes");
  }
}

TEST_CASE("a read returns the requested bytes, and fewer only at the end") {
  const TextFile file(pattern(100));
  InputFile input(file.path(), "some.file");
  std::string text(60, '\0');
  CHECK(input.read(text.data(), 60) == 60);
  CHECK(text == pattern(100).substr(0, 60));
  CHECK(input.read(text.data(), 60) == 40);
  CHECK(text.substr(0, 40) == pattern(100).substr(60));
  CHECK(input.read(text.data(), 60) == 0);
}

TEST_CASE("a file that is read or refused leaves no descriptor open") {
  const TextFile file("text");
  const auto before = open_descriptors();
  for (int i = 0; i < 3; ++i) {
    {
      const InputFile input(file.path(), "some.file");
      CHECK(open_descriptors() == before + 1);
    }
    CHECK_THROWS(InputFile("/no/such/file", "some.file"));
    CHECK_THROWS(read_input_file("/tmp", "some.file", "a file", 10));
    CHECK(open_descriptors() == before);
  }
}

TEST_CASE("with standard input closed, a file that gets its descriptor is read as any other") {
  const TextFile file("text");
  const auto before = open_descriptors();
  const std::string told = test::forked([&] {
    ::close(0);
    std::string text = read_input_file(file.path(), "some.file", "a file", 10);
    return text + (open_descriptors() < before + 1 ? ", closed" : ", open");
  });
  CHECK(told == "text, closed");
  const test::TemporaryFolder folder;
  const std::string failed = test::forked([&] {
    ::close(0);
    { const OutputFile output(folder.file("a.txt"), "--out"); }
    return std::string(folder.has("a.txt.part") ? "a part is left" : "nothing is left");
  });
  CHECK(failed == "nothing is left");
}

TEST_CASE("a path with a zero byte names no file") {
  const TextFile file("text");
  CHECK_THAT(refusal([&] { InputFile(file.path() + std::string("\0x", 2), "some.file"); }),
             Catch::Contains("cannot be read: No such file or directory"));
}
