// SPDX-License-Identifier: Apache-2.0
// A routing for each set of virtual channels.
#include <memory>
#include <utility>
#include <vector>

#include "support/catch.h"
#include "support/scripted_routing.h"
#include "tsuji/graph/cube.h"
#include "tsuji/routing/class_routing.h"

using namespace tsuji;
using namespace tsuji::routing;
using tsuji::test::ScriptedDecisions;
using tsuji::test::ScriptedRouting;

namespace {

/// Virtual channel v of port p: 20 + v credits of a capacity of 40 + 2 v, v of which return, and p + v
/// waiting flits.
struct ByChannel final : OutputBuffers {
  template <class Of>
  static unsigned sum(VcMask vcs, const Of& of) {
    unsigned all = 0;
    for (unsigned rest = vcs; rest != 0; rest &= rest - 1)
      all += of(static_cast<unsigned>(__builtin_ctz(rest)));
    return all;
  }
  unsigned credits(unsigned, VcMask vcs) const override {
    return sum(vcs, [](unsigned vc) { return 20 + vc; });
  }
  unsigned capacity(unsigned, VcMask vcs) const override {
    return sum(vcs, [](unsigned vc) { return 40 + 2 * vc; });
  }
  unsigned returning(unsigned, VcMask vcs) const override {
    return sum(vcs, [](unsigned vc) { return vc; });
  }
  unsigned waiting(unsigned port, VcMask vcs) const override {
    return sum(vcs, [port](unsigned vc) { return port + vc; });
  }
};

}  // namespace

TEST_CASE("routing of classes: a set's decisions see the buffers of its virtual channels alone") {
  const graph::Topology line = graph::make_mesh({3}, 1, 1);
  std::vector<unsigned> seen;
  const ScriptedDecisions decisions([&seen](const RouteQuery& query, const OutputBuffers& outputs) {
    seen = {query.in_vc,           outputs.credits(2, 3),    outputs.capacity(2, 3), outputs.returning(2, 3),
            outputs.waiting(2, 2), outputs.unreturned(2, 1), query.decision};
    return static_cast<Decision>(query.decision + 1);
  });
  auto routing = std::make_shared<ScriptedRouting>(3);
  routing->decider = &decisions;
  const ClassRouting both(line, {{0, 2, routing}, {2, 3, routing}}, "scripted");
  REQUIRE(both.decisions() != nullptr);
  CHECK(both.vcs_needed() == 5);
  RouteQuery query;
  query.in_vc = 1;
  query.decision = 6;
  CHECK(both.decisions()->decide(query, ByChannel{}) == 7);
  CHECK(seen == std::vector<unsigned>{1, 20 + 21, 40 + 42, 0 + 1, 2 + 1, 40 - 20, 6});
  query.in_vc = 4;
  CHECK(both.decisions()->decide(query, ByChannel{}) == 7);
  CHECK(seen == std::vector<unsigned>{2, 22 + 23, 44 + 46, 2 + 3, 2 + 3, 44 - 22 - 2, 6});
}

TEST_CASE("routing of classes: candidates keep the set of the packet, all of it at the port of a node") {
  const graph::Topology line = graph::make_mesh({3}, 1, 1);
  const unsigned node_port = line.node(1).eject.port;
  const auto leads = [](unsigned port, VcMask vcs, unsigned rank) {
    return std::make_shared<ScriptedRouting>(vcs, [=](const RouteQuery& query, RouteSet& candidates) {
      candidates.add(query.destination == End(1) ? query.in_port : port, vcs, rank);
    });
  };
  const ClassRouting both(line, {{0, 2, leads(0, 2, 0)}, {2, 3, leads(1, 5, 3)}}, "scripted");
  CHECK(both.decisions() == nullptr);
  CHECK(both.injection_vcs(0, 2) == (2 | 5 << 2));
  RouteQuery query;
  query.router = 1;
  query.in_port = node_port;
  const auto routed = [&](unsigned vc, NodeId to) {
    query.in_vc = vc;
    query.destination = to;
    RouteSet candidates;
    both.route(query, candidates);
    REQUIRE(candidates.size() == 1);
    return candidates[0];
  };
  for (const unsigned vc : {0U, 1U}) {
    CHECK(routed(vc, 2).port == 0);
    CHECK(routed(vc, 2).vcs == 2);
    CHECK(routed(vc, 2).rank == 0);
    CHECK(routed(vc, 1).vcs == 3);
  }
  for (const unsigned vc : {2U, 3U, 4U}) {
    CHECK(routed(vc, 2).port == 1);
    CHECK(routed(vc, 2).vcs == 5 << 2);
    CHECK(routed(vc, 2).rank == 3);
    CHECK(routed(vc, 1).port == node_port);
    CHECK(routed(vc, 1).vcs == 7 << 2);
  }
}
