// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "tsuji/core/units.h"
#include "tsuji/graph/node_distances.h"
#include "tsuji/observe/load_measurement.h"

namespace tsuji::observe {

/// Parameters of packet records. A packet ends with the arrival of its last flit, or when it is dropped.
struct PacketRecordsConfig {
  std::string path;  ///< Path of the CSV file.
  /// Components of a latency: column names without their unit, at most PacketRecords::most_parts.
  std::vector<std::string> parts;
  Cycle first_cycle = 0;                  ///< First cycle in which a recorded packet ends.
  Cycle last_cycle = never;               ///< Last cycle in which a recorded packet ends.
  std::vector<std::string> classes = {};  ///< Classes of messages; with any, they are the last column.
};

/// Writer of a CSV file with one line for each packet that ends: source and destination, times, and the
/// components of its latency (birth to arrival of the last flit) in cycles; for a dropped packet the time and
/// cause. Lines are ordered by end, destination and packet, so that the file does not depend on the order in
/// which modules run.
class PacketRecords {
 public:
  static constexpr std::size_t most_parts = 16;  ///< Largest number of components of a latency.

  /// Throws ConfigError if the file cannot be written, ModelError for too many components.
  explicit PacketRecords(const PacketRecordsConfig& config);
  /// Requests sums_by_distance(). Called before the first packet; `distances` must outlive the records.
  void count_distances(const graph::NodeDistances& distances);

  /// Adds a delivered packet, in the cycle of its last flit. `parts` has a value for each component;
  /// ModelError if their sum is not the latency. For an arrival other than `first`, the column of causes
  /// names the arrival.
  void add(const DeliveredPacket& packet, const std::vector<Cycle>& parts);
  /// Adds a dropped packet, in the cycle in which it leaves the network. Its head_cycle and tail_cycle are
  /// ignored, and it has no latency.
  void add_dropped(const DeliveredPacket& packet, Cycle now, const std::string& cause);
  /// Writes the remaining lines. Throws ModelError if the file cannot be written.
  void close();
  /// Sums by a number of hops or links: the number of packets, then cycles of each part. Empty for a number
  /// that no packet has.
  using Sums = std::vector<std::vector<std::uint64_t>>;
  /// Sums of the packets with a latency, by hops.
  Sums sums_by_hops() const;
  /// Sums of those of them that go from node to node, by distance. Empty without count_distances().
  Sums sums_by_distance() const;
  /// True if no packet has ended within the window.
  bool empty() const { return !any_; }

 private:
  /// A line of the present cycle, and its place in `text_`.
  struct Line {
    End destination;
    PacketId id;
    std::size_t first, end;

    bool operator<(const Line& other) const {
      return destination != other.destination ? destination < other.destination : id < other.id;
    }
  };
  bool begins(Cycle end);
  char* room_for(std::size_t bytes);
  void count(unsigned group, const std::vector<Cycle>& parts);
  /// Adds the sums of a group to those of a number.
  static void add_to(Sums& sums, std::size_t number, const std::vector<std::uint64_t>& group);
  /// `end`: of a line at the end of the text, up to its cause.
  void hold(const DeliveredPacket& packet, const char* end, std::string_view cause);
  void append(std::string_view text);
  void write_held();
  void sort_held();
  void flush();

  static constexpr std::size_t text_bytes = 65536;  ///< length from which text is written to the file
  const PacketRecordsConfig config_;
  std::ofstream file_;
  std::vector<char> text_;     ///< lines to be written to the file, and room for more
  std::size_t length_ = 0;     ///< of those lines
  std::vector<Line> held_;     ///< those of the packets that ended in the present cycle, as they ended
  bool held_in_order_ = true;  ///< they need not be sorted
  std::string sorted_;         ///< room of sort_held()
  Cycle held_end_ = 0;         ///< the present cycle
  const graph::NodeDistances* distances_ = nullptr;  ///< may be null
  unsigned distance_groups_ = 1;  ///< of packets with equal hops: those without a distance, and each distance
  Sums sums_;                     ///< [hops * distance_groups_ + distance + 1, or + 0 without one]
  bool any_ = false;
};

}  // namespace tsuji::observe
