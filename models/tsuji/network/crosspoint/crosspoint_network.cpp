// SPDX-License-Identifier: Apache-2.0
#include "tsuji/network/crosspoint/crosspoint_network.h"

#include <string>

#include "tsuji/core/error.h"

namespace tsuji::network {
namespace {

crosspoint::SwitchKind chosen_switch(const CrosspointNetworkConfig& config) {
  crosspoint::CrosspointConfig one = config.crosspoint;
  one.ports = config.topology.radix;
  crosspoint::SwitchKind kind = config.switch_kinds.make(config.switch_kind, one);
  return config.replace_switches ? config.replace_switches(kind, config) : kind;
}

}  // namespace

void CrosspointNetworkConfig::add_switch_kind_keys(config::KeyTable& keys) {
  if (switch_kinds.names().size() < 2) return;
  keys.add_choice("switch.kind", switch_kind, switch_kinds.words(), "kind of switch");
  switch_kinds.add_keys(keys);
}

CrosspointNetwork::CrosspointNetwork(sc_core::sc_module_name module_name, ClockDomain& domain,
                                     const CrosspointNetworkConfig& config,
                                     const crosspoint::SwitchKind& switch_kind)
    : sc_module(module_name),
      config_(config),
      topology_(config.topology),
      switch_kind_(switch_kind.make ? switch_kind : chosen_switch(config)) {
  for (unsigned stage = 0; stage <= topology_.stages(); ++stage) {
    auto& row = links_.emplace_back();
    for (unsigned line = 0; line < topology_.lines(); ++line) {
      const std::string link_name = "link" + std::to_string(stage) + "_" + std::to_string(line);
      row.push_back(std::make_unique<PacketLink>(link_name.c_str(), 1 + Cycle{config.cable_cycles},
                                                 config.room_signal));
    }
  }
  for (unsigned stage = 0; stage < topology_.stages(); ++stage) {
    auto& row = switches_.emplace_back();
    for (unsigned index = 0; index < topology_.switches_per_stage(); ++index) {
      const std::string switch_name = "switch" + std::to_string(stage) + "_" + std::to_string(index);
      row.push_back(std::make_unique<crosspoint::SwitchModule>(
          switch_name.c_str(), domain, switch_kind_, crosspoint::SwitchPlace{stage, index}, topology_.radix(),
          graph::SwitchRoute(topology_, stage, index)));
      for (unsigned port = 0; port < topology_.radix(); ++port) {
        const unsigned line = topology_.line(stage, {index, port});
        row.back()->in[port].bind(*links_[stage][line]);
        row.back()->out[port].bind(*links_[stage + 1][line]);
      }
    }
  }
}

CrosspointNetwork::~CrosspointNetwork() = default;

void CrosspointNetwork::set_pool(PacketPool& pool) {
  for (auto& stage : switches_)
    for (auto& module : stage) module->set_pool(pool);
}

crosspoint::SwitchCounters CrosspointNetwork::counters() const {
  crosspoint::SwitchCounters sum;
  for (const auto& row : switches_) {
    for (const auto& one : row) sum += one->packet_switch().counters();
  }
  return sum;
}

CrosspointNetwork::Population CrosspointNetwork::population(Cycle now) const {
  const crosspoint::SwitchCounters switches = counters();
  Population result{switches.held, switches.held_flits, 0};
  for (const auto& row : links_) {
    for (const auto& one : row) {
      one->visit_flying([&](const PacketTransfer& transfer, Cycle arrival) {
        const unsigned copies =
            arrival < now ? static_cast<unsigned>(__builtin_popcount(transfer.port_bits)) : 1;
        result.packets += copies;
        result.flits += std::uint64_t{copies} * transfer.packet->flits;
        result.replicated += copies - 1;
      });
    }
  }
  return result;
}

std::uint64_t CrosspointNetwork::flits_in_flight() const {
  std::uint64_t flits = counters().held_flits;
  for (const auto& row : links_) {
    for (const auto& one : row) flits += one->flying_flits();
  }
  return flits;
}

std::string CrosspointNetwork::held_report(unsigned limit) const {
  std::string text;
  unsigned lines = 0;
  for (const auto& row : switches_) {
    for (const auto& one : row) {
      one->packet_switch().visit_waiting([&](const crosspoint::WaitingPacket& waiting) {
        if (++lines > limit) return;
        text += "\n  " + std::string(one->basename()) + " " + waiting.place + ": packet " +
                packet_name(waiting.packet) + " waits for " + waiting.waits_for;
      });
    }
  }
  if (lines > limit) text += "\n  and " + std::to_string(lines - limit) + " more packets in front";
  return text;
}

void CrosspointNetwork::check_conservation(Cycle now) const {
  for (const auto& row : switches_) {
    for (const auto& one : row) {
      const crosspoint::SwitchCounters& c = one->packet_switch().counters();
      if (c.packets_received + c.replicated == c.merged + c.dropped + c.packets_sent + c.held) continue;
      throw ModelError(one->name(), now, "",
                       std::to_string(c.packets_received) + " packets received + " +
                           std::to_string(c.replicated) + " replicated - " + std::to_string(c.merged) +
                           " merged - " + std::to_string(c.dropped) + " dropped are not " +
                           std::to_string(c.packets_sent) + " sent + " + std::to_string(c.held) + " held");
    }
  }
}

}  // namespace tsuji::network
