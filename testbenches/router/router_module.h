#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "tsuji/router/config.h"

namespace tsuji::router {

/// Parameters of vc_router.v. `config` has those that the model's router takes by itself.
struct PinRouterConfig {
  unsigned ports = 5, vcs = 4, buffer_flits = 8;
  Cycle rc_cycles = 1;
  Cycle credit_cycles = 1;
  VcRouterConfig config;
  std::uint32_t node_ports = 0;  ///< a bit a port
  unsigned node_bits = 4, data_bits = 12;
  std::vector<std::uint32_t> routes;  ///< [node]: virtual channels over output port, 16 bits each

  unsigned lines() const { return ports * vcs; }
  unsigned vc_bits() const;
  /// Virtual channels of the output that a head which came in by `in_port` may take; none: it has no way.
  unsigned ways(unsigned in_port, unsigned node) const;
  unsigned output(unsigned node) const { return routes[node] & 0xffffU; }
};

/// Rows of a file for $readmemh: hexadecimal numbers, without addresses and comments.
std::vector<std::uint32_t> read_routes(const std::string& path);

/// The virtual-channel router with the pins and times of vc_router.v. The model runs between channels whose
/// far ends are the pins. Vectors have port 0 at the low end and no more than 64 bits.
class PinRouterModule final : public sc_core::sc_module {
 public:
  sc_core::sc_in<bool> clock{"clock"};
  sc_core::sc_in<bool> reset{"reset"};
  sc_core::sc_in<std::uint64_t> in_valid{"in_valid"}, in_head{"in_head"}, in_tail{"in_tail"}, in_vc{"in_vc"};
  sc_core::sc_in<std::uint64_t> in_destination{"in_destination"}, in_data{"in_data"};
  sc_core::sc_in<std::uint64_t> out_credit{"out_credit"};
  sc_core::sc_out<std::uint64_t> in_credit{"in_credit"};
  sc_core::sc_out<std::uint64_t> out_valid{"out_valid"}, out_head{"out_head"}, out_tail{"out_tail"};
  sc_core::sc_out<std::uint64_t> out_vc{"out_vc"}, out_destination{"out_destination"}, out_data{"out_data"};
  sc_core::sc_out<bool> error{"error"};
  sc_core::sc_in<bool> table_valid{"table_valid"};
  sc_core::sc_in<std::uint64_t> table_row{"table_row"}, table_entry{"table_entry"};

  PinRouterModule(sc_core::sc_module_name name, const PinRouterConfig& config);
  ~PinRouterModule() override;

  SC_HAS_PROCESS(PinRouterModule);

 private:
  class Table;
  struct Input;
  struct Life;
  struct Outputs;
  void on_edge();
  bool breaks_rules() const;
  bool flit_breaks_rules(unsigned port) const;
  void take_inputs();
  void show();
  void show_port(unsigned port, Outputs& outputs);

  PinRouterConfig config_;      ///< with the routes as they are written
  std::unique_ptr<Life> life_;  ///< from a reset to the next one
  Cycle now_ = 1;
  bool stopped_ = false;  ///< by an error
};

}  // namespace tsuji::router
