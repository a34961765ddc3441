// SPDX-License-Identifier: Apache-2.0
#include <limits>
#include <string>

#include "support/catch.h"
#include "support/text_file.h"
#include "tsuji/config/key_table.h"

// Single values, their texts, and the words and keys that a refusal proposes.

using namespace tsuji;
using namespace tsuji::config;
using tsuji::test::refusal;

namespace {

constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();

/// The refusal of an unquoted text as an integer; "" if it is accepted.
std::string integer_problem(const std::string& text, Range<std::uint64_t> range = {0, most}) {
  try {
    read_unsigned(InputValue::of(InputValue::Kind::unquoted, text, "p"), range);
  } catch (const ValueProblem& problem) {
    CHECK(problem.place == "p");
    return problem.problem;
  }
  return "";
}
std::uint64_t integer(const std::string& text) {
  return read_unsigned(InputValue::of(InputValue::Kind::unquoted, text, ""), {0, most});
}

std::string number_problem(const std::string& text, Range<double> range = {-1e300, 1e300}) {
  try {
    read_double(InputValue::of(InputValue::Kind::unquoted, text, "p"), range);
  } catch (const ValueProblem& problem) {
    CHECK(problem.place == "p");
    return problem.problem;
  }
  return "";
}
double number(const std::string& text) {
  return read_double(InputValue::of(InputValue::Kind::unquoted, text, ""), {-1e300, 1e300});
}

}  // namespace

TEST_CASE("an integer is decimal without leading zeros, or 0x and hexadecimal digits") {
  CHECK(integer("0") == 0);
  CHECK(integer("7") == 7);
  CHECK(integer("18446744073709551615") == most);
  CHECK(integer("0x0") == 0);
  CHECK(integer("0xfF") == 255);
  CHECK(integer("0x00000000000000000010") == 16);
  CHECK(integer("0xffffffffffffffff") == most);
  for (const char* text : {"0x", "00", "01", "0X1", "0b1", "0 "})
    CHECK(integer_problem(text) ==
          "not a decimal integer without leading zeros, nor 0x and hexadecimal digits");
  for (const char* text : {"-", "+1", " 1", "1 ", "1.", "1e3", "x", "0xg", "0x1g", "0x-1", "-1x", "1-"})
    CHECK(integer_problem(text) == "not an integer");
  for (const char* text : {"-0", "-1", "-18446744073709551616"}) CHECK(integer_problem(text) == "negative");
  for (const char* text : {"18446744073709551616", "0x10000000000000000"})
    CHECK(integer_problem(text) == "out of range");
  CHECK(integer_problem("") == "no value");
  CHECK(integer_problem("3", {3, 5}).empty());
  CHECK(integer_problem("5", {3, 5}).empty());
  CHECK(integer_problem("2", {3, 5}) == "out of range");
  CHECK(integer_problem("6", {3, 5}) == "out of range");
}

TEST_CASE("a number is decimal with an optional exponent") {
  CHECK(number("0") == 0);
  CHECK(number("-1.5e2") == -150);
  CHECK(number("1E+2") == 100);
  CHECK(number("5e-324") == std::numeric_limits<double>::denorm_min());
  CHECK(number("00.5") == 0.5);
  for (const char* text : {"inf", "nan", "1e", "-", ".", "e5", "0x1", "1.5.", "1 ", "+1", "1,5", "infinity"})
    CHECK(number_problem(text) == "not a number");
  CHECK(number_problem("1e400") == "out of range");
  CHECK(number_problem("1e-400") == "out of range");
  CHECK(number_problem("") == "no value");
  CHECK(number_problem("0.25", {0.25, 0.5}).empty());
  CHECK(number_problem("0.5", {0.25, 0.5}).empty());
  CHECK(number_problem("0.2499", {0.25, 0.5}) == "out of range");
  CHECK(number_problem("0.5001", {0.25, 0.5}) == "out of range");
}

TEST_CASE("values have the type of their key") {
  const InputValue quoted = InputValue::of(InputValue::Kind::quoted, "1", "p");
  const InputValue list = InputValue::of(InputValue::Kind::list, "", "p");
  const InputValue null = InputValue::of(InputValue::Kind::null, "", "p");
  const auto problem = [](auto read) -> std::string {
    try {
      read();
    } catch (const ValueProblem& found) {
      CHECK(found.place == "p");
      return found.problem;
    }
    return "";
  };
  CHECK(problem([&] { read_unsigned(quoted, {0, 9}); }) == "a text in quotes is not an integer");
  CHECK(problem([&] { read_double(list, {0, 9}); }) == "a list is not a number");
  CHECK(problem([&] { read_bool(quoted); }) == "a text in quotes is not true or false");
  CHECK(problem([&] { read_bool(null); }) == "no value");
  CHECK(problem([&] { read_string(null); }) == "no value");
  CHECK(problem([&] { read_string(list); }) == "a list is not a text");
  CHECK(read_string(quoted) == "1");
  CHECK(read_bool(InputValue::of(InputValue::Kind::unquoted, "true", "")));
  CHECK_FALSE(read_bool(InputValue::of(InputValue::Kind::unquoted, "false", "")));
  CHECK(null.shown() == "null");
  CHECK(quoted.shown() == "1");
  InputValue three = list;
  three.elements = {quoted, null, InputValue::of(InputValue::Kind::unquoted, "x", "")};
  CHECK(three.shown() == "[1, null, x]");
  CHECK(list.shown() == "[]");
}

TEST_CASE("texts of values and ranges") {
  CHECK(double_text(0.1) == "0.1");
  CHECK(double_text(1e300) == "1e+300");
  CHECK(double_text(-2) == "-2");
  CHECK(quoted_text("") == "\"\"");
  CHECK(quoted_text(" a~\xc3\xa4") == "\" a~\xc3\xa4\"");
  CHECK(quoted_text("\x1f\x7f\"\\\n") == "\"\\x1f\\x7f\\\"\\\\\\x0a\"");
  CHECK(range_text({3, 5}) == "3..5");
  CHECK(range_text({3, most - 1}) == "3..18446744073709551614");
  CHECK(range_text({3, most}) == "3..18446744073709551615");
  CHECK(words_text({"a"}) == "one of a");
  CHECK(words_text({"a", "b", "c"}) == "one of a, b, c");
}

TEST_CASE("a list on the command line may have brackets, and blanks before its numbers") {
  std::vector<unsigned> list{1};
  KeyTable keys;
  keys.add("list", list, {0, 9}, {0, 4}, "", "numbers");
  const auto set = [&](const std::string& text) { keys.set_from_command_line("list=" + text); };
  set("3");
  CHECK(list == std::vector<unsigned>{3});
  set("[3, 4,  5]");
  CHECK(list == std::vector<unsigned>{3, 4, 5});
  set("[]");
  CHECK(list.empty());
  set(" 7,8");
  CHECK(list == std::vector<unsigned>{7, 8});
  set("");
  CHECK(list.empty());
  set("9,8,7,6");
  for (const char* text : {"[1", "1]", "1,", ",1", "1,,2", "[1],2", "[", "1 ,2", "[[1]]", "1,2,3,4,5"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(set(text), ConfigError);
    CHECK(list == std::vector<unsigned>{9, 8, 7, 6});
  }
}

namespace {

enum class Kind { a, b, c, d, e, f };

/// The words that are proposed instead of `word`.
std::string proposed(const std::string& word) {
  Kind kind = Kind::a;
  KeyTable keys;
  keys.add_choice("kind", kind,
                  {{"ring", Kind::a},
                   {"king", Kind::b},
                   {"wing", Kind::c},
                   {"sing", Kind::d},
                   {"on", Kind::e},
                   {"dimension_order", Kind::f}},
                  "a word");
  keys.also_called("kind", {{"torus", "ring"}, {"ringed", "wing"}});
  keys.also_called("none", {{"x", "ring"}});
  const std::string text = refusal([&] { keys.set_from_command_line("kind=" + word); });
  const std::size_t begin = text.find("unknown word") + 12;
  return text.substr(begin, text.find(" (got") - begin);
}

}  // namespace

TEST_CASE("up to three words are proposed, the most similar first, and no dissimilar one") {
  CHECK(proposed("rin") == ", did you mean 'ring'?");  // a part of it
  CHECK(proposed("ing") == ", did you mean 'ring' or 'king' or 'wing'?");
  CHECK(proposed("wings") == ", did you mean 'wing' or 'ring' or 'king'?");  // 1, and 2 of 4 letters
  CHECK(proposed("sinx") == ", did you mean 'sing' or 'ring' or 'king'?");
  CHECK(proposed("sixx") == ", did you mean 'sing'?");
  CHECK(proposed("xxxg").empty());
  CHECK(proposed("os") == ", did you mean 'on'?");
  CHECK(proposed("o") == ", did you mean 'on'?");
  CHECK(proposed("xx").empty());
  CHECK(proposed("dim") == ", did you mean 'dimension_order'?");
  CHECK(proposed("di").empty());
  CHECK(proposed("onsets").empty());  // a word of two letters is in many
  CHECK(proposed("kingdom") == ", did you mean 'king'?");
  // An alias of a word counts only if it is typed exactly.
  CHECK(proposed("torus") == ", did you mean 'ring'?");
  CHECK(proposed("ringed") == ", did you mean 'wing'?");
  CHECK(proposed("toru").empty());
  CHECK(proposed(std::string(100, 'x') + "ring").empty());
}

TEST_CASE("an unknown key is refused with the most similar one, or its section") {
  unsigned field = 1;
  KeyTable keys;
  for (const char* key : {"net.nodes", "net.switch.ports", "load", "cpu.cache.ways", "cpu.cache.lines"})
    keys.add(key, field, {0, 9}, "", "");
  const auto meant = [&](const std::string& key) {
    const std::string text = refusal([&] { keys.set_from_command_line(key + "=1"); });
    const std::size_t begin = text.find("unknown key");
    REQUIRE(begin != std::string::npos);
    CHECK(text.find("; accepted: the keys that --list-keys shows") != std::string::npos);
    return text.substr(begin + 11, text.find(" (got") - begin - 11);
  };
  CHECK(meant("net.node") == ", did you mean 'net.nodes'?");
  CHECK(meant("nodes") == ", did you mean 'net.nodes'?");
  CHECK(meant("cpu.nodes") == ", did you mean 'net.nodes'?");  // a section that is another one
  CHECK(meant("cpu.nodez") == ", did you mean 'net.nodes'?");
  CHECK(meant("cpu.nodzz").empty());
  CHECK(meant("net.ports") == ", did you mean 'net.switch.ports'?");
  CHECK(meant("net.swich") == ", did you mean 'net.switch'?");
  CHECK(meant("cash").empty());  // two letters of "cache", and its section is missing
  CHECK(meant("cpu.cash") == ", did you mean 'cpu.cache'?");
  CHECK(meant("ways") == ", did you mean 'cpu.cache.ways'?");
  CHECK(meant("lod") == ", did you mean 'load'?");
  CHECK(meant("xyz").empty());
  CHECK(meant("something.else.altogether").empty());
  CHECK(meant(std::string(196, 'x') + "load").empty());
  // A text of more than 200 bytes is never taken for a misspelt key.
  const std::string longest(199, 'k');
  keys.add(longest, field, {0, 9}, "", "");
  CHECK(meant(longest + "k") == ", did you mean '" + longest + "'?");
  CHECK(meant(longest + "kk").empty());
}
