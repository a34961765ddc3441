// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <vector>

#include "tsuji/routing/checks.h"
#include "tsuji/routing/cube_tables.h"
#include "tsuji/routing/routing_kinds.h"
#include "tsuji/routing/vc_classes.h"

namespace tsuji::routing {
namespace {

/// Planar-adaptive routing (Chien and Kim 1992) on a mesh: minimal, and adaptive between the first dimension
/// that is not done and the next one. In that plane packets that go up in the first dimension and packets
/// that go down use separate virtual channels of the next, and the first has a separate one, so three virtual
/// channels suffice for any number of dimensions, and two for two.
class PlanarAdaptive final : public Routing {
 public:
  std::string stands_for() const override {
    return "planar-adaptive routing (Chien and Kim 1992): minimal, adaptive in planes of two dimensions";
  }
  PlanarAdaptive(const graph::Topology& topology, unsigned vcs)
      : cube_(topology, "planar_adaptive"),
        last_(cube_.dimensions() - 1),
        classes_(std::min(cube_.dimensions(), 3U)),
        all_(require_vcs("planar_adaptive", vcs, classes_)) {
    if (cube_.any_wraps()) refuse_topology("planar_adaptive", topology, "a mesh");
    for (unsigned d = 0; d <= last_; ++d) {
      const bool is_second = d > 0, is_first = d < last_;  // of a plane
      of_.emplace_back(vcs, is_second ? (is_first ? 3 : 2) : 1);
    }
  }

  void route(const RouteQuery& query, RouteSet& candidates) const override {
    candidates.clear();
    const NodeId destination = query.destination.node();
    const std::uint16_t *const here = cube_.router(query.router), *const to = cube_.node(destination);
    unsigned d = 0;
    while (d <= last_ && here[d] == to[d]) ++d;
    if (d > last_) return candidates.add(cube_.node_port(destination), all_);
    const bool up = here[d] < to[d];
    if (d == last_) return candidates.add(port(d, up), d == 0 ? all_ : vcs_left(query));
    candidates.add(port(d, up), of_[d].of(d == 0 ? 0 : own));
    if (here[d + 1] != to[d + 1])
      candidates.add(port(d + 1, here[d + 1] < to[d + 1]), of_[d + 1].of(up ? ups : downs));
  }
  VcMask injection_vcs(End, End) const override { return all_; }
  unsigned vcs_needed() const override { return classes_; }
  unsigned max_candidates() const override { return 2; }
  RoutingPromises promises() const override {
    RoutingPromises all;
    all.place_decides = all.always_leads_on = true;
    return all;
  }

 private:
  /// Classes of a dimension's virtual channels: of packets that go up, or down, in the dimension before, and
  /// of those for which it is the first of the plane.
  static constexpr unsigned ups = 0, downs = 1, own = 2;

  static unsigned port(unsigned d, bool up) { return up ? CubeShape::up_port(d) : CubeShape::down_port(d); }
  /// Virtual channels of the last dimension for a head that has done all others: those of the packets that
  /// went its way in the dimension before, for whichever the head would otherwise close a cycle.
  VcMask vcs_left(const RouteQuery& query) const {
    const VcClasses& classes = of_[last_];
    if (query.in_port / 2 == last_ && query.in_port < CubeShape::up_port(last_ + 1))
      return classes.of(classes.class_of(query.in_vc));
    if (query.in_port == CubeShape::down_port(last_ - 1)) return classes.of(ups);
    if (query.in_port == CubeShape::up_port(last_ - 1)) return classes.of(downs);
    return all_;
  }

  CubeTables cube_;
  unsigned last_;  ///< dimension
  unsigned classes_;
  VcMask all_;
  std::vector<VcClasses> of_;  ///< per dimension
};

}  // namespace

void add_planar_adaptive(RoutingKinds& kinds) {
  kinds.add<NoParameters<PlanarAdaptive>>("planar_adaptive", {{"planar_adapt"}});
}

}  // namespace tsuji::routing
