// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tsuji/core/run_time.h"
#include "tsuji/core/units.h"
#include "tsuji/workload/packet_length.h"
#include "tsuji/workload/pattern.h"

namespace tsuji::workload {

/// A packet of a list.
struct ListedPacket {
  Cycle created = 0;       ///< Cycle of birth.
  NodeId destination = 0;  ///< Node that receives the packet.
  unsigned flits = 1;      ///< Length with header.
  /// Mask of the virtual channels that the packet may take at its source.
  std::uint16_t vcs = 0xffff;
};

/// Limits for a packet list: the largest packet that a network accepts, with the reason for the refusal of a
/// larger one, and the last cycle of a run on its clock.
struct PacketListLimits {
  unsigned flits = PacketLengths::most_flits;  ///< Largest packet in flits.
  std::string because;                         ///< Reason that the refusal of a larger packet quotes.
  Cycle last_cycle = longest_run_cycles;       ///< Last cycle in which a packet may be born.
  unsigned vcs = 16;  ///< Number of virtual channels that a packet may name; 0: none, a line has four fields.
  /// State of each node; empty: all nodes live. A packet from or to a dead node is refused.
  std::vector<NodeState> states;
};

/// Reads packets from a file, one line "CYCLE SOURCE DESTINATION FLITS [VC]" each, uncompressed or zstd; '#'
/// begins a comment. VC is the virtual channel that the packet takes at its source. The packets of one source
/// must be ordered by cycle; sources may be interleaved. Returns one list for each of `nodes` nodes. Throws
/// ConfigError with file:line:column for malformed lines, packets beyond `limits`, and an empty list.
std::vector<std::vector<ListedPacket>> read_packet_list(const std::string& path, unsigned nodes,
                                                        const PacketListLimits& limits = {});

}  // namespace tsuji::workload
