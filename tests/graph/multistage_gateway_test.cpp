// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "support/catch.h"
#include "tsuji/core/error.h"
#include "tsuji/core/random.h"
#include "tsuji/graph/multistage.h"

// Multistage networks of a group of nodes, with a gateway to the others.

using namespace tsuji;
using graph::Multistage;
using graph::MultistageConfig;

namespace {

MultistageConfig group(unsigned nodes, unsigned radix, unsigned stages, NodeId first) {
  MultistageConfig config{nodes, radix, stages, 1};
  config.first_node = first;
  config.gateway = true;
  return config;
}

using Lines = std::set<unsigned>;
/// A FIFO: stage, switch, input, output.
using Fifo = std::tuple<unsigned, unsigned, unsigned, unsigned>;
using Fifos = std::set<Fifo>;

/// Lines at which the copies of a packet end, each once, and the FIFOs of switches that they use.
struct Spread {
  Spread(const Multistage& of_network, unsigned line, const Packet& packet) : network(of_network) {
    go(0, line, graph::FirstRoute(network, line).next_ports(packet), packet);
  }
  void go(unsigned stage, unsigned line, std::uint32_t bits, const Packet& packet) {
    REQUIRE(bits != 0);
    if (stage == network.stages()) {
      REQUIRE(bits == 1);
      REQUIRE(ends.insert(line).second);
      return;
    }
    const auto place = network.place(stage, line);
    const graph::SwitchRoute route(network, stage, place.switch_index);
    for (unsigned port = 0; port < network.radix(); ++port) {
      if ((bits >> port & 1) == 0) continue;
      fifos.emplace(stage, place.switch_index, place.port, port);
      go(stage + 1, network.line(stage, {place.switch_index, port}), route.next_ports(port, packet), packet);
    }
  }
  const Multistage& network;
  Lines ends;
  Fifos fifos;
};

/// A round of one half of a synchronization in the tables of all switches. Every switch must get exactly its
/// expected inputs, or nothing.
struct Round {
  Round(const Multistage& network, Lines lines, const Packet& packet) {
    for (const unsigned line : lines) bits[line] = graph::FirstRoute(network, line).next_ports(packet);
    for (unsigned stage = 0; stage < network.stages(); ++stage) {
      std::map<unsigned, std::uint32_t> come;  // by switch
      for (const unsigned line : lines) {
        const auto place = network.place(stage, line);
        REQUIRE(__builtin_popcount(bits.at(line)) == 1);
        fifos.emplace(stage, place.switch_index, place.port, __builtin_ctz(bits.at(line)));
        come[place.switch_index] |= std::uint32_t{1} << place.port;
      }
      lines.clear();
      std::map<unsigned, std::uint32_t> next;
      for (const auto& [index, inputs] : come) {
        const graph::SwitchRoute route(network, stage, index);
        REQUIRE(inputs == route.expected_inputs(packet));
        const std::uint32_t served = route.served_outputs(packet);
        REQUIRE(served != 0);
        for (unsigned port = 0; port < network.radix(); ++port) {
          if ((served >> port & 1) == 0) continue;
          const unsigned line = network.line(stage, {index, port});
          lines.insert(line);
          next[line] = route.next_ports(port, packet);
        }
      }
      bits = next;
    }
    ends = lines;
  }
  std::map<unsigned, std::uint32_t> bits;
  Fifos fifos;
  Lines ends;
};

/// Lines of a map's members in this group, and whether it has others.
struct Members {
  Members(const Multistage& network, std::uint32_t node_group, std::uint64_t map) {
    for (unsigned bit = 0; bit < 64; ++bit) {
      if ((map >> bit & 1) == 0) continue;
      const NodeId node = node_group * 64 + bit;
      if (node >= network.first_node() && node < network.first_node() + network.nodes())
        here.insert(node - network.first_node());
      else
        beyond = true;
    }
  }
  Lines here;
  bool beyond = false;
};

std::string refusal(const MultistageConfig& config) {
  try {
    config.validate("groups");
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

const std::vector<MultistageConfig>& groups() {
  static const std::vector<MultistageConfig> all{
      group(4, 4, 2, 0),  group(4, 4, 3, 12),   group(12, 4, 0, 24), group(12, 4, 4, 60),
      group(3, 4, 1, 61), group(13, 4, 0, 26),  group(48, 4, 3, 0),  group(4, 2, 0, 8),
      group(6, 3, 4, 54), group(150, 16, 0, 40)};
  return all;
}

}  // namespace

TEST_CASE("with a gateway every packet ends at its node, or at the gateway if the node lies beyond") {
  for (const MultistageConfig& config : groups()) {
    const Multistage network(config);
    CAPTURE(config.nodes, config.radix, config.stages, config.first_node);
    Lines sources{network.gateway_line(), 0, config.nodes - 1, config.nodes / 2};
    for (const unsigned source : sources) {
      Packet packet;
      for (NodeId node = 0; node < config.nodes; node += 1 + config.nodes / 20) {
        packet.destination = config.first_node + node;
        CHECK(Spread(network, source, packet).ends == Lines{node});
      }
      packet.destination = config.first_node + config.nodes;
      CHECK(Spread(network, source, packet).ends == Lines{network.gateway_line()});
      packet.destination = config.first_node == 0 ? 1000 : config.first_node - 1;
      CHECK(Spread(network, source, packet).ends == Lines{network.gateway_line()});
    }
  }
}

TEST_CASE("a multicast ends at its members, and once at the gateway if one lies beyond") {
  CounterRandom random(6, 1);
  for (const MultistageConfig& config : groups()) {
    const Multistage network(config);
    CAPTURE(config.nodes, config.radix, config.stages, config.first_node);
    for (unsigned draw = 0; draw < 60; ++draw) {
      Packet packet;
      packet.kind = PacketKind::multicast;
      packet.group = static_cast<std::uint32_t>(random.below(4));
      packet.map = random.next() & (draw % 2 == 0 ? ~0ULL : random.next() & random.next());
      const Members members(network, packet.group, packet.map);
      Lines wanted = members.here;
      if (members.beyond) wanted.insert(network.gateway_line());
      if (wanted.empty()) continue;
      CHECK(Spread(network, 0, packet).ends == wanted);
    }
  }
}

TEST_CASE("a synchronization beyond the gateway goes to it from all members, and returns from it to all") {
  CounterRandom random(7, 1);
  unsigned both = 0, local = 0;
  for (const MultistageConfig& config : groups()) {
    const Multistage network(config);
    CAPTURE(config.nodes, config.radix, config.stages, config.first_node);
    const Lines gateway{network.gateway_line()};
    for (unsigned draw = 0; draw < 60; ++draw) {
      Packet packet;
      packet.kind = PacketKind::synchronization;
      packet.source = NodeId{0};
      packet.map = random.next() & (draw % 2 == 0 ? ~0ULL : random.next() & random.next());
      for (unsigned bit = 0; draw % 3 == 2 && bit < 64; ++bit)  // members here only
        if (bit < config.first_node || bit >= config.first_node + config.nodes)
          packet.map &= ~(std::uint64_t{1} << bit);
      const Members members(network, 0, packet.map);
      if (members.here.empty()) continue;
      const Round up(network, members.here, packet);
      CHECK(up.ends == (members.beyond ? gateway : members.here));
      (members.beyond ? both : local) += 1;
      if (!members.beyond) continue;
      packet.source = End::of_router(3);
      CHECK(Round(network, gateway, packet).ends == members.here);
    }
  }
  CHECK(both > 200);
  CHECK(local > 50);
}

/// Packets from a gateway never wait for packets to it if they share no FIFO (rooms/grouped.md).
TEST_CASE("packets to the gateway share no FIFO with packets from it") {
  CounterRandom random(8, 1);
  for (const MultistageConfig& config : groups()) {
    const Multistage network(config);
    CAPTURE(config.nodes, config.radix, config.stages, config.first_node);
    Fifos to_gateway, from_gateway, among_nodes;
    Packet away, here;
    away.destination = config.first_node + config.nodes;
    for (unsigned line = 0; line < config.nodes; ++line) {
      to_gateway.merge(Fifos(Spread(network, line, away).fifos));
      here.destination = config.first_node + line;
      from_gateway.merge(Fifos(Spread(network, network.gateway_line(), here).fifos));
    }
    for (unsigned draw = 0; draw < 30; ++draw) {
      Packet barrier;
      barrier.kind = PacketKind::synchronization;
      barrier.source = NodeId{0};
      barrier.map = random.next();
      const Members members(network, 0, barrier.map);
      if (members.here.empty() || !members.beyond) continue;
      to_gateway.merge(Fifos(Round(network, members.here, barrier).fifos));
      barrier.source = End::of_router(0);
      from_gateway.merge(Fifos(Round(network, {network.gateway_line()}, barrier).fifos));
    }
    for (const Fifo& fifo : from_gateway) CHECK(to_gateway.count(fifo) == 0);
    // From the first routing stage on, they share no FIFO with packets among nodes either, for which they may
    // wait.
    for (unsigned from = 0; from < config.nodes; from += 1 + config.nodes / 16) {
      for (unsigned to = 0; to < config.nodes; to += 1 + config.nodes / 16) {
        here.destination = config.first_node + to;
        for (const Fifo& fifo : Spread(network, from, here).fifos) {
          if (network.redundant(std::get<0>(fifo))) continue;
          CHECK(to_gateway.count(fifo) == 0);
        }
      }
    }
  }
}

TEST_CASE("a group is as large as its stages allow without nodes at the gateway's output") {
  CHECK(Multistage(group(3, 4, 0, 0)).stages() == 1);
  CHECK(Multistage(group(4, 4, 0, 0)).stages() == 2);
  CHECK(Multistage(group(12, 4, 0, 0)).gateway_line() == 12);
  CHECK(Multistage(group(13, 4, 0, 0)).stages() == 3);
  CHECK(refusal(group(12, 4, 2, 0)).empty());
  CHECK_THAT(refusal(group(13, 4, 2, 0)), Catch::Contains("groups.stages"));
}
