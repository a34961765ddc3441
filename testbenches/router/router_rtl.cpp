// SPDX-License-Identifier: Apache-2.0
#include "router/router_rtl.h"

#include "tsuji/core/error.h"

namespace tsuji::bench {

void RouterRtl::open_wave(const std::string& path) {
  throw ConfigError("rtl.wave", path, "the RTL was made without waveforms",
                    "RTL that Verilator was told to trace (--trace)");
}

}  // namespace tsuji::bench
