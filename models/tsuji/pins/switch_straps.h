// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "tsuji/graph/multistage.h"

namespace tsuji::crosspoint {

/// A switch's place in its network as its RTL has it at the route_* and sync_* pins, found by queries of the
/// switch's route. Indices as at the pins.
struct SwitchStraps {
  static constexpr unsigned group_nodes = 64;  ///< nodes of a map
  explicit SwitchStraps(unsigned ports)
      : fixed(ports), first(ports * ports), last(ports * ports), from(ports), to(ports) {}
  SwitchStraps(const graph::SwitchRoute& route, unsigned ports);

  std::vector<std::uint32_t>
      fixed;  ///< [output]: port bits of every packet there; 0: they depend on the packet
  std::vector<std::uint32_t> first,
      last;  ///< [output * ports + q]: nodes first .. last - 1 are downstream of output q of the next switch
  std::vector<std::uint64_t> from;  ///< [input]: nodes whose synchronizations come in there
  std::vector<std::uint64_t> to;    ///< [output]: nodes downstream that synchronizations serve

  bool operator==(const SwitchStraps& other) const;
};

}  // namespace tsuji::crosspoint
