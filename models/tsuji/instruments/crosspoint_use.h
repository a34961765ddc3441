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
  /// FIFOs and the links' multicast flits are counted, too: some 100 instructions per packet and switch.
  bool crosspoints = true;
};

/// Adds the keys links.*.
void add_crosspoint_use_keys(config::KeyTable& keys, CrosspointUseConfig& config);

/// Counts of one crosspoint FIFO.
struct FifoUse {
  std::uint64_t packets = 0, flits = 0;
  std::uint64_t multicast_copies = 0;  ///< number of multicast copies among the packets
  /// Sum over packets of the cycles from the head's arrival to the free slot.
  std::uint64_t packet_cycles = 0;
  unsigned most_packets = 0;  ///< largest number at one time
};

/// Counts traffic on the channels of a multistage network and in its crosspoint FIFOs. Constructed after
/// elaboration and before the start; sets probes on channels, which call the probes set before. Without
/// CrosspointUseConfig::crosspoints it sets no probes.
class CrosspointUse {
 public:
  CrosspointUse(network::CrosspointNetwork& network, const CrosspointUseConfig& config);
  ~CrosspointUse();

  /// Counts of FIFO (input, output) of a switch up to cycle `now`; needs CrosspointUseConfig::crosspoints.
  FifoUse fifo(unsigned stage, unsigned switch_index, unsigned input, unsigned output, Cycle now) const;
  /// Adds the tables `links` and `crosspoints`, busiest first, of a run of `cycles` cycles; with links.csv it
  /// also writes links.csv and crosspoints.csv to `folder`.
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
