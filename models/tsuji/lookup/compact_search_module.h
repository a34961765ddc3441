// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <systemc>

#include "tsuji/lookup/compact_search.h"

namespace tsuji::lookup {

/// The unit that searches a compact table with pins, for a waveform or in the place of RTL:
/// CompactSearchState at the rising edges of `clock`.
class CompactSearchModule final : public sc_core::sc_module {
 public:
  template <class T>
  using Lanes = sc_core::sc_vector<sc_core::sc_out<T>>;

  sc_core::sc_in<bool> clock{"clock"};
  sc_core::sc_in<bool> reset{"reset"};  ///< at an edge: the table is empty, nothing is under way
  sc_core::sc_in<bool> request_valid{"request_valid"};
  sc_core::sc_in<std::uint32_t> request_operation{"request_operation"};  ///< as CamOperation counts
  sc_core::sc_in<std::uint32_t> request_row{"request_row"};              ///< of insert and erase
  sc_core::sc_in<std::uint32_t> request_x{"request_x"};  ///< destination's, or the row's that is inserted
  sc_core::sc_in<std::uint32_t> request_y{"request_y"};
  sc_core::sc_in<std::uint32_t> request_port{"request_port"};  ///< of insert
  sc_core::sc_out<bool> request_ready{"request_ready"};
  sc_core::sc_out<bool> answer_valid{"answer_valid"};
  sc_core::sc_out<bool> answer_hit{"answer_hit"};
  sc_core::sc_out<std::uint32_t> answer_row{"answer_row"};
  sc_core::sc_out<std::uint32_t> answer_port{"answer_port"};
  // Registers of a search under way, for waveforms and benches.
  sc_core::sc_out<std::uint32_t> comparing_row{"comparing_row"};  ///< first row compared in this cycle
  sc_core::sc_out<bool> choosing{"choosing"};
  // By comparator: the nearest row before this cycle.
  Lanes<bool> nearest_valid;
  Lanes<std::uint32_t> nearest_row;
  Lanes<std::uint64_t> nearest_distance;

  CompactSearchModule(sc_core::sc_module_name name, const CompactSearchConfig& config);
  const CompactSearchState& state() const { return state_; }

  SC_HAS_PROCESS(CompactSearchModule);

 private:
  void on_edge();
  CompactSearchRequest read_request() const;
  void show_search();
  CompactSearchState state_;
};

}  // namespace tsuji::lookup
