// SPDX-License-Identifier: Apache-2.0
#include <systemc.h>  // as Verilator wants it

#include "Vcam_16.h"
#include "Vnetwork_router.h"
#include "Vswitch_4x4.h"
#include "Vswitch_4x4x4.h"
#include "lookup/cam_rtl.h"
#include "lookup/switch_rtl.h"
#include "router/twin_rtl.h"

using namespace tsuji;
using namespace tsuji::bench;

int sc_main(int argc, char** argv) {
  // The parameters are in the folders of the twins, where they are made.
  NetworkRtlTable table;
  table.push_back(switch_rtl<Vswitch_4x4>("switch_4x4", "5 ports, 16 nodes, caches of 2 sets of 2 ways",
                                          {5, 4, 4}, {4, 2}));
  table.push_back(switch_rtl<Vswitch_4x4x4>(
      "switch_4x4x4", "7 ports of 8 virtual channels, 64 nodes, caches of 16 sets of 4 ways", {7, 8, 6},
      {64, 4}));
  lookup::CamConfig cam;
  cam.entries = 16;
  cam.access_cycles = 4;
  table.push_back(cam_rtl<Vcam_16>("cam_16", "CAM of 16 rows, 4 cycles, behind the caches as modules", cam));
  router::PinRouterConfig twin;
  twin.node_ports = 1U << 4;
  twin.node_bits = 6;
  twin.data_bits = 44;
  table.push_back(twin_row<Vnetwork_router>(
      "router_5x4", "base router of 5 ports, 4 virtual channels of 8 flits, 64 nodes", twin));
  return rtl_network_main(argc, argv, table);
}
