// SPDX-License-Identifier: Apache-2.0
#include "router/rtl_packet_shadow.h"

#include <algorithm>
#include <utility>

namespace tsuji::bench {

void PacketDifferences::add(const PacketDifferences& other) {
  if (other.first_cycle < first_cycle) {
    first_cycle = other.first_cycle;
    first = other.first;
  }
  differing += other.differing;
  if (other.packets == 0) return;
  least = packets == 0 ? other.least : std::min(least, other.least);
  most = packets == 0 ? other.most : std::max(most, other.most);
  sum += other.sum;
  packets += other.packets;
}

/// The beginning of an input's channel: a flit at the pins can be acted upon in its cycle.
struct RtlPacketShadow::Input {
  Input(const FlitChannelConfig& config, Arena& arena)
      : channel(config),
        calendar(arena, config.vcs, 1),
        sequences(config.vcs),
        packets(config.vcs),
        waiting(config.vcs) {
    channel.bind_sender({}, calendar, 0, sender);
  }
  FlitChannel channel;
  ArrivalCalendar calendar;
  FlitSender sender;
  std::vector<std::uint16_t> sequences;  ///< [vc] of the next flit
  std::vector<PacketIndex> packets;      ///< [vc] packet of the model whose flits enter
  std::vector<std::deque<std::pair<std::uint64_t, Waiting>>>
      waiting;  ///< [vc] with the order of their coming
  std::uint64_t came = 0;
  std::vector<std::uint64_t> heads = std::vector<std::uint64_t>(waiting.size());  ///< [vc] that came
};

RtlPacketShadow::RtlPacketShadow(const PacketShadowConfig& config, graph::RouterId id,
                                 const std::vector<router::RouterPort>& ends,
                                 const router::RouterParts& parts)
    : config_(config.router), id_(id), lookup_(*parts.routing, config.rc_cycles), outputs_(ends.size()) {
  std::vector<router::RouterPort> ports(ends.size());
  for (std::size_t p = 0; p < ends.size(); ++p) {
    ports[p].to_node = ends[p].to_node;
    FlitChannelConfig channel;
    channel.credit_latency_cycles = 0;
    inputs_.push_back(nullptr);
    if (ends[p].in != nullptr) {
      channel.vcs = ends[p].in->vcs();
      channel.depth_flits = ends[p].in->depth_flits();
      channel.latency_cycles = 1;
      channel.credit_process_cycles = 0;
      inputs_.back() = std::make_unique<Input>(channel, arena_);
      ports[p].in = &inputs_.back()->channel;
    }
    if (ends[p].out == nullptr) continue;
    // The pins are in front of the wires.
    channel.vcs = ends[p].out->vcs();
    channel.depth_flits = ends[p].out->depth_flits();
    channel.latency_cycles = 0;
    channel.credit_process_cycles = config.credit_process_cycles;
    Output& output = outputs_[p];
    output.channel = std::make_unique<FlitChannel>(channel);
    output.driver = std::make_unique<FlitPinDriver>(*output.channel, Waker(), arena_);
    output.away.resize(channel.vcs);
    output.model.resize(channel.vcs);
    ports[p].out = output.channel.get();
  }
  router::RouterParts own{pool_, lookup_};
  own.max_candidates = parts.max_candidates;
  own.seed = parts.seed;
  own.arena = &arena_;
  own.predictor_table = parts.predictor_table;
  own.routing = parts.routing;
  router_ = router::make_vc_router(config_, id, ports, own);
  router_->bind(Waker());
}

RtlPacketShadow::~RtlPacketShadow() = default;

RtlPacketShadow::Passage RtlPacketShadow::head_in(unsigned port, unsigned vc, const Packet& packet,
                                                  std::uint16_t hops) {
  if (free_.empty()) {
    free_.push_back(static_cast<Passage>(ways_.size()));
    ways_.emplace_back();
  }
  const Passage passage = free_.back();
  free_.pop_back();
  PacketRef copy = pool_.make_bare();
  Packet& model = copy.edit();
  model.id = packet.id;
  model.source = packet.source;
  model.destination = packet.destination;
  model.flits = packet.flits;
  model.hops = hops;
  model.kind = packet.kind;
  model.packet_class = packet.packet_class;
  model.created = packet.created;
  model.injected = packet.injected;
  model.sid = packet.sid;
  model.decision = packet.decision;
  model.order = packet.order;
  Way way;
  way.id = packet.id;
  way.in_port = static_cast<std::uint8_t>(port);
  way.in_vc = static_cast<std::uint8_t>(vc);
  way.number = ++inputs_[port]->heads[vc];
  way.model_packet = copy.detach();
  if (of_packet_.size() <= way.model_packet) of_packet_.resize(way.model_packet + 1);
  of_packet_[way.model_packet] = passage;
  ways_[passage] = way;
  ++under_way_;
  return passage;
}

void RtlPacketShadow::flit_in(Passage passage, bool head, bool tail) {
  const Way& way = ways_[passage];
  Input& input = *inputs_[way.in_port];
  input.waiting[way.in_vc].push_back({input.came++, {passage, head, tail}});
}

void RtlPacketShadow::flit_out(Passage passage, unsigned port, unsigned vc, bool head, bool tail, Cycle now) {
  Way& way = ways_[passage];
  outputs_[port].away[vc].push_back(passage);
  ++way.flits;
  if (head) {
    way.rtl_port = static_cast<std::uint8_t>(port);
    way.rtl_head = now;
    auto& [number, id] = latest_[std::uint32_t{way.in_port} << 16 | std::uint32_t{way.in_vc} << 8 | port];
    if (number > way.number) {
      way.overtaken = true;
      way.before = id;
    } else {
      number = way.number;
      id = way.id;
    }
  }
  if (!tail) return;
  way.rtl_tail = now;
  if (way.model_tail != never) finish_packet(passage);
}

void RtlPacketShadow::credit(unsigned port, unsigned vc) {
  std::deque<Passage>& away = outputs_[port].away[vc];
  ++ways_[away.front()].freed;
  away.pop_front();
}

void RtlPacketShadow::run(Cycle now) {
  while (now_ <= now + 1) cycle();
}

void RtlPacketShadow::finish(Cycle most) {
  for (unsigned port = 0; port < outputs_.size(); ++port)
    for (unsigned vc = 0; vc < outputs_[port].away.size(); ++vc)
      while (away(port, vc) != 0) credit(port, vc);
  for (Cycle more = 0; more < most && under_way_ != 0; ++more) cycle();
}

void RtlPacketShadow::cycle() {
  feed();
  return_places();
  router_->advance(now_);
  ++now_;
  take_outputs();
}

/// At each input the flit that has waited longest, of those with a place.
void RtlPacketShadow::feed() {
  for (const auto& input : inputs_) {
    if (input == nullptr) continue;
    std::size_t chosen = input->waiting.size();
    for (std::size_t vc = 0; vc < input->waiting.size(); ++vc) {
      const auto& waiting = input->waiting[vc];
      if (waiting.empty() || input->channel.ring(static_cast<unsigned>(vc)).credit_at() > now_) continue;
      if (chosen == input->waiting.size() || waiting.front().first < input->waiting[chosen].front().first)
        chosen = vc;
    }
    if (chosen == input->waiting.size()) continue;
    const Waiting next = input->waiting[chosen].front().second;
    input->waiting[chosen].pop_front();
    if (next.head) {
      input->packets[chosen] = ways_[next.passage].model_packet;
      input->sequences[chosen] = 0;
    }
    Flit flit;
    flit.packet = input->packets[chosen];
    flit.sequence = input->sequences[chosen]++;
    flit.flags = static_cast<std::uint8_t>(Flit::is_flit | (next.head ? Flit::head : 0) |
                                           (next.tail ? Flit::tail : 0));
    FlitSlot slot;
    slot.fill(flit, 0);
    input->sender.send(now_, now_ - 1, input->channel.ring(static_cast<unsigned>(chosen)), slot.identity(),
                       slot.sequence());
  }
}

/// The oldest flit of an output virtual channel gives its place back when the RTL's copy has.
void RtlPacketShadow::return_places() {
  for (Output& output : outputs_) {
    std::uint32_t vcs = 0;
    for (std::size_t vc = 0; vc < output.model.size(); ++vc) {
      std::deque<Passage>& flits = output.model[vc];
      if (flits.empty()) continue;
      const Passage passage = flits.front();
      Way& way = ways_[passage];
      if (way.freed <= way.told) continue;
      ++way.told;
      flits.pop_front();
      vcs |= std::uint32_t{1} << vc;
      release(passage);
    }
    if (vcs != 0) output.driver->take_credits(now_, vcs);
  }
}

void RtlPacketShadow::take_outputs() {
  for (std::size_t p = 0; p < outputs_.size(); ++p) {
    Output& output = outputs_[p];
    if (output.driver == nullptr) continue;
    const PinFlit flit = output.driver->drive(now_);
    if (!flit.valid) continue;
    const Passage passage = of_packet_[flit.packet];
    Way& way = ways_[passage];
    output.model[flit.vc].push_back(passage);
    if (flit.head) way.model_port = static_cast<std::uint8_t>(p);
    if (!flit.tail) continue;
    way.model_tail = now_ - 2;  // of the RTL's cycles
    pool_.attach(flit.packet).reset();
    if (way.rtl_tail != never) finish_packet(passage);
  }
}

void RtlPacketShadow::finish_packet(Passage passage) {
  const Way& way = ways_[passage];
  --under_way_;
  const auto later = static_cast<std::int64_t>(way.rtl_tail) - static_cast<std::int64_t>(way.model_tail);
  PacketDifferences one;
  one.packets = 1;
  one.least = one.most = one.sum = later;
  std::string text;
  if (way.rtl_port != way.model_port)
    text = "it leaves by port " + std::to_string(way.rtl_port) + ", in the model by port " +
           std::to_string(way.model_port);
  if (way.overtaken)
    text += (text.empty() ? "it leaves by port " + std::to_string(way.rtl_port) : "; it leaves") +
            " after packet " + packet_name(way.before) + ", which came later by the same virtual channel";
  if (!text.empty()) {
    one.differing = 1;
    one.first_cycle = way.rtl_head;
    one.first = "router " + std::to_string(id_) + ", cycle " + std::to_string(way.rtl_head) + ", packet " +
                packet_name(way.id) + ": " + text;
  }
  differences_.add(one);
}

/// A passage whose flits have left both sides, and whose places have come back on both.
void RtlPacketShadow::release(Passage passage) {
  const Way& way = ways_[passage];
  if (way.rtl_tail != never && way.model_tail != never && way.told == way.flits) free_.push_back(passage);
}

}  // namespace tsuji::bench
