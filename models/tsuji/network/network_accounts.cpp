// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "tsuji/core/error.h"
#include "tsuji/network/loaded_network.h"

// Accounts of a network's packets and flits.

namespace tsuji::network {

void LoadedNetwork::on_born(End source, const traffic::Emission& emission) {
  ++born_;
  supervisor_->watch(domain_->now());
  if (measurement_ != nullptr && !retry_) measurement_->born(emission.created, source.node(), emission.flits);
}

void LoadedNetwork::on_delivered(const Packet& packet, Cycle head, Cycle tail) {
  ++delivered_;
  if (retry_) return on_delivered_with_retry(packet, observe::DeliveredPacket::of(packet, head, tail));
  if (measurement_ == nullptr && !on_delivered_) return;
  const observe::DeliveredPacket record = observe::DeliveredPacket::of(packet, head, tail);
  if (measurement_ != nullptr) measurement_->delivered(record);
  if (on_delivered_) on_delivered_(record);
}

void LoadedNetwork::on_delivered_with_retry(const Packet& packet, observe::DeliveredPacket record) {
  const RetryAccounts::End end = retry_->delivered(packet, record);
  record.arrival = end.arrival;
  if (end.lost != nullptr) tell_lost(packet, end.lost, record.tail_cycle);
  if (on_delivered_) on_delivered_(record);
}

/// Between two cycles, or in a cycle of any node, in which the source does not act upon it.
void LoadedNetwork::tell_lost(const Packet& packet, const char* cause, Cycle now) {
  retry_->source(packet.source.node()).lost(now, packet, cause);
  node_at(packet.source)->state().source_changed(now);
}

void LoadedNetwork::on_dropped(PacketIndex index, NetworkDropCause cause, Cycle now) {
  const Packet& packet = pool_.at(index);
  for (const End end : {packet.source, packet.destination}) {
    if (traffic::FlitNode* const node = node_at(end)) node->state().purge(index, now);
  }
  const bool of_node = !packet.source.is_router();
  if (!of_node) router_packets_->dropped(packet, now);
  if (of_node && !retry_ && measurement_ != nullptr) measurement_->dropped(packet.id, packet.created, now);
  const char* const name = network_drop_cause_name(cause);
  if (traffic::FlitNode* const source = node_at(packet.source)) source->state().dropped(packet, name, now);
  if (!of_node) return;
  if (!retry_) {
    if (on_lost_) on_lost_(packet, name, now);
    return;
  }
  if (const char* const lost = retry_->dropped(packet, name, now)) tell_lost(packet, lost, now);
}

std::uint64_t LoadedNetwork::packets_sent() const {
  std::uint64_t packets = 0;
  for (const auto& node : nodes_) packets += node->state().packets_sent();
  return packets;
}

std::uint64_t LoadedNetwork::packets_under_way() const {
  std::uint64_t queued = 0;
  std::vector<PacketIndex> begun = network_->packets_in_flight();
  visit_nodes([&](const traffic::FlitNodeState& node) {
    queued += node.packets_queued();
    for (const PacketIndex packet : {node.packet_being_sent(), node.packet_being_taken()})
      if (packet != traffic::no_packet) begun.push_back(packet);
  });
  std::sort(begun.begin(), begun.end());
  const auto end = std::unique(begun.begin(), begun.end());
  return queued + static_cast<std::uint64_t>(end - begun.begin());
}

std::uint64_t LoadedNetwork::flits_sent() const {
  std::uint64_t flits = 0;
  for (const auto& node : nodes_) flits += node->state().flits_sent();
  return flits;
}

std::uint64_t LoadedNetwork::flits_ejected_in_window() const {
  std::uint64_t flits = 0;
  for (const auto& node : nodes_) flits += node->state().flits_ejected_in_window();
  return retry_ ? flits - std::min(flits, retry_->other_flits_in_window()) : flits;
}

std::vector<NetworkDropCause> LoadedNetwork::drop_causes() const {
  if (reaction_ == nullptr) {
    std::vector<NetworkDropCause> causes = {NetworkDropCause::no_route, NetworkDropCause::link_down};
    if (observer_ != nullptr) causes.push_back(NetworkDropCause::control);
    return causes;
  }
  return {std::begin(all_network_drop_causes), std::end(all_network_drop_causes)};
}

observe::PacketFates LoadedNetwork::network_fates() const {
  observe::PacketFates fates;
  fates.born = born_;
  fates.delivered = delivered_;
  fates.born_at_routers = router_packets_->born();
  fates.ended_at_routers = router_packets_->ended();
  for (const NetworkDropCause cause : drop_causes())
    fates.dropped.emplace_back(network_drop_cause_name(cause), supervisor_->dropped(cause));
  fates.under_way = packets_under_way();
  return fates;
}

void LoadedNetwork::add_counters(observe::NetworkMetrics& metrics) const {
  metrics.packets_sent = packets_sent();
  metrics.flit_hops = network_->counters().flits;
  metrics.flits_in_flight_at_end = network_->flits_in_flight();
}

void LoadedNetwork::check_conservation() const {
  network_->check_credits(domain_->now());
  if (retry_) retry_->check(std::max(now(), domain_->now()));
  const router::RouterCounters counters = network_->counters();
  router_packets_->check(counters, now());
  std::uint64_t in = counters.flits_born + network_->prediction_counters().leaked_flits,
                out = counters.killed_flits + counters.flits_ended;
  visit_nodes([&](const traffic::FlitNodeState& node) {
    in += node.flits_sent();
    out += node.flits_ejected() + node.flits_killed();
  });
  const std::uint64_t inside = network_->flits_in_flight();
  if (in == out + inside) return;
  throw ModelError("network", now(), "",
                   std::to_string(in) + " flits went in, " + std::to_string(out) + " came out and " +
                       std::to_string(inside) + " are inside");
}

void LoadedNetwork::for_each_link(const std::function<void(const observe::LinkLoad&)>& visit) const {
  const auto& links = network_->topology().links();
  for (std::uint32_t l = 0; l < links.size(); ++l) {
    const FlitChannel *const forward = network_->sending(l, true), *const backward =
                                                                       network_->sending(l, false);
    observe::LinkLoad load;
    load.link = l;
    load.from = links[l].a;
    load.to = links[l].b;
    if (forward != nullptr) {
      load.flits = forward->flits_sent();
      visit(load);
    }
    if (backward == nullptr) continue;
    std::swap(load.from, load.to);
    load.flits = backward->flits_sent();
    visit(load);
  }
}

}  // namespace tsuji::network
