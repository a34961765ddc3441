// SPDX-License-Identifier: Apache-2.0
#include "Vpacket_builder.h"
#include "Vpacket_builder_short.h"
#include "Vpacket_judge.h"
#include "Vpacket_judge_short.h"
#include "common/bench_main.h"
#include "nic/devices.h"

using namespace tsuji::bench;

int sc_main(int argc, char** argv) {
  return bench_main(
      argc, argv,
      {rows::packet_builder<Vpacket_builder>(), rows::packet_builder_short<Vpacket_builder_short>(),
       rows::packet_judge<Vpacket_judge>(), rows::packet_judge_short<Vpacket_judge_short>()});
}
