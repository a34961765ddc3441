// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "tsuji/core/random.h"
#include "tsuji/graph/topology.h"

namespace tsuji::platform {

/// Destinations of uniform traffic that enters by one port of a torus of odd radices with one node a router,
/// under dimension order (Hirasawa 2020, section 6.2). Packets in dimension d have the port's coordinates
/// below d, any coordinates above d, and in d at most the remaining hops of the longest route, K / 2. The
/// rate of a destination is proportional to the number of sources upstream of the port.
class PortTraffic {
 public:
  /// ConfigError of topology.* for any other topology.
  PortTraffic(const graph::Topology& topology, const graph::PortRef& in);

  /// Number of distinct destinations; of the paper's eq. 2.
  std::uint64_t destinations() const { return hops_ * beyond_; }
  /// Draws a destination with the probability of its packets among all that pass the port.
  NodeId draw(CounterRandom& random) const;
  /// Destination number `index`.
  NodeId destination(std::uint64_t index) const { return node(index / beyond_, index % beyond_); }

 private:
  NodeId node(std::uint64_t hops, std::uint64_t beyond) const;

  const std::vector<unsigned>& radices_;
  const graph::Coordinates here_;  ///< coordinates of the port's router
  unsigned dimension_ = 0;
  bool up_ = true;
  bool injection_;
  NodeId own_ = 0;            ///< the port's node, for an injection port
  std::uint64_t hops_ = 1;    ///< further hops in the dimension, 0 .. hops_ - 1
  std::uint64_t beyond_ = 1;  ///< combinations of the coordinates above it
};

}  // namespace tsuji::platform
