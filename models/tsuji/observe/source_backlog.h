// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "tsuji/core/packet.h"
#include "tsuji/core/units.h"

namespace tsuji::observe {

/// Threshold for the mean number of a source's waiting packets, divided by the standard deviation of its
/// backlog's growth. One source in twenty at its saturation limit is below it: the 5 % quantile of the mean
/// of a reflected Brownian motion without drift over a unit of time.
inline constexpr double critical_waiting = 0.17;

/// Verdict on the sources' backlogs. The backlog of a source is the number of packets that it has offered and
/// that have not ended. It is bounded below saturation, and grows without limit above
/// (topics/measurement.md, Stability).
struct BacklogVerdict {
  /// Kind of verdict.
  enum class Kind {
    stable,       ///< no backlog grows, and each is far below that of a source at its saturation limit
    growing,      ///< a backlog grows significantly
    undecided,    ///< neither `stable` nor `growing` is shown
    few_packets,  ///< too few packets are offered for a verdict
  };
  Kind kind = Kind::few_packets;
  std::uint64_t offered = 0;  ///< packets offered by all sources
  double share = 1,           ///< packets that ended over packets offered; 1 without offered packets
      worst_share = 1;  ///< least share of a source, or of a group of neighbouring sources with few packets
  NodeId worst_source = 0;  ///< source with this share, the first of a group
  double share_noise = 0;   ///< standard deviation of `share` at the saturation limit
  double growth_packets =
      0;                    ///< growth in packets over the interval, of the backlog with the largest `growth`
  double growth = 0;        ///< growth of this backlog divided by the standard deviation of its noise
  double growth_limit = 0;  ///< significance threshold of `growth`
  /// Largest mean number of a source's waiting packets, divided by the standard deviation of its backlog's
  /// growth (critical_waiting).
  double waiting = 0;
  double decides_after = 1;  ///< undecided: estimated factor on the interval's length for a decision
};

/// Latency of an undisturbed packet, as a linear function of its hops.
struct UndisturbedLatency {
  double cycles = 0,     ///< latency without hops
      cycles_a_hop = 0;  ///< additional cycles for each router
};

/// Counts of the packets that each source has offered and of those that have ended, in equal parts of an
/// interval, with the packets' latencies. Results do not depend on the order of calls.
class SourceBacklog {
 public:
  explicit SourceBacklog(unsigned sources, unsigned parts = 16);

  /// Counts a packet that the source offers in this part.
  void offered(NodeId source, std::size_t part) { count(&Counts::offered, &Cell::offered, source, part); }
  /// Counts a packet of the source that is delivered or dropped in this part.
  void ended(NodeId source, std::size_t part) { count(&Counts::ended, &Cell::ended, source, part); }
  /// Counts the delivery of a packet that was offered in the interval.
  void delivered(NodeId source, Cycle latency, unsigned hops) {
    Latencies& of = latencies_[source];
    of.cycles += latency;
    of.hops += hops;
    ++of.packets;
  }

  unsigned parts() const { return parts_; }
  /// Packets that the source has offered.
  std::uint64_t offered(NodeId source) const { return offered_in(source, parts_); }
  /// Packets of the source that were offered in the interval and delivered.
  std::uint64_t delivered(NodeId source) const { return latencies_[source].packets; }
  /// Sum of the latencies of these packets.
  std::uint64_t latency_sum(NodeId source) const { return latencies_[source].cycles; }
  /// Verdict on the first `parts` parts, which last `cycles` cycles together. With a single part, births are
  /// assumed to be independent.
  BacklogVerdict judge(std::size_t parts, double cycles, const UndisturbedLatency& undisturbed) const;

 private:
  struct Counts {
    std::uint64_t offered = 0, ended = 0;
  };
  /// Low 16 bits of the counts of a part. Every rank of a run has those of all sources and parts.
  struct Cell {
    std::uint16_t offered = 0, ended = 0;
  };
  struct Latencies {
    std::uint64_t cycles = 0, hops = 0, packets = 0;
  };
  struct Group;
  void count(std::uint64_t Counts::*carried, std::uint16_t Cell::*low, NodeId source, std::size_t part) {
    const std::size_t cell = std::size_t{source} * parts_ + part;
    if (++(cells_[cell].*low) == 0) carried_[cell].*carried += std::uint64_t{1} << 16;
  }
  std::uint64_t offered_in(NodeId source, std::size_t parts) const;
  template <class Visit>
  void visit_carried(NodeId first, NodeId end, std::size_t parts, const Visit& visit) const;
  std::vector<NodeId> groups(std::size_t parts) const;
  Group group(NodeId first, NodeId end, std::size_t parts) const;
  static void judge_group(const Group& group, double noise, double cycles,
                          const UndisturbedLatency& undisturbed, BacklogVerdict& worst);

  const unsigned sources_, parts_;
  std::vector<Cell> cells_;                ///< [source][part]
  std::map<std::size_t, Counts> carried_;  ///< [index of the cell]: counts beyond those of the cell
  std::vector<Latencies> latencies_;
};

}  // namespace tsuji::observe
