// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "lookup/rtl_lookup.h"
#include "network/network_rtl.h"

namespace tsuji::bench {

/// Look-up RTL for the switches of a network, and the configuration that it was made for.
struct SwitchRtl {
  std::string name, what;
  PipelinePins pins;
  lookup::RoutingTableCacheConfig cache;
  Cycle cam_cycles;
  std::function<MakeDut(const char* module_name)> make;
};

std::unique_ptr<NetworkRtl> network_rtl(SwitchRtl rtl);

/// A row of network_bench's table: Rtl is a Verilated class with these pins.
template <class Rtl>
std::unique_ptr<NetworkRtl> switch_rtl(const char* name, const char* what, const PipelinePins& pins,
                                       const lookup::RoutingTableCacheConfig& cache, Cycle cam_cycles = 25) {
  return network_rtl({name, what, pins, cache, cam_cycles,
                      [pins](const char* module_name) { return make_dut<Rtl>(module_name, pins); }});
}

}  // namespace tsuji::bench
