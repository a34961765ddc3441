// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <new>
#include <string>
#include <utility>

#include "tsuji/core/error.h"
#include "tsuji/network/dense/bit_instructions.h"
#include "tsuji/network/dense/mask_router.h"
#include "tsuji/router/output_choice.h"
#include "tsuji/routing/decision_checks.h"

// Definitions of MaskRouter, for a source file of each width: so the compiler inlines the stages of each.

namespace tsuji::network::dense {

using routing::RouteCandidate;
using routing::VcMask;

template <class Mask>
void MaskRouter<Mask>::build(graph::RouterId id, const std::vector<PortShape>& ports,
                             const RouterShared& shared, Arena& arena, Home& home, unsigned unit) {
  id_ = id;
  shared_ = &shared;
  home_ = &home;
  row_ = home.row(unit);
  unit_ = static_cast<std::uint8_t>(unit);
  port_count_ = static_cast<std::uint8_t>(ports.size());
  for (const PortShape& port : ports) {
    input_vcs_ = static_cast<std::uint8_t>(first_in_word(input_vcs_, port.in_vcs) + port.in_vcs);
    output_vcs_ = static_cast<std::uint8_t>(first_in_word(output_vcs_, port.out_vcs) + port.out_vcs);
    most_vcs_out_ = std::max(most_vcs_out_, static_cast<std::uint8_t>(port.out_vcs));
  }
  if (shared.rc_cycles != 1 || shared.va_cycles != 1) stages_ = arena.array<Stages>(shared.slots.mask() + 1);
  vcs_ = arena.array<InputVc>(input_vcs_);
  out_ = arena.array<OutputVc<Mask>>(output_vcs_);
  outputs_ = arena.array<Output>(ports.size());
  inputs_ = arena.array<Input>(ports.size());
  candidates_ = arena.array<RouteCandidate>(std::size_t{input_vcs_} * shared.max_candidates);
  const std::size_t places = std::size_t{input_vcs_} * shared.buffers.places;
  heads_ = arena.array<PacketIndex>(places);
  std::fill_n(heads_, places, traffic::no_packet);
  if (shared.may_be_watched || shared.counts_waits) {
    watched_ = arena.array<Watched>(1);
    if (shared.counts_waits) watched_->waits = arena.array<Waits>(input_vcs_);
    watched_->outputs = arena.array<Cycle>(input_vcs_);
    watched_->credits = arena.array<Cycle>(output_vcs_);
  }
  unsigned in = 0, out = 0;
  for (std::size_t p = 0; p < ports.size(); ++p) {
    Input& input = inputs_[p];
    in = first_in_word(in, ports[p].in_vcs);
    out = first_in_word(out, ports[p].out_vcs);
    input.port = static_cast<std::uint16_t>(p);
    input.first = static_cast<std::uint8_t>(in);
    input.vcs = static_cast<std::uint8_t>(ports[p].in_vcs);
    // The lowest input, input virtual channel and output have priority at first, as nothing is above these.
    input.last = served(mask_bits - 1, port_count_ - 1U);
    const Mask own = (vc_bit(ports[p].in_vcs) - 1) << in;
    idle_ |= own;
    for (unsigned v = 0; v < ports[p].in_vcs; ++v) {
      vcs_[in].of_input = own;
      if (shared.counts_waits) vcs_[in].since = Cycle{0} - 1;
      vcs_[in].next = static_cast<std::uint16_t>(most_vcs_out_ - 1U);
      vcs_[in++].input = &input;
    }
    Output& output = outputs_[p];
    output.last = served(input_vcs_ - 1U, 0);
    output.first = static_cast<std::uint8_t>(out);
    output.to_node = ports[p].to_node;
    output.free_vcs = output.all_vcs = routing::vc_range(0, ports[p].out_vcs);
    for (unsigned v = 0; v < ports[p].out_vcs; ++v, ++out) {
      out_[out].credits = shared.buffers.depth;
      out_[out].next = static_cast<std::uint16_t>(input_vcs_ - 1U);
    }
  }
}

template <class Mask>
void MaskRouter<Mask>::predict_by(PredictionParts parts, Arena& arena) {
  Bits inputs = 0;
  for (unsigned port = 0; port < port_count_; ++port)
    if (inputs_[port].vcs != 0) inputs |= bit(port);
  prediction_ = make_in<Prediction<Mask>>(arena, std::move(parts), port_count_, inputs, output_vcs_, arena);
}

template <class Mask>
void MaskRouter<Mask>::connect_output(unsigned port, const Wire& wire, PacketIndex* heads,
                                      unsigned first_bit) {
  Output& output = outputs_[port];
  output.wire = wire;
  for (unsigned v = 0; (output.all_vcs >> v & 1U) != 0; ++v) {
    out_[output.first + v].heads = heads + std::size_t{v} * shared_->buffers.places;
    out_[output.first + v].far_bit = bit(first_bit + v);
  }
}

template <class Mask>
void MaskRouter<Mask>::connect_credits(unsigned port, const Wire& wire, unsigned first_bit) {
  Input& input = inputs_[port];
  input.credits = wire;
  for (unsigned v = 0; v < input.vcs; ++v) vcs_[input.first + v].credit_bit = bit(first_bit + v);
}

template <class Mask>
void MaskRouter<Mask>::join_threads(Crossings& crossings) {
  for (unsigned p = 0; p < port_count_; ++p) {
    inputs_[p].credits.join_thread(*home_, crossings);
    outputs_[p].wire.join_thread(*home_, crossings);
  }
}

/// An output virtual channel without credits gets one.
template <class Mask>
[[gnu::noinline]] void MaskRouter<Mask>::note_credit(unsigned out, Cycle now) {
  watched_->credits[out] = now;
  const Mask holder = out_[out].holder & active_ & flits_;
  if (watched_->waits != nullptr && holder != 0)
    watched_->waits[lowest(holder)].gets_credit(vcs_[lowest(holder)].since, now);
}

template <class Mask>
template <bool watches>
[[gnu::always_inline]] inline void MaskRouter<Mask>::take_credits(Mask credits, Cycle now) {
  const std::uint16_t depth = shared_->buffers.depth;
  for (; credits != 0; credits &= credits - 1) {
    OutputVc<Mask>& vc = out_[lowest(credits)];
    if (watches && seldom(vc.credits == 0)) note_credit(lowest(credits), now);
    if (vc.credits == depth) fail(now, "an output virtual channel gets a credit too many");
    ++vc.credits;
    credit_ |= vc.holder;
  }
  if (shared_->reallocation == Reallocation::released) return;
  pending_ |= parked_;
  parked_ = 0;
}

/// Returns true if the router has something to do in the next cycle, whatever arrives. `more`:
/// RouterShared::More.
template <class Mask>
template <unsigned more>
[[gnu::always_inline]] inline bool MaskRouter<Mask>::step(const Moment& at, Work& work) {
  constexpr bool shows = (more & RouterShared::shows) != 0, counts = (more & RouterShared::counts) != 0,
                 decides = (more & RouterShared::decides) != 0,
                 predicts = (more & RouterShared::predicts_too) != 0;
  Bits* const row = &in_slot(row_, at.slot[0]);
  const Mask flits = MaskWords<Mask>::read(row), credits = MaskWords<Mask>::read(row + words);
  // At low loads most cycles of a router bring credits alone; these prediction may skip.
  if (predicts && (flits | flits_ | pending_ | routed_) != 0)
    prediction_->begin(at.now, [this](unsigned port) { return quiet(port); });
  if ((flits | credits) != 0) {
    work.arrivals |= MaskWords<Mask>::folded(flits | credits);
    MaskWords<Mask>::clear(row);
    MaskWords<Mask>::clear(row + words);
    if (credits != 0) take_credits<shows || counts>(credits, at.now);
    if (counts) count_arrivals(flits, at.now);
    if (flits != 0) take_flits(flits, at.now);
  }
  if (predicts) learn(routed_ | (stages_ != nullptr ? stages_[at.now & shared_->slots.mask()].routed : 0));
  pending_ |= routed_;
  routed_ = 0;
  if (stages_ != nullptr) end_stages(at.now, work);
  if ((pending_ | flits_) == 0) return false;
  PredictionTries tries;
  if (predicts) tries.end = tries.list;
  for (Mask starting = flits_ & idle_; starting != 0; starting &= starting - 1) {
    const unsigned number = lowest(starting);
    const Cycle moved = vcs_[number].since;
    compute_route<decides, predicts>(number, credits, at, predicts ? &tries : nullptr);
    if (counts) watched_->waits[number].starts(moved, vcs_[number].left, at.now);
  }
  Requests requests;
  requests.end = requests.list;
  if (pending_ != 0) request_vcs(requests, at.now);
  if (predicts) settle(tries, requests, at);
  if (const Mask asking = predicts ? ready() & ~prediction_->kept() : ready(); asking != 0) {
    const Mask granted = select(asking);
    if (shows && (granted & watched_->heads) != 0) show_heads(granted & watched_->heads, at);
    traverse<predicts>(granted, at);
  }
  if (requests.end != requests.list) allocate_vcs<more>(requests, at, work);
  return (pending_ | routed_ | (flits_ & (idle_ | (active_ & credit_)))) != 0;
}

template <class Mask>
template <unsigned more>
TSUJI_BIT_INSTRUCTIONS void MaskRouter<Mask>::run_all(Router* first, Bits units, const Moment& at,
                                                      Work& work) {
  auto* const routers = static_cast<MaskRouter*>(first);
  for (; units != 0; units &= units - 1)
    if (routers[lowest(units)].template step<more>(at, work)) work.again |= lowest_bit(units);
}

template <class Mask>
typename MaskRouter<Mask>::Run MaskRouter<Mask>::runner(unsigned more) {
  switch (more) {
    case 0:
      return &run_all<0>;
    case 1:
      return &run_all<1>;
    case 2:
      return &run_all<2>;
    case 3:
      return &run_all<3>;
    case 4:
      return &run_all<4>;
    case 5:
      return &run_all<5>;
    case 6:
      return &run_all<6>;
    case 7:
      return &run_all<7>;
    case RouterShared::predicts_too:
      return &run_all<RouterShared::predicts_too>;
    case RouterShared::predicts_too | RouterShared::decides:
      return &run_all<RouterShared::predicts_too | RouterShared::decides>;
    default:
      throw ModelError("network", "its routers predict and are watched");
  }
}

/// Flits arrive, some of them at empty buffers whose packet holds an output.
template <class Mask>
[[gnu::always_inline]] inline void MaskRouter<Mask>::count_arrivals(Mask flits, Cycle now) {
  for (Mask filled = flits & active_ & ~flits_; filled != 0; filled &= filled - 1)
    watched_->waits[lowest(filled)].gets_flit(vcs_[lowest(filled)].since, now);
}

template <class Mask>
void MaskRouter<Mask>::add_waits(unsigned number, Cycle end, router::StateCycles& cycles) const {
  const auto in = [number](Mask mask) { return (mask & vc_bit(number)) != 0; };
  const Waits::Present present = in(idle_)                                     ? Waits::Present::idle
                                 : in(routing_ | routed_ | pending_ | parked_) ? Waits::Present::heads
                                 : !in(active_)                                ? Waits::Present::allocates
                                 : !in(flits_)                                 ? Waits::Present::needs_flit
                                 : !in(credit_)                                ? Waits::Present::needs_credit
                                                                               : Waits::Present::ready;
  watched_->waits[number].add_to(cycles, present, vcs_[number].since, vcs_[number].left, stages_cycles(),
                                 end);
}

/// Cycles of virtual channels of an input from `first` on; has the switch in those of no other state.
template <class Mask>
void MaskRouter<Mask>::add_waits(unsigned first, unsigned vcs, Cycle end, router::StateCycles& cycles) const {
  router::StateCycles own{};
  for (unsigned number = first; number != first + vcs; ++number) add_waits(number, end, own);
  std::uint64_t others = 0;
  for (const std::uint64_t state : own) others += state;
  own[static_cast<std::size_t>(router::PortState::lost_switch)] = vcs * end - others;
  for (std::size_t state = 0; state < own.size(); ++state) cycles[state] += own[state];
}

template <class Mask>
router::StateCycles MaskRouter<Mask>::waits_of(unsigned port, unsigned vc, Cycle end) const {
  router::StateCycles cycles{};
  add_waits(inputs_[port].first + vc, 1, end, cycles);
  return cycles;
}

template <class Mask>
router::StateCycles MaskRouter<Mask>::waits(Cycle end) const {
  router::StateCycles cycles{};
  for (unsigned port = 0; port < port_count_; ++port)
    add_waits(inputs_[port].first, inputs_[port].vcs, end, cycles);
  return cycles;
}

/// Heads leave. Until then InputVc::since is the cycle of their route computation, and no flit has taken a
/// credit of the output virtual channel since it was granted.
template <class Mask>
void MaskRouter<Mask>::show_heads(Mask leaving, const Moment& at) {
  watched_->heads &= ~leaving;
  for (; leaving != 0; leaving &= leaving - 1) {
    const unsigned number = lowest(leaving);
    const InputVc& vc = vcs_[number];
    HeadDeparture head;
    head.packet = vc.packet;
    head.departure = at.now + shared_->depart_after;
    head.ready = at.now + vc.output->wire.cycles;
    head.to_node = vc.output->to_node;
    HeadStages stages;
    stages.route_computation = vc.since;
    stages.vc_allocation = vc.since + shared_->rc_cycles;
    stages.switch_allocation = watched_->outputs[number];
    stages.credit = watched_->credits[vc.to - out_];
    shared_->watch[home_->thread()]->leaves_router(head, stages);
  }
}

/// Ends of RC and VA that do not take one cycle.
template <class Mask>
[[gnu::noinline]] void MaskRouter<Mask>::end_stages(Cycle now, Work& work) {
  Stages& stages = stages_[now & shared_->slots.mask()];
  work.arrivals |= MaskWords<Mask>::folded(stages.granted);
  pending_ |= stages.routed;
  routing_ &= ~stages.routed;
  active_ |= stages.granted;
  stages = {};
}

template <class Mask>
[[gnu::always_inline]] inline void MaskRouter<Mask>::take_flits(Mask flits, Cycle now) {
  flits_ |= flits;
  const std::uint16_t depth = shared_->buffers.depth;
  for (; flits != 0; flits &= flits - 1) {
    InputVc& vc = vcs_[lowest(flits)];
    if (vc.held == depth) fail(now, "a flit arrives at a full buffer");
    ++vc.held;
  }
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
      flits += router_.out_[number].credits - static_cast<unsigned>(credits_ >> number & 1U);
    }
    return flits;
  }
  unsigned capacity(unsigned port, VcMask vcs) const override {
    const auto channels =
        static_cast<unsigned>(__builtin_popcount(static_cast<unsigned>(vcs & output(port).all_vcs)));
    return channels * router_.shared_->buffers.depth;
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
      const unsigned out_vc = static_cast<unsigned>(vc.to - router_.out_) - vc.output->first;
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

/// RC: the head at the front requests its route.
template <class Mask>
template <bool decides, bool predicts>
[[gnu::always_inline]] inline void MaskRouter<Mask>::compute_route(unsigned number, Mask credits,
                                                                   const Moment& at, PredictionTries* tries) {
  InputVc& vc = vcs_[number];
  const PacketIndex index = pop_head(heads_of(number), vc.read, shared_->buffers.places);
  if (index == traffic::no_packet) fail(at.now, "a flit arrives without the head of its packet");
  Packet& packet = shared_->pool.at(index);
  vc.packet = index;
  vc.left = packet.flits;
  vc.since = at.now;
  idle_ &= ~vc_bit(number);
  routing::RouteQuery query;
  query.router = id_;
  query.in_port = vc.input->port;
  query.in_vc = number - vc.input->first;
  query.source = packet.source;
  query.destination = packet.destination;
  query.packet_class = packet.packet_class;
  query.hops = packet.hops;
  query.packet = packet.id;
  query.seed = shared_->seed;
  if (decides) {
    choosing_ &= ~vc_bit(number);  // of the packet before
    query.decision = packet.decision;
    query.decision = packet.decision = decide(query, credits, at.now);
  }
  routing::RouteSet routes;
  shared_->routing.route(query, routes);
  ++packet.hops;
  if (routes.size() > shared_->max_candidates) fail(at.now, index, "a look-up returned too many candidates");
  vc.candidates = static_cast<std::uint8_t>(routes.size());
  RouteCandidate* own = candidates_of(number);
  for (const RouteCandidate& route : routes) {
    *own = route;
    // A routing names virtual channels of network ports; of a node's port all can be used.
    const Output& output = outputs_[route.port];
    if (output.to_node && output.all_vcs != 0) own->vcs = output.all_vcs;
    ++own;
  }
  if (predicts && predict(number, packet, routes, at.now, *tries)) return;
  await_route(number, at);
}

template <class Mask>
[[gnu::always_inline]] inline void MaskRouter<Mask>::await_route(unsigned number, const Moment& at) {
  if (shared_->rc_cycles == 0) {
    pending_ |= vc_bit(number);
    return;
  }
  if (shared_->rc_cycles == 1) {
    routed_ |= vc_bit(number);
    return;
  }
  routing_ |= vc_bit(number);
  const Cycle end = at.now + shared_->rc_cycles;
  stages_[end & shared_->slots.mask()].routed |= vc_bit(number);
  home_->wake_at(at, end, unit_);
}

/// VA: heads request output virtual channels, and those for which none is available are parked.
template <class Mask>
[[gnu::always_inline]] inline void MaskRouter<Mask>::request_vcs(Requests& requests, Cycle now) {
  for (Mask asking = pending_; asking != 0; asking &= asking - 1) {
    const unsigned number = lowest(asking);
    if (!request(number, requests, now)) parked_ |= vc_bit(number);
  }
  pending_ = 0;
}

template <class Mask>
[[gnu::always_inline]] inline bool MaskRouter<Mask>::request(unsigned number, Requests& requests, Cycle now) {
  const InputVc& vc = vcs_[number];
  if (vc.candidates == 1 && shared_->reallocation == Reallocation::released) {
    const RouteCandidate& only = *candidates_of(number);
    const auto free = static_cast<VcMask>(only.vcs & outputs_[only.port].free_vcs);
    if (free != 0 && only.port != vc.input->port) {
      *requests.end++ = {static_cast<std::uint8_t>(number), static_cast<std::uint8_t>(only.port), free, 0};
      return true;
    }
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
    if (candidate.port == vc.input->port && !(output.to_node ? config.uturn_node : config.uturn_network))
      return {};
    return {true, usable(output, candidate.vcs & output.free_vcs)};
  }
  VcMask usable(const Output& output, unsigned vcs) const {
    const RouterShared& shared = *router.shared_;
    if (shared.reallocation == Reallocation::released) return static_cast<VcMask>(vcs);
    const unsigned needed = shared.reallocation == Reallocation::packet_fits ? vc.left : shared.buffers.depth;
    unsigned found = 0;
    for (; vcs != 0; vcs &= vcs - 1)
      if (router.out_[output.first + lowest(vcs)].credits >= needed) found |= vcs & (~vcs + 1U);
    return static_cast<VcMask>(found);
  }
  unsigned credits(const RouteCandidate& candidate, VcMask vcs) const {
    unsigned sum = 0;
    for (unsigned rest = vcs; rest != 0; rest &= rest - 1)
      sum += router.out_[router.outputs_[candidate.port].first + lowest(rest)].credits;
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
      shared_->events.on_no_route(id_, vc.input->port, number - vc.input->first, vc.packet, now);
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
  const Mask served = vcs_[vc_of(output.last)].of_input;
  const InputVc& next = vcs_[first_of<Mask>(asking, ~(served | (served - 1)))];
  return vc_bit(first_after<Mask>(asking & next.of_input, vc_of(next.input->last)));
}

/// SA: the grants of router::BitmaskSwitchAllocator, whose pointers are at the ports. An input chooses among
/// its grants by pairs, so the outputs may come in any order.
template <class Mask>
[[gnu::always_inline]] inline Mask MaskRouter<Mask>::select(Mask ready) {
  if ((ready & ~settled_) == 0) return ready;
  Mask granted = 0;
  for (Mask rest = ready; rest != 0;) {
    const InputVc* winner = vcs_ + lowest(rest);
    const Output& output = *winner->output;
    Mask asking = output.holders & ready;
    rest &= ~asking;
    if ((asking & (asking - 1)) != 0) {
      asking = arbitrate(asking, output);
      winner = vcs_ + lowest(asking);
    }
    if (const Mask earlier = granted & winner->of_input; earlier != 0) {
      // Accept step of an input with a second grant: the output after the one served last.
      const unsigned own = port_of(winner->served), rival = port_of(vcs_[lowest(earlier)].served);
      if (first_after<Bits>(bit(rival) | bit(own), port_of(winner->input->last)) == rival) continue;
      granted &= ~earlier;
    }
    granted |= asking;
  }
  return settled_ = granted;
}

/// ST: the front flits leave their buffers, and the round-robin pointers of SA move.
template <class Mask>
template <bool predicts>
[[gnu::always_inline]] inline void MaskRouter<Mask>::traverse(Mask granted, const Moment& at) {
  for (Mask rest = granted; rest != 0; rest &= rest - 1) {
    if (predicts) {
      const InputVc& vc = vcs_[lowest(rest)];
      prediction_->cross(vc.input->port, port_of(vc.served),
                         static_cast<unsigned>(vc.to - out_) - vc.output->first, at.now);
    }
    leave<true, predicts>(rest, at, 0);
  }
}

/// The front flit of the lowest of these input virtual channels leaves its buffer, `lead_cycles` earlier than
/// after SA.
template <class Mask>
template <bool by_switch, bool predicts>
[[gnu::always_inline]] inline void MaskRouter<Mask>::leave(Mask rest, const Moment& at, Cycle lead_cycles) {
  InputVc& vc = vcs_[lowest(rest)];
  OutputVc<Mask>& to = *vc.to;
  vc.since = at.now;
  // Branches, which cost fewer instructions than conditional moves.
  if (seldom(--vc.held == 0)) flits_ &= ~lowest_bit(rest);
  if (seldom(--to.credits == 0)) credit_ &= ~lowest_bit(rest);
  if (by_switch) vc.input->last = vc.output->last = vc.served;
  ++vc.output->flits;
  vc.input->credits.send(at, vc.credit_bit);
  vc.output->wire.send(at, to.far_bit, lead_cycles);
  if (seldom(--vc.left == 0)) {
    if (predicts)
      prediction_->tail_left(lowest(rest), vc.input->port, static_cast<unsigned>(vc.to - out_),
                             by_switch ? at.now + prediction_->lead_cycles() : at.now);
    release(lowest(rest));
  }
}

/// The tail has left: its output virtual channel takes part in the VA of the next cycle.
template <class Mask>
[[gnu::always_inline]] inline void MaskRouter<Mask>::release(unsigned number) {
  const InputVc& vc = vcs_[number];
  Output& output = *vc.output;
  output.free_vcs = static_cast<VcMask>(output.free_vcs | 1U << (vc.to - out_ - output.first));
  output.holders &= ~vc_bit(number);
  vc.to->holder = 0;
  active_ &= ~vc_bit(number);
  credit_ &= ~vc_bit(number);
  idle_ |= vc_bit(number);
  pending_ |= parked_;
  parked_ = 0;
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
  Bits wanted = 0, shared = 0;
  for (const Request* one = requests.list; one != requests.end; ++one) {
    shared |= wanted & bit(one->port);
    wanted |= bit(one->port);
  }
  for (const Request* one = requests.list; one != requests.end; ++one) {
    if ((shared & bit(one->port)) == 0) {
      grant<more>(*one, next_vc(*one, one->vcs), at, work);
    } else if ((wanted & bit(one->port)) != 0) {
      allocate_port<more>(requests, one->port, at, work);
      wanted &= ~bit(one->port);
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
      const unsigned next = out_[first + vc].next + 1U;
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

/// The packet at the front takes an output virtual channel.
template <class Mask>
[[gnu::always_inline]] inline void MaskRouter<Mask>::hold(unsigned number, unsigned port, unsigned of_port) {
  Output& output = outputs_[port];
  InputVc& vc = vcs_[number];
  output.free_vcs = static_cast<VcMask>(output.free_vcs & ~(1U << of_port));
  vc.output = &output;
  vc.to = out_ + output.first + of_port;
  vc.served = served(number, port);
  output.holders |= vc_bit(number);
  settled_ &= ~vc_bit(number);
  vc.to->holder = vc_bit(number);
  vc.to->push(vc.packet, shared_->buffers.places);
  if (vc.to->credits != 0) credit_ |= vc_bit(number);
}

template <class Mask>
template <unsigned more>
[[gnu::always_inline]] inline void MaskRouter<Mask>::grant(const Request& request, unsigned granted,
                                                           const Moment& at, Work& work) {
  const unsigned number = request.input_vc;
  vcs_[number].next = static_cast<std::uint16_t>(granted);
  hold(number, request.port, granted);
  vcs_[number].to->next = static_cast<std::uint16_t>(number);
  ++turn_;
  if ((more & RouterShared::shows) != 0) {
    watched_->heads |= vc_bit(number);
    watched_->outputs[number] = at.now + shared_->va_cycles;
  }
  if ((more & RouterShared::counts) != 0)
    watched_->waits[number].granted(vcs_[number].since, stages_cycles(), at.now);
  if (shared_->va_cycles == 1) {
    active_ |= vc_bit(number);
    work.grants = 1;
    return;  // step() lets the router run if it can do anything in the next cycle
  }
  const Cycle end = at.now + shared_->va_cycles;
  stages_[end & shared_->slots.mask()].granted |= vc_bit(number);
  home_->wake_at(at, end, unit_);
}

/// Trains the predictors with routes that are known from this cycle on.
template <class Mask>
[[gnu::always_inline]] inline void MaskRouter<Mask>::learn(Mask routed) {
  for (; routed != 0; routed &= routed - 1) {
    const unsigned number = lowest(routed);
    const InputVc& vc = vcs_[number];
    if (vc.candidates != 0)
      prediction_->learn(vc.input->port, shared_->pool.at(vc.packet).destination,
                         candidates_of(number)->port);
  }
}

/// A head has requested its route. Returns true if it may cross in this cycle by prediction. A guess whose
/// route is not known in time counts as wrong, like one without a route.
template <class Mask>
[[gnu::always_inline]] inline bool MaskRouter<Mask>::predict(unsigned number, const Packet& packet,
                                                             const routing::RouteSet& routes, Cycle now,
                                                             PredictionTries& tries) {
  using router::PredictionOutcome;
  const InputVc& vc = vcs_[number];
  const unsigned port = vc.input->port;
  if (shared_->rc_cycles == 0) {
    if (vc.candidates == 0) return false;
    prediction_->learn(port, packet.destination, candidates_of(number)->port);
  }
  if (!prediction_->admits(port)) {
    prediction_->count(port, PredictionOutcome::not_idle);
    return false;
  }
  const unsigned wanted = prediction_->wanted(port, routes, now);
  const unsigned out_vc =
      wanted == router::no_port ? wanted : usable_vc(port, outputs_[wanted], packet.flits, now);
  if (out_vc == router::no_port) {
    prediction_->count(
        port, wanted == router::no_port ? PredictionOutcome::not_predicted : PredictionOutcome::no_room);
    prediction_->give_up(port);
    return false;
  }
  PredictionTry& one = *tries.end++;
  one = {static_cast<std::uint8_t>(number), static_cast<std::uint8_t>(port),
         static_cast<std::uint8_t>(wanted), static_cast<std::uint8_t>(out_vc), false};
  one.right = prediction_->in_time() && is_right(number, one);
  return true;
}

/// Virtual channel of the output that a packet can be allocated now, with a credit: that of the input's last
/// head if possible, otherwise the next one in turn. `no_port`: none.
template <class Mask>
unsigned MaskRouter<Mask>::usable_vc(unsigned port, const Output& output, unsigned flits, Cycle now) const {
  const unsigned needed = shared_->reallocation == Reallocation::released      ? 1
                          : shared_->reallocation == Reallocation::packet_fits ? flits
                                                                               : shared_->buffers.depth;
  const auto vcs = static_cast<unsigned>(__builtin_popcount(output.all_vcs));
  unsigned v = prediction_->last_vc(port);
  for (unsigned i = 0; i < vcs; ++i, ++v) {
    if (v >= vcs) v %= vcs;
    if ((output.free_vcs >> v & 1U) != 0 && out_[output.first + v].credits >= needed &&
        prediction_->leaves_last(output.first + v, now))
      return v;
  }
  return router::no_port;
}

/// Returns true if the head's route has the output and virtual channel of the guess.
template <class Mask>
bool MaskRouter<Mask>::is_right(unsigned number, const PredictionTry& one) const {
  const Output& output = outputs_[one.out_port];
  const router::VcRouterConfig& config = shared_->config.router;
  if (one.out_port == one.port && !(output.to_node ? config.uturn_node : config.uturn_network)) return false;
  const RouteCandidate* const own = candidates_of(number);
  for (unsigned c = 0; c < vcs_[number].candidates; ++c)
    if (own[c].port == one.out_port && (own[c].vcs >> one.out_vc & 1U) != 0) return true;
  return false;
}

/// Flits cross by prediction, after all requests of the cycle are known.
template <class Mask>
[[gnu::always_inline]] inline void MaskRouter<Mask>::settle(PredictionTries& tries, Requests& requests,
                                                            const Moment& at) {
  ask_for_held(requests, at.now);
  const Mask lost = lost_vcs(at.now);
  const Failed failed = failed_tries(tries, true, at.now);
  if ((lost | failed.lost | failed.wrong) != 0) hold_back(lost, failed, tries, requests, at);
  for (Mask rest = ready() & prediction_->kept(); rest != 0; rest &= rest - 1) {
    const InputVc& vc = vcs_[lowest(rest)];
    prediction_->cross_kept(vc.input->port, port_of(vc.served), at.now);
    leave<false, true>(rest, at, prediction_->lead_cycles());
  }
  for (const PredictionTry* one = tries.list; one != tries.end; ++one) cross_predicted(*one, at);
}

/// Reports the known real requests of the cycle.
template <class Mask>
[[gnu::always_inline]] inline void MaskRouter<Mask>::ask_for_held(const Requests& requests, Cycle now) {
  std::uint64_t inputs = 0, outputs = 0;
  for (Mask rest = ready() & ~prediction_->kept(); rest != 0; rest &= rest - 1) {
    const InputVc& vc = vcs_[lowest(rest)];
    inputs |= bit(vc.input->port);
    outputs |= bit(port_of(vc.served));
  }
  for (const Request* one = requests.list; one != requests.end; ++one) {
    inputs |= bit(vcs_[one->input_vc].input->port);
    outputs |= bit(one->port);
  }
  if (outputs != 0) prediction_->request_all(inputs, outputs, now);
}

/// Input virtual channels that lose their output: it is requested, or a flit that won the switch crosses
/// there.
template <class Mask>
[[gnu::always_inline]] inline Mask MaskRouter<Mask>::lost_vcs(Cycle now) {
  Mask lost = 0;
  const Mask kept = prediction_->kept();
  if (const std::uint64_t inputs = prediction_->take_dropped(); inputs != 0) {
    for (Mask rest = kept; rest != 0; rest &= rest - 1)
      if ((inputs & vc_bit(vcs_[lowest(rest)].input->port)) != 0) lost |= lowest_bit(rest);
  }
  if (prediction_->others_cross(now)) {
    for (Mask rest = ready() & kept; rest != 0; rest &= rest - 1) {
      const InputVc& vc = vcs_[lowest(rest)];
      if (!prediction_->holds(vc.input->port, port_of(vc.served), now)) lost |= lowest_bit(rest);
    }
  }
  return lost;
}

/// The route is compared only if the output is still held; otherwise the try is lost anyway.
template <class Mask>
[[gnu::always_inline]] inline typename MaskRouter<Mask>::Failed MaskRouter<Mask>::failed_tries(
    const PredictionTries& tries, bool first, Cycle now) const {
  Failed failed;
  for (const PredictionTry* one = tries.list; one != tries.end; ++one) {
    if (!prediction_->holds(one->port, one->out_port, now)) {
      failed.lost |= bit(one->port);
    } else if (first && !one->right) {
      failed.wrong |= bit(one->port);
    }
  }
  return failed;
}

/// Removes tries that fail. Their flits request the output in this cycle, by which further tries may fail.
template <class Mask>
[[gnu::noinline]] void MaskRouter<Mask>::hold_back(Mask lost, Failed failed, PredictionTries& tries,
                                                   Requests& requests, const Moment& at) {
  do {
    drop(failed, tries, at);
    if (pending_ != 0) request_vcs(requests, at.now);
    go_by_switch(lost);
    ask_for_held(requests, at.now);
    lost = lost_vcs(at.now);
    failed = failed_tries(tries, false, at.now);
  } while ((lost | failed.lost) != 0);
}

/// Their heads go on with the stages of the router.
template <class Mask>
void MaskRouter<Mask>::drop(Failed failed, PredictionTries& tries, const Moment& at) {
  using router::PredictionOutcome;
  PredictionTry* left = tries.list;
  for (const PredictionTry* one = tries.list; one != tries.end; ++one) {
    const Bits port = bit(one->port);
    if (((failed.lost | failed.wrong) & port) == 0) {
      *left++ = *one;
      continue;
    }
    prediction_->give_up(one->port);
    prediction_->count(one->port,
                       (failed.wrong & port) != 0 ? PredictionOutcome::wrong : PredictionOutcome::lost);
    await_route(one->input_vc, at);
  }
  tries.end = left;
}

/// From now on the packets of these input virtual channels request the switch.
template <class Mask>
void MaskRouter<Mask>::go_by_switch(Mask input_vcs) {
  prediction_->stop_keeping(input_vcs);
  for (; input_vcs != 0; input_vcs &= input_vcs - 1)
    prediction_->give_up(vcs_[lowest(input_vcs)].input->port);
}

/// ST only: a head takes the output virtual channel that was reserved for its input.
template <class Mask>
[[gnu::always_inline]] inline void MaskRouter<Mask>::cross_predicted(const PredictionTry& one,
                                                                     const Moment& at) {
  const Cycle rc_cycles = shared_->rc_cycles, lead_cycles = prediction_->lead_cycles();
  if (rc_cycles != 0)
    prediction_->learn(one.port, shared_->pool.at(vcs_[one.input_vc].packet).destination, one.out_port);
  prediction_->hit(one, rc_cycles + shared_->va_cycles + lead_cycles, at.now);
  hold(one.input_vc, one.out_port, one.out_vc);
  active_ |= vc_bit(one.input_vc);
  leave<false, true>(vc_bit(one.input_vc), at, lead_cycles);
}

template <class Mask>
std::uint64_t MaskRouter<Mask>::flits_sent() const {
  std::uint64_t flits = 0;
  for (unsigned p = 0; p < port_count_; ++p) flits += outputs_[p].flits;
  return flits;
}

template <class Mask>
std::uint64_t MaskRouter<Mask>::flits_held() const {
  std::uint64_t flits = 0;
  for (unsigned word = 0; word < words; ++word) flits += home_->count_all(row_ + word);
  for (unsigned number = 0; number < input_vcs_; ++number) flits += vcs_[number].held;
  return flits;
}

template <class Mask>
unsigned MaskRouter<Mask>::flits_held(unsigned port, unsigned vc) const {
  const unsigned number = inputs_[port].first + vc;
  return vcs_[number].held + under_way(number, 0);
}

template <class Mask>
unsigned MaskRouter<Mask>::credits(unsigned port, unsigned vc) const {
  const unsigned number = outputs_[port].first + vc;
  return out_[number].credits + under_way(number, words);
}

template <class Mask>
void MaskRouter<Mask>::visit_packets(const std::function<void(PacketIndex)>& visit) const {
  for (unsigned p = 0; p < port_count_; ++p) {
    for (unsigned v = 0; v < inputs_[p].vcs; ++v) {
      const unsigned number = inputs_[p].first + v;
      const InputVc& vc = vcs_[number];
      unsigned flits = flits_held(p, v);
      const auto take = [&](PacketIndex packet, unsigned most) {
        for (; most != 0 && flits != 0; --most, --flits) visit(packet);
      };
      if ((idle_ & vc_bit(number)) == 0) take(vc.packet, vc.left);
      unsigned place = vc.read;
      while (flits != 0) {
        const PacketIndex packet = heads_of(number)[place];
        if (packet == traffic::no_packet) fail(0, "flits without the head of their packet");
        take(packet, shared_->pool.at(packet).flits);
        place = place + 1 == shared_->buffers.places ? 0 : place + 1;
      }
    }
  }
}

template <class Mask>
Cycle MaskRouter<Mask>::last_event(Cycle now) const {
  Cycle last = home_->last(row_, 2 * words, now);
  if (routed_ != 0) last = std::max(last, now + 1);
  if (stages_ == nullptr) return last;
  const Cycle mask = shared_->slots.mask();
  for (Cycle ahead = 1; ahead <= mask; ++ahead) {
    const Stages& stages = stages_[(now + ahead) & mask];
    if ((stages.routed | stages.granted) != 0) last = std::max(last, now + ahead);
  }
  return last;
}

template <class Mask>
router::VcView MaskRouter<Mask>::view(unsigned port, unsigned vc) const {
  const unsigned number = inputs_[port].first + vc;
  const InputVc& from = vcs_[number];
  router::VcView view;
  view.state = (idle_ & vc_bit(number)) != 0                  ? router::VcState::idle
               : ((routing_ | routed_) & vc_bit(number)) != 0 ? router::VcState::routing
               : ((pending_ | parked_) & vc_bit(number)) != 0 ? router::VcState::waiting
                                                              : router::VcState::active;
  view.packet = from.packet;
  view.out_port = port_of(from.served);
  view.out_vc = from.output == nullptr ? 0 : static_cast<unsigned>(from.to - out_) - from.output->first;
  view.has_flit = flits_held(port, vc) != 0;
  view.blocked_since = from.since;
  return view;
}

template <class Mask>
std::vector<RouteCandidate> MaskRouter<Mask>::candidates(unsigned port, unsigned vc) const {
  const unsigned number = inputs_[port].first + vc;
  return {candidates_of(number), candidates_of(number) + vcs_[number].candidates};
}

template <class Mask>
void MaskRouter<Mask>::fail(Cycle now, const std::string& what) const {
  throw ModelError("router " + std::to_string(id_), now, "", what);
}

template <class Mask>
void MaskRouter<Mask>::fail(Cycle now, PacketIndex packet, const std::string& what) const {
  throw ModelError("router " + std::to_string(id_), now, packet_name(shared_->pool.at(packet).id), what);
}

template <class Mask>
RouterWidth MaskRouter<Mask>::width() {
  RouterWidth width;
  width.most_vcs = mask_bits - 1;
  width.row_words = 2 * words;
  width.bytes = sizeof(MaskRouter);
  width.alignment = alignof(MaskRouter);
  width.make = [](void* memory) -> Router* { return new (memory) MaskRouter; };
  width.runner = &runner;
  return width;
}

}  // namespace tsuji::network::dense
