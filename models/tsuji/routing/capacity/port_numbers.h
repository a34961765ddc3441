// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "tsuji/graph/topology.h"

namespace tsuji::routing {

/// Consecutive numbers of all ports of all routers.
class PortNumbers {
 public:
  explicit PortNumbers(const graph::Topology& topology) : first_(topology.routers() + 1, 0) {
    for (graph::RouterId router = 0; router < topology.routers(); ++router)
      first_[router + 1] = first_[router] + topology.ports(router);
  }
  std::uint32_t operator()(graph::PortRef at) const { return first_[at.router] + at.port; }
  std::uint32_t size() const { return first_.back(); }

 private:
  std::vector<std::uint32_t> first_;
};

}  // namespace tsuji::routing
