// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tsuji/core/units.h"
#include "tsuji/graph/faults.h"

namespace tsuji::faults {

/// Failure or return of a link or a router.
struct FaultEvent {
  Cycle cycle = 0;
  bool of_router = false;
  std::uint32_t number = 0;  ///< number of the router, or index into Topology::links()
  bool returns = false;
  /// "router 7 returns"
  std::string text() const;
};

/// Failures and returns of links and routers, in the order of their cycles. A link may fail while one of its
/// routers is dead; it lives if itself and both of its routers do.
class FaultSchedule {
 public:
  FaultSchedule() = default;
  /// ConfigError (faults.events), with the event: a link or router that does not exist, cycles out of order,
  /// a failure of a dead element, or a return of a living one.
  FaultSchedule(const graph::Topology& topology, std::vector<FaultEvent> events);

  /// Events in the order of their cycles; events of one cycle in the order in which they were given.
  const std::vector<FaultEvent>& events() const { return events_; }
  /// Links and routers that are dead after the events of this cycle.
  graph::FaultSet at(Cycle cycle) const;

 private:
  std::vector<FaultEvent> events_;
};

/// Parses "link 20@500:900, router 7@600": the cycle of a failure and, after a colon, the cycle of the
/// return. Returns the events sorted by cycle. ConfigError (faults.events) for any other text, or a return
/// that is not later than its failure.
std::vector<FaultEvent> parse_fault_events(const std::string& text);

/// Configuration of random faults.
struct FaultCampaign {
  double link_mean_cycles = 0;    ///< mean lifetime of a link in cycles, geometric; 0: links do not fail
  double router_mean_cycles = 0;  ///< mean lifetime of a router in cycles, geometric; 0: routers do not fail
  Cycle repair_cycles = 0;        ///< cycles from a failure to the return; 0: failures are permanent
  /// Number of failures; the campaign ends with the return after the last one.
  std::uint64_t deaths = 0;
  std::uint64_t seed = 1;
  Cycle first_cycle = 1;
};

/// Draws the events of a campaign. Depends on its arguments only: each link and router has separate random
/// numbers. There are fewer failures if everything is dead, or if a failure would be after 2^60 cycles.
/// ConfigError (faults.campaign.link_mean_cycles, .router_mean_cycles) for a mean between 0 and 1.
std::vector<FaultEvent> draw_campaign(const graph::Topology& topology, const FaultCampaign& campaign);

}  // namespace tsuji::faults
