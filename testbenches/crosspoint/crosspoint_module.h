// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <systemc>
#include <vector>

#include "crosspoint/switch_scenes.h"
#include "tsuji/pins/pin_crosspoint.h"

namespace tsuji::crosspoint {

/// PinCrosspoint as a module, at any of the places of SwitchScenes.
class CrosspointModule final : public sc_core::sc_module {
 public:
  sc_core::sc_in<bool> clock{"clock"};
  sc_core::sc_in<bool> reset{"reset"};
  // Lanes as in the RTL, lane 0 at its low end.
  sc_core::sc_vector<sc_core::sc_in<std::uint32_t>> route_fixed, route_first, route_last;
  sc_core::sc_vector<sc_core::sc_in<std::uint64_t>> sync_from, sync_to;
  sc_core::sc_in<std::uint32_t> in_valid{"in_valid"};
  sc_core::sc_vector<sc_core::sc_in<std::uint32_t>> in_flit;
  sc_core::sc_vector<sc_core::sc_out<std::uint32_t>> in_room, in_freed;
  sc_core::sc_out<std::uint32_t> out_valid{"out_valid"};
  sc_core::sc_vector<sc_core::sc_out<std::uint32_t>> out_flit;
  sc_core::sc_vector<sc_core::sc_in<std::uint32_t>> out_room;
  sc_core::sc_vector<sc_core::sc_out<std::uint32_t>> out_from, out_sid;
  sc_core::sc_out<bool> sync_done{"sync_done"};
  sc_core::sc_out<std::uint32_t> sync_input{"sync_input"}, sync_output{"sync_output"};
  sc_core::sc_out<bool> sync_complete{"sync_complete"};
  sc_core::sc_out<std::uint32_t> sync_arrived{"sync_arrived"}, sync_early{"sync_early"};

  CrosspointModule(sc_core::sc_module_name name, const CrosspointConfig& config);

  SC_HAS_PROCESS(CrosspointModule);

 private:
  void on_edge();
  void show();

  const CrosspointConfig config_;
  const bench::SwitchScenes scenes_;
  PinCrosspoint device_;
};

}  // namespace tsuji::crosspoint
