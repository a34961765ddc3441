// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <systemc>
#include <vector>

#include "tsuji/crosspoint/config.h"

namespace tsuji::crosspoint {

/// The crosspoint switch with the pins of its RTL (testbenches/crosspoint/crosspoint_switch.v). The class
/// that decides knows a packet's length when its head arrives. Here bits 42:34 of the first header word tell
/// the number of flits after the header.
class CrosspointModule final : public sc_core::sc_module {
 public:
  static constexpr unsigned most_flits = 64;  ///< longest packet
  /// Flits of a packet up to the end of its header.
  static constexpr unsigned header_flits(PacketKind kind) { return kind == PacketKind::single_cast ? 7 : 10; }

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
  ~CrosspointModule() override;

  SC_HAS_PROCESS(CrosspointModule);

 private:
  class Device;
  void on_edge();
  void show();

  const CrosspointConfig config_;
  std::unique_ptr<Device> device_;
};

}  // namespace tsuji::crosspoint
