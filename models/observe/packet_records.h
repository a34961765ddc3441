#pragma once

#include <fstream>
#include <string>
#include <vector>

#include "core/units.h"
#include "observe/load_measurement.h"

namespace tsuji::observe {

struct PacketRecordsConfig {
  std::string path;                ///< of the CSV file
  std::vector<std::string> parts;  ///< what a latency is made of, as names of columns without their unit
  Cycle first_cycle = 0;           ///< packets whose last flit arrives from this cycle on
  Cycle last_cycle = never;        ///< up to this one
};

/// One line of a CSV file for every packet that is delivered: who, when, and where its latency (birth to the
/// last flit's arrival) went, in cycles. Lines are in the order of the last flits' arrivals, then of
/// destinations, then of packets: the file does not depend on the order in which modules ran.
class PacketRecords {
 public:
  /// ConfigError if the file cannot be written.
  explicit PacketRecords(const PacketRecordsConfig& config);

  bool wanted(const DeliveredPacket& packet) const {
    return packet.tail_cycle >= config_.first_cycle && packet.tail_cycle <= config_.last_cycle;
  }
  /// In the cycle of its last flit. `parts` has a value for each name; ModelError if they do not add up to
  /// the latency.
  void add(const DeliveredPacket& packet, const std::vector<Cycle>& parts);
  /// Writes the rest; ModelError if that fails.
  void close();

 private:
  struct Line {
    DeliveredPacket packet;
    std::vector<Cycle> parts;
  };
  void write_held();

  const PacketRecordsConfig config_;
  std::ofstream file_;
  std::vector<Line> held_;  ///< of one cycle
};

}  // namespace tsuji::observe
