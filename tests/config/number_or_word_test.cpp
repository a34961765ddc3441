// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "support/catch.h"
#include "support/thrown.h"
#include "tsuji/config/key_table.h"

using namespace tsuji;
using namespace tsuji::config;

namespace {

struct Setup {
  std::optional<std::uint64_t> field;
  KeyTable keys;
  Setup() { keys.add("delay", field, {0, 9}, "as_links", "cycles", "a delay"); }
};

std::string refusal(const std::string& yaml) {
  Setup setup;
  return tsuji::test::text_of<ConfigError>([&] { read_yaml_text(setup.keys, yaml, "f.yaml"); }, "accepted");
}

}  // namespace

TEST_CASE("a number or a word: 0 is a number, and the word is no value") {
  Setup setup;
  CHECK(setup.keys.json()["delay"] == "as_links");
  setup.keys.set_from_command_line("delay=0");
  CHECK(setup.field == std::uint64_t{0});
  CHECK(setup.keys.json()["delay"] == 0);

  Setup read;
  read_yaml_text(read.keys, setup.keys.print(""), "f.yaml");
  CHECK(read.field == std::uint64_t{0});
  read.keys.set_from_command_line("delay=as_links");
  CHECK_FALSE(read.field.has_value());

  Setup again;
  again.field = 3;
  read_yaml_text(again.keys, read.keys.print(""), "f.yaml");
  CHECK_FALSE(again.field.has_value());

  Setup quoted;
  quoted.field = 3;
  read_yaml_text(quoted.keys, "delay: \"as_links\"\n", "f.yaml");
  CHECK_FALSE(quoted.field.has_value());
}

TEST_CASE("a value that is neither the number nor the word is refused with both") {
  CHECK(refusal("delay: 9\n") == "accepted");
  CHECK(refusal("delay: 10\n") ==
        "f.yaml:1:8: delay: out of range (got '10'); accepted: an integer 0..9, or as_links");
  CHECK(refusal("delay: as_link\n") ==
        "f.yaml:1:8: delay: not an integer (got 'as_link'); accepted: an integer 0..9, or as_links");
  CHECK(refusal("delay: [1]\n") ==
        "f.yaml:1:8: delay: a list is not an integer (got '[1]'); accepted: an integer 0..9, or as_links");
  CHECK(refusal("delay: 1.5\n") ==
        "f.yaml:1:8: delay: not an integer (got '1.5'); accepted: an integer 0..9, or as_links");
}

TEST_CASE("a truth value or a word") {
  struct Flag {
    std::optional<bool> field;
    KeyTable keys;
    Flag() { keys.add("turns", field, "auto", "may turn"); }
  } flag;
  CHECK(flag.keys.json()["turns"] == "auto");
  CHECK(flag.keys.print("") == "turns: auto\n");
  read_yaml_text(flag.keys, "turns: true\n", "f.yaml");
  CHECK(flag.field == true);
  CHECK(flag.keys.json()["turns"] == true);
  flag.keys.set_from_command_line("turns=auto");
  CHECK_FALSE(flag.field.has_value());
  flag.keys.set_from_command_line("turns=false");
  CHECK(flag.field == false);
  CHECK(flag.keys.print("") == "turns: false\n");
  CHECK(tsuji::test::text_of<ConfigError>([&] { flag.keys.set_from_command_line("turns=1"); }) ==
        "--set turns=1: turns: neither true nor false (got '1'); accepted: true, false, or auto");
}
