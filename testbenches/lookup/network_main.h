#pragma once

#include <functional>
#include <string>
#include <vector>

#include "lookup/rtl_lookup.h"

namespace tsuji::bench {

/// RTL for the switches of a network, and the configuration that it was made for.
struct SwitchRtl {
  std::string name, what;
  PipelinePins pins;
  lookup::RoutingTableCacheConfig cache;
  Cycle cam_cycles;
  std::function<MakeDut(const char* module_name)> make;
};

/// A row of the table: Rtl is a Verilated class with these pins.
template <class Rtl>
SwitchRtl switch_rtl(const char* name, const char* what, const PipelinePins& pins,
                     const lookup::RoutingTableCacheConfig& cache, Cycle cam_cycles = 25) {
  return {name,  what,       pins,
          cache, cam_cycles, [pins](const char* module_name) { return make_dut<Rtl>(module_name, pins); }};
}

/// The command line of a whole network with RTL in some of its switches. Exit status 0: no difference from
/// the run that it is compared with, if any; 1: one, or a failure; 2: input that is refused.
int network_main(int argc, char** argv, const std::vector<SwitchRtl>& table);

}  // namespace tsuji::bench
