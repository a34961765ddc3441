// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "network/network_rtl.h"
#include "tsuji/lookup/switch_modules.h"

namespace tsuji::bench {

/// RTL of a CAM for the look-up modules of a network's switches, with its configuration.
struct CamRtl {
  std::string name, what;
  lookup::CamConfig cam;  ///< configuration of the memory, with the access time of its chip
  std::function<std::unique_ptr<sc_core::sc_module>(const char* name, lookup::CamWires& wires)> make;
};

std::unique_ptr<NetworkRtl> network_rtl(CamRtl rtl);

/// A row of network_bench's table: Rtl is a Verilated class with the pins of lookup::CamModule.
template <class Rtl>
std::unique_ptr<NetworkRtl> cam_rtl(const char* name, const char* what, const lookup::CamConfig& cam) {
  return network_rtl(CamRtl{name, what, cam, [](const char* module_name, lookup::CamWires& wires) {
                              auto rtl = std::make_unique<Rtl>(module_name);
                              wires.bind(*rtl);
                              return rtl;
                            }});
}

}  // namespace tsuji::bench
