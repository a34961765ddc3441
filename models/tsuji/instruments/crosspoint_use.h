// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tsuji/config/key_table.h"
#include "tsuji/core/units.h"
#include "tsuji/network/crosspoint/crosspoint_network.h"
#include "tsuji/observe/link_report.h"
#include "tsuji/results/results.h"

namespace tsuji::instruments {

struct CrosspointUseConfig {
  observe::LinkReportConfig links;  ///< rows and files of both tables
  bool crosspoints = true;  ///< FIFOs and the links' multicast flits are counted, too: some 100 instructions
                            ///< a packet and switch
};

/// Binds the keys links.*.
void add_crosspoint_use_keys(config::KeyTable& keys, CrosspointUseConfig& config);

/// Traffic of one crosspoint FIFO.
struct FifoUse {
  std::uint64_t packets = 0, flits = 0;
  std::uint64_t multicast_copies = 0;  ///< among the packets
  std::uint64_t packet_cycles = 0;  ///< sum over packets of the time from the head's arrival to the free slot
  unsigned most_packets = 0;        ///< at one time
};

/// Counts what passes the channels of a multistage network and lies in its crosspoint FIFOs. Made after
/// elaboration and before the start; hangs probes on channels, before those that are there. Without
/// CrosspointUseConfig::crosspoints it has no probes.
class CrosspointUse {
 public:
  CrosspointUse(network::CrosspointNetwork& network, const CrosspointUseConfig& config);
  ~CrosspointUse();

  /// Of a switch's FIFO (input, output) after the cycles before `now`, with CrosspointUseConfig::crosspoints.
  FifoUse fifo(unsigned stage, unsigned switch_index, unsigned input, unsigned output, Cycle now) const;
  /// The tables `links` and `crosspoints`, busiest first, of a run of `cycles` cycles, and with links.csv
  /// links.csv and crosspoints.csv in `folder`.
  void report(Cycle cycles, const std::string& folder, observe::Results& results) const;

 private:
  class LinkUse;
  void report_links(Cycle cycles, const std::string& folder, observe::Results& results) const;
  void report_crosspoints(Cycle cycles, const std::string& folder, observe::Results& results) const;

  network::CrosspointNetwork& network_;
  const CrosspointUseConfig config_;
  std::vector<std::vector<std::unique_ptr<LinkUse>>> links_;  ///< [stage][line] of the network's channels
};

}  // namespace tsuji::instruments
