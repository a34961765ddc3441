// SPDX-License-Identifier: Apache-2.0
#include "tsuji/network/config/network_config.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <tuple>

#include "tsuji/core/error.h"
#include "tsuji/core/run_time.h"
#include "tsuji/graph/cube.h"
#include "tsuji/network/config/link_classes.h"
#include "tsuji/router/allocators/kinds.h"
#include "tsuji/routing/detour/detour_ud.h"

namespace tsuji::network {
namespace {

using config::KeyTable;
using routing::RoutingTraits;

void add_link_keys(KeyTable& keys, NetworkConfig& config) {
  keys.add("link.latency_cycles", config.link_latency_cycles, {1, VcNetworkConfig::most_link_cycles},
           "cycles",
           "latency of a link between routers, from a flit's departure to the arrival of its first word");
  keys.add(
      "link.classes", config.link_classes,
      "values of classes of links, as \"global latency 40 flit_cycles 2 length 12, local latency 50 ns\": "
      "latency, flit_cycles (narrower links) and length in mm, each in place of the common one; classes: "
      "dimension0, dimension1, ... of mesh, torus, cube, hyperx; short, express of express_mesh; local, "
      "global of dragonfly, dragonfly_plus, slim_fly; level0, ... of fat_tree; stage0, ... of fly; those "
      "of a file; link of others; node: links to nodes");
  config.network.add_link_keys(keys);
  keys.add("link.faults", config.link_faults,
           "link faults, comma-separated, as LINK@DOWN or LINK@DOWN:UP in cycles; LINK: number in "
           "--print-topology; a link is down during the union of its intervals");
}

std::uint64_t number(const std::string& text, const std::string& whole) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || text.empty())
    throw ConfigError("link.faults", whole, "not a list of link faults",
                      "LINK@DOWN or LINK@DOWN:UP, decimal, with commas between them");
  return value;
}

LinkFault parse_fault(const std::string& text, const std::string& whole, ClockPeriod period) {
  const std::size_t at = text.find('@');
  const std::size_t colon = text.find(':');
  LinkFault fault;
  const std::uint64_t link = number(text.substr(0, at), whole);
  const std::string times = at == std::string::npos ? "" : text.substr(at + 1);
  fault.down = number(times.substr(0, times.find(':')), whole);
  if (colon != std::string::npos) fault.up = number(times.substr(times.find(':') + 1), whole);
  constexpr auto most_links = std::numeric_limits<std::uint32_t>::max();
  if (link > most_links)
    throw ConfigError("link.faults", whole, "there is no link " + std::to_string(link),
                      "LINK as --print-topology numbers them");
  fault.link = static_cast<std::uint32_t>(link);
  const Cycle last = last_run_cycle(period);
  if (fault.down > last || (colon != std::string::npos && fault.up > last))
    throw ConfigError("link.faults", whole,
                      "later than a run may last with clock_period_ps " + std::to_string(period.ps()),
                      "DOWN and UP up to cycle " + std::to_string(last));
  if (fault.down == 0 || fault.up <= fault.down)
    throw ConfigError("link.faults", whole, "a link goes down in cycle 1 or later, and comes up after that",
                      "1 <= DOWN < UP");
  return fault;
}

/// Joins intervals of one link that meet: the link is down while one of them says so.
std::vector<LinkFault> merged(std::vector<LinkFault> faults) {
  std::sort(faults.begin(), faults.end(), [](const LinkFault& a, const LinkFault& b) {
    return std::tie(a.link, a.down) < std::tie(b.link, b.down);
  });
  std::vector<LinkFault> result;
  for (const LinkFault& fault : faults) {
    if (!result.empty() && result.back().link == fault.link && fault.down <= result.back().up) {
      result.back().up = std::max(result.back().up, fault.up);
    } else {
      result.push_back(fault);
    }
  }
  return result;
}

/// Hops between the farthest routers of a cube; 0 for other topologies, on which no routing recovers.
unsigned cube_diameter(const TopologyConfig& topology) {
  if (topology.kind != "torus" && topology.kind != "mesh" && topology.kind != "cube") return 0;
  const auto& cube = topology.of<graph::CubeConfig>();
  unsigned hops = 0;
  for (std::size_t d = 0; d < cube.radices.size(); ++d) {
    const bool wraps =
        topology.kind == "torus" || (topology.kind == "cube" && d < cube.wraps.size() && cube.wraps[d] != 0);
    hops += wraps ? cube.radices[d] / 2 : cube.radices[d] - 1;
  }
  return hops;
}

/// Abilities that routers which change their tables must have, or may not.
void validate_reconfiguration(const NetworkConfig& config) {
  if (!config.reconfigures()) return;
  if (config.network.router.dead_route == router::DeadRoute::wait)
    throw ConfigError(
        "router.dead_route", "wait",
        "a head in recovery that waits for a dead link would block control messages on its channel",
        "drop, or no faults.events and no campaign");
  if (config.network.router.prediction.leaks())
    throw ConfigError("prediction.check", "leak",
                      "a router that changes its tables purges packets, and a purge does not reach flits "
                      "that were sent but are kept in the buffer",
                      "kill or wait, or no faults.events and no campaign");
}

void validate_faults(const NetworkConfig& config) {
  config.dead.validate();
  if ((!config.dead.empty() || config.dead.change()) && !config.link_faults.empty())
    throw ConfigError("link.faults", config.link_faults,
                      "links that fail during a run cannot be combined with dead links and routers",
                      "none, or no faults.*");
  validate_reconfiguration(config);
  const router::VcRouterConfig& router = config.network.router;
  if (router.hop_limit > router.most_hops)
    throw ConfigError("router.hop_limit", std::to_string(router.hop_limit),
                      "beyond the range of the hop counter", "0.." + std::to_string(router.most_hops));
  if (config.classify_timeouts && router.block_timeout_cycles == 0)
    throw ConfigError("deadlock.classify_timeouts", "true", "no head times out",
                      "false, or router.block_timeout_cycles 1..65535");
  if (config.routing.kind == "auto" || !config.routing.kinds.traits(config.routing.kind).recovers) return;
  if (router.block_timeout_cycles == 0)
    throw ConfigError("router.block_timeout_cycles", "0", "deadlocked packets would never enter recovery",
                      "1..65535, or auto: 128");
}

/// Checks the keys of a look-up memory that replaces the routers' own tables.
void validate_lookup(const NetworkConfig& config) {
  if (!config.lookup.in_switch()) return;
  const bool by_words = config.decides_by_coordinates();
  const Cycle usual = VcNetworkConfig().rc_cycles;
  if (!by_words && config.network.rc_cycles != usual)
    throw ConfigError("router.rc_cycles", std::to_string(config.network.rc_cycles),
                      "with look-up hardware, the keys lookup.* set the time of route computation",
                      std::to_string(usual) + ", its default, or lookup.kind local");
  if (config.reconfigures() && config.dead.losses == Losses::nothing)
    throw ConfigError("faults.losses", "nothing",
                      "the CAM of a switch holds one generation of tables, and packets in recovery need two",
                      "recovering or everything, or lookup.kind local");
  const router::PredictionConfig& prediction = config.network.router.prediction;
  if (!by_words && prediction.on() && prediction.check == router::PredictionCheck::kill)
    throw ConfigError("prediction.check", "kill",
                      "with look-up hardware a misprediction would be detected too late to kill the flit",
                      "hint, wait or leak, or lookup.kind local, or prediction.kind none");
}

/// Features that do not keep classes of messages apart, or have not been examined with them.
void validate_classes(const NetworkConfig& config) {
  if (!config.classes.on()) return;
  const auto refuse = [](const char* key, const std::string& value, const std::string& problem,
                         const std::string& accepted) {
    throw ConfigError(key, value, problem, accepted + ", or no classes.list");
  };
  const VcNetworkConfig& network = config.network;
  if (network.router_kind != "vc")
    refuse("router.kind", network.router_kind, "does not keep classes of messages apart at nodes", "vc");
  if (network.vcs_of_nodes() != network.vcs)
    refuse("router.node_vcs", std::to_string(network.node_vcs),
           "classes of messages have their virtual channels at the links of nodes, too", "0: router.vcs");
  if (network.router.prediction.on())
    refuse("prediction.kind", network.router.prediction.kind,
           "a prediction takes any virtual channel at a node's port, also of another class", "none");
  if (config.lookup.in_switch())
    refuse("lookup.kind", config.lookup.kind, "an entry of a table does not tell classes apart", "local");
  if (config.rails.count > 1)
    refuse("rails.count", std::to_string(config.rails.count), "answers arrive at all ports of a node", "1");
  if (!config.link_faults.empty())
    refuse("link.faults", config.link_faults, "a lost request or answer would never be sent again",
           "no faults");
  if (!config.dead.empty() || config.dead.change())
    refuse("faults.events", config.dead.events, "a lost request or answer would never be sent again",
           "no faults");
  (void)config.message_classes();
}

/// Routed virtual channels at the ports of nodes.
void validate_ejection(const NetworkConfig& config) {
  const VcNetworkConfig& network = config.network;
  if (!network.router.eject_routed_vcs) return;
  if (network.vcs_of_nodes() != network.vcs)
    throw ConfigError("router.node_vcs", std::to_string(network.node_vcs),
                      "links of nodes have other virtual channels than a route",
                      "0: router.vcs, or router.eject_routed_vcs false");
  if (network.router.prediction.on())
    throw ConfigError("prediction.kind", network.router.prediction.kind,
                      "a prediction takes any virtual channel at a node's port",
                      "none, or router.eject_routed_vcs false");
}

/// Features whose packets congestion control does not acknowledge, or would hold back in the wrong place.
void validate_congestion(const NetworkConfig& config) {
  config.congestion.kinds.validate(config.congestion.kind);
  if (!config.congestion.on()) return;
  const auto refuse = [](const char* key, const std::string& value, const std::string& problem,
                         const std::string& accepted) {
    throw ConfigError(key, value, problem, accepted + ", or congestion.kind none");
  };
  if (config.classes.on())
    refuse("classes.list", config.classes.list, "a packet held back would hold back those of other classes",
           "no classes");
  if (config.rails.count > 1)
    refuse("rails.count", std::to_string(config.rails.count),
           "windows and tokens belong to a node, not to a network port", "1");
  if (!config.link_faults.empty())
    refuse("link.faults", config.link_faults, "a lost packet would never be acknowledged", "no faults");
  if (!config.dead.empty() || config.dead.change())
    refuse("faults.events", config.dead.events, "a lost packet would never be acknowledged", "no faults");
  if (config.decides_by_coordinates())
    refuse("routing.kind", config.routing.kind, "congestion control is not examined with recovery",
           "a routing without recovery");
}

}  // namespace

MessageClasses NetworkConfig::message_classes() const {
  MessageClasses read = classes.read(network.vcs);
  const std::string& allocator = network.router.sa_allocator;
  if (allocator == "strict_priority") read.order = ClassOrder::strict_priority;
  if (allocator == "weighted_round_robin") read.order = ClassOrder::weighted_round_robin;
  for (const MessageClass& one : read.all) {
    if (one.priority != 0 && read.order != ClassOrder::strict_priority)
      throw ConfigError("router.sa_allocator", allocator, "does not read the priority of class " + one.name,
                        "strict_priority, or no priority in classes.list");
    if (one.weight != 1 && read.order != ClassOrder::weighted_round_robin)
      throw ConfigError("router.sa_allocator", allocator, "does not read the weight of class " + one.name,
                        "weighted_round_robin, or no weight in classes.list");
  }
  return read;
}

ClockDomainConfig NetworkConfig::clock() const {
  ClockDomainConfig clock;
  clock.period = ClockPeriod(clock_period_ps);
  clock.mode = process_mode;
  clock.shuffle_seed = shuffle_seed;
  return clock;
}

std::vector<LinkFault> NetworkConfig::faults() const {
  std::vector<LinkFault> list;
  if (link_faults.empty()) return list;
  for (std::size_t from = 0; from <= link_faults.size();) {
    const std::size_t comma = std::min(link_faults.find(',', from), link_faults.size());
    list.push_back(
        parse_fault(link_faults.substr(from, comma - from), link_faults, ClockPeriod(clock_period_ps)));
    from = comma + 1;
  }
  return merged(std::move(list));
}

bool NetworkConfig::reconfigures() const {
  return dead.change() && routing.kind != "auto" && routing.kinds.traits(routing.kind).reconfigures;
}

faults::FaultSchedule NetworkConfig::fault_schedule(const graph::Topology& network_topology) const {
  if (link_faults.empty()) {
    faults::FaultSchedule schedule = dead.schedule(network_topology);
    for (const faults::FaultEvent& event : schedule.events()) {
      if (event.cycle != 0 && event.of_router && !reconfigures())
        throw ConfigError("faults.events", event.text() + " in cycle " + std::to_string(event.cycle),
                          "routers die during a run only where the others change their tables",
                          "links, or routing.kind detour_ud");
    }
    return schedule;
  }
  std::vector<faults::FaultEvent> events;
  const std::size_t links = network_topology.links().size();
  for (const LinkFault& fault : faults()) {
    if (fault.link >= links)
      throw ConfigError("link.faults", link_faults, "there is no link " + std::to_string(fault.link),
                        "links 0.." + std::to_string(links - 1));
    events.push_back({fault.down, false, fault.link, false});
    if (fault.up != never) events.push_back({fault.up, false, fault.link, true});
  }
  std::sort(events.begin(), events.end(), [](const faults::FaultEvent& a, const faults::FaultEvent& b) {
    return std::tie(a.cycle, a.number, b.returns) < std::tie(b.cycle, b.number, a.returns);
  });
  return {network_topology, std::move(events)};
}

void NetworkConfig::resolve() {
  routing.resolve(topology.kinds, topology.kind, lookup.in_switch());
  const RoutingTraits& traits = routing.kinds.traits(routing.kind);
  router::VcRouterConfig& router = network.router;
  constexpr Cycle timeout_cycles = 128;
  router.block_timeout_cycles.settle(traits.recovers ? timeout_cycles : 0);
  router.hop_limit.settle(traits.recovers ? 4 * cube_diameter(topology) : 0);
  router.uturn_network.settle(traits.turns_back);
  routing.of<routing::DetourUdConfig>().banks = reconfigures() && dead.losses == Losses::nothing;
  resolve_prediction();
  if (congestion.acknowledges())
    router.mark_above_flits = congestion.kinds.of<traffic::EcnConfig>().mark_flits;
  router.ejects_by_class = classes.on() || router.eject_routed_vcs;
  if (classes.on()) router.sa_allocators.of<router::ClassSwitchConfig>().policy = message_classes().policy();
}

bool NetworkConfig::decides_by_coordinates() const {
  return routing.kind != "auto" && routing.kinds.traits(routing.kind).recovers;
}

/// A guess can be killed in the cycles of ST: what is known later must not be sent, or is dropped further on.
void NetworkConfig::resolve_prediction() {
  router::PredictionConfig& prediction = network.router.prediction;
  const bool late =
      (lookup.in_switch() && !decides_by_coordinates()) || network.rc_cycles > network.router.st_cycles;
  using router::PredictionCheck;
  prediction.check.settle(prediction.serial ? PredictionCheck::leak
                          : late            ? PredictionCheck::wait
                                            : PredictionCheck::kill);
}

void NetworkConfig::validate() const {
  topology.validate();
  routing.validate();
  network.validate();
  lookup.validate();
  validate_faults(*this);
  validate_lookup(*this);
  validate_classes(*this);
  validate_ejection(*this);
  validate_congestion(*this);
  (void)faults();
  (void)parse_link_classes(link_classes, ClockPeriod(clock_period_ps));
}

graph::Topology make_topology(const NetworkConfig& config) {
  graph::Topology topology = make_topology(config.topology, config.link_latency_cycles);
  for (const graph::LinkClass& one :
       parse_link_classes(config.link_classes, ClockPeriod(config.clock_period_ps)))
    topology.set_class_values(one);
  return topology;
}

void add_network_keys(config::KeyTable& keys, NetworkConfig& config) {
  keys.add("clock_period_ps", config.clock_period_ps, {2, 1'000'000'000}, "ps",
           "clock period of the network");
  add_topology_keys(keys, config.topology);
  add_link_keys(keys, config);
  config.network.add_router_keys(keys);
  add_routing_keys(keys, config.routing, config.topology.kinds);
  const std::vector<std::string> recovering = config.routing.kinds_that(&RoutingTraits::recovers);
  for (const char* key : {"router.table_cycles", "router.table_ports", "router.table_pipelined"})
    if (!recovering.empty()) keys.only_with(key, {{"routing.kind", recovering}});
  lookup::add_lookup_keys(keys, config.lookup);
  for (const char* key : {"router.table_cycles", "router.table_ports", "router.table_pipelined"})
    keys.only_with(key, {{"lookup.kind", {"local"}}});
  keys.add("run.watchdog_cycles", config.watchdog_cycles, {100, 1'000'000'000}, "cycles",
           "time without a flit moving, while packets are in the network, after which the run stops");
  keys.add_choice("run.processes", config.process_mode,
                  {{"one_for_all", ProcessMode::one_for_all}, {"process_each", ProcessMode::process_each}},
                  "number of SystemC processes; one_for_all: one for each clock; process_each: one for each "
                  "module (slower, equal results)");
  keys.add("run.shuffle_seed", config.shuffle_seed, {0, ~0ULL}, "",
           "seed of the order in which modules run within a cycle; 0: fixed order");
}

void add_network_fault_keys(config::KeyTable& keys, NetworkConfig& config) {
  add_fault_keys(keys, config.dead,
                 {config.routing.kinds_that(&RoutingTraits::bears_faults),
                  config.routing.kinds_that(&RoutingTraits::reconfigures)});
}

void add_network_deadlock_keys(KeyTable& keys, NetworkConfig& config) {
  keys.add("deadlock.classify_timeouts", config.classify_timeouts,
           "search for a deadlock at each timeout of a blocked head, and count true and false detections; "
           "slower, equal results");
}

}  // namespace tsuji::network
