// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tsuji/config/key_table.h"
#include "tsuji/faults/fault_schedule.h"
#include "tsuji/faults/reconfiguration_node.h"
#include "tsuji/graph/faults.h"

namespace tsuji::network {

/// Policy for messages in a router whose routing tables change.
enum class Losses : std::uint8_t {
  recovering,  ///< Drops the messages that are in deadlock recovery (Yoshinaga 2004).
  everything,  ///< Drops all messages in the router (Autonet; Yoshinaga 2004, section 3).
  /// Drops none: messages in recovery continue with the old tables, on separate UD channels (section 2.4).
  nothing
};

/// Dead links and routers: those dead from the start, either named or drawn at random such that the rest
/// stays connected, and those that fail and return during a run.
struct FaultsConfig {
  std::vector<unsigned> links, routers;
  unsigned random_links = 0, random_routers = 0;
  std::uint64_t seed = 1;  ///< Seed of the random set.

  std::string events;              ///< Text in the format of faults::parse_fault_events().
  faults::FaultCampaign campaign;  ///< Random failures during the run; disabled if `deaths` is 0.
  /// Time from a failure or return until the routers at both ends detect it.
  Cycle detection_cycles = 1;
  faults::ReconfigurationConfig reconfiguration;
  Losses losses = Losses::recovering;

  /// True if links or routers can fail or return during a run.
  bool change() const { return !events.empty() || campaign.deaths != 0; }
  /// True if no link or router is dead from the start. Events of cycle 0 are not considered.
  bool empty() const { return links.empty() && routers.empty() && random_links == 0 && random_routers == 0; }
  void validate() const;  ///< throws ConfigError
  /// Links and routers that are dead from the start. Throws ConfigError for links and routers that the
  /// topology does not have, for duplicates, and for more random failures than the topology can survive
  /// connected.
  graph::FaultSet on(const graph::Topology& topology) const;
  /// All failures and returns, including those of on() in cycle 0. Throws ConfigError as FaultSchedule and
  /// draw_campaign() do.
  faults::FaultSchedule schedule(const graph::Topology& topology) const;
};

/// Words of routing.kind with which fault keys have an effect.
struct FaultRoutings {
  std::vector<std::string> bearing;        ///< Routings that support links and routers dead from the start.
  std::vector<std::string> reconfiguring;  ///< Routings whose routers change their tables during a run.
};
/// Binds the keys faults.*. Call it after the key routing.kind, on which they depend, has been added.
void add_fault_keys(config::KeyTable& keys, FaultsConfig& config, const FaultRoutings& routings);

}  // namespace tsuji::network
