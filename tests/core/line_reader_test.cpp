// SPDX-License-Identifier: Apache-2.0
#include "tsuji/core/line_reader.h"

#include <sys/stat.h>
#include <zstd.h>

#include <fstream>
#include <thread>

#include "support/catch.h"
#include "support/failing_read.h"
#include "support/temporary_folder.h"
#include "support/text_file.h"

using namespace tsuji;
using tsuji::test::refusal;
using tsuji::test::TextFile;

namespace {

std::string compressed(const std::string& text) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3));
  return out;
}

/// The lines, each followed by '|', or the refusal of the file.
std::string lines_of(const std::string& path, LineReader::LastLine last = LineReader::LastLine::may_be_open) {
  std::string lines;
  const std::string problem = refusal([&] {
    LineReader reader(path, "some.file", last);
    for (std::string_view line; reader.next(line);) lines += std::string(line) + "|";
  });
  return problem.empty() ? lines : problem;
}

}  // namespace

TEST_CASE("lines of a file, uncompressed or zstd") {
  const std::string text = "one\n\n  three \r\n" + std::string(300'000, '4') + "\n5\n";
  const std::string lines = "one||  three \r|" + std::string(300'000, '4') + "|5|";
  CHECK(lines_of(TextFile(text).path()) == lines);
  CHECK(lines_of(TextFile(compressed(text)).path()) == lines);
  CHECK(lines_of(TextFile("").path()).empty());
}

TEST_CASE("zstd with a window of 2^28 bytes is read, as used by long traces") {
  const std::string text = "one\ntwo\n";
  ZSTD_CCtx* const context = ZSTD_createCCtx();
  REQUIRE_FALSE(ZSTD_isError(ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, 28)));
  std::string packed(1000, '\0');
  ZSTD_inBuffer in{text.data(), text.size(), 0};
  ZSTD_outBuffer out{packed.data(), packed.size(), 0};
  // In pieces, so that the frame has a window and no size.
  ZSTD_compressStream2(context, &out, &in, ZSTD_e_flush);
  REQUIRE(ZSTD_compressStream2(context, &out, &in, ZSTD_e_end) == 0);
  ZSTD_freeCCtx(context);
  packed.resize(out.pos);
  ZSTD_DCtx* const plain = ZSTD_createDCtx();
  std::string unpacked(100, '\0');
  ZSTD_inBuffer again{packed.data(), packed.size(), 0};
  ZSTD_outBuffer to{unpacked.data(), unpacked.size(), 0};
  CHECK(ZSTD_isError(ZSTD_decompressStream(plain, &to, &again)));  // more than zstd accepts by default
  ZSTD_freeDCtx(plain);
  const TextFile file(packed);
  CHECK(lines_of(file.path()) == "one|two|");
}

TEST_CASE("a last line without a newline is a line, except in a recording of this library") {
  const TextFile file("one\ntwo");
  CHECK(lines_of(file.path()) == "one|two|");
  CHECK(lines_of(TextFile("one\n").path()) == "one|");
  CHECK(lines_of(TextFile(compressed("one\ntwo")).path()) == "one|two|");
  CHECK(lines_of(file.path(), LineReader::LastLine::ends) ==
        file.path() +
            ":2: some.file: truncated: the last line has no end; accepted: lines that end with a newline");
}

TEST_CASE("an unreadable file is refused, not taken as empty") {
  CHECK(lines_of("/no/such") ==
        "some.file: cannot be read: No such file or directory (got '/no/such'); accepted: a readable file");
  CHECK(lines_of("/") == "some.file: cannot be read: Is a directory (got '/'); accepted: a readable file");
  CHECK(lines_of("/proc/self/mem") ==
        "some.file: cannot be read: Input/output error (got '/proc/self/mem'); accepted: a readable file");
  const TextFile file("one\n");
  CHECK(lines_of(file.path() + std::string("\0x", 2)).find("cannot be read") != std::string::npos);
}

TEST_CASE("a file whose reading fails midway is refused, at any position") {
  std::string text;
  for (int i = 0; i < 30'000; ++i) text += "line " + std::to_string(i) + "\n";
  const std::string packed = compressed(text);
  for (const std::string& content : {text, packed}) {
    const TextFile file(content);
    for (const std::size_t bytes : {std::size_t{0}, std::size_t{3}, std::size_t{4}, std::size_t{7},
                                    content.size() / 2, content.size() - 1, content.size()}) {
      CAPTURE(bytes);
      std::string lines;
      {
        const test::FailingRead failing(bytes);
        lines = lines_of(file.path());
      }
      CHECK(lines.find("some.file: cannot be read: Input/output error") != std::string::npos);
    }
  }
}

TEST_CASE("a compressed file of any unpacked size has no line longer than the maximum") {
  const std::string place_1 = ":1: some.file: the line is too long; accepted: lines of at most 4194304 bytes";
  const TextFile bomb(compressed(std::string(std::size_t{1} << 26, '\0')));
  CHECK(lines_of(bomb.path()) == bomb.path() + place_1);
  CHECK(lines_of("/dev/zero") == "/dev/zero" + place_1);
  const std::string longest(LineReader::longest_line_bytes, 'x');
  CHECK(lines_of(TextFile(compressed(longest + "\n")).path()) == longest + "|");
}

TEST_CASE("a pipe is read, and a truncated compressed one is detected by its frame") {
  const test::TemporaryFolder folder;
  const std::string path = folder.file("pipe");
  REQUIRE(mkfifo(path.c_str(), 0600) == 0);
  const std::string packed = compressed("one\ntwo\n");
  for (const auto& [content, expected] :
       {std::pair<std::string, std::string>{"one\ntwo\n", "one|two|"},
        {"one\ntw", "one|tw|"},
        {packed, "one|two|"},
        {packed.substr(0, packed.size() - 2),
         path + ":2: some.file: truncated: the zstd frame is incomplete"}}) {
    std::thread writer([&path, content = content] { std::ofstream(path, std::ios::binary) << content; });
    const std::string lines = lines_of(path);
    writer.join();
    CHECK(lines.substr(0, expected.size()) == expected);
  }
}

TEST_CASE("lines are numbered from 1, and a place is the file and the line") {
  const TextFile file("one\ntwo\nthree");
  LineReader reader(file.path(), "some.file");
  CHECK(reader.line_number() == 0);
  std::string_view line;
  for (std::uint64_t number = 1; number <= 3; ++number) {
    REQUIRE(reader.next(line));
    CHECK(reader.line_number() == number);
    CHECK(reader.place() == file.path() + ":" + std::to_string(number));
  }
  CHECK(line == "three");
  CHECK_FALSE(reader.next(line));
  CHECK_FALSE(reader.next(line));
  CHECK(reader.line_number() == 3);
}

TEST_CASE("lines of any length around the reader's chunks of 64 KB are whole") {
  for (const std::size_t bytes : {65531, 65532, 65535, 65536, 65537, 131071, 131072, 131073, 262144}) {
    std::string text, lines;
    for (const std::size_t length : {bytes, std::size_t{3}, bytes - 1, std::size_t{0}, bytes}) {
      const std::string line(length, static_cast<char>('a' + lines.size() % 26));
      text += line + "\n";
      lines += line + "|";
    }
    CAPTURE(bytes);
    CHECK(lines_of(TextFile(text).path()) == lines);
    CHECK(lines_of(TextFile(compressed(text)).path()) == lines);
  }
}

TEST_CASE("zstd frames follow each other, and a frame that is cut or damaged is refused") {
  const std::string one = compressed("one\ntw"), two = compressed("o\nthree\n");
  CHECK(lines_of(TextFile(one + two).path()) == "one|two|three|");
  for (std::size_t bytes = 4; bytes < one.size(); ++bytes) {
    const TextFile cut(one.substr(0, bytes));
    CAPTURE(bytes);
    const std::string problem = lines_of(cut.path());
    CHECK(problem.find(": some.file: truncated: the zstd frame is incomplete; accepted: a whole zstd file") !=
          std::string::npos);
  }
  const TextFile cut(one + two.substr(0, 6));
  CHECK_THAT(lines_of(cut.path()),
             Catch::StartsWith(cut.path() + ":2: some.file: truncated: the zstd frame"));
  const TextFile damaged(one + "no zstd");
  CHECK_THAT(lines_of(damaged.path()),
             Catch::StartsWith(damaged.path() + ":2: some.file: damaged zstd data: ") &&
                 Catch::EndsWith("zstd with a window of at most 2^30 bytes, or uncompressed text"));
  // A file with fewer bytes than a zstd magic number is a text.
  CHECK(lines_of(TextFile(one.substr(0, 3)).path()) == one.substr(0, 3) + "|");
}

TEST_CASE("a line one byte longer than the maximum is refused, with its own place") {
  const std::string longest(LineReader::longest_line_bytes, 'x');
  CHECK(lines_of(TextFile("a\n" + longest + "\nb\n").path()) == "a|" + longest + "|b|");
  const std::size_t most = LineReader::longest_line_bytes + (std::size_t{1} << 16);
  const TextFile longer("a\n" + std::string(most + 1, 'x') + "\n");
  CHECK_THAT(lines_of(longer.path()),
             Catch::StartsWith(longer.path() + ":2: some.file: the line is too long"));
}
