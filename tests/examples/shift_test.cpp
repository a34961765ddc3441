// SPDX-License-Identifier: Apache-2.0

#include "own_kinds.h"
#include "support/catch.h"
#include "tsuji/workload/pattern_kinds.h"

using namespace tsuji;
using namespace tsuji::workload;

TEST_CASE("shift: the partner is a constant further, cyclically") {
  PatternKinds kinds = pattern_kinds();
  example::add_shift(kinds);
  std::string kind = "shift";
  config::KeyTable keys;
  keys.add_choice("traffic.pattern", kind, kinds.words(), "to whom packets go");
  kinds.add_keys(keys);
  PatternConfig nodes;
  nodes.nodes = 10;
  CounterRandom random(1, 1);
  CHECK(kinds.make(kind, nodes)->destination(9, random) == 0);
  keys.set_from_command_line("traffic.shift=13");
  for (NodeId node = 0; node < 10; ++node)
    CHECK(kinds.make(kind, nodes)->destination(node, random) == (node + 3) % 10);
  keys.set_from_command_line("traffic.shift=10");
  nodes.to_self = false;
  CHECK(kinds.make(kind, nodes)->share(4) == 0.0);
}
