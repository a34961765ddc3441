// SPDX-License-Identifier: Apache-2.0
#include "tsuji/machines/cenju4/loaded_crosspoints.h"

#include <algorithm>
#include <string>
#include <utility>

#include "tsuji/core/error.h"

namespace tsuji::machines {
namespace {

ClockDomainConfig clock(const Cenju4Config& machine) {
  ClockDomainConfig config;
  config.period = machine.period();
  config.mode = machine.process_mode;
  config.shuffle_seed = machine.shuffle_seed;
  return config;
}

unsigned destinations_of(PacketKind kind, std::uint64_t map) {
  return kind == PacketKind::single_cast ? 1 : static_cast<unsigned>(__builtin_popcountll(map));
}

}  // namespace

LoadedCrosspoints::LoadedCrosspoints(const Parts& parts)
    : measurement_(parts.measurement),
      on_delivered_(parts.on_delivered),
      domain_("clock", clock(parts.machine)),
      network_("network", domain_, parts.machine.network, parts.switch_kind),
      copies_(network_.topology().nodes()) {
  if (measurement_ != nullptr) set_window(measurement_->ejection_from(), measurement_->ejection_to());
  for (NodeId node = 0; node < network_.topology().nodes(); ++node) {
    if (std::unique_ptr<traffic::EmissionSource> source = parts.make_source(node))
      add_node(node, std::move(source));
  }
}

void LoadedCrosspoints::elaborate(const std::function<void()>& attach) {
  start_.attach = attach;
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
}

void LoadedCrosspoints::add_node(NodeId node, std::unique_ptr<traffic::EmissionSource> source) {
  routes_.push_back(std::make_unique<graph::FirstRoute>(network_.topology(), node));
  const graph::FirstRoute* route = routes_.back().get();
  injectors_.push_back(std::make_unique<traffic::PacketInjector>(
      ("injector" + std::to_string(node)).c_str(), domain_, pool_, node, network_.topology().nodes(),
      std::move(source), [route](const Packet& packet) { return route->next_ports(packet); },
      [this](NodeId from, const traffic::Emission& emission) { on_born(from, emission); }));
  traffic::PacketInjector& injector = *injectors_.back();
  injector.out.bind(network_.from_node(node));
  sinks_.push_back(std::make_unique<traffic::PacketSink>(
      ("sink" + std::to_string(node)).c_str(), domain_, node, traffic::PacketSinkConfig{},
      [this, node, &injector](const Packet& packet, Cycle head, Cycle tail, unsigned hops) {
        on_delivered(node, packet, head, tail, hops);
        injector.arrived(tail, packet);
      }));
  sinks_.back()->in.bind(network_.to_node(node));
}

void LoadedCrosspoints::on_born(NodeId node, const traffic::Emission& emission) {
  const unsigned destinations = destinations_of(emission.kind, emission.map);
  if (measurement_ != nullptr) measurement_->born(emission.created, node, emission.flits * destinations);
}

/// A packet's flits come one a cycle, without a gap.
std::uint64_t LoadedCrosspoints::in_window(Cycle head, Cycle end) const {
  const Cycle first = std::max(head, window_from_), last = std::min(end, window_to_);
  return first < last ? last - first : 0;
}

bool LoadedCrosspoints::is_last_copy(const Packet& packet) {
  const unsigned destinations = destinations_of(packet.kind, packet.map);
  if (destinations == 1) return true;
  std::vector<Copies>& of_source = copies_[packet.source.node()];
  const auto found = std::find_if(of_source.begin(), of_source.end(),
                                  [&](const Copies& copies) { return copies.packet == packet.id; });
  if (found == of_source.end()) {
    of_source.push_back({packet.id, destinations - 1});
    return false;
  }
  if (--found->left != 0) return false;
  *found = of_source.back();
  of_source.pop_back();
  return true;
}

void LoadedCrosspoints::on_delivered(NodeId node, const Packet& packet, Cycle head, Cycle tail,
                                     unsigned hops) {
  ++delivered_;
  flits_in_window_ += in_window(head, tail + 1);
  const bool arrives = measurement_ != nullptr && is_last_copy(packet);
  if (!arrives && !on_delivered_) return;
  observe::DeliveredPacket record = observe::DeliveredPacket::of(packet, head, tail);
  record.destination = node;
  record.hops = hops;
  if (on_delivered_) on_delivered_(record);
  if (!arrives) return;
  // The copies of a multicast that end in one cycle may be observed in any order.
  if (destinations_of(packet.kind, packet.map) != 1) record.destination = packet.destination;
  measurement_->delivered(record);
}

std::uint64_t LoadedCrosspoints::flits_ejected_in_window() const {
  std::uint64_t flits = flits_in_window_;
  for (const auto& sink : sinks_) {
    if (sink->takes_packet()) flits += in_window(sink->head(), now());
  }
  return flits;
}

void LoadedCrosspoints::add_counters(observe::NetworkMetrics& metrics) const {
  metrics.packets_sent = 0;
  for (const auto& injector : injectors_) metrics.packets_sent += injector->packets_sent();
  metrics.flit_hops = network_.counters().flits_sent;
  metrics.flits_in_flight_at_end = network_.population(now()).flits;
}

observe::PacketFates LoadedCrosspoints::fates() const {
  const crosspoint::SwitchCounters switches = network_.counters();
  observe::PacketFates fates;
  const network::CrosspointNetwork::Population inside = network_.population(now());
  fates.replicated = switches.replicated + inside.replicated;
  fates.merged = switches.merged;
  fates.delivered = delivered_;
  fates.under_way = inside.packets;
  for (const auto& injector : injectors_) {
    fates.born += injector->packets_born();
    fates.under_way += injector->packets_waiting();
  }
  for (const auto& sink : sinks_) fates.under_way += sink->takes_packet() ? 1 : 0;
  return fates;
}

void LoadedCrosspoints::check_conservation() const {
  const crosspoint::SwitchCounters switches = network_.counters();
  std::uint64_t sent = 0, taken = 0;
  for (const auto& injector : injectors_) sent += injector->packets_sent();
  for (const auto& sink : sinks_) taken += sink->packets();
  const network::CrosspointNetwork::Population inside = network_.population(now());
  if (sent + switches.replicated + inside.replicated - switches.merged - switches.dropped !=
      taken + inside.packets) {
    throw ModelError("network", now(), "",
                     std::to_string(sent) + " packets were sent, " + std::to_string(taken) +
                         " were taken and " + std::to_string(inside.packets) + " are inside");
  }
  network_.check_conservation(now());
}

}  // namespace tsuji::machines
