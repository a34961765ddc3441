// SPDX-License-Identifier: Apache-2.0
#include "tsuji/network/config/vc_network_config.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <set>
#include <string>

#include "tsuji/core/error.h"
#include "tsuji/router/prediction/predictive_crossbar.h"
#include "tsuji/routing/route_hints.h"

namespace tsuji::network {
namespace {

/// Predictors of the largest router are made, and refused, before there is a network.
void try_predictors(const VcNetworkConfig& config, const graph::Topology& topology) {
  const router::PredictionConfig& prediction = config.router.prediction;
  graph::RouterId largest = 0;
  for (graph::RouterId id = 1; id < topology.routers(); ++id)
    if (topology.ports(id) > topology.ports(largest)) largest = id;
  Arena scratch;
  router::PredictorParts parts{topology.ports(largest), {}, scratch};
  parts.table = predictor_table(config, topology, largest, prediction.kinds.traits(prediction.kind).table);
  parts.table.resize(parts.ports, router::no_port);
  (void)prediction.kinds.make(prediction.kind, parts);
}

/// A prediction router plans its crossbar as far ahead as a flit of the narrowest link takes.
void check_class_widths(const VcNetworkConfig& config, const graph::Topology& topology) {
  const Cycle most = router::PredictiveCrossbar::most_ahead_cycles - config.router.predicted_lead_cycles();
  std::vector<graph::LinkClass> classes = topology.link_classes();
  classes.push_back(topology.node_class());
  for (const graph::LinkClass& one : classes)
    if (one.flit_cycles > most)
      throw ConfigError("link.classes", one.name + " flit_cycles " + std::to_string(one.flit_cycles),
                        "exceeds the look-ahead of a prediction router", "at most " + std::to_string(most));
}

void check_routing(const router::PredictionConfig& prediction, const routing::Routing& routing) {
  if (prediction.check == router::PredictionCheck::hint && routing.hints() == nullptr)
    throw ConfigError("prediction.check", "hint", "the routing sends no hint bits",
                      "routing.kind least_common_ancestor on a fat tree, or kill, wait or leak");
  if (prediction.foresees() && routing.decisions() != nullptr)
    throw ConfigError("prediction.kind", prediction.kind,
                      "the routing decides by credits, which have changed when the look-up's answer arrives",
                      "prediction.check kill or wait, or none");
}

/// Words of the routers that read a key of VcRouterConfig.
std::vector<std::string> readers(const router::RouterKinds& kinds, const std::string& key) {
  std::vector<std::string> words;
  for (const std::string& word : kinds.names()) {
    const std::vector<std::string>& reads = kinds.traits(word).reads;
    if (std::find(reads.begin(), reads.end(), router::RouterTraits::every_key) != reads.end() ||
        std::find(reads.begin(), reads.end(), key) != reads.end())
      words.push_back(word);
  }
  return words;
}

/// The keys that `add` adds have an effect with the routers that read them.
void add_shared(config::KeyTable& keys, const router::RouterKinds& kinds, const std::function<void()>& add) {
  std::set<std::string> before;
  for (const config::KeyTable::Description& each : keys.descriptions()) before.insert(each.key);
  add();
  if (kinds.names().size() < 2) return;
  for (const config::KeyTable::Description& each : keys.descriptions()) {
    if (before.count(each.key) != 0) continue;
    const std::vector<std::string> words = readers(kinds, each.key);
    if (!words.empty() && words.size() < kinds.names().size())
      keys.only_with(each.key, {{router::RouterTraits::selector, words}});
  }
}

std::string ports_text(const graph::Topology& topology, graph::RouterId id) {
  return "router " + std::to_string(id) + " has " + std::to_string(topology.ports(id)) + " ports";
}

}  // namespace

void VcNetworkConfig::require_crossbars(const graph::Topology& topology) const {
  constexpr unsigned most_inputs = 64;
  for (graph::RouterId id = 0; id < topology.routers(); ++id) {
    if (topology.ports(id) * router.input_speedup <= most_inputs) continue;
    throw ConfigError(
        "topology.kind", topology.name(),
        ports_text(topology, id) + ", and the crossbar of a router with a module takes 64 inputs",
        "at most 64 ports times router.input_speedup, or up to 255 ports and input virtual "
        "channels in a network without modules");
  }
}

std::vector<unsigned> predictor_table(const VcNetworkConfig& config, const graph::Topology& topology,
                                      graph::RouterId id, router::PredictorTable table) {
  if (table == router::PredictorTable::none) return {};
  const router::PredictionConfig& prediction = config.router.prediction;
  const bool up = table == router::PredictorTable::up;
  std::vector<unsigned> ports =
      up ? graph::up_ports(topology, id) : graph::straight_ports(topology, id, prediction.top);
  if (ports.empty())
    throw ConfigError("prediction.kind", prediction.kind,
                      up ? topology.name() + " has no levels" : topology.name() + " has no opposite ports",
                      up ? "a fat tree (topology.kind), or another predictor"
                         : "a mesh, a torus, or a fat tree with as many links up as down (topology.kind), or "
                           "another predictor");
  return ports;
}

void VcNetworkConfig::add_link_keys(config::KeyTable& keys) {
  keys.add("link.inject_latency_cycles", inject_latency_cycles, {1, most_link_cycles}, "cycles",
           "latency of an injection link, from node to router");
  keys.add("link.eject_latency_cycles", eject_latency_cycles, {1, most_link_cycles}, "cycles",
           "latency of an ejection link, from router to node");
  keys.add(
      "link.flit_cycles", flit_cycles, {1, 65535}, "cycles",
      "cycles that a flit occupies a link; its last word arrives flit_cycles - 1 cycles after its first");
  keys.add(
      "link.whole_flit", whole_flit,
      "true: a router handles a flit when its last word has arrived; false: when its first word has arrived");
  keys.add("link.credit_latency_cycles", credit_latency_cycles, {0, most_link_cycles}, "cycles",
           "latency of returned credits; 0: latency of the link");
  keys.add("link.credit_process_cycles", credit_process_cycles, {0, most_link_cycles}, "cycles",
           "time from a credit's arrival at the sender until it can be used");
  keys.add("link.node_credit_process_cycles", node_credit_process_cycles, {0, most_link_cycles}, "as_links",
           "cycles",
           "time from a credit's arrival at a node until its injection channel can use it; as_links: "
           "link.credit_process_cycles");
  keys.add("link.bit_error_rate", errors.bit_error_rate, {0.0, 1.0}, "",
           "probability that a bit arrives inverted on a link, after error correction; a flit's CRC finds "
           "it, and the "
           "link sends again from that flit on (go-back-N)");
  keys.add("link.flit_bits", errors.flit_bits, {1, 1U << 20}, "bits",
           "bits of a flit, with its CRC on a link that errs; loads in Gb/s are flits of these bits");
  keys.add("link.replay_process_cycles", errors.replay_process_cycles, {0, most_link_cycles}, "cycles",
           "check of a damaged flit at the receiver and restart at the sender, beside the round trip");
  keys.add("link.fec_cycles", fec_cycles, {0, most_link_cycles}, "cycles",
           "latency of forward error correction, added to that of every link");
  constexpr unsigned most_links = std::numeric_limits<unsigned>::max() - 1, most_faults = 1'000'000;
  keys.add("link.lanes", errors.lanes, {2, 64}, "lanes", "lanes of a link, for link.lane_faults");
  keys.add(
      "link.lane_faults", errors.lane_faults, {0, most_links}, {0, most_faults}, "",
      "numbers of links of which a lane has failed, a number once for each lane, in both directions, as in "
      "--print-topology json; a link carries flits at the share of its lanes that works");
}

void VcNetworkConfig::add_router_keys(config::KeyTable& keys) {
  // A choice of one would be a key without another value.
  if (router_kinds.names().size() > 1) {
    keys.add_choice("router.kind", router_kind, router_kinds.words(), "kind of router");
    router_kinds.add_keys(keys);
  }
  keys.add("router.vcs", vcs, {1, 16}, "", "virtual channels of each link between routers");
  keys.add("router.node_vcs", node_vcs, {0, 16}, "",
           "virtual channels of each link between router and node; 0: router.vcs");
  keys.add("router.first_injection_vc", first_injection_vc, {0, 1}, "",
           "virtual channel that a source uses for its first packet; later packets use the channels in turn; "
           "a source with one channel uses 0");
  keys.add("router.buffer_flits", buffer_flits, {1, FlitRing::largest_depth}, "flits",
           "capacity of the input buffer of each virtual channel");
  add_shared(keys, router_kinds, [&] { router.add_keys(keys); });
  keys.add("router.rc_cycles", rc_cycles, {0, 65535}, "cycles",
           "duration of route computation (RC) with lookup.kind local");
  keys.move_before("router.rc_cycles", "router.va_cycles");
  keys.add("router.table_cycles", table_cycles, {1, 65535}, "cycles",
           "duration of a routing-table read, for heads in recovery or in a fault region");
  keys.add("router.table_ports", table_ports, {1, 64}, "",
           "read ports of the routing tables of a router; the input virtual channels are divided among them");
  keys.add("router.table_pipelined", table_pipelined,
           "true: a port of the routing tables accepts a read in every cycle; false: only after its previous "
           "read has ended");
  add_shared(keys, router_kinds, [&] { router.prediction.add_keys(keys); });
}

void VcNetworkConfig::validate() const {
  router_kinds.validate(router_kind);
  router.validate();
  errors.validate();
  if (router.prediction.on()) {
    // A wrong flit dies at the output's latch, where the route must be known when it is there.
    if (router.prediction.check == router::PredictionCheck::kill && rc_cycles > router.st_cycles)
      throw ConfigError("router.rc_cycles", std::to_string(rc_cycles),
                        "a misprediction would be detected too late to kill the flit",
                        "at most router.st_cycles, " + std::to_string(router.st_cycles) +
                            ", or prediction.check hint, wait or leak");
    if (router.predicted_lead_cycles() + flit_cycles > router::PredictiveCrossbar::most_ahead_cycles)
      throw ConfigError("link.flit_cycles", std::to_string(flit_cycles),
                        "exceeds the look-ahead of a prediction router",
                        "at most " + std::to_string(router::PredictiveCrossbar::most_ahead_cycles) +
                            " with router.sa_cycles and, for prediction.serial, router.ser_cycles");
  }
  if (router.input_speedup > vcs)
    throw ConfigError("router.input_speedup", std::to_string(router.input_speedup),
                      "exceeds the virtual channels of an input", "1 up to router.vcs");
}

void VcNetworkConfig::validate_with(const graph::Topology& topology, const routing::Routing& routing) const {
  errors.validate_links(topology.links().size());
  if (router.prediction.on()) {
    try_predictors(*this, topology);
    check_routing(router.prediction, routing);
    check_class_widths(*this, topology);
  }
  if (routing.table_reads() != nullptr && rc_cycles == 0)
    throw ConfigError("router.rc_cycles", "0",
                      "this routing's tables are read a cycle after the address is decoded", "1..65535");
  if (routing.promises().turns_back && !router.uturn_network)
    throw ConfigError("router.uturn_network", "false",
                      "with this routing, the port through which a packet arrived may be its only candidate",
                      "true or auto");
  constexpr unsigned most_ports = 255;
  if (router.input_speedup > 1) require_crossbars(topology);
  for (graph::RouterId id = 0; id < topology.routers(); ++id) {
    if (topology.ports(id) <= most_ports && topology.ports(id) * std::max(vcs, vcs_of_nodes()) < 4096)
      continue;
    throw ConfigError("topology.kind", topology.name(), ports_text(topology, id) + " with these channels",
                      "at most " + std::to_string(most_ports) + " ports of less than 4096 channels in all");
  }
  if (routing.promises().needs_atomic_vcs && router.switching == router::Switching::wormhole &&
      !router.atomic_vcs) {
    throw ConfigError(
        "router.atomic_vcs", "false",
        "this routing's proof of freedom from deadlock does not hold for wormhole switching when a "
        "virtual channel is taken before it is empty",
        "true, or router.switching virtual_cut_through or store_and_forward");
  }
}

}  // namespace tsuji::network
