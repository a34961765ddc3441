// SPDX-License-Identifier: Apache-2.0
#include "tsuji/core/printable.h"

#include <set>
#include <string>
#include <string_view>

#include "support/catch.h"

using namespace tsuji;

namespace {

/// The definition of UTF-8: bits of the code point after a prefix that encodes the length.
std::string encoded(std::uint32_t point) {
  const auto byte = [](std::uint32_t value) { return static_cast<char>(value); };
  const auto more = [&](unsigned shift) { return byte(0x80U | ((point >> shift) & 0x3fU)); };
  if (point < 0x80) return {byte(point)};
  if (point < 0x800) return {byte(0xc0U | (point >> 6)), more(0)};
  if (point < 0x10000) return {byte(0xe0U | (point >> 12)), more(6), more(0)};
  return {byte(0xf0U | (point >> 18)), more(12), more(6), more(0)};
}

}  // namespace

TEST_CASE("every code point's UTF-8 is one sequence, and no other bytes are") {
  std::set<std::string> beginnings;  // first two bytes of the longer sequences
  for (std::uint32_t point = 0; point < 0x110000; ++point) {
    if (point >= 0xd800 && point < 0xe000) continue;
    const std::string text = encoded(point);
    if (utf8_length(text, 0) != text.size()) {
      CAPTURE(point);
      FAIL("not read as one sequence");
    }
    if (text.size() > 1) beginnings.insert(text.substr(0, 2));
  }
  for (unsigned first = 0x80; first < 0x100; ++first) {
    for (unsigned second = 0; second < 0x100; ++second) {
      const std::string start{static_cast<char>(first), static_cast<char>(second)};
      const bool exists = beginnings.count(start) > 0;
      CAPTURE(first, second);
      // Followed by more continuation bytes than any sequence takes, and by too few.
      CHECK((utf8_length(start + "\x80\x80\x80", 0) != 0) == exists);
      if (first >= 0xe0) CHECK(utf8_length(start, 0) == 0);
      if (first >= 0xf0) CHECK(utf8_length(start + "\x80", 0) == 0);
      if (first >= 0xe0) CHECK(utf8_length(start + "a", 0) == 0);
    }
  }
}

TEST_CASE("control characters are escaped, and their neighbours are not") {
  for (std::uint32_t point = 0; point < 0x100; ++point) {
    const bool control = point < 0x20 || (point >= 0x7f && point <= 0x9f);
    const std::string text = "a" + encoded(point) + "b";
    CAPTURE(point);
    CHECK((printable(text, 100) == text) == !control);
    CHECK((printable_lines(text, 100) == text) == (!control || point == '\n'));
  }
  CHECK(printable("\x1f\x7f\xc2\x9f\xc2\xa0", 100) == "\\x1f\\x7f\\xc2\\x9f\xc2\xa0");
}

TEST_CASE("a cut moves by at most three bytes, the longest rest of a character") {
  const std::string rests(100, '\x80');
  const auto times = [](int count) {
    std::string text;
    for (int i = 0; i < count; ++i) text += "\\x80";
    return text;
  };
  CHECK(printable(rests, 30) == times(17) + "... (76 more bytes) ..." + times(7));
  // Characters of four bytes: 20 bytes of the beginning are five characters, 10 of the end two whole ones.
  std::string faces;
  for (int i = 0; i < 25; ++i) faces += "\xf0\x9f\x99\x82";
  CHECK(printable(faces, 30) == faces.substr(0, 20) + "... (72 more bytes) ..." + faces.substr(0, 8));
  CHECK(printable(faces, 31) == faces.substr(0, 20) + "... (72 more bytes) ..." + faces.substr(0, 8));
  CHECK(printable("abc" + faces, 31) ==
        "abc" + faces.substr(0, 16) + "... (76 more bytes) ..." + faces.substr(0, 8));
}

TEST_CASE("a text that is a part of a longer one is read to its own end only") {
  const std::string rests = "abcdefgh\x80\x80";
  // With a limit of two bytes none is taken from the end.
  CHECK(printable(std::string_view(rests).substr(0, 8), 2) == "a... (7 more bytes) ...");
  CHECK(printable(std::string_view(rests).substr(0, 8), 3) == "ab... (5 more bytes) ...h");
  CHECK(printable(std::string_view(rests).substr(0, 8), 8) == "abcdefgh");
  CHECK(printable(std::string_view("\xe2\x82\xac").substr(0, 2), 8) == "\\xe2\\x82");
  CHECK(utf8_length(std::string_view("\xe2\x82\xac").substr(0, 2), 0) == 0);
  CHECK(utf8_length("\xe2\x82\xac", 0) == 3);
}
