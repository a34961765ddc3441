// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "tsuji/network/vc_network.h"

namespace tsuji::instruments {

/// State of an input virtual channel of a router in a cycle. Each cycle of each one has exactly one.
///   empty         its buffer holds no flit, and no packet holds an output from here
///   no_flit       the packet's next flit has not arrived; store and forward: the head waits for its last
///   flit routing       route computation, or the answer of the look-up mispredicted  the same cycles of a
///   head that prediction has let down: guessed wrong or lost its output no_vc         the head waits for an
///   output virtual channel link_down     the head waits, and the links of all its route candidates have
///   failed recovery      a head in recovery waits for an output virtual channel allocation    the cycles of
///   virtual-channel allocation that it wins no_credit     the buffer after its output is full lost_switch
///   the flit has a credit, and others get the switch, or the output is still busy moves         a flit
///   leaves paused        its router is suspended inside        in a router without observable stages
enum class PortState : std::uint8_t {
  empty,
  no_flit,
  routing,
  mispredicted,
  no_vc,
  link_down,
  recovery,
  allocation,
  no_credit,
  lost_switch,
  moves,
  paused,
  inside
};
constexpr std::size_t port_states = 13;
const char* name_of(PortState state);

/// Cycles of each input virtual channel of each router by its state. The stages of a head are noted when they
/// begin, and counted when a flit leaves the buffer: a waiting port costs nothing, and a flit one event.
///
/// Contract: constructed before the first cycle; settle() between two cycles. The network outlives the
/// object.
class PortWaits final {
 public:
  using Cycles = std::array<std::uint64_t, port_states>;
  /// `links_fail`: links fail during the run, which is looked up for each head that waits.
  PortWaits(network::VcNetwork& network, const PacketPool& pool, bool links_fail);
  ~PortWaits();
  PortWaits(const PortWaits&) = delete;
  PortWaits& operator=(const PortWaits&) = delete;

  /// Counts the cycles before `end`, of what is going on as well.
  void settle(Cycle end);
  /// Cycles of all input virtual channels up to the last settle().
  Cycles sums() const;
  /// Calls visit(port, vc, cycles) for every input virtual channel, by router, port and channel.
  void for_each(const std::function<void(const graph::PortRef&, unsigned, const Cycles&)>& visit) const;

 private:
  class ChannelWatch;
  class RouterWatch;
  enum class Stage : std::uint8_t { usual, standing, inside };
  /// First cycles of the stages of the packet at the front; `never`: not reached.
  struct InputVc {
    Cycle counted_to = 0;           ///< the cycles before it are counted
    Cycle begun = never;            ///< route computation
    Cycle asked = never;            ///< virtual-channel allocation
    Cycle won = never;              ///< allocation that it wins
    Cycle granted = never;          ///< switch allocation
    const FlitRing* out = nullptr;  ///< granted: the downstream buffer; null: not known
    Stage stage = Stage::usual;
    PortState routes_as = PortState::routing, waits_as = PortState::no_vc;
    Cycles cycles{};

    void count(PortState state, Cycle until) {
      if (until <= counted_to) return;
      cycles[static_cast<std::size_t>(state)] += until - counted_to;
      counted_to = until;
    }
    void begin_packet(Cycle at) {
      begun = at;
      asked = won = granted = never;
    }
    /// Counts the cycles before `until`: of a flit that is there from cycle `ready` and has a credit from
    /// `credit` on.
    void settle(Cycle until, Cycle ready, Cycle credit);
    void settle_head(Cycle until, Cycle ready);
    void settle_granted(Cycle until, Cycle ready, Cycle credit) {
      count(PortState::no_flit, std::min(until, ready));
      count(PortState::no_credit, std::min(until, credit));
      count(PortState::lost_switch, until);
    }
  };

  network::VcNetwork& network_;
  const PacketPool& pool_;
  const Cycle va_cycles_;
  const bool links_fail_;
  std::vector<InputVc> vcs_;  ///< [router, port, vc]
  std::vector<std::unique_ptr<RouterWatch>> routers_;
  std::vector<std::unique_ptr<ChannelWatch>> channels_;
};

}  // namespace tsuji::instruments
