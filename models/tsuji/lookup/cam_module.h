// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <systemc>

#include "tsuji/core/described.h"
#include "tsuji/lookup/cam.h"

namespace tsuji::lookup {

/// CAM as a module with pins, for a waveform or as replacement of RTL: CamState at the rising edges of
/// `clock`. The types of the pins are those that Verilator uses for these widths.
class CamModule final : public sc_core::sc_module, public Described {
 public:
  std::string stands_for() const override {
    return "content-addressable memory on a chip of its own (Hirasawa 2020, section 2.1)";
  }
  sc_core::sc_in<bool> clock{"clock"};
  sc_core::sc_in<bool> reset{"reset"};  ///< at an edge: empties the memory and discards accesses in progress
  sc_core::sc_in<bool> request_valid{"request_valid"};
  sc_core::sc_in<std::uint32_t> request_operation{"request_operation"};  ///< value of CamOperation
  sc_core::sc_in<std::uint32_t> request_index{"request_index"};          ///< row for insert and erase
  sc_core::sc_in<std::uint64_t> request_key{"request_key"};
  sc_core::sc_in<std::uint64_t> request_mask{"request_mask"};
  sc_core::sc_in<std::uint32_t> request_value{"request_value"};
  sc_core::sc_out<bool> request_ready{"request_ready"};
  sc_core::sc_out<bool> answer_valid{"answer_valid"};
  sc_core::sc_out<bool> answer_hit{"answer_hit"};
  sc_core::sc_out<std::uint32_t> answer_index{"answer_index"};
  sc_core::sc_out<std::uint32_t> answer_value{"answer_value"};

  CamModule(sc_core::sc_module_name name, const CamConfig& config);
  const CamState& state() const { return state_; }
  /// CamState::write(), at any time that is not an edge.
  void write(std::uint32_t index, std::uint64_t key, std::uint32_t value) { state_.write(index, key, value); }

  SC_HAS_PROCESS(CamModule);

 private:
  void on_edge();
  CamState state_;
};

}  // namespace tsuji::lookup
