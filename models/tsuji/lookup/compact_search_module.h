// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <systemc>

#include "tsuji/lookup/compact_search.h"

namespace tsuji::lookup {

/// CompactSearchState as a module with pins, at the rising edges of `clock`, for a waveform or as replacement
/// of RTL.
class CompactSearchModule final : public sc_core::sc_module {
 public:
  template <class T>
  using Lanes = sc_core::sc_vector<sc_core::sc_out<T>>;

  sc_core::sc_in<bool> clock{"clock"};
  sc_core::sc_in<bool> reset{"reset"};  ///< at an edge: empties the table and discards the search in progress
  sc_core::sc_in<bool> request_valid{"request_valid"};
  sc_core::sc_in<std::uint32_t> request_operation{"request_operation"};  ///< value of CamOperation
  sc_core::sc_in<std::uint32_t> request_row{"request_row"};              ///< row for insert and erase
  /// Destination of a search, or place of an inserted row.
  sc_core::sc_in<std::uint32_t> request_x{"request_x"};
  sc_core::sc_in<std::uint32_t> request_y{"request_y"};
  sc_core::sc_in<std::uint32_t> request_port{"request_port"};  ///< port for insert
  sc_core::sc_out<bool> request_ready{"request_ready"};
  sc_core::sc_out<bool> answer_valid{"answer_valid"};
  sc_core::sc_out<bool> answer_hit{"answer_hit"};
  sc_core::sc_out<std::uint32_t> answer_row{"answer_row"};
  sc_core::sc_out<std::uint32_t> answer_port{"answer_port"};
  // Registers of the search in progress, for waveforms and benches.
  sc_core::sc_out<std::uint32_t> comparing_row{"comparing_row"};  ///< first row compared in this cycle
  sc_core::sc_out<bool> choosing{"choosing"};
  // [comparator]: nearest row before this cycle.
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
