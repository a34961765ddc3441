#pragma once

#include <memory>
#include <string>

#include "router/pin_router.h"
#include "router/router_network.h"
#include "router/twin_pins.h"
#include "tsuji/router/switch_allocator.h"

namespace tsuji::bench {

/// Parameters with which a twin was made of vc_router.v, named as there.
struct TwinParameters {
  TwinShape shape;
  Cycle rc_cycles = 1, va_cycles = 1, sa_cycles = 1, st_cycles = 1, credit_cycles = 1;
  bool atomic_vcs = false;
  router::AllocatorKind va_allocator = router::AllocatorKind::islip;
  router::AllocatorKind sa_allocator = router::AllocatorKind::islip;
  unsigned islip_iterations = 1;
  std::uint32_t node_ports = 16;  ///< a bit a port
  bool uturn_network = false, uturn_node = true;
};

/// The model with the same pins.
router::PinRouterConfig pin_router(const TwinParameters& twin);
/// ConfigError for a key whose value the twin was not made with, or of which it has nothing.
void check_twin(const TwinParameters& twin, const BenchedNetwork& network);
/// The network of the twin's keys.
void set_twin_defaults(const TwinParameters& twin, BenchedNetwork& network);

}  // namespace tsuji::bench
