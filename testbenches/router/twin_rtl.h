// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "router/router_network.h"
#include "router/twin_network.h"
#include "router/twin_pins.h"
#include "router/verilated_rtl.h"

namespace tsuji::bench {

/// The base router's twin, with any number of candidates.
template <class Model>
class TwinRtl final : public VerilatedRtl<Model, VerilatedWaves> {
 public:
  TwinRtl(const std::string& name, const router::PinRouterConfig& twin)
      : VerilatedRtl<Model, VerilatedWaves>(name) {
    Model& m = this->model();
    const unsigned count = twin.ports, lines = count * twin.vcs;
    this->pin("clock", 1, true, m.clock);
    this->pin("reset", 1, true, m.reset);
    this->pin("table_valid", 1, true, m.table_valid);
    this->pin("table_row", twin.row_bits(), true, m.table_row);
    this->pin("table_entry", 32, true, m.table_entry);
    this->pin("in_valid", count, true, m.in_valid);
    this->pin("in_head", count, true, m.in_head);
    this->pin("in_tail", count, true, m.in_tail);
    this->pin("in_vc", count * twin.vc_bits(), true, m.in_vc);
    this->pin("in_destination", count * twin.head_bits(), true, m.in_destination);
    this->pin("in_data", count * twin.data_bits, true, m.in_data);
    this->pin("out_credit", lines, true, m.out_credit);
    this->pin("in_credit", lines, false, m.in_credit);
    this->pin("out_valid", count, false, m.out_valid);
    this->pin("out_head", count, false, m.out_head);
    this->pin("out_tail", count, false, m.out_tail);
    this->pin("out_vc", count * twin.vc_bits(), false, m.out_vc);
    this->pin("out_destination", count * twin.head_bits(), false, m.out_destination);
    this->pin("out_data", count * twin.data_bits, false, m.out_data);
    this->pin("blocked", lines, false, m.blocked);
    this->pin("outcome", count * 3, false, m.outcome);
    this->pin("kept", count, false, m.kept);
    this->pin("error", 1, false, m.error);
    describe_twin(*this, twin, name);
  }
};

/// A row of network_bench's table: Model is a Verilated class (--cc) of vc_router.v with these parameters.
template <class Model>
std::unique_ptr<NetworkRtl> twin_row(const char* name, const char* what,
                                     const router::PinRouterConfig& twin) {
  return network_rtl({name, what,
                      [twin](const std::string& router, graph::RouterId) {
                        return std::make_unique<TwinRtl<Model>>(router, twin);
                      },
                      [twin](const session::NetworkRunConfig& network) { check_twin(twin, network); },
                      std::make_shared<const router::PinRouterConfig>(twin)});
}

}  // namespace tsuji::bench
