// SPDX-License-Identifier: Apache-2.0
#include "tsuji/network/dense/dense_network.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <type_traits>

#include "tsuji/core/error.h"
#include "tsuji/graph/neighbourhoods.h"
#include "tsuji/network/dense/rank_cut.h"
#include "tsuji/router/allocators/kinds.h"
#include "tsuji/router/vc/fast_vc_router.h"

namespace tsuji::network::dense {
namespace {

using graph::RouterId;
using graph::Topology;

/// Longest time of a flit, a credit or a stage.
constexpr Cycle most_cycles = 120;
static_assert(2 * most_cycles < Home::cycles);

std::unique_ptr<traffic::EmissionSource> source_of(const DenseNetwork::Parts& parts, NodeId node) {
  std::unique_ptr<traffic::EmissionSource> source = parts.make_source(node);
  if (source == nullptr)
    throw ModelError(
        "node " + std::to_string(node),
        "is without a source, and its kind of traffic does not say so (TrafficTraits::has_sources)");
  return source;
}

}  // namespace

/// Counts of all ranks, gathered when one of them is asked for and a module has run since.
struct DenseNetwork::WholeCounts {
  std::uint64_t steps = ~std::uint64_t{0};  ///< of the clock (ClockDomain::steps), when they were gathered
  std::vector<std::uint64_t> counts;        ///< [Topology::port_index()] or [node]
};
/// One table for each kind of count. A rank has a table of the whole network only after its first use.
struct DenseNetwork::WholeState {
  WholeCounts sent,  ///< [port]: flits that have left
      held,          ///< [port]: flits in its buffers and on the wires to it
      of_nodes;      ///< [node]: flits sent
};

/// Cycles from a decision to the cycle in which the far end acts.
struct DenseNetwork::Delays {
  explicit Delays(const VcNetworkConfig& config) : config_(config) {}

  Cycle between_routers(Cycle latency) const {
    return config_.router.depart_after() + wire(latency) + config_.router.des_cycles;
  }
  Cycle to_node(Cycle latency) const { return config_.router.depart_after() + wire(latency); }
  Cycle from_node(Cycle latency) const { return 1 + wire(latency) + config_.router.des_cycles; }
  Cycle credit(Cycle latency, Cycle process) const {
    return 1 + (config_.credit_latency_cycles == 0 ? wire(latency) : config_.credit_latency_cycles) + process;
  }
  Cycle inject_latency(const graph::NodePorts& ports) const {
    return ports.latency_or(config_.inject_latency_cycles);
  }
  Cycle eject_latency(const graph::NodePorts& ports) const {
    return ports.latency_or(config_.eject_latency_cycles);
  }
  /// Longest of all times in the network.
  Cycle longest(const Topology& topology, const routing::Routing& routing) const {
    Cycle latency = 0;
    for (const graph::RouterLink& link : topology.links()) latency = std::max(latency, link.latency_cycles);
    for (NodeId node = 0; node < topology.nodes(); ++node)
      latency = std::max({latency, inject_latency(topology.node(node)), eject_latency(topology.node(node))});
    const Cycle process = std::max(config_.credit_process_cycles, config_.credit_process_cycles_of_nodes());
    return std::max({between_routers(latency), from_node(latency), credit(latency, process),
                     config_.rc_cycles, config_.router.va_cycles,
                     routing.table_reads() == nullptr ? 0 : config_.table_cycles});
  }

 private:
  Cycle wire(Cycle latency) const { return latency + config_.fec_cycles; }

  const VcNetworkConfig& config_;
};

namespace {

/// Wrong guesses are known before the flit is on the link, and no head is late.
bool predicts_simply(const router::VcRouterConfig& config) {
  const router::PredictionConfig& prediction = config.prediction;
  return !prediction.on() || (prediction.check == router::PredictionCheck::kill && !prediction.serial &&
                              config.block_timeout_cycles == 0 && config.hop_limit == 0);
}

/// True if routers have Times. `looks_up`: RouterShared::looks_up.
bool has_times(const router::VcRouterConfig& config, const routing::Routing& routing, bool looks_up) {
  return looks_up || config.vc_change_cycles != 0 || config.block_timeout_cycles != 0 ||
         config.hop_limit != 0 || routing.recovery() != nullptr || routing.table_reads() != nullptr;
}

bool router_suffices(const VcNetworkConfig& network, bool whole_packets) {
  const router::VcRouterConfig& config = network.router;
  return network.router_kind == "vc" && router::allocates_by_bitmask(config) &&
         config.va_allocator == "islip" &&
         config.va_allocators.of<router::IslipConfig>().islip_iterations == 1 &&
         config.va_input_arbiter == router::VaInputArbiter::vcs &&
         config.va_requests == router::VaRequests::one && config.input_speedup == 1 &&
         !config.ejects_by_class && (config.switch_hold == router::SwitchHold::flit || whole_packets) &&
         config.va_cycles > 0 && config.switching != router::Switching::store_and_forward &&
         config.route_at == router::RouteAt::front && predicts_simply(config);
}

unsigned in_vcs(const VcNetworkConfig& config, const Topology::Far& far) {
  if (far.kind == Topology::Far::Kind::nothing || !far.receives) return 0;
  return far.kind == Topology::Far::Kind::node ? config.vcs_of_nodes() : config.vcs;
}
unsigned out_vcs(const VcNetworkConfig& config, const Topology::Far& far) {
  if (far.kind == Topology::Far::Kind::nothing || !far.sends) return 0;
  return far.kind == Topology::Far::Kind::node ? config.vcs_of_nodes() : config.vcs;
}

constexpr unsigned most_predicting_ports = 63;

/// Routers with the narrowest masks that suffice; null: none do.
const RouterWidth* width_for(const VcNetworkConfig& config, const Topology& topology) {
  unsigned most_vcs = 0;
  for (RouterId id = 0; id < topology.routers(); ++id) {
    if (config.router.prediction.on() && topology.ports(id) > most_predicting_ports) return nullptr;
    unsigned in = 0, out = 0;
    for (unsigned p = 0; p < topology.ports(id); ++p) {
      const unsigned ins = in_vcs(config, topology.far(id, p)), outs = out_vcs(config, topology.far(id, p));
      in = first_in_word(in, ins) + ins;
      out = first_in_word(out, outs) + outs;
    }
    most_vcs = std::max({most_vcs, in, out, topology.ports(id)});
  }
  for (const RouterWidth* const width :
       {&slim_routers(), &narrow_routers(), &wide_routers(), &vast_routers()})
    if (most_vcs <= width->most_vcs) return width;
  return nullptr;
}

}  // namespace

unsigned DenseNetwork::most_router_vcs() {
  return vast_routers().most_vcs;
}

bool DenseNetwork::routers_suffice(const VcNetworkConfig& config, bool whole_packets) {
  constexpr unsigned most_flits = 4096;
  return router_suffices(config, whole_packets) && !config.whole_flit && !config.errors.on() &&
         config.buffer_flits <= most_flits;
}

bool DenseNetwork::suffices(const VcNetworkConfig& config, const Topology& topology,
                            const routing::Routing& routing, bool whole_packets, bool looks_up) {
  if (!routers_suffice(config, whole_packets) || !topology.carries_flit_a_cycle(config.flit_cycles) ||
      (config.router.prediction.on() && has_times(config.router, routing, looks_up)) ||
      Delays(config).longest(topology, routing) > most_cycles)
    return false;
  std::vector<unsigned> nodes(topology.routers());
  for (NodeId node = 0; node < topology.nodes(); ++node) ++nodes[topology.node(node).inject.router];
  const unsigned most_nodes = *std::max_element(nodes.begin(), nodes.end());
  const RouterWidth* const width = width_for(config, topology);
  return width != nullptr && (!whole_packets || width->most_vcs <= narrow_routers().most_vcs) &&
         most_nodes + 1 <= Neighbourhood::most_units;
}

/// A router as reports see it.
class DenseNetwork::View final : public router::FlitRouter, private router::CountingRouter {
 public:
  View(const DenseNetwork& network, RouterId id) : network_(network), id_(id) {}

  RouterId id() const override { return id_; }
  unsigned ports() const override { return network_.topology_.ports(id_); }
  const router::RouterPort& port(unsigned) const override { return no_channels_; }
  unsigned vcs(unsigned p) const override { return in_vcs(network_.config_, network_.topology_.far(id_, p)); }
  router::OutputState output(unsigned p) const override {
    const Topology::Far& far = network_.topology_.far(id_, p);
    return {out_vcs(network_.config_, far), far.kind == Topology::Far::Kind::node, false};
  }
  unsigned room(unsigned p, unsigned vc) const override { return router().credits(p, vc); }
  void bind(const Waker&) override {}
  void step(Cycle) override {}
  router::RouterCounters counters() const override { return router().counters(); }
  Cycle last_event(Cycle now) const override { return router().last_event(now); }
  router::VcView view(unsigned p, unsigned vc) const override { return router().view(p, vc); }
  std::vector<routing::RouteCandidate> candidates(unsigned p, unsigned vc) const override {
    return router().candidates(p, vc);
  }
  router::CountingRouter* counting() override {
    return network_.router_shared_.counts_waits ? this : nullptr;
  }
  const router::PredictingRouter* predicting() const override {
    return network_.router_shared_.predicts ? &router().predicting() : nullptr;
  }

 private:
  std::uint64_t add_waits(Cycle end, router::InputWaits::Sum& sum) override {
    unsigned input_vcs = 0;
    for (unsigned p = 0; p < ports(); ++p) input_vcs += router().in_vcs(p);
    sum.add(router().waits(end), input_vcs * end);
    return router().flits_held();
  }
  router::StateCycles waits(unsigned p, unsigned vc, Cycle end) const override {
    return router().waits_of(p, vc, end);
  }
  const Router& router() const {
    const Router* const router = network_.routers_[id_];
    if (router == nullptr) throw ModelError("router " + std::to_string(id_), "is on another rank");
    return *router;
  }

  const DenseNetwork& network_;
  const RouterId id_;
  const router::RouterPort no_channels_;
};

DenseNetwork::DenseNetwork(const Parts& parts)
    : config_(parts.config),
      topology_(parts.topology),
      width_(*width_for(parts.config, parts.topology)),
      slots_(Delays(parts.config).longest(parts.topology, parts.routing), Neighbourhood::most_units,
             width_.row),
      router_shared_{parts.config, parts.routing,
                     parts.pool,   parts.router_events,
                     slots_,       Buffers(parts.config.buffer_flits),
                     nullptr},
      node_shared_{parts.node_config,
                   parts.routing,
                   parts.pool,
                   parts.node_events,
                   Buffers(parts.config.buffer_flits),
                   nullptr},
      crossings_(slots_, queues_, parts.pool),
      ranks_(parts.ranks),
      domain_(parts.domain),
      routers_(parts.topology.routers()),
      nodes_(parts.topology.nodes()) {
  router_shared_.seed = parts.seed;
  // A head whose look-up is a table gets no decision.
  if (parts.routing.table_reads() == nullptr && !parts.make_lookup)
    router_shared_.decisions = parts.routing.decisions();
  router_shared_.rc_cycles = config_.rc_cycles;
  router_shared_.depart_after = config_.router.depart_after();
  router_shared_.va_cycles = config_.router.va_cycles;
  router_shared_.max_candidates = parts.routing.max_candidates();
  router_shared_.reallocation = config_.router.atomic_vcs ? Reallocation::all_credits_back
                                : config_.router.switching != router::Switching::wormhole
                                    ? Reallocation::packet_fits
                                    : Reallocation::released;
  router_shared_.may_be_watched = parts.may_be_watched;
  router_shared_.counts_waits = parts.counts_waits;
  router_shared_.predicts = config_.router.prediction.on();
  router_shared_.passes_whole = node_shared_.passes_whole = parts.passes_whole;
  router_shared_.looks_up = parts.make_lookup != nullptr;
  router_shared_.timed = has_times(config_.router, parts.routing, router_shared_.looks_up);
  router_shared_.only_looks_up =
      router_shared_.looks_up && !parts.counts_waits && !has_times(config_.router, parts.routing, false);
  router_shared_.recovers = parts.routing.recovery() != nullptr;
  router_shared_.reads_table = parts.routing.table_reads() != nullptr;
  node_shared_.vcs = config_.vcs_of_nodes();
  if (ranks_ != nullptr) {
    cut_wires_ = std::make_unique<CutWires>(slots_, queues_, parts.pool, ranks_->count());
    whole_ = std::make_unique<WholeState>();
  }
  if (parts.may_be_watched && (ranks_ != nullptr || parts.threads > 1))
    gathered_heads_ = std::make_unique<GatheredHeads>(parts.pool, parts.threads);
  watches_.resize(parts.threads);
  reserve_queues();
  add_neighbourhoods(parts);
  connect();
  router_shared_.queues = node_shared_.queues = queues_.all();
  for (const auto& one : neighbourhoods_) one->do_more(router_shared_.more());
}

// Last made, first destroyed, as the kernel likes it.
DenseNetwork::~DenseNetwork() {
  while (!neighbourhoods_.empty()) neighbourhoods_.pop_back();
}

/// Nodes by the router into which they inject.
struct DenseNetwork::NodesOf {
  explicit NodesOf(const Topology& topology) : end_(topology.routers() + std::size_t{1}) {
    for (NodeId node = 0; node < topology.nodes(); ++node) ++end_[topology.node(node).inject.router + 1];
    for (std::size_t r = 1; r < end_.size(); ++r) end_[r] += end_[r - 1];
    std::vector<std::uint32_t> place = end_;
    nodes_.resize(topology.nodes());
    for (NodeId node = 0; node < topology.nodes(); ++node)
      nodes_[place[topology.node(node).inject.router]++] = node;
  }
  unsigned count(RouterId router) const { return end_[router + 1] - end_[router]; }
  const NodeId* begin(RouterId router) const { return nodes_.data() + end_[router]; }

 private:
  std::vector<std::uint32_t> end_;  ///< [router]: number of nodes of routers before it
  std::vector<NodeId> nodes_;
};

void DenseNetwork::reserve_queues() {
  std::size_t queues = std::size_t{topology_.nodes()} * config_.vcs_of_nodes();
  for (RouterId id = 0; id < topology_.routers(); ++id)
    for (unsigned p = 0; p < topology_.ports(id); ++p) queues += in_vcs(config_, topology_.far(id, p));
  queues_.reserve(queues);
}

void DenseNetwork::add_neighbourhoods(const Parts& parts) {
  const NodesOf nodes_of(topology_);
  const unsigned units_of_router = 1 + (topology_.nodes() + topology_.routers() - 1) / topology_.routers();
  const unsigned share_of_thread = std::max(topology_.routers() / parts.threads, 1U);
  const std::vector<RouterId> order =
      own_routers(std::max(std::min(Neighbourhood::most_units / units_of_router, share_of_thread), 1U));
  for (std::size_t first = 0; first < order.size();) {
    std::size_t end = first;
    for (std::size_t units = 0; end < std::min<std::size_t>(order.size(), first + share_of_thread); ++end) {
      units += 1 + nodes_of.count(order[end]);
      if (units > Neighbourhood::most_units) break;
    }
    if (parts.progress) parts.progress(static_cast<double>(first) / static_cast<double>(order.size()));
    add_neighbourhood(parts, nodes_of, order.data() + first, order.data() + end);
    first = end;
  }
}

/// All routers of this rank, neighbours close to each other. `group`: routers of a neighbourhood.
std::vector<RouterId> DenseNetwork::own_routers(unsigned group) {
  if (ranks_ == nullptr) return graph::neighbourhoods(topology_, group);
  rank_of_ = cut_for_ranks(topology_, *ranks_, group);
  std::vector<bool> elsewhere(rank_of_.size());
  for (RouterId id = 0; id < rank_of_.size(); ++id) elsewhere[id] = rank_of_[id] != ranks_->own();
  return graph::neighbourhoods(topology_, group, elsewhere);
}

void DenseNetwork::add_neighbourhood(const Parts& parts, const NodesOf& nodes_of, const RouterId* first,
                                     const RouterId* end) {
  const auto count = static_cast<unsigned>(end - first);
  const std::string name = "neighbourhood" + std::to_string(neighbourhoods_.size());
  neighbourhoods_.push_back(
      std::make_unique<Neighbourhood>(name.c_str(), parts.domain, count, width_, slots_, parts.arena));
  Neighbourhood& own = *neighbourhoods_.back();
  unsigned nodes = 0;
  for (unsigned r = 0; r < count; ++r) {
    const RouterId id = first[r];
    std::vector<PortShape> ports(topology_.ports(id));
    for (unsigned p = 0; p < ports.size(); ++p) {
      const Topology::Far& far = topology_.far(id, p);
      ports[p] = {in_vcs(config_, far), out_vcs(config_, far), far.kind == Topology::Far::Kind::node};
    }
    Router& router = own.add_router(ports, parts.arena);
    routers_[id] = &router;
    router.build(id, ports, router_shared_, parts.arena, own.home(), r, queues_);
    if (router_shared_.predicts) add_prediction(router, parts.arena);
    if (parts.make_lookup) router.look_up_by(parts.make_lookup(id));
    nodes += nodes_of.count(id);
  }
  own.reserve_nodes(nodes, parts.arena);
  for (const RouterId* id = first; id != end; ++id)
    for (unsigned n = 0; n < nodes_of.count(*id); ++n) {
      const NodeId node = nodes_of.begin(*id)[n];
      nodes_[node] = &own.add_node(node, node_shared_, source_of(parts, node), parts.arena, queues_);
    }
}

void DenseNetwork::add_prediction(Router& router, Arena& arena) const {
  const router::VcRouterConfig& config = config_.router;
  const router::PredictorKinds& kinds = config.prediction.kinds;
  const router::PredictorTraits& traits = kinds.traits(config.prediction.kind);
  router::PredictorParts own{topology_.ports(router.id()), {}, arena};
  own.table = predictor_table(config_, topology_, router.id(), traits.table);
  own.table.resize(own.ports, router::no_port);
  PredictionParts parts;
  parts.predictors = kinds.make(config.prediction.kind, own);
  parts.lead_cycles = config.predicted_lead_cycles();
  parts.in_time = config_.rc_cycles <= config.st_cycles;
  parts.reads_coming = traits.reads_coming;
  parts.learns = traits.table == router::PredictorTable::none;
  router.predict_by(std::move(parts), arena);
}

namespace {

/// Wire from a router or a node to another one, to a word of its row. Messages may come up to `lead_cycles`
/// earlier.
template <class From, class To>
Wire wire(const From& from, const To& to, unsigned word, Cycle cycles, Cycle lead_cycles = 0) {
  Home& far = to.home();
  if (&from.home() != &far) {
    from.home().add_border(far.units(), cycles, from.unit());
    from.home().add_border(far.units(), cycles - lead_cycles, from.unit());
  }
  return {far.units(), bit(to.unit()), static_cast<std::uint16_t>(far.row_place(to.unit()) + word),
          static_cast<std::uint8_t>(cycles)};
}

template <class Unit>
CutWires::NearEnd near_end(const Unit& unit, const RowPlace& place) {
  return {unit.home().units(), unit.home().row_place(unit.unit()) + place.word, bit(unit.unit()),
          &unit.home(), place.first_bit};
}

}  // namespace

/// A port of a router as the end of a direction; the router is null on ranks that do not have it.
struct DenseNetwork::RouterEnd {
  Router* unit;
  unsigned rank;
  graph::PortRef port;

  QueueIndex heads() const { return unit->heads(port.port); }
  RowPlace flits() const { return unit->flits(port.port); }
  RowPlace credits() const { return unit->credits(port.port); }
  void connect_output(const Wire& wire, QueueIndex heads, unsigned first_bit) const {
    unit->connect_output(port.port, wire, heads, first_bit);
  }
  void connect_credits(const Wire& wire, unsigned first_bit) const {
    unit->connect_credits(port.port, wire, first_bit);
  }
  void add_flits_held(unsigned* of_vcs) const { unit->add_flits_held(port.port, of_vcs); }
  void add_credits(unsigned* of_vcs) const { unit->add_credits(port.port, of_vcs); }
  std::string name() const { return "router " + std::to_string(port.router); }
};

/// Likewise of a node.
struct DenseNetwork::NodeEnd {
  Node* unit;
  unsigned rank;
  NodeId id;

  QueueIndex heads() const { return unit->heads(); }
  RowPlace flits() const { return {0, 0}; }
  RowPlace credits() const { return {1, 0}; }
  void connect_output(const Wire& wire, QueueIndex heads, unsigned first_bit) const {
    unit->connect_output(wire, heads, first_bit);
  }
  void connect_credits(const Wire& wire, unsigned first_bit) const { unit->connect_credits(wire, first_bit); }
  void add_flits_held(unsigned* of_vcs) const { unit->add_flits_held(of_vcs); }
  void add_credits(unsigned* of_vcs) const { unit->add_credits(of_vcs); }
  std::string name() const { return "node " + std::to_string(id); }
};

/// Calls visit(from, to, virtual channels, cycles of a flit, cycles of a credit) for each direction of each
/// link, in an order that is that of all ranks.
template <class Visit>
void DenseNetwork::visit_directions(const Visit& visit) const {
  const Delays delays(config_);
  const auto router_end = [this](const graph::PortRef& port) {
    return RouterEnd{routers_[port.router], rank_of(port.router), port};
  };
  const auto between = [&](const graph::PortRef& from, const graph::PortRef& to, Cycle latency) {
    visit(router_end(from), router_end(to), config_.vcs, delays.between_routers(latency),
          delays.credit(latency, config_.credit_process_cycles));
  };
  for (const graph::RouterLink& link : topology_.links()) {
    between(link.a, link.b, link.latency_cycles);
    if (!link.one_way) between(link.b, link.a, link.latency_cycles);
  }
  for (NodeId id = 0; id < topology_.nodes(); ++id) {
    const graph::NodePorts& ports = topology_.node(id);
    const NodeEnd node{nodes_[id], rank_of(ports.inject.router), id};
    const Cycle inject = delays.inject_latency(ports), eject = delays.eject_latency(ports);
    visit(node, router_end(ports.inject), config_.vcs_of_nodes(), delays.from_node(inject),
          delays.credit(inject, config_.credit_process_cycles_of_nodes()));
    visit(router_end(ports.eject), node, config_.vcs_of_nodes(), delays.to_node(eject),
          delays.credit(eject, config_.credit_process_cycles));
  }
}

void DenseNetwork::connect() {
  const Cycle lead_cycles = router_shared_.predicts ? config_.router.predicted_lead_cycles() : 0;
  visit_directions([&](const auto& from, const auto& to, unsigned vcs, Cycle flit, Cycle credit) {
    if (from.unit != nullptr && to.unit != nullptr) {
      const RowPlace flits = to.flits(), credits = from.credits();
      constexpr bool from_node = std::is_same_v<std::decay_t<decltype(from)>, NodeEnd>;
      from.connect_output(wire(*from.unit, *to.unit, flits.word, flit, from_node ? 0 : lead_cycles),
                          to.heads(), flits.first_bit);
      to.connect_credits(wire(*to.unit, *from.unit, credits.word, credit), credits.first_bit);
    } else if (from.unit != nullptr) {
      const CutWires::Sender sender =
          cut_wires_->add_sender(to.rank, vcs, flit, near_end(*from.unit, from.credits()));
      from.connect_output(sender.wire, sender.heads, 0);
    } else if (to.unit != nullptr) {
      to.connect_credits(
          cut_wires_->add_receiver(from.rank, vcs, credit, near_end(*to.unit, to.flits()), to.heads()), 0);
    }
  });
}

void DenseNetwork::enter_threads(const ClockDomain& domain, const std::vector<OfThread>& threads) {
  for (const OfThread& one : threads) {
    node_shared_of_.push_back({node_shared_.config, node_shared_.routing, *one.pool, *one.events,
                               node_shared_.buffers, nullptr, node_shared_.vcs,
                               watches_[node_shared_of_.size()], node_shared_.passes_whole});
  }
  for (const auto& one : neighbourhoods_) one->home().join(domain.lane_of(*one));
  for (const auto& one : neighbourhoods_)
    one->join_threads(node_shared_of_[one->home().thread()], crossings_);
  router_shared_.queues = queues_.all();
  for (NodeShared& one : node_shared_of_) one.queues = queues_.all();
}

void DenseNetwork::watch_heads(HeadWatch* watch) {
  if (!router_shared_.may_be_watched)
    throw ModelError("network", "heads are watched in a network that is built for it");
  if (gathered_heads_ != nullptr) gathered_heads_->show_to(watch);
  for (std::size_t thread = 0; thread < watches_.size(); ++thread)
    watches_[thread] = gathered_heads_ != nullptr && watch != nullptr ? &gathered_heads_->log(thread) : watch;
  router_shared_.watch = watch == nullptr ? nullptr : watches_.data();
  node_shared_.watch = watches_.front();
  for (std::size_t thread = 0; thread < node_shared_of_.size(); ++thread)
    node_shared_of_[thread].watch = watches_[thread];
  for (const auto& one : neighbourhoods_) one->do_more(router_shared_.more());
}

void DenseNetwork::watch(RouterId router, RouterWatch& watch, const RouterWatchPlan& plan) {
  if (ranks_ != nullptr || watches_.size() > 1 || router_shared_.predicts)
    throw ModelError("network", "cycles are watched on one thread, of routers that do not predict");
  for (const auto& one : neighbourhoods_)
    if (&one->home() == &routers_[router]->home()) one->watch(routers_[router]->unit(), watch, plan);
}

void DenseNetwork::end_watches(Cycle now) {
  for (const auto& one : neighbourhoods_) one->end_watches(now);
}

std::vector<DenseNetwork::ChannelTimes> DenseNetwork::channel_times() const {
  std::vector<ChannelTimes> times;
  visit_directions([&](const auto& from, const auto&, unsigned, Cycle flit, Cycle credit) {
    constexpr bool from_node = std::is_same_v<std::decay_t<decltype(from)>, NodeEnd>;
    times.push_back({flit, from_node ? 1 : router_shared_.depart_after, credit});
  });
  return times;
}

namespace {

unsigned number_of(const RowPlace& place, unsigned first_word) {
  return (place.word - first_word) * 64 + place.first_bit;
}

}  // namespace

unsigned DenseNetwork::first_input_vc(const graph::PortRef& port) const {
  return number_of(routers_[port.router]->flits(port.port), 0);
}

unsigned DenseNetwork::first_output_vc(const graph::PortRef& port) const {
  return number_of(routers_[port.router]->credits(port.port), width_.row.words / 2);
}

std::vector<Clocked*> DenseNetwork::modules() const {
  std::vector<Clocked*> modules;
  for (const auto& one : neighbourhoods_) modules.push_back(one.get());
  return modules;
}

std::vector<Clocked*> DenseNetwork::bells() const {
  std::vector<Clocked*> bells;
  for (const auto& one : neighbourhoods_)
    one->visit_bells([&bells](NodeBell& bell) { bells.push_back(&bell); });
  return bells;
}

router::FlitRouter& DenseNetwork::router(RouterId id) const {
  if (views_.empty()) views_.resize(routers_.size());
  if (views_[id] == nullptr) views_[id] = std::make_unique<View>(*this, id);
  return *views_[id];
}

std::uint64_t DenseNetwork::flits_sent(std::uint32_t link, bool forward, Cycle now) const {
  const graph::RouterLink& ends = topology_.links()[link];
  const graph::PortRef& from = forward ? ends.a : ends.b;
  const std::uint64_t flits = flits_sent(from);
  return router_shared_.passes_whole ? flits - routers_[from.router]->flits_to_come(from.port, now) : flits;
}

std::uint64_t DenseNetwork::flits_to_come(bool from_nodes, Cycle now) const {
  std::uint64_t flits = 0;
  if (!router_shared_.passes_whole) return flits;
  if (from_nodes) {
    visit_nodes([&](const Node& node) { flits += node.flits_to_leave(now); });
    return flits;
  }
  for (const Router* const router : routers_)
    for (unsigned port = 0; port < topology_.ports(router->id()); ++port)
      flits += router->flits_to_come(port, now);
  return flits;
}

namespace {

/// Values of all ranks: those of `count` routers or nodes, some at a time, so that no message is as large as
/// the network. `own(id, add)` calls add(value) for the values of one that this rank has, and
/// `take(id, value)` takes each value of `rank_of(id)`, which has `values_of(id)` of them.
template <class Own, class RankOf, class ValuesOf, class Take>
void gather_all(mpi::Ranks& ranks, std::uint32_t count, const Own& own, const RankOf& rank_of,
                const ValuesOf& values_of, const Take& take) {
  constexpr std::uint32_t piece = 4096;
  for (std::uint32_t first = 0; first < count; first += piece) {
    const std::uint32_t end = std::min(first + piece, count);
    mpi::Bytes message;
    for (std::uint32_t id = first; id < end; ++id)
      own(id, [&message](std::uint64_t value) { mpi::put(message, value); });
    std::vector<mpi::Reader> from = ranks.gather(message);
    for (std::uint32_t id = first; id < end; ++id)
      for (unsigned v = 0; v < values_of(id); ++v) take(id, from[rank_of(id)].template get<std::uint64_t>());
  }
}

}  // namespace

std::uint64_t DenseNetwork::of_port(WholeCounts& whole, const graph::PortRef& port,
                                    std::uint64_t (DenseNetwork::*count)(const graph::PortRef&) const) const {
  if (whole.steps != domain_.steps()) {
    whole.steps = domain_.steps();
    whole.counts.clear();
    whole.counts.reserve(topology_.port_index({topology_.routers(), 0}));
    gather_all(
        *ranks_, topology_.routers(),
        [&](RouterId id, const auto& add) {
          for (unsigned p = 0; routers_[id] != nullptr && p < topology_.ports(id); ++p)
            add((this->*count)({id, p}));
        },
        [this](RouterId id) { return rank_of(id); }, [this](RouterId id) { return topology_.ports(id); },
        [&whole](RouterId, std::uint64_t value) { whole.counts.push_back(value); });
  }
  return whole.counts[topology_.port_index(port)];
}

std::uint64_t DenseNetwork::flits_sent_by(NodeId node) const {
  if (ranks_ == nullptr) return nodes_[node]->flits_sent();
  WholeCounts& whole = whole_->of_nodes;
  if (whole.steps != domain_.steps()) {
    whole.steps = domain_.steps();
    whole.counts.clear();
    whole.counts.reserve(topology_.nodes());
    gather_all(
        *ranks_, topology_.nodes(),
        [&](NodeId id, const auto& add) {
          if (nodes_[id] != nullptr) add(nodes_[id]->flits_sent());
        },
        [this](NodeId id) { return rank_of(topology_.node(id).inject.router); }, [](NodeId) { return 1U; },
        [&whole](NodeId, std::uint64_t value) { whole.counts.push_back(value); });
  }
  return whole.counts[node];
}

std::uint64_t DenseNetwork::flits_sent(const graph::PortRef& port) const {
  return ranks_ == nullptr ? own_flits_sent(port)
                           : of_port(whole_->sent, port, &DenseNetwork::own_flits_sent);
}

std::uint64_t DenseNetwork::flits_held(const graph::PortRef& port) const {
  return ranks_ == nullptr ? own_flits_held(port)
                           : of_port(whole_->held, port, &DenseNetwork::own_flits_held);
}

std::uint64_t DenseNetwork::own_flits_sent(const graph::PortRef& port) const {
  return routers_[port.router]->flits_sent(port.port);
}

std::uint64_t DenseNetwork::own_flits_held(const graph::PortRef& port) const {
  const Router& router = *routers_[port.router];
  std::uint64_t flits = 0;
  for (unsigned vc = 0; vc < router.in_vcs(port.port); ++vc) flits += router.flits_held(port.port, vc);
  return flits;
}

router::RouterCounters DenseNetwork::counters() const {
  router::RouterCounters sum;
  for (const Router* const router : routers_)
    if (router != nullptr) sum += router->counters();
  return ranks_ == nullptr ? sum : ranks_->sum_of(sum);
}

std::vector<const lookup::PortedTable*> DenseNetwork::tables() const {
  std::vector<const lookup::PortedTable*> tables;
  for (const Router* const router : routers_)
    if (router != nullptr && router->table() != nullptr) tables.push_back(router->table());
  return tables;
}

router::PredictionCounters DenseNetwork::prediction_counters() const {
  router::PredictionCounters sum;
  if (!router_shared_.predicts) return sum;
  for (const Router* const router : routers_)
    if (router != nullptr) sum += router->predicting().prediction_counters();
  return sum;
}

std::uint64_t DenseNetwork::flits_in_flight() const {
  std::uint64_t flits = 0;
  for (const Router* const router : routers_)
    if (router != nullptr) flits += router->flits_held();
  for (const Node* const node : nodes_)
    if (node != nullptr) flits += node->flits_held();
  return ranks_ == nullptr ? flits : ranks_->sum(flits);
}

void DenseNetwork::visit_packets_in_flight(const std::function<void(PacketIndex)>& visit) const {
  for (const Router* const router : routers_)
    if (router != nullptr) router->visit_packets(visit);
  for (const Node* const node : nodes_)
    if (node != nullptr) node->visit_packets(visit);
}

namespace {

/// Flits and credits of each virtual channel of a direction.
using OfVcs = std::array<unsigned, std::numeric_limits<routing::VcMask>::digits>;

}  // namespace

void DenseNetwork::check_credits(Cycle now) const {
  const auto check = [&](const auto& at, unsigned vcs, const OfVcs& flits, const OfVcs& credits) {
    for (unsigned v = 0; v < vcs; ++v)
      if (flits[v] + credits[v] != config_.buffer_flits)
        throw ModelError(at.name(), now, "",
                         "virtual channel " + std::to_string(v) + " of an input has " +
                             std::to_string(flits[v]) + " flits and " + std::to_string(credits[v]) +
                             " credits, and " + std::to_string(config_.buffer_flits) + " places");
  };
  visit_directions([&](const auto& from, const auto& to, unsigned vcs, Cycle, Cycle) {
    if (from.unit == nullptr || to.unit == nullptr) return;
    OfVcs flits{}, credits{};
    to.add_flits_held(flits.data());
    from.add_credits(credits.data());
    check(to, vcs, flits, credits);
  });
  if (ranks_ == nullptr) return;
  std::vector<mpi::Bytes>& messages = ranks_->begin();
  visit_directions([&](const auto& from, const auto& to, unsigned vcs, Cycle, Cycle) {
    if (from.unit == nullptr || to.unit != nullptr) return;
    OfVcs credits{};
    from.add_credits(credits.data());
    for (unsigned v = 0; v < vcs; ++v) mpi::put(messages[to.rank], credits[v]);
  });
  ranks_->exchange();
  std::vector<mpi::Reader> from_rank;
  for (unsigned rank = 0; rank < ranks_->count(); ++rank) from_rank.push_back(ranks_->read(rank));
  visit_directions([&](const auto& from, const auto& to, unsigned vcs, Cycle, Cycle) {
    if (from.unit != nullptr || to.unit == nullptr) return;
    OfVcs flits{}, credits{};
    to.add_flits_held(flits.data());
    for (unsigned v = 0; v < vcs; ++v) credits[v] = from_rank[from.rank].template get<unsigned>();
    check(to, vcs, flits, credits);
  });
}

Cycle DenseNetwork::last_event(Cycle now) const {
  Cycle last = 0;
  for (const auto& one : neighbourhoods_) last = std::max(last, one->home().last_event());
  for (const Router* const router : routers_)
    if (router != nullptr) last = std::max(last, router->last_event(now));
  return ranks_ == nullptr ? last : ranks_->greatest(last);
}

}  // namespace tsuji::network::dense
