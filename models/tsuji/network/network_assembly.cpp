// SPDX-License-Identifier: Apache-2.0
#include "tsuji/network/network_assembly.h"

#include <algorithm>
#include <string>
#include <utility>

#include "tsuji/core/error.h"
#include "tsuji/graph/neighbourhoods.h"
#include "tsuji/router/vc/packet_vc_router.h"

namespace tsuji::network {

bool LoadedParts::heads_may_lack_a_route() const {
  return !routing.promises().always_leads_on || custom.make_lookup || custom.make_switch ||
         custom.module_rtl.any() || fault_reaction != nullptr || !config.network.router.uturn_node ||
         !config.faults().empty() || config.dead.change();
}

bool LoadedParts::passes_whole_packets() const {
  const VcNetworkConfig& network = config.network;
  unsigned ports = 0;
  for (graph::RouterId id = 0; id < topology.routers(); ++id) ports = std::max(ports, topology.ports(id));
  const routing::RouteDecisions* const decisions = routing.decisions();
  const bool reads_waiting = decisions != nullptr && decisions->reads_waiting();
  const unsigned input_vcs = ports * std::max(network.vcs, network.vcs_of_nodes());
  // Flits cross to another rank one by one.
  return ranks == nullptr && !flits_are_observed && !cycles_are_shown && !heads_are_observed &&
         !counts_waits && network.router_kind == "vc" && !custom.router_kind.make &&
         !custom.over_pins.links && !custom.over_pins.nodes &&
         topology.carries_flit_a_cycle(network.flit_cycles) && !network.whole_flit &&
         !network.router.ejects_by_class && !config.congestion.on() &&
         router::passes_whole_packets(network.router, input_vcs) && routing.recovery() == nullptr &&
         routing.table_reads() == nullptr && !reads_waiting && !network.errors.on() && !make_control &&
         !ports_wake_each_other && !heads_may_lack_a_route() && !retry.on() && !config.classify_timeouts;
}

bool LoadedParts::runs_densely() const {
  // Reports count the predictors' bits in all routers, which dense networks divide among ranks.
  const bool divides_predictors = ranks != nullptr && config.network.router.prediction.on();
  const bool hides_cycles = threads > 1 || ranks != nullptr || config.network.router.prediction.on();
  // A dense router shows and counts no head that starts again.
  const bool starts_again = routing.recovery() != nullptr || routing.table_reads() != nullptr;
  const bool looks_up = config.lookup.in_switch(), whole = passes_whole_packets();
  const bool hides_heads = starts_again || looks_up;
  const bool answers =
      !looks_up || (config.lookup.answers_at_request() && ranks == nullptr && !starts_again && !whole);
  return only_results && !flits_are_observed && !(cycles_are_shown && hides_cycles) && !divides_predictors &&
         !(hides_heads && (cycles_are_shown || counts_waits)) && !config.classes.on() &&
         !config.congestion.on() && !reads_network() && config.process_mode == ProcessMode::one_for_all &&
         config.shuffle_seed == 0 && !custom.router_kind.make && !custom.over_pins.links &&
         !custom.over_pins.nodes && !make_control && !ports_wake_each_other &&
         !(sources_have_channels && cycles_are_shown) && !heads_may_lack_a_route() &&
         !(retry.on() && ranks != nullptr) && !config.classify_timeouts && answers &&
         fault_observer == nullptr &&
         dense::DenseNetwork::suffices(config.network, topology, routing, whole, looks_up);
}

void NetworkAssembly::build() {
  if (parts_.ranks != nullptr) check_ranks();
  add_clock();
  add_retry();
  add_router_packets();
  make_control_sources();
  modules_.network = std::make_unique<VcNetwork>("network", *modules_.domain, network_parts());
  check_abilities();
  add_nodes();
  add_control();
  add_views();
  order_modules();
  const Lookahead least = least_lookahead();
  // Ranks have different nodes.
  modules_.lookahead = parts_.ranks == nullptr ? least.cycles : parts_.ranks->least(least.cycles);
  if (parts_.threads > 1) check_threads(least);
  if (parts_.ranks != nullptr) check_shares();
  if (parts_.config.classify_timeouts) classify_timeouts();
  if (modules_.queues) watch_queues();
  modules_.supervisor->attach(*modules_.network, modules_.pool, supervisor_hooks());
}

void NetworkAssembly::add_clock() {
  modules_.domain = std::make_unique<ClockDomain>("clock", parts_.config.clock());
  modules_.supervisor = std::make_unique<NetworkSupervisor>("supervisor", *modules_.domain, parts_.config);
  modules_.node_config = modules_.control_config = node_config();
  modules_.reaction = parts_.fault_reaction;
  modules_.observer = parts_.fault_observer;
}

traffic::FlitNodeConfig NetworkAssembly::node_config() const {
  const router::VcRouterConfig& router = parts_.config.network.router;
  traffic::FlitNodeConfig config;
  config.whole_packets = router.switching != router::Switching::wormhole;
  config.atomic_vcs = router.atomic_vcs;
  config.own_vcs = parts_.config.network.vcs_of_nodes() != parts_.config.network.vcs;
  config.begins_at_vc_0 = parts_.config.network.first_injection_vc == 0;
  config.asks_always = parts_.sources_have_channels;
  config.nodes = parts_.topology.nodes();
  config.classes = parts_.config.message_classes();
  config.policy = config.classes.policy();
  config.acknowledges = parts_.config.congestion.acknowledges();
  config.window_from = parts_.measurement == nullptr ? 0 : parts_.measurement->ejection_from();
  config.window_to = parts_.measurement == nullptr ? 0 : parts_.measurement->ejection_to();
  return config;
}

void NetworkAssembly::add_retry() {
  if (!parts_.retry.on()) return;
  modules_.retry = std::make_unique<RetryAccounts>(parts_.retry, parts_.topology.nodes(), parts_.measurement,
                                                   parts_.on_lost);
  modules_.retry->count_window(modules_.node_config.window_from, modules_.node_config.window_to);
  if (parts_.ranks != nullptr)
    modules_.rank_retry = std::make_unique<RankRetry>(*modules_.retry, modules_.rank_events);
}

void NetworkAssembly::add_router_packets() {
  RouterPacketAccounts::Hooks hooks;
  hooks.born = [&modules = modules_] { modules.supervisor->watch(modules.domain->now()); };
  hooks.ended = parts_.on_delivered;
  // Routers of a dense network generate no packets.
  modules_.router_packets = std::make_unique<RouterPacketAccounts>(
      modules_.pool, runs_densely_ ? 0 : parts_.topology.routers(), std::move(hooks));
}

void NetworkAssembly::make_control_sources() {
  for (graph::RouterId id = 0; id < parts_.topology.routers(); ++id) {
    if (modules_.reaction != nullptr)
      control_sources_.push_back(modules_.reaction->make_control(id));
    else if (parts_.make_control)
      control_sources_.push_back(parts_.make_control(id));
  }
  // A reaction wakes its sources when a link has died.
  if (modules_.reaction != nullptr) modules_.control_config.asks_always = true;
}

VcNetwork::Parts NetworkAssembly::network_parts() {
  VcNetwork::Parts network{parts_.config.network, parts_.topology, parts_.routing, modules_.pool};
  network.seed = parts_.seed;
  network.events = modules_.supervisor.get();
  network.make_lookup = make_lookup();
  network.arena = &modules_.arena;
  network.router_kind = parts_.custom.router_kind;
  network.over_pins = parts_.custom.over_pins;
  // Routers that are modules take the credits of a packet at once, which a routing that decides could see,
  // and nodes that are modules have no room for heads that wait.
  network.whole_packets =
      parts_.passes_whole_packets() && parts_.routing.decisions() == nullptr && !parts_.sources_have_channels;
  network.ranks = parts_.ranks;
  network.dense = runs_densely_;
  network.counts_waits = parts_.counts_waits;
  if (parts_.reads_network()) modules_.queues = std::make_unique<QueueSnapshot>(parts_.topology);
  network.queues = modules_.queues.get();
  network.links_fail =
      !parts_.config.faults().empty() || !parts_.config.dead.empty() || parts_.config.dead.change();
  network.packets = modules_.router_packets.get();
  network.progress = parts_.progress;
  if (!control_sources_.empty())  // called only in the network's constructor
    network.control_port = [this](graph::RouterId id) { return control_sources_[id] != nullptr; };
  return network;
}

namespace {

/// Nodes at which messages wait for a module outside of the network, which does not act.
std::string waiting_users_text(const NetworkModules& modules) {
  std::string named;
  for (const auto& node : modules.nodes)
    if (node->state().source().waits_for_user())
      named += (named.empty() ? " " : ", ") + node->state().end().name();
  return named.empty()
             ? ""
             : "no packet of a class is ejected until the module at the node answers: nodes" + named + "\n";
}

/// Nodes at which messages wait for room for their answers, so that no flit moves.
std::string closed_nodes_text(const NetworkModules& modules) {
  constexpr unsigned most_named = 8;
  unsigned closed = 0;
  std::string named;
  for (const auto& node : modules.nodes) {
    const unsigned classes = node->state().closed_classes();
    if (classes == 0 || node->state().source().waits_for_user() || ++closed > most_named) continue;
    named += (named.empty() ? " " : ", ") + node->state().end().name() + " (";
    std::string names;
    for (unsigned c = 0; c < modules.node_config.classes.all.size(); ++c)
      if ((classes >> c & 1U) != 0)
        names += (names.empty() ? "" : " ") + modules.node_config.classes.all[c].name;
    named += names + ")";
  }
  if (closed == 0) return "";
  return "protocol deadlock: " + std::to_string(closed) +
         " nodes eject no packet of a class, because its answers find no room: nodes" + named +
         (closed > most_named ? ", ...\n" : "\n");
}

}  // namespace

NetworkSupervisor::Hooks NetworkAssembly::supervisor_hooks() {
  NetworkModules& modules = modules_;
  NetworkAccounts& accounts = accounts_;
  NetworkSupervisor::Hooks hooks;
  hooks.dropped = [&accounts](const Packet& packet, const std::vector<PacketIndex>& copies,
                              NetworkDropCause cause,
                              Cycle now) { accounts.on_dropped(packet, copies, cause, now); };
  hooks.under_way = [&accounts] { return accounts.packets_not_ended(); };
  hooks.last_event = [&modules](Cycle now) { return modules.last_event(now); };
  hooks.routes_changed = [&modules](Cycle now) {
    if (modules.lookup) modules.lookup->flush_all(now);
  };
  if (modules.node_config.classes.any_answers())
    hooks.closed_nodes = [&modules] { return closed_nodes_text(modules) + waiting_users_text(modules); };
  hooks.reaction = modules.reaction;
  hooks.observer = modules.observer;
  hooks.ranks = parts_.ranks;
  if (parts_.ranks != nullptr && !modules.dense) add_ranks(hooks);
  hooks.heads_may_lack_a_route = parts_.heads_may_lack_a_route();
  return hooks;
}

VcNetwork::MakeLookup NetworkAssembly::make_lookup() {
  const NetworkConfig& config = parts_.config;
  if (parts_.custom.make_lookup || !config.lookup.in_switch()) {
    if (parts_.custom.make_switch || parts_.custom.module_rtl.any())
      throw ModelError("network", "there is no look-up hardware that RTL could replace");
    return parts_.custom.make_lookup;
  }
  modules_.lookup = std::make_unique<NetworkLookup>(config.lookup, parts_.topology, parts_.routing,
                                                    config.routing.kind, config.network, parts_.seed);
  modules_.lookup->replace(parts_.custom.make_switch);
  modules_.lookup->replace(parts_.custom.module_rtl);
  return
      [&modules = modules_](graph::RouterId router) { return modules.lookup->make(router, *modules.domain); };
}

/// Refuses a configuration that needs an ability that routers of this kind lack.
void NetworkAssembly::check_abilities() const {
  const router::RouterKind& kind = modules_.network->router_kind();
  const std::string cannot = std::string("a ") + kind.name + " cannot ";
  check_fault_abilities(kind, cannot);
  check_routing_abilities(kind, cannot);
}

void NetworkAssembly::check_fault_abilities(const router::RouterKind& kind, const std::string& cannot) const {
  const std::string& faults = parts_.config.link_faults;
  const bool has_pins = modules_.network->has_pins();
  if (!faults.empty() && has_pins)
    throw ConfigError("link.faults", faults, "packets cannot be purged across pins", "no faults");
  if (parts_.config.dead.change() && (has_pins || !(kind.purges && kind.routes_again)))
    throw ConfigError(
        "faults.events", parts_.config.dead.events,
        has_pins ? "packets cannot be purged across pins" : cannot + "purge packets and route others again",
        "no events and no campaign");
  if (parts_.fault_reaction != nullptr && !kind.suspends)
    throw ConfigError("faults.events", parts_.config.dead.events, cannot + "suspend its heads",
                      "no events and no campaign");
  if (!faults.empty() && !(kind.purges && kind.routes_again))
    throw ConfigError("link.faults", faults, cannot + "purge packets and route others again", "no faults");
}

void NetworkAssembly::check_routing_abilities(const router::RouterKind& kind,
                                              const std::string& cannot) const {
  if ((!kind.purges || modules_.network->has_pins()) && parts_.heads_may_lack_a_route())
    throw ConfigError(
        "routing.kind", parts_.config.routing.kind,
        "a head may reach a router without a route onward, and " +
            (kind.purges ? "packets cannot be purged across pins" : cannot + "purge its packet"),
        "a routing that has a route for every head");
  if (!kind.recovers && parts_.routing.recovery() != nullptr)
    throw ConfigError("routing.kind", parts_.config.routing.kind,
                      "heads are taken into recovery, which " + cannot + "do", "a routing without recovery");
  if (!kind.shows_queues && parts_.reads_network())
    throw ConfigError("routing.kind", parts_.config.routing.kind,
                      "it reads the queues of all routers, which " + cannot + "show",
                      "a routing that reads its own router, as ugal does");
  if (!kind.marks && parts_.config.congestion.acknowledges())
    throw ConfigError("congestion.kind", parts_.config.congestion.kind, cannot + "mark packets",
                      "token_bucket or none, or router.kind vc");
  if (!kind.shows_credits && parts_.routing.decisions() != nullptr)
    throw ConfigError("routing.kind", parts_.config.routing.kind,
                      "it decides by credits, which " + cannot + "show", "a routing without decisions");
}

void NetworkAssembly::watch_queues() {
  modules_.domain->look_before_cycles([&modules = modules_](Cycle now) {
    if (modules.ranks == nullptr) return modules.queues->take(*modules.network, now);
    modules.queues->take(*modules.network, now, *modules.ranks,
                         [&modules](graph::RouterId router) { return modules.has_router(router); });
  });
}

/// Purges on several ranks.
void NetworkAssembly::add_ranks(NetworkSupervisor::Hooks& hooks) {
  NetworkModules& modules = modules_;
  hooks.is_here = [&modules](graph::RouterId router) { return modules.has_router(router); };
  hooks.parts_beside = [&modules](const std::function<void(PacketIndex)>& visit) {
    modules.visit_arriving(visit);
    modules.visit_modules([&visit](const traffic::FlitNodeState& node) {
      const PacketIndex packet = node.packet_being_sent();
      if (packet != traffic::no_packet) visit(packet);
      node.visit_others_being_sent(visit);
    });
  };
  hooks.has_left = [&modules](PacketIndex packet) { return modules.rank_channels->has_left(packet); };
  hooks.forget = [&modules](PacketIndex packet) { modules.rank_channels->forget(packet); };
}

/// Routers, links and nodes in one, within the module of the network.
void NetworkAssembly::add_dense() {
  const ObjectBlock::Inside inside(*modules_.network);
  traffic::FlitNodeEvents& events =
      parts_.ranks == nullptr ? static_cast<traffic::FlitNodeEvents&>(accounts_) : modules_.rank_events;
  dense::DenseNetwork::Parts parts{parts_.config.network,
                                   parts_.topology,
                                   parts_.routing,
                                   modules_.pool,
                                   *modules_.supervisor,
                                   events,
                                   modules_.node_config,
                                   parts_.seed,
                                   modules_.arena,
                                   *modules_.domain,
                                   [this](NodeId id) { return make_source(id); },
                                   {},
                                   parts_.progress,
                                   parts_.threads,
                                   parts_.heads_are_observed,
                                   parts_.counts_waits,
                                   parts_.passes_whole_packets(),
                                   parts_.ranks};
  if (modules_.lookup)
    parts.make_lookup = [&modules = modules_](graph::RouterId id) {
      return modules.lookup->make(id, *modules.domain);
    };
  modules_.dense = std::make_unique<dense::DenseNetwork>(parts);
  modules_.network->set_dense(*modules_.dense);
}

/// A node's source, with retry where that is on; null: there are no nodes.
std::unique_ptr<traffic::EmissionSource> NetworkAssembly::make_source(NodeId id) {
  std::unique_ptr<traffic::EmissionSource> source = parts_.make_source(id);
  if (!source || !modules_.retry) return source;
  return modules_.retry->wrap(std::move(source), id, modules_.pool, parts_.sources_have_channels,
                              modules_.retry_events());
}

void NetworkAssembly::add_nodes() {
  if (modules_.network->is_dense()) return add_dense();
  const traffic::FlitNodeState::Parts state{modules_.node_config, modules_.pool, parts_.routing, accounts_,
                                            modules_.arena};
  const CongestionConfig& congestion = parts_.config.congestion;
  for (NodeId id = 0; id < parts_.topology.nodes(); ++id) {
    std::unique_ptr<traffic::EmissionSource> source = make_source(id);
    if (!source) return;
    // VcNetwork shows the steps before and after this one.
    if (parts_.progress && id % ObjectBlock::objects == 0)
      parts_.progress(0.4 + 0.2 * id / parts_.topology.nodes());
    if (id % ObjectBlock::objects == 0)
      modules_.blocks.push_back(
          std::make_unique<ObjectBlock>(("nodes" + std::to_string(modules_.blocks.size())).c_str()));
    const ObjectBlock::Inside inside(*modules_.blocks.back());
    modules_.nodes.push_back(std::make_unique<traffic::FlitNode>(
        ("node" + std::to_string(id)).c_str(), *modules_.domain, state, id, std::move(source),
        congestion.kinds.make(congestion.kind, parts_.topology.nodes())));
    modules_.nodes.back()->port.bind(modules_.network->inject(id));
    if (!modules_.network->one_link(id)) modules_.nodes.back()->port.bind(modules_.network->eject(id));
  }
}

void NetworkAssembly::add_control() {
  const bool leads_beside = &parts_.routing.of_nodes() != &parts_.routing;
  if (!control_sources_.empty() && modules_.lookup && !modules_.lookup->by_words() && !leads_beside)
    throw ConfigError("lookup.kind", "", "look-up hardware knows no control ports", "local");
  const traffic::FlitNodeState::Parts state{modules_.control_config, modules_.pool, parts_.routing,
                                            *modules_.router_packets, modules_.arena};
  for (graph::RouterId id = 0; id < control_sources_.size(); ++id) {
    if (control_sources_[id] == nullptr) continue;
    std::unique_ptr<traffic::FlitNode>& control = modules_.control[id];
    control = std::make_unique<traffic::FlitNode>(("control" + std::to_string(id)).c_str(), *modules_.domain,
                                                  state, End::of_router(id), std::move(control_sources_[id]));
    control->port.bind(*modules_.network->control(id));
  }
  control_sources_.clear();
}

void NetworkAssembly::add_views() {
  modules_.views = std::make_unique<RoutingViews>(
      *modules_.network, [&modules = modules_](End end) { return modules.node_at(end); }, parts_.routing);
}

void NetworkAssembly::classify_timeouts() {
  modules_.timeouts = std::make_unique<TimeoutClassifier>(*modules_.network, modules_.pool);
  modules_.supervisor->classify_timeouts(*modules_.timeouts);
  if (parts_.routing.recovery() != nullptr)
    modules_.domain->look_before_cycles(
        [timeouts = modules_.timeouts.get()](Cycle now) { timeouts->look_before(now); });
}

/// Without bells each neighbourhood is a group that runs ahead. Bells fill groups of their own, as a group's
/// modules cannot wake each other in the cycle that runs.
void NetworkAssembly::order_dense() {
  std::vector<Clocked*> order = modules_.dense->bells();
  const std::vector<Clocked*> neighbourhoods = modules_.dense->modules();
  const std::size_t per_group = order.empty() ? 1 : ClockDomain::group_members;
  order.resize((order.size() + per_group - 1) / per_group * per_group);
  order.insert(order.end(), neighbourhoods.begin(), neighbourhoods.end());
  modules_.domain->run_first(order, per_group);
}

/// A router and its nodes one after the other, and neighbours in one group, where what they send each other
/// is near.
void NetworkAssembly::order_modules() {
  if (modules_.dense) return order_dense();
  std::vector<std::vector<Clocked*>> nodes_of(modules_.network->routers());
  for (const auto& node : modules_.nodes)
    nodes_of[modules_.network->topology().node(node->state().end().node()).inject.router].push_back(
        node.get());
  const std::size_t others = modules_.nodes.size() + modules_.control.size();
  const std::size_t modules = modules_.network->routers() + others;
  const std::size_t modules_of_router = 1 + others / modules_.network->routers();
  // Each thread, or rank, gets a group at least.
  const unsigned shares = parts_.ranks == nullptr ? parts_.threads : parts_.ranks->count();
  const std::size_t most = std::min(ClockDomain::group_members, std::max<std::size_t>(modules / shares, 1));
  const std::size_t routers = std::max<std::size_t>(most / modules_of_router, 1);
  const std::size_t per_group = std::min(most, shares == 1 ? most : routers * modules_of_router);
  std::vector<Clocked*> order;
  for (const graph::RouterId id :
       graph::neighbourhoods(modules_.network->topology(), static_cast<unsigned>(routers))) {
    order.push_back(&modules_.network->module(id));
    order.insert(order.end(), nodes_of[id].begin(), nodes_of[id].end());
    if (const auto control = modules_.control.find(id); control != modules_.control.end())
      order.push_back(control->second.get());
  }
  modules_.domain->run_first(order, per_group);
}

}  // namespace tsuji::network
