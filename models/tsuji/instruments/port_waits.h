// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "tsuji/network/vc_network.h"

namespace tsuji::instruments {

/// State of an input virtual channel of a router in a cycle. Each cycle of each one has exactly one.
///   empty        its buffer holds no flit, and no packet holds an output from here
///   no_flit      the packet's next flit has not arrived; store and forward: the head waits for its last flit
///   routing      route computation, or the answer of the look-up
///   no_vc        the head waits for an output virtual channel, also while links or recovery hold it up
///   allocation   the cycles of virtual-channel allocation that it wins
///   no_credit    the buffer after its output is full
///   lost_switch  the flit has a credit, and others get the switch, or the output is still busy
///   moves        a flit leaves
///   paused       its router is suspended
///   inside       in a router without observable stages
enum class PortState : std::uint8_t {
  empty,
  no_flit,
  routing,
  no_vc,
  allocation,
  no_credit,
  lost_switch,
  moves,
  paused,
  inside
};
constexpr std::size_t port_states = 10;
const char* name_of(PortState state);

/// Cycles of each input virtual channel of each router by its state, from the events of heads, flits and
/// credits: an interval is counted when it ends, so that a waiting port costs nothing.
///
/// Contract: constructed before the first cycle; finish() once at the end, between two cycles. The network
/// outlives the run.
class PortWaits final : private router::RouterProbe {
 public:
  using Cycles = std::array<std::uint64_t, port_states>;
  explicit PortWaits(network::VcNetwork& network);
  ~PortWaits() override;
  PortWaits(const PortWaits&) = delete;
  PortWaits& operator=(const PortWaits&) = delete;

  /// Counts what has begun before cycle `end`.
  void finish(Cycle end);
  /// Calls visit(port, vc, cycles) for every input virtual channel, by router, port and channel.
  void for_each(const std::function<void(const graph::PortRef&, unsigned, const Cycles&)>& visit) const;

 private:
  class ChannelWatch;
  enum class Stage : std::uint8_t { idle, routing, waiting, active, standing, inside };
  /// Cycles from which the flits of a buffer are there, oldest first.
  struct Arrivals {
    std::vector<Cycle> ready;  ///< ring
    unsigned first = 0, count = 0;
  };
  struct InputVc {
    Cycle counted_to = 0;  ///< the cycles before it are counted
    Cycle granted = 0;     ///< active: first cycle of switch allocation
    Stage stage = Stage::idle;
    Arrivals arrivals;
    Cycles cycles{};
  };
  /// A flit that has left its buffer, until its output reports when it had a credit.
  struct Leaving {
    InputVc* vc = nullptr;  ///< null: none
    Cycle now = 0, ready = 0;
  };

  void on_stage(graph::RouterId router, unsigned port, unsigned vc, PacketIndex packet,
                router::HeadStage stage, Cycle at) override;
  void on_prediction(graph::RouterId router, unsigned port, unsigned vc, PacketIndex packet,
                     router::PredictionOutcome outcome, Cycle at) override;
  void add_channel(const network::VcNetwork::ChannelPlace& place);
  InputVc& at(graph::RouterId router, unsigned port, unsigned vc) { return vcs_[first_[router][port] + vc]; }
  static void count(InputVc& vc, PortState state, Cycle until);
  /// Counts the cycles before `until`: of a flit that is there from cycle `ready` and has a credit from
  /// `credit` on.
  void settle(InputVc& vc, Cycle until, Cycle ready, Cycle credit) const;
  static Cycle front_ready(const InputVc& vc);
  void arrives(InputVc& vc, Cycle ready);
  void leaves_buffer(graph::RouterId router, InputVc& vc, Cycle now);
  void leaves_router(graph::RouterId router, bool tail, Cycle credit);

  network::VcNetwork& network_;
  const Cycle va_cycles_;
  std::vector<std::vector<std::size_t>> first_;  ///< [router][port]: index of virtual channel 0 in vcs_
  std::vector<InputVc> vcs_;
  std::vector<Leaving> leaving_;              ///< [router]
  std::vector<router::RouterProbe*> behind_;  ///< [router]: the probe that the router had before; null: none
  std::vector<std::unique_ptr<ChannelWatch>> channels_;
};

}  // namespace tsuji::instruments
