// SPDX-License-Identifier: Apache-2.0
#include "tsuji/routing/compact/coordinate_space.h"

#include <algorithm>
#include <string>

#include "tsuji/core/error.h"
#include "tsuji/graph/cube.h"
#include "tsuji/routing/checks.h"

namespace tsuji::routing {
namespace {

[[noreturn]] void refuse(const std::string& problem) {
  throw ConfigError("routing.kind", "compact", problem,
                    "a topology whose routers have coordinates, no two the same: mesh, torus, random_grid, a "
                    "file with 'at'");
}

}  // namespace

CoordinateSpace::CoordinateSpace(const graph::Topology& topology, CoordinateDistance distance)
    : routers_(topology.routers()) {
  read_axes(topology);
  if (distance == CoordinateDistance::wrapped) find_rings(topology);
  find_terms(distance);
  sort_places(topology);
  find_runs();
}

void CoordinateSpace::read_axes(const graph::Topology& topology) {
  const std::size_t dimensions = topology.coordinates(0).size();
  axes_.resize(dimensions);
  for (RouterId router = 0; router < routers_; ++router) {
    const graph::Coordinates here = topology.coordinates(router);
    if (here.empty()) refuse(router_name(router) + " of " + topology.name() + " has no coordinates");
    if (here.size() != dimensions)
      refuse(router_name(router) + " of " + topology.name() + " has another number of coordinates than " +
             router_name(0));
    for (std::size_t d = 0; d < dimensions; ++d) axes_[d].at.push_back(here[d]);
  }
  for (Axis& axis : axes_) {
    const auto [low, high] = std::minmax_element(axis.at.begin(), axis.at.end());
    axis.span = *high - *low;
    if (axis.span > largest_span)
      refuse("coordinates of " + topology.name() + " are more than " + std::to_string(largest_span) +
             " apart");
    const std::uint32_t lowest = *low;
    for (std::uint32_t& at : axis.at) at -= lowest;
  }
}

void CoordinateSpace::find_rings(const graph::Topology& topology) {
  const auto* cube = topology.shape_as<graph::CubeShape>();
  for (unsigned d = 0; cube != nullptr && d < dimensions(); ++d)
    if (cube->wraps[d]) axes_[d].ring = cube->radices[d];
  if (std::none_of(axes_.begin(), axes_.end(), [](const Axis& axis) { return axis.ring != 0; }))
    throw ConfigError("routing.distance", "wrapped", topology.name() + " has no rings",
                      "euclid or manhattan, or topology.kind torus");
}

void CoordinateSpace::find_terms(CoordinateDistance distance) {
  for (Axis& axis : axes_) {
    for (unsigned i = 0; i <= 2 * axis.span; ++i) {
      std::uint32_t apart = i < axis.span ? axis.span - i : i - axis.span;
      if (axis.ring != 0) apart = std::min(apart, axis.ring - apart);
      axis.terms.push_back(distance == CoordinateDistance::euclid ? apart * apart : apart);
    }
  }
}

/// Returns true if the router precedes the place in the order of by_place_.
bool CoordinateSpace::before(RouterId router, const std::vector<std::uint32_t>& place) const {
  for (unsigned d = dimensions(); d-- > 0;)
    if (axes_[d].at[router] != place[d]) return axes_[d].at[router] < place[d];
  return false;
}

void CoordinateSpace::sort_places(const graph::Topology& topology) {
  for (RouterId router = 0; router < routers_; ++router) by_place_.push_back(router);
  const auto order = [this](RouterId a, RouterId b) {
    for (unsigned d = dimensions(); d-- > 0;)
      if (at(d, a) != at(d, b)) return at(d, a) < at(d, b);
    return false;
  };
  std::stable_sort(by_place_.begin(), by_place_.end(), order);
  for (std::size_t i = 1; i < by_place_.size(); ++i)
    if (!order(by_place_[i - 1], by_place_[i]))
      refuse("routers " + std::to_string(by_place_[i - 1]) + " and " + std::to_string(by_place_[i]) + " of " +
             topology.name() + " have the same coordinates");
}

RouterId CoordinateSpace::find(const std::vector<std::uint32_t>& place) const {
  const auto found =
      std::lower_bound(by_place_.begin(), by_place_.end(), place,
                       [this](RouterId router, const auto& wanted) { return before(router, wanted); });
  if (found == by_place_.end()) return graph::none;
  for (unsigned d = 0; d < dimensions(); ++d)
    if (at(d, *found) != place[d]) return graph::none;
  return *found;
}

std::vector<RouterId> CoordinateSpace::beside(RouterId router) const {
  std::vector<RouterId> result;
  std::vector<std::uint32_t> place;
  for (const Axis& axis : axes_) place.push_back(axis.at[router]);
  for (unsigned d = 0; d < dimensions(); ++d) {
    const std::uint32_t here = place[d], ring = axes_[d].ring;
    for (const bool up : {false, true}) {
      if (ring != 0) {
        place[d] = up ? (here + 1) % ring : (here + ring - 1) % ring;
      } else {
        place[d] = up ? here + 1 : here - 1;  // below 0: not a router's coordinate
      }
      const RouterId other = find(place);
      if (other != graph::none && other != router) result.push_back(other);
    }
    place[d] = here;
  }
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());  // for a ring of two
  return result;
}

bool CoordinateSpace::fill_box(unsigned count) const {
  std::uint64_t places = 1;
  for (const Axis& axis : axes_) {
    places *= axis.span + 1ULL;
    if (places > count) return false;
  }
  return places == count;
}

bool CoordinateSpace::box_by_rows() const {
  return fill_box(routers_) && std::is_sorted(by_place_.begin(), by_place_.end());
}

std::uint64_t CoordinateSpace::farthest() const {
  std::uint64_t sum = 0;
  for (const Axis& axis : axes_) sum += *std::max_element(axis.terms.begin(), axis.terms.end());
  return sum;
}

void CoordinateSpace::find_runs() {
  const auto follows = [this](RouterId router) {
    for (unsigned d = 1; d < dimensions(); ++d)
      if (at(d, router) != at(d, router - 1)) return false;
    return at(0, router) == at(0, router - 1) + 1;
  };
  for (RouterId router = 0; router < routers_; ++router) {
    if (router == 0 || !follows(router)) runs_.push_back({router, 0});
    ++runs_.back().length;
  }
}

}  // namespace tsuji::routing
