// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "tsuji/core/packet.h"
#include "tsuji/core/units.h"
#include "tsuji/graph/topology.h"
#include "tsuji/network/vc_network.h"
#include "tsuji/traffic/emission.h"

namespace tsuji::network {

class LoadedNetwork;

/// Why a packet ended without being delivered.
enum class NetworkDropCause : std::uint8_t {
  no_route,
  link_down,    ///< cut by a link that died
  in_recovery,  ///< recovered from deadlock where routing tables changed
  tables,       ///< was elsewhere where routing tables changed, and everything is dropped there
  dead_router,  ///< was in a router that died
  unreachable,  ///< for or from a dead or cut-off node
  control       ///< of routers: a message of theirs died with a link or a router
};
inline constexpr NetworkDropCause all_network_drop_causes[] = {
    NetworkDropCause::no_route, NetworkDropCause::link_down,   NetworkDropCause::in_recovery,
    NetworkDropCause::tables,   NetworkDropCause::dead_router, NetworkDropCause::unreachable,
    NetworkDropCause::control};
inline constexpr std::size_t network_drop_causes = std::size(all_network_drop_causes);
const char* network_drop_cause_name(NetworkDropCause cause);

/// The routers' own answer to links and routers that die and return. A network without one drops heads that
/// nothing leads on, or lets them wait (router.dead_way).
///
/// All functions but the first two are called between two cycles, of which `now` is the first.
class FaultReaction {
 public:
  virtual ~FaultReaction() = default;
  /// The source behind a router's control port, which sends and takes its messages.
  virtual std::unique_ptr<traffic::EmissionSource> make_control(graph::RouterId router) = 0;
  /// Before the simulation starts; the network outlives the reaction's last call.
  virtual void attach(LoadedNetwork& network) = 0;

  /// Flits on the wires of a link that dies are purged already.
  virtual void link_changed(std::uint32_t link, bool lives, Cycle now) = 0;
  /// In front of its links.
  virtual void router_changed(graph::RouterId router, bool lives, Cycle now) = 0;
  /// After a cycle in which the reaction asked for it (NetworkSupervisor::look_after).
  virtual void between_cycles(Cycle now) = 0;
  /// Nothing leads on for a head: the cause of its packet's drop; none: the head waits. In the cycle itself,
  /// as the next one.
  virtual std::optional<NetworkDropCause> no_route(graph::RouterId router, const Packet& packet,
                                                   Cycle now) = 0;
  /// The fate of a head that recovers by other tables than its router's.
  struct OtherTables {
    enum class Fate : std::uint8_t { takes_those_of_router, keeps_own, dropped } fate;
    NetworkDropCause cause = NetworkDropCause::in_recovery;
  };
  /// Such a head is at the front of an input virtual channel.
  virtual OtherTables other_tables(const VcNetwork::InputPlace& place, const Packet& packet, Cycle now) = 0;
  /// A packet has been dropped, control messages too.
  virtual void dropped(const Packet& packet, Cycle now) = 0;
  /// The latest cycle in which it has something to do by itself; 0: none. Nothing stands still before that.
  virtual Cycle last_event() const = 0;
  /// For the report of a network that stands still: the routers that hold traffic back, and what they wait
  /// for.
  virtual std::string report(unsigned most_lines) const = 0;
};

}  // namespace tsuji::network
