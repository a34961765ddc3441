// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>
#include <utility>

#include "tsuji/core/error.h"
#include "tsuji/network/dense/bit_instructions.h"
#include "tsuji/network/dense/mask_router.h"
#include "tsuji/router/output_choice.h"
#include "tsuji/routing/decision_checks.h"

// Definitions of MaskRouter: a cycle. They are in a source file of each width, so the compiler inlines the
// stages of each.

namespace tsuji::network::dense {

/// An output virtual channel without credits gets one.
template <class Mask>
[[gnu::noinline]] void MaskRouter<Mask>::note_credit(unsigned out, Cycle now) {
  watched_->credits[out] = now;
  const Mask holder = out_[out].holder & active_ & flits_;
  if (watched_->waits != nullptr && holder != 0)
    watched_->waits[lowest(holder)].gets_credit(vcs_[lowest(holder)].since, now);
}

template <class Mask>
template <unsigned more>
[[gnu::always_inline]] inline void MaskRouter<Mask>::take_credits(Mask credits, Cycle now) {
  if ((more & RouterShared::whole) != 0) return take_packet_credits(credits, now);
  constexpr bool watches = (more & (RouterShared::shows | RouterShared::counts)) != 0;
  const std::uint32_t one = one_;
  OutputVc<Mask>* const out = out_;
  for (; credits != 0; credits &= credits - 1) {
    OutputVc<Mask>& vc = out[lowest(credits)];
    if (watches && seldom(vc.credits.none())) note_credit(lowest(credits), now);
    if (seldom(!vc.credits.add(one))) fail(now, "an output virtual channel gets a credit too many");
    credit_ |= vc.holder;
  }
  if (reallocation<more>() == Reallocation::released) return;
  pending_ |= parked_;
  parked_ = 0;
}

/// Flits and credits of the cycle's row arrive.
template <class Mask>
template <unsigned more>
[[gnu::always_inline]] inline void MaskRouter<Mask>::take_arrivals(Word* row, Mask flits, Mask credits,
                                                                   Cycle now, Work& work) {
  work.arrivals = 1;
  MaskWords<Mask>::clear(row);
  MaskWords<Mask>::clear(row + words);
  if (credits != 0) take_credits<more>(credits, now);
  if ((more & RouterShared::counts) != 0) count_arrivals(flits, now);
  if (flits != 0) take_flits(flits, now);
}

/// RC of the heads at the front of idle input virtual channels.
template <class Mask>
template <unsigned more>
[[gnu::always_inline]] inline void MaskRouter<Mask>::start_heads(Mask credits, const Moment& at,
                                                                 PredictionTries* tries) {
  constexpr bool counts = (more & RouterShared::counts) != 0;
  const Mask starting = flits_ & idle_;
  if (routes_last(more)) {
    routed_ = starting;
    pending_ |= starting;
  }
  if (tries != nullptr) {
    if (starting == 0) return;
    tries->busy |= ~idle_;
  }
  Waits* const waits = counts ? watched_->waits : nullptr;
  for (Mask rest = starting; rest != 0; rest &= rest - 1) {
    const unsigned number = lowest(rest);
    const Cycle moved = vcs_[number].since;
    compute_route<more>(number, credits, at, tries);
    if (counts) waits[number].starts(moved, vcs_[number].left, at.now);
    if (counts && tries != nullptr) waits[number].starts_predicted();
  }
}

/// Input virtual channels that request the switch, without prediction.
template <class Mask>
template <unsigned more>
[[gnu::always_inline]] inline Mask MaskRouter<Mask>::asking_vcs(Cycle now) {
  const Mask asking = ready();
  if ((more & RouterShared::times) == 0 || asking == 0) return asking;
  return asking & ~times_->pauses.pausing(asking, now, [this](unsigned number) {
    return std::pair(port_of(vcs_[number].served), &out_vc_of(vcs_[number]));
  });
}

/// SA and ST.
template <class Mask>
template <unsigned more>
[[gnu::always_inline]] inline void MaskRouter<Mask>::cross(Mask asking, const Moment& at) {
  const Mask granted = (asking & (asking - 1)) == 0 ? asking : select<more>(asking, at);
  if ((more & RouterShared::shows) != 0 && (granted & watched_->heads) != 0)
    show_heads(granted & watched_->heads, at);
  traverse<more>(granted, at);
}

/// Returns true if the router has something to do in the next cycle, whatever arrives. `more`:
/// RouterShared::More.
template <class Mask>
template <unsigned more>
[[gnu::always_inline]] inline bool MaskRouter<Mask>::step(const Moment& at, Work& work) {
  constexpr bool predicts = (more & RouterShared::predicts_too) != 0,
                 plain = (more & RouterShared::plain) != 0, last = routes_last(more),
                 whole = (more & RouterShared::whole) != 0;
  Word* const row = &in_slot(row_, at.slot[0]);
  const Mask flits = MaskWords<Mask>::read(row), credits = MaskWords<Mask>::read(row + words);
  PredictionTries tries;
  if (predicts) {
    tries.busy = flits_;  // start_heads() adds those with a packet
    tries.count = 0;
    if (seldom(prediction_->has_rivals()))
      prediction_->begin(at.now, [this](unsigned port) { return quiet(port); });
  }
  if ((flits | credits) != 0) take_arrivals<more>(row, flits, credits, at.now, work);
  if (whole) end_packets(at.now);
  if (!last) {
    if (predicts && !plain && stages_ != nullptr) learn(stages_[at.now & shared_->slots.mask()].routed);
    if (const Mask routed = routed_; routed != 0) {
      if (predicts) learn(routed);
      pending_ |= routed;
      routed_ = 0;
    }
    if (!plain && stages_ != nullptr) {
      Stages& stages = stages_[at.now & shared_->slots.mask()];
      if ((stages.routed | stages.granted) != 0) end_stages(stages, work);
    }
  }
  if ((pending_ | flits_) == 0) return false;
  Requests requests;
  const bool asks = !last || pending_ != 0;
  if (asks) requests.end = requests.list;
  if (last && asks) request_vcs<more>(requests, at.now);
  start_heads<more>(credits, at, predicts ? &tries : nullptr);
  if (!last && pending_ != 0) request_vcs<more>(requests, at.now);
  if (const Mask asking = predicts ? settle<more>(tries, requests, at)
                          : whole  ? asking_packets()
                                   : asking_vcs<more>(at.now);
      asking != 0)
    cross<more>(asking, at);
  if (asks && requests.end != requests.list) allocate_vcs<more>(requests, at, work);
  if (whole) return goes_on<more>(at);
  return ((last ? pending_ : pending_ | routed_) | (flits_ & (idle_ | (active_ & credit_)))) != 0;
}

template <class Mask>
template <unsigned more>
TSUJI_BIT_INSTRUCTIONS void MaskRouter<Mask>::run_all(Router* const* routers, Bits units, const Moment& at,
                                                      Work& work) {
  const Moment here = at;  // on the stack, so that its parts are read without its address
  Work sum;
  for (; units != 0; units &= units - 1) {
    auto* const router = static_cast<MaskRouter*>(routers[lowest(units)]);
    if ((more & RouterShared::times) != 0) router->begin_times(here);
    if ((more & RouterShared::looks) != 0) router->begin_answers(here);
    if (router->template step<more>(here, sum)) sum.again |= lowest_bit(units);
    if ((more & RouterShared::times) != 0) router->end_times(here);
  }
  work.add(sum);
}

template <class Mask>
Router::Run MaskRouter<Mask>::runner(unsigned more) {
  return runners(std::make_integer_sequence<unsigned, RouterShared::all_more>{})[more];
}

template <class Mask>
template <unsigned... more>
const Router::Run* MaskRouter<Mask>::runners(std::integer_sequence<unsigned, more...>) {
  static constexpr Run all[] = {&run_all<own_more(more)>...};
  return all;
}

/// Flits arrive, some of them at empty buffers whose packet holds an output.
template <class Mask>
[[gnu::always_inline]] inline void MaskRouter<Mask>::count_arrivals(Mask flits, Cycle now) {
  Waits* const waits = watched_->waits;
  for (Mask filled = flits & active_ & ~flits_; filled != 0; filled &= filled - 1)
    waits[lowest(filled)].gets_flit(vcs_[lowest(filled)].since, now);
}

/// Heads leave. Until then InputVc::since is the cycle of their route computation, and no flit has taken a
/// credit of the output virtual channel since it was granted.
template <class Mask>
void MaskRouter<Mask>::show_heads(Mask leaving, const Moment& at) {
  watched_->heads &= ~leaving;
  for (; leaving != 0; leaving &= leaving - 1) {
    const unsigned number = lowest(leaving);
    const InputVc& vc = vcs_[number];
    const Output& output = output_of(vc);
    const HeadDeparture head{vc.packet, at.now + shared_->depart_after, at.now + output.wire.cycles,
                             output.to_node};
    HeadStages stages{vc.since, vc.since + shared_->rc_cycles, watched_->outputs[number],
                      watched_->credits[&out_vc_of(vc) - out_], 0};
    if (times_ != nullptr) tell_times(number, stages);
    shared_->watch[home_->thread()]->leaves_router(head, stages);
  }
}

/// Ends of RC and VA that do not take one cycle.
template <class Mask>
[[gnu::always_inline]] inline void MaskRouter<Mask>::end_stages(Stages& stages, Work& work) {
  work.arrivals |= MaskWords<Mask>::folded(stages.granted);
  pending_ |= stages.routed;
  routing_ &= ~stages.routed;
  active_ |= stages.granted;
  stages = {};
}

template <class Mask>
[[gnu::always_inline]] inline void MaskRouter<Mask>::take_flits(Mask flits, Cycle now) {
  flits_ |= flits;
  const std::uint32_t one = one_;
  for (; flits != 0; flits &= flits - 1)
    if (seldom(!vcs_[lowest(flits)].held.add(one))) fail(now, "a flit arrives at a full buffer");
}

/// Outputs as of the end of the cycle before, in RC: nothing has left yet in this cycle.
template <class Mask>
class MaskRouter<Mask>::Before final : public routing::OutputBuffers {
 public:
  Before(const MaskRouter& router, Mask credits, Cycle now) : router_(router), credits_(credits), now_(now) {}

  unsigned credits(unsigned port, VcMask vcs) const override {
    unsigned flits = 0;
    for (unsigned rest = vcs & output(port).all_vcs; rest != 0; rest &= rest - 1) {
      const unsigned number = output(port).first + lowest(rest);
      flits += router_.whole_ != nullptr ? router_.whole_credits(number, now_)
                                         : router_.out_[number].credits.number(router_.shared_->buffers.one) -
                                               static_cast<unsigned>(credits_ >> number & 1U);
    }
    return flits;
  }
  unsigned capacity(unsigned port, VcMask vcs) const override {
    const auto channels =
        static_cast<unsigned>(__builtin_popcount(static_cast<unsigned>(vcs & output(port).all_vcs)));
    return channels * router_.shared_->buffers.depth;
  }
  unsigned returning(unsigned port, VcMask vcs) const override {
    const auto asked = static_cast<unsigned>(vcs & output(port).all_vcs);
    if (router_.whole_ != nullptr) {
      unsigned flits = 0;
      for (unsigned rest = asked; rest != 0; rest &= rest - 1)
        flits += router_.whole_->credits[output(port).first + lowest(rest)].returning(now_);
      return flits;
    }
    return static_cast<unsigned>(
        __builtin_popcount(static_cast<unsigned>(credits_ >> output(port).first) & asked));
  }
  unsigned waiting(unsigned port, VcMask vcs) const override {
    const auto asked = static_cast<VcMask>(vcs & output(port).all_vcs);
    unsigned flits = 0;
    Mask heads = router_.pending_ | router_.parked_ | router_.routed_ | router_.routing_ |
                 (router_.choosing_ & ~router_.idle_) | output(port).holders;
    for (; heads != 0; heads &= heads - 1) flits += waiting(lowest(heads), port, asked);
    return flits;
  }

 private:
  /// Flits of an input virtual channel: until the head leaves at each candidate, at the first of its virtual
  /// channels; then at the output virtual channel that it left by.
  unsigned waiting(unsigned number, unsigned port, VcMask vcs) const {
    const InputVc& vc = router_.vcs_[number];
    if (vc.left != router_.shared_->pool.at(vc.packet).flits) {
      const unsigned out_vc =
          static_cast<unsigned>(&router_.out_vc_of(vc) - router_.out_) - router_.output_of(vc).first;
      return port_of(vc.served) == port && (vcs >> out_vc & 1U) != 0 ? vc.left : 0;
    }
    if (((router_.routed_ | router_.pending_ | router_.routing_) & vc_bit(number)) != 0 && vc.since == now_)
      return 0;  // its route has been computed in this cycle
    unsigned flits = 0;
    const RouteCandidate* const candidates = router_.candidates_of(number);
    for (unsigned c = 0; c < vc.candidates; ++c)
      if (candidates[c].port == port && (vcs & candidates[c].vcs & -candidates[c].vcs) != 0) flits += vc.left;
    return flits;
  }
  const Output& output(unsigned port) const {
    if (port >= router_.port_count_)
      throw ModelError("router", "a routing reads credits of port " + std::to_string(port));
    return router_.outputs_[port];
  }

  const MaskRouter& router_;
  const Mask credits_;  ///< arrive in this cycle
  const Cycle now_;
};

template <class Mask>
[[gnu::noinline]] routing::Decision MaskRouter<Mask>::decide(const routing::RouteQuery& query, Mask credits,
                                                             Cycle now) {
  const routing::Decision decision = shared_->decisions->decide(query, Before(*this, credits, now));
  routing::check_sample(*shared_->decisions, query, decision, decided_++, now);
  return decision;
}

template <class Mask>
[[gnu::always_inline]] inline routing::RouteQuery MaskRouter<Mask>::query_of(unsigned number,
                                                                             const Packet& packet) const {
  const Input& input = input_of(vcs_[number]);
  routing::RouteQuery query;
  query.router = id_;
  query.in_port = input.port;
  query.in_vc = number - input.first;
  query.source = packet.source;
  query.destination = packet.destination;
  query.packet_class = packet.packet_class;
  query.hops = packet.hops;
  query.packet = packet.id;
  query.seed = shared_->seed;
  return query;
}

/// The route of the head at the front is known.
template <class Mask>
[[gnu::always_inline]] inline void MaskRouter<Mask>::keep_routes(unsigned number,
                                                                 const routing::RouteSet& routes, Cycle now) {
  InputVc& vc = vcs_[number];
  if (routes.size() > max_candidates_) fail(now, vc.packet, "a look-up returned too many candidates");
  vc.candidates = static_cast<std::uint8_t>(routes.size());
  RouteCandidate* own = candidates_of(number);
  for (const RouteCandidate& route : routes) {
    *own = route;
    // A routing names virtual channels of network ports; of a node's port all can be used.
    const Output& output = outputs_[route.port];
    if (output.to_node && output.all_vcs != 0) own->vcs = output.all_vcs;
    ++own;
  }
}

/// RC: the head at the front requests its route.
template <class Mask>
template <unsigned more>
[[gnu::always_inline]] inline void MaskRouter<Mask>::compute_route(unsigned number, Mask credits,
                                                                   const Moment& at, PredictionTries* tries) {
  constexpr bool decides = (more & RouterShared::decides) != 0,
                 predicts = (more & RouterShared::predicts_too) != 0;
  InputVc& vc = vcs_[number];
  const PacketIndex index = heads_of(number).pop(shared_->pool);
  if (index == traffic::no_packet) fail(at.now, "a flit arrives without the head of its packet");
  Packet& packet = shared_->pool.at(index);
  vc.packet = index;
  vc.left = packet.flits;
  vc.since = at.now;
  idle_ &= ~vc_bit(number);
  if ((more & RouterShared::times) != 0) watch_head(number, packet, at.now);
  routing::RouteQuery query = query_of(number, packet);
  if (decides) {
    choosing_ &= ~vc_bit(number);  // of the packet before
    query.decision = packet.decision;
    query.decision = packet.decision = decide(query, credits, at.now);
  }
  ++packet.hops;
  if ((more & RouterShared::looks) != 0) {
    if (const Cycle ready = ask_hardware(number, query, at); seldom(ready != never)) await_answer(ready, at);
    return;
  }
  if ((more & RouterShared::times) != 0 && times_->answers != nullptr) return ask_switch(number, query, at);
  routing::RouteSet routes;
  if ((more & RouterShared::times) != 0 && times_->table != nullptr) {
    if (!ask_table(number, query, routes, at.now)) return;
  } else {
    shared_->routing.route(query, routes);
  }
  keep_routes(number, routes, at.now);
  if (predicts && predict<more>(number, packet, routes, at.now, *tries)) return;
  if (routes_last(more)) return;  // start_heads() lets the head be pending
  await_route<more>(number, at);
}

template <class Mask>
template <unsigned more>
[[gnu::always_inline]] inline void MaskRouter<Mask>::await_route(unsigned number, const Moment& at) {
  if (rc_cycles<more>() == 0) {
    pending_ |= vc_bit(number);
    return;
  }
  if (rc_cycles<more>() == 1) {
    routed_ |= vc_bit(number);
    return;
  }
  routing_ |= vc_bit(number);
  const Cycle end = at.now + rc_cycles<more>();
  stages_[end & shared_->slots.mask()].routed |= vc_bit(number);
  home_->wake_at(at, end, unit_);
}

/// VA: heads request output virtual channels, and those for which none is available are parked.
template <class Mask>
template <unsigned more>
[[gnu::always_inline]] inline void MaskRouter<Mask>::request_vcs(Requests& requests, Cycle now) {
  for (Mask asking = pending_; asking != 0; asking &= asking - 1) {
    const unsigned number = lowest(asking);
    if (request<more>(number, requests, now)) continue;
    parked_ |= vc_bit(number);
    if ((more & RouterShared::whole) != 0) await_credits(number, now);
  }
  pending_ = 0;
}

template <class Mask>
template <unsigned more>
[[gnu::always_inline]] inline bool MaskRouter<Mask>::request(unsigned number, Requests& requests, Cycle now) {
  const InputVc& vc = vcs_[number];
  constexpr bool whole = (more & RouterShared::whole) != 0;
  if (vc.candidates == 1 && (whole || reallocation<more>() == Reallocation::released)) {
    const RouteCandidate& only = *candidates_of(number);
    const Output& output = outputs_[only.port];
    auto free = static_cast<VcMask>(only.vcs & output.free_vcs);
    if (whole) free = fitting(vc, output, free, now);
    if (free != 0 && only.port != input_of(vc).port) {
      *requests.end++ = {static_cast<std::uint8_t>(number), static_cast<std::uint8_t>(only.port), free, 0};
      return true;
    }
    if (output.all_vcs != 0 && only.port != input_of(vc).port) return false;
  }
  return choose(number, requests, now);
}

/// State of the outputs in a cycle, for one head.
template <class Mask>
struct MaskRouter<Mask>::Choice {
  const MaskRouter& router;
  const InputVc& vc;
  const Cycle now;

  router::OutputView view(const RouteCandidate& candidate) const {
    const Output& output = router.outputs_[candidate.port];
    if (output.all_vcs == 0)
      router.fail(now, vc.packet,
                  "its route leads to port " + std::to_string(candidate.port) + ", which has no output");
    const router::VcRouterConfig& config = router.shared_->config.router;
    if (candidate.port == router.input_of(vc).port &&
        !(output.to_node ? config.uturn_node : config.uturn_network))
      return {};
    return {true, usable(output, candidate.vcs & output.free_vcs)};
  }
  VcMask usable(const Output& output, unsigned vcs) const {
    const RouterShared& shared = *router.shared_;
    if (shared.reallocation == Reallocation::released) return static_cast<VcMask>(vcs);
    const unsigned needed = this->needed();
    unsigned found = 0;
    for (; vcs != 0; vcs &= vcs - 1)
      if (has_credits(output.first + lowest(vcs), needed)) found |= vcs & (~vcs + 1U);
    return static_cast<VcMask>(found);
  }
  /// Credits that an output virtual channel must have.
  unsigned needed() const {
    const RouterShared& shared = *router.shared_;
    return shared.reallocation == Reallocation::packet_fits ? vc.left : shared.buffers.depth;
  }
  bool has_credits(unsigned out, unsigned needed) const {
    if (router.whole_ != nullptr) return router.whole_->credits[out].at(now) >= needed;
    return router.out_[out].credits.at_least(needed, router.one_);
  }
  /// In units of Buffers::one, or of a credit of whole packets.
  std::uint64_t credits(const RouteCandidate& candidate, VcMask vcs) const {
    const unsigned first = router.outputs_[candidate.port].first;
    std::uint64_t sum = 0;
    for (unsigned rest = vcs; rest != 0; rest &= rest - 1) {
      const unsigned out = first + lowest(rest);
      sum += router.whole_ != nullptr ? router.whole_->credits[out].at(now)
                                      : router.out_[out].credits.in_units();
    }
    return sum;
  }
};

template <class Mask>
bool MaskRouter<Mask>::choose(unsigned number, Requests& requests, Cycle now) {
  const InputVc& vc = vcs_[number];
  const router::VcRouterConfig& config = shared_->config.router;
  const PacketId packet = config.selection == router::Selection::random ? shared_->pool.at(vc.packet).id : 0;
  const router::ChoicePolicy policy{config.selection, turn_, shared_->seed, packet, id_};
  const router::OutputChoice choice =
      router::choose_candidate(candidates_of(number), vc.candidates, policy, Choice{*this, vc, now});
  if (choice.candidate == nullptr) {
    if (choice.dead && (vc.candidates == 0 || config.dead_route == router::DeadRoute::drop))
      shared_->events.on_no_route(id_, input_of(vc).port, number - input_of(vc).first, vc.packet, now);
    return false;
  }
  choosing_ |= vc_bit(number);
  *requests.end++ = {static_cast<std::uint8_t>(number), static_cast<std::uint8_t>(choice.candidate->port),
                     choice.vcs, 0};
  return true;
}

/// Grant step of an output that several input virtual channels request: the next input, and of that the next
/// input virtual channel. Returns the input virtual channel's bit.
template <class Mask>
[[gnu::always_inline]] inline Mask MaskRouter<Mask>::arbitrate(Mask asking, const Output& output) const {
  const Mask served = of_input(vcs_[vc_of(output.last)]);
  const InputVc& next = vcs_[first_of<Mask>(asking, ~(served | (served - 1)))];
  const Mask of_next = asking & of_input(next), later = of_next & ~Mask{1} << vc_of(input_of(next).last);
  return lowest_bit(later != 0 ? later : of_next);
}

template <class Mask>
template <unsigned more>
[[gnu::always_inline]] inline void MaskRouter<Mask>::depart(InputVc& vc, Mask number, Output& output,
                                                            const Moment& at) {
  if ((more & RouterShared::whole) != 0) return leave_whole(vc, number, output, at);
  leave<true, more>(vc, number, output, at, 0);
}

/// The front flit of an input virtual channel leaves its buffer, `lead_cycles` earlier than after SA.
/// `number`: its bit, which is set in the masks of what it needs.
template <class Mask>
template <bool by_switch, unsigned more>
[[gnu::always_inline]] inline void MaskRouter<Mask>::leave(InputVc& vc, Mask number, Output& output,
                                                           const Moment& at, Cycle lead_cycles) {
  constexpr bool predicts = (more & RouterShared::predicts_too) != 0;
  OutputVc<Mask>& to = out_vc_of(vc);
  Input& input = input_of(vc);
  const std::uint32_t one = one_;
  vc.since = at.now;
  if (seldom(vc.held.take(one))) flits_ ^= number;
  if (seldom(to.credits.take(one))) credit_ ^= number;
  if (by_switch) input.last = output.last = vc.served;
  if ((more & RouterShared::times) != 0)
    times_->pauses.leaves(port_of(vc.served), &to, output.holders & ~number, at.now);
  ++output.flits;
  input.credits.send(at, vc.credit_bit);
  output.wire.send(at, to.far_bit, lead_cycles);
  if (seldom(--vc.left == 0)) {
    const unsigned of_port = held_vc<more>(vc, output);
    if (predicts) {
      prediction_->tail_left(input.port, of_port, output.first + of_port,
                             by_switch ? at.now + prediction_->lead_cycles() : at.now);
      if (!by_switch) prediction_->stop_keeping(number, input.own, input.port, port_of(vc.served));
    }
    release(to, number, output, of_port);
  }
}

/// The tail has left: its output virtual channel takes part in the VA of the next cycle.
template <class Mask>
[[gnu::always_inline]] inline void MaskRouter<Mask>::release(OutputVc<Mask>& to, Mask number, Output& output,
                                                             unsigned of_port) {
  output.free_vcs = static_cast<VcMask>(output.free_vcs | 1U << of_port);
  output.holders ^= number;
  to.holder = 0;
  active_ ^= number;
  credit_ &= ~number;
  idle_ ^= number;
  pending_ |= parked_;
  parked_ = 0;
}

/// SA: the grants of router::BitmaskSwitchAllocator, whose pointers are at the ports. An input chooses among
/// its grants by pairs, so the outputs may come in any order.
/// Without records and prediction, whose order is that of the inputs, flits of inputs that request one output
/// leave at once. Returns the other grants.
template <class Mask>
template <unsigned more>
[[gnu::always_inline]] inline Mask MaskRouter<Mask>::select(Mask ready, const Moment& at) {
  constexpr bool in_order = (more & (RouterShared::shows | RouterShared::predicts_too)) != 0;
  Mask granted = 0;
  for (Mask rest = ready; rest != 0;) {
    InputVc* winner = vcs_ + lowest(rest);
    Mask one = lowest_bit(rest);
    Output& output = output_of(*winner);
    const Mask asking = output.holders & ready;
    rest &= ~asking;
    if (asking != one) {
      one = arbitrate(asking, output);
      winner = vcs_ + lowest(one);
    }
    const Mask of_input = ready & this->of_input(*winner);
    if (!in_order && of_input == one) {
      depart<more>(*winner, one, output, at);
      continue;
    }
    if (const Mask earlier = granted & of_input; earlier != 0) {
      // Accept step of an input with a second grant: the output after the one served last.
      const unsigned own = port_of(winner->served), rival = port_of(vcs_[lowest(earlier)].served);
      if (first_after<Mask>(vc_bit(rival) | vc_bit(own), port_of(input_of(*winner).last)) == rival) continue;
      granted &= ~earlier;
    }
    granted |= one;
  }
  return granted;
}

/// ST: the front flits leave their buffers.
template <class Mask>
template <unsigned more>
[[gnu::always_inline]] inline void MaskRouter<Mask>::traverse(Mask granted, const Moment& at) {
  constexpr bool predicts = (more & RouterShared::predicts_too) != 0;
  Mask of_inputs = 0;
  Bits outputs = 0;
  for (Mask rest = granted; rest != 0; rest &= rest - 1) {
    InputVc& vc = vcs_[lowest(rest)];
    if (predicts) {
      of_inputs |= of_input(vc);
      outputs |= bit(port_of(vc.served));
    }
    depart<more>(vc, lowest_bit(rest), output_of(vc), at);
  }
  if (predicts) prediction_->cross(of_inputs, outputs, at.now);
}

template <class Mask>
[[gnu::always_inline]] inline unsigned MaskRouter<Mask>::next_vc(const Request& request, unsigned vcs) const {
  return first_after<Bits>(vcs, vcs_[request.input_vc].next);
}

/// VA by iSLIP with one iteration, as IslipVcAllocator: ports are independent of each other.
template <class Mask>
template <unsigned more>
[[gnu::always_inline]] inline void MaskRouter<Mask>::allocate_vcs(Requests& requests, const Moment& at,
                                                                  Work& work) {
  if (requests.end == requests.list + 1) {
    Request& only = requests.list[0];
    return grant<more>(only, next_vc(only, only.vcs), at, work);
  }
  Mask wanted = 0, shared = 0;  // ports
  for (const Request* one = requests.list; one != requests.end; ++one) {
    shared |= wanted & vc_bit(one->port);
    wanted |= vc_bit(one->port);
  }
  for (const Request* one = requests.list; one != requests.end; ++one) {
    if ((shared & vc_bit(one->port)) == 0) {
      grant<more>(*one, next_vc(*one, one->vcs), at, work);
    } else if ((wanted & vc_bit(one->port)) != 0) {
      allocate_port<more>(requests, one->port, at, work);
      wanted &= ~vc_bit(one->port);
    }
  }
}

/// Virtual channels offer themselves to the input virtual channel after the one served last; those accept the
/// one after the virtual channel accepted last.
template <class Mask>
template <unsigned more>
[[gnu::noinline]] void MaskRouter<Mask>::allocate_port(Requests& requests, unsigned port, const Moment& at,
                                                       Work& work) {
  const unsigned first = outputs_[port].first;
  for (unsigned vc = 0; (outputs_[port].all_vcs >> vc & 1U) != 0; ++vc) {
    Request* best = nullptr;
    unsigned best_rank = 0;
    for (Request* one = requests.list; one != requests.end; ++one) {
      if (one->port != port || (one->vcs >> vc & 1U) == 0) continue;
      const unsigned next = served_[first + vc] + 1U;
      const unsigned rank = one->input_vc >= next ? one->input_vc - next : one->input_vc + input_vcs_ - next;
      if (best != nullptr && rank >= best_rank) continue;
      best = one;
      best_rank = rank;
    }
    if (best != nullptr) best->offers = static_cast<VcMask>(best->offers | 1U << vc);
  }
  for (const Request* one = requests.list; one != requests.end; ++one) {
    if (one->port != port) continue;
    if (one->offers == 0) {
      pending_ |= vc_bit(one->input_vc);
    } else {
      grant<more>(*one, next_vc(*one, one->offers), at, work);
    }
  }
}

/// The packet at the front takes an output virtual channel. Returns its number among all outputs'.
template <class Mask>
[[gnu::always_inline]] inline unsigned MaskRouter<Mask>::hold(unsigned number, unsigned port,
                                                              unsigned of_port) {
  Output& output = outputs_[port];
  InputVc& vc = vcs_[number];
  output.free_vcs = static_cast<VcMask>(output.free_vcs & ~(1U << of_port));
  const unsigned out = output.first + of_port;
  OutputVc<Mask>& to = out_[out];
  vc.output = place_of(output);
  vc.to = place_of(to);
  vc.served = served(number, port);
  output.holders |= vc_bit(number);
  to.holder = vc_bit(number);
  shared_->queues[to.heads].push(vc.packet, shared_->pool);
  if (!to.credits.none()) credit_ |= vc_bit(number);
  return out;
}

template <class Mask>
template <unsigned more>
[[gnu::always_inline]] inline void MaskRouter<Mask>::grant(const Request& request, unsigned granted,
                                                           const Moment& at, Work& work) {
  const unsigned number = request.input_vc;
  vcs_[number].next = static_cast<std::uint8_t>(granted);
  const unsigned out = hold(number, request.port, granted);
  if ((more & RouterShared::whole) != 0) hold_whole(number, out);
  served_[out] = static_cast<std::uint8_t>(number);
  ++turn_;
  if ((more & RouterShared::times) != 0) {
    times_->pauses.takes(vc_bit(number));
    if (shared_->recovers) check_recovery(number, request.port, granted, at.now);
  }
  if ((more & RouterShared::shows) != 0) {
    watched_->heads |= vc_bit(number);
    watched_->outputs[number] = at.now + shared_->va_cycles;
  }
  if ((more & RouterShared::counts) != 0)
    watched_->waits[number].granted(vcs_[number].since, stages_cycles(), at.now);
  if ((more & RouterShared::plain) != 0 || shared_->va_cycles == 1) {
    active_ |= vc_bit(number);
    work.grants = 1;
    return;  // step() lets the router run if it can do anything in the next cycle
  }
  const Cycle end = at.now + shared_->va_cycles;
  stages_[end & shared_->slots.mask()].granted |= vc_bit(number);
  home_->wake_at(at, end, unit_);
}

}  // namespace tsuji::network::dense
