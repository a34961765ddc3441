#include "tsuji/router/config.h"

#include "tsuji/core/error.h"

namespace tsuji::router {

void VcRouterConfig::validate() const {
  if (sa_cycles == 0)
    throw ConfigError("router.sa_cycles", "0", "switch allocation takes time", "at least 1");
  if (input_speedup == 0)
    throw ConfigError("router.input_speedup", "0", "an input sends nothing then", "1 up to router.vcs");
  if (islip_iterations == 0)
    throw ConfigError("router.islip_iterations", "0", "nothing would be granted", "at least 1");
}

}  // namespace tsuji::router
