// SPDX-License-Identifier: Apache-2.0
#include "Vrouter_5x4.h"
#include "Vrouter_adaptive.h"
#include "Vrouter_choice.h"
#include "Vrouter_detour.h"
#include "Vrouter_detour_nf.h"
#include "Vrouter_dm_order.h"
#include "Vrouter_duato.h"
#include "Vrouter_islip.h"
#include "Vrouter_iterations.h"
#include "Vrouter_latest.h"
#include "Vrouter_matrix.h"
#include "Vrouter_separable.h"
#include "Vrouter_straight.h"
#include "Vrouter_timeout.h"
#include "Vrouter_up.h"
#include "common/bench_main.h"
#include "router/devices.h"

using namespace tsuji::bench;

int sc_main(int argc, char** argv) {
  return bench_main(argc, argv,
                    {rows::router_islip<Vrouter_islip>(), rows::router_separable<Vrouter_separable>(),
                     rows::router_matrix<Vrouter_matrix>(), rows::router_iterations<Vrouter_iterations>(),
                     rows::router_5x4<Vrouter_5x4>(), rows::router_adaptive<Vrouter_adaptive>(),
                     rows::router_choice<Vrouter_choice>(), rows::router_timeout<Vrouter_timeout>(),
                     rows::router_detour<Vrouter_detour>(), rows::router_detour_nf<Vrouter_detour_nf>(),
                     rows::router_duato<Vrouter_duato>(), rows::router_dm_order<Vrouter_dm_order>(),
                     rows::router_straight<Vrouter_straight>(), rows::router_up<Vrouter_up>(),
                     rows::router_latest<Vrouter_latest>()});
}
