// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <systemc>
#include <utility>
#include <vector>

#include "tsuji/clock/clock_domain.h"
#include "tsuji/core/described.h"
#include "tsuji/faults/living_links.h"
#include "tsuji/network/config/network_config.h"
#include "tsuji/network/fault_observer.h"
#include "tsuji/network/fault_reaction.h"
#include "tsuji/network/timeout_classifier.h"
#include "tsuji/network/vc_network.h"
#include "tsuji/router/flit_router.h"

namespace tsuji::network {

/// Supervises a network between two cycles: fails and returns links, purges packets, and stops a run in which
/// nothing moves any more. Everything happens half a cycle after the cycle whose modules asked for it, when
/// no module runs, so the order of modules does not show.
class NetworkSupervisor final : public sc_core::sc_module, public router::RouterEvents, public Described {
 public:
  std::string stands_for() const override {
    return "supervision between two cycles: faults, purges, standstill; no hardware";
  }
  struct Hooks {
    /// The nodes' part of a purge, and whoever keeps accounts of packets.
    std::function<void(PacketIndex packet, NetworkDropCause cause, Cycle now)> dropped;
    /// Packets that have begun and not ended yet: 0 lets the standstill check sleep.
    std::function<std::uint64_t()> under_way;
    /// The latest cycle in which something under way at a node or in the network is or was through, as far as
    /// that is known in cycle `now`: nothing moves after it by itself.
    std::function<Cycle(Cycle now)> last_event;
    /// A link has gone down or come up, and routers will ask anew; may be empty.
    std::function<void(Cycle now)> routes_changed = nullptr;
    /// The routers' own; null: all heads without an output ask anew when a link dies or returns.
    FaultReaction* reaction = nullptr;
    FaultObserver* observer = nullptr;  ///< null: none
    /// False: a head without a route breaks what the routing promised, and ends the run (ModelError).
    bool heads_may_lack_a_route = true;
  };

  /// Sees every packet that is dropped, when it is out of the routers.
  /// Some of it was at `place` until then.
  using OnDropped = std::function<void(const Packet& packet, NetworkDropCause cause,
                                       const VcNetwork::InputPlace& place, Cycle now)>;

  NetworkSupervisor(sc_core::sc_module_name name, ClockDomain& domain, const NetworkConfig& config);

  /// Before the simulation starts. ConfigError for a fault of a link that does not exist.
  void attach(VcNetwork& network, PacketPool& pool, Hooks hooks);
  /// For records, before the simulation starts. Adds a listener.
  void tell_of_drops(OnDropped on_dropped) { on_dropped_.push_back(std::move(on_dropped)); }
  /// Before the simulation starts: heads that are reported as blocked are classified.
  void classify_timeouts(TimeoutClassifier& timeouts) { timeouts_ = &timeouts; }
  /// Packets are under way: the standstill check wakes up, if it sleeps.
  void watch(Cycle now) {
    if (now < watched_from_) start_watching(now);
  }
  /// Takes a packet out of everything that it spans, at the next half cycle. Some of it is at `place`, and
  /// stays there until then.
  void purge(PacketIndex packet, const VcNetwork::InputPlace& place, NetworkDropCause cause, Cycle now);

  /// FaultReaction::between_cycles() is called after this cycle.
  void look_after(Cycle now);
  /// FaultObserver::between_cycles() is called after this cycle, the present one or a later one.
  void observe_after(Cycle cycle);
  /// Between two cycles: drops the packets of which anything is in a router and that `which` holds for.
  void purge_at(graph::RouterId router, NetworkDropCause cause,
                const std::function<bool(const Packet&)>& which, Cycle now);
  /// All that dies and returns.
  const faults::FaultSchedule& schedule() const { return schedule_; }
  /// The links and routers that live.
  const faults::LivingLinks& living() const { return *living_; }

  void on_blocked(graph::RouterId router, unsigned port, unsigned vc, PacketIndex packet, Cycle now) override;
  bool on_other_tables(graph::RouterId router, unsigned port, unsigned vc, PacketIndex packet,
                       Cycle now) override;
  void on_no_route(graph::RouterId router, unsigned port, unsigned vc, PacketIndex packet,
                   Cycle now) override;
  /// Between two cycles: heads without a route are dropped from now on.
  void expect_heads_without_route() { hooks_.heads_may_lack_a_route = true; }

  std::uint64_t dropped(NetworkDropCause cause) const { return dropped_[static_cast<std::size_t>(cause)]; }
  std::uint64_t packets_dropped() const;

  SC_HAS_PROCESS(NetworkSupervisor);

 private:
  struct Doomed {
    PacketId id;
    PacketIndex packet;
    VcNetwork::InputPlace place;
    NetworkDropCause cause;
  };
  void start_watching(Cycle now);
  /// Fails if nothing has been able to move for watchdog_cycles; otherwise plans the next look, no later than
  /// so long after the last event.
  void check_progress(Cycle now);
  /// The process of the half cycles.
  void between_cycles();
  void arm(Cycle after);
  void start_faults();
  void start_of_simulation() override;
  void apply(const faults::FaultEvent& event);
  void set_wires(std::uint32_t link, bool lives, Cycle now);
  void change_link(std::uint32_t link, bool lives, Cycle now);
  void free_dead_output(const graph::PortRef& end, Cycle now);
  void doom_users(const FlitChannel& channel, graph::PortRef sender, graph::PortRef receiver, Cycle now);
  void execute_purges(Cycle now);

  ClockDomain& domain_;
  const NetworkConfig config_;
  VcNetwork* network_ = nullptr;
  PacketPool* pool_ = nullptr;
  Hooks hooks_;
  std::vector<OnDropped> on_dropped_;
  TimeoutClassifier* timeouts_ = nullptr;
  faults::FaultSchedule schedule_;  ///< the next event at next_event_
  std::size_t next_event_ = 0;
  std::unique_ptr<faults::LivingLinks> living_;
  Cycle look_after_ = never;
  Cycle observe_after_ = never;
  bool looking_ = false;        ///< between two cycles
  std::vector<Doomed> doomed_;  ///< a packet as often as somebody asked for it
  Cycle armed_ = never;         ///< the half cycle after this cycle
  sc_core::sc_event half_cycle_;
  Cycle watched_from_ = never;  ///< packets are under way since then
  Cycle check_at_ = never;
  std::array<std::uint64_t, network_drop_causes> dropped_{};
};

/// Wait-for report of a network in which nothing moves: heads that wait for an output virtual channel, with
/// its holder, and flits without credits, with the buffer that they would go to; the cycle in that graph if
/// there is one.
std::string wait_report(const VcNetwork& network, const PacketPool& pool, Cycle now, unsigned most_lines);

}  // namespace tsuji::network
