// SPDX-License-Identifier: Apache-2.0
#include <systemc.h>  // as Verilator wants it

#include "Vcache_4.h"
#include "Vcache_lru.h"
#include "Vcam_64.h"
#include "Vnetwork_adaptive.h"
#include "Vnetwork_detour.h"
#include "Vnetwork_detour_nf.h"
#include "Vnetwork_latest.h"
#include "Vnetwork_router.h"
#include "Vnetwork_straight.h"
#include "Vnetwork_timeout.h"
#include "Vnetwork_up.h"
#include "Vswitch_4x4.h"
#include "Vswitch_4x4x4.h"
#include "lookup/cache_rtl.h"
#include "lookup/cam_rtl.h"
#include "lookup/switch_rtl.h"
#include "router/twin_rtl.h"

using namespace tsuji;
using namespace tsuji::bench;

namespace {

/// Nodes of a tree are at ports of leaves alone, so no port is of another kind: all turn back.
std::unique_ptr<NetworkRtl> up_row(router::PinRouterConfig twin) {
  twin.node_ports = 0;
  twin.config.uturn_network = true;
  twin.candidates = 2;
  twin.config.prediction.kind = "up";
  return twin_row<Vnetwork_up>(
      "up_5x4", "router of fat trees: 5 ports, 2 candidates, prediction of an up port (UP)", twin);
}

/// Parameters of the RTL are in the folders of the twins, where they are made.
NetworkRtlTable rtl() {
  const lookup::RoutingTableCacheConfig small{4, 2}, large{64, 4};
  NetworkRtlTable table;
  table.push_back(switch_rtl<Vswitch_4x4>(
      "switch_4x4", "look-up pipelines of 5 ports, 16 nodes, caches of 2 sets of 2 ways", {5, 4, 4}, small));
  table.push_back(switch_rtl<Vswitch_4x4x4>(
      "switch_4x4x4",
      "look-up pipelines of 7 ports of 8 virtual channels, 64 nodes, caches of 16 sets of 4 ways", {7, 8, 6},
      large));
  lookup::CamConfig cam;
  cam.entries = 64;
  cam.access_cycles = 4;
  table.push_back(cam_rtl<Vcam_64>("cam_64", "CAM of 64 rows, 4 cycles", cam));
  table.push_back(cache_rtl<Vcache_4>("cache_4", "routing-table cache of 2 sets of 2 ways", small));
  table.push_back(cache_rtl<Vcache_lru>("cache_64", "routing-table cache of 16 sets of 4 ways", large));
  router::PinRouterConfig twin;
  twin.node_ports = 1U << 4;
  twin.node_bits = 6;
  twin.data_bits = 44;
  table.push_back(twin_row<Vnetwork_router>(
      "router_5x4", "base router of 5 ports, 4 virtual channels of 8 flits, 64 nodes", twin));
  twin.config.prediction.kind = "straight";
  table.push_back(twin_row<Vnetwork_straight>(
      "straight_5x4", "router_5x4 with prediction of the output straight on (SS)", twin));
  twin.config.prediction.kind = "latest_port";
  table.push_back(
      twin_row<Vnetwork_latest>("latest_5x4", "router_5x4 with prediction of the latest output", twin));
  table.push_back(up_row(twin));
  twin.config.prediction.kind = "none";
  twin.candidates = 5;
  twin.config.atomic_vcs = true;
  table.push_back(twin_row<Vnetwork_adaptive>(
      "adaptive_5x4", "router_5x4 whose heads choose among 5 candidates (Duato), atomic", twin));
  twin.config.block_timeout_cycles = 32;
  table.push_back(
      twin_row<Vnetwork_timeout>("timeout_5x4", "adaptive_5x4 whose heads time out after 32 cycles", twin));
  twin.config.uturn_network = true;
  twin.config.block_timeout_cycles = 0;
  twin.node_bits = 4;
  twin.routing = router::PinRouting::detour_nf;
  twin.candidates = 8;
  table.push_back(twin_row<Vnetwork_detour_nf>(
      "detour_nf_4x4", "Detour-NF on a 4x4 torus, 4 virtual channels of 8 flits, atomic", twin));
  twin.routing = router::PinRouting::detour_ud;
  twin.candidates = 4;
  twin.config.block_timeout_cycles = 16;
  twin.config.hop_limit = 4;
  table.push_back(twin_row<Vnetwork_detour>(
      "detour_4x4",
      "Detour-UD on a 4x4 torus, 4 virtual channels of 8 flits, atomic, recovery after 16 cycles or 4 hops",
      twin));
  return table;
}

}  // namespace

int sc_main(int argc, char** argv) {
  const NetworkRtlTable table = rtl();
  return rtl_network_main(argc, argv, table, [](session::NetworkRunConfig& network) {
    network.machine.lookup.kind = "cached";
    network.machine.lookup.cache = {4, 2};
    network.machine.lookup.cam_entries = 64;
  });
}
