// SPDX-License-Identifier: Apache-2.0
#include "tsuji/network/loaded_network.h"

#include <algorithm>
#include <utility>

#include "tsuji/core/error.h"
#include "tsuji/graph/neighbourhoods.h"
#include "tsuji/network/object_block.h"

namespace tsuji::network {

traffic::FlitNodeConfig LoadedNetwork::node_config(const Parts& parts) {
  const router::VcRouterConfig& router = parts.config.network.router;
  traffic::FlitNodeConfig config;
  config.whole_packets = router.switching != router::Switching::wormhole;
  config.atomic_vcs = router.atomic_vcs;
  config.own_vcs = parts.config.network.vcs_of_nodes() != parts.config.network.vcs;
  config.begins_at_vc_0 = parts.config.network.first_injection_vc == 0;
  config.asks_always = parts.sources_have_channels;
  config.nodes = parts.topology.nodes();
  config.window_from = parts.measurement == nullptr ? 0 : parts.measurement->ejection_from();
  config.window_to = parts.measurement == nullptr ? 0 : parts.measurement->ejection_to();
  return config;
}

LoadedNetwork::LoadedNetwork(const Parts& parts)
    : measurement_(parts.measurement),
      on_delivered_(parts.on_delivered),
      on_lost_(parts.on_lost),
      domain_(std::make_unique<ClockDomain>("clock", parts.config.clock())),
      supervisor_(std::make_unique<NetworkSupervisor>("supervisor", *domain_, parts.config)),
      node_config_(node_config(parts)),
      control_config_(node_config_),
      reaction_(parts.fault_reaction),
      observer_(parts.fault_observer) {
  add_retry(parts);
  RouterPacketAccounts::Hooks accounts;
  accounts.born = [this] { supervisor_->watch(domain_->now()); };
  accounts.ended = on_delivered_;
  router_packets_ =
      std::make_unique<RouterPacketAccounts>(pool_, parts.topology.routers(), std::move(accounts));
  make_control_sources(parts);
  network_ = std::make_unique<VcNetwork>("network", *domain_, network_parts(parts));
  check_abilities(parts);
  add_nodes(parts);
  add_control(parts);
  views_ = std::make_unique<RoutingViews>(
      *network_, [this](End end) { return node_at(end); }, parts.routing);
  order_modules();
  lookahead_ = lookahead(parts);
  if (parts.config.classify_timeouts) classify_timeouts(parts);
  supervisor_->attach(*network_, pool_, supervisor_hooks(parts));
  if (reaction_ != nullptr) reaction_->attach(*this);
  if (lookup_ && parts.config.lookup.warm == lookup::WarmCaches::all) lookup_->warm_all();
}

void LoadedNetwork::add_retry(const Parts& parts) {
  if (!parts.retry.on()) return;
  retry_ = std::make_unique<RetryAccounts>(parts.retry, parts.topology.nodes(), measurement_, on_lost_);
  retry_->count_window(node_config_.window_from, node_config_.window_to);
}

void LoadedNetwork::make_control_sources(const Parts& parts) {
  for (graph::RouterId id = 0; id < parts.topology.routers(); ++id) {
    if (reaction_ != nullptr)
      control_sources_.push_back(reaction_->make_control(id));
    else if (parts.make_control)
      control_sources_.push_back(parts.make_control(id));
  }
  // A reaction wakes its sources when a link has died.
  if (reaction_ != nullptr) control_config_.asks_always = true;
}

VcNetwork::Parts LoadedNetwork::network_parts(const Parts& parts) {
  VcNetwork::Parts network{parts.config.network, parts.topology, parts.routing, pool_};
  network.seed = parts.seed;
  network.events = supervisor_.get();
  network.make_lookup = make_lookup(parts);
  network.arena = &arena_;
  network.router_kind = parts.custom.router_kind;
  network.over_pins = parts.custom.over_pins;
  network.packets = router_packets_.get();
  network.progress = parts.progress;
  if (!control_sources_.empty())
    network.control_port = [this](graph::RouterId id) { return control_sources_[id] != nullptr; };
  return network;
}

NetworkSupervisor::Hooks LoadedNetwork::supervisor_hooks(const Parts& parts) {
  NetworkSupervisor::Hooks hooks;
  hooks.dropped = [this](PacketIndex packet, NetworkDropCause cause, Cycle now) {
    on_dropped(packet, cause, now);
  };
  hooks.under_way = [this] {
    return born_ + router_packets_->born() - delivered_ - router_packets_->ended() -
           supervisor_->packets_dropped();
  };
  hooks.last_event = [this](Cycle now) { return last_event(now); };
  hooks.routes_changed = [this](Cycle now) {
    if (lookup_) lookup_->flush_all(now);
  };
  hooks.reaction = reaction_;
  hooks.observer = observer_;
  hooks.heads_may_lack_a_route = heads_may_lack_a_route(parts);
  return hooks;
}

VcNetwork::MakeLookup LoadedNetwork::make_lookup(const Parts& parts) {
  const NetworkConfig& config = parts.config;
  if (parts.custom.make_lookup || !config.lookup.in_switch()) {
    if (parts.custom.make_switch || parts.custom.module_rtl.any())
      throw ModelError("network", "there is no look-up hardware that RTL could replace");
    return parts.custom.make_lookup;
  }
  lookup_ = std::make_unique<NetworkLookup>(config.lookup, parts.topology, parts.routing, config.routing.kind,
                                            config.network, parts.seed);
  lookup_->replace(parts.custom.make_switch);
  lookup_->replace(parts.custom.module_rtl);
  return [this](graph::RouterId router) { return lookup_->make(router, *domain_); };
}

/// Refuses what routers of this kind would be asked for and cannot do.
void LoadedNetwork::check_abilities(const Parts& parts) const {
  const router::RouterKind& kind = network_->router_kind();
  const std::string cannot = std::string("a ") + kind.name + " cannot ";
  const std::string& faults = parts.config.link_faults;
  if (!faults.empty() && network_->has_pins())
    throw ConfigError("link.faults", faults, "no packet is purged across pins", "no faults");
  if (parts.config.dead.change() && (network_->has_pins() || !(kind.purges && kind.routes_again)))
    throw ConfigError("faults.events", parts.config.dead.events,
                      network_->has_pins() ? "no packet is purged across pins"
                                           : cannot + "purge packets and route others again",
                      "no events and no campaign");
  if (parts.fault_reaction != nullptr && !kind.suspends)
    throw ConfigError("faults.events", parts.config.dead.events, cannot + "suspend its heads",
                      "no events and no campaign");
  if (!faults.empty() && !(kind.purges && kind.routes_again))
    throw ConfigError("link.faults", faults, cannot + "purge packets and route others again", "no faults");
  if ((!kind.purges || network_->has_pins()) && heads_may_lack_a_route(parts))
    throw ConfigError("routing.kind", parts.config.routing.kind,
                      "a head may reach a router without a route onward, and " +
                          (kind.purges ? "no packet is purged across pins" : cannot + "purge its packet"),
                      "a routing that always leads on");
  if (!kind.recovers && parts.routing.recovery() != nullptr)
    throw ConfigError("routing.kind", parts.config.routing.kind,
                      "heads are taken into recovery, which " + cannot + "do", "a routing without recovery");
  if (!kind.shows_credits && parts.routing.decisions() != nullptr)
    throw ConfigError("routing.kind", parts.config.routing.kind,
                      "it decides by credits, which " + cannot + "show", "a routing without decisions");
}

void LoadedNetwork::add_nodes(const Parts& parts) {
  const traffic::FlitNodeState::Parts state{node_config_, pool_, parts.routing, *this, arena_};
  for (NodeId id = 0; id < parts.topology.nodes(); ++id) {
    std::unique_ptr<traffic::EmissionSource> source = parts.make_source(id);
    if (!source) return;
    if (retry_) source = retry_->wrap(std::move(source), id, pool_, parts.sources_have_channels);
    // VcNetwork shows the steps before and after this one.
    if (parts.progress && id % ObjectBlock::objects == 0)
      parts.progress(0.4 + 0.2 * id / parts.topology.nodes());
    if (id % ObjectBlock::objects == 0)
      blocks_.push_back(std::make_unique<ObjectBlock>(("nodes" + std::to_string(blocks_.size())).c_str()));
    const ObjectBlock::Inside inside(*blocks_.back());
    nodes_.push_back(std::make_unique<traffic::FlitNode>(("node" + std::to_string(id)).c_str(), *domain_,
                                                         state, id, std::move(source)));
    nodes_.back()->port.bind(network_->inject(id));
    if (!network_->one_link(id)) nodes_.back()->port.bind(network_->eject(id));
  }
}

void LoadedNetwork::add_control(const Parts& parts) {
  const bool leads_beside = &parts.routing.of_nodes() != &parts.routing;
  if (!control_sources_.empty() && lookup_ && !lookup_->by_words() && !leads_beside)
    throw ConfigError("lookup.kind", "", "look-up hardware knows no control ports", "plain");
  const traffic::FlitNodeState::Parts state{control_config_, pool_, parts.routing, *router_packets_, arena_};
  for (graph::RouterId id = 0; id < control_sources_.size(); ++id) {
    if (control_sources_[id] == nullptr) continue;
    std::unique_ptr<traffic::FlitNode>& control = control_[id];
    control = std::make_unique<traffic::FlitNode>(("control" + std::to_string(id)).c_str(), *domain_, state,
                                                  End::of_router(id), std::move(control_sources_[id]));
    control->port.bind(*network_->control(id));
  }
  control_sources_.clear();
}

/// Null: no such node, or a router without a control port.
traffic::FlitNode* LoadedNetwork::node_at(End end) {
  if (!end.is_router()) return end.node() < nodes_.size() ? nodes_[end.node()].get() : nullptr;
  const auto control = control_.find(end.router());
  return control == control_.end() ? nullptr : control->second.get();
}

void LoadedNetwork::classify_timeouts(const Parts& parts) {
  timeouts_ = std::make_unique<TimeoutClassifier>(*network_, pool_);
  supervisor_->classify_timeouts(*timeouts_);
  if (parts.routing.recovery() != nullptr)
    domain_->look_before_cycles([this](Cycle now) { timeouts_->look_before(now); });
}

/// A router and its nodes one after the other, and neighbours in one group, where what they send each other
/// is near.
void LoadedNetwork::order_modules() {
  std::vector<std::vector<Clocked*>> nodes_of(network_->routers());
  for (const auto& node : nodes_)
    nodes_of[network_->topology().node(node->state().end().node()).inject.router].push_back(node.get());
  const std::size_t modules_of_router = 1 + (nodes_.size() + control_.size()) / network_->routers();
  const auto group =
      static_cast<unsigned>(std::max<std::size_t>(ClockDomain::group_members / modules_of_router, 1));
  std::vector<Clocked*> order;
  for (const graph::RouterId id : graph::neighbourhoods(network_->topology(), group)) {
    order.push_back(&network_->module(id));
    order.insert(order.end(), nodes_of[id].begin(), nodes_of[id].end());
    if (const auto control = control_.find(id); control != control_.end())
      order.push_back(control->second.get());
  }
  domain_->run_first(order);
}

/// Whether a head can come to a router without a route onward: its packet is then dropped everywhere at
/// once. Only a routing's own answers are covered by its promise.
bool LoadedNetwork::heads_may_lack_a_route(const Parts& parts) {
  return !parts.routing.promises().always_leads_on || parts.custom.make_lookup || parts.custom.make_switch ||
         parts.custom.module_rtl.any() || parts.fault_reaction != nullptr ||
         !parts.config.network.router.uturn_node || !parts.config.faults().empty() ||
         parts.config.dead.change();
}

/// Somebody looks at the order in which things happen at different places.
bool LoadedNetwork::order_shows() const {
  for (graph::RouterId id = 0; id < network_->routers(); ++id) {
    if (network_->module(id).probe() != nullptr) return true;
  }
  const auto places = network_->channels();
  return std::any_of(places.begin(), places.end(),
                     [](const VcNetwork::ChannelPlace& place) { return place.channel->probe() != nullptr; });
}

// The kernel looks for a module that goes from the beginning of its list, and puts the last one into its
// place; for a port it looks from the end. When two modules without ports have gone first (behind the nodes
// comes one of the kernel's own), all others are found at once if they go last made, first destroyed:
// otherwise large networks take seconds to end.
LoadedNetwork::~LoadedNetwork() {
  supervisor_.reset();
  domain_.reset();
  control_.clear();
  while (!nodes_.empty()) {
    nodes_.pop_back();
    if (nodes_.size() % ObjectBlock::objects == 0) blocks_.pop_back();
  }
}

Cycle LoadedNetwork::last_event(Cycle now) const {
  Cycle last = std::max(network_->last_event(now), reaction_ == nullptr ? 0 : reaction_->last_event());
  if (observer_ != nullptr) last = std::max(last, observer_->last_event());
  visit_nodes([&](const traffic::FlitNodeState& node) { last = std::max(last, node.last_event(now)); });
  return last;
}

void LoadedNetwork::prepare(Cycle end) {
  // Nothing but the network's own clock looks at the kernel's time, unless there are pins.
  if (!network_->has_pins()) domain_->run_ahead(end);
  if (now() == 0 && lookahead_ > 1 && !order_shows()) domain_->run_groups(lookahead_);
}

}  // namespace tsuji::network
