// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>
#include <string>

#include "support/catch.h"
#include "tsuji/config/key_table.h"
#include "tsuji/core/error.h"

using namespace tsuji;
using namespace tsuji::config;

TEST_CASE("keys without effect are refused when they are set, and printed as comments") {
  struct Values {
    std::string kind = "round";
    bool soft = true;
    unsigned radius = 1, side = 2, fill = 3;
  } values;
  KeyTable keys;
  keys.add("ball.kind", values.kind, "what it is");
  keys.add("ball.soft", values.soft, "whether it is filled");
  keys.add("ball.radius", values.radius, {1, 9}, "cm", "of a round one");
  keys.add("ball.side", values.side, {1, 9}, "cm", "of a square one");
  keys.add("air.fill", values.fill, {1, 9}, "", "of a soft or round one");
  keys.only_with("ball.radius", {{"ball.kind", {"round", "oval"}}});
  keys.only_with("ball.side", {{"ball.kind", {"square"}}});
  keys.only_with("ball.soft", {{"ball.kind", {"round", "square"}}});
  keys.only_with("air.*", {{"ball.soft", {"true"}}, {"ball.kind", {"round"}}});
  const std::string idle = "# without effect here\n";
  CHECK(keys.print("") == "ball:\n  kind: \"round\"\n  soft: true\n  radius: 1  # cm\nair:\n  fill: 3\n" +
                              idle + "# ball.side: 2  # cm\n");
  CHECK(keys.json().dump() ==
        R"({"ball":{"kind":"round","soft":true,"radius":1,"side":2},"air":{"fill":3}})");
  const auto refused = [&](const std::string& text) {
    CHECK_THROWS_WITH(keys.refuse_idle(), text);
    CHECK_THROWS_AS(keys.refuse_idle(), ConfigError);
  };

  SECTION("not while they have their defaults") {
    CHECK_NOTHROW(keys.refuse_idle());
  }
  SECTION("with the place of the key, its value, and what it would be read with") {
    read_yaml_text(keys, "ball:\n  radius: 4\n", "b.yaml");
    CHECK_NOTHROW(keys.refuse_idle());
    keys.set_from_command_line("ball.kind=square");
    refused(
        "b.yaml:2:11: ball.radius: has no effect with ball.kind square (got '4'); accepted: ball.kind "
        "round, "
        "oval, or the key left out");
  }
  SECTION("a default that is written down is set, too") {
    keys.set_from_command_line("ball.side=2");
    refused(
        "--set ball.side=2: ball.side: has no effect with ball.kind round (got '2'); accepted: ball.kind "
        "square, or the key left out");
  }
  SECTION("with one of several that would do") {
    keys.set_from_command_line("air.fill=5");
    keys.set_from_command_line("ball.soft=false");
    CHECK_NOTHROW(keys.refuse_idle());
    values.kind = "square";
    refused(
        "--set air.fill=5: air.fill: has no effect with ball.soft false and ball.kind square (got '5'); "
        "accepted: ball.soft true, ball.kind round, or the key left out");
  }
  SECTION("what is read with an idle key is idle, too") {
    keys.set_from_command_line("air.fill=5");
    values.kind = "oval";
    CHECK(keys.print("") == "ball:\n  kind: \"oval\"\n  radius: 1  # cm\n" + idle +
                                "# ball.soft: true\n# ball.side: 2  # cm\n# air.fill: 5\n");
    refused(
        "--set air.fill=5: air.fill: has no effect with ball.kind oval (got '5'); accepted: ball.kind "
        "round, "
        "square, or the key left out");
  }
  SECTION("with a text that is not empty") {
    std::string owner;
    unsigned age = 7;
    keys.add("owner.name", owner, "whose it is");
    keys.add("owner.age", age, {1, 99}, "years", "of the owner");
    keys.only_with("owner.age", {{"owner.name", {}}});
    keys.set_from_command_line("owner.age=8");
    refused(
        "--set owner.age=8: owner.age: has no effect with owner.name \"\" (got '8'); accepted: owner.name "
        "set, "
        "or the key left out");
    keys.set_from_command_line("owner.name=me");
    CHECK_NOTHROW(keys.refuse_idle());
  }
  CHECK_THROWS_AS(keys.only_with("ball.size", {}), ModelError);
  CHECK_THROWS_AS(keys.only_with("ball.side", {{"ball.sort", {"round"}}}), ModelError);
}
