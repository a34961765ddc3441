// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tsuji/pins/pin_router.h"
#include "router/router_rtl.h"
#include "tsuji/core/units.h"

namespace tsuji::bench {

/// The base router's model beside RTL with the pins of its twin, on the RTL's live inputs.
class RtlShadow {
 public:
  /// `rtl` outlives it. `name`: of messages.
  RtlShadow(const RouterRtl& rtl, const router::PinRouterConfig& config, std::string name);
  /// Called after each clock edge of the RTL, while its inputs are unchanged. ModelError with cycle and pins
  /// where an output differs from the model's.
  void edge(Cycle now);

 private:
  void compare(Cycle now) const;

  const RouterRtl& rtl_;
  const std::string name_;
  router::PinRouter model_;
  router::PinRouterInputs inputs_;
  router::PinRouterOutputs outputs_;
};

}  // namespace tsuji::bench
