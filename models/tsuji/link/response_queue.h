// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <functional>
#include <string>
#include <systemc>
#include <tlm>

#include "tsuji/core/described.h"

namespace tsuji {

/// A target's side of the non-blocking base protocol of TLM-2.0. Requests are served in the order of their
/// times, each when its response begins. A response lasts until the initiator ends it, in one of the three
/// forms of the base protocol. Unknown phases are ignored; protocol violations are ModelErrors.
class ResponseQueue final : public sc_core::sc_module, public Described {
 public:
  std::string stands_for() const override {
    return "a target's non-blocking phases of TLM-2.0's base protocol";
  }
  /// Serves a transaction and returns zero, or returns the time after which the transaction can be served.
  using Serve = std::function<sc_core::sc_time(tlm::tlm_generic_payload&)>;
  /// Calls nb_transport_bw of the target's socket.
  using Answer =
      std::function<tlm::tlm_sync_enum(tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&)>;

  ResponseQueue(sc_core::sc_module_name name, Serve serve, Answer answer);

  /// Handles all phases except BEGIN_REQ.
  tlm::tlm_sync_enum take_phase(tlm::tlm_generic_payload& transaction, const tlm::tlm_phase& phase);
  /// ModelError for a BEGIN_REQ without a memory manager or a reference.
  void check_request(const tlm::tlm_generic_payload& transaction) const;
  /// Accepts a request that is to be served at `due` or later, and ends it (END_REQ).
  tlm::tlm_sync_enum take_request(tlm::tlm_generic_payload& transaction, tlm::tlm_phase& phase,
                                  const sc_core::sc_time& due);

  SC_HAS_PROCESS(ResponseQueue);

 private:
  struct Pending {
    tlm::tlm_generic_payload* transaction;
    sc_core::sc_time due;
  };
  void respond();
  void finish(tlm::tlm_generic_payload& transaction);
  void arm();
  [[noreturn]] void protocol_error(const char* what) const;

  const Serve serve_;
  const Answer answer_;
  std::deque<Pending> pending_;                     ///< sorted by due time
  tlm::tlm_generic_payload* responding_ = nullptr;  ///< BEGIN_RESP was sent, END_RESP has not come
  sc_core::sc_event due_;
};

}  // namespace tsuji
