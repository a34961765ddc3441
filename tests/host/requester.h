// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_initiator_socket.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <systemc>
#include <tuple>
#include <utility>
#include <vector>

#include "support/catch.h"
#include "tsuji/clock/clock_domain.h"
#include "tsuji/link/memory_access.h"

namespace tsuji::host::test {

/// Sends requests in given cycles of its clock, or as soon after as the last answer allows, and records the
/// answers.
class Requester final : public sc_core::sc_module, public Clocked {
 public:
  struct Request {
    Cycle at;
    MemoryAccessKind kind;
    std::uint64_t address;
    unsigned bytes;
    std::uint64_t value;
  };
  struct Answer {
    Cycle granted, first, last;
    std::uint64_t word;
    tlm::tlm_response_status status;
    bool operator==(const Answer& o) const {
      return std::tie(granted, first, last, word, status) ==
             std::tie(o.granted, o.first, o.last, o.word, o.status);
    }
  };

  Requester(sc_core::sc_module_name name, ClockDomain& domain, ClockDomain& main)
      : sc_module(name), Clocked(domain), socket("socket"), main_(main) {
    socket.register_nb_transport_bw(this, &Requester::nb_transport_bw);
  }
  tlm_utils::simple_initiator_socket<Requester> socket;
  std::vector<Answer> answers;
  /// Requests after the first are sent up to this many cycles ahead, annotated with the time until their
  /// cycle.
  Cycle ahead = 0;

  void plan(std::vector<Request> requests) {
    requests_ = std::move(requests);
    if (!requests_.empty()) wake_at(requests_[0].at);
  }
  void step(Cycle now) override {
    if (transaction_.busy() || next_ == requests_.size() || now + ahead < due()) return;
    const Cycle at = std::max(now, due());
    const Request& request = requests_[next_++];
    std::array<std::uint64_t, 16> data;
    data.fill(request.value);
    auto& payload = transaction_.begin(request.kind, request.address, request.bytes, data.data());
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = domain().time_of(at) - domain().time_of(now);
    CHECK(socket->nb_transport_fw(payload, phase, delay) == tlm::TLM_ACCEPTED);
  }

 private:
  Cycle due() const {
    return answers.empty() ? requests_[next_].at : std::max(requests_[next_].at, answers.back().last);
  }
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) {
    CHECK(phase == tlm::BEGIN_RESP);
    const Cycle now = main_.cycle_at_kernel_time();
    const MemoryAccess& access = transaction_.answer();
    CHECK(delay == main_.time_of(access.last_word_cycle) - main_.time_of(now));
    const std::uint64_t word = is_atomic(access.kind) ? access.old_value : transaction_.word(0);
    answers.push_back(
        {now, access.first_word_cycle, access.last_word_cycle, word, payload.get_response_status()});
    transaction_.end();
    CHECK(access.takes_delays);
    const Cycle early = next_ % (ahead + 1);
    if (next_ < requests_.size()) wake_at(std::max(now + 1, due() - std::min(due(), early)));
    return tlm::TLM_COMPLETED;
  }

  ClockDomain& main_;
  MemoryTransaction transaction_;
  std::vector<Request> requests_;
  std::size_t next_ = 0;
};

}  // namespace tsuji::host::test
