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
#include "tsuji/host/memory_port.h"
#include "tsuji/host/memory_service.h"
#include "tsuji/host/plain_access.h"

namespace tsuji::host {

/// A node's memory controller (Kanoh 2000, sections 2 and 4.2): one request at a time for Receiver, Sender,
/// processor and further initiators, as TLM-2.0 targets of the base protocol. A request registered in cycle c
/// (or between c and c + 1) takes part in arbitration from c + 1 on; the priority is fixed: Receiver, Sender,
/// processor, then the others in the order of add_initiator(). Bytes move, and the cache is asked, in the
/// cycle of the grant; the answer (BEGIN_RESP) comes in that cycle and carries the time until its last word.
/// So the order in which the modules of a cycle run does not matter. Effect and cost of a request are decided
/// by MemoryService.
///
/// Payloads with a MemoryAccess extension do what that says. Others are plain accesses (plain_access.h): of
/// any length, alignment, byte enables and streaming width, a line at a time, each with an arbitration of its
/// own. They are coherent; without a bound cache, where nobody has to be asked, they cost what noncoherent
/// ones do.
///
/// b_transport takes part in arbitration like any other request, at the time of its annotation, and returns
/// at the grant with the time until the last word as annotation. An initiator that delays END_RESP delays its
/// own next grant only. Direct pointers are granted while no cache is bound; accesses by them do not contend.
/// transport_dbg sees memory through the cache.
///
/// Requests that cannot be served are answered, in their turn, with a TLM error response: address (not in
/// memory; not a multiple of 4), burst (not 4-byte words within one line, streaming), byte enables, command
/// (not the kind's), generic (no data). Alignment, line, streaming and byte enables are limits of the
/// extension's kinds. A violation of the base protocol is a ModelError.
///
/// A memory that grants no direct pointers is reached by b_transport from a thread of the controller's. The
/// time that it takes counts as far as it is longer than the memory's part of the controller's own.
class MemoryController final : public sc_core::sc_module, public Clocked, public Described {
 public:
  std::string stands_for() const override {
    return "memory controller, coherent with the cache (Kanoh 2000, section 4.2)";
  }
  /// `memory_bytes`: size of the memory bound to `memory()`.
  MemoryController(sc_core::sc_module_name name, ClockDomain& domain, const MemoryControllerConfig& config,
                   std::uint64_t memory_bytes);

  using TargetSocket = tlm_utils::passthrough_target_socket_tagged<MemoryController>;
  TargetSocket receiver, sender, processor;
  /// The socket of one more initiator, before the simulation starts: "socket" of a module of this name in the
  /// module that is being made.
  TargetSocket& add_initiator(const char* name);
  /// Initiator socket towards main memory.
  tlm_utils::simple_initiator_socket<MemoryPort>& memory() { return port_.socket; }
  /// Without a cache every line counts as absent.
  void bind_cache(CacheSnoop& cache) { service_.bind_cache(cache); }

  void step(Cycle now) override;
  const MemoryControllerCounters& counters() const { return service_.counters(); }

 private:
  struct Further final : sc_core::sc_module {
    explicit Further(sc_core::sc_module_name name) : sc_module(name), socket("socket") {}
    TargetSocket socket;
  };
  /// A call of b_transport that waits for its turn.
  struct Caller {
    sc_core::sc_event granted{sc_core::sc_gen_unique_name("granted")};
    Cycle end = 0;
  };
  struct Waiting {
    tlm::tlm_generic_payload* transaction = nullptr;
    Cycle eligible = never;
    unsigned done = 0;         ///< bytes of a plain access that have moved
    Caller* caller = nullptr;  ///< null: non-blocking
  };
  static constexpr std::size_t most_places = 64;
  /// Requests of an initiator: one non-blocking, and those of its threads.
  struct Place {
    Cycle eligible = never;  ///< of the request that is next; never: there is none, or a response lasts
    MemoryInitiator initiator = MemoryInitiator::other;
    bool has_pointers = false;
    std::uint8_t number = 0;
    TargetSocket* socket = nullptr;
    Waiting request;
    tlm::tlm_generic_payload* responding = nullptr;  ///< BEGIN_RESP was sent, END_RESP has not come
    std::vector<Waiting> callers;                    ///< earliest first
  };
  /// A request, or the part of a plain one, that has its turn.
  struct Turn {
    MemoryService::Request request;
    tlm::tlm_response_status status = tlm::TLM_OK_RESPONSE;
    bool moves = true;  ///< bytes; else it is refused or ignored
    bool last = true;   ///< nothing is left of it then
    MemoryAccess* access = nullptr;
  };
  /// The turn that waits for a memory without direct pointers.
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
  const sc_core::sc_time first_edge_, period_;
  std::vector<Place> places_;  ///< in the order of priority
  std::uint64_t asking_ = 0;   ///< bit per place: it has an eligible cycle
  Cycle free_at_ = 0;
  std::vector<std::unique_ptr<Further>> further_;
  std::vector<std::unique_ptr<Caller>> callers_;
  std::vector<Caller*> resting_;      ///< those of them that do not wait
  std::unique_ptr<Outside> outside_;  ///< null: never needed
  sc_core::sc_event outside_event_{"outside"};
};

}  // namespace tsuji::host
