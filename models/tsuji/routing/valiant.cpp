// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "tsuji/routing/by_intermediate.h"
#include "tsuji/routing/routing_kinds.h"

namespace tsuji::routing {
namespace {

/// Valiant's routing: every packet goes over an intermediate router drawn uniformly from all routers.
class Valiant final : public ByIntermediate {
 public:
  std::string stands_for() const override { return "Valiant's routing: over a random intermediate router"; }
  Valiant(const graph::Topology& topology, unsigned vcs) : ByIntermediate("valiant", topology, vcs, {}) {}

 private:
  Decision choose(const RouteQuery& query, const OutputBuffers&) const override { return by(draw(query)); }
  bool chooses_by_credits() const override { return false; }
};

}  // namespace

void add_valiant(RoutingKinds& kinds) {
  RoutingTraits traits;
  traits.also_called = {"val", "valiant_mesh", "valiant_torus"};
  traits.turns_back = true;
  kinds.add<NoParameters<Valiant>>("valiant", traits);
}

}  // namespace tsuji::routing
