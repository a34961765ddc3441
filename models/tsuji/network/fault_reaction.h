// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "tsuji/core/packet.h"
#include "tsuji/core/units.h"
#include "tsuji/graph/topology.h"
#include "tsuji/mpi/message.h"
#include "tsuji/network/vc_network.h"
#include "tsuji/traffic/emission.h"

namespace tsuji::network {

class LoadedNetwork;

/// Reason why a packet ended without delivery.
enum class NetworkDropCause : std::uint8_t {
  no_route,
  link_down,    ///< The packet was on a link that failed.
  in_recovery,  ///< The packet was in deadlock recovery in a router whose routing tables changed.
  /// The packet was elsewhere in a router whose routing tables changed, and the policy drops all of them.
  tables,
  dead_router,  ///< The packet was in a router that failed.
  unreachable,  ///< The packet's source or destination is dead or cut off.
  control       ///< A control message of routers was lost with a link or a router.
};
inline constexpr NetworkDropCause all_network_drop_causes[] = {
    NetworkDropCause::no_route, NetworkDropCause::link_down,   NetworkDropCause::in_recovery,
    NetworkDropCause::tables,   NetworkDropCause::dead_router, NetworkDropCause::unreachable,
    NetworkDropCause::control};
inline constexpr std::size_t network_drop_causes = std::size(all_network_drop_causes);
const char* network_drop_cause_name(NetworkDropCause cause);

/// Reaction of the routers to links and routers that fail and return. Without a reaction, a head without a
/// route is dropped or waits (key router.dead_route).
///
/// Contract:
/// - make_control() for each router, then attach(), before the simulation starts;
/// - no_route() and other_tables() within cycle `now`, while modules run;
/// - all other functions with `now` between cycle `now` and the next one. Flits on a failed link have been
///   purged before link_changed(); router_changed() precedes link_changed() of the router's links.
class FaultReaction {
 public:
  virtual ~FaultReaction() = default;
  /// Makes the source at a router's control port, which sends and receives the router's control messages.
  virtual std::unique_ptr<traffic::EmissionSource> make_control(graph::RouterId router) = 0;
  /// Passes the network, which outlives the reaction's last call.
  virtual void attach(LoadedNetwork& network) = 0;

  /// Reports that a link has failed or returned.
  virtual void link_changed(std::uint32_t link, bool lives, Cycle now) = 0;
  /// Reports that a router has failed or returned.
  virtual void router_changed(graph::RouterId router, bool lives, Cycle now) = 0;
  /// Called after a cycle for which the reaction called NetworkSupervisor::look_after().
  virtual void between_cycles(Cycle now) = 0;
  /// Decides about a head without a route: returns the drop cause of its packet; empty: the head waits.
  virtual std::optional<NetworkDropCause> no_route(graph::RouterId router, const Packet& packet,
                                                   Cycle now) = 0;
  /// Fate of a head that recovers with other tables than those of its router.
  struct OtherTables {
    enum class Fate : std::uint8_t { takes_those_of_router, keeps_own, dropped } fate;
    NetworkDropCause cause = NetworkDropCause::in_recovery;
  };
  /// Decides about such a head at the front of an input virtual channel.
  virtual OtherTables other_tables(const VcNetwork::InputPlace& place, const Packet& packet, Cycle now) = 0;
  /// Reports that a packet has been dropped; includes control messages.
  virtual void dropped(const Packet& packet, Cycle now) = 0;
  /// With several ranks, each of which has the state of all routers' protocols, after each cycle: appends the
  /// steps of this rank's control nodes in that cycle to a message, and forgets them.
  virtual void put(mpi::Bytes& message) = 0;
  /// Repeats the steps that put() has appended on another rank.
  virtual void repeat(mpi::Reader& message) = 0;
  /// Latest cycle in which the reaction acts on its own; 0: none. The watchdog reports no standstill before
  /// that cycle.
  virtual Cycle last_event() const = 0;
  /// Text for the standstill report: routers that hold back traffic, and what each waits for.
  virtual std::string report(unsigned most_lines) const = 0;
};

}  // namespace tsuji::network
