// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "tsuji/routing/by_intermediate.h"
#include "tsuji/routing/routing_kinds.h"

namespace tsuji::routing {
namespace {

/// Valiant's routing: every packet goes over an intermediate router drawn uniformly from all routers. With an
/// early exit it leaves at its destination's router, also before it has come to the intermediate one.
class Valiant final : public ByIntermediate {
 public:
  std::string stands_for() const override { return "Valiant's routing: over a random intermediate router"; }
  Valiant(const graph::Topology& topology, unsigned vcs, bool early_exit)
      : ByIntermediate("valiant", topology, vcs, options(early_exit)) {}

 private:
  static Options options(bool early_exit) {
    Options options;
    options.early_exit = early_exit;
    return options;
  }
  Decision choose(const RouteQuery& query, const OutputBuffers&) const override { return by(draw(query)); }
  bool chooses_by_credits() const override { return false; }
};

struct ValiantConfig {
  bool early_exit = false;

  void add_keys(config::KeyTable& keys) {
    keys.add(
        "routing.early_exit", early_exit,
        "valiant: whether a packet that comes to its destination's router before its intermediate router "
        "leaves there, as one between nodes of one router (BookSim2)");
  }
  std::unique_ptr<const Routing> make(const RoutingParts& parts) const {
    return std::make_unique<Valiant>(parts.topology, parts.vcs, early_exit);
  }
};

}  // namespace

void add_valiant(RoutingKinds& kinds) {
  RoutingTraits traits;
  traits.also_called = {"val", "valiant_mesh", "valiant_torus"};
  traits.turns_back = true;
  kinds.add<ValiantConfig>({{"valiant", &ValiantConfig::make, "early_exit", traits}});
}

}  // namespace tsuji::routing
