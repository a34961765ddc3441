// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <unordered_map>
#include <vector>

#include "support/catch.h"
#include "tsuji/core/recycled_nodes.h"

using namespace tsuji;

TEST_CASE("recycled nodes: an added element takes the memory of an erased one, with its own key and value") {
  using Map = std::unordered_map<int, std::string>;
  Map map;
  RecycledNodes<Map> memory;
  const auto first = memory.add(map, 1, "one");
  CHECK(first->second == "one");
  const std::string* const place = &first->second;
  memory.add(map, 2, "two");
  memory.erase(map, map.find(1));
  CHECK(map == Map{{2, "two"}});
  const auto third = memory.add(map, 3, "three");
  CHECK(&third->second == place);
  CHECK(map == Map{{2, "two"}, {3, "three"}});
  CHECK(&memory.add(map, 4, "four")->second != place);  // none is left
  CHECK(map == Map{{2, "two"}, {3, "three"}, {4, "four"}});
}
