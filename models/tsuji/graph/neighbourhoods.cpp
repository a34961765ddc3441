// SPDX-License-Identifier: Apache-2.0
#include "tsuji/graph/neighbourhoods.h"

#include <algorithm>

namespace tsuji::graph {
namespace {

class Grower {
 public:
  Grower(const Topology& topology, unsigned group, const std::vector<bool>& left_out)
      : topology_(topology), group_(group), placed_(left_out) {
    placed_.resize(topology.routers());
    left_ = static_cast<std::size_t>(std::count(placed_.begin(), placed_.end(), false));
    order_.reserve(left_);
  }

  std::vector<RouterId> grow() {
    for (; left_ != 0; --left_) {
      if (order_.size() % group_ == 0) seen_.clear();
      place(next());
    }
    return std::move(order_);
  }

 private:
  struct Seen {
    RouterId router;
    unsigned links;  ///< into the growing run
  };

  RouterId next() {
    // max_element returns the first of equal ones.
    const auto best = std::max_element(seen_.begin(), seen_.end(),
                                       [](const Seen& a, const Seen& b) { return a.links < b.links; });
    if (best != seen_.end()) {
      const RouterId router = best->router;
      seen_.erase(best);
      return router;
    }
    while (placed_[lowest_]) ++lowest_;
    return lowest_;
  }

  void place(RouterId router) {
    placed_[router] = true;
    order_.push_back(router);
    for (unsigned port = 0; port < topology_.ports(router); ++port) {
      const Topology::Far& far = topology_.far(router, port);
      if (far.kind == Topology::Far::Kind::router && !placed_[far.at.router]) see(far.at.router);
    }
  }

  void see(RouterId router) {
    const auto known = std::find_if(seen_.begin(), seen_.end(),
                                    [router](const Seen& seen) { return seen.router == router; });
    if (known == seen_.end()) {
      seen_.push_back({router, 1});
    } else {
      ++known->links;
    }
  }

  const Topology& topology_;
  const unsigned group_;
  std::vector<bool> placed_;
  std::size_t left_ = 0;  ///< not in order_ yet
  RouterId lowest_ = 0;
  std::vector<RouterId> order_;
  /// Not placed, in the order in which they were seen, with their links into the run.
  std::vector<Seen> seen_;
};

}  // namespace

std::vector<RouterId> neighbourhoods(const Topology& topology, unsigned group,
                                     const std::vector<bool>& left_out) {
  return Grower(topology, group, left_out).grow();
}

}  // namespace tsuji::graph
