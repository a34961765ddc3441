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

/// The messages in a router that are lost when its routing tables change.
enum class Losses : std::uint8_t {
  recovering,  ///< those that recover from deadlock (Yoshinaga 2004)
  everything,  ///< all (Autonet, Yoshinaga 2004, 3)
  nothing      ///< none: those that recover go on by old tables, on UD channels of their own (2.4)
};

/// Links and routers that are dead: from the beginning, named ones or a random set that leaves all others
/// connected; and those that die and return during a run.
struct FaultsConfig {
  std::vector<unsigned> links, routers;
  unsigned random_links = 0, random_routers = 0;
  std::uint64_t seed = 1;  ///< of the random set

  std::string events;              ///< faults::parse_fault_events()
  faults::FaultCampaign campaign;  ///< none without deaths
  Cycle detection_cycles = 1;      ///< from a death or return to the routers at its ends
  faults::ReconfigurationConfig reconfiguration;
  Losses losses = Losses::recovering;

  /// Some die or return during a run, or may.
  bool change() const { return !events.empty() || campaign.deaths != 0; }
  /// Nothing is dead from the beginning, but for events of cycle 0.
  bool empty() const { return links.empty() && routers.empty() && random_links == 0 && random_routers == 0; }
  void validate() const;  ///< throws ConfigError
  /// Those that are dead from the beginning.
  /// ConfigError for links and routers that a topology does not have, that are named twice, and for more
  /// random ones than it can lose.
  graph::FaultSet on(const graph::Topology& topology) const;
  /// All of them, those of on() in cycle 0. ConfigError: those of FaultSchedule and draw_campaign().
  faults::FaultSchedule schedule(const graph::Topology& topology) const;
};

/// Words of routing.kind with which keys have an effect.
struct FaultRoutings {
  std::vector<std::string> bearing;        ///< dead links and routers from the beginning
  std::vector<std::string> reconfiguring;  ///< routers that change their tables
};
/// Binds the keys faults.*; after routing.kind, on which they depend.
void add_fault_keys(config::KeyTable& keys, FaultsConfig& config, const FaultRoutings& routings);

}  // namespace tsuji::network
