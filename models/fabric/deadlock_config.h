#pragma once

#include "fabric/network_config.h"
#include "routing/deadlock.h"

namespace tsuji::fabric {

/// What of a network the deadlock checker must know. `to_self`: nodes may send to themselves.
routing::DeadlockConfig deadlock_config(const NetworkConfig& machine, bool to_self);

}  // namespace tsuji::fabric
