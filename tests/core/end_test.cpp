// SPDX-License-Identifier: Apache-2.0
#include "tsuji/core/end.h"

#include <string>

#include "support/catch.h"

using namespace tsuji;

TEST_CASE("an end is a node or a router, and returns its number only as such") {
  constexpr std::uint32_t last = 0x7fffffff;
  for (const std::uint32_t number : {0U, 3U, last}) {
    const End node(number), router = End::of_router(number);
    CHECK_FALSE(node.is_router());
    CHECK(node.node() == number);
    CHECK(node.number() == number);
    CHECK(node.name() == std::to_string(number));
    CHECK_THROWS_WITH(node.router(), Catch::StartsWith("node " + node.name() + ":") &&
                                         Catch::Contains("a router is expected"));
    CHECK(router.is_router());
    CHECK(router.router() == number);
    CHECK(End(router.number()) == router);
    CHECK(router.name() == "r" + std::to_string(number));
    CHECK_THROWS_WITH(router.node(), Catch::StartsWith("router " + node.name() + ":") &&
                                         Catch::Contains("a node is expected"));
    CHECK(node != router);
    CHECK_FALSE(node == router);
    CHECK((End(last) < router && !(router < End(last))));
  }
  CHECK((End() == End(0) && End(1) < End(2) && !(End(2) < End(2))));
}
