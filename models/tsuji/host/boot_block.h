// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/passthrough_target_socket.h>

#include <array>
#include <cstdint>
#include <string>
#include <systemc>
#include <tlm>

#include "tsuji/core/described.h"
#include "tsuji/core/units.h"
#include "tsuji/host/os_agent.h"
#include "tsuji/link/response_queue.h"
#include "tsuji/nic/interface_values.h"

namespace tsuji::host {

/// Facts of a platform that the operating system's agent does not know.
struct BootFacts {
  NodeId node = 0;                   ///< Number of the node.
  unsigned nodes = 0;                ///< Number of nodes.
  Picoseconds clock_period_ps = 0;   ///< Clock of network and interface.
  std::uint64_t registers = 0;       ///< Address of the interface's registers in the processor's map.
  std::uint64_t interrupt_unit = 0;  ///< Address of the interrupt unit in the processor's map.
  std::uint64_t memory_bytes = 0;    ///< Bytes of main memory.
};

/// Words of `fields::boot_block`.
using BootWords = std::array<std::uint64_t, nic::fields::boot_block::bytes / 8>;
/// The boot block of the task `task` of a node.
BootWords boot_words(const OsAgent& os, const BootFacts& facts, unsigned task = 0);

/// Region that software reads at its start, as a TLM-2.0 target of the base protocol: blocking, non-blocking
/// and debug transport, and direct pointers for reads. A write gets TLM_COMMAND_ERROR_RESPONSE. No access
/// takes time.
class BootBlock final : public sc_core::sc_module, public Described {
 public:
  std::string stands_for() const override { return "boot ROM of a virtual platform"; }
  /// A region with these words from address 0 on.
  BootBlock(sc_core::sc_module_name name, const BootWords& words);

  /// Target: the region.
  tlm_utils::passthrough_target_socket<BootBlock> socket;

 private:
  void serve(tlm::tlm_generic_payload& payload);
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& time);
  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& time);
  bool get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi);
  unsigned transport_dbg(tlm::tlm_generic_payload& payload);

  std::array<unsigned char, nic::fields::boot_block::bytes> bytes_{};
  ResponseQueue responses_;
};

}  // namespace tsuji::host
