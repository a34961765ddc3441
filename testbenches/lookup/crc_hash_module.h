// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <systemc>

#include "tsuji/lookup/crc.h"

namespace tsuji::lookup {

/// Crc with pins: the check of a key, a cycle later, at an output that may be stalled.
class CrcHashModule final : public sc_core::sc_module {
 public:
  sc_core::sc_in<bool> clock{"clock"};
  sc_core::sc_in<bool> reset{"reset"};
  sc_core::sc_in<bool> in_valid{"in_valid"};
  sc_core::sc_in<std::uint64_t> in_key{"in_key"};
  sc_core::sc_out<bool> in_ready{"in_ready"};  ///< also within the cycle in which out_ready rises
  sc_core::sc_out<bool> out_valid{"out_valid"};
  sc_core::sc_out<std::uint64_t> out_hash{"out_hash"};
  sc_core::sc_in<bool> out_ready{"out_ready"};

  CrcHashModule(sc_core::sc_module_name name, const CrcSpec& spec);
  SC_HAS_PROCESS(CrcHashModule);

 private:
  void on_edge();
  void on_ready();
  const Crc crc_;
  bool valid_ = false;
  sc_core::sc_event edge_;
};

}  // namespace tsuji::lookup
