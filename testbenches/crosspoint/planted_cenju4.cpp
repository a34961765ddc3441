// SPDX-License-Identifier: Apache-2.0
#include <systemc.h>  // as Verilator wants it

#include "Vflit_altered.h"
#include "Vother_group.h"
#include "Vword_altered.h"
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
          return std::make_unique<VerilatedSwitch<Vflit_altered>>(name, cenju4.ports);
        }}},
      {{"cenju4", nic::PacketSizes(), 2, 2,
        [](const std::string& name) { return std::make_unique<VerilatedBuilder<Vother_group>>(name); },
        [](const std::string& name) { return std::make_unique<VerilatedJudge<Vword_altered>>(name); }}}};
  return rtl_cenju4_main(argc, argv, rtl);
}
