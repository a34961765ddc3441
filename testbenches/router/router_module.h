// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <systemc>

#include "tsuji/pins/pin_router.h"

namespace tsuji::router {

/// PinRouter with pins. Vectors have port 0 at the low end and no more than 64 bits; payload, which may have
/// more, has a pin a port.
class PinRouterModule final : public sc_core::sc_module {
 public:
  sc_core::sc_in<bool> clock{"clock"};
  sc_core::sc_in<bool> reset{"reset"};
  sc_core::sc_in<std::uint64_t> in_valid{"in_valid"}, in_head{"in_head"}, in_tail{"in_tail"}, in_vc{"in_vc"};
  sc_core::sc_in<std::uint64_t> in_destination{"in_destination"};
  sc_core::sc_vector<sc_core::sc_in<std::uint64_t>> in_data;
  sc_core::sc_in<std::uint64_t> out_credit{"out_credit"};
  sc_core::sc_out<std::uint64_t> in_credit{"in_credit"};
  sc_core::sc_out<std::uint64_t> out_valid{"out_valid"}, out_head{"out_head"}, out_tail{"out_tail"};
  sc_core::sc_out<std::uint64_t> out_vc{"out_vc"}, out_destination{"out_destination"};
  sc_core::sc_vector<sc_core::sc_out<std::uint64_t>> out_data;
  sc_core::sc_out<std::uint64_t> blocked{"blocked"}, outcome{"outcome"}, kept{"kept"};
  sc_core::sc_out<bool> error{"error"};
  sc_core::sc_in<bool> table_valid{"table_valid"};
  sc_core::sc_in<std::uint64_t> table_row{"table_row"}, table_entry{"table_entry"};

  PinRouterModule(sc_core::sc_module_name name, const PinRouterConfig& config);

  SC_HAS_PROCESS(PinRouterModule);

 private:
  void on_edge();
  void show();

  PinRouter router_;
  PinRouterInputs inputs_;
  PinRouterOutputs outputs_;
};

}  // namespace tsuji::router
