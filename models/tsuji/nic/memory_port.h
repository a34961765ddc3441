// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <tlm>

#include "tsuji/clock/clock_domain.h"
#include "tsuji/link/memory_access.h"
#include "tsuji/nic/nic_counters.h"
#include "tsuji/nic/nic_events.h"

namespace tsuji::nic {

/// A half's port to its node's memory: one request at a time, in the protocol of link/memory_access.h. A
/// response of the controller in cycle g is visible from g + 1 on, so that the order of modules within a
/// cycle does not matter. After an error response the words that were read are 0, and the event
/// `memory_error` is raised.
///
/// Contract, for each request: issue() while idle(); the answer's words once complete(); then finish().
class MemoryPort final : public tlm::tlm_bw_transport_if<> {
 public:
  /// Responses wake `owner`. `module` is the owner's name in errors; `requests` is incremented for each
  /// request.
  MemoryPort(tlm::tlm_initiator_socket<>& socket, Clocked& owner, const sc_core::sc_object& module,
             PerAccessKind& requests, NicHalf half, NicEvents& events);

  /// True if a request may be issued in cycle `now`: from the cycle of the previous request's last word on.
  bool idle(Cycle now) const { return now >= free_at_; }
  /// Cycle from which the port is idle; `never` while it depends on a response, which then wakes the owner.
  Cycle idle_at() const { return free_at_; }

  /// Issues a request. `wake_on_grant` wakes the owner as soon as the times of the words are known; otherwise
  /// it is woken at the last word.
  void issue(Cycle now, MemoryAccessKind kind, std::uint64_t address, unsigned bytes,
             const void* data = nullptr, bool wake_on_grant = false);
  /// issue() for the cycle `now` + `delay`, by an annotation. Requires takes_delays().
  void issue_later(Cycle now, Cycle delay, MemoryAccessKind kind, std::uint64_t address, unsigned bytes,
                   const void* data = nullptr);
  /// MemoryAccess::takes_delays of the last answer.
  bool takes_delays() const { return answer().takes_delays; }
  /// True if the times of the response are known.
  bool granted(Cycle now) const { return granted_ < now; }
  /// True if all words have arrived, or the write is done.
  bool complete(Cycle now) const { return granted(now) && now >= answer().last_word_cycle; }
  const MemoryAccess& answer() const { return transaction_.answer(); }
  const unsigned char* data() const { return transaction_.data(); }
  std::uint64_t word(unsigned index) const { return transaction_.word(index); }
  /// Ends the request after its answer has been read; the port is idle from the last word on.
  void finish();

 private:
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& time) override;
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
  void send(Cycle at, MemoryAccessKind kind, std::uint64_t address, unsigned bytes, const void* data,
            sc_core::sc_time delay);
  void end_response(tlm::tlm_sync_enum answer, sc_core::sc_time time);
  void answered(const sc_core::sc_time& time);
  void answered_without_times(const sc_core::sc_time& time);
  void take_error(Cycle now);
  [[noreturn]] void fail(Cycle now, const std::string& what) const;

  tlm::tlm_initiator_socket<>& socket_;
  Clocked& owner_;
  const sc_core::sc_object& module_;
  PerAccessKind& requests_;
  const NicHalf half_;
  NicEvents& events_;
  MemoryTransaction transaction_;
  Cycle issued_ = 0;
  Cycle granted_ = never;  ///< never: no answer yet, or no request
  Cycle free_at_ = 0;      ///< never: a request is outstanding
  bool wake_on_grant_ = false;
};

}  // namespace tsuji::nic
