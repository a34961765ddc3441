// SPDX-License-Identifier: Apache-2.0
#include "tsuji/config/renames.h"
#include "support/thrown.h"

#include <algorithm>
#include <functional>

#include "support/catch.h"
#include "tsuji/config/key_table.h"
#include "tsuji/core/error.h"

using namespace tsuji;
using namespace tsuji::config;

namespace {

using Kind = Rename::Kind;

/// Current keys, some of which had other names.
struct RenamedKeys {
  std::string kind = "fast", shape = "flat";
  unsigned depth = 4;
  KeyTable keys;

  RenamedKeys() {
    keys.add_choice("machine.kind", kind, {{"fast", std::string("fast")}, {"exact", std::string("exact")}},
                    "how to simulate");
    keys.add("machine.depth", depth, {1, 64}, "flits", "places of a buffer");
    keys.add_choice("shape", shape, {{"flat", std::string("flat")}, {"deep", std::string("deep")}}, "form");
    keys.renamed({{Kind::key, "0.2", "old.depth", "machine.depth"},
                  {Kind::key, "0.3", "old.inner.kind", "machine.kind"},
                  {Kind::key, "0.2", "gone.depth", "elsewhere.depth"},
                  {Kind::value, "0.4", "machine.kind=slow", "machine.kind=exact machine.depth=9"},
                  {Kind::value, "0.4", "shape=none", "machine.kind=fast"},
                  {Kind::option, "0.2", "--depth", "--set"}});
  }
};

std::string refusal(const std::function<void()>& act) {
  return tsuji::test::text_of<ConfigError>([&] { act(); }, "none");
}

std::string of_text(const std::string& text) {
  RenamedKeys renamed;
  return refusal([&] { read_yaml_text(renamed.keys, text, "a.yaml"); });
}

std::string of_assignment(const std::string& assignment) {
  RenamedKeys renamed;
  return refusal([&] { renamed.keys.set_from_command_line(assignment); });
}

const std::string moved = "; accepted: the new name, which scripts/migrate FILE writes";

}  // namespace

TEST_CASE("an old key is refused with the new one and its version, at its place") {
  CHECK(of_text("old:\n  depth: 5\n") ==
        "a.yaml:2:3: old.depth: is called machine.depth since 0.2 (got '5')" + moved);
  CHECK(of_text("old.depth: 5\n") ==
        "a.yaml:1:1: old.depth: is called machine.depth since 0.2 (got '5')" + moved);
  CHECK(of_text("old: {inner: {kind: fast}}\n") ==
        "a.yaml:1:15: old.inner.kind: is called machine.kind since 0.3 (got 'fast')" + moved);
  CHECK(of_assignment("old.depth=5") ==
        "--set old.depth=5: old.depth: is called machine.depth since 0.2 (got '5')" + moved);
}

TEST_CASE("keys of an old section are recognized, and a key that was never in it is unknown") {
  CHECK(of_text("old:\n  other: 5\n").find("a.yaml:2:3: old.other: unknown key") == 0);
  CHECK(of_text("old: 5\n").find("a.yaml:1:1: old: unknown key") == 0);
  CHECK(of_text("old:\n  depth: 1\n  inner: {kind: fast}\n").find("2 mistakes") == 0);
}

TEST_CASE("an old key whose new one the table lacks is unknown") {
  CHECK(of_assignment("gone.depth=5").find("gone.depth: unknown key") != std::string::npos);
  CHECK(of_text("gone: {depth: 5}\n").find("a.yaml:1:1: gone: unknown key") == 0);
}

TEST_CASE("an old word is refused with the new one and with its further meaning") {
  CHECK(
      of_text("machine: {kind: slow}\n") ==
      "a.yaml:1:17: machine.kind: is called machine.kind=exact since 0.4, with machine.depth=9 (got 'slow')" +
          moved);
  CHECK(of_assignment("shape=none") ==
        "--set shape=none: shape: is called machine.kind=fast since 0.4 (got 'none')" + moved);
  CHECK(of_assignment("machine.kind=slower").find("unknown word") != std::string::npos);
  CHECK(of_assignment("machine.kind=exact") == "none");
}

TEST_CASE("the library's old names are those of the table, in its order") {
  const std::vector<Rename> renames = library_renames();
  const Rename* const key = find_rename(renames, Kind::key, "workload.load_cycles");
  REQUIRE(key != nullptr);
  CHECK(key->problem() == "is called measure.cycles since 0.2");
  CHECK(key->key_now() == "measure.cycles");
  const Rename* const word = find_rename(renames, Kind::value, "workload.kind=idle");
  REQUIRE(word != nullptr);
  CHECK(word->key_now() == "workload.kind");
  CHECK(word->problem() ==
        "is called workload.kind=synthetic since 0.2, with traffic.kind=none measure.warmup_cycles=0");
  CHECK(find_rename(renames, Kind::option, "workload.load_cycles") == nullptr);
  CHECK(find_rename(renames, Kind::key, "measure.cycles") == nullptr);
  CHECK(std::none_of(renames.begin(), renames.end(),
                     [](const Rename& rename) { return rename.before.find('/') != std::string::npos; }));
}
