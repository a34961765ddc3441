// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <systemc>
#include <utility>
#include <vector>

#include "tsuji/clock/clock_domain.h"
#include "tsuji/core/described.h"
#include "tsuji/faults/living_links.h"
#include "tsuji/mpi/ranks.h"
#include "tsuji/network/config/network_config.h"
#include "tsuji/network/fault_observer.h"
#include "tsuji/network/fault_reaction.h"
#include "tsuji/network/timeout_classifier.h"
#include "tsuji/network/vc_network.h"
#include "tsuji/router/flit_router.h"

namespace tsuji::network {

/// Supervises a network between two cycles: executes failures and returns of links, purges packets, and stops
/// a run in which no flit moves. All actions happen half a cycle after the cycle that requested them, when no
/// module runs, so that the order of modules does not affect them.
///
///     cycle n          modules run; they call purge(), look_after(), observe_after(), watch()
///     half a cycle     1 timeouts of cycle n are classified
///                      2 failures and returns scheduled for cycle n + 1 (they may call purge())
///                      3 FaultReaction::between_cycles(n), if requested by look_after()
///                      4 FaultObserver::between_cycles(n), if requested by observe_after()
///                      5 purges: each packet once, with the first cause that was given
///                      6 watchdog, if its time has come
///     cycle n + 1      modules run
///
/// Contract: attach() once, before the simulation starts; listeners and classify_timeouts() before that start
/// as well. The functions with `now` are called in cycle `now`, or in the half cycle after it.
class NetworkSupervisor final : public sc_core::sc_module, public router::RouterEvents, public Described {
 public:
  std::string stands_for() const override {
    return "supervision between two cycles: faults, purges, standstill; no hardware";
  }
  struct Hooks {
    /// Performs the nodes' part of a purge and notifies the accounts of packets. `copies`: the packet's
    /// places in this process's pool.
    std::function<void(const Packet& packet, const std::vector<PacketIndex>& copies, NetworkDropCause cause,
                       Cycle now)>
        dropped;
    /// Packets that have been sent and have not ended; while there are 0, the watchdog sleeps.
    std::function<std::uint64_t()> under_way;
    /// Latest cycle, as known in cycle `now`, in which a node or the network is active without outside input.
    /// Nothing moves on its own after that cycle.
    std::function<Cycle(Cycle now)> last_event;
    /// Called when a link has failed or returned and routers will request routes again; may be empty.
    std::function<void(Cycle now)> routes_changed = nullptr;
    /// Reaction of the routers; null: all heads without an output request their routes again when a link
    /// fails or returns.
    FaultReaction* reaction = nullptr;
    FaultObserver* observer = nullptr;  ///< Null: none.
    /// Nodes that eject no packet of a class of messages, as a line of text; empty: none.
    std::function<std::string()> closed_nodes = nullptr;
    /// Not null: routers and nodes are divided among these ranks. Packets are purged on all of them, and a
    /// standstill is reported without the wait-for report.
    mpi::Ranks* ranks = nullptr;
    /// Parts of packets that are not in a router of this rank: calls visit(packet) for each.
    std::function<void(const std::function<void(PacketIndex)>& visit)> parts_beside = nullptr;
    /// True if this rank runs the router; empty: it runs all.
    std::function<bool(graph::RouterId)> is_here = nullptr;
    /// True for a packet of this rank whose head, and so its present state, is on another one.
    std::function<bool(PacketIndex)> has_left = nullptr;
    /// A packet of this rank has been purged, and its place in the pool is free from now on.
    std::function<void(PacketIndex)> forget = nullptr;
    /// False: the routing guarantees a route for every head, and a head without one ends the run
    /// (ModelError).
    bool heads_may_lack_a_route = true;
  };

  /// Called for every packet that is dropped, after it has been removed from the routers; `place` held a part
  /// of the packet. With several ranks `place` is that of some router of this rank, or none.
  using OnDropped = std::function<void(const Packet& packet, NetworkDropCause cause,
                                       const VcNetwork::InputPlace& place, Cycle now)>;

  NetworkSupervisor(sc_core::sc_module_name name, ClockDomain& domain, const NetworkConfig& config);

  /// Connects the supervisor. Throws ConfigError for a fault of a link that does not exist.
  void attach(VcNetwork& network, PacketPool& pool, Hooks hooks);
  /// Adds a listener for dropped packets.
  void tell_of_drops(OnDropped on_dropped) { on_dropped_.push_back(std::move(on_dropped)); }
  /// Lets `timeouts` classify heads that are reported as blocked.
  void classify_timeouts(TimeoutClassifier& timeouts) { timeouts_ = &timeouts; }
  /// Starts the watchdog unless it is running. Called when a packet is sent.
  void watch(Cycle now) {
    if (now < watched_from_) start_watching(now);
  }
  /// Stops the watchdog if no packet is under way, so that nothing is pending in a network at rest. Called
  /// between two slices; the next packet starts it again.
  void rest();
  /// Removes a packet from all routers and channels that it spans, in the next half cycle. A part of it must
  /// be at `place` until then.
  void purge(PacketIndex packet, const VcNetwork::InputPlace& place, NetworkDropCause cause, Cycle now);

  /// Requests a call of FaultReaction::between_cycles() after this cycle.
  void look_after(Cycle now);
  /// Requests a call of FaultObserver::between_cycles() after `cycle`, the present cycle or a later one.
  void observe_after(Cycle cycle);
  /// Drops the packets with any part in a router for which `which` is true; called between two cycles.
  void purge_at(graph::RouterId router, NetworkDropCause cause,
                const std::function<bool(const Packet&)>& which, Cycle now);
  /// Schedule of all failures and returns.
  const faults::FaultSchedule& schedule() const { return schedule_; }
  /// Cycle after which this object acts next; `never`: none is known. With several ranks the least of all
  /// ranks counts for each of them.
  Cycle acts_after() const { return armed_; }
  /// Acts after cycle `cycle`, the present one or a later one, as another rank does.
  void act_after(Cycle cycle) { arm(cycle); }
  /// Links and routers that are alive.
  const faults::LivingLinks& living() const { return *living_; }

  void on_blocked(graph::RouterId router, unsigned port, unsigned vc, PacketIndex packet, Cycle now) override;
  bool on_other_tables(graph::RouterId router, unsigned port, unsigned vc, PacketIndex packet,
                       Cycle now) override;
  void on_no_route(graph::RouterId router, unsigned port, unsigned vc, PacketIndex packet,
                   Cycle now) override;
  /// Allows heads without a route from now on: they are dropped. Called between two cycles.
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
    std::uint32_t step = 0;  ///< number of this purge's cause since the last execute_purges()
  };
  struct DoomedOnRanks;
  /// A call of purge_at() with several ranks.
  struct Question {
    std::function<bool(const Packet&)> which;
    NetworkDropCause cause;
    std::uint32_t step;
  };
  void start_watching(Cycle now);
  /// Throws ModelError if nothing has been able to move for watchdog_cycles; otherwise plans the next check,
  /// at most watchdog_cycles after the last event.
  void check_progress(Cycle now);
  /// Process that runs in half cycles.
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
  void keep_first_causes();
  void end_packet(const Packet& packet, const std::vector<PacketIndex>& copies, const Doomed& doomed,
                  Cycle now);
  bool purges_on_ranks() const { return hooks_.ranks != nullptr && hooks_.heads_may_lack_a_route; }
  void execute_purges_on_ranks(Cycle now);
  void answer_questions(Cycle now);
  void visit_parts(Cycle now,
                   const std::function<void(PacketIndex, const VcNetwork::InputPlace* place)>& visit) const;

  ClockDomain& domain_;
  const NetworkConfig config_;
  VcNetwork* network_ = nullptr;
  PacketPool* pool_ = nullptr;
  Hooks hooks_;
  std::vector<OnDropped> on_dropped_;
  TimeoutClassifier* timeouts_ = nullptr;
  faults::FaultSchedule schedule_;  ///< Its next event is at index next_event_.
  std::size_t next_event_ = 0;
  std::unique_ptr<faults::LivingLinks> living_;
  std::vector<Question> questions_;                     ///< of this half cycle, equal on all ranks
  std::set<std::pair<PacketId, std::uint32_t>> asked_;  ///< packets here that have left, and their questions
  Cycle look_after_ = never;
  Cycle observe_after_ = never;
  bool looking_ = false;        ///< True while between_cycles() runs.
  std::vector<Doomed> doomed_;  ///< May contain a packet several times.
  std::uint32_t step_ = 0;      ///< Doomed::step of the next purge
  Cycle armed_ = never;  ///< Cycle after which between_cycles() runs next; never: no call is scheduled.
  sc_core::sc_event half_cycle_;
  Cycle watched_from_ = never;  ///< Cycle since which packets have been in flight.
  Cycle check_at_ = never;
  std::array<std::uint64_t, network_drop_causes> dropped_{};
};

/// Wait-for report of a network in which nothing moves: heads that wait for an output virtual channel with
/// its holder, flits without credits with the buffer that they would enter, and the cycle in the wait-for
/// graph if there is one.
/// `cause`: what is known to have stopped the network, instead of a search for deadlocks.
std::string wait_report(const VcNetwork& network, const PacketPool& pool, Cycle now, unsigned most_lines,
                        const std::string& cause = "");

}  // namespace tsuji::network
