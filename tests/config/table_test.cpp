// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "support/catch.h"
#include "support/text_file.h"
#include "tsuji/config/key_table.h"

// Keys of a table: their order, sections, conditions, sources, and files that set them.

using namespace tsuji;
using namespace tsuji::config;
using tsuji::test::refusal;

TEST_CASE("an option or assignment wins over the file, and an option is set once") {
  const auto fresh = [](unsigned& field, KeyTable& keys) {
    keys.add("seed", field, {0, 99}, "", "");
    read_yaml_text(keys, "seed: 1\n", "f.yaml");
  };
  {
    unsigned field = 0;
    KeyTable keys;
    fresh(field, keys);
    keys.set_from_command_line("seed", "2", "--seed 2");
    CHECK(field == 2);
    CHECK_THROWS_WITH(keys.set_from_command_line("seed", "3", "--seed 3"),
                      Catch::StartsWith("--seed 3: seed: set twice, first at --seed 2"));
    CHECK(field == 2);
  }
  {
    unsigned field = 0;
    KeyTable keys;
    fresh(field, keys);
    CHECK_THROWS_WITH(read_yaml_text(keys, "seed: 4\n", "g.yaml"),
                      Catch::StartsWith("g.yaml:1:7: seed: set twice, first at f.yaml:1:7"));
  }
}

TEST_CASE("a condition of a section applies to all of its keys and to no others") {
  unsigned field = 1;
  bool on = false;
  KeyTable keys;
  keys.add("on", on, "");
  for (const char* key : {"air", "aira.b", "airb"}) keys.add(key, field, {0, 9}, "", "");
  unsigned a = 1, b = 2, c = 3;
  keys.add("air_.a", a, {0, 9}, "", "");
  keys.add("wind.a", a, {0, 9}, "", "");
  keys.add("wind.deep.b", b, {0, 9}, "", "");
  keys.add("windy.c", c, {0, 9}, "", "");
  keys.add("w", c, {0, 9}, "", "");
  keys.only_with("wind.*", {{"on", {"true"}}});
  CHECK(keys.print("") ==
        "on: false\nair: 1\naira:\n  b: 1\nairb: 1\nair_:\n  a: 1\nwindy:\n  c: 3\nw: 3\n# without effect "
        "here\n"
        "# wind.a: 1\n# wind.deep.b: 2\n");
  on = true;  // NOLINT(clang-analyzer-deadcode.DeadStores): print() reads it
  CHECK(keys.print("") ==
        "on: true\nair: 1\naira:\n  b: 1\nairb: 1\nair_:\n  a: 1\nwind:\n  a: 1\n  deep:\n    b: 2\n"
        "windy:\n  c: 3\nw: 3\n");
  CHECK_THROWS_WITH(keys.only_with("storm.*", {{"on", {"true"}}}),
                    Catch::Contains("there is no key 'storm.*'"));
  CHECK_THROWS_WITH(keys.only_with(".*", {{"on", {"true"}}}), Catch::Contains("there is no key '.*'"));
  CHECK_THROWS_WITH(keys.only_with("air", {{"off", {}}}),
                    Catch::Contains("depends on 'off', which is not a key"));
}

TEST_CASE("sections are opened once, as deep as their keys") {
  unsigned field = 1;
  KeyTable keys;
  for (const char* key : {"a.b.c", "a.b.d", "a.e.d", "a.f", "b.b.c", "b.b.d.e", "c"})
    keys.add(key, field, {0, 9}, "", "");
  CHECK(keys.print("x\n\ny") ==
        "# x\n# \n# y\na:\n  b:\n    c: 1\n    d: 1\n  e:\n    d: 1\n  f: 1\nb:\n  b:\n    c: 1\n    d:\n    "
        "  e: 1\nc: 1\n");
  CHECK(keys.json().dump() ==
        R"({"a":{"b":{"c":1,"d":1},"e":{"d":1},"f":1},"b":{"b":{"c":1,"d":{"e":1}}},"c":1})");
}

TEST_CASE("a key moves before another one, and stays there") {
  unsigned field = 1;
  KeyTable keys;
  for (const char* key : {"s.a", "s.b", "s.c", "s.d"}) keys.add(key, field, {0, 9}, "", "");
  const auto order = [&] {
    std::string text;
    const nlohmann::ordered_json json = keys.json();
    for (const auto& entry : json["s"].items()) text += entry.key();
    return text;
  };
  keys.move_before("s.d", "s.b");
  CHECK(order() == "adbc");
  keys.move_before("s.c", "s.b");
  CHECK(order() == "adcb");
  CHECK_THROWS_WITH(keys.move_before("s.a", "s.b"), Catch::Contains("key 's.a' is not listed after 's.b'"));
  CHECK_THROWS_AS(keys.move_before("s.b", "s.b"), ModelError);
  CHECK_THROWS_AS(keys.move_before("s.x", "s.b"), ModelError);
  CHECK_THROWS_AS(keys.move_before("s.b", "s.x"), ModelError);
  CHECK(order() == "adcb");
}

TEST_CASE("mistakes in a key table are reported with key and reason") {
  unsigned field = 1;
  KeyTable keys;
  keys.add("a.b", field, {0, 9}, "", "");
  const auto add = [&](const char* key) { keys.add(key, field, {0, 9}, "", ""); };
  CHECK_THROWS_WITH(add("a.b"), "configuration: key 'a.b' is in the table twice");
  CHECK_THROWS_WITH(add("a"), "configuration: key 'a' is also a section");
  CHECK_THROWS_WITH(add("a.b.c"), "configuration: key 'a.b.c' lies below another key");
  CHECK_THROWS_WITH(add("a.b.c.d"), "configuration: key 'a.b.c.d' lies below another key");
  CHECK_NOTHROW(add("ab"));  // not the name of a section
  CHECK_NOTHROW(add("a.c"));
  CHECK(keys.descriptions()[1].key == "a.c");  // beside the other of its section
  CHECK_NOTHROW(add("a_.c"));
  CHECK_THROWS_WITH(keys.add_of_kinds("kind", [] {}, {}), "configuration: there is no key 'kind'");
  enum class Mode { fast, exact } mode = Mode::exact;
  CHECK_THROWS_WITH(keys.add_choice("m", mode, {{"fast", Mode::fast}}, ""),
                    "configuration: m: the default is not one of the words");
  CHECK_NOTHROW(keys.add_choice("m", mode, {{"fast", Mode::fast}, {"exact", Mode::exact}}, ""));
  CHECK(keys.json()["m"] == "exact");
  CHECK(keys.has_key("a.b"));
  CHECK_FALSE(keys.has_key("a"));
  CHECK(keys.has_section("a"));
  CHECK_FALSE(keys.has_section("a.b"));
  CHECK_FALSE(keys.has_section("ab"));
}

TEST_CASE("a table of kinds accepts their keys only while they are added, even if that fails") {
  unsigned field = 1;
  std::string kind = "x";
  KeyTable keys;
  keys.add("kind", kind, "");
  CHECK_THROWS_WITH(keys.add_of_kinds(
                        "kind", [&] { throw ModelError("part", "wrong"); },
                        [](const std::string&) { return std::vector<std::string>{"x"}; }),
                    "part: wrong");
  keys.add("other", field, {0, 9}, "", "");
  keys.add_of_kinds(
      "kind",
      [&] {
        keys.add("mine", field, {0, 9}, "", "");
      },
      [](const std::string&) {
        return std::vector<std::string>{"y", "z"};
      });
  CHECK(keys.print("") == "kind: \"x\"\nother: 1\n# without effect here\n# mine: 1\n");
  kind = "z";
  CHECK(keys.print("") == "kind: \"z\"\nother: 1\nmine: 1\n");
  keys.add("last", field, {0, 9}, "", "");
  kind = "x";
  CHECK(keys.print("") == "kind: \"x\"\nother: 1\nlast: 1\n# without effect here\n# mine: 1\n");
}

TEST_CASE("a kind may have a table of kinds among its own keys") {
  unsigned first = 1, deep = 2, last = 3;
  std::string kind = "z", part = "y";
  const auto only = [](const char* word) {
    return [word](const std::string&) { return std::vector<std::string>{word}; };
  };
  KeyTable keys;
  keys.add("kind", kind, "");
  keys.add_of_kinds(
      "kind",
      [&] {
        keys.add("first", first, {0, 9}, "", "");
        keys.add("part", part, "");
        keys.add_of_kinds(
            "part",
            [&] {
              keys.add("deep", deep, {0, 9}, "", "");
            },
            only("y"));
        CHECK_THROWS(keys.add_of_kinds(
            "part", [] { throw ModelError("part", "wrong"); }, only("y")));
        keys.add("last", last, {0, 9}, "", "");
      },
      only("z"));
  CHECK(keys.print("") == "kind: \"z\"\nfirst: 1\npart: \"y\"\ndeep: 2\nlast: 3\n");
  part = "x";
  CHECK(keys.print("") == "kind: \"z\"\nfirst: 1\npart: \"x\"\nlast: 3\n# without effect here\n# deep: 2\n");
  part = "y";
  kind = "x";
  CHECK(keys.print("") ==
        "kind: \"x\"\n# without effect here\n# first: 1\n# part: \"y\"\n# deep: 2\n# last: 3\n");
}

TEST_CASE(
    "a refused value of every type leaves its field unchanged, and an accepted one is printed in input "
    "form") {
  unsigned small = 1;
  std::uint64_t large = 2;
  std::optional<std::uint64_t> rounds = 3, limit = 4;
  bool flag = true;
  double share = 0.5;
  std::string name = "a";
  KeyTable keys;
  keys.add("small", small, {1, 9}, "", "");
  keys.add("large", large, {2, 9}, "", "");
  keys.add("rounds", rounds, {3, 9}, "auto", "", "");
  keys.add("limit", limit, {4, 9}, "none", "", "");
  keys.add("flag", flag, "");
  keys.add("share", share, {0.5, 1.0}, "", "");
  keys.add("name", name, "");
  const std::string before = keys.print("");
  CHECK(before == "small: 1\nlarge: 2\nrounds: 3\nlimit: 4\nflag: true\nshare: 0.5\nname: \"a\"\n");
  for (const char* wrong :
       {"small=0", "small=10", "large=1", "large=10", "rounds=2", "rounds=10", "rounds=Auto", "limit=3",
        "limit=10", "limit=None", "flag=1", "share=0.4", "share=1.1", "name=\xff"}) {
    CAPTURE(wrong);
    CHECK_THROWS_AS(keys.set_from_command_line(wrong), ConfigError);
    CHECK(keys.print("") == before);
  }
  for (const char* right :
       {"small=9", "large=9", "rounds=auto", "limit=none", "flag=false", "share=1", "name=x y"})
    keys.set_from_command_line(right);
  CHECK(keys.print("") ==
        "small: 9\nlarge: 9\nrounds: auto\nlimit: none\nflag: false\nshare: 1\nname: \"x y\"\n");
  CHECK(keys.json().dump() ==
        R"({"small":9,"large":9,"rounds":"auto","limit":"none","flag":false,"share":1.0,"name":"x y"})");
  const std::string list = keys.list_keys();
  for (const char* line : {"type: integer; default: 1; accepted: an integer 1..9",
                           "type: integer or word; default: 3; accepted: an integer 3..9, or auto",
                           "type: integer or word; default: 4; accepted: an integer 4..9, or none",
                           "type: bool; default: true; accepted: true, false",
                           "type: number; default: 0.5; accepted: a number 0.5..1",
                           "type: text; default: \"a\"; accepted: a text"})
    CHECK_THAT(list, Catch::Contains(line));
}

TEST_CASE("a file is refused at the place of its error") {
  const auto problem = [](const std::string& yaml) {
    unsigned field = 1;
    std::vector<unsigned> list;
    std::string name;
    KeyTable keys;
    keys.add("a.b", field, {0, 9}, "", "");
    keys.add("a.list", list, {0, 9}, {0, 9}, "", "");
    keys.add("name", name, "");
    return refusal([&] { read_yaml_text(keys, yaml, "f"); });
  };
  const std::pair<const char*, const char*> cases[] = {
      {"a: {b: !!int 1}\n", "f:1:8: a.b: a tag is not supported"},
      {"a: !x {b: 1}\n", "f:1:4: a: a tag is not supported (got '!x')"},
      {"a: {list: !x [1]}\n", "f:1:11: a.list: a tag is not supported (got '!x')"},
      {"a: {list: &x [1]}\n", "f:1:11: a.list: an anchor (&name) is not supported"},
      {"a: {list: [&x 1]}\n", "f:1:12: a.list: an anchor (&name) is not supported"},
      {"a: {list: [&x ]}\n", "f:1:"},
      {"a: {list: [1, [2]]}\n", "f:1:15: a.list: a list within a list"},
      {"a: {list: [1, {x: 2}]}\n", "f:1:15: a.list: a map within a list"},
      {"a: {list: [1, 2], b: x}\n", "f:1:22: a.b: not an integer"},
      {"a: {list: [1, ~]}\n", "f:1:"},
      {"? [a]\n: 1\n", "f:1:3: a list cannot be a key"},
      {"? {a: 1}\n: 1\n", "f:1:3: a map cannot be a key"},
      {"a:\n  ? [b]\n  : 1\n", "f:2:5: a: a list cannot be a key"},
      {"~: 1\n", "f:1:1: "},
      {"\"\": 1\n", "f:1:1: an empty key"},
      {"x: {y: 1}\n", "f:1:1: x: unknown key"},
      {"x: [1]\n", "f:1:1: x: unknown key"},
      {"a: {c: {d: 1}}\n", "f:1:5: a.c: unknown key"},
      {"a: [1]\n", "f:1:4: a: a section, not a key (got '[1]')"},
      {"a: {b: {c: 1}}\n", "f:1:8: a.b: a map where a value belongs"},
      {"name: x\na:\n  b: 1\n  list: [1]\n  b: 2\n", "f:5:3: a.b: set twice, first at f:3:3"},
      {"~\n---\nname: x\n", "f:2:1: more than one document"},
      {"3\n", "f:1:1: a single value is not a configuration (got '3')"},
  };
  for (const auto& [yaml, text] : cases) {
    CAPTURE(yaml);
    CHECK_THAT(problem(yaml), Catch::StartsWith(text));
  }
  for (const char* yaml : {"~\n", "a: {}\n", "a:\n  list: []\nname: \"~\"\n", "name: '3'\n",
                           "name: |\n  two\n  lines\n", "a.b: 3\na.list: [1]\n", "--- {name: x}\n...\n"}) {
    CAPTURE(yaml);
    CHECK(problem(yaml).empty());
  }
}

TEST_CASE("a key has another default while a condition holds, unless an input sets the key") {
  std::string kind = "plain";
  std::uint64_t warmup = 5000, other = 7;
  const auto settled = [&](const std::string& text) {
    kind = "plain";
    warmup = 5000;
    other = 7;
    KeyTable keys;
    keys.add("kind", kind, "");
    keys.add("warmup", warmup, {0, 9999}, "cycles", "a warm-up");
    keys.add("other", other, {0, 9999}, "", "another");
    keys.default_with("warmup", {"kind", {"list", "file"}}, "0");
    read_yaml_text(keys, text, "f.yaml");
    keys.settle_defaults();
    CHECK(keys.list_keys().find("a warm-up; default 0 with kind list file") != std::string::npos);
    return warmup;
  };
  CHECK(settled("") == 5000);
  CHECK(settled("kind: list\n") == 0);
  CHECK(settled("kind: file\n") == 0);
  CHECK(settled("kind: open\n") == 5000);
  CHECK(settled("kind: list\nwarmup: 5000\n") == 5000);
  CHECK(settled("kind: list\nwarmup: 3\n") == 3);
  CHECK(other == 7);
  KeyTable keys;
  keys.add("warmup", warmup, {0, 9999}, "", "");
  CHECK_THROWS_AS(keys.default_with("warmup", {"kind", {"list"}}, "0"), ModelError);
  CHECK_THROWS_AS(keys.default_with("cool", {"warmup", {}}, "0"), ModelError);
}
