// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <new>
#include <string>
#include <utility>

#include "tsuji/core/error.h"
#include "tsuji/network/dense/mask_router.h"

// Definitions of MaskRouter: how it is built, and what others see of it between two cycles.

namespace tsuji::network::dense {

/// A router in one piece with the memory of build() that places refer to.
template <class Mask>
Router* MaskRouter<Mask>::make(const std::vector<PortShape>& ports, Arena& arena) {
  unsigned in = 0, out = 0;
  for (const PortShape& port : ports) {
    in = first_in_word(in, port.in_vcs) + port.in_vcs;
    out = first_in_word(out, port.out_vcs) + port.out_vcs;
  }
  constexpr std::size_t padding = 5 * alignof(InputVc);
  static_assert(sizeof(MaskRouter) +
                    mask_bits * (sizeof(Input) + sizeof(Output) + sizeof(InputVc) + sizeof(OutputVc<Mask>)) +
                    padding <
                place_bytes << 16U);
  arena.reserve(sizeof(MaskRouter) + ports.size() * (sizeof(Input) + sizeof(Output)) + in * sizeof(InputVc) +
                out * sizeof(OutputVc<Mask>) + padding);
  return new (arena.take(sizeof(MaskRouter), alignof(MaskRouter))) MaskRouter;
}

template <class Mask>
void MaskRouter<Mask>::build(graph::RouterId id, const std::vector<PortShape>& ports,
                             const RouterShared& shared, Arena& arena, Home& home, unsigned unit,
                             HeadQueues& queues) {
  id_ = id;
  shared_ = &shared;
  home_ = &home;
  row_ = static_cast<Word*>(home.row(unit));
  unit_ = static_cast<std::uint8_t>(unit);
  port_count_ = static_cast<std::uint8_t>(ports.size());
  max_candidates_ = shared.max_candidates;
  candidate_bytes_ = static_cast<std::uint32_t>(sizeof(RouteCandidate) * max_candidates_);
  one_ = shared.buffers.one;
  unsigned most_vcs_out = 1;
  for (const PortShape& port : ports) {
    input_vcs_ = static_cast<std::uint8_t>(first_in_word(input_vcs_, port.in_vcs) + port.in_vcs);
    output_vcs_ = static_cast<std::uint8_t>(first_in_word(output_vcs_, port.out_vcs) + port.out_vcs);
    most_vcs_out = std::max(most_vcs_out, port.out_vcs);
  }
  vcs_ = arena.array<InputVc>(input_vcs_);
  out_ = arena.array<OutputVc<Mask>>(output_vcs_);
  outputs_ = arena.array<Output>(ports.size());
  inputs_ = arena.array<Input>(ports.size());
  if (shared.timed) times_ = make_in<Times<Mask>>(arena, shared.config.router, ports.size(), arena);
  if (shared.reads_table) add_table(ports);
  if (shared.rc_cycles != 1 || shared.va_cycles != 1 || shared.reads_table || shared.looks_up)
    stages_ = arena.array<Stages>(shared.slots.mask() + 1);
  candidates_ = arena.array<RouteCandidate>(std::size_t{input_vcs_} * shared.max_candidates);
  served_ = arena.array<std::uint8_t>(output_vcs_);
  first_queue_ = queues.add(input_vcs_);
  if (shared.passes_whole) {
    whole_ = arena.array<Whole>(1);
    whole_->credits = arena.array<PacketCredits>(output_vcs_);
    for (unsigned v = 0; v < output_vcs_; ++v)
      whole_->credits[v].build(shared.buffers.depth, arena.array<std::uint16_t>(shared.buffers.places));
  }
  if (shared.may_be_watched || shared.counts_waits) {
    watched_ = arena.array<Watched>(1);
    if (shared.counts_waits) watched_->waits = arena.array<Waits>(input_vcs_);
    watched_->outputs = arena.array<Cycle>(input_vcs_);
    if (shared.timed) {
      times_->routed = arena.array<Cycle>(input_vcs_);
      times_->blocked = arena.array<Cycle>(input_vcs_);
    }
    watched_->credits = arena.array<Cycle>(output_vcs_);
  }
  unsigned in = 0, out = 0;
  for (std::size_t p = 0; p < ports.size(); ++p) {
    Input& input = inputs_[p];
    in = first_in_word(in, ports[p].in_vcs);
    out = first_in_word(out, ports[p].out_vcs);
    input.port = static_cast<std::uint8_t>(p);
    input.first = static_cast<std::uint8_t>(in);
    // The lowest input, input virtual channel and output have priority at first, as nothing is above these.
    input.last = served(mask_bits - 1, port_count_ - 1U);
    input.own = (vc_bit(ports[p].in_vcs) - 1) << in;
    idle_ |= input.own;
    for (unsigned v = 0; v < ports[p].in_vcs; ++v) {
      if (shared.counts_waits) vcs_[in].since = Cycle{0} - 1;
      vcs_[in].next = static_cast<std::uint8_t>(most_vcs_out - 1U);
      vcs_[in++].input = place_of(input);
    }
    Output& output = outputs_[p];
    output.last = served(input_vcs_ - 1U, 0);
    output.first = static_cast<std::uint8_t>(out);
    output.to_node = ports[p].to_node;
    if (shared.timed) times_->pauses.add_output(static_cast<unsigned>(p), out_ + out);
    output.free_vcs = output.all_vcs = routing::vc_range(0, ports[p].out_vcs);
    for (unsigned v = 0; v < ports[p].out_vcs; ++v, ++out) {
      out_[out].credits = Count(shared.buffers.depth, shared.buffers.one);
      served_[out] = static_cast<std::uint8_t>(input_vcs_ - 1U);
    }
  }
}

template <class Mask>
void MaskRouter<Mask>::add_table(const std::vector<PortShape>& ports) {
  const VcNetworkConfig& config = shared_->config;
  std::vector<unsigned> vcs;
  for (const PortShape& port : ports) vcs.push_back(port.in_vcs);
  times_->table =
      std::make_unique<ReadTable>(shared_->routing,
                                  lookup::PortedTableTiming{config.rc_cycles, config.table_cycles,
                                                            config.table_ports, config.table_pipelined},
                                  vcs);
}

template <class Mask>
void MaskRouter<Mask>::predict_by(PredictionParts parts, Arena& arena) {
  Bits inputs = 0;
  for (unsigned port = 0; port < port_count_; ++port)
    if (vcs_of(inputs_[port]) != 0) inputs |= bit(port);
  prediction_ = make_in<Prediction<Mask>>(arena, std::move(parts), port_count_, inputs, output_vcs_, arena);
}

template <class Mask>
void MaskRouter<Mask>::connect_output(unsigned port, const Wire& wire, QueueIndex heads, unsigned first_bit) {
  Output& output = outputs_[port];
  output.wire = wire;
  for (unsigned v = 0; (output.all_vcs >> v & 1U) != 0; ++v) {
    out_[output.first + v].heads = heads + v;
    out_[output.first + v].far_bit = Word{1} << (first_bit + v);
  }
}

template <class Mask>
void MaskRouter<Mask>::connect_credits(unsigned port, const Wire& wire, unsigned first_bit) {
  Input& input = inputs_[port];
  input.credits = wire;
  for (unsigned v = 0; v < vcs_of(input); ++v) vcs_[input.first + v].credit_bit = Word{1} << (first_bit + v);
}

template <class Mask>
void MaskRouter<Mask>::join_threads(Crossings& crossings) {
  if (times_ != nullptr) times_->crossings = &crossings;
  for (unsigned p = 0; p < port_count_; ++p) {
    inputs_[p].credits.join_thread(*home_, crossings);
    Output& output = outputs_[p];
    if (!output.wire.join_thread(*home_, crossings)) continue;
    for (unsigned v = 0; (output.all_vcs >> v & 1U) != 0; ++v)
      out_[output.first + v].heads = crossings.queue_for(out_[output.first + v].heads);
  }
}

template <class Mask>
void MaskRouter<Mask>::add_waits(unsigned number, Cycle end, router::StateCycles& cycles) const {
  const auto in = [number](Mask mask) { return (mask & vc_bit(number)) != 0; };
  const Waits::Present present = in(idle_)              ? Waits::Present::idle
                                 : in(without_output()) ? Waits::Present::heads
                                 : !in(active_)         ? Waits::Present::allocates
                                 : !in(flits_)          ? Waits::Present::needs_flit
                                 : !in(credit_)         ? Waits::Present::needs_credit
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
    add_waits(inputs_[port].first, vcs_of(inputs_[port]), end, cycles);
  return cycles;
}

template <class Mask>
router::RouterCounters MaskRouter<Mask>::counters() const {
  router::RouterCounters counters;
  if (times_ != nullptr) counters = times_->counters;
  for (unsigned p = 0; p < port_count_; ++p) counters.flits += outputs_[p].flits;
  return counters;
}

template <class Mask>
std::uint64_t MaskRouter<Mask>::flits_to_come(unsigned port, Cycle now) const {
  std::uint64_t flits = 0;
  if (whole_ == nullptr) return flits;
  for (Mask crossing = whole_->crossing & outputs_[port].holders; crossing != 0; crossing &= crossing - 1) {
    const InputVc& vc = vcs_[lowest(crossing)];
    if (vc.since + 1 > now) flits += vc.since + 1 - now;
  }
  return flits;
}

template <class Mask>
template <class Visit>
void MaskRouter<Mask>::visit_held(unsigned number, unsigned arriving, const Visit& visit) const {
  const InputVc& vc = vcs_[number];
  unsigned packets = vc.held.number(one_) + arriving;
  if (packets != 0 && ((idle_ | whole_->crossing) & vc_bit(number)) == 0) {
    visit(vc.packet, vc.left);
    --packets;
  }
  for (PacketIndex packet = heads_of(number).first(); packets != 0; --packets) {
    if (packet == traffic::no_packet) fail(0, "a packet without its head");
    visit(packet, shared_->pool.at(packet).flits);
    packet = heads_of(number).after(packet, shared_->pool);
  }
}

template <class Mask>
std::uint64_t MaskRouter<Mask>::flits_held() const {
  std::uint64_t flits = 0;
  if (whole_ != nullptr) {
    for (unsigned port = 0; port < port_count_; ++port)
      for (unsigned vc = 0; vc < vcs_of(inputs_[port]); ++vc) flits += flits_held(port, vc);
    return flits;
  }
  flits += arriving();
  for (Mask rest = flits_; rest != 0; rest &= rest - 1) flits += vcs_[lowest(rest)].held.number(one_);
  return flits;
}

template <class Mask>
unsigned MaskRouter<Mask>::flits_held(unsigned port, unsigned vc) const {
  const unsigned number = inputs_[port].first + vc;
  if (whole_ != nullptr) {
    unsigned sum = 0;
    visit_held(number, under_way(number, 0), [&](PacketIndex, unsigned flits) { sum += flits; });
    return sum;
  }
  return vcs_[number].held.number(shared_->buffers.one) + under_way(number, 0);
}

template <class Mask>
unsigned MaskRouter<Mask>::credits(unsigned port, unsigned vc) const {
  const unsigned number = outputs_[port].first + vc;
  if (whole_ != nullptr)
    return whole_->credits[number].whole(under_way(number, words), shared_->buffers.places);
  return out_[number].credits.number(shared_->buffers.one) + under_way(number, words);
}

template <class Mask>
void MaskRouter<Mask>::add_flits_held(unsigned port, unsigned* of_vcs) const {
  const Input& input = inputs_[port];
  if (whole_ != nullptr) {
    for (unsigned v = 0; v < vcs_of(input); ++v) of_vcs[v] += flits_held(port, v);
    return;
  }
  add_under_way(input.first, 0, vcs_of(input), of_vcs);
  for (Mask rest = flits_ & input.own; rest != 0; rest &= rest - 1)
    of_vcs[lowest(rest) - input.first] += vcs_[lowest(rest)].held.number(one_);
}

template <class Mask>
void MaskRouter<Mask>::add_credits(unsigned port, unsigned* of_vcs) const {
  const Output& output = outputs_[port];
  const auto vcs = static_cast<unsigned>(__builtin_popcount(output.all_vcs));
  if (whole_ == nullptr) add_under_way(output.first, words, vcs, of_vcs);
  for (unsigned v = 0; v < vcs; ++v)
    of_vcs[v] += whole_ == nullptr ? out_[output.first + v].credits.number(one_) : credits(port, v);
}

template <class Mask>
const lookup::PortedTable* MaskRouter<Mask>::table() const {
  return times_ == nullptr || times_->table == nullptr ? nullptr : &times_->table->table();
}

template <class Mask>
void MaskRouter<Mask>::visit_packets(const std::function<void(PacketIndex)>& visit) const {
  if (flits_ == 0 && arriving() == 0) return;
  for (unsigned p = 0; p < port_count_; ++p) {
    for (unsigned v = 0; v < vcs_of(inputs_[p]); ++v) {
      const unsigned number = inputs_[p].first + v;
      const InputVc& vc = vcs_[number];
      if (whole_ != nullptr) {
        visit_held(number, under_way(number, 0), [&](PacketIndex packet, unsigned) { visit(packet); });
        continue;
      }
      unsigned flits = flits_held(p, v);
      const auto take = [&](PacketIndex packet, unsigned most) {
        for (; most != 0 && flits != 0; --most, --flits) visit(packet);
      };
      if ((idle_ & vc_bit(number)) == 0) take(vc.packet, vc.left);
      for (PacketIndex packet = heads_of(number).first(); flits != 0;) {
        if (packet == traffic::no_packet) fail(0, "flits without the head of their packet");
        take(packet, shared_->pool.at(packet).flits);
        packet = heads_of(number).after(packet, shared_->pool);
      }
    }
  }
}

template <class Mask>
Cycle MaskRouter<Mask>::last_event(Cycle now) const {
  Cycle last = home_->last(home_->row_place(unit_), 2 * words, now);
  if (routed_ != 0) last = std::max(last, now + 1);
  if (times_ != nullptr) last = std::max({last, times_->pauses.last_end(), times_->reading != 0 ? now : 0});
  if (times_ != nullptr && times_->answers != nullptr) last = std::max(last, times_->answers->last());
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
  view.out_vc = from.output == 0 ? 0 : static_cast<unsigned>(&out_vc_of(from) - out_) - output_of(from).first;
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
  width.row = {2 * words, sizeof(Word)};
  width.make = &make;
  width.runner = &runner;
  return width;
}

}  // namespace tsuji::network::dense
