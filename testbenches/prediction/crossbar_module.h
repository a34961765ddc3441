// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <systemc>

#include "tsuji/router/prediction/predictive_crossbar.h"

namespace tsuji::router {

struct CrossbarConfig {
  Cycle sa_cycles = 1;    ///< cycles from winning the switch to crossing it
  Cycle flit_cycles = 1;  ///< time of a flit at an output, 1..sa_cycles + 1
};

/// Pins of PredictiveCrossbar with any source of predictions, five ports in each vector. Order within a
/// cycle: predicted outputs and real requests, flits that won the switch, flits that cross by a held output.
/// Outputs show the beginning of a cycle.
class CrossbarPort : public sc_core::sc_module {
 public:
  static constexpr unsigned ports = 5, port_bits = 3;

  sc_core::sc_in<bool> clock{"clock"};
  sc_core::sc_in<bool> reset{"reset"};
  sc_core::sc_in<std::uint32_t> request{"request"};  ///< outputs that each input requests
  sc_core::sc_in<std::uint32_t> won_valid{"won_valid"};
  sc_core::sc_in<std::uint32_t> won_port{"won_port"};
  sc_core::sc_in<std::uint32_t> send{
      "send"};  ///< the input sends a flit through the output that it holds, if that is usable
  sc_core::sc_in<std::uint32_t> send_keep{
      "send_keep"};  ///< with send: the input keeps the output for the rest of the packet
  sc_core::sc_out<std::uint32_t> held_valid{"held_valid"};
  sc_core::sc_out<std::uint32_t> held_port{"held_port"};
  sc_core::sc_out<std::uint32_t> wanted_valid{"wanted_valid"};
  sc_core::sc_out<std::uint32_t> wanted_port{"wanted_port"};
  sc_core::sc_out<std::uint32_t> sent_valid{"sent_valid"};  ///< inputs that sent a flit in the previous cycle
  sc_core::sc_out<std::uint32_t> sent_port{"sent_port"};

  SC_HAS_PROCESS(CrossbarPort);

 protected:
  CrossbarPort(sc_core::sc_module_name name, const CrossbarConfig& config);

  static unsigned port_of(std::uint32_t vector, unsigned input) {
    return vector >> port_bits * input & ((1U << port_bits) - 1);
  }
  static bool bit_of(std::uint32_t vector, unsigned input) { return (vector >> input & 1U) != 0; }
  /// An output port for each input, and the mask of the inputs that have one.
  struct PortVector {
    std::uint32_t valid = 0, port = 0;
    void set(unsigned input, unsigned output) {
      if (output == no_port) return;
      valid |= 1U << input;
      port |= output << port_bits * input;
    }
  };

 private:
  virtual void restart() {}
  /// Passes the predicted outputs of a cycle to the crossbar.
  virtual void wish(PredictiveCrossbar& crossbar) = 0;
  void on_edge();
  void make_crossbar();
  void ask();
  PortVector cross();
  void show();

  const CrossbarConfig config_;
  std::unique_ptr<Arena> arena_;
  std::unique_ptr<PredictiveCrossbar> crossbar_;
  Cycle now_ = 1;
};

/// PredictiveCrossbar with pins whose inputs can predict any port.
class CrossbarModule final : public CrossbarPort {
 public:
  sc_core::sc_in<std::uint32_t> want_valid{"want_valid"};
  sc_core::sc_in<std::uint32_t> want_port{
      "want_port"};  ///< predicted output; a port that does not exist: no prediction

  CrossbarModule(sc_core::sc_module_name name, const CrossbarConfig& config) : CrossbarPort(name, config) {}

 private:
  void wish(PredictiveCrossbar& crossbar) override;
};

}  // namespace tsuji::router
