// SPDX-License-Identifier: Apache-2.0
#include <systemc.h>  // as Verilator wants it

#include "Vflit_altered.h"
#include "crosspoint/cenju4_rtl.h"
#include "crosspoint/verilated_switch.h"

using namespace tsuji;
using namespace tsuji::bench;

int sc_main(int argc, char** argv) {
  const crosspoint::CrosspointConfig cenju4;
  const std::vector<SwitchRtlKind> table{{"cenju4", cenju4, 128, [cenju4](const std::string& name) {
                                            return std::make_unique<VerilatedSwitch<Vflit_altered>>(
                                                name, cenju4.ports);
                                          }}};
  return rtl_cenju4_main(argc, argv, table);
}
