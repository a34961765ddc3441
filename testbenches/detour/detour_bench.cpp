// SPDX-License-Identifier: Apache-2.0
#include "Vblock_timer.h"
#include "Vblock_timer_short.h"
#include "Vdecision.h"
#include "Vdecision_mesh.h"
#include "Vdecision_odd.h"
#include "Vtable_port.h"
#include "Vtable_port_busy.h"
#include "common/bench_main.h"
#include "detour/devices.h"

using namespace tsuji::bench;

int sc_main(int argc, char** argv) {
  return bench_main(argc, argv,
                    {rows::table_port<Vtable_port>(), rows::table_port_busy<Vtable_port_busy>(),
                     rows::block_timer<Vblock_timer>(), rows::block_timer_short<Vblock_timer_short>(),
                     rows::decision<Vdecision>(), rows::decision_odd<Vdecision_odd>(),
                     rows::decision_mesh<Vdecision_mesh>()});
}
