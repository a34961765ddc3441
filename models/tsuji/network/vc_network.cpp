// SPDX-License-Identifier: Apache-2.0
#include "tsuji/network/vc_network.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "tsuji/core/error.h"
#include "tsuji/lookup/local_lookup.h"
#include "tsuji/network/dense/dense_network.h"
#include "tsuji/network/object_block.h"
#include "tsuji/network/pin_link.h"

namespace tsuji::network {
namespace {

// Shares of the time that building takes, as measured: modules, links, what LoadedNetwork adds, and then the
// routers within their modules.
constexpr double modules_share = 0.3, links_share = 0.36, nodes_share = 0.4, routers_from = 0.6;
constexpr unsigned between_looks = 256;

}  // namespace

FlitChannelConfig VcNetwork::channel(Cycle latency_cycles, unsigned vcs,
                                     const graph::LinkClass& link_class) const {
  FlitChannelConfig channel;
  channel.vcs = vcs;
  channel.depth_flits = config_.buffer_flits;
  channel.latency_cycles = latency_cycles + config_.fec_cycles;
  channel.flit_cycles = link_class.flit_cycles_or(config_.flit_cycles);
  channel.whole_flit = config_.whole_flit;
  channel.credit_latency_cycles =
      config_.credit_latency_cycles == 0 ? channel.latency_cycles : config_.credit_latency_cycles;
  channel.credit_process_cycles = config_.credit_process_cycles;
  channel.whole_packets = whole_packets_;
  return channel;
}

VcNetwork::VcNetwork(sc_core::sc_module_name module_name, ClockDomain& domain, const Parts& parts)
    : sc_module(module_name),
      config_(parts.config),
      topology_(parts.topology),
      routing_(parts.routing),
      whole_packets_(parts.whole_packets),
      is_dense_(parts.dense),
      ranks_(parts.ranks),
      progress_(parts.progress),
      router_kind_(parts.router_kind.make ? parts.router_kind : config_.make_router_kind()) {
  if (!is_dense_) add_modules(domain, parts);
}

void VcNetwork::refuse_modules() const {
  throw ModelError(name(),
                   "a dense network has no modules of routers and links: who needs them says so by "
                   "LoadedParts::only_results, and an instrument by InstrumentKind::sees_flits()");
}

const router::FlitRouter& VcNetwork::router(graph::RouterId id) const {
  return is_dense_ ? dense_->router(id) : routers_[id]->router();
}

router::FlitRouter& VcNetwork::router(graph::RouterId id) {
  return is_dense_ ? dense_->router(id) : routers_[id]->router();
}

void VcNetwork::add_modules(ClockDomain& domain, const Parts& parts) {
  using Far = router::RouterModule::Far;
  config_.require_crossbars(topology_);
  if (!parts.make_lookup && parts.routing.table_reads() == nullptr)
    lookups_.push_back(std::make_unique<lookup::LocalLookup>(parts.routing, config_.rc_cycles));
  if (progress_) show_routers_made();
  for (graph::RouterId id = 0; id < topology_.routers(); ++id) {
    if (id % between_looks == 0) built(modules_share * id / topology_.routers());
    if (id % ObjectBlock::objects == 0)
      blocks_.push_back(std::make_unique<ObjectBlock>(("block" + std::to_string(blocks_.size())).c_str()));
    const ObjectBlock::Inside inside(*blocks_.back());
    std::vector<Far> ports(topology_.ports(id), Far::nothing);
    for (unsigned p = 0; p < ports.size(); ++p) {
      const auto kind = topology_.far(id, p).kind;
      if (kind != graph::Topology::Far::Kind::nothing)
        ports[p] = kind == graph::Topology::Far::Kind::node ? Far::node : Far::router;
    }
    if (parts.make_lookup)
      lookups_.push_back(parts.make_lookup(id));
    else if (parts.routing.table_reads() != nullptr)
      lookups_.push_back(make_table(parts.routing, id));
    if (parts.control_port && parts.control_port(id)) ports.push_back(Far::node);
    router::RouterParts own{parts.pool, *lookups_.back()};
    own.events = parts.events;
    own.max_candidates = parts.routing.max_candidates();
    own.seed = parts.seed;
    own.arena = parts.arena;
    own.packets = parts.packets;
    own.counts_waits = parts.counts_waits;
    own.links_fail = parts.links_fail;
    own.queues = parts.queues;
    own.routing = &parts.routing;
    own.predictor_table = [this](graph::RouterId of, router::PredictorTable table) {
      return predictor_table(config_, topology_, of, table);
    };
    routers_.push_back(std::make_unique<router::RouterModule>(("r" + std::to_string(id)).c_str(), domain,
                                                              router_kind_, id, std::move(ports), own));
  }
  add_links(domain, parts);
  add_node_links(domain, parts);
  add_control_links(parts);
  behind_control_port_.kind = graph::Topology::Far::Kind::node;
  behind_control_port_.sends = behind_control_port_.receives = true;
}

void VcNetwork::add_parts(PartList& parts) const {
  parts.add("routing", routing_);
  for (const auto& link : links_) parts.add(link->basename(), *link);
  for (const NodeLinks& node : node_links_) {
    for (const FlitLink* link : {node.inject.get(), node.eject.get()})
      if (link != nullptr) parts.add(link->basename(), *link);
  }
  for (const auto& [id, link] : control_links_) parts.add(link->basename(), *link);
}

/// Routers are made at the end of elaboration, each in its module.
void VcNetwork::show_routers_made() {
  router_kind_.make = [this, make = router_kind_.make](graph::RouterId id,
                                                       const std::vector<router::RouterPort>& ports,
                                                       const router::RouterParts& parts) {
    if (routers_made_++ % between_looks == 0)
      built(routers_from + (1 - routers_from) * routers_made_ / (topology_.routers() + 1));
    return make(id, ports, parts);
  };
}

void VcNetwork::start_of_simulation() {
  built(1);
}

std::unique_ptr<RouteLookup> VcNetwork::make_table(const routing::Routing& routing, graph::RouterId id) {
  std::vector<unsigned> vcs(topology_.ports(id));
  for (unsigned p = 0; p < vcs.size(); ++p)
    vcs[p] =
        topology_.far(id, p).kind == graph::Topology::Far::Kind::node ? config_.vcs_of_nodes() : config_.vcs;
  auto table = std::make_unique<lookup::PortedTable>(
      routing,
      lookup::PortedTableTiming{config_.rc_cycles, config_.table_cycles, config_.table_ports,
                                config_.table_pipelined},
      vcs);
  tables_.push_back(table.get());
  return table;
}

TableCounters VcNetwork::table_counters() const {
  TableCounters sum;
  for (const lookup::PortedTable* const table : tables_) {
    sum += {table->reads(), table->wait_cycles()};
  }
  return of_all_ranks(sum);
}

/// Null configuration: no channel in that direction.
struct VcNetwork::LinkPlan {
  char letter;
  std::uint32_t number;
  const FlitChannelConfig *forward, *backward;
  bool over_pins;
};

std::unique_ptr<FlitLink> VcNetwork::make_link(const LinkPlan& plan, ClockDomain& domain,
                                               const Parts& parts) {
  if (!plan.over_pins)
    return std::make_unique<FlitLink>(*this, plan.letter, plan.number, plan.forward, plan.backward);
  if (config_.errors.errs())
    throw ConfigError("link.bit_error_rate", std::to_string(config_.errors.bit_error_rate),
                      "links over pins do not err", "0");
  if (plan.letter == 'l' && config_.errors.failed_lanes(plan.number) != 0)
    throw ConfigError("link.lane_faults", std::to_string(plan.number), "links over pins have no lanes",
                      "links that are not over pins");
  const PinLink::Plan halves{*this, plan.letter, plan.number, plan.forward, plan.backward};
  std::unique_ptr<FlitLink> near = PinLink::near(halves);
  pins_[near.get()] = std::make_unique<PinLink>(halves, *near, domain, *parts.arena);
  return near;
}

/// Control links carry the messages of the faults' own protocol and do not err.
void VcNetwork::add_errors(FlitChannel* channel, const FlitChannelConfig& config, std::uint64_t seed,
                           unsigned failed_lanes) {
  if (!config_.errors.errs() && failed_lanes == 0) return;
  constexpr std::uint64_t stream = std::uint64_t{0x6C69'6E6B} << 32;  // apart from routers and nodes
  errors_.push_back(std::make_unique<LinkErrors>(config_.errors, config.latency_cycles, config.flit_cycles,
                                                 CounterRandom(seed, stream + errors_.size()), failed_lanes));
  channel->set_errors(errors_.back().get());
}

LinkErrorSums VcNetwork::link_errors() const {
  LinkErrorSums sums;
  for (const auto& one : errors_) {
    sums += {one->flits(), one->errors(), one->replay_cycles()};
  }
  return of_all_ranks(sums);
}

FlitLink& VcNetwork::far_half(FlitLink& link) const {
  const auto pins = pins_.find(&link);
  return pins == pins_.end() ? link : pins->second->far();
}

void VcNetwork::add_links(ClockDomain& domain, const Parts& parts) {
  for (const graph::RouterLink& link : topology_.links()) {
    const auto number = static_cast<std::uint32_t>(links_.size());
    const FlitChannelConfig both = channel(link.latency_cycles, config_.vcs, topology_.link_class(number));
    if (number % between_looks == 0)
      built(modules_share + (links_share - modules_share) * number / topology_.links().size());
    const bool over_pins = parts.over_pins.links && parts.over_pins.links(number);
    links_.push_back(
        make_link({'l', number, &both, link.one_way ? nullptr : &both, over_pins}, domain, parts));
    const unsigned failed_lanes = config_.errors.failed_lanes(number);
    add_errors(links_.back()->forward(), both, parts.seed, failed_lanes);
    if (!link.one_way) add_errors(links_.back()->backward(), both, parts.seed, failed_lanes);
    bind(link.a, links_.back()->a());
    bind(link.b, far_half(*links_.back()).b());
  }
}

void VcNetwork::add_node_links(ClockDomain& domain, const Parts& parts) {
  node_links_.resize(topology_.nodes());
  for (NodeId node = 0; node < topology_.nodes(); ++node) {
    if (node % between_looks == 0)
      built(links_share + (nodes_share - links_share) * node / topology_.nodes());
    const graph::NodePorts& ports = topology_.node(node);
    FlitChannelConfig in = channel(ports.latency_or(config_.inject_latency_cycles), config_.vcs_of_nodes(),
                                   topology_.node_class());
    in.credit_process_cycles = config_.credit_process_cycles_of_nodes();
    const FlitChannelConfig out = channel(ports.latency_or(config_.eject_latency_cycles),
                                          config_.vcs_of_nodes(), topology_.node_class());
    const bool same = ports.inject == ports.eject;
    NodeLinks& links = node_links_[node];
    const bool over_pins = parts.over_pins.nodes && parts.over_pins.nodes(node);
    links.inject = make_link({'n', node, &in, same ? &out : nullptr, over_pins}, domain, parts);
    add_errors(links.inject->forward(), in, parts.seed);
    if (same) add_errors(links.inject->backward(), out, parts.seed);
    bind(ports.inject, far_half(*links.inject).b());
    if (same) continue;
    links.eject = make_link({'e', node, nullptr, &out, over_pins}, domain, parts);
    add_errors(links.eject->backward(), out, parts.seed);
    bind(ports.eject, far_half(*links.eject).b());
  }
}

// Last made, first destroyed, see ~LoadedNetwork().
VcNetwork::~VcNetwork() {
  pins_.clear();
  while (!node_links_.empty()) node_links_.pop_back();
  while (!links_.empty()) links_.pop_back();
  while (!routers_.empty()) {
    routers_.pop_back();
    if (lookups_.size() > routers_.size()) lookups_.pop_back();
    if (routers_.size() % ObjectBlock::objects == 0) blocks_.pop_back();
  }
}

void VcNetwork::add_control_links(const Parts& parts) {
  const FlitChannelConfig in = channel(config_.inject_latency_cycles, config_.vcs);
  const FlitChannelConfig out = channel(config_.eject_latency_cycles, config_.vcs);
  for (graph::RouterId id = 0; parts.control_port && id < topology_.routers(); ++id) {
    if (!parts.control_port(id)) continue;
    std::unique_ptr<FlitLink>& link = control_links_[id];
    link = std::make_unique<FlitLink>(*this, 'c', id, &in, &out);
    bind({id, topology_.ports(id)}, link->b());
  }
}

FlitEndIf* VcNetwork::control(graph::RouterId id) {
  const auto link = control_links_.find(id);
  return link == control_links_.end() ? nullptr : &link->second->a();
}

graph::Topology::Far VcNetwork::far(graph::RouterId router, unsigned port) const {
  return port < topology_.ports(router) ? topology_.far(router, port) : behind_control_port_;
}

FlitEndIf& VcNetwork::eject(NodeId node) {
  NodeLinks& links = node_links_[node];
  return links.eject ? links.eject->a() : links.inject->a();
}

std::optional<std::uint64_t> VcNetwork::flits_sent(std::uint32_t link, bool forward, Cycle now) const {
  if (is_dense_) {
    if (!forward && topology_.links()[link].one_way) return std::nullopt;
    return dense_->flits_sent(link, forward, now);
  }
  const FlitChannel* const channel = forward ? links_[link]->forward() : far_half(*links_[link]).backward();
  if (channel == nullptr) return std::nullopt;
  return channel->flits_sent() - channel->flits_to_come(now);
}

std::vector<VcNetwork::ChannelPlace> VcNetwork::channels() {
  require_modules();
  std::vector<ChannelPlace> all;
  for (std::uint32_t l = 0; l < links_.size(); ++l) {
    const graph::RouterLink& link = topology_.links()[l];
    all.push_back(ChannelPlace::between_routers(far_half(*links_[l]).forward(), link.a, link.b));
    if (links_[l]->backward() != nullptr)
      all.push_back(ChannelPlace::between_routers(links_[l]->backward(), link.b, link.a));
  }
  for (NodeId node = 0; node < topology_.nodes(); ++node) {
    const graph::NodePorts& ports = topology_.node(node);
    ChannelPlace injection, ejection;
    injection.channel = far_half(*node_links_[node].inject).forward();
    injection.to = ports.inject;
    injection.from_node = node;
    ejection.channel = eject(node).in();
    ejection.from = ports.eject;
    ejection.to_node = node;
    all.push_back(injection);
    all.push_back(ejection);
  }
  for (const auto& [id, link] : control_links_) {
    const graph::PortRef port{id, topology_.ports(id)};
    ChannelPlace in, out;
    in.channel = link->forward();
    out.channel = link->backward();
    in.to = out.from = port;
    in.from_node = out.to_node = End::of_router(id);
    all.push_back(in);
    all.push_back(out);
  }
  return all;
}

std::vector<VcNetwork::ChannelUse> VcNetwork::channel_uses() {
  std::vector<ChannelUse> all;
  if (!is_dense_) {
    for (const ChannelPlace& place : channels()) {
      const FlitChannel& channel = *place.channel;
      all.push_back(
          {place, channel.vcs(), channel.depth_flits(), channel.flits_sent(), channel.flits_held()});
    }
    if (ranks_ != nullptr) sum_uses(all);
    return all;
  }
  const auto between = [&](const graph::PortRef& from, const graph::PortRef& to) {
    all.push_back({ChannelPlace::between_routers(nullptr, from, to), config_.vcs, config_.buffer_flits,
                   dense_->flits_sent(from), dense_->flits_held(to)});
  };
  for (const graph::RouterLink& link : topology_.links()) {
    between(link.a, link.b);
    if (!link.one_way) between(link.b, link.a);
  }
  for (NodeId node = 0; node < topology_.nodes(); ++node) {
    const graph::NodePorts& ports = topology_.node(node);
    ChannelPlace injection, ejection;
    injection.to = ports.inject;
    injection.from_node = node;
    ejection.from = ports.eject;
    ejection.to_node = node;
    const unsigned vcs = config_.vcs_of_nodes();
    all.push_back({injection, vcs, config_.buffer_flits, dense_->flits_sent_by(node),
                   dense_->flits_held(ports.inject)});
    all.push_back({ejection, vcs, config_.buffer_flits, dense_->flits_sent(ports.eject), 0});
  }
  return all;
}

/// Each rank knows what its own modules have sent and hold.
void VcNetwork::sum_uses(std::vector<ChannelUse>& uses) const {
  std::vector<std::uint64_t> values;
  for (const ChannelUse& use : uses) values.insert(values.end(), {use.sent, use.held});
  values = ranks_->sum_each(values);
  for (std::size_t u = 0; u < uses.size(); ++u) {
    uses[u].sent = values[2 * u];
    uses[u].held = values[2 * u + 1];
  }
}

/// From an input virtual channel to the one that a packet's later flits come from. False where its last one
/// is here, or at the node.
bool VcNetwork::step_back(PacketIndex packet, InputPlace& place, Cycle now) {
  const graph::Topology::Far& far = this->far(place.port.router, place.port.port);
  if (far.kind != graph::Topology::Far::Kind::router || !far.receives) return false;
  bool found = false;
  const unsigned vc = place.vc;
  purging(far.at.router, now).visit_holders(far.at.port, [&](const router::OutputHolder& holder) {
    if (holder.packet != packet || holder.out_vc != vc) return;
    place = {{far.at.router, holder.in_port}, holder.in_vc};
    found = true;
  });
  return found;
}

/// All flits of a packet follow its head on the outputs that it holds, so it is in a row of input virtual
/// channels: from any of them back to its last flit, then forward to its head.
void VcNetwork::purge(PacketIndex packet, const InputPlace& place, Cycle now) {
  if (has_pins()) throw ModelError(name(), now, "", "packets cannot be purged across pins");
  InputPlace at = place;
  while (step_back(packet, at, now)) {
  }
  for (;;) {
    const router::PurgedPart part = purging(at.port.router, now).purge(packet, at.port.port, at.vc, now);
    if (!part.leads_on) return;
    const graph::Topology::Far& far = this->far(at.port.router, part.out_port);
    if (far.kind != graph::Topology::Far::Kind::router) return;
    at = {far.at, part.out_vc};
  }
}

router::PredictionCounters VcNetwork::prediction_counters() const {
  if (is_dense_) return dense_->prediction_counters();
  router::PredictionCounters sum;
  for (const auto& router : routers_) {
    if (const router::PredictingRouter* const predicting = router->router().predicting())
      sum += predicting->prediction_counters();
  }
  return of_all_ranks(sum);
}

bool VcNetwork::may_count(graph::RouterId id) const {
  return !is_dense_ || dense_->has_router(id);
}

router::PredictionCounters VcNetwork::prediction_counters(graph::RouterId id) const {
  return counts_of(
      id, [](const router::FlitRouter& router) { return router.predicting()->prediction_counters(); });
}

router::PredictionCounters VcNetwork::prediction_counters_at(const graph::PortRef& port) const {
  return counts_of(port.router, [&port](const router::FlitRouter& router) {
    return router.predicting()->prediction_counters_at(port.port);
  });
}

router::RouterCounters VcNetwork::counters(graph::RouterId id) const {
  return counts_of(id, [](const router::FlitRouter& router) { return router.counters(); });
}

router::RouterCounters VcNetwork::counters() const {
  if (is_dense_) return dense_->counters();
  router::RouterCounters sum;
  for (const auto& router : routers_) sum += router->router().counters();
  return of_all_ranks(sum);
}

Cycle VcNetwork::last_event(Cycle now) const {
  if (is_dense_) return dense_->last_event(now);
  Cycle last = 0;
  const auto look = [&last](const FlitChannel* channel) {
    if (channel != nullptr) last = std::max(last, channel->last_event());
  };
  for (std::size_t r = 0; r < routers_.size() && last <= now; ++r)
    last = std::max(last, routers_[r]->router().last_event(now));
  for (std::size_t l = 0; l < links_.size() && last <= now; ++l) {
    look(links_[l]->forward());
    look(links_[l]->backward());
  }
  for (const auto& [id, link] : control_links_) {
    look(link->forward());
    look(link->backward());
  }
  for (const auto& [near, pins] : pins_) {
    look(pins->far().forward());
    look(pins->far().backward());
  }
  for (std::size_t n = 0; n < node_links_.size() && last <= now; ++n) {
    for (const FlitLink* link : {node_links_[n].inject.get(), node_links_[n].eject.get()}) {
      if (link == nullptr) continue;
      look(link->forward());
      look(link->backward());
    }
  }
  return last;
}

template <class Visit>
void VcNetwork::visit_channels(const Visit& visit) const {
  const auto both = [&visit](const FlitLink* link) {
    if (link == nullptr) return;
    if (link->forward() != nullptr) visit(*link->forward());
    if (link->backward() != nullptr) visit(*link->backward());
  };
  for (const auto& link : links_) both(link.get());
  for (const auto& [near, pins] : pins_) both(&pins->far());
  for (const auto& [id, link] : control_links_) both(link.get());
  for (const NodeLinks& links : node_links_) {
    both(links.inject.get());
    both(links.eject.get());
  }
}

std::uint64_t VcNetwork::flits_in_flight() const {
  if (is_dense_) return dense_->flits_in_flight();
  std::uint64_t flits = 0;
  visit_channels([&flits](const FlitChannel& channel) { flits += channel.flits_held(); });
  for (const auto& router : routers_) router->router().visit_inside([&flits](PacketIndex) { ++flits; });
  visit_held_twice([&flits](PacketIndex) { --flits; });
  return ranks_ == nullptr ? flits : ranks_->sum(flits);
}

void VcNetwork::set_dense(dense::DenseNetwork& state) {
  dense_ = &state;
  tables_ = state.tables();
}

dense::DenseNetwork& VcNetwork::dense() {
  if (dense_ == nullptr) throw ModelError(name(), "is no dense network");
  return *dense_;
}

void VcNetwork::watch_heads(dense::HeadWatch* watch) {
  if (!is_dense_) throw ModelError(name(), "the heads of a network of modules are watched by probes");
  dense_->watch_heads(watch);
}

void VcNetwork::check_credits(Cycle now) const {
  if (is_dense_) return dense_->check_credits(now);
  visit_channels([now](const FlitChannel& channel) { channel.check_credits(now); });
}

void VcNetwork::visit_packets_in_flight(const std::function<void(PacketIndex)>& visit) const {
  if (is_dense_) return dense_->visit_packets_in_flight(visit);
  std::vector<PacketIndex> packets;
  const auto add = [&packets](PacketIndex packet) { packets.push_back(packet); };
  visit_channels([&add](const FlitChannel& channel) { channel.visit_packets(add); });
  for (const auto& router : routers_) router->router().visit_inside(add);
  std::vector<PacketIndex> gone, here;
  visit_held_twice([&gone](PacketIndex packet) { gone.push_back(packet); });
  std::sort(packets.begin(), packets.end());
  std::sort(gone.begin(), gone.end());
  std::set_difference(packets.begin(), packets.end(), gone.begin(), gone.end(), std::back_inserter(here));
  for (const PacketIndex packet : here) visit(packet);
}

void VcNetwork::visit_packets_at(graph::RouterId id, Cycle now,
                                 const std::function<void(PacketIndex, const InputPlace&)>& visit) {
  const router::FlitRouter& router = this->router(id);
  for (unsigned port = 0; port < router.ports(); ++port) {
    if (const FlitChannel* const in = router.port(port).in)
      in->visit_flits([&](PacketIndex packet, unsigned vc) { visit(packet, {{id, port}, vc}); });
    if (router.port(port).out == nullptr) continue;
    purging(id, now).visit_holders(port, [&](const router::OutputHolder& holder) {
      visit(holder.packet, {{id, holder.in_port}, holder.in_vc});
    });
  }
}

void VcNetwork::visit_held_twice(const std::function<void(PacketIndex)>& visit) const {
  for (const auto& router : routers_) router->router().visit_held_twice(visit);
}

}  // namespace tsuji::network
