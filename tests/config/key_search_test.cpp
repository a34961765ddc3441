// SPDX-License-Identifier: Apache-2.0
#include "tsuji/config/key_search.h"

#include "support/catch.h"

#include "tsuji/core/error.h"

using namespace tsuji;
using namespace tsuji::config;

namespace {

struct SearchedKeys {
  std::uint64_t seed = 1;
  std::string kind = "mesh";
  unsigned radix = 8, depth = 4, vcs = 2, fifo = 1;
  KeyTable keys;

  SearchedKeys() {
    keys.add("seed", seed, {0, 9}, "", "seed of all random numbers");
    keys.add_choice("topology.kind", kind, {{"mesh", std::string("mesh")}, {"fly", std::string("fly")}},
                    "which graph");
    keys.add("topology.radix", radix, {2, 128}, "ports", "Inputs of a switch: a k-ary fly");
    keys.add("router.depth", depth, {1, 64}, "flits", "places of a buffer");
    keys.add("router.vcs", vcs, {1, 16}, "", "virtual channels");
    keys.add("nic.fifo", fifo, {1, 9}, "packets", "buffer towards the router");
    keys.only_with("topology.radix", {{"topology.kind", {"fly"}}});
    keys.searched_as(
        {{"buffer size", "router.depth"}, {"k", "topology.radix"}, {"k", "router.vcs"}, {"x", "none"}});
  }
  std::string find(const std::string& wanted, const std::vector<std::string>& leading = {}) const {
    return find_keys(keys, wanted, leading);
  }
};

bool text_has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("keys are found by their names, meanings, units and words") {
  const SearchedKeys searched;
  CHECK(searched.find("vcs") ==
        "1 key for 'vcs'\n\nSection router\n\n"
        "router.vcs\n    virtual channels\n    type: integer; default: 2; accepted: an integer 1..16\n");
  CHECK(text_has(searched.find("virtual"), "\nrouter.vcs\n"));
  CHECK(text_has(searched.find("packets"), "\nnic.fifo\n"));
  CHECK(text_has(searched.find("mesh"), "\ntopology.kind\n"));
  CHECK(text_has(searched.find("SEED"), "Keys without a section\n\nseed\n"));
  CHECK(text_has(searched.find("inputs"), "\ntopology.radix "));
}

TEST_CASE("all of several words must be in a key") {
  const SearchedKeys searched;
  CHECK(text_has(searched.find("buffer router"), "2 keys for 'buffer router'"));
  CHECK(text_has(searched.find("places-of buffer"), "1 key for 'places-of buffer'"));
}

TEST_CASE("a word of one or two letters matches whole words only") {
  const SearchedKeys searched;
  CHECK(text_has(searched.find("of"), "3 keys for 'of'"));
  const std::string found = searched.find("k");
  CHECK(text_has(found, "2 keys for 'k'\n\nThe keys that matter most\n\ntopology.radix"));
  CHECK(text_has(found, "\nrouter.vcs\n"));
  CHECK(text_has(searched.find("ary"), "\ntopology.radix "));
}

TEST_CASE("found keys are grouped by section, those with most effect first") {
  const SearchedKeys searched;
  const std::string found = searched.find("router", {"nic.fifo", "seed"});
  CHECK(found.find("3 keys for 'router'\n\nThe keys that matter most\n\nnic.fifo\n") == 0);
  CHECK(found.find("\nSection router\n\nrouter.depth\n") < found.find("\nrouter.vcs\n"));
  CHECK(found.find("Section router") == found.rfind("Section router"));
  CHECK_FALSE(text_has(found, "Section nic"));
  CHECK(text_has(searched.find("buffer"), "\nSection router\n\nrouter.depth\n"));
  CHECK(text_has(searched.find("buffer"), "\nSection nic\n\nnic.fifo\n"));
}

TEST_CASE("the key that a newcomer's word means is found first") {
  const SearchedKeys searched;
  const std::string found = searched.find("Buffer_Size");
  CHECK(found.find("1 key for 'Buffer_Size'\n\nThe keys that matter most\n\nrouter.depth\n") == 0);
}

TEST_CASE("a found key without effect is marked") {
  SearchedKeys searched;
  CHECK(text_has(searched.find("radix"), "\ntopology.radix  (without effect here)\n"));
  CHECK_FALSE(text_has(searched.find("vcs"), "without effect"));
  searched.keys.set_from_command_line("topology.kind=fly");
  CHECK(text_has(searched.find("radix"), "\ntopology.radix\n"));
}

TEST_CASE("a search without a result names the key that was probably meant") {
  const SearchedKeys searched;
  CHECK_THROWS_WITH(searched.find("router.vsc"),
                    "--list-keys: no key has this in its name, meaning or values, did you mean 'router.vcs'? "
                    "(got 'router.vsc'); accepted: a word of a key's name or meaning; --list-keys without a "
                    "word prints every key");
  CHECK_THROWS_AS(searched.find("zzzzzzzzzz"), ConfigError);
  CHECK_THROWS_AS(searched.find("-"), ConfigError);
  CHECK_THROWS_AS(searched.find("x"), ConfigError);
}

TEST_CASE("a nonexistent leading key is a mistake of the platform") {
  const SearchedKeys searched;
  CHECK_THROWS_AS(searched.find("vcs", {"router.vsc"}), ModelError);
}
