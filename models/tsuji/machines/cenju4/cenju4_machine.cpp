// SPDX-License-Identifier: Apache-2.0
#include "tsuji/machines/cenju4/cenju4_machine.h"

#include <algorithm>

#include "tsuji/core/error.h"
#include "tsuji/graph/multistage.h"
#include "tsuji/machines/cenju4/first_hop_of.h"

namespace tsuji::machines {

Cenju4Machine::Cenju4Machine(sc_core::sc_module_name module_name, const Cenju4Config& config,
                             const crosspoint::SwitchKind& switch_kind)
    : sc_module(module_name),
      Cenju4Nodes(config),
      clock_("clock", network_clock(config)),
      host_clock_("host_clock", host_clock(config)),
      network_("network", clock_, config.network, switch_kind) {
  network_.set_pool(pool_);
  const crosspoint::SwitchKind& kind = network_.switch_kind();
  config.check_library({kind.multicasts, kind.synchronizes, kind.combines},
                       std::string("a ") + kind.name + " cannot " +
                           (kind.multicasts     ? "synchronize"
                            : kind.synchronizes ? "multicast"
                                                : "multicast or synchronize"));
  const graph::Multistage& topology = network_.topology();
  build_nodes(topology.nodes(), clock_, host_clock_, pool_, [&](NodeId id) {
    return Joint{std::make_unique<FirstHopOf>(topology, id), network_.from_node(id), network_.to_node(id)};
  });
  if (config.faults.enabled()) build_fault_injectors();
}

Cenju4Machine::~Cenju4Machine() {
  destroy_nodes();
}

ClockDomainConfig Cenju4Machine::network_clock(const Cenju4Config& config) {
  ClockDomainConfig clock = host_clock(config);
  clock.offset_ps = 0;
  return clock;
}

void Cenju4Machine::build_fault_injectors() {
  const graph::Multistage& topology = network_.topology();
  const unsigned first = config().faulty_channels == FaultyChannels::last ? topology.stages() : 0;
  for (unsigned stage = first; stage <= topology.stages(); ++stage) {
    const bool last = stage == topology.stages();
    for (unsigned line = 0; line < topology.lines(); ++line) {
      const std::uint64_t channel = std::uint64_t{stage} * topology.lines() + line;
      injectors_.push_back(std::make_unique<FaultInjector>(config().faults, pool_, channel, !last));
      network_.link(stage, line).set_probe(injectors_.back().get());
    }
  }
}

void Cenju4Machine::check_conservation() const {
  const observe::NetworkMetrics all = metrics();
  const crosspoint::SwitchCounters switches = network_.counters();
  const std::uint64_t expected = all.packets_sent + switches.replicated - switches.merged - packets_dropped();
  if (expected == all.packets_delivered()) return network_.check_conservation(last_cycle());
  throw ModelError(name(), last_cycle(), "",
                   std::to_string(all.packets_sent) + " packets sent + " +
                       std::to_string(switches.replicated) + " replicated - " +
                       std::to_string(switches.merged) + " merged - " + std::to_string(packets_dropped()) +
                       " dropped are not the " + std::to_string(all.packets_delivered()) +
                       " that were delivered");
}

void Cenju4Machine::check_conservation_under_way(Cycle now) const {
  const observe::NetworkMetrics all = metrics();
  const crosspoint::SwitchCounters switches = network_.counters();
  const network::CrosspointNetwork::Population population = network_.population(now);
  const std::uint64_t made = all.packets_sent + switches.replicated + population.replicated;
  const std::uint64_t under_way = population.packets + packets_in_receivers();
  const std::uint64_t ended = all.packets_delivered() + packets_dropped() + switches.merged;
  if (made == ended + under_way) return network_.check_conservation(now);
  throw ModelError(name(), now, "",
                   std::to_string(made) + " packets sent or replicated are not the " + std::to_string(ended) +
                       " that were delivered, dropped or merged and the " + std::to_string(under_way) +
                       " that are under way");
}

observe::NetworkMetrics Cenju4Machine::metrics() const {
  observe::NetworkMetrics metrics = node_metrics();
  for (NodeId id = 0; id < nodes(); ++id) {
    metrics.flits_offered += network_.from_node(id).flits_sent();
  }
  metrics.flit_hops = network_.counters().flits_sent;
  metrics.flits_in_flight_at_end = network_.flits_in_flight();
  return metrics;
}

FaultInjector::Counters Cenju4Machine::fault_counters() const {
  FaultInjector::Counters sum;
  for (const auto& injector : injectors_) {
    const FaultInjector::Counters& one = injector->counters();
    sum.single_bit += one.single_bit;
    sum.double_bit += one.double_bit;
    sum.lost += one.lost;
    sum.dropped_port_parity += one.dropped_port_parity;
  }
  return sum;
}

std::uint64_t Cenju4Machine::packets_dropped() const {
  return fault_counters().dropped_port_parity + network_.counters().dropped + packets_dropped_by_receivers();
}

}  // namespace tsuji::machines
