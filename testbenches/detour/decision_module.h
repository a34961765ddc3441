// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <systemc>
#include <vector>

#include "tsuji/routing/detour/detour_ud.h"

namespace tsuji::routing {

/// A two-dimensional cube, and its faults, one set after the other.
struct DecisionConfig {
  std::vector<unsigned> radices = {10, 10};  ///< at most 16
  bool wraps = true;
  static constexpr unsigned vcs = 4, ud_vcs = 1;

  graph::Topology topology() const;
};

/// A router's decision on a head with pins: DetourUd with the entries of the table's answer. Outputs belong
/// to the inputs of the previous cycle.
class DecisionModule final : public sc_core::sc_module {
 public:
  static constexpr unsigned dimensions = 2, ports = 2 * dimensions, coordinate_bits = 4, port_bits = 3;

  sc_core::sc_in<bool> clock{"clock"};
  sc_core::sc_in<bool> reset{"reset"};
  sc_core::sc_in<bool> head{"head"};
  // One lane for each coordinate.
  sc_core::sc_in<std::uint32_t> here{"here"};
  sc_core::sc_in<std::uint32_t> destination{"destination"};
  sc_core::sc_in<std::uint32_t> in_port{"in_port"};  ///< 4: the processor interface
  sc_core::sc_in<bool> on_ud{"on_ud"};               ///< the head came on a UD channel
  sc_core::sc_in<bool> in_recovery{"in_recovery"};   ///< the head is in recovery
  sc_core::sc_in<bool> in_region{"in_region"};  ///< this router is in a fault region, and has torus words
  sc_core::sc_in<std::uint32_t> torus_word{"torus_word"};
  sc_core::sc_in<std::uint32_t> up_down_word{"up_down_word"};
  sc_core::sc_out<bool> decided{"decided"};
  sc_core::sc_out<bool> eject{"eject"};
  sc_core::sc_out<bool> reads_table{"reads_table"};  ///< a table entry is needed
  sc_core::sc_out<std::uint32_t> fa{"fa"};           ///< candidate ports, on FA channels
  sc_core::sc_out<std::uint32_t> ud{"ud"};           ///< candidate ports, on UD channels

  DecisionModule(sc_core::sc_module_name name, const DecisionConfig& config);

  SC_HAS_PROCESS(DecisionModule);

 private:
  void on_edge();
  RouteQuery query() const;
  RouterId router_at(std::uint32_t coordinates) const;

  const DecisionConfig config_;
  const graph::Topology topology_;
  const DetourUd routing_;
};

}  // namespace tsuji::routing
