#pragma once

#include <tlm_utils/passthrough_target_socket.h>

#include <array>
#include <cstdint>
#include <systemc>
#include <tlm>

#include "tsuji/host/memory_port.h"
#include "tsuji/host/memory_service.h"
#include "tsuji/link/clock_domain.h"

namespace tsuji::host {

/// A node's memory controller (Kanoh 2000, sections 2 and 4.2): one request at a time for Receiver, Sender
/// and processor. Protocol of link/memory_access.h. A request registered in cycle c (or between c and c + 1)
/// takes part in arbitration from c + 1 on; the priority is fixed: Receiver, Sender, processor. Bytes move,
/// and the cache is asked, in the cycle of the grant; the answer carries the time until its last word. So the
/// order in which the modules of a cycle run does not matter. Effect and cost of a request are decided by
/// MemoryService.
///
/// Requests that cannot be served are answered, in their turn, with a TLM error response: address (not in
/// memory, not a multiple of 4), burst (not 4-byte words within one line, streaming), byte enables, command
/// (not the kind's), generic (no MemoryAccess extension). A protocol violation (a second request of an
/// initiator, an unknown phase, a payload without a manager) is a ModelError.
///
/// b_transport serves a request at once and without contention, with its cost as annotation; transport_dbg
/// sees memory through the cache. Direct pointers are refused, as they would go round the cache.
class MemoryController final : public sc_core::sc_module, public Clocked {
 public:
  /// `memory_bytes`: size of the memory bound to `memory()`.
  MemoryController(sc_core::sc_module_name name, ClockDomain& domain, const MemoryControllerConfig& config,
                   std::uint64_t memory_bytes);

  using TargetSocket = tlm_utils::passthrough_target_socket_tagged<MemoryController>;
  TargetSocket receiver, sender, processor;
  /// Initiator socket towards main memory.
  tlm_utils::simple_initiator_socket<MemoryPort>& memory() { return port_.socket; }
  /// Without a cache every line counts as absent.
  void bind_cache(CacheSnoop& cache) { service_.bind_cache(cache); }

  void step(Cycle now) override;
  const MemoryControllerCounters& counters() const { return service_.counters(); }

 private:
  struct Slot {
    tlm::tlm_generic_payload* transaction = nullptr;
    Cycle eligible = 0;
  };

  TargetSocket& socket_of(MemoryInitiator initiator);
  void register_callbacks(TargetSocket& socket, MemoryInitiator initiator);
  tlm::tlm_sync_enum nb_transport_fw(int id, tlm::tlm_generic_payload& transaction, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay);
  void b_transport(int id, tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay);
  unsigned transport_dbg(int id, tlm::tlm_generic_payload& transaction);
  bool get_direct_mem_ptr(int id, tlm::tlm_generic_payload& transaction, tlm::tlm_dmi& dmi);

  Cycle first_arbitration(const sc_core::sc_time& delay) const;
  MemoryService::Cost serve(MemoryInitiator initiator, tlm::tlm_generic_payload& transaction, Cycle now);
  void grant(MemoryInitiator initiator, Cycle now);

  MemoryPort port_;
  MemoryService service_;
  const sc_core::sc_time first_edge_, period_;
  std::array<Slot, memory_initiators> slots_;
  Cycle free_at_ = 0;
};

}  // namespace tsuji::host
