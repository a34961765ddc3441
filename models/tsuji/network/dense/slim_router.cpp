// SPDX-License-Identifier: Apache-2.0
#include "tsuji/network/dense/mask_router_prediction.h"
#include "tsuji/network/dense/mask_router_stages.h"
#include "tsuji/network/dense/mask_router_times.h"
#include "tsuji/network/dense/mask_router_views.h"
#include "tsuji/network/dense/mask_router_watch.h"
#include "tsuji/network/dense/mask_router_whole.h"

namespace tsuji::network::dense {

const RouterWidth& slim_routers() {
  static const RouterWidth routers = MaskRouter<SlimBits>::width();
  return routers;
}

}  // namespace tsuji::network::dense
