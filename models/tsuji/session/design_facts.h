// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace tsuji::session {

struct NetworkRunConfig;

/// Facts of networks, one after the other. Topology, hardware, paths and channel loads of the last network,
/// or the refusal of its paths, are kept for the next one if both differ only in keys on which these do not
/// depend, as they take almost all of the time.
class DesignFacts {
 public:
  struct Flows;         ///< Sums over the channels of a network.
  struct ChannelLoads;  ///< Loads of the channels, and their sums.
  struct Hardware;      ///< Ports, channels and buffers.
  struct Paths;         ///< Network that is kept.
  DesignFacts();
  ~DesignFacts();
  DesignFacts(const DesignFacts&) = delete;
  DesignFacts& operator=(const DesignFacts&) = delete;
  /// Facts of a network that need no simulation, as a JSON document (--print-design):
  /// - routers, nodes, router_ports (of the largest router), router_ports_total;
  /// - link_channels (one for each direction), link_tiles (their lengths, in distances of neighbouring
  ///   coordinates; 1 for each link without coordinates), bisection_channels (null without coordinates),
  ///   buffer_flits (room of all input buffers);
  /// - table_bits: of the routing tables of all routers and their state against deadlock, with routing.kind
  ///   compact and source_table on a network whose routers have coordinates; else null;
  /// - router_cycles: latency of a head that waits nowhere; with look-up hardware that of a hit, else of its
  ///   memory, and router_cycles_miss;
  /// - for open-loop traffic capacity_bound_flits_per_node_cycle with _kind and _at, hops_mean,
  ///   link_cycles_mean (of a packet, over all its links), packet_flits_mean,
  ///   latency_cycles_without_contention (as latency_cycles_mean of a run at a load near 0 whose heads hit;
  ///   null with compact tables that are searched), and channel_loads: pairs of the cycles that a channel is
  ///   busy in a cycle at 1 flit/node/cycle and the number of such channels.
  /// The loads are those of the routing's paths, under an adaptive routing of the most even split that was
  /// found. Without offered load, and where the routing has no bound, capacity_bound_kind is `none`, and the
  /// facts of the traffic are missing. ConfigError for a configuration that does not fit together.
  /// `keys`: all keys of `config` with their values; null: nothing of the last network is used.
  nlohmann::ordered_json of(const NetworkRunConfig& config, std::uint64_t seed,
                            const nlohmann::ordered_json* keys);

 private:
  /// Sets paths_; throws ConfigError for a network that has none, or that the configuration does not fit.
  void find_paths(const NetworkRunConfig& config, const nlohmann::ordered_json* keys);

  std::string of_paths_;  ///< keys on which paths_ depends, with their values
  std::unique_ptr<Paths> paths_;
  std::exception_ptr refusal_;  ///< why these keys have no paths
};

}  // namespace tsuji::session
