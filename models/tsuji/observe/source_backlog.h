// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "tsuji/core/packet.h"
#include "tsuji/core/units.h"

namespace tsuji::observe {

/// Mean number of a source's packets that wait, over the standard deviation of its backlog's growth, that one
/// source of twenty at its limit stays below: the 5 % quantile of the mean of a reflected Brownian motion
/// without drift over a unit of time.
inline constexpr double critical_waiting = 0.17;

/// Judgement of the sources' backlog, the packets that a source has offered and that have not ended. A source
/// whose load is carried has a backlog that returns to little; one that gets less than it offers has one that
/// grows without end. rooms/observe.md, Stability.
struct BacklogVerdict {
  enum class Kind {
    stable,       ///< no backlog grows, and each is far below that of a source at its limit
    growing,      ///< a backlog grows more than chance explains
    undecided,    ///< neither is shown
    few_packets,  ///< too few packets are offered for a verdict
  };
  Kind kind = Kind::few_packets;
  std::uint64_t offered = 0;  ///< packets of all sources
  /// Packets that ended over packets offered, of all sources and of the source (or of the neighbouring
  /// sources with few packets) that has the least. 1 where nothing is offered.
  double share = 1, worst_share = 1;
  NodeId worst_source = 0;    ///< the first of them
  double share_noise = 0;     ///< standard deviation of `share` at the limit
  double growth_packets = 0;  ///< of the backlog that grows most against its noise, over the interval
  double growth = 0;          ///< the same over its noise's standard deviation
  double growth_limit = 0;    ///< `growth` above it is no chance
  /// The largest mean number of a source's packets that wait, over the standard deviation of its backlog's
  /// growth. At the limit one source of twenty stays below 0.17.
  double waiting = 0;
  double decides_after = 1;  ///< undecided: factor on the interval's length that would decide, about
};

/// Latency of an undisturbed packet as a straight line over the routers that it visits.
struct UndisturbedLatency {
  double cycles = 0, cycles_a_hop = 0;
};

/// Packets that each source has offered, and packets of it that have ended, in equal parts of an interval,
/// and the latencies of its packets. Sums over parts and sources do not depend on the order of calls.
class SourceBacklog {
 public:
  explicit SourceBacklog(unsigned sources, unsigned parts = 16);

  void offered(NodeId source, std::size_t part) { ++cells_[std::size_t{source} * parts_ + part].offered; }
  /// A packet of the source ends in this part: delivered or dropped.
  void ended(NodeId source, std::size_t part) { ++cells_[std::size_t{source} * parts_ + part].ended; }
  /// A packet that was offered in the interval has been delivered.
  void delivered(NodeId source, Cycle latency, unsigned hops) {
    Latencies& of = latencies_[source];
    of.cycles += latency;
    of.hops += hops;
    ++of.packets;
  }

  unsigned parts() const { return parts_; }
  /// Of the first `parts` parts, `cycles` cycles together. One part alone is judged as if packets came
  /// independently of each other.
  BacklogVerdict judge(std::size_t parts, double cycles, const UndisturbedLatency& undisturbed) const;

 private:
  struct Cell {
    std::uint32_t offered = 0, ended = 0;
  };
  struct Latencies {
    std::uint64_t cycles = 0, hops = 0, packets = 0;
  };
  struct Group;
  std::vector<Group> groups(std::size_t parts) const;
  Group group(NodeId first, NodeId end, std::size_t parts) const;
  static void judge_group(const Group& group, double noise, double cycles,
                          const UndisturbedLatency& undisturbed, BacklogVerdict& worst);

  const unsigned sources_, parts_;
  std::vector<Cell> cells_;  ///< [source][part]
  std::vector<Latencies> latencies_;
};

}  // namespace tsuji::observe
