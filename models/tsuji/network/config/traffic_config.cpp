// SPDX-License-Identifier: Apache-2.0
#include "tsuji/network/config/traffic_config.h"

#include <algorithm>
#include <set>
#include <utility>

#include "tsuji/core/error.h"
#include "tsuji/core/run_time.h"
#include "tsuji/graph/cube.h"
#include "tsuji/graph/living_network.h"
#include "tsuji/traffic/checked_source.h"
#include "tsuji/traffic/classed_source.h"
#include "tsuji/traffic/rail_source.h"

namespace tsuji::network {
namespace {

using config::KeyTable;
using traffic::TrafficTraits;

/// Words of the kinds of traffic for which one of `any` holds.
std::vector<std::string> words_that(const std::vector<bool TrafficTraits::*>& any,
                                    const traffic::TrafficKinds& kinds) {
  std::vector<std::string> words;
  for (const std::string& word : kinds.names()) {
    const auto has = [&](bool TrafficTraits::*trait) { return kinds.traits(word).*trait; };
    if (std::any_of(any.begin(), any.end(), has)) words.push_back(word);
  }
  return words;
}

std::string listed(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

/// "; fixed: all traffic.packet_flits; range: uniform from traffic.packet_flits to ...": every word's text.
template <class Kinds>
std::string texts(const Kinds& kinds) {
  std::string all;
  for (const std::string& word : kinds.names()) all += "; " + word + ": " + kinds.traits(word).text;
  return all;
}

bool whole_packets(const NetworkConfig& network) {
  return network.network.router.switching != router::Switching::wormhole;
}

}  // namespace

void TrafficConfig::validate() const {
  kinds.validate(kind);
  patterns.validate(pattern);
  packet_lengths();
}

void TrafficConfig::check_sweep() const {
  if (traits().offers_load) return;
  throw ConfigError("traffic.kind", kind, "there is no offered load to sweep",
                    listed(words_that({&TrafficTraits::offers_load}, kinds)));
}

workload::PacketListLimits packet_limits(const NetworkConfig& network) {
  workload::PacketListLimits limits;
  limits.last_cycle = last_run_cycle(ClockPeriod(network.clock_period_ps));
  // Detour-UD chooses the channels of injection itself.
  limits.vcs = network.reconfigures() ? 0 : network.network.vcs_of_nodes();
  if (const auto longest = network.congestion.longest_packet()) {
    limits.flits = longest->flits;
    limits.because = std::string(" flits, the ") + longest->meaning + " (" + longest->key + ")";
  }
  if (!whole_packets(network) || limits.flits < network.network.buffer_flits) return limits;
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

void validate_load(const TrafficConfig& traffic, unsigned ports) {
  const double load = traffic.of<traffic::OpenLoopConfig>().load_flits_per_node_cycle;
  if (!traffic.traits().offers_load || load <= ports) return;
  throw ConfigError("traffic.load_flits_per_node_cycle", config::double_text(load),
                    "the network ports of a node carry a flit in a cycle each",
                    "0.." + std::to_string(ports) + " with rails.count " + std::to_string(ports));
}

void validate_lengths(const NetworkConfig& network, const TrafficConfig& traffic) {
  for (const MessageClass& one : network.message_classes().all)
    if (one.flits != 0) require_room(network, one.flits);
  if (traffic.traits().own_lengths) return;
  require_room(network, traffic.packet_lengths().longest());
  network.congestion.validate_length(traffic.packet_lengths().longest());
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
                      "the doubling timeouts of a packet add up to more than the longest run",
                      "up to " + std::to_string(last / (retry.longest_cycles() / retry.timeout_cycles)) +
                          " with retry.most_tries " + std::to_string(retry.most_tries));
}

TrafficNodes TrafficNodes::of(const graph::Topology& topology, const graph::FaultSet& faults,
                              const traffic::Rails& rails) {
  using graph::RouterState;
  using workload::NodeState;
  TrafficNodes result;
  result.nodes = topology.nodes() / rails.count();
  result.rails = rails;
  if (rails.count() == 1) result.topology = &topology;
  const auto* cube = topology.shape_as<graph::CubeShape>();
  if (cube != nullptr && rails.stride() == 1 && cube->nodes_per_router % rails.count() == 0) {
    result.radices = cube->radices;
    result.nodes_per_router = cube->nodes_per_router / rails.count();
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

/// Lengths of the generated packets: those of the classes with their shares, if these have lengths.
workload::PacketLengths generated_lengths(const TrafficConfig& config, const MessageClasses& classes) {
  std::vector<unsigned> lengths, shares;
  for (const MessageClass& one : classes.all) {
    if (one.share == 0 || one.flits == 0) continue;
    lengths.push_back(one.flits);
    shares.push_back(one.share);
  }
  return lengths.empty() ? config.packet_lengths() : workload::PacketLengths::weighted(lengths, shares);
}

/// Filters a source: only packets whose destination node lives pass. All other calls are forwarded to the
/// source.
class ReachableEmissions final : public traffic::EmissionSource {
 public:
  ReachableEmissions(traffic::CheckedSource all, std::shared_ptr<const TrafficNodes> nodes)
      : all_(std::move(all)), nodes_(std::move(nodes)) {}
  bool next(traffic::Emission& emission) override {
    while (all_.next(emission, emission.created))  // about now: the last one's birth
      if (nodes_->state(emission.destination.node()) == workload::NodeState::living) return true;
    return false;
  }
  bool listens() const override { return all_->listens(); }
  Cycle lookahead_cycles() const override { return all_->lookahead_cycles(); }
  void bind(Clocked& node) override { all_->bind(node); }
  bool is_full() const override { return all_->is_full(); }
  void take(Cycle now, PacketRef packet) override { all_->take(now, std::move(packet)); }
  void arrived(Cycle now, const Packet& packet) override { all_->arrived(now, packet); }
  void departed(Cycle now, const Packet& packet) override { all_->departed(now, packet); }
  Cycle next_event() const override { return all_->next_event(); }
  void advance(Cycle now) override { all_->advance(now); }
  void dropped(Cycle now, const Packet& packet, const char* cause) override {
    all_->dropped(now, packet, cause);
  }

 private:
  traffic::CheckedSource all_;
  const std::shared_ptr<const TrafficNodes> nodes_;
};

}  // namespace

TrafficSources::TrafficSources(const TrafficConfig& config, const TrafficNodes& nodes, std::uint64_t seed,
                               const workload::PacketListLimits& limits, MessageClasses classes)
    : nodes_(std::make_shared<const TrafficNodes>(nodes)),
      classes_(std::make_shared<const MessageClasses>(std::move(classes))),
      seed_(seed) {
  config.validate();
  const TrafficTraits& traits = config.traits();
  if (classes_->on() && !traits.draws)
    throw ConfigError("traffic.kind", config.kind, "its packets have no class",
                      listed(words_that({&TrafficTraits::draws}, config.kinds)) + ", or no classes.list");
  if (traits.draws) {
    workload::PatternConfig pattern;
    pattern.nodes = nodes.nodes;
    pattern.to_self = config.to_self;
    pattern.radices = nodes.radices;
    pattern.nodes_per_router = nodes.nodes_per_router;
    pattern.topology = nodes.topology;
    pattern.receivers_send = traits.receivers_send;
    pattern.seed = seed;
    pattern.states = nodes.states;
    pattern_ = config.patterns.make(config.pattern, pattern);
  }
  traffic::TrafficGiven given{
      nodes.nodes, seed, pattern_, generated_lengths(config, *classes_), limits, nodes.rails.count()};
  mean_flits_ = given.lengths.mean();
  given.limits.states = nodes.states;
  traffic_ = config.kinds.make(config.kind, given);
  // Rates that cannot be are refused here and not when the last node is built.
  const NodeId places = nodes.nodes * nodes.rails.count();
  for (NodeId place = 0; (traits.draws || nodes.rails.count() > 1) && place < places; ++place) source(place);
  answers_ = !answering_.empty();
  answering_.clear();
}

std::unique_ptr<traffic::EmissionSource> TrafficSources::source_of_rail(NodeId place) const {
  const traffic::Rails& rails = nodes_->rails;
  std::unique_ptr<traffic::EmissionSource> all = traffic_->source(rails.node(place));
  if (all == nullptr) return all;
  if (all->listens()) return answering_port(std::move(all), place);
  return std::make_unique<traffic::RailEmissions>(std::move(all), rails, rails.rail(place));
}

std::unique_ptr<traffic::EmissionSource> TrafficSources::answering_port(
    std::unique_ptr<traffic::EmissionSource> all, NodeId place) const {
  const traffic::Rails& rails = nodes_->rails;
  std::shared_ptr<traffic::AnsweringNode> node = answering_[rails.node(place)].lock();
  if (node == nullptr || node->has_port(rails.rail(place)))
    node = std::make_shared<traffic::AnsweringNode>(std::move(all), rails);
  answering_[rails.node(place)] = node;
  return node->port(node, rails.rail(place));
}

std::unique_ptr<traffic::EmissionSource> TrafficSources::generated(NodeId node) const {
  std::unique_ptr<traffic::EmissionSource> all = traffic_->source(node);
  if (all == nullptr || !classes_->on()) return all;
  return std::make_unique<traffic::ClassedSource>(std::move(all), *classes_, seed_, node);
}

std::unique_ptr<traffic::EmissionSource> TrafficSources::source(NodeId node) const {
  if (nodes_->rails.count() > 1) return source_of_rail(node);
  std::unique_ptr<traffic::EmissionSource> all = generated(node);
  if (all == nullptr || !nodes_->cuts_off()) return all;
  const bool reaches = pattern_ == nullptr || pattern_->reaches(node);
  if (nodes_->state(node) != workload::NodeState::living || !reaches) return traffic::no_packets();
  return std::make_unique<ReachableEmissions>(traffic::CheckedSource(std::move(all), node, nodes_->nodes),
                                              nodes_);
}

UnreachablePackets TrafficSources::unreachable(Cycle end) const {
  UnreachablePackets result;
  if (!nodes_->cuts_off()) return result;
  result.from.resize(nodes_->nodes);
  result.to.resize(nodes_->nodes);
  for (NodeId node = 0; node < nodes_->nodes; ++node) {
    const auto cut_off = [&](NodeId id) { return nodes_->state(id) == workload::NodeState::cut_off; };
    std::unique_ptr<traffic::EmissionSource> source = traffic_->source(node);
    if (source == nullptr) continue;
    traffic::CheckedSource all(std::move(source), node, nodes_->nodes);
    traffic::Emission emission;
    while (all.next(emission, emission.created) && emission.created < end) {
      if (!cut_off(node) && !cut_off(emission.destination.node())) continue;
      ++result.packets;
      if (cut_off(node)) ++result.from[node];
      if (cut_off(emission.destination.node())) ++result.to[emission.destination.node()];
    }
  }
  return result;
}

double TrafficSources::demand(NodeId source, NodeId destination) const {
  const traffic::Rails& rails = nodes_->rails;
  if (rails.count() > 1) {
    const unsigned rail = rails.rail(source);
    if (rails.rail(destination) != rail) return 0.0;
    const NodeId to = rails.node(destination);
    return traffic_->demand(rails.node(source), to) * rails.share(rail, to);
  }
  const auto lives = [this](NodeId node) { return nodes_->state(node) == workload::NodeState::living; };
  if (!lives(source) || !lives(destination)) return 0.0;
  if (!classes_->on()) return traffic_->demand(source, destination);
  double there = 0, back = 0, shares = 0;  // flits of a packet and of the answers that follow
  for (const MessageClass& one : classes_->all) {
    shares += one.share;
    there += one.share * (one.flits == 0 ? mean_flits_ : one.flits);
    bool returns = true;
    for (auto answer = one.answer; answer; answer = classes_->all[*answer].answer, returns = !returns)
      (returns ? back : there) += static_cast<double>(one.share) * classes_->all[*answer].flits;
  }
  const double packets = traffic_->demand(source, destination),
               answered = traffic_->demand(destination, source);
  return (packets * there + answered * back) / (mean_flits_ * shares);
}

void add_traffic_keys(KeyTable& keys, TrafficConfig& t) {
  keys.add_choice("traffic.kind", t.kind, t.kinds.words(), texts(t.kinds).substr(2));
  keys.add_choice("traffic.pattern", t.pattern, t.patterns.words(),
                  "traffic pattern: distribution of destinations");
  keys.add(
      "traffic.to_self", t.to_self,
      "whether nodes send packets to themselves; false: a node without another destination sends nothing");
  t.kinds.add_keys(keys);
  std::set<std::string> of_kinds;
  for (const KeyTable::Description& key : keys.descriptions()) of_kinds.insert(key.key);
  keys.add_choice("traffic.length", t.length, t.lengths.words(),
                  "distribution of packet lengths" + texts(t.lengths));
  t.lengths.add_keys(keys);
  t.patterns.add_keys(keys);
  for (const char* key : {"traffic.pattern", "traffic.to_self"})
    keys.only_with(key, {{"traffic.kind", words_that({&TrafficTraits::draws}, t.kinds)}});
  const auto drawing = words_that({&TrafficTraits::draws, &TrafficTraits::draws_lengths}, t.kinds);
  keys.only_with("traffic.length", {{"traffic.kind", drawing}});
  // The order that configuration files have.
  std::vector<std::string> before_last;
  for (const KeyTable::Description& key : keys.descriptions())
    if (of_kinds.count(key.key) == 0) before_last.push_back(key.key);
  before_last.insert(before_last.end(), {"traffic.list", "traffic.window", "traffic.gap_cycles"});
  for (const std::string& key : before_last)
    if (keys.has_key("traffic.last_cycle") && keys.has_key(key)) keys.move_before(key, "traffic.last_cycle");
}

void measure_whole_lists(KeyTable& keys) {
  const KeyTable::Use list{"traffic.kind", {"list"}};
  keys.default_with("measure.warmup_cycles", list, "0");
  keys.default_with("measure.first_arrival", list, "1");
}

}  // namespace tsuji::network
