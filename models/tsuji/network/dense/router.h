// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "tsuji/core/arena.h"
#include "tsuji/core/packet.h"
#include "tsuji/network/config/vc_network_config.h"
#include "tsuji/network/dense/head_watch.h"
#include "tsuji/network/dense/prediction.h"
#include "tsuji/network/dense/waits.h"
#include "tsuji/network/dense/wires.h"
#include "tsuji/router/flit_router.h"
#include "tsuji/routing/routing.h"

namespace tsuji::network::dense {

/// Condition for the allocation of a virtual channel that no packet holds: none, credits for the whole
/// packet, or all credits.
enum class Reallocation : std::uint8_t { released, packet_fits, all_credits_back };

/// Constants of all routers of a network.
struct RouterShared {
  const VcNetworkConfig& config;
  const routing::Routing& routing;
  PacketPool& pool;
  router::RouterEvents& events;
  const Slots& slots;
  Buffers buffers;
  std::uint64_t seed = 1;
  Cycle rc_cycles = 1, va_cycles = 1, depart_after = 0;
  unsigned max_candidates = 1;
  Reallocation reallocation = Reallocation::released;
  bool may_be_watched = false;  ///< routers have memory for what a watch needs
  bool counts_waits = false;    ///< routers count the states of their input virtual channels
  HeadWatch* watch = nullptr;   ///< null: none
  const routing::RouteDecisions* decisions = nullptr;  ///< of `routing`; null: it decides nothing

  bool predicts = false;  ///< routers have a Prediction, and neither a watch nor counts

  /// Additions to a router's cycle: bits.
  enum More : unsigned { shows = 1, counts = 2, decides = 4, predicts_too = 8 };
  unsigned more() const {
    return (watch != nullptr ? shows : 0U) | (counts_waits ? counts : 0U) |
           (decisions != nullptr ? decides : 0U) | (predicts ? predicts_too : 0U);
  }
};

/// Input-buffered virtual-channel router (router::VcRouter) whose state is counts and masks: stages, cycles,
/// allocators and priorities are those of router::FastVcRouter, so every flit moves in the same cycle.
///
///     row of the cycle's slot: credits, flits
///       RC   heads at the front of idle input virtual channels
///       VA   requests of the heads whose route is known
///            with prediction: heads and flits that cross without the stages below, unless these want their
///            output
///       SA   input virtual channels with an output, a flit and a credit: iSLIP with one iteration
///       ST   winners leave; the slot of the far end gets the flit, that of the near end the credit
///       VA   grants
///
/// Invariant, checked for every flit: no buffer holds more flits than it has places, no output has more
/// credits than the buffer at its far end has places, and each packet has a head in the queue of heads.
class Router {
 public:
  /// Largest number of input virtual channels, and of output virtual channels.
  static constexpr unsigned most_vcs = 63;

  Router() = default;
  /// `ports`: numbers of virtual channels of the input and the output of each port; 0: none.
  struct PortShape {
    unsigned in_vcs = 0, out_vcs = 0;
    bool to_node = false;
  };
  void build(graph::RouterId id, const std::vector<PortShape>& ports, const RouterShared& shared,
             Arena& arena, Home& home, unsigned unit);
  /// Direction out of a port, to virtual channels whose queues of heads begin at `heads` and whose bits begin
  /// at `first_bit`.
  void connect_output(unsigned port, const Wire& wire, PacketIndex* heads, unsigned first_bit);
  /// Credits of a port's input, to output virtual channels whose bits begin at `first_bit`.
  void connect_credits(unsigned port, const Wire& wire, unsigned first_bit);
  /// The router predicts (RouterShared::predicts); the object outlives it.
  void predict_by(Prediction& prediction) { prediction_ = &prediction; }
  const Prediction* prediction() const { return prediction_; }
  /// All neighbourhoods have joined their threads.
  void join_threads(Crossings& crossings);
  Bits* row() const { return row_; }
  unsigned unit() const { return unit_; }
  Home& home() const { return *home_; }
  unsigned first_input(unsigned port) const { return inputs_[port].first; }
  unsigned first_output(unsigned port) const { return outputs_[port].first; }
  PacketIndex* heads(unsigned port) const { return heads_of(first_input(port)); }

  /// Runs those of `routers`, which are all of a neighbourhood, whose bit is in `units`.
  using Run = void (*)(Router* routers, Bits units, const Moment& at, Work& work);
  /// Runs routers that do so much (RouterShared::more).
  static Run runner(unsigned more);

  // Between two cycles.

  std::uint64_t flits_sent(unsigned port) const { return outputs_[port].flits; }
  std::uint64_t flits_sent() const;
  std::uint64_t flits_held() const;
  /// Flits in the buffer of an input virtual channel and on the wires to it.
  unsigned flits_held(unsigned port, unsigned vc) const;
  /// Credits of an output virtual channel, with those under way.
  unsigned credits(unsigned port, unsigned vc) const;
  bool credit_under_way(unsigned port, unsigned vc) const;
  void visit_packets(const std::function<void(PacketIndex)>& visit) const;
  /// Latest cycle after `now` in which something arrives or a stage ends; 0: none.
  Cycle last_event(Cycle now) const;
  router::VcView view(unsigned port, unsigned vc) const;
  /// Cycles of an input virtual channel before `end` by state (RouterShared::counts_waits).
  router::StateCycles waits_of(unsigned port, unsigned vc, Cycle end) const;
  /// Of all input virtual channels.
  router::StateCycles waits(Cycle end) const;
  std::vector<routing::RouteCandidate> candidates(unsigned port, unsigned vc) const;
  unsigned ports() const { return port_count_; }
  unsigned in_vcs(unsigned port) const { return inputs_[port].vcs; }
  unsigned input_vcs() const { return input_vcs_; }
  unsigned output_vcs() const { return output_vcs_; }
  const graph::RouterId& id() const { return id_; }

 private:
  /// Ends of stages in a cycle: input virtual channels whose route is known, or whose output virtual channel
  /// has been allocated.
  struct Stages {
    Bits routed = 0, granted = 0;
  };
  struct Input {
    Wire credits;
    /// Round-robin pointers of SA: `served` of the input virtual channel that won last.
    std::uint16_t last = 0;
    std::uint16_t port = 0;
    std::uint8_t first = 0, vcs = 0;
  };
  struct Output {
    Wire wire;
    std::uint64_t flits = 0;
    Bits holders = 0;  ///< input virtual channels that hold one of its virtual channels
    routing::VcMask free_vcs = 0, all_vcs = 0;
    std::uint16_t last = 0;  ///< round-robin pointer of SA: likewise, of all inputs
    std::uint8_t first = 0;  ///< index of its first output virtual channel
    bool to_node = false;
  };
  /// An input virtual channel and the packet at its front, with what its flits need in ST.
  struct alignas(64) InputVc {
    Cycle since = 0;  ///< cycle of the last movement, or of the head's arrival at the front
    Input* input = nullptr;
    Output* output = nullptr;  ///< last one that was allocated
    OutputVc* to = nullptr;    ///< likewise
    Bits credit_bit = 0;       ///< bit of the credits at the near end
    Bits of_input = 0;         ///< input virtual channels of its input
    PacketIndex packet = 0;
    std::uint16_t left = 0;    ///< flits of the packet that have not left
    std::uint16_t held = 0;    ///< flits in the buffer
    std::uint16_t read = 0;    ///< place of the next packet in the queue of heads
    std::uint16_t served = 0;  ///< its number, and its output port: Router::served()
    std::uint16_t next = 0;    ///< virtual channel that it was granted last (VA)
    std::uint8_t candidates = 0;
  };
  struct Request {
    std::uint8_t input_vc, port;
    routing::VcMask vcs, offers;
  };
  struct Requests {
    Request* end;
    Request list[most_vcs + 1];
  };
  struct Choice;
  /// State for a watch, and counts of states.
  struct Watched {
    Bits heads = 0;            ///< input virtual channels whose head has an output and has not left
    Cycle* outputs = nullptr;  ///< [input VC]: cycle in which its head may first request the switch
    Cycle* credits = nullptr;  ///< [output VC]: last cycle in which its first credit came
    Waits* waits = nullptr;    ///< [input VC]; null unless RouterShared::counts_waits
  };
  class Before;
  /// Tries that fail, as ports.
  struct Failed {
    Bits lost = 0, wrong = 0;
  };

  template <unsigned more>
  static void run_all(Router* routers, Bits units, const Moment& at, Work& work);
  template <unsigned more>
  bool step(const Moment& at, Work& work);
  void count_arrivals(Bits flits, Cycle now);
  void count_grants(const Requests& requests, Cycle now);
  void add_waits(unsigned number, Cycle end, router::StateCycles& cycles) const;
  router::StateCycles waits(unsigned first, unsigned count, Cycle end) const;
  Waits::Stages stages_cycles() const { return {shared_->rc_cycles, shared_->va_cycles}; }
  void note_grants(const Requests& requests, Cycle now);
  void show_heads(Bits leaving, const Moment& at);
  void note_credit(unsigned out, Cycle now);
  template <bool watches>
  void take_credits(Bits credits, Cycle now);
  void take_flits(Bits flits, Cycle now);
  void end_stages(Cycle now, Work& work);
  /// `credits`: arrive in this cycle. `tries`: of a router that predicts.
  template <bool decides, bool predicts>
  void compute_route(unsigned number, Bits credits, const Moment& at, Prediction::Tries* tries);
  void await_route(unsigned number, const Moment& at);
  routing::Decision decide(const routing::RouteQuery& query, Bits credits, Cycle now);
  void request_vcs(Requests& requests, Cycle now);
  bool request(unsigned number, Requests& requests, Cycle now);
  bool choose(unsigned number, Requests& requests, Cycle now);
  Bits select(Bits ready);
  Bits arbitrate(Bits asking, const Output& output) const;
  template <bool predicts>
  void traverse(Bits granted, const Moment& at);
  template <bool by_switch, bool predicts>
  void leave(Bits rest, const Moment& at, Cycle lead_cycles);
  void release(unsigned number);
  void allocate_vcs(Requests& requests, const Moment& at, Work& work);
  void allocate_port(Requests& requests, unsigned port, const Moment& at, Work& work);
  void grant(const Request& request, unsigned vc, const Moment& at, Work& work);
  void hold(unsigned number, unsigned port, unsigned vc);
  // Prediction.
  bool quiet(unsigned port) const {
    const Bits own = vcs_[inputs_[port].first].of_input;
    return (own & (flits_ | ~idle_)) == 0;
  }
  void learn(Bits routed);
  bool predict(unsigned number, const Packet& packet, const routing::RouteSet& routes, Cycle now,
               Prediction::Tries& tries);
  unsigned usable_vc(unsigned port, const Output& output, unsigned flits, Cycle now) const;
  bool is_right(unsigned number, const Prediction::Try& one) const;
  void settle(Prediction::Tries& tries, Requests& requests, const Moment& at);
  void ask_for_held(const Requests& requests, Cycle now);
  Bits lost_vcs(Cycle now);
  Failed failed_tries(const Prediction::Tries& tries, bool first, Cycle now) const;
  void hold_back(Bits lost, Failed failed, Prediction::Tries& tries, Requests& requests, const Moment& at);
  void drop(Failed failed, Prediction::Tries& tries, const Moment& at);
  void go_by_switch(Bits input_vcs);
  void cross_predicted(const Prediction::Try& one, const Moment& at);
  /// Input virtual channels with an output, a flit and a credit.
  Bits ready() const { return active_ & flits_ & credit_; }
  unsigned next_vc(const Request& request, unsigned vcs) const;
  routing::RouteCandidate* candidates_of(unsigned number) const {
    return candidates_ + std::size_t{number} * shared_->max_candidates;
  }
  static std::uint16_t served(unsigned input_vc, unsigned port) {
    return static_cast<std::uint16_t>(input_vc | port << 8);
  }
  static unsigned vc_of(std::uint16_t served) { return served & 255U; }
  static unsigned port_of(std::uint16_t served) { return served >> 8U; }
  PacketIndex* heads_of(unsigned number) const {
    return heads_ + std::size_t{number} * shared_->buffers.places;
  }
  [[noreturn]] void fail(Cycle now, const std::string& what) const;
  [[noreturn]] void fail(Cycle now, PacketIndex packet, const std::string& what) const;

  // Masks of input virtual channels.
  Bits flits_ = 0;    ///< with a flit in the buffer
  Bits credit_ = 0;   ///< whose output virtual channel has a credit
  Bits active_ = 0;   ///< that request the switch: an output virtual channel has been allocated
  Bits idle_ = 0;     ///< without a packet at the front
  Bits pending_ = 0;  ///< whose head requests an output virtual channel in the next cycle
  Bits parked_ = 0;   ///< whose head waits until an output virtual channel may be available
  Bits routing_ = 0;  ///< in route computation of another length than one cycle
  Bits routed_ = 0;   ///< whose route computation ends with this cycle
  /// Input virtual channels of different inputs for different outputs, each being the last served at both
  /// ends: granting all of them leaves every pointer of SA unchanged.
  Bits settled_ = 0;
  /// Input virtual channels whose packet may have several candidates, where decisions read waiting flits.
  Bits choosing_ = 0;

  Bits* row_ = nullptr;       ///< in slot 0
  Stages* stages_ = nullptr;  ///< [slot]; null: RC and VA take one cycle each
  InputVc* vcs_ = nullptr;
  OutputVc* out_ = nullptr;
  Input* inputs_ = nullptr;
  Output* outputs_ = nullptr;
  const RouterShared* shared_ = nullptr;
  Home* home_ = nullptr;
  Watched* watched_ = nullptr;  ///< null unless RouterShared::may_be_watched or counts_waits
  routing::RouteCandidate* candidates_ = nullptr;  ///< [input VC][max_candidates]
  PacketIndex* heads_ = nullptr;                   ///< [input VC][Buffers::places]
  Prediction* prediction_ = nullptr;               ///< null unless RouterShared::predicts
  graph::RouterId id_ = 0;
  unsigned turn_ = 0;          ///< position of the round-robin selection
  std::uint32_t decided_ = 0;  ///< number of decisions, modulo 2^32
  std::uint8_t unit_ = 0, input_vcs_ = 0, output_vcs_ = 0, port_count_ = 0;
  std::uint8_t most_vcs_out_ = 1;
};

}  // namespace tsuji::network::dense
