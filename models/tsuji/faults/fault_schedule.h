// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tsuji/core/units.h"
#include "tsuji/graph/faults.h"

namespace tsuji::faults {

/// A link or a router dies or returns.
struct FaultEvent {
  Cycle cycle = 0;
  bool of_router = false;
  std::uint32_t number = 0;  ///< a router's, or as in Topology::links()
  bool returns = false;
  /// "router 7 returns"
  std::string text() const;
};

/// Faults that come and go, in the order of their cycles. A link that dies while one of its routers is dead
/// is dead by itself, too: it lives when it and both of its routers do.
class FaultSchedule {
 public:
  FaultSchedule() = default;
  /// ConfigError (faults.events), with the event: a link or router that does not exist, cycles out of order,
  /// a death of what is dead, a return of what is not.
  FaultSchedule(const graph::Topology& topology, std::vector<FaultEvent> events);

  /// Stable: events of one cycle stay in the order in which they were given.
  const std::vector<FaultEvent>& events() const { return events_; }
  /// Dead when the events of this cycle are over.
  graph::FaultSet at(Cycle cycle) const;

 private:
  std::vector<FaultEvent> events_;
};

/// Events of "link 20@500:900, router 7@600": the cycle of a death, and that of a return behind a colon. They
/// come in the order of their cycles. ConfigError (faults.events) for anything else, or a return that is not
/// later.
std::vector<FaultEvent> parse_fault_events(const std::string& text);

/// Faults drawn at random.
struct FaultCampaign {
  double link_mean_cycles = 0;    ///< of a living link to its death, geometric; 0: links do not die
  double router_mean_cycles = 0;  ///< the same of a router
  Cycle repair_cycles = 0;        ///< from a death to the return; 0: what is dead stays so
  std::uint64_t deaths = 0;       ///< the campaign ends with the return after so many
  std::uint64_t seed = 1;
  Cycle first_cycle = 1;
};

/// A function of its arguments alone: each link and router has random numbers of its own. Fewer deaths where
/// everything is dead, or where a death would lie beyond 2^60 cycles.
/// ConfigError (faults.campaign.link_mean_cycles, .router_mean_cycles) for a mean below 1, which is not 0.
std::vector<FaultEvent> draw_campaign(const graph::Topology& topology, const FaultCampaign& campaign);

}  // namespace tsuji::faults
