// SPDX-License-Identifier: Apache-2.0
#include <limits>
#include <nlohmann/json.hpp>
#include <random>

#include "support/catch.h"
#include "support/failing_read.h"
#include "support/text_file.h"
#include "support/thrown.h"
#include "tsuji/config/key_table.h"

using namespace tsuji;
using namespace tsuji::config;

namespace {

enum class Mode { fast, exact };

struct Machine {
  unsigned nodes = 64;
  unsigned stages = 4;
  std::uint64_t big = 7;
  double load = 0.1;
  bool check = true;
  std::string name = "none";
  Mode mode = Mode::fast;
  std::vector<unsigned> ports = {1, 2};

  void bind(KeyTable& keys) {
    keys.add("network.nodes", nodes, {8, 1024}, "nodes", "processors of the machine");
    keys.add("network.switch.stages", stages, {2, 6}, "stages", "stages of switches");
    keys.add("network.switch.ports", ports, {1, 16}, {1, 3}, "ports", "ports of a switch, by stage");
    keys.add("big", big, {0, std::numeric_limits<std::uint64_t>::max()}, "", "a large number");
    keys.add("load", load, {0.0, 1.0}, "flits/node/cycle", "offered load");
    keys.add("check", check, "compare the bytes");
    keys.add("name", name, "a name");
    keys.add_choice("mode", mode, {{"fast", Mode::fast}, {"exact", Mode::exact}}, "how to simulate");
  }
};

/// A machine with its keys, made for each use.
struct Setup {
  Machine machine;
  KeyTable keys;
  Setup() { machine.bind(keys); }
};

std::string refusal(const std::string& yaml) {
  Setup setup;
  return tsuji::test::text_of<ConfigError>([&] { read_yaml_text(setup.keys, yaml, "f.yaml"); }, "accepted");
}

std::string set_refusal(const std::string& assignment) {
  Setup setup;
  return tsuji::test::text_of<ConfigError>([&] { setup.keys.set_from_command_line(assignment); }, "accepted");
}

}  // namespace

TEST_CASE("a file sets fields, the command line sets them again") {
  Setup setup;
  read_yaml_text(setup.keys,
                 "# comment\nnetwork:\n  nodes: 0x100\n  switch: {stages: 6, ports: [4, 4,\n   2]}\n"
                 "big: 18446744073709551615\nload: 1e-3\ncheck: false\nname: 12 o'clock\nmode: exact\n",
                 "f.yaml");
  const Machine& machine = setup.machine;
  CHECK(machine.nodes == 256);
  CHECK(machine.stages == 6);
  CHECK(machine.ports == std::vector<unsigned>{4, 4, 2});
  CHECK(machine.big == ~std::uint64_t{0});
  CHECK(machine.load == 1e-3);
  CHECK_FALSE(machine.check);
  CHECK(machine.name == "12 o'clock");
  CHECK(machine.mode == Mode::exact);

  for (const char* assignment :
       {"network.nodes=8", "network.switch.ports=3, 5", "name=a=b: \"c\" #", "load=.5"}) {
    setup.keys.set_from_command_line(assignment);
  }
  CHECK(machine.nodes == 8);
  CHECK(machine.ports == std::vector<unsigned>{3, 5});
  CHECK(machine.name == "a=b: \"c\" #");
  CHECK(machine.load == 0.5);
}

TEST_CASE("an empty file leaves the defaults") {
  for (const char* text : {"", "# nothing\n", "---\n", "{}\n"}) {
    INFO(text);
    CHECK(refusal(text) == "accepted");
  }
}

TEST_CASE("the refusals of a file give place, value and accepted values") {
  const std::pair<const char*, const char*> cases[] = {
      {"network:\n  nodse: 8\n",
       "f.yaml:2:3: network.nodse: unknown key, did you mean 'network.nodes'? (got '8'); accepted: the keys "
       "that --list-keys "
       "shows"},
      {"nodes: 8\n",
       "f.yaml:1:1: nodes: unknown key, did you mean 'network.nodes'? (got '8'); accepted: the keys that "
       "--list-keys shows"},
      {"netwrk:\n  nodes: 8\n",
       "f.yaml:1:1: netwrk: unknown key, did you mean 'network'?; accepted: the keys that --list-keys shows"},
      {"zzzzzzzzzz: 8\n",
       "f.yaml:1:1: zzzzzzzzzz: unknown key (got '8'); accepted: the keys that --list-keys shows"},
      {"load: 0.1\nname: x\nload: 0.1\n",
       "f.yaml:3:1: load: set twice, first at f.yaml:1:1; accepted: one value"},
      {"network: {nodes: 8}\nnetwork: {nodes: 9}\n",
       "f.yaml:2:1: network: set twice, first at f.yaml:1:1; accepted: one value"},
      {"network: {nodes: 8}\nnetwork.nodes: 8\n",
       "f.yaml:2:16: network.nodes: set twice, first at f.yaml:1:18 (got '8'); accepted: one value"},
      {"network:\n  nodes: many\n",
       "f.yaml:2:10: network.nodes: not an integer (got 'many'); accepted: an integer 8..1024"},
      {"network:\n  nodes: 7\n",
       "f.yaml:2:10: network.nodes: out of range (got '7'); accepted: an integer 8..1024"},
      {"network:\n  nodes: 1025\n",
       "f.yaml:2:10: network.nodes: out of range (got '1025'); accepted: an integer 8..1024"},
      {"network:\n  nodes: -8\n",
       "f.yaml:2:10: network.nodes: negative (got '-8'); accepted: an integer 8..1024"},
      {"network:\n  nodes: 8.0\n",
       "f.yaml:2:10: network.nodes: not an integer (got '8.0'); accepted: an integer 8..1024"},
      {"network:\n  nodes: 1e2\n",
       "f.yaml:2:10: network.nodes: not an integer (got '1e2'); accepted: an integer 8..1024"},
      {"network:\n  nodes: 010\n",
       "f.yaml:2:10: network.nodes: not a decimal integer without leading zeros, nor 0x and hexadecimal "
       "digits (got '010'); "
       "accepted: an integer 8..1024"},
      {"network:\n  nodes: 0x\n",
       "f.yaml:2:10: network.nodes: not a decimal integer without leading zeros, nor 0x and hexadecimal "
       "digits (got '0x'); "
       "accepted: an integer 8..1024"},
      {"network:\n  nodes: \"8\"\n",
       "f.yaml:2:10: network.nodes: a text in quotes is not an integer (got '8'); accepted: an integer "
       "8..1024"},
      {"network:\n  nodes: [8]\n",
       "f.yaml:2:10: network.nodes: a list is not an integer (got '[8]'); accepted: an integer 8..1024"},
      {"network:\n  nodes:\n",
       "f.yaml:2:3: network.nodes: no value (got 'null'); accepted: an integer 8..1024"},
      {"network:\n  nodes: {a: 1}\n",
       "f.yaml:2:10: network.nodes: a map where a value belongs; accepted: one value"},
      {"network: 8\n",
       "f.yaml:1:10: network: a section, not a key (got '8'); accepted: the keys 'network.*' below it"},
      {"big: 18446744073709551616\n",
       "f.yaml:1:6: big: out of range (got '18446744073709551616'); accepted: an integer "
       "0..18446744073709551615"},
      {"load: 1.5\n", "f.yaml:1:7: load: out of range (got '1.5'); accepted: a number 0..1"},
      {"load: 1e999\n", "f.yaml:1:7: load: out of range (got '1e999'); accepted: a number 0..1"},
      {"load: .nan\n", "f.yaml:1:7: load: not a number (got '.nan'); accepted: a number 0..1"},
      {"load: nan\n", "f.yaml:1:7: load: not a number (got 'nan'); accepted: a number 0..1"},
      {"load: 0,5\n", "f.yaml:1:7: load: not a number (got '0,5'); accepted: a number 0..1"},
      {"check: yes\n", "f.yaml:1:8: check: neither true nor false (got 'yes'); accepted: true, false"},
      {"check: True\n", "f.yaml:1:8: check: neither true nor false (got 'True'); accepted: true, false"},
      {"mode: quick\n", "f.yaml:1:7: mode: unknown word (got 'quick'); accepted: one of fast, exact"},
      {"name: [a]\n",
       "f.yaml:1:7: name: a list is not a text (got '[a]'); accepted: a text (UTF-8); in quotes where YAML "
       "needs them"},
      {"name: ~\n",
       "f.yaml:1:1: name: no value (got 'null'); accepted: a text (UTF-8); in quotes where YAML needs them"},
      {"network: {switch: {ports: 4}}\n",
       "f.yaml:1:27: network.switch.ports: not a list (got '4'); accepted: a list of 1..3 integers 1..16"},
      {"network: {switch: {ports: [4, 17]}}\n",
       "f.yaml:1:31: network.switch.ports: out of range (got '[4, 17]'); accepted: a list of 1..3 integers "
       "1..16"},
      {"network: {switch: {ports: []}}\n",
       "f.yaml:1:27: network.switch.ports: a list of 0 (got '[]'); accepted: a list of 1..3 integers 1..16"},
      {"network: {switch: {ports: [[1]]}}\n",
       "f.yaml:1:28: network.switch.ports: a list within a list; accepted: a list of scalars"},
      {"network: {switch: {ports: [{a: 1}]}}\n",
       "f.yaml:1:28: network.switch.ports: a map within a list; accepted: a list of scalars"},
      {"load: &a 0.1\n",
       "f.yaml:1:7: load: an anchor (&name) is not supported; accepted: the value written out"},
      {"network: &a {nodes: 8}\n",
       "f.yaml:1:10: network: an anchor (&name) is not supported; accepted: the value written out"},
      {"network:\n  <<: {nodes: 8}\n",
       "f.yaml:2:3: network.<<: a merge key (<<) is not supported; accepted: the keys written out"},
      {"load: !!float 0.1\n",
       "f.yaml:1:7: load: a tag is not supported (got 'tag:yaml.org,2002:float'); accepted: the value "
       "without it"},
      {"- 1\n- 2\n", "f.yaml:1:1: a list is not a configuration; accepted: a map of keys"},
      {"hello\n", "f.yaml:1:1: a single value is not a configuration (got 'hello'); accepted: a map of keys"},
      {"load: 0.1\n---\nload: 0.2\n",
       "f.yaml:2:1: more than one document; accepted: one document of nested maps"},
      {"[1]: 2\n", ""},
      {"load: [1\n", ""},
      {"a: b: c\n", ""},
      {"\tload: 1\n", ""},
      {"load: *a\n", ""},
  };
  for (const auto& [yaml, text] : cases) {
    INFO(yaml);
    if (*text == '\0') {
      const std::string got = refusal(yaml);
      CHECK(got.find("f.yaml:1:") != std::string::npos);  // the parser's message follows
      CHECK(got.find("accepted:") != std::string::npos);
    } else {
      CHECK(refusal(yaml) == text);
    }
  }
}

TEST_CASE("a refused value leaves the field unchanged") {
  Setup setup;
  REQUIRE_THROWS_AS(setup.keys.set_from_command_line("network.switch.ports=3,99"), ConfigError);
  REQUIRE_THROWS_AS(setup.keys.set_from_command_line("mode=none"), ConfigError);
  CHECK(setup.machine.ports == std::vector<unsigned>{1, 2});
  CHECK(setup.machine.mode == Mode::fast);
}

TEST_CASE("the refusals of --set name the option") {
  CHECK(set_refusal("network.nodes") ==
        "--set network.nodes: not an assignment; accepted: --set network.nodes=value, in one word");
  CHECK(set_refusal("=4") == "--set =4: not an assignment; accepted: --set key=value, in one word");
  CHECK(set_refusal("network.node=4") ==
        "--set network.node=4: network.node: unknown key, did you mean 'network.nodes'? (got '4'); accepted: "
        "the keys that "
        "--list-keys shows");
  CHECK(set_refusal("network=4") ==
        "--set network=4: network: a section, not a key (got '4'); accepted: the keys 'network.*' below it");
  CHECK(set_refusal("network.nodes=") ==
        "--set network.nodes=: network.nodes: no value; accepted: an integer 8..1024");
  CHECK(set_refusal("network.nodes= 8") ==
        "--set network.nodes= 8: network.nodes: not an integer (got ' 8'); accepted: an integer 8..1024");
  CHECK(set_refusal("network.switch.ports=1,,2") ==
        "--set network.switch.ports=1,,2: network.switch.ports: no value (got '[1, , 2]'); accepted: a list "
        "of 1..3 "
        "integers 1..16");
  CHECK(set_refusal("name=\xff").find("name: not UTF-8") != std::string::npos);
  CHECK(set_refusal("name=") == "accepted");
}

TEST_CASE("the last of several assignments wins, also over the file's value, and each is checked") {
  Setup setup;
  read_yaml_text(setup.keys, "load: 0.1\n", "f.yaml");
  setup.keys.set_from_command_line("load=0.2");
  setup.keys.set_from_command_line("load=0.3");
  CHECK(setup.machine.load == 0.3);
  CHECK_THROWS_WITH(setup.keys.set_from_command_line("load=many"),
                    "--set load=many: load: not a number (got 'many'); accepted: a number 0..1");
  CHECK(setup.machine.load == 0.3);
  // The reported place is that of the effective value.
  CHECK_THROWS_WITH(setup.keys.check([] { throw ConfigError("load", "0.3", "wrong", "another"); }),
                    "--set load=0.3: load: wrong (got '0.3'); accepted: another");
  // An option and an assignment of one key have no order.
  CHECK_THROWS_WITH(setup.keys.set_from_command_line("load", "0.5", "--load 0.5"),
                    "--load 0.5: load: set twice, first at --set load=0.3 (got '0.5'); accepted: one value");
}

TEST_CASE("an unknown word is refused with similar words") {
  enum class Kind { a, b, c, d };
  Kind kind = Kind::a;
  KeyTable keys;
  keys.add_choice("routing", kind,
                  {{"dimension_order", Kind::a},
                   {"up_down", Kind::b},
                   {"west_first", Kind::c},
                   {"negative_first", Kind::d}},
                  "which way");
  keys.also_called("routing", {{"xy", "dimension_order"}});
  const auto problem = [&](const std::string& word) {
    const std::string text = test::refusal([&] { keys.set_from_command_line("routing=" + word); });
    const std::string begin = "--set routing=" + word + ": routing: unknown word";
    REQUIRE(text.compare(0, begin.size(), begin) == 0);
    REQUIRE(text.find("; accepted: one of dimension_order, up_down, west_first, negative_first") !=
            std::string::npos);
    return text.substr(begin.size(), text.find(" (got") - begin.size());
  };
  CHECK(problem("xy") == ", did you mean 'dimension_order'?");
  CHECK(problem("dimension-order") == ", did you mean 'dimension_order'?");
  CHECK(problem("updown") == ", did you mean 'up_down'?");
  CHECK(problem("first") == ", did you mean 'west_first' or 'negative_first'?");
  CHECK(problem("q").empty());
  CHECK(problem("perfect").empty());
  CHECK(kind == Kind::a);
}

TEST_CASE("an input's value is shortened and escaped in a refusal") {
  Setup setup;
  std::string list = "1";
  for (int i = 0; i < 1'000'000; ++i) list += ",1";
  CHECK(test::refusal([&] {
          read_yaml_text(setup.keys, "network: {switch: {ports: [" + list + "]}}", "f.yaml");
        }).size() < 1000);
  CHECK(set_refusal("network.switch.ports=" + list).size() < 2000);
  CHECK(set_refusal("mode=\x1b[31mred\n") ==
        "--set mode=\\x1b[31mred\\x0a: mode: unknown word (got '\\x1b[31mred\\x0a'); accepted: one of fast, "
        "exact");
  CHECK(set_refusal(std::string(1'000'000, 'k') + "=1").size() < 2000);
}

TEST_CASE("a file that cannot be read is refused") {
  Setup setup;
  CHECK_THROWS_WITH(read_yaml_file(setup.keys, "no/such.yaml"),
                    "cannot be read: No such file or directory (got 'no/such.yaml'); accepted: a YAML file");
  CHECK_THROWS_WITH(read_yaml_file(setup.keys, "/"),
                    "cannot be read: Is a directory (got '/'); accepted: a YAML file");
  // A read error is not an end of file.
  CHECK_THROWS_WITH(read_yaml_file(setup.keys, "/proc/self/mem"),
                    "cannot be read: Input/output error (got '/proc/self/mem'); accepted: a YAML file");
  const test::TextFile half("load: 0.5\n# and much behind it\nload: 0.5\n");
  {
    const test::FailingRead failing(12);
    CHECK_THROWS_WITH(read_yaml_file(setup.keys, half.path()),
                      Catch::StartsWith("cannot be read: Input/output error"));
  }
  // A file without an end is not read without end, either.
  CHECK_THROWS_WITH(
      read_yaml_file(setup.keys, "/dev/zero"),
      "the file is too long (got '/dev/zero'); accepted: a YAML file of at most 16777216 bytes");
}

TEST_CASE("a check across fields names the place of its key, or that it is the default") {
  Setup setup;
  read_yaml_text(setup.keys, "network:\n  nodes: 100\n", "f.yaml");
  const auto validate = [](const char* key) {
    return [key] { throw ConfigError(key, "100", "does not fit the stages", "a power of four"); };
  };
  CHECK_THROWS_WITH(
      setup.keys.check(validate("network.nodes")),
      "f.yaml:2:10: network.nodes: does not fit the stages (got '100'); accepted: a power of four");
  CHECK_THROWS_WITH(
      setup.keys.check(validate("network.switch.stages")),
      "default: network.switch.stages: does not fit the stages (got '100'); accepted: a power of four");
  setup.keys.set_from_command_line("network.nodes=200");
  CHECK_THROWS_WITH(setup.keys.check(validate("network.nodes")),
                    "--set network.nodes=200: network.nodes: does not fit the stages (got '100'); accepted: "
                    "a power of four");
  CHECK_THROWS_WITH(setup.keys.check(validate("")),
                    "does not fit the stages (got '100'); accepted: a power of four");
}

TEST_CASE("printed configurations read back to equal bytes and values") {
  std::mt19937_64 random(1);
  const std::string names[] = {"",
                               "plain",
                               "with \"quotes\" and \\",
                               "line\nbreak\ttab",
                               " space ",
                               "# no comment",
                               "\x01\x7f",
                               "\xe8\xbe\xbb \xf0\x9f\x94\x80",
                               "null",
                               "~",
                               "0x10",
                               "{a: b}",
                               "trailing\\"};
  for (unsigned round = 0; round < 2000; ++round) {
    Setup setup;
    Machine& machine = setup.machine;
    machine.nodes = 8 + static_cast<unsigned>(random() % 1017);
    machine.big = random();
    machine.load = static_cast<double>(random() >> (random() % 64)) * 0x1p-64;
    machine.check = (random() & 1U) != 0;
    machine.name = names[round % std::size(names)];
    machine.mode = (random() & 1U) != 0 ? Mode::fast : Mode::exact;
    machine.ports.assign(1 + random() % 3, static_cast<unsigned>(1 + random() % 16));
    const std::string printed = setup.keys.print("a heading\nof two lines");
    Setup again;
    read_yaml_text(again.keys, printed, "printed");
    REQUIRE(again.keys.print("a heading\nof two lines") == printed);
    REQUIRE(again.keys.json() == setup.keys.json());
    REQUIRE(again.machine.load == machine.load);
    REQUIRE(again.machine.name == machine.name);
  }
}

TEST_CASE("printed configuration and key list") {
  Setup setup;
  CHECK(setup.keys.print("test 1") ==
        "# test 1\nnetwork:\n  nodes: 64  # nodes\n  switch:\n    stages: 4  # stages\n    ports: [1, 2]  # "
        "ports\nbig: 7\n"
        "load: 0.1  # flits/node/cycle\ncheck: true\nname: \"none\"\nmode: fast\n");
  setup.keys.set_from_command_line("network.nodes=8");
  const std::string list = setup.keys.list_keys();
  CHECK(list.find("network.nodes\n    processors of the machine\n    type: integer; unit: nodes; default: "
                  "64; accepted: an "
                  "integer 8..1024\n") == 0);
  CHECK(
      list.find("mode\n    how to simulate\n    type: word; default: fast; accepted: one of fast, exact\n") !=
      std::string::npos);
  CHECK(
      setup.keys.json().dump() ==
      R"({"network":{"nodes":8,"switch":{"stages":4,"ports":[1,2]}},"big":7,"load":0.1,"check":true,"name":"none",)"
      R"("mode":"fast"})");
}

TEST_CASE("JSON schema of a table") {
  Machine machine;
  std::optional<std::uint64_t> rounds, limit;
  KeyTable keys;
  machine.bind(keys);
  keys.add("rounds", rounds, {0, 9}, "auto", "", "rounds of the run");
  keys.add("limit", limit, {1, 5}, "none", "cycles", "longest run");
  keys.only_with("network.switch.*", {{"mode", {"fast", "exact"}}, {"name", {}}});
  keys.only_with("network.switch.ports", {{"name", {"", "a"}}});
  keys.set_from_command_line("network.nodes=8");  // the schema has the defaults
  const nlohmann::json expected = nlohmann::json::parse(R"({
    "$schema": "http://json-schema.org/draft-07/schema#", "title": "a machine",
    "type": "object", "additionalProperties": false,
    "properties": {
      "network": {"type": "object", "additionalProperties": false,
        "properties": {
          "nodes": {"type": "integer", "minimum": 8, "maximum": 1024, "default": 64,
                    "description": "processors of the machine; unit: nodes"},
          "switch": {"type": "object", "additionalProperties": false,
            "properties": {
              "stages": {"type": "integer", "minimum": 2, "maximum": 6, "default": 4,
                "description": "stages of switches; unit: stages; only with mode fast, exact or name set"},
              "ports": {"type": "array", "items": {"type": "integer", "minimum": 1, "maximum": 16},
                "minItems": 1, "maxItems": 3, "default": [1, 2], "description":
      "ports of a switch, by stage; unit: ports; only with mode fast, exact or name set; only with name \"\", a"}}}},
        "patternProperties": {"^switch\\.stages$": {"$ref": "#/properties/network/properties/switch/properties/stages"},
                              "^switch\\.ports$": {"$ref": "#/properties/network/properties/switch/properties/ports"}}},
      "big": {"type": "integer", "minimum": 0, "default": 7, "description": "a large number"},
      "load": {"type": ["number", "string"], "minimum": 0.0, "maximum": 1.0, "default": 0.1,
               "pattern": "^[0-9.]+([eE][-+]?[0-9]+)? ?(flits/node/cycle|Mb/s|Gb/s|Tb/s|MB/s|GB/s)$",
               "description": "offered load; unit: flits/node/cycle"},
      "check": {"type": "boolean", "default": true, "description": "compare the bytes"},
      "name": {"type": ["string", "number", "boolean"], "default": "none", "description": "a name"},
      "mode": {"enum": ["fast", "exact"], "default": "fast", "description": "how to simulate"},
      "rounds": {"anyOf": [{"type": "integer", "minimum": 0, "maximum": 9}, {"enum": ["auto"]}],
                 "default": "auto", "description": "rounds of the run"},
      "limit": {"anyOf": [{"type": "integer", "minimum": 1, "maximum": 5}, {"enum": ["none"]},
          {"type": "string", "pattern": "^[0-9.]+([eE][-+]?[0-9]+)? ?(cycles|ps|ns|us|ms|s)$"}],
                "default": "none", "description": "longest run; unit: cycles"}},
    "patternProperties": {
      "^network\\.nodes$": {"$ref": "#/properties/network/properties/nodes"},
      "^network\\.switch$": {"$ref": "#/properties/network/properties/switch"},
      "^network\\.switch\\.stages$": {"$ref": "#/properties/network/properties/switch/properties/stages"},
      "^network\\.switch\\.ports$": {"$ref": "#/properties/network/properties/switch/properties/ports"}}})");
  CHECK(nlohmann::json::parse(keys.json_schema("a machine").dump()) == expected);
}

TEST_CASE("mistakes in a key table are found when it is made") {
  unsigned field = 1;
  Mode mode = Mode::exact;
  KeyTable keys;
  keys.add("a.b", field, {0, 9}, "", "");
  CHECK_THROWS_AS(keys.add("a.b", field, {0, 9}, "", ""), ModelError);
  CHECK_THROWS_AS(keys.add("a", field, {0, 9}, "", ""), ModelError);
  CHECK_THROWS_AS(keys.add("a.b.c", field, {0, 9}, "", ""), ModelError);
  CHECK_THROWS_AS(keys.add_choice("m", mode, {{"fast", Mode::fast}}, ""), ModelError);
}

TEST_CASE("keys of a section are listed together, in whatever order they are added") {
  unsigned field = 1;
  KeyTable keys;
  for (const char* key : {"a.b", "b", "a.c.d", "a.e", "c.f", "a.c.g", "a.h"})
    keys.add(key, field, {0, 9}, "", "");
  std::string listed;
  for (const KeyTable::Description& key : keys.descriptions()) listed += key.key + ' ';
  CHECK(listed == "a.b a.c.d a.c.g a.e a.h b c.f ");
}

TEST_CASE("a key may be a number or a word") {
  struct Bound {
    std::optional<std::uint64_t> cycles = 5000;
    unsigned longest = 10;
    KeyTable keys;
    Bound() {
      keys.add("warmup", cycles, {0, 9000}, "auto", "cycles", "how long");
      keys.add("longest", longest, {0u, 10u}, "", "at most");
      keys.only_with("longest", {{"warmup", {"auto"}}});
    }
  };
  Bound bound;
  CHECK_THAT(bound.keys.list_keys(), Catch::Contains("an integer 0..9000, or auto"));
  CHECK(bound.keys.json()["warmup"] == 5000);
  read_yaml_text(bound.keys, "warmup: auto\nlongest: 7\n", "f.yaml");
  bound.keys.refuse_idle();
  CHECK_FALSE(bound.cycles);
  CHECK(bound.keys.json()["warmup"] == "auto");
  // The printed configuration reads back, and a number takes the word's place.
  Bound again;
  read_yaml_text(again.keys, bound.keys.print(""), "g.yaml");
  CHECK_FALSE(again.cycles);
  again.keys.set_from_command_line("warmup=9000");
  CHECK(again.cycles == 9000);
  CHECK_THROWS_WITH(again.keys.refuse_idle(), Catch::Contains("longest"));
  for (const char* wrong :
       {"warmup=9001", "warmup=Auto", "warmup=", "warmup=-1", "warmup=1.5", "warmup=[auto]"}) {
    Bound refused;
    CAPTURE(wrong);
    CHECK_THROWS_WITH(refused.keys.set_from_command_line(wrong), Catch::Contains("0..9000, or auto"));
    CHECK(refused.cycles == 5000);
  }
}
