// SPDX-License-Identifier: Apache-2.0
#include "Vcrossbar.h"
#include "Vcrossbar_slow.h"
#include "Vfinite_context.h"
#include "Vlast_destination.h"
#include "Vlatest_port.h"
#include "Vstraight.h"
#include "common/bench_main.h"
#include "prediction/devices.h"

using namespace tsuji::bench;

int sc_main(int argc, char** argv) {
  return bench_main(argc, argv,
                    {rows::crossbar<Vcrossbar>(), rows::crossbar_slow<Vcrossbar_slow>(),
                     rows::straight<Vstraight>(), rows::latest_port<Vlatest_port>(),
                     rows::finite_context<Vfinite_context>(), rows::last_destination<Vlast_destination>()});
}
