// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "tsuji/network/crosspoint/crosspoint_network.h"
#include "tsuji/traffic/packet_injector.h"
#include "tsuji/traffic/packet_sink.h"

namespace tsuji::test {

/// A packet that the network delivered.
struct Arrival {
  PacketId id;
  NodeId node;
  Cycle head, tail;
  unsigned hops;
  PacketKind kind;
  unsigned sid;
  Cycle injected;
  bool operator==(const Arrival& o) const {
    return std::tie(id, node, head, tail, hops, injected) ==
           std::tie(o.id, o.node, o.head, o.tail, o.hops, o.injected);
  }
};

/// A network with an injector and a sink at every node, driven by emissions.
class NetworkBench {
 public:
  struct Options {
    network::CrosspointNetworkConfig network;
    ClockDomainConfig clock;
    traffic::PacketSinkConfig sink;
    crosspoint::SwitchKind switch_kind;  ///< kind of switch, as in CrosspointNetwork
  };
  using MakeSource = std::function<std::unique_ptr<traffic::EmissionSource>(NodeId)>;

  NetworkBench(const Options& options, const MakeSource& make_source)
      : domain("clock", options.clock), network("network", domain, options.network, options.switch_kind) {
    const unsigned nodes = network.topology().nodes();
    last_from_.assign(nodes, std::vector<std::int64_t>(nodes, -1));
    for (NodeId node = 0; node < nodes; ++node) {
      routes_.push_back(std::make_unique<graph::FirstRoute>(network.topology(), node));
      const graph::FirstRoute* route = routes_.back().get();
      injectors.push_back(std::make_unique<traffic::PacketInjector>(
          ("injector" + std::to_string(node)).c_str(), domain, pool, node, nodes, make_source(node),
          [route](const Packet& packet) { return route->next_ports(packet); }));
      injectors.back()->out.bind(network.from_node(node));
      sinks.push_back(std::make_unique<traffic::PacketSink>(
          ("sink" + std::to_string(node)).c_str(), domain, node, options.sink,
          [this, node](const Packet& packet, Cycle head, Cycle tail, unsigned hops) {
            arrivals.push_back({packet.id, node, head, tail, hops, packet.kind, packet.sid, packet.injected});
            if (packet.kind == PacketKind::synchronization) return;
            // Between two nodes there is one path of FIFOs, so packets keep their order.
            auto& last = last_from_[node][packet.source.node()];
            const auto serial = static_cast<std::int64_t>(packet.id & 0xffffffffU);
            in_order = in_order && serial > last;
            last = serial;
          }));
      sinks.back()->in.bind(network.to_node(node));
    }
  }

  void run() {
    sc_core::sc_start();
    domain.rethrow_failure();
  }

  std::uint64_t sent() const {
    std::uint64_t sum = 0;
    for (const auto& injector : injectors) sum += injector->packets_sent();
    return sum;
  }

  /// Returns true if sent + replicated - merged - dropped = delivered, and the network is empty.
  bool conserved() const {
    const auto counters = network.counters();
    return sent() + counters.replicated - counters.merged - counters.dropped == arrivals.size() &&
           counters.held == 0;
  }

  std::vector<Arrival> sorted() const {
    auto result = arrivals;
    std::sort(result.begin(), result.end(), [](const Arrival& a, const Arrival& b) {
      return std::tie(a.node, a.head, a.id) < std::tie(b.node, b.head, b.id);
    });
    return result;
  }

  PacketPool pool;
  ClockDomain domain;
  network::CrosspointNetwork network;
  std::vector<std::unique_ptr<traffic::PacketInjector>> injectors;
  std::vector<std::unique_ptr<traffic::PacketSink>> sinks;
  std::vector<Arrival> arrivals;
  bool in_order = true;

 private:
  std::vector<std::unique_ptr<graph::FirstRoute>> routes_;
  std::vector<std::vector<std::int64_t>> last_from_;
};

/// Emissions for the given nodes, and none for the others.
inline NetworkBench::MakeSource from(const std::map<NodeId, std::vector<traffic::Emission>>& emissions) {
  return [emissions](NodeId node) {
    const auto found = emissions.find(node);
    return std::make_unique<traffic::ListedEmissions>(
        found == emissions.end() ? std::vector<traffic::Emission>{} : found->second);
  };
}

}  // namespace tsuji::test
