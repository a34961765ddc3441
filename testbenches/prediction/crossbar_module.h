// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <systemc>

#include "tsuji/router/prediction/predictive_crossbar.h"

namespace tsuji::router {

struct CrossbarConfig {
  Cycle sa_cycles = 1;    ///< from winning the switch to crossing it
  Cycle flit_cycles = 1;  ///< of a flit at an output, 1..sa_cycles + 1
};

/// Pins of PredictiveCrossbar with any source of requests, five ports in each vector. In one cycle first
/// the wishes and requests, then the flits that won the switch, then those that are sent by what is held.
/// Outputs show the beginning of a cycle.
class CrossbarPort : public sc_core::sc_module {
 public:
  static constexpr unsigned ports = 5, port_bits = 3;

  sc_core::sc_in<bool> clock{"clock"};
  sc_core::sc_in<bool> reset{"reset"};
  sc_core::sc_in<std::uint32_t> request{"request"};  ///< for each input the outputs that it asks for
  sc_core::sc_in<std::uint32_t> won_valid{"won_valid"};
  sc_core::sc_in<std::uint32_t> won_port{"won_port"};
  sc_core::sc_in<std::uint32_t> send{"send"};            ///< by what the input holds, if it is usable
  sc_core::sc_in<std::uint32_t> send_keep{"send_keep"};  ///< and for the rest of the packet
  sc_core::sc_out<std::uint32_t> held_valid{"held_valid"};
  sc_core::sc_out<std::uint32_t> held_port{"held_port"};
  sc_core::sc_out<std::uint32_t> wanted_valid{"wanted_valid"};
  sc_core::sc_out<std::uint32_t> wanted_port{"wanted_port"};
  sc_core::sc_out<std::uint32_t> sent_valid{"sent_valid"};  ///< in the previous cycle
  sc_core::sc_out<std::uint32_t> sent_port{"sent_port"};

  SC_HAS_PROCESS(CrossbarPort);

 protected:
  CrossbarPort(sc_core::sc_module_name name, const CrossbarConfig& config);

  static unsigned port_of(std::uint32_t vector, unsigned input) {
    return vector >> port_bits * input & ((1U << port_bits) - 1);
  }
  static bool bit_of(std::uint32_t vector, unsigned input) { return (vector >> input & 1U) != 0; }
  /// A vector of a port for each input and one of those that have any.
  struct PortVector {
    std::uint32_t valid = 0, port = 0;
    void set(unsigned input, unsigned output) {
      if (output == no_port) return;
      valid |= 1U << input;
      port |= output << port_bits * input;
    }
  };

 private:
  virtual void start_anew() {}
  /// Passes the requests of a cycle to the crossbar.
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

/// PredictiveCrossbar with pins, and wishes for any port.
class CrossbarModule final : public CrossbarPort {
 public:
  sc_core::sc_in<std::uint32_t> want_valid{"want_valid"};
  sc_core::sc_in<std::uint32_t> want_port{"want_port"};  ///< one that does not exist: nothing

  CrossbarModule(sc_core::sc_module_name name, const CrossbarConfig& config) : CrossbarPort(name, config) {}

 private:
  void wish(PredictiveCrossbar& crossbar) override;
};

}  // namespace tsuji::router
