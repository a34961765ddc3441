// SPDX-License-Identifier: Apache-2.0
#include "tsuji/graph/regular_graph.h"

#include <algorithm>

#include "support/catch.h"

using namespace tsuji;
using namespace tsuji::graph;

namespace {

/// Any two routers may be wired; counts the draws.
class Counted final : public WiringRule {
 public:
  explicit Counted(unsigned routers) : draws_of(routers, 0), routers_(routers) {}
  bool may(RouterId, RouterId) const override { return true; }
  RouterId draw(RouterId a, CounterRandom& random) const override {
    ++draws;
    ++draws_of[a];
    const auto b = static_cast<RouterId>(random.below(routers_ - 1));
    return b < a ? b : b + 1;
  }
  unsigned reach(RouterId) const override { return routers_ - 1; }
  mutable std::uint64_t draws = 0;
  mutable std::vector<unsigned> draws_of;  ///< by router

 private:
  unsigned routers_;
};

/// Lower and upper half of the routers; no wire joins the halves.
class Halves final : public WiringRule {
 public:
  explicit Halves(unsigned routers) : half_(routers / 2) {}
  bool may(RouterId a, RouterId b) const override { return a / half_ == b / half_; }
  RouterId draw(RouterId a, CounterRandom& random) const override {
    const auto b = static_cast<RouterId>(random.below(half_ - 1));
    return a / half_ * half_ + (b < a % half_ ? b : b + 1);
  }
  unsigned reach(RouterId) const override { return half_ - 1; }

 private:
  unsigned half_;
};

}  // namespace

TEST_CASE("each router of a random graph has its wires swapped twenty times") {
  constexpr unsigned routers = 128, degree = 4;
  const Counted rule(routers);
  make_regular_graph(routers, degree, rule, 1, "key");
  // A swap takes one draw; with 128 routers few are refused. The graph itself takes at most 8 a port.
  const unsigned swaps = 20 * routers;
  CHECK(rule.draws > swaps);
  CHECK(rule.draws < 8 * degree * routers + swaps + swaps / 4);
  // Routers take turns at random: 20 swaps and some wires each, with a standard deviation of 5.
  for (const unsigned of_router : rule.draws_of) {
    CHECK(of_router > 3);
    CHECK(of_router < 60);
  }
}

namespace {

/// A router always draws its pair's other half, connected or not; any two may be wired. first_draws counts
/// the draws for the first wires, which end with the first call of may().
class Paired final : public WiringRule {
 public:
  explicit Paired(unsigned routers) : routers_(routers) {}
  bool may(RouterId, RouterId) const override {
    asked_ = true;
    return true;
  }
  RouterId draw(RouterId a, CounterRandom&) const override {
    first_draws += asked_ ? 0 : 1;
    return a ^ 1U;
  }
  unsigned reach(RouterId) const override { return routers_ - 1; }
  mutable unsigned first_draws = 0;

 private:
  const unsigned routers_;
  mutable bool asked_ = false;
};

}  // namespace

TEST_CASE("the first wires of a graph take eight tries a port") {
  // After the wire to its pair's other half, a router uses all its tries in vain for another one.
  const Paired rule(16);
  const Neighbours graph = make_regular_graph(16, 2, rule, 1, "key");
  CHECK(rule.first_draws == 8 * 2 * 16);
  CHECK(std::all_of(graph.begin(), graph.end(), [](const auto& list) { return list.size() == 2; }));
}

TEST_CASE("a swap that would disconnect the graph is not one of the twenty") {
  constexpr unsigned routers = 64, degree = 2;
  const Counted rule(routers);
  make_regular_graph(routers, degree, rule, 1, "key");
  // Every second swap of a ring's wires makes two rings of it. The graph itself takes at most 8 draws a port.
  const unsigned swaps = 20 * routers;
  CHECK(rule.draws > swaps + 8 * degree * routers);
  CHECK(rule.draws < 3 * swaps + 8 * degree * routers);
}

TEST_CASE("swaps of a graph that allows none end, and a fully wired router draws no more") {
  // Three routers of degree 2 are a triangle: 20 swaps a router are tried 20 times, after a few draws for the
  // three wires. One of three pairs is still missing after 40 draws once in 10^7 seeds.
  const Counted rule(3);
  const Neighbours triangle = make_regular_graph(3, 2, rule, 1, "key");
  CHECK(triangle == Neighbours{{1, 2}, {0, 2}, {0, 1}});
  CHECK(rule.draws >= 20 * 20 * 3 + 3);
  CHECK(rule.draws < 20 * 20 * 3 + 40);
}

TEST_CASE("a rule that keeps the graph disconnected is refused") {
  CHECK_THROWS_WITH(
      make_regular_graph(8, 3, Halves(8), 1, "the.key"),
      Catch::Contains("the.key") && Catch::Contains("no connected graph was found in 20 attempts"));
}

TEST_CASE("a degree is from 2 to 128") {
  CHECK_THROWS_WITH(make_regular_graph(8, 1, Counted(8), 1, "key"),
                    Catch::Contains("topology.degree") && Catch::Contains("2..128"));
  CHECK_THROWS_WITH(make_regular_graph(200, 129, Counted(200), 1, "key"),
                    Catch::Contains("topology.degree") && Catch::Contains("2..128"));
  CHECK_NOTHROW(make_regular_graph(4, 2, Counted(4), 1, "key"));
  const Neighbours complete = make_regular_graph(129, 128, Counted(129), 1, "key");
  CHECK(std::all_of(complete.begin(), complete.end(), [](const auto& list) { return list.size() == 128; }));
}
