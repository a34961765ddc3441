// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <iosfwd>
#include <map>
#include <string>

#include "tsuji/lookup/switch_lookup.h"
#include "tsuji/observe/load_measurement.h"

namespace tsuji::session {

/// Comparison of the latencies of two runs.
struct LatencyScore {
  std::uint64_t packets = 0, equal = 0, later = 0, earlier = 0;
  std::uint64_t lost = 0;  ///< packets in only one of the runs, or with another source or destination
  std::int64_t most_later = 0, most_earlier = 0, later_sum = 0;
  double mean_before = 0;
  double mean() const {
    return mean_before + (packets == 0 ? 0 : static_cast<double>(later_sum) / static_cast<double>(packets));
  }
};

/// The earliest difference of two runs.
struct RunDifference {
  Cycle cycle = 0;     ///< cycle of the earlier tail; 0: no packet differs
  std::string packet;  ///< name of the packet; empty: no packet differs
  std::string text;    ///< description with the numbers of both runs; empty: no difference
};

/// Record of a network's run for the comparison with another run: cycles of every packet, and look-ups of
/// every switch.
class RunRecord {
 public:
  struct Packet {
    NodeId source = 0, destination = 0;
    Cycle injected = 0, head = 0, tail = 0;
  };
  struct Switch {
    std::uint64_t lookups, hits, misses;
  };
  /// Flits that left a router.
  struct Router {
    std::uint64_t flits = 0;
  };
  void add(const observe::DeliveredPacket& packet);
  void add(std::uint32_t router, const lookup::LookupCounters& counters);

  void add_router(std::uint32_t router, std::uint64_t flits) { routers_[router] = {flits}; }

  const std::map<std::uint64_t, Packet>& packets() const { return packets_; }

  /// Writes lines "packet,ID,...", "switch,ROUTER,..." and "router,ROUTER,...".
  void write(std::ostream& out) const;
  /// Reads a record. ConfigError of compare.against, with line and column, for a file that is not a record.
  static RunRecord read(const std::string& path);
  /// The first packet that differs, otherwise the first switch, otherwise the first router.
  RunDifference difference(const RunRecord& before, const std::string& name) const;
  /// Number of cycles by which this run's packets are later, from their injection on, than those of run
  /// `before`.
  LatencyScore score(const RunRecord& before) const;

 private:
  std::map<std::uint64_t, Packet> packets_;
  std::map<std::uint64_t, Switch> switches_;
  std::map<std::uint64_t, Router> routers_;
};

}  // namespace tsuji::session
