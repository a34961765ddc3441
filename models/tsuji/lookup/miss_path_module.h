// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <systemc>
#include <vector>

#include "tsuji/core/described.h"
#include "tsuji/lookup/miss_path.h"

namespace tsuji::lookup {

/// MissPath as a module with pins, between the caches of some ports and a CamModule or RTL of a CAM. An
/// answer of a port's cache that is no hit is a request.
class MissPathModule final : public sc_core::sc_module, public Described {
 public:
  std::string stands_for() const override {
    return "path of misses to the CAM: arbiter, on-chip network and SerDes (Hirasawa 2020, section 2.1)";
  }
  template <class Pin>
  using Lanes = sc_core::sc_vector<Pin>;

  sc_core::sc_in<bool> clock{"clock"};
  // [port]
  Lanes<sc_core::sc_in<bool>> answer_valid, answer_hit;
  Lanes<sc_core::sc_in<std::uint64_t>> missed_key;
  Lanes<sc_core::sc_out<bool>> return_valid;
  /// Entry for the port whose return_valid is set.
  sc_core::sc_out<std::uint32_t> return_entry{"return_entry"};
  // Connections to the memory.
  sc_core::sc_out<bool> cam_request_valid{"cam_request_valid"};
  sc_core::sc_out<std::uint32_t> cam_request_operation{"cam_request_operation"};
  sc_core::sc_out<std::uint32_t> cam_request_index{"cam_request_index"};
  sc_core::sc_out<std::uint64_t> cam_request_key{"cam_request_key"};
  sc_core::sc_out<std::uint32_t> cam_request_value{"cam_request_value"};
  sc_core::sc_in<bool> cam_answer_valid{"cam_answer_valid"};
  sc_core::sc_in<bool> cam_answer_hit{"cam_answer_hit"};
  sc_core::sc_in<std::uint32_t> cam_answer_value{"cam_answer_value"};

  MissPathModule(sc_core::sc_module_name name, unsigned ports, const LookupTiming& timing, Cycle chip_cycles);
  SC_HAS_PROCESS(MissPathModule);

  MissPath& path() { return path_; }
  const MissPath& path() const { return path_; }
  /// Outputs of the last edge.
  const MissPath::Drive& drive() const { return drive_; }

 private:
  void on_edge();

  MissPath path_;
  MissPath::Drive drive_;
  std::vector<MissPath::Request> requests_;
  unsigned returned_ = 0;  ///< port whose return_valid was set last
};

}  // namespace tsuji::lookup
