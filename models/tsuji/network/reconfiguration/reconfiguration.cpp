// SPDX-License-Identifier: Apache-2.0
#include "tsuji/network/reconfiguration/reconfiguration.h"

#include <algorithm>
#include <string>
#include <utility>

#include "tsuji/core/error.h"
#include "tsuji/network/loaded_network.h"

namespace tsuji::network {

using faults::ReconfigurationNode;
using graph::RouterId;
using Phase = ReconfigurationNode::Phase;

/// A router's routing while it is dead or cut off: control messages alone have a route.
class Reconfiguration::Refusal final : public routing::Routing, public routing::DeadlockRecovery {
 public:
  explicit Refusal(const routing::Routing& base) : base_(base) {}
  void route(const routing::RouteQuery& query, routing::RouteSet& candidates) const override {
    candidates.clear();
    if (query.packet_class == PacketClass::control) base_.route(query, candidates);
  }
  routing::VcMask injection_vcs(End source, End destination) const override {
    return base_.injection_vcs(source, destination);
  }
  unsigned vcs_needed() const override { return base_.vcs_needed(); }
  unsigned max_candidates() const override { return base_.max_candidates(); }
  const routing::DeadlockRecovery* recovery() const override { return this; }
  routing::VcMask recovery_vcs() const override { return routing::vcs_of_recovery(base_); }
  const char* broken_by(const routing::RouteQuery&, unsigned) const override { return nullptr; }

 private:
  const routing::Routing& base_;
};

/// Packets that recover by old tables keep to them and to the channels of these; all others go by the new
/// ones.
class Reconfiguration::TwoGenerations final : public routing::Routing,
                                              public routing::TableReads,
                                              public routing::DeadlockRecovery {
 public:
  std::string stands_for() const override {
    return "Detour-UD whose tables are exchanged in a run (Yoshinaga 2004, section 3)";
  }
  TwoGenerations(const routing::DetourUd& now, const routing::DetourUd& old) : now_(now), old_(old) {}
  void route(const routing::RouteQuery& query, routing::RouteSet& candidates) const override {
    of(query).route(query, candidates);
  }
  routing::VcMask injection_vcs(End source, End destination) const override {
    return now_.injection_vcs(source, destination);
  }
  unsigned vcs_needed() const override { return now_.vcs_needed(); }
  unsigned max_candidates() const override { return now_.max_candidates(); }
  routing::RoutingPromises promises() const override {
    routing::RoutingPromises all;
    all.always_leads_on = all.turns_back = true;
    return all;
  }
  const routing::TableReads* table_reads() const override { return this; }
  const routing::DeadlockRecovery* recovery() const override { return this; }
  routing::VcMask recovery_vcs() const override {
    return static_cast<routing::VcMask>(now_.recovery_vcs() | old_.recovery_vcs());
  }
  bool reads_table(const routing::RouteQuery& query) const override { return of(query).reads_table(query); }
  const char* broken_by(const routing::RouteQuery& query, unsigned port) const override {
    return of(query).broken_by(query, port);
  }
  /// A head that came in there recovers by the old tables.
  bool is_old(unsigned port, unsigned vc) const {
    return port < old_.generation().network().ports() && (old_.ud_vcs() >> vc & 1U) != 0;
  }

 private:
  const routing::DetourUd& of(const routing::RouteQuery& query) const {
    const bool recovers = query.packet_class == PacketClass::recovery;
    return recovers && is_old(query.in_port, query.in_vc) ? old_ : now_;
  }
  const routing::DetourUd &now_, &old_;
};

namespace {

const routing::DetourUdConfig& detour_config(const NetworkConfig& config) {
  return config.routing.of<routing::DetourUdConfig>();
}

/// Packets that fit into a buffer where they have to.
unsigned most_control_flits(const NetworkConfig& config) {
  return config.network.router.switching == router::Switching::wormhole ? 65535U
                                                                        : config.network.buffer_flits;
}

void count(const ReconfigurationEpisode& episode, ReconfigurationCounters& counters) {
  const Cycle cycles = episode.to - episode.from;
  counters.unsettled_cycles += cycles;
  counters.longest_unsettled_cycles = std::max(counters.longest_unsettled_cycles, cycles);
}

const routing::DetourUd& detour_ud(const routing::Routing& routing) {
  const auto* const detour = dynamic_cast<const routing::DetourUd*>(&routing);
  if (detour == nullptr) throw ModelError("network", "its routing has no tables that routers could change");
  return *detour;
}

/// Checks that the list of roots has a working router after each event.
void check_roots(const NetworkConfig& config, const graph::Topology& topology) {
  const std::vector<RouterId>& priority = detour_config(config).tables.root_priority;
  if (priority.empty()) return;
  const faults::FaultSchedule schedule = config.fault_schedule(topology);
  for (const faults::FaultEvent& event : schedule.events()) {
    const graph::LivingNetwork network(topology, schedule.at(event.cycle));
    const bool any = std::any_of(priority.begin(), priority.end(),
                                 [&network](RouterId router) { return network.lives(router); });
    if (!any)
      throw ConfigError("routing.root_priority", std::to_string(priority.front()),
                        "no router of the list is alive after cycle " + std::to_string(event.cycle) +
                            ", when " + event.text(),
                        "a list with a living router at all times, or none");
  }
}

}  // namespace

Reconfiguration::Reconfiguration(const NetworkConfig& config, const graph::Topology& topology,
                                 const routing::Routing& first)
    : config_(config),
      topology_(topology),
      first_(detour_ud(first)),
      plans_(topology, detour_config(config).tables),
      ports_(topology.routers()),
      routers_(topology.routers()) {
  check_roots(config, topology);
}

Reconfiguration::~Reconfiguration() = default;

std::unique_ptr<traffic::EmissionSource> Reconfiguration::make_control(RouterId router) {
  auto port = std::make_unique<ControlPort>(control_parts(router));
  ports_[router] = port.get();
  return port;
}

const faults::FaultSchedule& Reconfiguration::schedule() const {
  return network_->supervisor().schedule();
}

ControlPort::Parts Reconfiguration::control_parts(RouterId router) {
  return {router, plans_, config_.dead.reconfiguration, *this, most_control_flits(config_)};
}

void Reconfiguration::attach(LoadedNetwork& network) {
  network_ = &network;
  const faults::LivingLinks& living = network.supervisor().living();
  faults::LinkStates known(topology_.links().size());
  for (std::uint32_t link = 0; link < topology_.links().size(); ++link)
    if (!living.lives(link)) known.change(link);
  auto tables = std::make_shared<Tables>();
  tables->plan = plans_.plan(known);
  // The network's own, which outlives it.
  tables->routing = std::shared_ptr<const routing::DetourUd>(std::shared_ptr<void>(), &first_);
  for (RouterId router = 0; router < topology_.routers(); ++router) {
    routers_[router].tables = tables;
    if (living.router_lives(router)) ports_[router]->begin(tables->plan);
  }
}

void Reconfiguration::link_changed(std::uint32_t link, bool lives, Cycle now) {
  const graph::RouterLink& ends = topology_.links()[link];
  for (const graph::PortRef& end : {ends.a, ends.b})
    if (ports_[end.router]->node() != nullptr)
      ports_[end.router]->find(end.port, lives, now + 1 + config_.dead.detection_cycles);
}

void Reconfiguration::router_changed(RouterId router, bool lives, Cycle now) {
  ControlPort& port = *ports_[router];
  if (!lives) {
    port.end();
    refuse(router, now);
    suspend(router, false, now);
    tell_phase(router, nullptr, now + 1);
    return;
  }
  port.restart();
  network_->changes().restart_routing(router);
  // The restored router detects those of its links that are still failed.
  const faults::LivingLinks& living = network_->supervisor().living();
  for (unsigned p = 0; p < topology_.ports(router); ++p) {
    const graph::Topology::Far& far = topology_.far(router, p);
    if (far.kind == graph::Topology::Far::Kind::router && !living.lives(far.link))
      port.find(p, false, now + 1 + config_.dead.detection_cycles);
  }
  suspend(router, true, now);
  tell_phase(router, port.node(), now + 1);
}

void Reconfiguration::changed(RouterId router, Cycle now) {
  changed_.push_back(router);
  network_->supervisor().look_after(now);
}

void Reconfiguration::stepped(const Step& step) {
  if (network_->ranks() != nullptr) steps_.push_back(step);
}

void Reconfiguration::put(mpi::Bytes& message) {
  mpi::put(message, steps_.size());
  for (const Step& step : steps_) mpi::put(message, step);
  steps_.clear();
}

void Reconfiguration::repeat(mpi::Reader& message) {
  for (auto left = message.get<std::size_t>(); left != 0; --left) {
    const auto step = message.get<Step>();
    ports_.at(step.router)->repeat(step);
  }
}

void Reconfiguration::between_cycles(Cycle now) {
  std::sort(changed_.begin(), changed_.end());
  changed_.erase(std::unique(changed_.begin(), changed_.end()), changed_.end());
  for (const RouterId router : changed_)
    if (ports_[router]->node() != nullptr) carry_out(router, now);
  // A router that runs again is compared with its neighbours when all are where this cycle has brought them.
  for (const RouterId router : changed_) check_neighbours(router, now);
  changed_.clear();
}

void Reconfiguration::carry_out(RouterId router, Cycle now) {
  const ReconfigurationNode& node = *ports_[router]->node();
  const bool cut_off = node.phase() == Phase::cut_off;
  if (cut_off)
    refuse(router, now);
  else if (ports_[router]->take_update())
    update(router, now);
  suspend(router, node.suspended() && !cut_off, now);
  tell_phase(router, &node, now + 1);
}

/// Two generations that follow each other have UD channels of their own where nothing is to be lost. A router
/// that missed the one between has the old ones' channels again: those that still recover there are dropped.
void Reconfiguration::update(RouterId router, Cycle now) {
  Router& own = routers_[router];
  const std::shared_ptr<const Tables> before = own.tables;
  own.tables = tables_of(*ports_[router]->node(), now);
  own.refusal.reset();
  if (config_.dead.losses == Losses::nothing && before->bank != own.tables->bank) own.old = before;
  drop_at_update(router, now);
  std::unique_ptr<const TwoGenerations> both;
  if (own.old) both = std::make_unique<const TwoGenerations>(*own.tables->routing, *own.old->routing);
  const routing::Routing* const shown =
      both ? static_cast<const routing::Routing*>(both.get()) : own.tables->routing.get();
  show_routing(router, *shown, own.tables->generation, now);
  own.both = std::move(both);
  ++counters_.updates;
  ++episode_.updates;
  episode_.root = own.tables->plan->root();
}

/// Packets in recovery must finish with the tables that they started with: a mix of old and new tables closes
/// cycles of dependencies (Yoshinaga 2004, assumption 1).
void Reconfiguration::drop_at_update(RouterId router, Cycle now) {
  const Router& own = routers_[router];
  NetworkSupervisor& supervisor = network_->supervisor();
  supervisor.purge_at(
      router, NetworkDropCause::in_recovery,
      [&own](const Packet& packet) {
        const bool keeps = own.old && packet.tables == own.old->generation;
        return packet.packet_class == PacketClass::recovery && !keeps;
      },
      now);
  if (config_.dead.losses != Losses::everything) return;
  supervisor.purge_at(
      router, NetworkDropCause::tables,
      [](const Packet& packet) { return packet.packet_class == PacketClass::normal; }, now);
}

void Reconfiguration::refuse(RouterId router, Cycle now) {
  Router& own = routers_[router];
  if (own.refusal) return;
  own.refusal = std::make_unique<const Refusal>(*own.tables->routing);
  show_routing(router, *own.refusal, own.generation + 1, now);
}

void Reconfiguration::show_routing(RouterId router, const routing::Routing& routing, std::uint32_t generation,
                                   Cycle now) {
  network_->changes().exchange_between_cycles(router, {&routing, generation}, now);
  routers_[router].generation = generation;
}

/// The number grows with what is known, as each router's tables must; those that know different things
/// equally well get different ones, in the order of cycles and routers.
std::shared_ptr<const Reconfiguration::Tables> Reconfiguration::tables_of(const ReconfigurationNode& node,
                                                                          Cycle now) {
  using Bank = routing::DetourUd::Bank;
  constexpr unsigned rank_bits = 12;
  const faults::ReconfigurationPlan& plan = node.in_use();
  for (auto it = tables_.begin(); it != tables_.end();)
    it = it->second.expired() ? tables_.erase(it) : std::next(it);
  const std::uint64_t changes = plan.states().changes();
  std::uint64_t generation = changes << rank_bits;
  for (const auto& [known, weak] : tables_) {
    auto tables = weak.lock();
    if (known == &plan) return tables;
    if (tables->generation >> rank_bits == changes)
      generation = std::max<std::uint64_t>(generation, tables->generation + 1U);
  }
  if (changes >> (32 - rank_bits) != 0 || generation >> rank_bits != changes)
    throw ModelError(
        "network", now, "",
        "its links have failed and returned too often: the numbers of table generations are exhausted");
  auto tables = std::make_shared<Tables>();
  tables->plan = plans_.plan(plan.states());
  tables->bank = node.bank();
  const Bank own_bank = tables->bank == 0 ? Bank::first : Bank::second;
  tables->routing = std::make_shared<const routing::DetourUd>(
      topology_, config_.network.vcs, tables->plan->generation(), detour_config(config_).ud_vcs,
      config_.dead.losses == Losses::nothing ? own_bank : Bank::all);
  tables->generation = static_cast<std::uint32_t>(generation);
  tables_[&plan] = tables;
  return tables;
}

void Reconfiguration::suspend(RouterId router, bool suspended, Cycle now) {
  Router& own = routers_[router];
  if (suspended == own.suspended) return;
  own.suspended = suspended;
  router::FlitRouter& of_network = network_->network().router(router);
  check_no_recovery(router, now);
  needed(of_network, of_network.suspending(), now, "suspend its heads").suspend(suspended, now);
  own.recoveries = of_network.counters().recoveries;
  if (suspended) {
    own.suspended_since = now + 1;
    if (suspended_routers_++ == 0) episode_ = {now + 1, now + 1, 0, 0};
    return;
  }
  counters_.suspended_cycles += now + 1 - own.suspended_since;
  if (--suspended_routers_ != 0) return;
  episode_.to = now + 1;
  count(episode_, counters_);
  episodes_.push_back(episode_);
}

/// Checks that no head began recovery while its router was suspended, because block timers stop with the
/// router.
void Reconfiguration::check_no_recovery(RouterId router, Cycle now) const {
  const std::uint64_t recoveries = network_->network().router(router).counters().recoveries;
  if (routers_[router].suspended || recoveries == routers_[router].recoveries) return;
  throw ModelError("router " + std::to_string(router), now, "",
                   std::to_string(recoveries - routers_[router].recoveries) +
                       " heads began recovery while it was suspended");
}

/// Two generations of up/down tables close circles on the channels of recovery.
void Reconfiguration::check_neighbours(RouterId router, Cycle now) const {
  const Router& own = routers_[router];
  const auto runs = [this](RouterId id) {
    return ports_[id]->node() != nullptr && !routers_[id].suspended && !routers_[id].refusal;
  };
  for (unsigned p = 0; runs(router) && p < topology_.ports(router); ++p) {
    const graph::Topology::Far& far = topology_.far(router, p);
    if (far.kind != graph::Topology::Far::Kind::router || !network_->supervisor().living().lives(far.link))
      continue;
    const Router& other = routers_[far.at.router];
    if (runs(far.at.router) && other.generation != own.generation)
      throw ModelError("router " + std::to_string(router), now, "",
                       "runs with routing tables of generation " + std::to_string(own.generation) +
                           ", and router " + std::to_string(far.at.router) + " beside it with those of " +
                           std::to_string(other.generation));
  }
}

std::optional<NetworkDropCause> Reconfiguration::no_route(RouterId router, const Packet& packet, Cycle) {
  if (packet.packet_class == PacketClass::control) return NetworkDropCause::link_down;
  // A router that is dead from the beginning has no node.
  if (routers_[router].refusal || ports_[router]->node() == nullptr) return NetworkDropCause::unreachable;
  const RouterId to = topology_.node(packet.destination.node()).eject.router;
  if (!ports_[router]->node()->in_use().lives(to)) return NetworkDropCause::unreachable;
  // A normal packet waits: its router is about to find out.
  if (packet.packet_class == PacketClass::normal) return std::nullopt;
  return NetworkDropCause::link_down;
}

FaultReaction::OtherTables Reconfiguration::other_tables(const VcNetwork::InputPlace& place,
                                                         const Packet& packet, Cycle now) {
  using Fate = OtherTables::Fate;
  const RouterId router = place.port.router;
  const Router& own = routers_[router];
  if (own.refusal) return {Fate::dropped, NetworkDropCause::unreachable};
  if (own.both && packet.tables == own.old->generation) {
    if (own.both->is_old(place.port.port, place.vc)) return {Fate::keeps_own};
    // The packet has entered recovery in this router, and has not left yet.
    return {Fate::takes_those_of_router};
  }
  if (!own.suspended)
    throw ModelError("router " + std::to_string(router), now, packet_name(packet.id),
                     "recovers by tables of generation " + std::to_string(packet.tables) +
                         " and arrives at a router whose traffic uses those of " +
                         std::to_string(own.generation));
  return {Fate::dropped, NetworkDropCause::in_recovery};
}

void Reconfiguration::dropped(const Packet& packet, Cycle) {
  if (packet.source.is_router()) (void)ports_[packet.source.router()]->collect(packet.header[0]);
}

Cycle Reconfiguration::last_event() const {
  Cycle last = 0;
  for (const ControlPort* const port : ports_)
    if (const Cycle next = port->next_event(); next != never) last = std::max(last, next);
  return last;
}

std::string Reconfiguration::report(unsigned most_lines) const {
  std::string text;
  unsigned lines = 0;
  for (RouterId router = 0; router < routers_.size(); ++router) {
    if (!routers_[router].suspended) continue;
    if (lines++ == most_lines) return text + "  and others\n";
    const ReconfigurationNode& node = *ports_[router]->node();
    text += "  router " + std::to_string(router) + " is suspended since cycle " +
            std::to_string(routers_[router].suspended_since) + ", " + phase_name(node.phase()) +
            "; its root is router " + std::to_string(node.known().root()) + '\n';
  }
  return text;
}

ReconfigurationCounters Reconfiguration::counters(Cycle now) const {
  ReconfigurationCounters counters = counters_;
  for (const Router& router : routers_)
    if (router.suspended) counters.suspended_cycles += now - std::min(now, router.suspended_since);
  ReconfigurationEpisode present = episode_;
  present.to = std::max(now, present.from);
  if (suspended_routers_ != 0) count(present, counters);
  for (const ControlPort* const port : ports_) counters.control_messages += port->messages();
  return counters;
}

void Reconfiguration::visit_generations(
    const std::function<void(std::uint32_t, const routing::DetourUd&)>& visit) const {
  for (const auto& [plan, weak] : tables_)
    if (const auto tables = weak.lock()) visit(tables->generation, *tables->routing);
}

std::unique_ptr<Reconfiguration> make_reconfiguration(const NetworkConfig& config,
                                                      const graph::Topology& topology,
                                                      const routing::Routing& first) {
  if (!config.reconfigures()) return nullptr;
  return std::make_unique<Reconfiguration>(config, topology, first);
}

}  // namespace tsuji::network
