// SPDX-License-Identifier: Apache-2.0
#include <systemc.h>  // as Verilator wants it

#include "Vcenju4_builder.h"
#include "Vcenju4_judge.h"
#include "Vcenju4_switch.h"
#include "crosspoint/cenju4_rtl.h"
#include "crosspoint/verilated_switch.h"
#include "nic/verilated_nic.h"

using namespace tsuji;
using namespace tsuji::bench;

int sc_main(int argc, char** argv) {
  const crosspoint::CrosspointConfig cenju4;
  const Cenju4Rtl rtl{
      {{"cenju4", cenju4, 128,
        [cenju4](const std::string& name) {
          return std::make_unique<VerilatedSwitch<Vcenju4_switch>>(name, cenju4.ports);
        }}},
      {{"cenju4", nic::PacketSizes(), 2, 2,
        [](const std::string& name) { return std::make_unique<VerilatedBuilder<Vcenju4_builder>>(name); },
        [](const std::string& name) { return std::make_unique<VerilatedJudge<Vcenju4_judge>>(name); }}}};
  return rtl_cenju4_main(argc, argv, rtl);
}
