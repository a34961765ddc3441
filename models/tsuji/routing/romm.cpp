// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "tsuji/routing/by_intermediate.h"
#include "tsuji/routing/cube_tables.h"
#include "tsuji/routing/routing_kinds.h"

namespace tsuji::routing {
namespace {

/// ROMM with two phases (Nesson and Johnsson 1995): every packet goes over a router drawn uniformly from
/// those on its minimal paths, by dimension order in each phase.
class Romm final : public ByIntermediate {
 public:
  std::string stands_for() const override {
    return "ROMM (Nesson 1995): over a random router of the minimal paths";
  }
  Romm(const graph::Topology& topology, unsigned vcs)
      : ByIntermediate("romm", topology, vcs, {false, false, true}), cube_(topology, "romm") {}

 private:
  Decision choose(const RouteQuery& query, const OutputBuffers&) const override {
    return by(router_in_box(query, query.random(0) % box(query)));
  }
  bool chooses_by_credits() const override { return false; }
  std::vector<Possible> choices(const RouteQuery& query) const override {
    const std::uint64_t routers = box(query);
    std::vector<Possible> all;
    for (std::uint64_t number = 0; number < routers; ++number)
      all.push_back({at(query.router, by(router_in_box(query, number))), 1.0 / static_cast<double>(routers)});
    return all;
  }

  /// Links from the packet's router to its destination's coordinate, and their direction.
  struct Leg {
    unsigned links;
    bool up;
  };
  Leg leg(const RouteQuery& query, unsigned d) const {
    const unsigned here = cube_.router(query.router)[d];
    const unsigned there = cube_.node(query.destination.node())[d];
    const bool up = here != there && cube_.directions(d, here, there).up;
    const unsigned from = up ? here : there, to = up ? there : here;
    return {to >= from ? to - from : to + cube_.radix(d) - from, up};
  }
  /// Number of routers on minimal paths.
  std::uint64_t box(const RouteQuery& query) const {
    std::uint64_t routers = 1;
    for (unsigned d = 0; d < cube_.dimensions(); ++d) routers *= leg(query, d).links + 1;
    return routers;
  }
  RouterId router_in_box(const RouteQuery& query, std::uint64_t number) const {
    RouterId router = 0, stride = 1;
    for (unsigned d = 0; d < cube_.dimensions(); ++d) {
      const Leg way = leg(query, d);
      const auto steps = static_cast<unsigned>(number % (way.links + 1));
      number /= way.links + 1;
      const unsigned radix = cube_.radix(d), here = cube_.router(query.router)[d];
      router += stride * ((way.up ? here + steps : here + radix - steps) % radix);
      stride *= radix;
    }
    return router;
  }

  CubeTables cube_;
};

}  // namespace

void add_romm(RoutingKinds& kinds) {
  RoutingTraits traits;
  traits.also_called = {"romm_mesh"};
  kinds.add<NoParameters<Romm>>("romm", traits);
}

}  // namespace tsuji::routing
