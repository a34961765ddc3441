// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <string>

#include "tsuji/routing/checks.h"
#include "tsuji/routing/cube_tables.h"
#include "tsuji/routing/routing_kinds.h"
#include "tsuji/routing/vc_classes.h"

namespace tsuji::routing {
namespace {

/// O1TURN (Seo 2005): half of the packets go by dimension order on the lower half of the virtual channels
/// (the larger one of an odd number), the others by the opposite order on the upper half. For a mesh or torus
/// of two dimensions. Needs two virtual channels, four with a ring of four or more routers, which has two
/// classes in each half (Dateline::switching; ties upwards).
class O1Turn final : public Routing, public RandomChoices {
 public:
  std::string stands_for() const override { return "O1TURN (Seo 2005): dimension order or its opposite"; }
  O1Turn(const graph::Topology& topology, unsigned vcs)
      : cube_(topology, "o1turn"),
        classes_(cube_.any_long_ring() ? 2 : 1),
        all_(require_vcs("o1turn", vcs, 2 * classes_)),
        lower_vcs_(vcs - vcs / 2),
        halves_{VcClasses(lower_vcs_, classes_), VcClasses(vcs - lower_vcs_, classes_, lower_vcs_)} {
    if (cube_.dimensions() != 2) refuse_topology("o1turn", topology, "a torus or mesh of two dimensions");
  }

  void route(const RouteQuery& query, RouteSet& candidates) const override {
    candidates.clear();
    const NodeId destination = query.destination.node();
    const std::uint16_t *const here = cube_.router(query.router), *const to = cube_.node(destination);
    const unsigned half = half_of(query);
    for (const unsigned d : {half, 1 - half}) {
      if (here[d] == to[d]) continue;
      const bool up = cube_.directions(d, here[d], to[d]).up;
      const bool ahead = CubeTables::dateline_ahead(up, here[d], to[d]);
      const VcMask classes = cube_.is_long_ring(d) ? vc_range(ahead ? 0 : 1, 1) : vc_range(0, classes_);
      return candidates.add(up ? CubeShape::up_port(d) : CubeShape::down_port(d),
                            halves_[half].of_mask(classes));
    }
    candidates.add(cube_.node_port(destination), all_);
  }
  VcMask injection_vcs(End, End) const override { return all_; }
  unsigned vcs_needed() const override { return 2 * classes_; }
  unsigned max_candidates() const override { return 1; }
  RoutingPromises promises() const override {
    RoutingPromises all;
    all.place_decides = all.always_leads_on = true;
    return all;
  }
  const RandomChoices* random_choices() const override { return this; }
  std::uint64_t random_outcomes() const override { return 2; }
  std::uint64_t random_outcome(const RouteQuery& query) const override { return query.random(0) & 1; }

 private:
  /// Half of the channels of a packet, and its first dimension.
  unsigned half_of(const RouteQuery& query) const {
    if (query.in_port >= CubeShape::up_port(2)) return static_cast<unsigned>(random_outcome(query));
    return query.in_vc < lower_vcs_ ? 0 : 1;
  }

  CubeTables cube_;
  unsigned classes_;
  VcMask all_;
  unsigned lower_vcs_;
  std::array<VcClasses, 2> halves_;
};

}  // namespace

void add_o1turn(RoutingKinds& kinds) {
  kinds.add<NoParameters<O1Turn>>("o1turn", {{"xy_yx"}});
}

}  // namespace tsuji::routing
