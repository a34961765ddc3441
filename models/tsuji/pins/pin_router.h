// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tsuji/router/config.h"
#include "tsuji/routing/routing.h"

namespace tsuji::router {

/// ROUTING of vc_router.v: a table of candidates, or routes computed from coordinates.
enum class PinRouting : std::uint8_t { table, dimension_order, duato, detour_nf, detour_ud };

/// Parameters of vc_router.v. `config` has those that the model's router takes by itself.
struct PinRouterConfig {
  unsigned ports = 5, vcs = 4, buffer_flits = 8;
  Cycle rc_cycles = 1;
  Cycle credit_cycles = 1;
  VcRouterConfig config;
  std::uint32_t node_ports = 0;  ///< ports to nodes, one bit each
  unsigned node_bits = 4, data_bits = 12;
  unsigned candidates = 1;  ///< outputs among which a head may choose
  PinRouting routing = PinRouting::table;
  std::vector<unsigned> radices = {4, 4};  ///< with coordinates: of two dimensions, on which nodes are pairs
  bool wraps = true;
  unsigned ud_vcs = 1;     ///< detour_ud: virtual channels of recovery
  Cycle table_cycles = 5;  ///< detour_ud: from a read port's grant to its answer
  unsigned hop_bits = 8;   ///< detour_ud: width of a head's number of hops
  /// With coordinates: rows of all nodes with what the routing's tables say (cube_routes.v), then one with
  /// the router's place in the lower bits, its working ports from bit 27 on, and in bit 31 whether it is in a
  /// fault region. Else rows of all nodes for candidate 0, then for candidate 1, and so on; empty: none. A
  /// row: virtual channels from bit 16 on, output port in the lower 16 bits, and in bit 31 whether it is of a
  /// lower rank than the candidate before it.
  /// With a static predictor (`config.prediction`) then rows of all inputs: the predicted output port in the
  /// lower 16 bits; none if there is no such port.
  std::vector<std::uint32_t> routes;

  unsigned lines() const { return ports * vcs; }
  unsigned vc_bits() const;
  unsigned nodes() const { return 1U << node_bits; }
  unsigned row_bits() const;
  bool by_coordinates() const { return routing != PinRouting::table; }
  bool recovers() const { return routing == PinRouting::detour_ud; }
  bool predicts() const { return config.prediction.on(); }
  /// Returns true if `routes` has rows of predicted outputs.
  bool predicts_by_table() const;
  /// Width of a destination with what else a head carries: node, in recovery, hops.
  unsigned head_bits() const { return node_bits + (recovers() ? 1 + hop_bits : 0); }
  unsigned most_hops() const { return (1U << hop_bits) - 1U; }
  /// Number of rows of routes.
  std::size_t route_rows() const {
    return by_coordinates() ? nodes() + std::size_t{1} : std::size_t{candidates} << node_bits;
  }
  /// Number of all rows.
  std::size_t rows() const { return route_rows() + (predicts_by_table() ? ports : 0); }
  /// Index in `routes` of a row at the pins; rows() for one of no candidate and of no input.
  std::size_t row_index(std::uint64_t row) const;
  /// The row at the pins with this index in `routes`.
  std::uint64_t row_at(std::size_t index) const {
    return index < route_rows() ? index : std::uint64_t{1} << (row_bits() - 1) | (index - route_rows());
  }
  /// Predicted output port of an input, of a static predictor; at least `ports`: none.
  unsigned predicted(unsigned in_port) const { return routes[route_rows() + in_port] & 0xffffU; }
  bool in_region() const { return routes[nodes()] >> 31 != 0; }
  std::uint32_t row(unsigned node, unsigned candidate = 0) const {
    return routes[candidate << node_bits | node];
  }
  unsigned output(unsigned node, unsigned candidate = 0) const { return row(node, candidate) & 0xffffU; }
  bool is_lesser(unsigned node, unsigned candidate) const { return row(node, candidate) >> 31 != 0; }
  /// Virtual channels of the output that a head which came in by `in_port` may take; none: there is no such
  /// candidate.
  unsigned output_vcs(unsigned in_port, unsigned node, unsigned candidate = 0) const;
  bool has_route(unsigned in_port, unsigned node) const;
};

/// Rows of a file for $readmemh: hexadecimal numbers, without addresses and comments.
std::vector<std::uint32_t> read_routes(const std::string& path);

/// A flit at the pins of a port. The other fields have a meaning only if it is valid.
struct PinRouterFlit {
  bool valid = false, head = false, tail = false;
  unsigned vc = 0;
  std::uint64_t destination = 0, data = 0;
};

/// The input pins in a cycle.
struct PinRouterInputs {
  explicit PinRouterInputs(unsigned ports) : flits(ports), credits(ports) {}
  bool reset = false, table_valid = false;
  std::uint64_t table_row = 0, table_entry = 0;
  std::vector<PinRouterFlit> flits;    ///< [port]
  std::vector<std::uint64_t> credits;  ///< [port]: a bit a virtual channel
};

/// The output pins in a cycle.
struct PinRouterOutputs {
  explicit PinRouterOutputs(unsigned ports)
      : flits(ports), credits(ports), blocked(ports), outcomes(ports), kept(ports) {}
  std::vector<PinRouterFlit> flits;
  std::vector<std::uint64_t> credits;
  std::vector<std::uint64_t> blocked;  ///< [port]: input virtual channels whose head was blocked, a bit each
  /// [port] of the heads that started: 1 hit, 2 wrong, 3 lost, 4 no room, 5 one head and 6 two heads at an
  /// input that was not quiet, 7 not predicted; 0: there was no head.
  std::vector<unsigned> outcomes;
  std::vector<bool> kept;  ///< [port] a flit after a head that hit crossed without allocation
  bool error = false;
};

/// The virtual-channel router with the pins and times of vc_router.v, without a simulation kernel. The model
/// runs between channels whose far ends are the pins.
class PinRouter {
 public:
  explicit PinRouter(const PinRouterConfig& config);
  ~PinRouter();
  /// The edge at the end of a cycle with these inputs; the outputs are those of the next one.
  void edge(const PinRouterInputs& in, PinRouterOutputs& out);
  const PinRouterConfig& config() const { return config_; }

 private:
  class Table;
  static std::unique_ptr<const routing::Routing> make_routing(const PinRouterConfig& config);
  struct Input;
  struct Life;
  bool breaks_rules(const PinRouterInputs& in) const;
  bool flit_breaks_rules(const PinRouterFlit& flit, unsigned port) const;
  void take_inputs(const PinRouterInputs& in);
  void show_port(unsigned port, PinRouterOutputs& out);
  void show_prediction(unsigned port, PinRouterOutputs& out);

  PinRouterConfig config_;  ///< with the routes that are currently written
  std::unique_ptr<const routing::Routing> routing_;
  std::unique_ptr<Life> life_;  ///< state between two resets
  Cycle now_ = 1;
  bool stopped_ = false;  ///< an error has stopped the router until the next reset
};

}  // namespace tsuji::router
