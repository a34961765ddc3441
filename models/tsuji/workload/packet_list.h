// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tsuji/core/run_time.h"
#include "tsuji/core/units.h"
#include "tsuji/workload/packet_length.h"
#include "tsuji/workload/pattern.h"

namespace tsuji::workload {

/// One packet of a list.
struct ListedPacket {
  Cycle created = 0;
  NodeId destination = 0;
  unsigned flits = 1;
};

/// The largest packet that a network takes, and the reason, for the refusal of a larger one; the last cycle
/// of a run on its clock.
struct PacketListLimits {
  unsigned flits = PacketLengths::most_flits;
  std::string because;
  Cycle last_cycle = longest_run_cycles;
  std::vector<NodeState> states;  ///< per node; empty: all live. A packet with a dead end is refused.
};

/// Packets from a file, one line "CYCLE SOURCE DESTINATION FLITS" each, uncompressed or zstd; '#' begins a
/// comment. The packets of one source stand in the order of their cycles, sources may be mixed. The result
/// has one list for each of `nodes` nodes. ConfigError with file:line:column for whatever is wrong, a packet
/// above the limits included, and for an empty list.
std::vector<std::vector<ListedPacket>> read_packet_list(const std::string& path, unsigned nodes,
                                                        const PacketListLimits& limits = {});

}  // namespace tsuji::workload
