// SPDX-License-Identifier: Apache-2.0
#include "Vcrosspoint.h"
#include "Vcrosspoint_2.h"
#include "Vcrosspoint_3.h"
#include "common/bench_main.h"
#include "crosspoint/devices.h"

using namespace tsuji::bench;

int sc_main(int argc, char** argv) {
  return bench_main(argc, argv,
                    {rows::crosspoint<Vcrosspoint>(), rows::crosspoint_2<Vcrosspoint_2>(),
                     rows::crosspoint_3<Vcrosspoint_3>()});
}
