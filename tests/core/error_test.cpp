// SPDX-License-Identifier: Apache-2.0
#include "tsuji/core/error.h"

#include "support/catch.h"
#include "tsuji/core/printable.h"

using namespace tsuji;

TEST_CASE("a text is printable: without control characters and without invalid UTF-8") {
  CHECK(printable("router.vcs 8", 100) == "router.vcs 8");
  CHECK(printable("\xc3\xa4 \xe2\x82\xac \xf0\x9f\x99\x82", 100) == "\xc3\xa4 \xe2\x82\xac \xf0\x9f\x99\x82");
  CHECK(printable(std::string("\0\x1b[2J\r\n\t\x7f", 9), 100) == "\\x00\\x1b[2J\\x0d\\x0a\\x09\\x7f");
  CHECK(printable("\xc2\x9b"
                  "31m",
                  100) == "\\xc2\\x9b31m");                                        // CSI in one character
  CHECK(printable("\xff\xc3 \xed\xa0\x80", 100) == "\\xff\\xc3 \\xed\\xa0\\x80");  // broken, a surrogate
  CHECK(printable_lines("a\nb\x1b", 100) == "a\nb\\x1b");
}

TEST_CASE("a long text keeps its beginning and its end, in whole characters") {
  const std::string text = printable("begin" + std::string(1'000'000, '-') + "end", 30);
  CHECK(text == "begin" + std::string(15, '-') + "... (999978 more bytes) ..." + std::string(7, '-') + "end");
  CHECK(printable(std::string(30, 'x'), 30) == std::string(30, 'x'));
  for (std::size_t most = 3; most < 20; ++most) {
    std::string euros;
    for (int i = 0; i < 50; ++i) euros += "\xe2\x82\xac";
    CHECK(printable(euros, most).find('\\') == std::string::npos);
  }
}

TEST_CASE("every part of a refusal is bounded and printable, its parts are not") {
  const std::string evil(100'000, '\x1b');
  const ConfigError error = ConfigError(evil, evil, evil, evil).at(evil);
  const std::string text = error.what();
  CHECK(text.size() < 50'000);
  CHECK(text.find('\x1b') == std::string::npos);
  CHECK(error.value() == evil);
  CHECK(std::string(ConfigError("a\nb", "c\nd", "e\nf", "g\nh").what()).find('\n') == std::string::npos);
  CHECK(std::string(ModelError("part", "a\x1b\nb").what()) == "part: a\\x1b\nb");
  CHECK(std::string(ModelError("m", 3, evil, "a").what()).find('\x1b') == std::string::npos);
  CHECK(std::string(ModelError("m", 3, "", std::string(5'000'000, 'x')).what()).size() < 2'000'000);
}

TEST_CASE("values and keys are shown whole up to 200 bytes, places to 600, sentences to 4000") {
  const auto whole = [](const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos && text.find(" more bytes") == std::string::npos;
  };
  const auto text = [](std::size_t bytes) { return std::string(bytes, 'x'); };
  CHECK(whole(ConfigError(text(200), "", "", "").what(), text(200)));
  CHECK_FALSE(whole(ConfigError(text(201), "", "", "").what(), text(1)));
  CHECK(whole(ConfigError("", text(200), "", "").what(), text(200)));
  CHECK_FALSE(whole(ConfigError("", text(201), "", "").what(), text(1)));
  CHECK(whole(ConfigError("", "", text(4000), "").what(), text(4000)));
  CHECK_FALSE(whole(ConfigError("", "", text(4001), "").what(), text(1)));
  CHECK(whole(ConfigError("", "", "", text(4000)).what(), text(4000)));
  CHECK_FALSE(whole(ConfigError("", "", "", text(4001)).what(), text(1)));
  const ConfigError error("", "", "a", "");
  CHECK(whole(error.at(text(600)).what(), text(600)));
  CHECK_FALSE(whole(error.at(text(601)).what(), text(1)));
  // "p: " and the report.
  CHECK(whole(ModelError("p", text((1 << 20) - 3)).what(), text((1 << 20) - 3)));
  CHECK_FALSE(whole(ModelError("p", text((1 << 20) - 2)).what(), text(1)));
}

TEST_CASE("a model's failure names module and cycle, and the packet if there is one") {
  CHECK(std::string(ModelError("m", 3, "", "a").what()) == "m, cycle 3: a");
  CHECK(std::string(ModelError("m", 0, "1.2", "a").what()) == "m, cycle 0, packet 1.2: a");
  CHECK(std::string(OutputError("file", "full").what()) == "file: full");
}
