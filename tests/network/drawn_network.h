// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "network/vc_rig.h"
#include "tsuji/core/random.h"

namespace tsuji::network::test {

/// A small mesh with random times, buffers and virtual channels.
inline NetworkConfig drawn(std::uint64_t seed) {
  CounterRandom random(seed, 12);
  const auto below = [&random](unsigned bound) { return static_cast<unsigned>(random.below(bound)); };
  NetworkConfig config;
  config.topology.kind = "mesh";
  config.topology.of<graph::CubeConfig>().radices = {3, 2};
  config.link_latency_cycles = 1 + below(3);
  VcNetworkConfig& n = config.network;
  n.vcs = 1 + below(3);
  n.buffer_flits = 1 + below(5);
  n.inject_latency_cycles = 1 + below(3);
  n.eject_latency_cycles = 1 + below(3);
  n.flit_cycles = 1 + below(2);
  n.credit_latency_cycles = 1 + below(3);
  n.rc_cycles = 1 + below(3);
  n.router.va_cycles = below(3);
  n.router.sa_cycles = 1 + below(2);
  n.router.st_cycles = below(3);
  n.router.des_cycles = below(3);
  n.router.ser_cycles = below(3);
  return config;
}

/// Packets of one to five flits.
inline TrafficConfig lengths(double flits, Cycle last_cycle) {
  TrafficConfig traffic = load(flits, 1, last_cycle);
  traffic.length = "range";
  traffic.lengths.of<workload::LengthRange>().largest_packet_flits = 5;
  return traffic;
}

}  // namespace tsuji::network::test
