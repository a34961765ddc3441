// SPDX-License-Identifier: Apache-2.0
#include "tsuji/network/config/traffic_config.h"

#include <algorithm>
#include <utility>

#include "tsuji/core/error.h"
#include "tsuji/core/run_time.h"
#include "tsuji/graph/cube.h"
#include "tsuji/graph/living_network.h"
#include "tsuji/network/config/kind_table.h"
#include "tsuji/traffic/closed_loop.h"
#include "tsuji/traffic/synthetic_load.h"

namespace tsuji::network {
namespace {

using config::KeyTable;

constexpr Cycle most_cycles = 1'000'000'000'000;

/// A word, what it stands for, and the keys of its section that only such words read.
template <class E>
struct Word {
  const char* name;
  E value;
  const char* keys;
};

constexpr Word<TrafficKind> traffic_kinds[] = {
    {"open_loop", TrafficKind::open_loop,
     "pattern to_self load_flits_per_node_cycle injection "
     "length "
     "packet_flits largest_packet_flits lengths weights last_cycle"},
    {"closed_loop", TrafficKind::closed_loop,
     "pattern to_self length packet_flits largest_packet_flits lengths weights "
     "window gap_cycles"},
    {"list", TrafficKind::list, "list"},
    {"none", TrafficKind::none, ""},
};

constexpr Word<LengthKind> length_kinds[] = {
    {"fixed", LengthKind::fixed, "packet_flits"},
    {"range", LengthKind::range, "packet_flits largest_packet_flits"},
    {"weighted", LengthKind::weighted, "lengths weights"},
};

void add_length_keys(KeyTable& keys, TrafficConfig& t) {
  constexpr unsigned most = workload::PacketLengths::most_flits;
  keys.add_choice("traffic.length", t.length, words_of(length_kinds),
                  "distribution of packet lengths; fixed: packet_flits; range: uniform from packet_flits to "
                  "largest_packet_flits; weighted: one of lengths by weights");
  keys.add("traffic.packet_flits", t.packet_flits, {1, most}, "flits",
           "length of a packet; range: shortest packet");
  keys.add("traffic.largest_packet_flits", t.largest_packet_flits, {1, most}, "flits",
           "range: longest packet");
  keys.add("traffic.lengths", t.lengths, {1, most}, {0, 64}, "flits", "weighted: the lengths");
  keys.add("traffic.weights", t.weights, {0, 1'000'000'000}, {0, 64}, "",
           "weighted: weights of the lengths; none: equal weights");
}

}  // namespace

void TrafficConfig::validate() const {
  if (!(load_flits_per_node_cycle >= 0.0 && load_flits_per_node_cycle <= 1.0)) {
    throw ConfigError("traffic.load_flits_per_node_cycle", std::to_string(load_flits_per_node_cycle),
                      "not a load", "a number 0..1");
  }
  patterns.validate(pattern);
  if (kind == TrafficKind::list && list.empty()) {
    throw ConfigError("traffic.list", "", "there is no list to send",
                      "a file of lines CYCLE SOURCE DESTINATION FLITS");
  }
  packet_lengths();
}

void TrafficConfig::check_sweep() const {
  if (kind == TrafficKind::open_loop) return;
  const char* const name = kind == TrafficKind::list          ? "list"
                           : kind == TrafficKind::closed_loop ? "closed_loop"
                                                              : "none";
  throw ConfigError("traffic.kind", name, "there is no offered load to sweep", "open_loop");
}

workload::PacketLengths TrafficConfig::packet_lengths() const {
  switch (length) {
    case LengthKind::fixed:
      break;
    case LengthKind::range:
      return workload::PacketLengths::range(packet_flits, largest_packet_flits);
    case LengthKind::weighted:
      return workload::PacketLengths::weighted(lengths, weights);
  }
  return workload::PacketLengths::fixed(packet_flits);
}

namespace {

bool whole_packets(const NetworkConfig& network) {
  return network.network.router.switching != router::Switching::wormhole;
}

}  // namespace

std::string TrafficConfig::silence() const {
  if (kind == TrafficKind::none) return "traffic.kind is none";
  if (kind == TrafficKind::open_loop && load_flits_per_node_cycle == 0) return "the offered load is 0";
  return "";
}

workload::PacketListLimits packet_limits(const NetworkConfig& network) {
  workload::PacketListLimits limits;
  limits.last_cycle = last_run_cycle(ClockPeriod(network.clock_period_ps));
  if (!whole_packets(network)) return limits;
  limits.flits = network.network.buffer_flits;
  limits.because = " flits, which fit into a buffer (router.buffer_flits), or router.switching wormhole";
  return limits;
}

void require_room(const NetworkConfig& network, unsigned flits) {
  if (!whole_packets(network) || flits <= network.network.buffer_flits) return;
  throw ConfigError("router.buffer_flits", std::to_string(network.network.buffer_flits),
                    "a packet of " + std::to_string(flits) + " flits must fit into a buffer as a whole",
                    "at least " + std::to_string(flits) + ", or router.switching wormhole");
}

void validate_lengths(const NetworkConfig& network, const TrafficConfig& traffic) {
  if (traffic.kind != TrafficKind::list) require_room(network, traffic.packet_lengths().longest());
}

void validate_retry(const NetworkConfig& network, const traffic::RetryConfig& retry) {
  if (!retry.on()) return;
  const unsigned room = network.network.buffer_flits;
  if (whole_packets(network) && retry.ack_flits > room)
    throw ConfigError(
        "retry.ack_flits", std::to_string(retry.ack_flits),
        "an acknowledgement must fit into a virtual channel's buffer as a whole",
        "up to router.buffer_flits (" + std::to_string(room) + "), or router.switching wormhole");
  const Cycle last = last_run_cycle(ClockPeriod(network.clock_period_ps));
  if (retry.longest_cycles() > last)
    throw ConfigError("retry.timeout_cycles", std::to_string(retry.timeout_cycles),
                      "the waits of a packet, which double, last longer than a run may",
                      "up to " + std::to_string(last / (retry.longest_cycles() / retry.timeout_cycles)) +
                          " with retry.most_tries " + std::to_string(retry.most_tries));
}

TrafficNodes TrafficNodes::of(const graph::Topology& topology, const graph::FaultSet& faults) {
  using graph::RouterState;
  using workload::NodeState;
  TrafficNodes result;
  result.nodes = topology.nodes();
  if (const auto* cube = topology.shape_as<graph::CubeShape>()) {
    result.radices = cube->radices;
    result.nodes_per_router = cube->nodes_per_router;
  }
  if (faults.empty()) return result;
  const graph::LivingNetwork network(topology, faults);
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    const graph::NodePorts& ports = topology.node(node);
    const auto either = [&](RouterState state) {
      return network.state(ports.inject.router) == state || network.state(ports.eject.router) == state;
    };
    result.states.push_back(either(RouterState::dead)      ? NodeState::dead
                            : either(RouterState::cut_off) ? NodeState::cut_off
                                                           : NodeState::living);
  }
  return result;
}

unsigned TrafficNodes::living() const {
  if (states.empty()) return nodes;
  return static_cast<unsigned>(std::count(states.begin(), states.end(), workload::NodeState::living));
}

bool TrafficNodes::cuts_off() const {
  return std::count(states.begin(), states.end(), workload::NodeState::cut_off) != 0;
}

namespace {

/// Of a source's packets those whose destination lives.
class ReachableEmissions final : public traffic::EmissionSource {
 public:
  ReachableEmissions(std::unique_ptr<EmissionSource> all, std::shared_ptr<const TrafficNodes> nodes)
      : all_(std::move(all)), nodes_(std::move(nodes)) {}
  bool next(traffic::Emission& emission) override {
    while (all_->next(emission))
      if (nodes_->state(emission.destination.node()) == workload::NodeState::living) return true;
    return false;
  }
  bool listens() const override { return all_->listens(); }
  Cycle lookahead_cycles() const override { return all_->lookahead_cycles(); }
  void arrived(Cycle now, const Packet& packet) override { all_->arrived(now, packet); }
  void dropped(Cycle now, const Packet& packet, const char* cause) override {
    all_->dropped(now, packet, cause);
  }

 private:
  const std::unique_ptr<EmissionSource> all_;
  const std::shared_ptr<const TrafficNodes> nodes_;
};

std::unique_ptr<traffic::EmissionSource> no_packets() {
  return std::make_unique<traffic::ListedEmissions>(std::vector<traffic::Emission>{});
}

}  // namespace

TrafficSources::TrafficSources(const TrafficConfig& config, const TrafficNodes& nodes, std::uint64_t seed,
                               const workload::PacketListLimits& limits)
    : config_(config),
      nodes_(std::make_shared<const TrafficNodes>(nodes)),
      seed_(seed),
      lengths_(config.packet_lengths()) {
  config.validate();
  if (config.kind == TrafficKind::list) {
    workload::PacketListLimits known = limits;
    known.states = nodes.states;
    lists_ = workload::read_packet_list(config.list, nodes.nodes, known);
    return;
  }
  if (config.kind == TrafficKind::none) return;
  workload::PatternConfig pattern;
  pattern.nodes = nodes.nodes;
  pattern.to_self = config.to_self;
  pattern.radices = nodes.radices;
  pattern.nodes_per_router = nodes.nodes_per_router;
  pattern.receivers_send = config.kind == TrafficKind::closed_loop;
  pattern.seed = seed;
  pattern.states = nodes.states;
  pattern_ = config.patterns.make(config.pattern, pattern);
  // Rates that cannot be are refused here and not when the last node is built.
  for (NodeId node = 0; node < nodes.nodes; ++node) source(node);
}

std::unique_ptr<traffic::EmissionSource> TrafficSources::source(NodeId node) const {
  std::unique_ptr<traffic::EmissionSource> all = every_packet(node);
  if (all == nullptr || !nodes_->cuts_off()) return all;
  const bool reaches = pattern_ == nullptr || pattern_->reaches(node);
  if (nodes_->state(node) != workload::NodeState::living || !reaches) return no_packets();
  return std::make_unique<ReachableEmissions>(std::move(all), nodes_);
}

UnreachablePackets TrafficSources::unreachable(Cycle end) const {
  UnreachablePackets result;
  result.from.resize(nodes_->nodes);
  result.to.resize(nodes_->nodes);
  if (!nodes_->cuts_off()) return result;
  for (NodeId node = 0; node < nodes_->nodes; ++node) {
    const auto cut_off = [&](NodeId id) { return nodes_->state(id) == workload::NodeState::cut_off; };
    const std::unique_ptr<traffic::EmissionSource> all = every_packet(node);
    traffic::Emission emission;
    while (all != nullptr && all->next(emission) && emission.created < end) {
      if (!cut_off(node) && !cut_off(emission.destination.node())) continue;
      ++result.packets;
      if (cut_off(node)) ++result.from[node];
      if (cut_off(emission.destination.node())) ++result.to[emission.destination.node()];
    }
  }
  return result;
}

double TrafficSources::demand(NodeId source, NodeId destination) const {
  const auto lives = [this](NodeId node) { return nodes_->state(node) == workload::NodeState::living; };
  if (!lives(source) || !lives(destination)) return 0.0;
  const double share = pattern_->share(source);
  return share == 0.0 ? 0.0 : share * pattern_->probability(source, destination);
}

std::unique_ptr<traffic::EmissionSource> TrafficSources::every_packet(NodeId node) const {
  switch (config_.kind) {
    case TrafficKind::open_loop:
      return open_loop(node);
    case TrafficKind::closed_loop:
      return closed_loop(node);
    case TrafficKind::list:
      return listed(node);
    case TrafficKind::none:
      break;
  }
  return nullptr;
}

std::unique_ptr<traffic::EmissionSource> TrafficSources::open_loop(NodeId node) const {
  const double load = config_.load_flits_per_node_cycle * pattern_->share(node);
  if (load == 0) return no_packets();
  const workload::ArrivalRate rate{load / lengths_.mean(), lengths_.mean()};
  traffic::SyntheticLoad::Parts parts;
  parts.pattern = pattern_;
  parts.arrivals = workload::make_arrivals(config_.arrivals, config_.injection, rate);
  parts.lengths = lengths_;
  if (config_.last_cycle != 0) parts.last_cycle = config_.last_cycle;
  return std::make_unique<traffic::SyntheticLoad>(std::move(parts), node, seed_);
}

std::unique_ptr<traffic::EmissionSource> TrafficSources::closed_loop(NodeId node) const {
  if (pattern_->share(node) == 0) return no_packets();
  traffic::ClosedLoop::Parts parts;
  parts.pattern = pattern_;
  parts.lengths = lengths_;
  parts.window = config_.window;
  parts.gap_cycles = config_.gap_cycles;
  return std::make_unique<traffic::ClosedLoop>(std::move(parts), node, seed_);
}

std::unique_ptr<traffic::EmissionSource> TrafficSources::listed(NodeId node) const {
  std::vector<traffic::Emission> emissions;
  for (const workload::ListedPacket& packet : lists_.at(node)) {
    traffic::Emission emission;
    emission.created = packet.created;
    emission.payload_bytes = 0;
    emission.flits = static_cast<std::uint16_t>(packet.flits);
    emission.destination = packet.destination;
    emissions.push_back(emission);
  }
  return std::make_unique<traffic::ListedEmissions>(std::move(emissions));
}

void add_traffic_keys(KeyTable& keys, TrafficConfig& t) {
  keys.add_choice(
      "traffic.kind", t.kind, words_of(traffic_kinds),
      "open_loop: a load independent of the network; closed_loop: a window of packets, refilled by arrivals; "
      "list: packets of a file; none: routers and links without nodes, to measure their size");
  keys.add_choice("traffic.pattern", t.pattern, t.patterns.words(),
                  "pattern of destinations, but for a list");
  keys.add("traffic.to_self", t.to_self,
           "packets of a node to itself; false: a node without another destination is silent");
  keys.add("traffic.load_flits_per_node_cycle", t.load_flits_per_node_cycle, {0.0, 1.0}, "flits/node/cycle",
           "open_loop: offered load of a sending node; under a matrix the mean of all living nodes");
  keys.add_choice("traffic.injection", t.injection, t.arrivals.words(),
                  "open_loop: arrival process; on_off: bursts");
  t.arrivals.add_keys(keys);
  add_length_keys(keys, t);
  t.patterns.add_keys(keys);
  keys.add_path("traffic.list", t.list,
                "list: file of lines CYCLE SOURCE DESTINATION FLITS, uncompressed or zstd");
  keys.add("traffic.window", t.window, {0, 1'000'000}, "packets",
           "closed_loop: packets that a node may send before one arrives; 0: unbounded");
  keys.add("traffic.gap_cycles", t.gap_cycles, {0, 1'000'000'000}, "cycles",
           "closed_loop: time from an arrival to the birth of the packet that it allows");
  keys.add("traffic.last_cycle", t.last_cycle, {0, most_cycles}, "cycles",
           "open_loop: cycle of the last birth; 0: no end");
  add_uses(keys, "traffic.kind", traffic_kinds);
  add_uses(keys, "traffic.length", length_kinds);
}

void measure_whole_lists(KeyTable& keys) {
  const KeyTable::Use list{"traffic.kind", {"list"}};
  keys.default_with("measure.warmup_cycles", list, "0");
  keys.default_with("measure.first_arrival", list, "1");
}

}  // namespace tsuji::network
