// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <systemc>
#include <vector>

#include "tsuji/core/described.h"
#include "tsuji/core/units.h"
#include "tsuji/lookup/cache_module.h"
#include "tsuji/lookup/lookup_port.h"

namespace tsuji::lookup {

/// LookupPort as a module with pins, connected to the heads of a port, its cache and the path to the memory.
/// Cache and path change at the rising edge at the end of a cycle; the port at the falling edge after it,
/// when their outputs for the next cycle are stable.
class LookupPortModule final : public sc_core::sc_module, public Described {
 public:
  std::string stands_for() const override {
    return "look-up pipeline of an input port: hash, cache, miss (Hirasawa 2020, section 3.1)";
  }
  sc_core::sc_in<bool> clock{"clock"};
  sc_core::sc_in<bool> request_valid{
      "request_valid"};  ///< a head requests its route: its destination is to be hashed
  sc_core::sc_in<std::uint64_t> request_key{"request_key"};  ///< identifier of the destination
  // Outputs and inputs of the cache.
  sc_core::sc_in<bool> answer_valid{"answer_valid"};
  sc_core::sc_in<bool> answer_hit{"answer_hit"};
  sc_core::sc_in<std::uint32_t> answer_entry{"answer_entry"};
  sc_core::sc_out<bool> lookup_valid{"lookup_valid"};
  sc_core::sc_out<std::uint64_t> lookup_key{"lookup_key"};
  sc_core::sc_out<std::uint32_t> lookup_set{"lookup_set"};
  sc_core::sc_out<bool> fill_valid{"fill_valid"};
  sc_core::sc_out<std::uint64_t> fill_key{"fill_key"};
  sc_core::sc_out<std::uint32_t> fill_set{"fill_set"};
  sc_core::sc_out<std::uint32_t> fill_entry{"fill_entry"};
  // Connections to the memory's path.
  sc_core::sc_out<std::uint64_t> missed_key{"missed_key"};  ///< key of the cache's answer, if that is a miss
  sc_core::sc_in<bool> return_valid{"return_valid"};
  sc_core::sc_in<std::uint32_t> return_entry{"return_entry"};
  sc_core::sc_out<std::uint32_t> state{"state"};  ///< value of LookupPort::State

  struct Parts {
    const LookupParts& lookup;
    const ClockPeriod& period;
    const CacheModule* cache;  ///< null: RTL, whose answers are at the pins after one cycle
  };
  LookupPortModule(sc_core::sc_module_name name, const Parts& parts);
  SC_HAS_PROCESS(LookupPortModule);

  LookupPort& port() { return port_; }
  const LookupPort& port() const { return port_; }
  /// Outputs and events of the last edge.
  const LookupPort::Drive& drive() const { return drive_; }
  /// Answers of edges since clear_answers().
  const std::vector<LookupPort::Answer>& answers() const { return answers_; }
  void clear_answers() { answers_.clear(); }

 private:
  void on_edge();

  const Parts parts_;
  LookupPort port_;
  LookupPort::Drive drive_;
  std::vector<LookupPort::Answer> answers_;
};

}  // namespace tsuji::lookup
