#include "lookup/network_main.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <sstream>

#include "lookup/network_run.h"
#include "tsuji/config/key_table.h"
#include "tsuji/core/error.h"
#include "tsuji/core/output_file.h"
#include "tsuji/core/run_time.h"
#include "tsuji/fabric/config/traffic_config.h"
#include "tsuji/fabric/flit_network/loaded_network.h"
#include "tsuji/graph/cube.h"
#include "tsuji/routing/dimension_order.h"
#include "tsuji/routing/source_table.h"

namespace tsuji::bench {
namespace {

struct Options {
  std::string device, rtl = "none", out, against;
  std::vector<std::string> inputs;
  std::uint64_t seed = 1;
  bool list = false, list_keys = false, json_schema = false, print_config = false;
};

struct Config {
  fabric::NetworkConfig machine;
  fabric::TrafficConfig traffic;
};

const SwitchRtl& find(const std::vector<SwitchRtl>& table, const std::string& name) {
  std::string names;
  for (const SwitchRtl& row : table) {
    if (row.name == name || name.empty()) return row;
    names += (names.empty() ? "" : ", ") + row.name;
  }
  throw ConfigError("--device", name, "there is no such RTL", names);
}

/// A small torus that the RTL was made for, with packets until cycle 5000.
Config defaults(const SwitchRtl& device) {
  Config config;
  config.machine.topology.kind = "torus";
  config.machine.topology.of<graph::CubeConfig>().radices = {4, 4};
  fabric::RoutingConfig& routings = config.machine.routing;
  routings.of<routing::DimensionOrderConfig>() = {routing::Ties::up, routing::Dateline::switching};
  routings.of<routing::SourceTableConfig>().random_ties = false;
  config.machine.lookup.kind = fabric::LookupKind::cached;
  config.machine.lookup.cache = device.cache;
  config.machine.lookup.timing.cam_cycles = device.cam_cycles;
  config.traffic.load_flits_per_node_cycle = 0.2;
  config.traffic.last_cycle = 5000;
  return config;
}

/// Assumptions of the whole run.
void check(const Config& config) {
  config.machine.validate();
  config.traffic.validate();
  if (config.machine.lookup.kind != fabric::LookupKind::cached)
    throw ConfigError("lookup.kind", "", "there is no RTL for it", "cached");
  if (config.traffic.kind == fabric::TrafficKind::list) return;
  if (config.traffic.kind != fabric::TrafficKind::open_loop)
    throw ConfigError("traffic.kind", "", "the run would not end, or do nothing", "open_loop or list");
  fabric::validate_lengths(config.machine, config.traffic);
  require_in_run("traffic.last_cycle", config.traffic.last_cycle, config.machine.clock().period);
  if (config.traffic.last_cycle == 0)
    throw ConfigError("traffic.last_cycle", "0", "the run would not end",
                      "the last cycle of a packet's birth");
}

/// Files, and words "key=value" over them, to `config`, to which the keys belong.
void read_config(const std::vector<std::string>& inputs, Config& config, config::KeyTable& keys) {
  for (const std::string& input : inputs)
    if (input.find('=') == std::string::npos) config::read_yaml_file(keys, input);
  for (const std::string& input : inputs)
    if (input.find('=') != std::string::npos) keys.set_from_command_line(input);
  config.machine.resolve();
  keys.refuse_idle();
  keys.check([&config] { check(config); });
}

/// "none", "all" or numbers of routers.
std::set<graph::RouterId> chosen(const std::string& text, unsigned routers) {
  std::set<graph::RouterId> set;
  if (text == "none") return set;
  for (graph::RouterId id = 0; text == "all" && id < routers; ++id) set.insert(id);
  std::istringstream in(text == "all" ? "" : text);
  for (std::string word; std::getline(in, word, ',');) {
    const bool digits = !word.empty() && word.size() < 9 &&
                        std::all_of(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (!digits || std::stoul(word) >= routers) break;
    set.insert(static_cast<graph::RouterId>(std::stoul(word)));
  }
  const auto commas = static_cast<std::size_t>(std::count(text.begin(), text.end(), ','));
  if (text != "all" && set.size() != commas + 1)
    throw ConfigError(
        "--rtl", text, "not a list of different switches",
        "none, all, or numbers 0.." + std::to_string(routers - 1) + " with commas between them");
  return set;
}

/// RTL for the switches chosen, models for the others.
fabric::NetworkLookup::MakeSwitch make_switch(std::set<graph::RouterId> with_rtl, const SwitchRtl& device,
                                              RtlDriver& driver) {
  return [with_rtl = std::move(with_rtl), &device, &driver](
             const lookup::LookupParts& shared, graph::RouterId router, unsigned ports,
             ClockDomain& network) -> std::unique_ptr<lookup::SwitchLookup> {
    if (with_rtl.count(router) == 0) return nullptr;
    const std::string name = "switch" + std::to_string(router);
    RtlLookup::Parts parts{shared, network, driver};
    parts.router = router;
    parts.ports = ports;
    parts.pins = device.pins;
    parts.make = device.make(name.c_str());
    return std::make_unique<RtlLookup>(parts);
  };
}

NetworkRun simulate(const Options& options, const Config& config, const SwitchRtl& device) {
  const fabric::NetworkConfig& machine = config.machine;
  const graph::Topology topology = fabric::make_topology(machine.topology, machine.link_latency_cycles);
  const auto routing = fabric::make_routing(machine.routing, topology, machine.network.vcs);
  machine.network.validate_with(topology, *routing);
  machine.lookup.validate_with(topology, *routing, machine.routing.kind);
  const fabric::TrafficSources sources(config.traffic, fabric::TrafficNodes::of(topology), options.seed,
                                       fabric::packet_limits(machine));

  NetworkRun run;
  RtlDriver driver("rtl", machine.clock().period);
  fabric::LoadedNetwork::Parts parts{machine, topology, *routing};
  parts.seed = options.seed;
  parts.make_source = [&sources](NodeId node) { return sources.source(node); };
  parts.on_delivered = [&run](const observe::DeliveredPacket& packet) { run.add(packet); };
  parts.make_switch = make_switch(chosen(options.rtl, topology.routers()), device, driver);
  fabric::LoadedNetwork loaded(parts);
  do loaded.run_to(loaded.now() + 1000);
  while (!loaded.idle());
  loaded.check_conservation();
  for (graph::RouterId router = 0; router < topology.routers(); ++router)
    run.add(router, loaded.lookup()->at(router).counters());
  return run;
}

void print(const Options& options, const NetworkRun& run) {
  Cycle last = 0;
  for (const auto& [id, packet] : run.packets()) last = std::max(last, packet.tail);
  const NetworkRun::Switch sum = run.sum();
  std::cout << "RTL in switches: " << options.rtl << ", seed " << options.seed << ": " << run.packets().size()
            << " packets, the last in cycle " << last << "; " << sum.lookups << " look-ups, " << sum.hits
            << " hits, " << sum.misses << " misses\n";
}

int run(const Options& options, const std::vector<SwitchRtl>& table) {
  if (options.list) {
    for (const SwitchRtl& row : table) std::cout << row.name << ": " << row.what << '\n';
    return 0;
  }
  const SwitchRtl& device = find(table, options.device);
  Config config = defaults(device);
  config::KeyTable keys;
  fabric::add_network_keys(keys, config.machine);
  fabric::add_traffic_keys(keys, config.traffic);
  if (options.list_keys) {
    std::cout << keys.list_keys();
    return 0;
  }
  if (options.json_schema) {
    std::cout << keys.json_schema("configuration of network_bench").dump(2) << '\n';
    return 0;
  }
  read_config(options.inputs, config, keys);
  if (options.print_config) {
    std::cout << keys.print("network_bench, every key");
    return 0;
  }
  NetworkRun before;
  if (!options.against.empty()) before = NetworkRun::read(options.against);
  // A run should not end without a place for what it has found.
  std::optional<OutputFile> out;
  if (!options.out.empty()) out.emplace(options.out, "--out");
  NetworkRun run;
  keys.check([&] { run = simulate(options, config, device); });
  print(options, run);
  if (out) {
    run.write(out->stream());
    out->commit();
  }
  if (options.against.empty()) return 0;
  const std::string difference = run.difference(before, options.against);
  std::cout << (difference.empty() ? "every packet and every switch as in " + options.against : difference)
            << '\n';
  return difference.empty() ? 0 : 1;
}

}  // namespace

int network_main(int argc, char** argv, const std::vector<SwitchRtl>& table) {
  Options options;
  CLI::App app("A network with RTL in the place of switches' look-up pipelines", "network_bench");
  app.add_option("--set,input", options.inputs,
                 "FILE.yaml with keys of a network and its traffic, and KEY=VALUE");
  app.add_option("--device", options.device, "which RTL; --list names all; the first one if none is given");
  app.add_flag("--list", options.list, "the RTL there is, and stop");
  app.add_flag("--list-keys", options.list_keys,
               "every key with type, unit, default, range and meaning, and stop");
  app.add_flag("--json-schema", options.json_schema, "every key as a JSON schema for editors, and stop");
  app.add_flag("--print-config", options.print_config, "the resolved configuration, and stop");
  app.add_option("--rtl", options.rtl, "switches that have it: none, all, or numbers with commas");
  app.add_option("--seed", options.seed, "of the traffic");
  app.add_option("--out", options.out, "writes packets and look-ups of the run to this file");
  app.add_option("--against", options.against, "compares them with those of an earlier run");
  try {
    app.parse(argc, argv);
    return run(options, table);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  } catch (const ConfigError& error) {
    std::cerr << "network_bench: " << error.what() << '\n';
    return 2;
  } catch (const std::exception& error) {
    std::cerr << "network_bench: " << error.what() << '\n';
    return 1;
  }
}

}  // namespace tsuji::bench
