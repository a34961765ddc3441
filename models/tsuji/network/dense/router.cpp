// SPDX-License-Identifier: Apache-2.0
#include "tsuji/network/dense/router.h"

#include <algorithm>
#include <string>

#include "tsuji/core/error.h"
#include "tsuji/router/output_choice.h"

namespace tsuji::network::dense {

using routing::RouteCandidate;
using routing::VcMask;

Bits Home::take_far(Cycle now) {
  Bits units = 0;
  far_at_ = never;
  std::size_t kept = 0;
  for (const Far& far : far_) {
    if (far.cycle <= now) {
      units |= bit(far.unit);
    } else {
      far_[kept++] = far;
      far_at_ = std::min(far_at_, far.cycle);
    }
  }
  far_.resize(kept);
  return units;
}

void Router::build(graph::RouterId id, const std::vector<PortShape>& ports, const RouterShared& shared,
                   Arena& arena, Home& home, unsigned unit) {
  id_ = id;
  shared_ = &shared;
  home_ = &home;
  unit_ = static_cast<std::uint8_t>(unit);
  port_count_ = static_cast<std::uint8_t>(ports.size());
  std::vector<std::uint8_t> in_vcs;
  for (const PortShape& port : ports) {
    in_vcs.push_back(static_cast<std::uint8_t>(port.in_vcs));
    input_vcs_ = static_cast<std::uint8_t>(input_vcs_ + port.in_vcs);
    output_vcs_ = static_cast<std::uint8_t>(output_vcs_ + port.out_vcs);
    most_vcs_out_ = std::max(most_vcs_out_, static_cast<std::uint8_t>(port.out_vcs));
  }
  rows_ = arena.array<Row>(shared.row_mask + 1);
  stages_ = arena.array<Stages>(shared.row_mask + 1);
  vcs_ = arena.array<InputVc>(input_vcs_);
  out_ = arena.array<OutputVc>(output_vcs_);
  outputs_ = arena.array<Output>(ports.size());
  inputs_ = arena.array<Input>(ports.size());
  // In the arena without a destructor, which it does not need.
  switch_ = make_in<router::BitmaskSwitchAllocator>(arena, arena, in_vcs, port_count_).release();
  candidates_ = arena.array<RouteCandidate>(std::size_t{input_vcs_} * shared.max_candidates);
  next_of_input_ = arena.array<std::uint8_t>(input_vcs_);
  next_of_output_ = arena.array<std::uint8_t>(output_vcs_);
  std::fill_n(next_of_input_, input_vcs_, static_cast<std::uint8_t>(most_vcs_out_ - 1));
  std::fill_n(next_of_output_, output_vcs_, static_cast<std::uint8_t>(input_vcs_ - 1));
  heads_ = arena.array<PacketIndex>(std::size_t{input_vcs_} * shared.depth);
  std::fill_n(heads_, std::size_t{input_vcs_} * shared.depth, traffic::no_packet);
  idle_ = bit(input_vcs_) - 1;
  unsigned in = 0, out = 0;
  for (std::size_t p = 0; p < ports.size(); ++p) {
    inputs_[p].first = static_cast<std::uint8_t>(in);
    inputs_[p].vcs = static_cast<std::uint8_t>(ports[p].in_vcs);
    for (unsigned v = 0; v < ports[p].in_vcs; ++v) vcs_[in++].port = static_cast<std::uint8_t>(p);
    Output& output = outputs_[p];
    output.first = static_cast<std::uint8_t>(out);
    output.to_node = ports[p].to_node;
    output.free_vcs = output.all_vcs = routing::vc_range(0, ports[p].out_vcs);
    for (unsigned v = 0; v < ports[p].out_vcs; ++v, ++out) {
      out_[out].credits = static_cast<std::uint16_t>(shared.depth);
      out_[out].holder = most_vcs;
    }
  }
}

void Router::connect_output(unsigned port, const Wire& wire, PacketIndex* heads, unsigned first_bit) {
  Output& output = outputs_[port];
  output.wire = wire;
  for (unsigned v = 0; (output.all_vcs >> v & 1U) != 0; ++v) {
    out_[output.first + v].heads = heads + std::size_t{v} * shared_->depth;
    out_[output.first + v].far_bit = static_cast<std::uint8_t>(first_bit + v);
  }
}

void Router::connect_credits(unsigned port, const Wire& wire, unsigned first_bit) {
  Input& input = inputs_[port];
  input.credits = wire;
  for (unsigned v = 0; v < input.vcs; ++v)
    vcs_[input.first + v].credit_bit = static_cast<std::uint8_t>(first_bit + v);
}

void Router::step(Cycle now) {
  const Cycle mask = shared_->row_mask;
  Row& row = rows_[now & mask];
  Stages& stages = stages_[now & mask];
  if ((row.credits | row.flits | stages.granted) != 0) home_->note(now);
  if (row.credits != 0) take_credits(row.credits, now);
  if (row.flits != 0) take_flits(row.flits, now);
  row = {};
  pending_ |= stages.routed;
  routing_ &= ~stages.routed;
  active_ |= stages.granted;
  stages = {};
  for (Bits starting = flits_ & idle_; starting != 0; starting &= starting - 1)
    compute_route(lowest(starting), now);
  Requests requests;
  requests.end = requests.list;
  if (pending_ != 0) request_vcs(requests, now);
  if (const Bits ready = active_ & flits_ & credit_; ready != 0) allocate_switch(ready, now);
  if (requests.end != requests.list) allocate_vcs(requests, now);
  if ((pending_ | (flits_ & (idle_ | (active_ & credit_)))) != 0) home_->wake(now + 1, unit_);
}

[[gnu::always_inline]] inline void Router::take_credits(Bits credits, Cycle now) {
  for (; credits != 0; credits &= credits - 1) {
    OutputVc& vc = out_[lowest(credits)];
    if (++vc.credits > shared_->depth) fail(now, "an output virtual channel gets a credit too many");
    credit_ |= bit(vc.holder);
  }
  if (shared_->reallocation == Reallocation::released) return;
  pending_ |= parked_;
  parked_ = 0;
}

[[gnu::always_inline]] inline void Router::take_flits(Bits flits, Cycle now) {
  flits_ |= flits;
  for (; flits != 0; flits &= flits - 1) {
    InputVc& vc = vcs_[lowest(flits)];
    if (++vc.held > shared_->depth) fail(now, "a flit arrives at a full buffer");
  }
}

/// RC: the head at the front requests its route.
[[gnu::always_inline]] inline void Router::compute_route(unsigned number, Cycle now) {
  InputVc& vc = vcs_[number];
  const PacketIndex index = pop_head(heads_ + std::size_t{number} * shared_->depth, vc.read, shared_->depth);
  if (index == traffic::no_packet) fail(now, "a flit arrives without the head of its packet");
  Packet& packet = shared_->pool.at(index);
  vc.packet = index;
  vc.left = packet.flits;
  vc.since = now;
  idle_ &= ~bit(number);
  heads_at_ |= bit(number);
  routing::RouteQuery query;
  query.router = id_;
  query.in_port = vc.port;
  query.in_vc = number - inputs_[vc.port].first;
  query.source = packet.source;
  query.destination = packet.destination;
  query.packet_class = packet.packet_class;
  query.hops = packet.hops;
  query.packet = packet.id;
  query.seed = shared_->seed;
  routing::RouteSet routes;
  shared_->routing.route(query, routes);
  ++packet.hops;
  if (routes.size() > shared_->max_candidates) fail(now, index, "a look-up returned too many candidates");
  vc.candidates = static_cast<std::uint8_t>(routes.size());
  RouteCandidate* own = candidates_of(number);
  for (const RouteCandidate& route : routes) {
    *own = route;
    // A routing names virtual channels of network ports; of a node's port all can be used.
    const Output& output = outputs_[route.port];
    if (output.to_node && output.all_vcs != 0) own->vcs = output.all_vcs;
    ++own;
  }
  if (shared_->rc_cycles == 0) {
    pending_ |= bit(number);
    return;
  }
  routing_ |= bit(number);
  stages_[(now + shared_->rc_cycles) & shared_->row_mask].routed |= bit(number);
  home_->wake(now + shared_->rc_cycles, unit_);
}

/// VA: heads request output virtual channels, and those for which none is available are parked.
[[gnu::always_inline]] inline void Router::request_vcs(Requests& requests, Cycle now) {
  for (Bits asking = pending_; asking != 0; asking &= asking - 1) {
    const unsigned number = lowest(asking);
    if (!request(number, requests, now)) parked_ |= bit(number);
  }
  pending_ = 0;
}

[[gnu::always_inline]] inline bool Router::request(unsigned number, Requests& requests, Cycle now) {
  const InputVc& vc = vcs_[number];
  if (vc.candidates == 1 && shared_->reallocation == Reallocation::released) {
    const RouteCandidate& only = *candidates_of(number);
    const auto free = static_cast<VcMask>(only.vcs & outputs_[only.port].free_vcs);
    if (free != 0 && only.port != vc.port) {
      *requests.end++ = {static_cast<std::uint8_t>(number), static_cast<std::uint8_t>(only.port), free, 0};
      return true;
    }
  }
  return choose(number, requests, now);
}

/// State of the outputs in a cycle, for one head.
struct Router::Choice {
  const Router& router;
  const InputVc& vc;
  const Cycle now;

  router::OutputView view(const RouteCandidate& candidate) const {
    const Output& output = router.outputs_[candidate.port];
    if (output.all_vcs == 0)
      router.fail(now, vc.packet,
                  "its route leads to port " + std::to_string(candidate.port) + ", which has no output");
    const router::VcRouterConfig& config = router.shared_->config.router;
    if (candidate.port == vc.port && !(output.to_node ? config.uturn_node : config.uturn_network)) return {};
    return {true, usable(output, candidate.vcs & output.free_vcs)};
  }
  VcMask usable(const Output& output, unsigned vcs) const {
    const RouterShared& shared = *router.shared_;
    if (shared.reallocation == Reallocation::released) return static_cast<VcMask>(vcs);
    const unsigned needed = shared.reallocation == Reallocation::packet_fits ? vc.left : shared.depth;
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

bool Router::choose(unsigned number, Requests& requests, Cycle now) {
  const InputVc& vc = vcs_[number];
  const router::VcRouterConfig& config = shared_->config.router;
  const PacketId packet = config.selection == router::Selection::random ? shared_->pool.at(vc.packet).id : 0;
  const router::ChoicePolicy policy{config.selection, turn_, shared_->seed, packet, id_};
  const router::OutputChoice choice =
      router::choose_candidate(candidates_of(number), vc.candidates, policy, Choice{*this, vc, now});
  if (choice.candidate == nullptr) {
    if (choice.dead && (vc.candidates == 0 || config.dead_route == router::DeadRoute::drop))
      shared_->events.on_no_route(id_, vc.port, number - inputs_[vc.port].first, vc.packet, now);
    return false;
  }
  *requests.end++ = {static_cast<std::uint8_t>(number), static_cast<std::uint8_t>(choice.candidate->port),
                     choice.vcs, 0};
  return true;
}

[[gnu::always_inline]] inline void Router::allocate_switch(Bits ready, Cycle now) {
  for (Bits granted = switch_->allocate(ready); granted != 0; granted &= granted - 1)
    traverse(lowest(granted), now);
}

/// ST: the front flit leaves its buffer.
[[gnu::always_inline]] inline bool Router::traverse(unsigned number, Cycle now) {
  const Cycle mask = shared_->row_mask;
  InputVc& vc = vcs_[number];
  if (--vc.held == 0) flits_ &= ~bit(number);
  inputs_[vc.port].credits.send_credit(now, mask, vc.credit_bit);
  OutputVc& to = out_[vc.out];
  Output& output = outputs_[vc.out_port];
  output.wire.send_flit(now, mask, to.far_bit);
  ++output.flits;
  if (--to.credits == 0) credit_ &= ~bit(number);
  if ((heads_at_ & bit(number)) != 0) {
    heads_at_ &= ~bit(number);
    to.push(vc.packet, shared_->depth);
  }
  vc.since = now;
  if (--vc.left != 0) return false;
  release(vc, number);
  return true;
}

/// The tail has left: its output virtual channel takes part in the VA of the next cycle.
[[gnu::always_inline]] inline void Router::release(InputVc& vc, unsigned number) {
  Output& output = outputs_[vc.out_port];
  OutputVc& to = out_[vc.out];
  output.free_vcs = static_cast<VcMask>(output.free_vcs | 1U << (vc.out - output.first));
  to.holder = most_vcs;
  active_ &= ~bit(number);
  credit_ &= ~bit(number);
  idle_ |= bit(number);
  switch_->release(number);
  pending_ |= parked_;
  parked_ = 0;
}

unsigned Router::next_vc(const Request& request, unsigned vcs) const {
  return router::first_after(vcs, next_of_input_[request.input_vc]);
}

/// VA by iSLIP with one iteration, as IslipVcAllocator: ports are independent of each other.
[[gnu::always_inline]] inline void Router::allocate_vcs(Requests& requests, Cycle now) {
  if (requests.end == requests.list + 1) {
    Request& only = requests.list[0];
    return grant(only, next_vc(only, only.vcs), now);
  }
  Bits wanted = 0, shared = 0;
  for (const Request* one = requests.list; one != requests.end; ++one) {
    shared |= wanted & bit(one->port);
    wanted |= bit(one->port);
  }
  for (const Request* one = requests.list; one != requests.end; ++one) {
    if ((shared & bit(one->port)) == 0) {
      grant(*one, next_vc(*one, one->vcs), now);
    } else if ((wanted & bit(one->port)) != 0) {
      allocate_port(requests, one->port, now);
      wanted &= ~bit(one->port);
    }
  }
}

/// Virtual channels offer themselves to the input virtual channel after the one served last; those accept the
/// one after the virtual channel accepted last.
[[gnu::noinline]] void Router::allocate_port(Requests& requests, unsigned port, Cycle now) {
  const unsigned first = outputs_[port].first;
  for (unsigned vc = 0; (outputs_[port].all_vcs >> vc & 1U) != 0; ++vc) {
    Request* best = nullptr;
    unsigned best_rank = 0;
    for (Request* one = requests.list; one != requests.end; ++one) {
      if (one->port != port || (one->vcs >> vc & 1U) == 0) continue;
      const unsigned next = next_of_output_[first + vc] + 1U;
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
      pending_ |= bit(one->input_vc);
    } else {
      grant(*one, next_vc(*one, one->offers), now);
    }
  }
}

[[gnu::always_inline]] inline void Router::grant(const Request& request, unsigned granted, Cycle now) {
  const unsigned number = request.input_vc;
  Output& output = outputs_[request.port];
  InputVc& vc = vcs_[number];
  const unsigned out = output.first + granted;
  next_of_input_[number] = static_cast<std::uint8_t>(granted);
  next_of_output_[out] = static_cast<std::uint8_t>(number);
  output.free_vcs = static_cast<VcMask>(output.free_vcs & ~(1U << granted));
  vc.out_port = request.port;
  vc.out = static_cast<std::uint8_t>(out);
  out_[out].holder = static_cast<std::uint8_t>(number);
  if (out_[out].credits != 0) credit_ |= bit(number);
  ++turn_;
  switch_->hold(number, request.port);
  if (shared_->va_cycles == 1) {
    active_ |= bit(number);
    home_->note(now + 1);
    return;  // step() wakes the router if it can do anything in the next cycle
  }
  stages_[(now + shared_->va_cycles) & shared_->row_mask].granted |= bit(number);
  home_->wake(now + shared_->va_cycles, unit_);
}

void Router::approach(Cycle now) const {
  __builtin_prefetch(&rows_[now & shared_->row_mask]);
  __builtin_prefetch(vcs_);
  __builtin_prefetch(out_);
}

std::uint64_t Router::flits_sent() const {
  std::uint64_t flits = 0;
  for (unsigned p = 0; p < port_count_; ++p) flits += outputs_[p].flits;
  return flits;
}

std::uint64_t Router::flits_held() const {
  std::uint64_t flits = 0;
  for (unsigned p = 0; p < port_count_; ++p)
    for (unsigned v = 0; v < inputs_[p].vcs; ++v) flits += flits_held(p, v);
  return flits;
}

unsigned Router::flits_held(unsigned port, unsigned vc) const {
  const unsigned number = inputs_[port].first + vc;
  unsigned flits = vcs_[number].held;
  for (Cycle r = 0; r <= shared_->row_mask; ++r) flits += rows_[r].flits >> number & 1U;
  return flits;
}

unsigned Router::credits(unsigned port, unsigned vc) const {
  const unsigned number = outputs_[port].first + vc;
  unsigned credits = out_[number].credits;
  for (Cycle r = 0; r <= shared_->row_mask; ++r) credits += rows_[r].credits >> number & 1U;
  return credits;
}

bool Router::credit_under_way(unsigned port, unsigned vc) const {
  return credits(port, vc) != 0;
}

void Router::visit_packets(const std::function<void(PacketIndex)>& visit) const {
  for (unsigned p = 0; p < port_count_; ++p) {
    for (unsigned v = 0; v < inputs_[p].vcs; ++v) {
      const unsigned number = inputs_[p].first + v;
      const InputVc& vc = vcs_[number];
      unsigned flits = flits_held(p, v);
      const auto take = [&](PacketIndex packet, unsigned most) {
        for (; most != 0 && flits != 0; --most, --flits) visit(packet);
      };
      if ((idle_ & bit(number)) == 0) take(vc.packet, vc.left);
      for (unsigned place = vc.read; flits != 0; place = place + 1 == shared_->depth ? 0 : place + 1) {
        const PacketIndex packet = heads_[std::size_t{number} * shared_->depth + place];
        if (packet == traffic::no_packet) fail(0, "flits without the head of their packet");
        take(packet, shared_->pool.at(packet).flits);
      }
    }
  }
}

Cycle Router::last_event(Cycle now) const {
  for (Cycle ahead = shared_->row_mask; ahead != 0; --ahead) {
    const Row& row = rows_[(now + ahead) & shared_->row_mask];
    const Stages& stages = stages_[(now + ahead) & shared_->row_mask];
    if ((row.flits | row.credits | stages.routed | stages.granted) != 0) return now + ahead;
  }
  return 0;
}

router::VcView Router::view(unsigned port, unsigned vc) const {
  const unsigned number = inputs_[port].first + vc;
  const InputVc& from = vcs_[number];
  router::VcView view;
  view.state = (idle_ & bit(number)) != 0                  ? router::VcState::idle
               : (routing_ & bit(number)) != 0             ? router::VcState::routing
               : ((pending_ | parked_) & bit(number)) != 0 ? router::VcState::waiting
                                                           : router::VcState::active;
  view.packet = from.packet;
  view.out_port = from.out_port;
  view.out_vc = from.out - outputs_[from.out_port].first;
  view.has_flit = flits_held(port, vc) != 0;
  view.blocked_since = from.since;
  return view;
}

std::vector<RouteCandidate> Router::candidates(unsigned port, unsigned vc) const {
  const unsigned number = inputs_[port].first + vc;
  return {candidates_of(number), candidates_of(number) + vcs_[number].candidates};
}

void Router::fail(Cycle now, const std::string& what) const {
  throw ModelError("router " + std::to_string(id_), now, "", what);
}

void Router::fail(Cycle now, PacketIndex packet, const std::string& what) const {
  throw ModelError("router " + std::to_string(id_), now, packet_name(shared_->pool.at(packet).id), what);
}

}  // namespace tsuji::network::dense
