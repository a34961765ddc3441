// SPDX-License-Identifier: Apache-2.0
#include "tsuji/network/network_accounts.h"

#include <algorithm>
#include <utility>

#include "tsuji/core/error.h"

namespace tsuji::network {

NetworkAccounts::NetworkAccounts(NetworkModules& modules, const LoadedParts& parts)
    : modules_(modules),
      measurement_(parts.measurement),
      on_delivered_(parts.on_delivered),
      on_lost_(parts.on_lost) {}

void NetworkAccounts::on_born(End source, const traffic::Emission& emission, Cycle now) {
  ++born_;
  modules_.supervisor->watch(now);
  if (measurement_ != nullptr && !modules_.retry)
    measurement_->born(emission.created, source.node(), emission.flits, emission.sid);
}

void NetworkAccounts::on_delivered(const Packet& packet, Cycle head, Cycle tail) {
  if (modules_.retry) return on_delivered_with_retry(packet, head, tail, modules_.retry->judge(packet));
  ++delivered_;
  if (measurement_ == nullptr && !on_delivered_) return;
  const observe::DeliveredPacket record = observe::DeliveredPacket::of(packet, head, tail);
  if (measurement_ != nullptr) measurement_->delivered(record);
  if (on_delivered_) on_delivered_(record);
}

void NetworkAccounts::on_delivered_with_retry(const Packet& packet, Cycle head, Cycle tail,
                                              PacketArrival arrival) {
  ++delivered_;
  observe::DeliveredPacket record = observe::DeliveredPacket::of(packet, head, tail);
  const RetryAccounts::End end = modules_.retry->delivered(packet, record, arrival);
  record.arrival = end.arrival;
  if (end.lost != nullptr) tell_lost(packet, end.lost, record.tail_cycle);
  if (on_delivered_) on_delivered_(record);
}

void NetworkAccounts::tell_lost(const Packet& packet, const char* cause, Cycle now) {
  const NodeId source = packet.source.node();
  traffic::FlitNode* const node = modules_.own_node_at(packet.source);
  if (node == nullptr && !modules_.dense) return modules_.retry->on_lost(packet, cause, now);
  modules_.retry->source(source).lost(now, packet, cause);
  if (modules_.dense) return modules_.dense->source_changed(source, now);
  node->state().source_changed(now);
}

void NetworkAccounts::on_dropped(const Packet& packet, const std::vector<PacketIndex>& copies,
                                 NetworkDropCause cause, Cycle now) {
  for (const End end : {packet.source, packet.destination})
    if (traffic::FlitNode* const node = modules_.own_node_at(end))
      for (const PacketIndex copy : copies) node->state().purge(copy, now);
  const bool of_node = !packet.source.is_router();
  if (!of_node) modules_.router_packets->dropped(packet, now);
  if (of_node && !modules_.retry && measurement_ != nullptr)
    measurement_->dropped(packet.id, packet.created, now);
  const char* const name = network_drop_cause_name(cause);
  if (traffic::FlitNode* const source = modules_.own_node_at(packet.source))
    source->state().dropped(packet, name, now);
  if (!of_node) return;
  if (!modules_.retry) {
    if (on_lost_) on_lost_(packet, name, now);
    return;
  }
  if (const char* const lost = modules_.retry->dropped(packet, name, now)) tell_lost(packet, lost, now);
}

std::uint64_t NetworkAccounts::packets_sent() const {
  std::uint64_t packets = 0;
  modules_.visit_own_nodes([&](const auto& node) { packets += node.packets_sent(); });
  return modules_.sum(packets);
}

namespace {

/// Packets, each counted once. One bit for each packet of the pool: a large network has millions of flits.
class PacketSet {
 public:
  void add(PacketIndex packet) {
    if (packet >= marks_.size())
      marks_.resize(std::max<std::size_t>(packet + std::size_t{1}, 2 * marks_.size()));
    count_ += marks_[packet] ? 0 : 1;
    marks_[packet] = true;
  }
  bool has(PacketIndex packet) const { return packet < marks_.size() && marks_[packet]; }
  std::uint64_t count() const { return count_; }

 private:
  std::vector<bool> marks_;
  std::uint64_t count_ = 0;
};

void add_others_being_sent(const traffic::FlitNodeState& node, PacketSet& begun) {
  node.visit_others_being_sent([&begun](PacketIndex packet) { begun.add(packet); });
}
void add_others_being_sent(const dense::Node& node, PacketSet& begun) {
  node.visit_others_being_taken([&begun](PacketIndex packet) { begun.add(packet); });
}

}  // namespace

std::uint64_t NetworkAccounts::packets_under_way() const {
  std::uint64_t queued = 0;
  PacketSet begun;
  modules_.network->visit_packets_in_flight([&begun](PacketIndex packet) { begun.add(packet); });
  modules_.visit_nodes([&](const auto& node) {
    queued += node.packets_queued();
    for (const PacketIndex packet : {node.packet_being_sent(), node.packet_being_taken()})
      if (packet != traffic::no_packet) begun.add(packet);
    add_others_being_sent(node, begun);
  });
  std::uint64_t elsewhere = 0;
  modules_.visit_arriving([&](PacketIndex packet) { elsewhere += begun.has(packet) ? 1 : 0; });
  const traffic::CongestionCounts acks = own_congestion();
  return modules_.sum(queued + begun.count() - elsewhere - (acks.acks_made - acks.acks_taken));
}

traffic::CongestionCounts NetworkAccounts::congestion() const {
  const traffic::CongestionCounts own = own_congestion();
  return modules_.ranks == nullptr ? own : modules_.ranks->sum_of(own);
}

/// Sums over the nodes of this process.
traffic::CongestionCounts NetworkAccounts::own_congestion() const {
  traffic::CongestionCounts sum;
  for (const auto& node : modules_.nodes) {
    sum += node->state().congestion();
  }
  return sum;
}

std::uint64_t NetworkAccounts::packets_not_ended() const {
  return born_ + modules_.router_packets->born() - delivered_ - modules_.router_packets->ended() -
         modules_.supervisor->packets_dropped();
}

std::uint64_t NetworkAccounts::flits_sent() const {
  std::uint64_t flits = 0;
  modules_.visit_own_nodes([&](const auto& node) { flits += node.flits_sent(); });
  return modules_.sum(flits) - flits_to_come(true);
}

std::uint64_t NetworkAccounts::flits_ejected_in_window() const {
  std::uint64_t flits = 0;
  modules_.visit_own_nodes([&](const auto& node) { flits += node.flits_ejected_in_window(modules_.now()); });
  flits = modules_.sum(flits);
  return modules_.retry ? flits - std::min(flits, modules_.retry->other_flits_in_window()) : flits;
}

std::vector<NetworkDropCause> NetworkAccounts::drop_causes() const {
  if (modules_.reaction == nullptr) {
    std::vector<NetworkDropCause> causes = {NetworkDropCause::no_route, NetworkDropCause::link_down};
    if (modules_.observer != nullptr) causes.push_back(NetworkDropCause::control);
    return causes;
  }
  return {std::begin(all_network_drop_causes), std::end(all_network_drop_causes)};
}

observe::PacketFates NetworkAccounts::network_fates() const {
  observe::PacketFates fates;
  fates.born = born_;
  fates.delivered = delivered_;
  fates.born_at_routers = modules_.router_packets->born();
  fates.ended_at_routers = modules_.router_packets->ended();
  for (const NetworkDropCause cause : drop_causes())
    fates.dropped.emplace_back(network_drop_cause_name(cause), modules_.supervisor->dropped(cause));
  fates.under_way = packets_under_way();
  return fates;
}

void NetworkAccounts::set_window(Cycle from, Cycle to) {
  modules_.node_config.window_from = from;
  modules_.node_config.window_to = to;
  if (modules_.retry) modules_.retry->count_window(from, to);
}

void NetworkAccounts::add_counters(observe::NetworkMetrics& metrics) const {
  metrics.packets_sent = packets_sent();
  metrics.flit_hops = flit_hops();
  metrics.flits_in_flight_at_end = flits_in_flight();
}

std::uint64_t NetworkAccounts::flit_hops() const {
  return modules_.network->counters().flits - flits_to_come(false);
}

std::uint64_t NetworkAccounts::flits_in_flight() const {
  std::uint64_t flits = modules_.network->flits_in_flight() - flits_to_come(true);
  modules_.visit_nodes([&](const auto& node) { flits += node.flits_to_come(modules_.now()); });
  return flits;
}

/// Flits that nodes, or routers, have sent with the heads of their packets and that leave in later cycles.
std::uint64_t NetworkAccounts::flits_to_come(bool from_nodes) const {
  std::uint64_t flits = 0;
  if (modules_.dense) return modules_.dense->flits_to_come(from_nodes, modules_.now());
  for (const VcNetwork::ChannelPlace& place : modules_.network->channels()) {
    if (place.from_node.has_value() == from_nodes) flits += place.channel->flits_to_come(modules_.now());
  }
  return flits;
}

void NetworkAccounts::check_conservation(Cycle now) const {
  modules_.network->check_credits(modules_.domain->now());
  if (modules_.retry) modules_.retry->check(std::max(now, modules_.domain->now()));
  const router::RouterCounters counters = modules_.network->counters();
  modules_.router_packets->check(counters, now);
  std::uint64_t in = 0, out = 0;
  modules_.visit_nodes([&](const auto& node) {
    in += node.flits_sent();
    out += node.flits_ejected() + node.flits_killed();
  });
  in = modules_.sum(in) + counters.flits_born + modules_.network->prediction_counters().leaked_flits;
  out = modules_.sum(out) + counters.killed_flits + counters.flits_ended;
  const std::uint64_t inside = modules_.network->flits_in_flight();
  if (in == out + inside) return;
  throw ModelError("network", now, "",
                   std::to_string(in) + " flits went in, " + std::to_string(out) + " came out and " +
                       std::to_string(inside) + " are inside");
}

void NetworkAccounts::for_each_link(const std::function<void(const observe::LinkLoad&)>& visit) const {
  const auto& links = modules_.network->topology().links();
  const auto each = [&](const auto& take) {
    for (std::uint32_t l = 0; l < links.size(); ++l)
      for (const bool is_forward : {true, false})
        if (const auto flits = modules_.network->flits_sent(l, is_forward, modules_.now()))
          take(l, is_forward, *flits);
  };
  // Each rank of a network of modules has counted what its own routers have sent.
  std::vector<std::uint64_t> of_all;
  const bool sums = modules_.ranks != nullptr && !modules_.dense;
  if (sums) {
    each([&](std::uint32_t, bool, std::uint64_t flits) { of_all.push_back(flits); });
    of_all = modules_.ranks->sum_each(of_all);
  }
  std::size_t number = 0;
  each([&](std::uint32_t l, bool is_forward, std::uint64_t flits) {
    const graph::PortRef &a = links[l].a, &b = links[l].b;
    visit({l, is_forward ? a : b, is_forward ? b : a, sums ? of_all[number++] : flits});
  });
}

}  // namespace tsuji::network
