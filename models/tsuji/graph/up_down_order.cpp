// SPDX-License-Identifier: Apache-2.0
#include "tsuji/graph/up_down_order.h"

#include <algorithm>

#include "tsuji/graph/paths.h"

namespace tsuji::graph {

std::vector<RouterId> UpDownOrder::downwards() const {
  std::vector<RouterId> routers;
  for (RouterId router = 0; router < levels_.size(); ++router)
    if (levels_[router] != unreachable) routers.push_back(router);
  std::stable_sort(routers.begin(), routers.end(),
                   [this](RouterId a, RouterId b) { return levels_[a] < levels_[b]; });
  return routers;
}

}  // namespace tsuji::graph
