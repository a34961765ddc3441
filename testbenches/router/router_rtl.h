// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/rtl_messages.h"
#include "router/rtl_bits.h"
#include "tsuji/core/units.h"
#include "tsuji/graph/topology.h"
#include "tsuji/router/prediction/predictor_kinds.h"
#include "tsuji/routing/routing.h"

// A router in RTL as its adapter sees it: a Verilated class with a table of pins and the meaning of each pin.

namespace tsuji::bench {

/// Link protocol of a router's pins. credits: a flit is sent only when a slot is free, and each freed slot is
/// reported by a credit. valid_ready: a flit passes in a cycle in which both are high, ready being a bit for
/// each virtual channel. on_off: flits are sent while the receiver's bit of the virtual channel says on, and
/// for some cycles after that.
enum class RtlFlow : std::uint8_t { credits, valid_ready, on_off };

/// Fields of a port's flits in one direction. A field that the router lacks has no bits.
struct RtlFlitPins {
  RtlBits valid;  ///< one bit, or a bit for each virtual channel in place of `vc`
  RtlBits head, tail;
  RtlBits kind;  ///< instead of head and tail (RtlDescription::kinds)
  RtlBits vc;
  RtlBits destination;                 ///< node number of the destination, in a head
  std::array<RtlBits, 3> coordinates;  ///< coordinates of the destination's router, in a head
  /// Of a head, where heads go into recovery: whether it has, and routers that it has passed.
  RtlBits recovery, hops;
  RtlBits output;      ///< of a head, look-ahead: output port at the router that the flit comes to
  RtlBits output_vcs;  ///< with `output`: virtual channels allowed at that router, a bit each
  RtlBits length;      ///< length of the packet in flits less RtlDescription::length_minus, in a head
  RtlBits payload;     ///< bits that leave unchanged: 44, or fewer that name a flit in the router (RtlTags)
  /// Payload bits of body and tail flits, if they differ from those of a head; otherwise empty. Heads at an
  /// output virtual channel are the first flit and the flit after each tail.
  RtlBits body_payload;

  /// Virtual channel of the flit that the pins show.
  unsigned channel() const {
    return valid.width > 1 ? static_cast<unsigned>(__builtin_ctzll(valid.read_mask()))
                           : static_cast<unsigned>(vc.read());
  }
  /// Shows a flit of a virtual channel.
  void show(unsigned channel) const {
    valid.write_mask(valid.width > 1 ? std::uint64_t{1} << channel : 1);
    vc.write(channel);
  }
};

/// A port's pins. `credit` travels against the flits: a bit for each virtual channel, or with `credit_vc` a
/// valid bit and a number; valid_ready: ready, on_off: on, a bit for each virtual channel.
struct RtlPortPins {
  RtlFlitPins in, out;
  RtlBits in_credit, in_credit_vc;
  RtlBits out_credit, out_credit_vc;
  /// Bit of each input virtual channel: its head was blocked too long in the cycle before. Not in a
  /// description: the twin's.
  RtlBits blocked;
  /// Of the input, with RtlPrediction: what became of heads that started in the cycle before
  /// (PinRouterOutputs::outcomes), and whether a flit crossed then that was not its packet's head.
  RtlBits outcome, kept;
};

/// A physical channel of a router's ports: pins and flow control for some virtual channels alone.
struct RtlChannel {
  std::string name;
  unsigned first_vc = 0, vcs = 1;
};

/// A router whose RTL predicts outputs. Not in a description: the twin's.
struct RtlPrediction {
  /// Table with a row for each input from `first_row` on; none: the predictor has no table.
  router::PredictorTable table = router::PredictorTable::none;
  std::uint64_t first_row = 0;
  Cycle hit_saves_cycles = 0;    ///< cycles that a head does not wait that hits
  std::uint64_t state_bits = 0;  ///< bits of its predictors
};

/// Parameters of a description, without its pins.
struct RtlDescription {
  std::string name;
  unsigned vcs = 1;                       ///< of all channels
  std::vector<RtlChannel> channels = {};  ///< ascending, for all virtual channels; empty: one
  unsigned buffer_flits =
      8;  ///< buffer size of the downstream routers, whose credits are counted, and of its inputs
  /// [port of the RTL] buffer size of its input, at most buffer_flits; empty: buffer_flits.
  std::vector<unsigned> port_buffer_flits = {};
  RtlFlow flow = RtlFlow::credits;
  /// If true, outputs depend on inputs of the cycle and are read before its clock edge; otherwise they are
  /// registers, read after the clock edge. With valid_ready always before the edge, at which a flit passes.
  bool outputs_follow_inputs = false;
  /// If true, the state of an empty router does not change, so its clock may be stopped.
  bool stands_when_empty = false;
  unsigned settle_cycles = 16;  ///< number of cycles that its clock runs after its last flit
  unsigned reset_cycles = 2;
  bool reset_high = true;
  unsigned length_minus = 0;           ///< flits of a packet that its length does not count
  bool off_is_high = false;            ///< on_off: the wires are high for off
  unsigned reserve_flits = 1;          ///< on_off: flits of a virtual channel that may come after off
  unsigned credit_limit_cycles = 64;   ///< a later credit is a missing one
  unsigned wait_limit_cycles = 1000;   ///< time limit for a flit that nothing blocks
  std::vector<unsigned> radices = {};  ///< mesh whose places the RTL was made for; empty: any
  std::uint32_t node_ports = 0;        ///< ports that lead to nodes, and no others do, a bit each; 0: any
  bool destination_is_router = false;
  unsigned hop_limit = 0;  ///< heads that have passed more routers go into recovery; 0: by time alone
  std::array<std::uint8_t, 4> kinds{};       ///< codes of body, head, tail, and head that is the tail, too
  std::vector<unsigned> port_order;          ///< [port of the network] port of the RTL; empty: the same
  std::vector<std::string> port_names = {};  ///< [port of the RTL]; may be empty
  std::vector<std::pair<RtlBits, std::uint64_t>> constants = {};  ///< pins that keep a value
};

/// One instance of a router's RTL.
class RouterRtl {
 public:
  RouterRtl() = default;
  RouterRtl(const RouterRtl&) = delete;
  RouterRtl& operator=(const RouterRtl&) = delete;
  virtual ~RouterRtl() = default;
  /// Evaluates all signals with the present inputs, at a non-decreasing time. RtlAborted if they never
  /// settle.
  virtual void eval(Picoseconds time) = 0;
  /// Runs the RTL's final blocks. Called once, after the last evaluation. RtlAborted.
  virtual void run_final_blocks() {}
  /// File name ending of the waveform of the RTL's signals, with the dot; null: the RTL has no waveform.
  virtual const char* wave_ending() const { return nullptr; }
  /// Opens this waveform before the first cycle. ConfigError if the file cannot be written.
  virtual void open_wave(const std::string& path);
  /// Records the current value of all signals; `time` must increase.
  virtual void show(Picoseconds /*time*/) {}
  virtual void close_wave() {}

  /// Ports of the RTL, each with all channels.
  unsigned port_count() const {
    return static_cast<unsigned>(ports.size() / std::max<std::size_t>(about.channels.size(), 1));
  }

  RtlDescription about;
  RtlMessages messages;  ///< failed checks of evaluations and final blocks
  RtlBits clock, reset;
  /// Further clocks, with their rising edges in a cycle, the last of which is that of `clock`.
  std::vector<std::pair<RtlBits, unsigned>> more_clocks;
  RtlBits own_router;  ///< input for the router's number; own_coordinates: for its coordinates
  std::array<RtlBits, 3> own_coordinates;
  /// [port of the RTL]; with channels those of the first one, then of the second one, and so on.
  std::vector<RtlPortPins> ports;
  std::vector<std::pair<std::string, RtlBits>> errors;  ///< high after a protocol violation
  /// Rows of a routing table, of destination nodes, where the RTL has one to be written before the first
  /// cycle.
  RtlBits table_valid, table_row, table_output, table_vcs;
  /// Candidates of a head in the table. If more than one: the number of the candidate, and whether it is of a
  /// lower rank than the candidate before it, which may be bits of the row and of the virtual channels.
  unsigned table_candidates = 1;
  RtlBits table_candidate, table_lesser;
  /// Rows and entries of a table that has no candidates; the RTL computes routes from them and from
  /// coordinates. Empty: the table has candidates.
  using TableRows = std::vector<std::pair<std::uint64_t, std::uint32_t>>;
  std::function<TableRows(const routing::Routing&, const graph::Topology&, graph::RouterId)> table_rows;
  std::optional<RtlPrediction> prediction;
  std::vector<RtlPin> pins;  ///< all, for waveforms and comparisons
};

/// The RTL of a router, by its name for messages and its number.
using MakeRouterRtl = std::function<std::unique_ptr<RouterRtl>(const std::string& name, unsigned router)>;

}  // namespace tsuji::bench
