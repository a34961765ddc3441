// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/passthrough_target_socket.h>
#include <string>

#include <array>
#include <cstdint>
#include <memory>
#include <systemc>
#include <tlm>
#include <vector>

#include "tsuji/clock/clock_domain.h"
#include "tsuji/core/described.h"
#include "tsuji/host/generic_access.h"
#include "tsuji/host/memory_port.h"
#include "tsuji/host/memory_service.h"

namespace tsuji::host {

/// A node's memory controller (Kanoh 2000, sections 2 and 4.2): serves one request at a time of Receiver,
/// Sender, processor and further initiators, as TLM-2.0 targets of the base protocol. A request registered in
/// cycle c (or between c and c + 1) takes part in arbitration from c + 1 on. The priority is fixed: Receiver,
/// Sender, processor, then the others in the order of add_initiator(). Bytes move and the cache is snooped in
/// the cycle of the grant; the response (BEGIN_RESP) comes in that cycle and carries the time until its last
/// word. The order in which modules run within a cycle therefore does not matter. MemoryService determines
/// the effect and the time of a request.
///
/// A payload with a MemoryAccess extension is handled as the extension says. Any other payload is a generic
/// access (generic_access.h) of any length, alignment, byte enables and streaming width, divided into lines
/// that are each arbitrated. Generic accesses are coherent; without a bound cache they take the time of
/// noncoherent ones.
///
/// b_transport takes part in arbitration like any other request, at the time of its annotation, and returns
/// at the grant with the time until the last word as annotation. An initiator that delays END_RESP only
/// delays its own next grant. Direct pointers are granted while no cache is bound; accesses by them do not
/// contend. transport_dbg accesses memory through the cache.
///
/// Requests that cannot be served get a TLM error response in their turn: address error (outside the memory,
/// or not a multiple of 4), burst error (not 4-byte words within one line, or streaming), byte enable error,
/// command error (a command that the kind does not have), generic error (no data). Alignment, line, streaming
/// and byte enables are limits of requests with the extension. A violation of the base protocol is a
/// ModelError.
///
/// A memory that grants no direct pointers is accessed by b_transport from a thread of the controller. Its
/// time counts as far as it exceeds the memory's part of the controller's own time.
class MemoryController final : public sc_core::sc_module, public Clocked, public Described {
 public:
  std::string stands_for() const override {
    return "memory controller, coherent with the cache (Kanoh 2000, section 4.2)";
  }
  /// `memory_bytes` is the size of the memory bound to memory().
  MemoryController(sc_core::sc_module_name name, ClockDomain& domain, const MemoryControllerConfig& config,
                   std::uint64_t memory_bytes);

  using TargetSocket = tlm_utils::passthrough_target_socket_tagged<MemoryController>;
  TargetSocket receiver, sender, processor;
  /// Adds the socket of one more initiator: "socket" of a module named `name` in the module under
  /// construction. Call it before the simulation starts.
  TargetSocket& add_initiator(const char* name);
  /// Initiator socket towards main memory.
  tlm_utils::simple_initiator_socket<MemoryPort>& memory() { return port_.socket; }
  /// Binds the processor's cache. Without a cache, every line counts as absent.
  void bind_cache(CacheSnoop& cache) { service_.bind_cache(cache); }

  void step(Cycle now) override;
  const MemoryControllerCounters& counters() const { return service_.counters(); }

 private:
  struct Further final : sc_core::sc_module {
    explicit Further(sc_core::sc_module_name name) : sc_module(name), socket("socket") {}
    TargetSocket socket;
  };
  /// A call of b_transport that waits for its grant.
  struct Caller {
    sc_core::sc_event granted{sc_core::sc_gen_unique_name("granted")};
    Cycle end = 0;
  };
  struct Waiting {
    tlm::tlm_generic_payload* transaction = nullptr;
    Cycle eligible = never;
    unsigned done = 0;         ///< Bytes of a generic access that have moved.
    Caller* caller = nullptr;  ///< Null for a non-blocking request.
  };
  static constexpr std::size_t most_places = 64;
  /// Requests of an initiator: one non-blocking request, and those of its threads.
  struct Place {
    /// Cycle from which the next request may be granted; `never`: there is no request, or a response is in
    /// progress.
    Cycle eligible = never;
    MemoryInitiator initiator = MemoryInitiator::other;
    bool has_pointers = false;
    std::uint8_t number = 0;
    TargetSocket* socket = nullptr;
    Waiting request;
    /// Payload whose BEGIN_RESP was sent and whose END_RESP has not come.
    tlm::tlm_generic_payload* responding = nullptr;
    std::vector<Waiting> callers;  ///< Ordered by time, earliest first.
  };
  /// A granted request, or the granted part of a generic access.
  struct Turn {
    MemoryService::Request request;
    tlm::tlm_response_status status = tlm::TLM_OK_RESPONSE;
    bool moves = true;  ///< Bytes move; otherwise the request is refused or ignored.
    bool last = true;   ///< This grant completes the request.
    MemoryAccess* access = nullptr;
  };
  /// A grant that waits for a memory without direct pointers.
  struct Outside {
    bool busy = false, done = false;
    unsigned place = 0;
    Cycle granted = 0;
    Turn turn;
    MemoryService::Cost cost;
  };

  void add_place(TargetSocket& socket, MemoryInitiator initiator);
  tlm::tlm_sync_enum nb_transport_fw(int id, tlm::tlm_generic_payload& transaction, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay);
  void b_transport(int id, tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay);
  unsigned transport_dbg(int id, tlm::tlm_generic_payload& transaction);
  bool get_direct_mem_ptr(int id, tlm::tlm_generic_payload& transaction, tlm::tlm_dmi& dmi);

  sc_core::sc_time span(Cycle cycles) const;
  Cycle first_arbitration(const sc_core::sc_time& delay) const;
  static Waiting& next(Place& place);
  void set_eligible(Place& place, Cycle cycle);
  void look_again(Place& place);
  tlm::tlm_sync_enum take_phase(Place& place, const tlm::tlm_generic_payload& transaction,
                                const tlm::tlm_phase& phase, const sc_core::sc_time& delay);
  tlm::tlm_sync_enum end_response(Place& place, const tlm::tlm_generic_payload& transaction,
                                  const sc_core::sc_time& delay);
  tlm::tlm_response_status extended_request(const Place& place, const tlm::tlm_generic_payload& transaction,
                                            MemoryService::Request& request, MemoryAccessKind kind) const;
  Turn turn_of(const Place& place, const Waiting& waiting) const;
  void grant(unsigned number, Cycle now);
  bool grant_extended(Place& place, Cycle now);
  void grant_any(unsigned number, Cycle now);
  void complete(unsigned number, const Turn& turn, const MemoryService::Cost& cost, Cycle granted, Cycle now);
  void respond(Place& place, tlm::tlm_generic_payload& transaction, Cycle delay);
  void go_outside(unsigned number, const Turn& turn, Cycle now);
  void serve_outside();
  void come_back(Cycle now);
  void invalidate(std::uint64_t start, std::uint64_t end);
  [[noreturn]] void protocol_error(Cycle cycle, const char* what) const;

  MemoryPort port_;
  MemoryService service_;
  const sc_core::sc_time period_;
  std::array<sc_core::sc_time, 64> spans_;  ///< [cycles]
  std::vector<Place> places_;               ///< In the order of priority.
  std::uint64_t asking_ = 0;                ///< One bit for each place that has an eligible cycle.
  Cycle free_at_ = 0;
  std::vector<std::unique_ptr<Further>> further_;
  std::vector<std::unique_ptr<Caller>> callers_;
  std::vector<Caller*> resting_;      ///< Callers that are not waiting.
  std::unique_ptr<Outside> outside_;  ///< Null until it is needed.
  sc_core::sc_event outside_event_{"outside"};
};

}  // namespace tsuji::host
