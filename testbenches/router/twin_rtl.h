#pragma once

#include <string>

#include "router/twin_pins.h"
#include "router/verilated_rtl.h"

namespace tsuji::bench {

/// The base router's twin.
template <class Model>
class TwinRtl final : public VerilatedRtl<Model> {
 public:
  TwinRtl(const std::string& name, const TwinShape& shape) : VerilatedRtl<Model>(name) {
    Model& m = this->model();
    const unsigned ports = shape.ports, lines = shape.ports * shape.vcs;
    this->pin("clock", 1, true, m.clock);
    this->pin("reset", 1, true, m.reset);
    this->pin("table_valid", 1, true, m.table_valid);
    this->pin("table_row", shape.node_bits, true, m.table_row);
    this->pin("table_entry", 32, true, m.table_entry);
    this->pin("in_valid", ports, true, m.in_valid);
    this->pin("in_head", ports, true, m.in_head);
    this->pin("in_tail", ports, true, m.in_tail);
    this->pin("in_vc", ports * shape.vc_bits(), true, m.in_vc);
    this->pin("in_destination", ports * shape.node_bits, true, m.in_destination);
    this->pin("in_data", ports * shape.data_bits, true, m.in_data);
    this->pin("out_credit", lines, true, m.out_credit);
    this->pin("in_credit", lines, false, m.in_credit);
    this->pin("out_valid", ports, false, m.out_valid);
    this->pin("out_head", ports, false, m.out_head);
    this->pin("out_tail", ports, false, m.out_tail);
    this->pin("out_vc", ports * shape.vc_bits(), false, m.out_vc);
    this->pin("out_destination", ports * shape.node_bits, false, m.out_destination);
    this->pin("out_data", ports * shape.data_bits, false, m.out_data);
    this->pin("error", 1, false, m.error);
    describe_twin(*this, shape, name);
  }
};

}  // namespace tsuji::bench
