#include "tsuji/fabric/cenju4/crosspoint_network.h"

#include <string>

namespace tsuji::fabric {

CrosspointNetwork::CrosspointNetwork(sc_core::sc_module_name module_name, ClockDomain& domain,
                                     const CrosspointNetworkConfig& config)
    : sc_module(module_name), config_(config), topology_(config.topology) {
  crosspoint::CrosspointConfig switch_config = config.crosspoint;
  switch_config.ports = topology_.radix();
  switch_config.validate();
  for (unsigned stage = 0; stage <= topology_.stages(); ++stage) {
    auto& row = links_.emplace_back();
    for (unsigned line = 0; line < topology_.lines(); ++line) {
      const std::string link_name = "link" + std::to_string(stage) + "_" + std::to_string(line);
      row.push_back(std::make_unique<PacketLink>(link_name.c_str(), 1 + Cycle{config.cable_cycles}));
    }
  }
  for (unsigned stage = 0; stage < topology_.stages(); ++stage) {
    auto& row = switches_.emplace_back();
    for (unsigned index = 0; index < topology_.switches_per_stage(); ++index) {
      const std::string switch_name = "switch" + std::to_string(stage) + "_" + std::to_string(index);
      row.push_back(std::make_unique<crosspoint::CrosspointSwitch>(
          switch_name.c_str(), domain, switch_config, graph::SwitchRoute(topology_, stage, index)));
      for (unsigned port = 0; port < topology_.radix(); ++port) {
        const unsigned line = topology_.line(stage, {index, port});
        row.back()->in[port].bind(*links_[stage][line]);
        row.back()->out[port].bind(*links_[stage + 1][line]);
      }
    }
  }
}

CrosspointNetwork::~CrosspointNetwork() = default;

crosspoint::SwitchCounters CrosspointNetwork::counters() const {
  crosspoint::SwitchCounters sum;
  for (const auto& row : switches_) {
    for (const auto& one : row) {
      const crosspoint::SwitchCounters& c = one->counters();
      sum.packets_received += c.packets_received;
      sum.packets_sent += c.packets_sent;
      sum.flits_sent += c.flits_sent;
      sum.replicated += c.replicated;
      sum.merged += c.merged;
      sum.dropped += c.dropped;
      sum.held += c.held;
      sum.held_flits += c.held_flits;
    }
  }
  return sum;
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
      const unsigned ports = one->config().ports;
      for (unsigned fifo = 0; fifo < ports * ports; ++fifo) {
        const PacketTransfer* head = one->head(fifo / ports, fifo % ports);
        if (head == nullptr || ++lines > limit) continue;
        text += "\n  " + std::string(one->basename()) + " FIFO (" + std::to_string(fifo / ports) + ", " +
                std::to_string(fifo % ports) + "): packet " + packet_name(head->packet->id) +
                " waits for FIFOs of the next switch, port bits " + std::to_string(head->port_bits);
      }
    }
  }
  if (lines > limit) text += "\n  and " + std::to_string(lines - limit) + " more FIFOs";
  return text;
}

}  // namespace tsuji::fabric
