#pragma once

#include "fabric/network_config.h"
#include "routing/deadlock.h"

namespace tsuji::fabric {

/// The part of a network that decides about deadlocks, for the checker. `to_self`: nodes may send to
/// themselves.
routing::DeadlockConfig deadlock_config(const NetworkConfig& machine, bool to_self);

}  // namespace tsuji::fabric
