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
  Cycle unsettled_cycles = 0;          ///< Cycles in which at least one router was suspended.
  Cycle longest_unsettled_cycles = 0;  ///< Longest such time of one reconfiguration.
  std::uint64_t suspended_cycles = 0;  ///< Suspended cycles, summed over routers.
  std::uint64_t updates = 0;           ///< Number of times that a router has taken new tables.
  std::uint64_t control_messages = 0;
};

/// A reconfiguration: from the suspension of the first router until no router is suspended. An episode with
/// many failures can be long.
struct ReconfigurationEpisode {
  Cycle from = 0, to = 0;     ///< The interval [from, to).
  std::uint64_t updates = 0;  ///< Number of times that a router has taken new tables.
  graph::RouterId root = 0;   ///< Root of the latest tables.
};

/// Reconfiguration of a network with Detour-UD by its own routers (Yoshinaga 2004, section 3). Protocol nodes
/// are connected to control ports; their decisions are executed at the routers between two cycles. A router
/// that changes its tables drops the packets that recover in it.
///
/// A router that is dead or cut off has no route for any packet, so that packets of its nodes are dropped
/// there.
class Reconfiguration : public FaultReaction, private ControlPeers {
 public:
  /// Called in the half cycle before cycle `at` when a router has changed its phase, failed or returned.
  /// `node` is null for a dead router.
  using OnPhase =
      std::function<void(graph::RouterId router, const faults::ReconfigurationNode* node, Cycle at)>;

  /// `first` is the routing for the faults of cycle 0.
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
  void put(mpi::Bytes& message) override;
  void repeat(mpi::Reader& message) override;
  Cycle last_event() const override;
  std::string report(unsigned most_lines) const override;

  const graph::Topology& topology() const { return topology_; }
  const faults::FaultSchedule& schedule() const;
  /// Completed episodes.
  const std::vector<ReconfigurationEpisode>& episodes() const { return episodes_; }
  /// Adds a listener for phases. Call it before the simulation starts.
  void tell_of_phases(OnPhase on_phase) { on_phase_.push_back(std::move(on_phase)); }
  /// Protocol node of a router; null while the router is dead.
  const faults::ReconfigurationNode* node(graph::RouterId router) const { return ports_[router]->node(); }
  ReconfigurationCounters counters(Cycle now) const;
  /// Visits all generations of routings in use except the first one; tests prove each of them deadlock-free.
  void visit_generations(
      const std::function<void(std::uint32_t generation, const routing::DetourUd& routing)>& visit) const;

 protected:
  /// Parts of a control port; tests override it to inject errors.
  virtual ControlPort::Parts control_parts(graph::RouterId router);

 private:
  class Refusal;
  class TwoGenerations;
  /// A routing that a router uses, and the objects that keep it alive.
  struct Tables {
    std::shared_ptr<const faults::ReconfigurationPlan> plan;
    std::shared_ptr<const routing::DetourUd> routing;
    std::uint32_t generation = 0;
    unsigned bank = 0;  ///< faults::ReconfigurationNode::bank()
  };
  struct Router {
    std::shared_ptr<const Tables> tables;
    std::shared_ptr<const Tables> old;  ///< Routing with which packets still recover; null: none.
    std::unique_ptr<const TwoGenerations> both;
    std::unique_ptr<const Refusal> refusal;  ///< Set while the router is dead or cut off.
    std::uint32_t generation = 0;
    bool suspended = false;
    Cycle suspended_since = 0;
    std::uint64_t recoveries = 0;  ///< Counter of recoveries when the router was suspended.
  };

  ControlPort& port(graph::RouterId router) override { return *ports_[router]; }
  void changed(graph::RouterId router, Cycle now) override;
  void stepped(const Step& step) override;
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
  std::vector<ControlPort*> ports_;  ///< Indexed by router; owned by the network's nodes.
  std::vector<Router> routers_;
  std::vector<graph::RouterId> changed_;  ///< Routers that changed in this cycle.
  std::vector<Step> steps_;               ///< Steps of this rank's ports in this cycle, with several ranks.
  std::map<const faults::ReconfigurationPlan*, std::weak_ptr<const Tables>> tables_;
  std::vector<OnPhase> on_phase_;
  ReconfigurationCounters counters_;
  unsigned suspended_routers_ = 0;
  ReconfigurationEpisode episode_;  ///< Current episode, while a router is suspended.
  std::vector<ReconfigurationEpisode> episodes_;
};

/// Makes the reconfiguration; null if the network's routers do not change their tables.
std::unique_ptr<Reconfiguration> make_reconfiguration(const NetworkConfig& config,
                                                      const graph::Topology& topology,
                                                      const routing::Routing& first);

}  // namespace tsuji::network
