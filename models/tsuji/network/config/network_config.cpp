// SPDX-License-Identifier: Apache-2.0
#include "tsuji/network/config/network_config.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <tuple>

#include "tsuji/core/error.h"
#include "tsuji/core/run_time.h"
#include "tsuji/graph/cube.h"
#include "tsuji/link/flit_channel.h"
#include "tsuji/routing/detour/detour_ud.h"

namespace tsuji::network {
namespace {

using config::KeyTable;
using router::AllocatorKind;
using routing::RoutingTraits;

constexpr unsigned most_hops = 65535;  // that a packet counts

void add_link_keys(KeyTable& keys, NetworkConfig& config) {
  VcNetworkConfig& n = config.network;
  constexpr Cycle most = 1'000'000;
  keys.add("link.latency_cycles", config.link_latency_cycles, {1, most}, "cycles",
           "latency between routers, departure to the first word's arrival");
  keys.add("link.inject_latency_cycles", n.inject_latency_cycles, {1, most}, "cycles",
           "latency from node to router");
  keys.add("link.eject_latency_cycles", n.eject_latency_cycles, {1, most}, "cycles",
           "latency from router to node");
  keys.add("link.flit_cycles", n.flit_cycles, {1, 65535}, "cycles",
           "time of a flit on a link; its last word arrives flit_cycles - 1 after its first");
  keys.add("link.whole_flit", n.whole_flit, "routers act on a flit's last word, not on its first");
  keys.add("link.credit_latency_cycles", n.credit_latency_cycles, {0, most}, "cycles",
           "latency of a credit; 0: latency of its link");
  keys.add("link.credit_process_cycles", n.credit_process_cycles, {0, most}, "cycles",
           "acceptance of a credit at the sender");
  keys.add("link.node_credit_process_cycles", n.node_credit_process_cycles, {0, most}, "as_links", "cycles",
           "acceptance of a credit at a node, for its injection channel; as_links: credit_process_cycles");
  keys.add("link.faults", config.link_faults,
           "link faults as LINK@DOWN or LINK@DOWN:UP in cycles, with commas; LINK as --print-topology "
           "numbers them; intervals of one link add up");
}

void add_stage_keys(KeyTable& keys, NetworkConfig& config) {
  VcNetworkConfig& n = config.network;
  router::VcRouterConfig& r = n.router;
  const auto cycles = [&keys](const char* key, Cycle& field, Cycle least, const char* meaning) {
    keys.add(std::string("router.") + key, field, {least, 65535}, "cycles", meaning);
  };
  cycles("rc_cycles", n.rc_cycles, 0,
         "route computation by a router's own table or function (lookup.kind plain)");
  cycles("va_cycles", r.va_cycles, 0,
         "virtual-channel allocation; 0: in one cycle with switch allocation (VSA)");
  cycles("sa_cycles", r.sa_cycles, 1, "switch allocation");
  cycles("st_cycles", r.st_cycles, 0, "switch traversal");
  cycles("des_cycles", r.des_cycles, 0, "deserialization in front of a router");
  cycles("ser_cycles", r.ser_cycles, 0, "serialization after a router");
  cycles("vc_change_cycles", r.vc_change_cycles, 0, "bubble at an output whose virtual channel changes");
  keys.add("router.block_timeout_cycles", r.block_timeout_cycles.setting(), {0, 65535}, "auto", "cycles",
           "timeout after which a blocked head is counted, and brought into recovery where the routing has "
           "one; 0: none; auto: 128 with recovery, else none");
  keys.add("router.hop_limit", r.hop_limit.setting(), {0, most_hops}, "auto", "",
           "hops between routers after which a head is counted and brought into recovery, too; 0: none; "
           "auto: 4 times the diameter with recovery, else none");
}

/// Choices in which simulators and hardware differ (models/tsuji/router/README.md).
void add_arbiter_keys(KeyTable& keys, router::VcRouterConfig& r) {
  keys.add_choice(
      "router.va_input_arbiter", r.va_input_arbiter,
      {{"vcs", router::VaInputArbiter::vcs}, {"ports_and_vcs", router::VaInputArbiter::ports_and_vcs}},
      "lines of the virtual-channel allocator's input arbiters: the virtual channels of the routed port, or "
      "those of all output ports, so that a head to another port than the one before takes the lowest free "
      "one");
  keys.add_choice(
      "router.va_requests", r.va_requests,
      {{"one", router::VaRequests::one}, {"all", router::VaRequests::all}},
      "output ports of which a head with several candidates requests channels in a cycle: the one "
      "that router.selection chooses, or all; separable and matrix prefer the better rank then");
  keys.only_with("router.va_requests", {{"router.va_input_arbiter", {"ports_and_vcs"}}});
  keys.add_choice("router.sa_input_arbiter", r.sa_input_arbiter,
                  {{"vcs", router::SaInputArbiter::vcs}, {"outputs", router::SaInputArbiter::outputs}},
                  "lines of a separable or matrix switch allocator's input arbiters: the input's virtual "
                  "channels, or the outputs, with a channel for each by a round robin of the input");
  keys.only_with("router.sa_input_arbiter", {{"router.sa_allocator", {"separable", "matrix"}}});
  keys.add_choice("router.matrix_first", r.matrix_first,
                  {{"lowest", router::FirstLine::lowest}, {"highest", router::FirstLine::highest}},
                  "line that matrix arbiters prefer before they have served any");
  keys.only_with("router.matrix_first",
                 {{"router.va_allocator", {"matrix"}}, {"router.sa_allocator", {"matrix"}}});
}

void add_router_keys(KeyTable& keys, NetworkConfig& config) {
  VcNetworkConfig& n = config.network;
  router::VcRouterConfig& r = n.router;
  keys.add("router.vcs", n.vcs, {1, 16}, "", "virtual channels of a link between routers");
  keys.add("router.node_vcs", n.node_vcs, {0, 16}, "",
           "virtual channels of a link to a node; 0: as between routers");
  keys.add("router.first_injection_vc", n.first_injection_vc, {0, 1}, "",
           "virtual channel of a source's first packet, after which they take turns; 1: 0 where there is one "
           "channel");
  keys.add("router.buffer_flits", n.buffer_flits, {1, FlitRing::largest_depth}, "flits",
           "input buffer of each virtual channel");
  keys.add_choice("router.switching", r.switching,
                  {{"wormhole", router::Switching::wormhole},
                   {"virtual_cut_through", router::Switching::virtual_cut_through},
                   {"store_and_forward", router::Switching::store_and_forward}},
                  "switching: condition on free buffers for a packet to proceed");
  add_stage_keys(keys, config);
  const std::vector<std::pair<std::string, AllocatorKind>> allocators = {
      {"islip", AllocatorKind::islip},
      {"separable", AllocatorKind::separable},
      {"matrix", AllocatorKind::matrix}};
  keys.add_choice("router.va_allocator", r.va_allocator, allocators, "virtual-channel allocator");
  keys.add_choice("router.sa_allocator", r.sa_allocator, allocators, "switch allocator");
  keys.add("router.islip_iterations", r.islip_iterations, {1, 64}, "", "iterations of the iSLIP allocators");
  keys.only_with("router.islip_iterations",
                 {{"router.va_allocator", {"islip"}}, {"router.sa_allocator", {"islip"}}});
  add_arbiter_keys(keys, r);
  keys.add("router.input_speedup", r.input_speedup, {1, 16}, "",
           "flits that an input port sends in a cycle, from different virtual channels");
  keys.add("router.atomic_vcs", r.atomic_vcs,
           "a virtual channel is taken only when all of its credits are back");
  keys.add("router.uturn_network", r.uturn_network.setting(), "auto",
           "a packet may leave by the network port that it came in by; auto: where the routing turns back");
  keys.add("router.uturn_node", r.uturn_node,
           "a packet may leave by the port of the node that sent it: packets of a node to itself");
  keys.add_choice("router.route_at", r.route_at,
                  {{"front", router::RouteAt::front}, {"arrival", router::RouteAt::arrival}},
                  "start of route computation: at the front of the virtual channel, or on arrival");
  keys.add_choice(
      "router.selection", r.selection,
      {{"first", router::Selection::first},
       {"most_credits", router::Selection::most_credits},
       {"round_robin", router::Selection::round_robin},
       {"random", router::Selection::random}},
      "choice among equal candidates of a head: the first; the one with the most credits in its free virtual "
      "channels, ties in turn; one after the other; or by the packet's random numbers");
  keys.only_with("router.selection", {{"router.va_requests", {"one"}}, {"router.va_input_arbiter", {"vcs"}}});
  keys.add_choice("router.dead_way", r.dead_way,
                  {{"drop", router::DeadWay::drop}, {"wait", router::DeadWay::wait}},
                  "policy for a head whose candidate routes all use failed links");
  keys.add("router.table_cycles", n.table_cycles, {1, 65535}, "cycles",
           "read of the routing tables, in recovery and in fault regions");
  keys.add("router.table_ports", n.table_ports, {1, 64}, "",
           "reads of the tables that begin in a cycle; input virtual channels are divided among them");
  keys.add("router.table_pipelined", n.table_pipelined,
           "a read begins in every cycle; else a port is busy for the whole read");
}

void add_prediction_keys(KeyTable& keys, NetworkConfig& config) {
  using Check = std::optional<router::PredictionCheck>;
  router::PredictionConfig& prediction = config.network.router.prediction;
  keys.add_choice("prediction.kind", prediction.kind, prediction.kinds.words(),
                  "prediction of the output port of an input's next head (Tateshita 2009)");
  prediction.kinds.add_keys(keys);
  keys.add_choice("prediction.top", prediction.top,
                  {{"next", graph::TopTurn::next}, {"same", graph::TopTurn::same}},
                  "straight: output at the root of a tree, the next port or the input's own");
  keys.only_with("prediction.top", {{"prediction.kind", {"straight"}}});
  keys.add_choice(
      "prediction.check", prediction.check.setting(),
      {{"auto", Check()},
       {"kill", Check(router::PredictionCheck::kill)},
       {"hint", Check(router::PredictionCheck::hint)},
       {"wait", Check(router::PredictionCheck::wait)},
       {"leak", Check(router::PredictionCheck::leak)}},
      "treatment of wrong flits: killed at the output's latch, held back by hint bits, not sent before "
      "the route is known, or dropped by the next router; auto: kill where the route is known in time, leak "
      "with prediction.serial, else wait");
  keys.add("prediction.serial", prediction.serial,
           "hits go on word by word, without deserialization, wait for the last word and serialization");
  std::vector<std::string> predictors;
  for (const auto& [word, name] : prediction.kinds.words())
    if (word != "none") predictors.push_back(word);
  for (const char* key : {"prediction.check", "prediction.serial"})
    keys.only_with(key, {{"prediction.kind", predictors}});
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
  if (config.network.router.dead_way == router::DeadWay::wait)
    throw ConfigError("router.dead_way", "wait",
                      "a head in recovery that waits for a dead link keeps its channel from control messages",
                      "drop, or no faults.events and no campaign");
  if (config.network.router.prediction.leaks())
    throw ConfigError("prediction.check", "leak",
                      "a router that changes its tables purges packets, and flits that have left and are in "
                      "the buffer still follow no purge",
                      "kill or wait, or no faults.events and no campaign");
}

void validate_faults(const NetworkConfig& config) {
  config.dead.validate();
  if ((!config.dead.empty() || config.dead.change()) && !config.link_faults.empty())
    throw ConfigError("link.faults", config.link_faults,
                      "links that fail during a run do not go together with dead links and routers",
                      "none, or no faults.*");
  validate_reconfiguration(config);
  const router::VcRouterConfig& router = config.network.router;
  if (router.hop_limit > most_hops)
    throw ConfigError("router.hop_limit", std::to_string(router.hop_limit), "hops are not counted so far",
                      "0.." + std::to_string(most_hops));
  if (config.classify_timeouts && router.block_timeout_cycles == 0)
    throw ConfigError("deadlock.classify_timeouts", "true", "no head times out",
                      "false, or router.block_timeout_cycles 1..65535");
  if (config.routing.kind == "auto" || !config.routing.kinds.traits(config.routing.kind).recovers) return;
  if (router.block_timeout_cycles == 0)
    throw ConfigError("router.block_timeout_cycles", "0",
                      "messages that block each other would never be brought into recovery",
                      "1..65535, or auto: 128");
}

/// A memory of route look-ups in the place of the routers' own tables.
void validate_lookup(const NetworkConfig& config) {
  if (!config.lookup.in_switch()) return;
  const bool by_words = config.decides_by_coordinates();
  const Cycle usual = VcNetworkConfig().rc_cycles;
  if (!by_words && config.network.rc_cycles != usual)
    throw ConfigError("router.rc_cycles", std::to_string(config.network.rc_cycles),
                      "route computation takes the time of lookup.*",
                      std::to_string(usual) + ", its default, or lookup.kind plain");
  if (config.reconfigures() && config.dead.losses == Losses::nothing)
    throw ConfigError(
        "faults.losses", "nothing",
        "a switch's memory has the words of one generation of tables, and packets recover by two",
        "recovering or everything, or lookup.kind plain");
  const router::PredictionConfig& prediction = config.network.router.prediction;
  if (!by_words && prediction.on() && prediction.check == router::PredictionCheck::kill)
    throw ConfigError("prediction.check", "kill",
                      "with look-up hardware a wrong guess would be known too late to be killed",
                      "hint, wait or leak, or lookup.kind plain, or prediction.kind none");
}

}  // namespace

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
  (void)faults();
}

void add_network_keys(config::KeyTable& keys, NetworkConfig& config) {
  keys.add("clock_period_ps", config.clock_period_ps, {2, 1'000'000'000}, "ps", "clock of the network");
  add_topology_keys(keys, config.topology);
  add_link_keys(keys, config);
  add_router_keys(keys, config);
  add_prediction_keys(keys, config);
  add_routing_keys(keys, config.routing, config.topology.kinds);
  const std::vector<std::string> recovering = config.routing.kinds_that(&RoutingTraits::recovers);
  for (const char* key : {"router.table_cycles", "router.table_ports", "router.table_pipelined"})
    if (!recovering.empty()) keys.only_with(key, {{"routing.kind", recovering}});
  lookup::add_lookup_keys(keys, config.lookup);
  for (const char* key : {"router.table_cycles", "router.table_ports", "router.table_pipelined"})
    keys.only_with(key, {{"lookup.kind", {"plain"}}});
  keys.add("run.watchdog_cycles", config.watchdog_cycles, {100, 1'000'000'000}, "cycles",
           "standstill after which the run stops: no flit moves while packets are in the network");
  keys.add_choice("run.processes", config.process_mode,
                  {{"one_for_all", ProcessMode::one_for_all}, {"process_each", ProcessMode::process_each}},
                  "SystemC processes: one for each clock, or one for each module (slower, equal results)");
  keys.add("run.shuffle_seed", config.shuffle_seed, {0, ~0ULL}, "",
           "seed of the order of modules within a cycle; 0: fixed order");
}

void add_network_fault_keys(config::KeyTable& keys, NetworkConfig& config) {
  add_fault_keys(keys, config.dead,
                 {config.routing.kinds_that(&RoutingTraits::bears_faults),
                  config.routing.kinds_that(&RoutingTraits::reconfigures)});
}

void add_network_deadlock_keys(KeyTable& keys, NetworkConfig& config) {
  keys.add("deadlock.classify_timeouts", config.classify_timeouts,
           "a scan for deadlocks at each timeout of a blocked head: true and false detections; slower, equal "
           "results");
}

}  // namespace tsuji::network
