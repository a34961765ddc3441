#include "tsuji/fabric/cenju4/uniform_load.h"

#include <algorithm>
#include <string>
#include <utility>

#include "tsuji/core/error.h"
#include "tsuji/traffic/synthetic_load.h"
#include "tsuji/workload/pattern_kinds.h"

namespace tsuji::fabric {
namespace {

ClockDomainConfig clock(const Cenju4Config& machine) {
  ClockDomainConfig config;
  config.period = machine.period();
  config.mode = machine.process_mode;
  config.shuffle_seed = machine.shuffle_seed;
  return config;
}

std::unique_ptr<traffic::EmissionSource> make_source(const UniformLoadConfig& load,
                                                     const std::shared_ptr<const workload::Pattern>& pattern,
                                                     NodeId node, std::uint64_t seed) {
  if (load.flits_per_node_cycle <= 0) {
    return std::make_unique<traffic::ListedEmissions>(std::vector<traffic::Emission>{});
  }
  const nic::PacketSizes sizes;
  const unsigned header_flits = sizes.flits(PacketKind::single_cast, 0);
  workload::ArrivalConfig arrivals;
  arrivals.packets_per_cycle = load.flits_per_node_cycle / load.packet_flits;
  traffic::SyntheticLoad::Parts parts;
  parts.pattern = pattern;
  parts.arrivals = workload::make_arrivals("bernoulli", arrivals);
  parts.lengths = workload::PacketLengths::fixed(load.packet_flits);
  parts.payload_bytes = (load.packet_flits - header_flits) / sizes.flits_per_word * 8;
  parts.last_cycle = load.load_cycles;
  return std::make_unique<traffic::SyntheticLoad>(std::move(parts), node, seed);
}

}  // namespace

UniformLoad::UniformLoad(const Cenju4Config& machine, const UniformLoadConfig& load, std::uint64_t seed,
                         OnDelivered on_delivered, const crosspoint::SwitchKind& switch_kind)
    : window_from_(load.load_cycles / 2),
      window_to_(load.load_cycles),
      load_cycles_(load.load_cycles),
      on_delivered_(std::move(on_delivered)),
      domain_("clock", clock(machine)),
      network_("network", domain_, machine.network, switch_kind) {
  workload::PatternConfig uniform;
  uniform.nodes = network_.topology().nodes();
  const std::shared_ptr<const workload::Pattern> pattern = workload::pattern_kinds().make("uniform", uniform);
  for (NodeId node = 0; node < uniform.nodes; ++node) add_node(load, pattern, node, seed);
}

void UniformLoad::add_node(const UniformLoadConfig& load,
                           const std::shared_ptr<const workload::Pattern>& pattern, NodeId node,
                           std::uint64_t seed) {
  routes_.push_back(std::make_unique<graph::FirstRoute>(network_.topology(), node));
  const graph::FirstRoute* route = routes_.back().get();
  injectors_.push_back(std::make_unique<traffic::PacketInjector>(
      ("injector" + std::to_string(node)).c_str(), domain_, pool_, node,
      make_source(load, pattern, node, seed),
      [route](const Packet& packet) { return route->next_ports(packet); }));
  injectors_.back()->out.bind(network_.from_node(node));
  sinks_.push_back(std::make_unique<traffic::PacketSink>(
      ("sink" + std::to_string(node)).c_str(), domain_, node, traffic::PacketSinkConfig{},
      [this](const Packet& packet, Cycle head, Cycle tail, unsigned hops) {
        delivered(packet, head, tail, hops);
      }));
  sinks_.back()->in.bind(network_.to_node(node));
}

void UniformLoad::delivered(const Packet& packet, Cycle head, Cycle tail, unsigned hops) {
  metrics_.record_delivery(tail - packet.created, packet.flits, hops);
  count_in_window(packet, head, tail);
  last_tail_ = std::max(last_tail_, tail);
  if (!on_delivered_) return;
  observe::DeliveredPacket record = observe::DeliveredPacket::of(packet, head, tail);
  record.hops = hops;
  on_delivered_(record);
}

/// A packet's flits come one a cycle, without a gap.
void UniformLoad::count_in_window(const Packet& packet, Cycle head, Cycle tail) {
  const Cycle first = std::max(head, window_from_), end = std::min(tail + 1, window_to_);
  if (first < end) share_.accepted_flits += end - first;
  if (packet.created >= window_from_ && packet.created < window_to_) share_.offer(packet.flits);
  const auto inside_before = [&](Cycle at) { return packet.created < at && tail >= at; };
  share_.under_way += (inside_before(window_from_) ? 1 : 0) + (inside_before(window_to_) ? 1 : 0);
}

Cycle UniformLoad::last_cycle() const {
  return std::max<Cycle>(last_tail_, load_cycles_);
}

void UniformLoad::cut_window(Cycle end) {
  window_from_ = std::min(window_from_, end);
  window_to_ = std::min(window_to_, end);
}

observe::NetworkMetrics UniformLoad::metrics() const {
  observe::NetworkMetrics metrics = metrics_;
  for (const auto& injector : injectors_) metrics.packets_sent += injector->packets_sent();
  metrics.flits_offered = share_.offered_flits;
  metrics.flits_accepted = share_.accepted_flits;
  metrics.flit_hops = network_.counters().flits_sent;
  metrics.flits_in_flight_at_end = network_.flits_in_flight();
  return metrics;
}

observe::PacketFates UniformLoad::fates() const {
  observe::PacketFates fates;
  fates.under_way = pool_.in_use();
  for (const auto& injector : injectors_) {
    fates.born += injector->packets_born();
    fates.under_way += injector->packets_queued();
  }
  for (const auto& sink : sinks_) fates.delivered += sink->packets();
  return fates;
}

void UniformLoad::check_conservation() const {
  const auto counters = network_.counters();
  std::uint64_t sent = 0, taken = 0;
  for (const auto& injector : injectors_) sent += injector->packets_sent();
  for (const auto& sink : sinks_) taken += sink->packets();
  if (sent + counters.replicated - counters.merged - counters.dropped != taken + counters.held) {
    throw ModelError("network", domain_.now(), "", "packets were lost or doubled");
  }
  network_.check_conservation(domain_.now());
}

}  // namespace tsuji::fabric
