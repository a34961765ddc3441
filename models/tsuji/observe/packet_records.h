// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fstream>
#include <string>
#include <vector>

#include "tsuji/core/units.h"
#include "tsuji/observe/load_measurement.h"

namespace tsuji::observe {

struct PacketRecordsConfig {
  std::string path;                ///< of the CSV file
  std::vector<std::string> parts;  ///< parts of a latency, as names of columns without their unit
  Cycle first_cycle = 0;           ///< packets whose last flit arrives, or that are dropped, from then on
  Cycle last_cycle = never;        ///< up to this one
};

/// One line of a CSV file for every packet that ends: who, when, and where its latency (birth to the last
/// flit's arrival) went, in cycles; or when it was dropped and why. Lines are in the order of the packets'
/// ends, then of destinations, then of packets: the file does not depend on the order in which modules ran.
class PacketRecords {
 public:
  /// ConfigError if the file cannot be written.
  explicit PacketRecords(const PacketRecordsConfig& config);

  /// In the cycle of its last flit. `parts` has a value for each name; ModelError if they do not add up to
  /// the latency. A packet that does not count has its standing in the place of a cause.
  void add(const DeliveredPacket& packet, const std::vector<Cycle>& parts);
  /// In the cycle in which it is taken out of the network. Nothing has arrived of it: its head_cycle and
  /// tail_cycle are not looked at, and it has no latency.
  void add_dropped(const DeliveredPacket& packet, Cycle now, const std::string& cause);
  /// Writes the rest; ModelError if that fails.
  void close();
  /// No packet has come within the window so far.
  bool empty() const { return !any_; }

 private:
  struct Line {
    Cycle end;
    DeliveredPacket packet;
    std::vector<Cycle> parts;
    std::string cause;  ///< empty: delivered
  };
  void hold(Line line);
  void write(const Line& line);
  void write_held();

  const PacketRecordsConfig config_;
  std::ofstream file_;
  std::vector<Line> held_;  ///< of one cycle
  bool any_ = false;
};

}  // namespace tsuji::observe
