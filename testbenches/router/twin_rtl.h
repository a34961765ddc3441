#pragma once

#include <string>

#include "router/twin_network.h"
#include "router/verilated_rtl.h"

#include <verilated_vcd_c.h>

namespace tsuji::bench {

/// The base router's twin.
template <class Model>
class TwinRtl final : public VerilatedRtl<Model, VerilatedVcdC> {
 public:
  TwinRtl(const std::string& name, const TwinShape& shape) : VerilatedRtl<Model, VerilatedVcdC>(name) {
    Model& m = this->model();
    const unsigned count = shape.ports, lines = count * shape.vcs;
    this->pin("clock", 1, true, m.clock);
    this->pin("reset", 1, true, m.reset);
    this->pin("table_valid", 1, true, m.table_valid);
    this->pin("table_row", shape.node_bits, true, m.table_row);
    this->pin("table_entry", 32, true, m.table_entry);
    this->pin("in_valid", count, true, m.in_valid);
    this->pin("in_head", count, true, m.in_head);
    this->pin("in_tail", count, true, m.in_tail);
    this->pin("in_vc", count * shape.vc_bits(), true, m.in_vc);
    this->pin("in_destination", count * shape.node_bits, true, m.in_destination);
    this->pin("in_data", count * shape.data_bits, true, m.in_data);
    this->pin("out_credit", lines, true, m.out_credit);
    this->pin("in_credit", lines, false, m.in_credit);
    this->pin("out_valid", count, false, m.out_valid);
    this->pin("out_head", count, false, m.out_head);
    this->pin("out_tail", count, false, m.out_tail);
    this->pin("out_vc", count * shape.vc_bits(), false, m.out_vc);
    this->pin("out_destination", count * shape.node_bits, false, m.out_destination);
    this->pin("out_data", count * shape.data_bits, false, m.out_data);
    this->pin("error", 1, false, m.error);
    describe_twin(*this, shape, name);
  }
};

/// A row of network_bench's table: Model is a Verilated class (--cc) of vc_router.v with these parameters.
template <class Model>
std::unique_ptr<NetworkRtl> twin_row(const char* name, const char* what, const TwinParameters& parameters) {
  return network_rtl({name, what,
                      [parameters](const std::string& router) {
                        return std::make_unique<TwinRtl<Model>>(router, parameters.shape);
                      },
                      [parameters](BenchedNetwork& network) { set_twin_defaults(parameters, network); },
                      [parameters](const BenchedNetwork& network) { check_twin(parameters, network); },
                      std::make_shared<const router::PinRouterConfig>(pin_router(parameters))});
}

}  // namespace tsuji::bench
