// SPDX-License-Identifier: Apache-2.0
#include "tsuji/instruments/packet_ledger.h"

#include <algorithm>
#include <utility>

#include "tsuji/core/error.h"
#include "tsuji/link/flit_watch.h"

namespace tsuji::instruments {
namespace {

/// Places of parts among all.
enum Part : std::size_t { source_queue = 0, serialization = 3, wait_front = 4, wait_body = 8 };

constexpr Cycle a_flit_a_cycle = 1;  ///< pace of all links of a network without modules

}  // namespace

/// Heads of a channel.
class PacketLedger::ChannelTally final : public FlitWatch {
 public:
  ChannelTally(PacketLedger& ledger, const network::VcNetwork::ChannelPlace& place)
      : FlitWatch(*place.channel, Scope::heads), ledger_(ledger), place_(place) {}

  void sees_flit(const FlitChannel& channel, unsigned vc, const Flit& flit, Cycle departure,
                 Cycle ready) override {
    if (!flit.is_head() || flit.is_killed()) return;
    Head& head = ledger_.head_of(flit.packet);
    if (place_.from_node) {
      ledger_.leave_source(head, flit.packet, departure);
    } else {
      ledger_.leave_router(head, departure, channel.credit_taken());
    }
    if (!ledger_.equally_wide_)
      ledger_.follow(head, flit.packet, departure, channel.flit_cycles(), place_.from_node.has_value());
    if (ledger_.on_departure_) ledger_.on_departure_({flit.packet, place_, vc, departure, ready});
    ledger_.arrive(head, departure, ready, !place_.to_node);
    head.stands = never;
  }

 private:
  PacketLedger& ledger_;
  const network::VcNetwork::ChannelPlace place_;
};

PacketLedger::PacketLedger(network::VcNetwork& network, const PacketPool& pool, bool pauses,
                           OnDeparture on_departure)
    : network_(network),
      pool_(pool),
      on_departure_(std::move(on_departure)),
      des_cycles_(network.config().router.des_cycles),
      va_cycles_(network.config().router.va_cycles),
      depart_after_(network.config().router.depart_after()),
      flit_cycles_(network.config().flit_cycles),
      whole_flit_(network.config().whole_flit),
      equally_wide_(network.topology().is_equally_wide()),
      body_cycles_(network.router_kind().hides_stages ? 0
                   : network.config().router.prediction.on()
                       ? std::min(network.config().router.st_cycles, depart_after_)
                       : depart_after_),
      pauses_(pauses),
      hides_(network.router_kind().hides_stages),
      names_{"source_queue", "link",        "router",      "serialization", "wait_front",
             "wait_vc",      "wait_credit", "wait_switch", "wait_body"} {
  if (pauses_) names_.push_back("pause");
  if (hides_) names_.push_back("inside");
  if (network.is_dense()) {
    if (on_departure_) throw ModelError("packet records", "departures are not reported in a dense network");
    network.watch_heads(this);
  } else {
    probe_all();
  }
}

void PacketLedger::probe_all() {
  for (const network::VcNetwork::ChannelPlace& place : network_.channels())
    channels_.push_back(std::make_unique<ChannelTally>(*this, place));
  for (graph::RouterId id = 0; id < network_.routers(); ++id) {
    behind_.push_back(network_.module(id).probe());
    network_.module(id).set_probe(this);
  }
}

PacketLedger::~PacketLedger() = default;

void PacketLedger::make_heads(PacketIndex last) {
  heads_.resize(last + std::size_t{1});
  known_ = static_cast<PacketIndex>(heads_.size());
}

/// A head leaves a router after RC, VA and SA.
[[gnu::always_inline]] inline void PacketLedger::pass_stages(Head& head, const Stages& stages,
                                                             Cycle departure, Cycle credit) const {
  const Cycle decided = departure - depart_after_;
  const Cycle with_credit = std::max(stages.switch_allocation, credit);
  head.front += stages.route_computation - stages.arrived;
  head.vc += stages.switch_allocation - va_cycles_ - stages.vc_allocation;
  head.credit += with_credit - stages.switch_allocation;
  head.switching += decided - with_credit;
  head.router += stages.vc_allocation - stages.route_computation + va_cycles_ + depart_after_;
}

/// A head leaves a router by prediction.
void PacketLedger::pass_at_once(Head& head, Cycle departure) {
  head.front += head.began - head.arrived;
  head.router += departure - head.began;
}

[[gnu::always_inline]] inline void PacketLedger::arrive(Head& head, Cycle departure, Cycle ready,
                                                        bool at_router) const {
  const Cycle deserialization = at_router ? des_cycles_ : 0;
  head.router += deserialization;
  head.link += ready - departure - deserialization;
  head.arrived = ready;
}

void PacketLedger::detach() {
  if (network_.is_dense()) return network_.watch_heads(nullptr);
  for (const auto& channel : channels_) channel->detach();
  for (graph::RouterId id = 0; id < network_.routers(); ++id) network_.module(id).set_probe(behind_[id]);
}

/// Without the parts of a packet's source queue, its flits after the head, and its node.
void PacketLedger::put_parts(const Head& head, std::vector<Cycle>& parts) const {
  parts.resize(names_.size());
  Cycle* part = parts.data();
  for (const Cycle cycles : {Cycle{0}, head.link, head.router, Cycle{0}, head.front, head.vc, head.credit,
                             head.switching, Cycle{0}})
    *part++ = cycles;
  if (pauses_) *part++ = head.pause;
  if (hides_) *part++ = head.inside;
}

std::vector<Cycle> PacketLedger::parts_so_far(PacketIndex packet) const {
  std::vector<Cycle> parts;
  put_parts(heads_[packet], parts);
  return parts;
}

PacketLedger::Stages PacketLedger::stages(PacketIndex packet) const {
  return stages_of(heads_[packet]);
}

void PacketLedger::on_stage(graph::RouterId router, unsigned port, unsigned vc, PacketIndex packet,
                            router::HeadStage stage, Cycle at) {
  if (router::RouterProbe* const behind = behind_[router])
    behind->on_stage(router, port, vc, packet, stage, at);
  switch (stage) {
    case router::HeadStage::route_computation:
      begin(head_of(packet), pool_.at(packet).packet_class, at);
      break;
    case router::HeadStage::vc_allocation:
      head_of(packet).routed = at;
      break;
    case router::HeadStage::switch_allocation:
      head_of(packet).output = at;
      break;
    case router::HeadStage::crossing:
      cross(head_of(packet), at);
      break;
    case router::HeadStage::standing:
      stand(head_of(packet), at);
      break;
    case router::HeadStage::inside:
      head_of(packet).began = at;
      head_of(packet).hidden = true;
      break;
    case router::HeadStage::none:
      break;
  }
}

/// A head's router is suspended: counts its wait for a virtual channel so far as wait_vc.
void PacketLedger::stand(Head& head, Cycle at) {
  if (head.began >= head.arrived) {
    const Cycle blocked = at - head.began;
    head.vc += blocked;
    head.arrived += blocked;
    head.began = at;
  }
  head.stands = std::min(head.stands, at);
}

/// A head starts, perhaps again: after a suspension counts the time since then as `pause`; for recovery
/// counts its wait for a virtual channel so far as wait_vc.
void PacketLedger::begin(Head& head, PacketClass packet_class, Cycle at) {
  if (head.stands != never && head.stands < at) {
    head.pause += at - head.stands;
    head.arrived += at - head.stands;
    head.stands = never;
    head.began = at;
  }
  if (packet_class == PacketClass::recovery && head.began >= head.arrived) {
    const Cycle blocked = at - head.began;
    head.vc += blocked;
    head.arrived += blocked;
  }
  head.began = at;
}

/// Words that pass are not deserialized, and the time on the link ends with the first word.
void PacketLedger::cross(Head& head, Cycle at) const {
  head.crosses = true;
  if (at >= head.arrived) return;
  head.router -= des_cycles_;
  head.link -= head.arrived - at - des_cycles_;
  head.arrived = head.began = at;
}

void PacketLedger::on_prediction(graph::RouterId router, unsigned port, unsigned vc, PacketIndex packet,
                                 router::PredictionOutcome outcome, Cycle at) {
  if (router::RouterProbe* const behind = behind_[router]; behind != nullptr)
    behind->on_prediction(router, port, vc, packet, outcome, at);
}

void PacketLedger::leaves_source(const network::dense::HeadDeparture& departure) {
  Head& head = head_of(departure.packet);
  leave_source(head, departure.packet, departure.departure);
  if (!equally_wide_) follow(head, departure.packet, departure.departure, a_flit_a_cycle, true);
  arrive(head, departure.departure, departure.ready, true);
}

/// RC, VA and SA of a router without modules.
[[gnu::always_inline]] inline void PacketLedger::pass_router(Head& head,
                                                             const network::dense::HeadDeparture& departure,
                                                             const network::dense::HeadStages& stages) const {
  head.vc += stages.blocked;
  pass_stages(head,
              {head.arrived + stages.blocked, stages.route_computation, stages.vc_allocation,
               stages.switch_allocation},
              departure.departure, stages.credit);
}

void PacketLedger::leaves_router(const network::dense::HeadDeparture& departure,
                                 const network::dense::HeadStages& stages) {
  // Without a call that returns, nothing is saved on the stack.
  if (departure.packet >= known_ || !equally_wide_) return leaves_other_router(departure, stages);
  Head& head = heads_[departure.packet];
  pass_router(head, departure, stages);
  arrive(head, departure.departure, departure.ready, !departure.to_node);
}

/// Heads that may be new, and links that may have several widths.
[[gnu::noinline]] void PacketLedger::leaves_other_router(const network::dense::HeadDeparture& departure,
                                                         const network::dense::HeadStages& stages) {
  Head& head = head_of(departure.packet);
  pass_router(head, departure, stages);
  if (!equally_wide_) follow(head, departure.packet, departure.departure, a_flit_a_cycle, false);
  arrive(head, departure.departure, departure.ready, !departure.to_node);
}

void PacketLedger::crosses_router(const network::dense::HeadDeparture& departure, Cycle began) {
  Head& head = head_of(departure.packet);
  head.began = began;
  pass_at_once(head, departure.departure);
  if (!equally_wide_) follow(head, departure.packet, departure.departure, a_flit_a_cycle, false);
  arrive(head, departure.departure, departure.ready, !departure.to_node);
}

void PacketLedger::leave_source(Head& head, PacketIndex packet, Cycle departure) {
  // Deliveries of a cycle are reported at its end, when their indices may have other packets.
  if (head.under_way) arrived_[head.id] = head;
  head = Head{};
  head.id = pool_.at(packet).id;
  head.departed = departure;
  head.under_way = true;
  memory_.add(places_, head.id, packet);
}

void PacketLedger::leave_router(Head& head, Cycle departure, Cycle credit) const {
  if (head.hidden) {
    head.hidden = false;
    head.front += head.began - head.arrived;
    head.inside += departure - head.began;
  } else if (head.crosses) {
    head.crosses = false;
    pass_at_once(head, departure);
  } else {
    pass_stages(head, stages_of(head), departure, credit);
  }
}

/// The flits after the head leave a router at the pace of its output, or later if they came later: they need
/// fewer stages than the head.
void PacketLedger::follow(Head& head, PacketIndex packet, Cycle departure, Cycle flit_cycles,
                          bool leaves_source) const {
  const Cycle at_pace = (pool_.at(packet).flits - 1U) * flit_cycles;
  const Cycle stay = leaves_source ? never : departure - head.arrived;
  const Cycle caught_up = std::min(head.behind, stay > body_cycles_ ? stay - body_cycles_ : 0);
  head.behind = std::max(at_pace, head.behind - caught_up);
  head.flit_cycles = flit_cycles;
}

/// Cycles from the head's arrival to that of the last word, if nothing delays the packet.
Cycle PacketLedger::behind_head(const Head& head, unsigned flits) const {
  const Cycle of_last = equally_wide_ ? flit_cycles_ : head.flit_cycles;
  return (equally_wide_ ? (flits - 1) * flit_cycles_ : head.behind) + (whole_flit_ ? 0 : of_last - 1);
}

void PacketLedger::forget(PacketId id) {
  if (const auto place = places_.find(id); place != places_.end()) forget(place);
}

void PacketLedger::forget(Places::iterator place) {
  Head& head = heads_[place->second];
  if (head.id == place->first) {
    head.under_way = false;
  } else {
    arrived_.erase(place->first);
  }
  memory_.erase(places_, place);
}

const std::vector<Cycle>& PacketLedger::take(const observe::DeliveredPacket& packet) {
  const auto place = places_.find(packet.id);
  if (place == places_.end())
    throw ModelError("packet records", packet.tail_cycle, packet_name(packet.id), "its head was never seen");
  const Head& last = heads_[place->second];
  const Head& head = last.id == packet.id ? last : arrived_.at(packet.id);
  const Cycle behind = behind_head(head, packet.flits);
  // A node without space has delayed the head; the flits after it may have caught up.
  const Cycle waits_at_node = packet.tail_cycle - head.arrived - behind;
  const Cycle stood = std::min(packet.head_cycle - head.arrived, waits_at_node);
  std::vector<Cycle>& parts = taken_;
  put_parts(head, parts);
  parts[source_queue] = head.departed - 1 - packet.created;
  parts[serialization] = 1 + behind;
  parts[wait_front] += stood;
  parts[wait_body] = waits_at_node - stood;
  forget(place);
  const Cycle latency = packet.tail_cycle - packet.created;
  for (std::size_t part = 0; part < parts.size(); ++part) {
    if (parts[part] <= latency) continue;  // a negative part is a very large unsigned one
    throw ModelError("packet records", packet.tail_cycle, packet_name(packet.id),
                     names_[part] + " is negative or exceeds its whole latency");
  }
  return parts;
}

}  // namespace tsuji::instruments
