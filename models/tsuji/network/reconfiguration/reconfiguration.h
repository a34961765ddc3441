// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tsuji/network/config/network_config.h"
#include "tsuji/network/fault_reaction.h"
#include "tsuji/network/reconfiguration/control_port.h"
#include "tsuji/routing/detour/detour_ud.h"

namespace tsuji::network {

/// Cost of a network's reconfigurations.
struct ReconfigurationCounters {
  Cycle unsettled_cycles = 0;          ///< in which some router was suspended
  Cycle longest_unsettled_cycles = 0;  ///< of a reconfiguration
  std::uint64_t suspended_cycles = 0;  ///< sum over routers
  std::uint64_t updates = 0;           ///< routers that have taken new tables
  std::uint64_t control_messages = 0;
};

/// From the first router that is suspended to the last one that runs again. One of many faults may be long.
struct ReconfigurationEpisode {
  Cycle from = 0, to = 0;     ///< cycle `to` is not part of it
  std::uint64_t updates = 0;  ///< routers that have taken new tables
  graph::RouterId root = 0;   ///< of the last ones
};

/// Reconfiguration of a network with Detour-UD by its own routers (Yoshinaga 2004, 3): nodes of the protocol
/// behind control ports, and what they decide carried out at their routers between two cycles. A router that
/// changes its tables drops the packets that recover in it.
///
/// A dead router, and one that is cut off, has no route for any packet, so what its nodes send ends there.
class Reconfiguration : public FaultReaction, private ControlPeers {
 public:
  /// Told in the half cycle before `at`, when a router has changed its phase, died or returned. Null: it is
  /// dead.
  using OnPhase =
      std::function<void(graph::RouterId router, const faults::ReconfigurationNode* node, Cycle at)>;

  /// `first`: the routing for the faults of cycle 0.
  Reconfiguration(const NetworkConfig& config, const graph::Topology& topology,
                  const routing::Routing& first);
  ~Reconfiguration() override;

  std::unique_ptr<traffic::EmissionSource> make_control(graph::RouterId router) override;
  void attach(LoadedNetwork& network) override;
  void link_changed(std::uint32_t link, bool lives, Cycle now) override;
  void router_changed(graph::RouterId router, bool lives, Cycle now) override;
  void between_cycles(Cycle now) override;
  std::optional<NetworkDropCause> no_route(graph::RouterId router, const Packet& packet, Cycle now) override;
  OtherTables other_tables(const VcNetwork::InputPlace& place, const Packet& packet, Cycle now) override;
  void dropped(const Packet& packet, Cycle now) override;
  Cycle last_event() const override;
  std::string report(unsigned most_lines) const override;

  const graph::Topology& topology() const { return topology_; }
  const faults::FaultSchedule& schedule() const;
  /// Those that are over.
  const std::vector<ReconfigurationEpisode>& episodes() const { return episodes_; }
  /// Before the simulation starts. Adds a listener.
  void tell_of_phases(OnPhase on_phase) { on_phase_.push_back(std::move(on_phase)); }
  /// Null: the router is dead.
  const faults::ReconfigurationNode* node(graph::RouterId router) const { return ports_[router]->node(); }
  ReconfigurationCounters counters(Cycle now) const;
  /// The generations that routers read, but the first one: in tests a judge proves each free of circles.
  void visit_generations(
      const std::function<void(std::uint32_t generation, const routing::DetourUd& routing)>& visit) const;

 protected:
  /// A test plants errors here.
  virtual ControlPort::Parts control_parts(graph::RouterId router);

 private:
  class Refusal;
  class TwoGenerations;
  /// A routing that a router has, and what keeps it alive.
  struct Tables {
    std::shared_ptr<const faults::ReconfigurationPlan> plan;
    std::shared_ptr<const routing::DetourUd> routing;
    std::uint32_t generation = 0;
    unsigned bank = 0;  ///< faults::ReconfigurationNode::bank()
  };
  struct Router {
    std::shared_ptr<const Tables> tables;
    std::shared_ptr<const Tables> old;  ///< by which packets still recover; null: by none
    std::unique_ptr<const TwoGenerations> both;
    std::unique_ptr<const Refusal> refusal;  ///< dead or cut off
    std::uint32_t generation = 0;
    bool suspended = false;
    Cycle suspended_since = 0;
    std::uint64_t recoveries = 0;  ///< when it was suspended
  };

  ControlPort& port(graph::RouterId router) override { return *ports_[router]; }
  void changed(graph::RouterId router, Cycle now) override;
  void carry_out(graph::RouterId router, Cycle now);
  void update(graph::RouterId router, Cycle now);
  void refuse(graph::RouterId router, Cycle now);
  void suspend(graph::RouterId router, bool suspended, Cycle now);
  void show_routing(graph::RouterId router, const routing::Routing& routing, std::uint32_t generation,
                    Cycle now);
  std::shared_ptr<const Tables> tables_of(const faults::ReconfigurationNode& node, Cycle now);
  void drop_at_update(graph::RouterId router, Cycle now);
  void check_no_recovery(graph::RouterId router, Cycle now) const;
  void check_neighbours(graph::RouterId router, Cycle now) const;
  void tell_phase(graph::RouterId router, const faults::ReconfigurationNode* node, Cycle at) const {
    for (const OnPhase& tell : on_phase_) tell(router, node, at);
  }

  const NetworkConfig config_;
  const graph::Topology& topology_;
  const routing::DetourUd& first_;
  faults::PlanBook plans_;
  LoadedNetwork* network_ = nullptr;
  std::vector<ControlPort*> ports_;  ///< [router]; the network's nodes own them
  std::vector<Router> routers_;
  std::vector<graph::RouterId> changed_;  ///< in this cycle
  std::map<const faults::ReconfigurationPlan*, std::weak_ptr<const Tables>> tables_;
  std::vector<OnPhase> on_phase_;
  ReconfigurationCounters counters_;
  unsigned suspended_routers_ = 0;
  ReconfigurationEpisode episode_;  ///< while a router is suspended
  std::vector<ReconfigurationEpisode> episodes_;
};

/// Null: the network's routers do not change their tables.
std::unique_ptr<Reconfiguration> make_reconfiguration(const NetworkConfig& config,
                                                      const graph::Topology& topology,
                                                      const routing::Routing& first);

}  // namespace tsuji::network
