// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/passthrough_target_socket.h>
#include <string>

#include <cstdint>
#include <systemc>
#include <tlm>

#include "tsuji/core/described.h"
#include "tsuji/core/units.h"
#include "tsuji/host/sparse_memory.h"
#include "tsuji/link/response_queue.h"

namespace tsuji::host {

struct MemoryConfig {
  std::uint64_t bytes = 512ULL << 20;  ///< Kanoh 2000, section 2: up to 512 MB of SDRAM
  double first_word_ns = 100;  ///< latency of the first word (rooms/host.md, Where the paper is silent, 1)
  double word_ns = 12.5;       ///< Time of every further 8 bytes: 8 B x 80 MHz.
  bool allow_dmi = true;
  bool early_completion =
      false;              ///< nb_transport_fw answers at once by TLM_COMPLETED instead of in four phases
  void validate() const;  ///< throws ConfigError
};

/// Main memory as a TLM-2.0 target of the base protocol: blocking, non-blocking (approximately timed) and
/// debug transport, and DMI. Accesses of the non-blocking interface are served one after the other in the
/// order of arrival; their bytes move when the response begins, as byte enables and streaming width say. A
/// direct pointer for reads of a page that was never written points to zeros, and is invalidated when the
/// page is created.
class Memory final : public sc_core::sc_module, public Described {
 public:
  std::string stands_for() const override { return "main memory (Kanoh 2000, section 2)"; }
  Memory(sc_core::sc_module_name name, const MemoryConfig& config);

  tlm_utils::passthrough_target_socket<Memory> socket;

  /// The stored bytes, for loading images and comparing results.
  SparseMemory& storage() { return storage_; }
  const SparseMemory& storage() const { return storage_; }
  /// Grants or refuses direct pointers from now on; a refusal invalidates those that were granted.
  void allow_dmi(bool allow);
  /// True if direct pointers are granted.
  bool allows_dmi() const { return allow_dmi_; }
  /// Clears all contents and invalidates all direct pointers.
  void clear();

 private:
  void b_transport(tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay);
  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& transaction, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay);
  bool get_direct_mem_ptr(tlm::tlm_generic_payload& transaction, tlm::tlm_dmi& dmi);
  unsigned transport_dbg(tlm::tlm_generic_payload& transaction);

  void execute(tlm::tlm_generic_payload& transaction);
  tlm::tlm_response_status check(const tlm::tlm_generic_payload& transaction) const;
  sc_core::sc_time access_time(const tlm::tlm_generic_payload& transaction) const;
  void take_back_pointers();

  const MemoryConfig config_;
  const sc_core::sc_time first_word_, word_;
  SparseMemory storage_;
  bool allow_dmi_;
  ResponseQueue responses_;
  sc_core::sc_time busy_until_;
  bool zero_pointers_ = false;  ///< Direct pointers to pages that do not exist have been granted.
};

}  // namespace tsuji::host
