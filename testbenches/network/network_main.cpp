// SPDX-License-Identifier: Apache-2.0
#include "network/network_main.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <filesystem>
#include <iomanip>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <tuple>
#include <utility>

#include "tsuji/config/key_search.h"
#include "tsuji/config/key_table.h"
#include "tsuji/core/error.h"
#include "tsuji/core/output_file.h"
#include "tsuji/core/run_time.h"
#include "tsuji/graph/cube.h"
#include "tsuji/instruments/packet_ledger.h"
#include "tsuji/network/config/traffic_config.h"
#include "tsuji/network/loaded_network.h"
#include "tsuji/routing/dimension_order.h"
#include "tsuji/routing/source_table.h"

namespace tsuji::bench {
namespace {

struct Options {
  std::string device, rtl = "none", out, against;
  std::vector<std::string> inputs;
  std::string wave, record, assertions;
  std::string wanted_keys;  ///< word of --list-keys
  std::uint64_t seed = 1;
  bool list = false, list_keys = false, json_schema = false, print_config = false, shadow = false,
       score = false, parts = false;
};

using Config = BenchedNetwork;

const NetworkRtl& find(const NetworkRtlTable& table, const std::string& name) {
  std::string names;
  for (const auto& row : table) {
    if (row->name == name || name.empty()) return *row;
    names += (names.empty() ? "" : ", ") + row->name;
  }
  throw ConfigError("--device", name, "there is no such RTL", names);
}

/// A small torus with packets until cycle 5000, as the RTL wants it.
Config defaults(const NetworkRtl& device) {
  Config config;
  config.machine.topology.kind = "torus";
  config.machine.topology.of<graph::CubeConfig>().radices = {4, 4};
  network::RoutingConfig& routings = config.machine.routing;
  routings.of<routing::DimensionOrderConfig>() = {routing::Ties::up, routing::Dateline::switching};
  routings.of<routing::SourceTableConfig>().random_ties = false;
  auto& load = config.traffic.of<traffic::OpenLoopConfig>();
  load.load_flits_per_node_cycle = 0.2;
  load.last_cycle = 5000;
  device.set_defaults(config);
  return config;
}

/// Assumptions of the whole run.
void check(const Config& config, const NetworkRtl& device) {
  config.machine.validate();
  config.traffic.validate();
  device.check(config);
  if (config.traffic.traits().own_lengths) return;
  if (!config.traffic.traits().offers_load)
    throw ConfigError("traffic.kind", "", "the run would not end, or do nothing", "open_loop or list");
  network::validate_lengths(config.machine, config.traffic);
  const Cycle last = config.traffic.of<traffic::OpenLoopConfig>().last_cycle;
  require_in_run("traffic.last_cycle", last, config.machine.clock().period);
  if (last == 0)
    throw ConfigError("traffic.last_cycle", "0", "the run would not end",
                      "the last cycle of a packet's birth");
}

bool is_assignment(const std::string& input) {
  return input.find('=') != std::string::npos;
}

/// Files, and words "key=value" over them, to the configuration to which the keys belong.
void read_values(const std::vector<std::string>& inputs, config::KeyTable& keys) {
  for (const std::string& input : inputs)
    if (!is_assignment(input)) config::read_yaml_file(keys, input);
  for (const std::string& input : inputs)
    if (is_assignment(input)) keys.set_from_command_line(input);
}

void read_config(const std::vector<std::string>& inputs, const NetworkRtl& device, Config& config,
                 config::KeyTable& keys) {
  read_values(inputs, keys);
  config.machine.resolve();
  keys.refuse_idle();
  keys.check([&] { check(config, device); });
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

/// Means of the parts of all packets' latencies (PacketLedger).
class LatencyParts {
 public:
  /// Before the first cycle; without it nothing is followed.
  void follow(network::LoadedNetwork& loaded) {
    ledger_ = std::make_unique<instruments::PacketLedger>(loaded.network(), loaded.pool());
    sums_.resize(ledger_->part_names().size());
  }
  void add(const observe::DeliveredPacket& packet) {
    if (ledger_ == nullptr) return;
    const std::vector<Cycle> parts = ledger_->take(packet);
    for (std::size_t part = 0; part < parts.size(); ++part) sums_[part] += parts[part];
    ++packets_;
  }
  std::string text() const {
    if (ledger_ == nullptr || packets_ == 0) return "";
    std::ostringstream text;
    text << "\nmean cycles of a packet:" << std::fixed << std::setprecision(3);
    for (std::size_t part = 0; part < sums_.size(); ++part)
      text << (part == 0 ? " " : ", ") << ledger_->part_names()[part] << ' '
           << static_cast<double>(sums_[part]) / static_cast<double>(packets_);
    return text.str();
  }

 private:
  std::unique_ptr<instruments::PacketLedger> ledger_;
  std::vector<Cycle> sums_;
  std::uint64_t packets_ = 0;
};

/// Failed checks of RTL, as lines on standard error.
class CheckWarnings {
 public:
  void add(const std::string& text) {
    std::cerr << "warning: " << text << '\n';
    ++count_;
  }
  std::string text() const {
    if (count_ == 0) return "";
    return "\nthe RTL's own checks failed " + std::to_string(count_) + (count_ == 1 ? " time" : " times");
  }

 private:
  std::uint64_t count_ = 0;
};

/// The run, and its sums for people.
std::pair<NetworkRun, std::string> simulate(const Options& options, const Config& config,
                                            const NetworkRtl& device) {
  const network::NetworkConfig& machine = config.machine;
  const graph::Topology topology = network::make_topology(machine.topology, machine.link_latency_cycles);
  const auto routing = network::make_routing(machine.routing, topology, machine.network.vcs);
  machine.network.validate_with(topology, *routing);
  machine.lookup.validate_with(topology, *routing, machine.routing.kind);
  const network::TrafficSources sources(config.traffic, network::TrafficNodes::of(topology), options.seed,
                                        network::packet_limits(machine));

  NetworkRun run;
  network::LoadedNetwork::Parts parts{machine, topology, *routing};
  parts.seed = options.seed;
  parts.make_source = [&sources](NodeId node) { return sources.source(node); };
  LatencyParts latency_parts;
  parts.on_delivered = [&](const observe::DeliveredPacket& packet) {
    run.add(packet);
    latency_parts.add(packet);
  };
  CheckWarnings warnings;
  RtlOptions words{chosen(options.rtl, topology.routers()), options.shadow, options.wave, options.record};
  if (options.assertions == "warn") words.warn = [&](const std::string& text) { warnings.add(text); };
  const std::unique_ptr<PlacedRtl> rtl = device.place(words, config, topology, parts);
  network::LoadedNetwork loaded(parts);
  if (options.parts) latency_parts.follow(loaded);
  do loaded.run_to(loaded.now() + 1000);
  while (!loaded.idle());
  loaded.check_conservation();
  rtl->count(loaded, run);
  std::string text = rtl->text(run) + latency_parts.text() + warnings.text();
  return {std::move(run), std::move(text)};
}

void print(const Options& options, const NetworkRun& run, const std::string& counts) {
  Cycle last = 0;
  for (const auto& [id, packet] : run.packets()) last = std::max(last, packet.tail);
  std::cout << "RTL: " << options.rtl << ", seed " << options.seed << ": " << run.packets().size()
            << " packets, the last in cycle " << last << "; " << counts << '\n';
}

/// Exit status: 1 for a difference, unless differences are scored.
int compare(const Options& options, const NetworkRun& run, const NetworkRun& before) {
  if (options.score) {
    const LatencyScore score = run.score(before);
    std::cout << score.text(options.against);
    return score.lost == 0 ? 0 : 1;
  }
  const std::string difference = run.difference(before, options.against);
  std::cout << (difference.empty() ? "every packet and every switch as in " + options.against : difference)
            << '\n';
  return difference.empty() ? 0 : 1;
}

void refuse_idle_options(const Options& options, const NetworkRtl& device) {
  if (options.score && options.against.empty())
    throw ConfigError("--score", "", "there is no other run", "--score with --against FILE");
  if (options.shadow && !device.has_shadow())
    throw ConfigError("--shadow", device.name, "there is no model with its pins", "RTL of the base router");
  if (!options.assertions.empty() && options.assertions != "warn" && options.assertions != "stop")
    throw ConfigError("--assertions", options.assertions, "there is no such word", "warn or stop");
  for (const auto& [option, word] : {std::pair("--wave", options.wave), std::pair("--record", options.record),
                                     std::pair("--assertions", options.assertions)}) {
    if (word.empty()) continue;
    if (!device.is_routers())
      throw ConfigError(option, device.name, "the RTL is a part of a router", "RTL of whole routers");
    if (options.rtl == "none")
      throw ConfigError(option, word, "no router has RTL", std::string(option) + " with --rtl");
  }
  if (options.shadow && options.rtl == "none")
    throw ConfigError("--shadow", "", "no router has RTL", "--shadow with --rtl");
}

std::string listed_keys(const Options& options, config::KeyTable& keys) {
  if (options.wanted_keys.empty()) return keys.list_keys();
  read_values(options.inputs, keys);
  return config::find_keys(keys, options.wanted_keys, {});
}

int run(const Options& options, const NetworkRtlTable& table) {
  if (options.list) {
    for (const auto& row : table) std::cout << row->name << ": " << row->what << '\n';
    return 0;
  }
  const NetworkRtl& device = find(table, options.device);
  refuse_idle_options(options, device);
  Config config = defaults(device);
  config::KeyTable keys;
  network::add_network_keys(keys, config.machine);
  network::add_traffic_keys(keys, config.traffic);
  keys.renamed(config::library_renames());
  if (options.list_keys) {
    std::cout << listed_keys(options, keys);
    return 0;
  }
  if (options.json_schema) {
    std::cout << keys.json_schema("configuration of network_bench").dump(2) << '\n';
    return 0;
  }
  read_config(options.inputs, device, config, keys);
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
  std::string counts;
  keys.check([&] { std::tie(run, counts) = simulate(options, config, device); });
  print(options, run, counts);
  if (out) {
    run.write(out->stream());
    out->commit();
  }
  return options.against.empty() ? 0 : compare(options, run, before);
}

/// --list-keys and its word; a file or an assignment after it belongs to the configuration.
void take_word(Options& options, const std::vector<std::string>& words) {
  options.list_keys = true;
  for (const std::string& word : words) {
    std::error_code unknown;
    const bool configures = is_assignment(word) || std::filesystem::is_regular_file(word, unknown);
    if (configures) options.inputs.push_back(word);
    if (!configures) options.wanted_keys = word;
  }
}

void add_options(CLI::App& app, Options& options) {
  app.add_option("--set,input", options.inputs,
                 "FILE.yaml with keys of a network and its traffic, and KEY=VALUE");
  app.add_option("--device", options.device, "which RTL; --list names all; the first one if none is given");
  app.add_flag("--list", options.list, "the RTL there is, and stop");
  app.add_option_function<std::vector<std::string>>(
         "--list-keys", [&options](const std::vector<std::string>& words) { take_word(options, words); },
         "every key with type, unit, default, range and meaning, or those with WORD in name, meaning or "
         "values, and stop")
      ->expected(0, 1)
      ->type_name("[WORD]");
  app.add_flag("--json-schema", options.json_schema, "every key as a JSON schema for editors, and stop");
  app.add_flag("--print-config", options.print_config, "the resolved configuration, and stop");
  app.add_option("--rtl", options.rtl, "switches or routers that have it: none, all, or numbers with commas");
  app.add_option("--seed", options.seed, "of the traffic");
  app.add_option("--out", options.out, "writes packets and look-ups of the run to this file");
  app.add_option("--against", options.against, "compares them with those of an earlier run");
  app.add_flag(
      "--score", options.score,
      "with --against, for RTL with other times: no packet is missing, and how much later packets are");
  app.add_flag("--parts", options.parts,
               "mean latency in parts, of which time inside of a router's RTL is one");
  app.add_option("--wave", options.wave,
                 "STEM: the own signals of each router's RTL, as waveforms STEM.rN.vcd");
  app.add_option("--record", options.record,
                 "STEM: the pins of each router's RTL in each cycle of its clock, as text STEM.rN.txt; "
                 "router_bench --play takes the twin's");
  app.add_option(
      "--assertions", options.assertions,
      "at a failed check in a router's RTL ($error, $fatal, an assertion, $stop) and at its $finish: stop, "
      "the default, or warn and continue");
  app.add_flag(
      "--shadow", options.shadow,
      "runs the model beside each router's RTL, on its live inputs, and stops at the first pin that differs");
}

}  // namespace

int network_main(int argc, char** argv, const NetworkRtlTable& table) {
  const std::string program = std::filesystem::path(argv[0]).filename().string();
  Options options;
  CLI::App app("A network with RTL in the place of routers, or of their look-up pipelines", program);
  add_options(app, options);
  try {
    app.parse(argc, argv);
    return run(options, table);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  } catch (const ConfigError& error) {
    std::cerr << program << ": " << error.what() << '\n';
    return 2;
  } catch (const std::exception& error) {
    std::cerr << program << ": " << error.what() << '\n';
    return 1;
  }
}

}  // namespace tsuji::bench
