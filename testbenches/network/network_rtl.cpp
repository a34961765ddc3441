// SPDX-License-Identifier: Apache-2.0
#include "network/network_rtl.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tsuji/core/error.h"
#include "tsuji/graph/cube.h"
#include "tsuji/routing/dimension_order.h"
#include "tsuji/routing/source_table.h"
#include "tsuji/session/network_main.h"

namespace tsuji::bench {
namespace {

using session::NetworkRunConfig;

/// A small torus as the RTL wants it, which is empty again at the end.
void set_defaults(NetworkRunConfig& config, const NetworkRtl& device) {
  config.machine.topology.kind = "torus";
  config.machine.topology.of<graph::CubeConfig>().radices = {4, 4};
  network::RoutingConfig& routings = config.machine.routing;
  routings.of<routing::DimensionOrderConfig>() = {routing::Ties::up, routing::Dateline::switching};
  routings.of<routing::SourceTableConfig>().random_ties = false;
  auto& load = config.traffic.of<traffic::OpenLoopConfig>();
  load.load_flits_per_node_cycle = 0.2;
  load.last_cycle = 4999;
  config.measure.warmup_cycles = 0;
  config.measure.cycles = 5000;
  device.set_defaults(config);
}

void flatten(const nlohmann::ordered_json& tree, const std::string& prefix,
             std::map<std::string, std::string>& values) {
  for (const auto& [name, value] : tree.items()) {
    const std::string key = prefix.empty() ? name : prefix + "." + name;
    if (value.is_object())
      flatten(value, key, values);
    else
      values[key] = value.is_string() ? value.get<std::string>() : value.dump();
  }
}

/// Every key with the value that it has by default with this RTL.
std::map<std::string, std::string> defaults_with(const NetworkRtl& device) {
  NetworkRunConfig config;
  set_defaults(config, device);
  config::KeyTable keys;
  config.add_keys(keys);
  std::map<std::string, std::string> values;
  flatten(keys.json(), "", values);
  return values;
}

/// "", "all" or numbers of routers.
std::set<graph::RouterId> chosen(const std::string& text, unsigned routers) {
  std::set<graph::RouterId> set;
  if (text.empty()) return set;
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
        "rtl.routers", text, "not a list of different switches",
        "all, or numbers 0.." + std::to_string(routers - 1) + " with commas between them, or \"\" for none");
  return set;
}

/// RTL in one run, with what its files and failed checks come to.
class PlacedRtl final : public session::PlacedFeature {
 public:
  PlacedRtl(RtlOptions options, std::unique_ptr<session::PlacedFeature> placed,
            std::shared_ptr<std::uint64_t> failed_checks)
      : options_(std::move(options)), placed_(std::move(placed)), failed_checks_(std::move(failed_checks)) {}
  void report(const network::LoadedNetwork& network, observe::Results& results) override {
    placed_->report(network, results);
    if (failed_checks_) {
      results.metric("rtl_failed_checks", *failed_checks_, "", "failed checks of the RTL's own");
    }
    for (const graph::RouterId id : options_.routers) {
      const std::string number = ".r" + std::to_string(id);
      if (!options_.wave.empty()) results.file("rtl" + number + ".vcd", "waveform of its RTL's own signals");
      if (!options_.record.empty()) results.file("pins" + number + ".txt", "pins of its RTL in each cycle");
    }
  }

 private:
  const RtlOptions options_;
  const std::unique_ptr<session::PlacedFeature> placed_;
  const std::shared_ptr<std::uint64_t> failed_checks_;
};

class RtlFeature final : public session::NetworkFeature {
 public:
  explicit RtlFeature(const NetworkRtlTable& table) : table_(table), device_(table.front()->name) {}

  void add_keys(config::KeyTable& keys) override;
  void validate(const NetworkRunConfig& config) const override { device().check(config); }
  std::unique_ptr<session::PlacedFeature> place(const NetworkRunConfig& config,
                                                const network::NetworkPlan& plan,
                                                const platform::RunOptions& options,
                                                network::LoadedNetwork::Parts& parts) const override;

 private:
  const NetworkRtl& device() const {
    return **std::find_if(table_.begin(), table_.end(),
                          [&](const auto& row) { return row->name == device_; });
  }
  std::vector<std::string> rows_that(bool (NetworkRtl::*holds)() const) const;
  void add_router_keys(config::KeyTable& keys);
  void only_with(const char* key, bool (NetworkRtl::*reads)() const, config::KeyTable& keys) const;
  void add_other_defaults(config::KeyTable& keys) const;

  const NetworkRtlTable& table_;
  std::string device_, routers_;
  bool shadow_ = false, wave_ = false, record_ = false, warns_ = false;
};

std::vector<std::string> RtlFeature::rows_that(bool (NetworkRtl::*holds)() const) const {
  std::vector<std::string> names;
  for (const auto& row : table_)
    if (((*row).*holds)()) names.push_back(row->name);
  return names;
}

void RtlFeature::add_keys(config::KeyTable& keys) {
  std::vector<std::pair<std::string, std::string>> words;
  std::string meaning = "RTL";
  for (const auto& row : table_) {
    words.emplace_back(row->name, row->name);
    meaning += "; " + row->name + ": " + row->what;
  }
  keys.add_choice("rtl.device", device_, words, meaning);
  keys.add("rtl.routers", routers_,
           "switches or routers that have it: all, or numbers with commas between them; \"\": models alone");
  if (!rows_that(&NetworkRtl::has_shadow).empty()) {
    keys.add("rtl.shadow", shadow_,
             "runs the model beside each router's RTL, on its live inputs, and stops at the first pin that "
             "differs");
    only_with("rtl.shadow", &NetworkRtl::has_shadow, keys);
  }
  if (!rows_that(&NetworkRtl::is_routers).empty()) add_router_keys(keys);
  add_other_defaults(keys);
}

/// Keys that no other RTL than whole routers has.
void RtlFeature::add_router_keys(config::KeyTable& keys) {
  keys.add("rtl.wave", wave_, "rtl.rN.vcd in the output folder: the own signals of each router's RTL");
  keys.add("rtl.record", record_,
           "pins.rN.txt in the output folder: the pins of each router's RTL in each cycle of its clock; "
           "router_bench --play takes the twin's");
  keys.add_choice(
      "rtl.assertions", warns_, {{"stop", false}, {"warn", true}},
      "at a failed check in a router's RTL ($error, $fatal, an assertion, $stop) and at its $finish");
  for (const char* key : {"rtl.wave", "rtl.record", "rtl.assertions"})
    only_with(key, &NetworkRtl::is_routers, keys);
}

/// Of a key that some rows read, if anything is RTL.
void RtlFeature::only_with(const char* key, bool (NetworkRtl::*reads)() const, config::KeyTable& keys) const {
  keys.only_with(key, {{"rtl.routers", {}}});
  keys.only_with(key, {{"rtl.device", rows_that(reads)}});
}

/// Of the rows behind the first one.
void RtlFeature::add_other_defaults(config::KeyTable& keys) const {
  const auto first = defaults_with(*table_.front());
  for (const auto& row : table_) {
    for (const auto& [key, value] : defaults_with(*row))
      if (first.at(key) != value) keys.default_with(key, {"rtl.device", {row->name}}, value);
  }
}

std::unique_ptr<session::PlacedFeature> RtlFeature::place(const NetworkRunConfig& config,
                                                          const network::NetworkPlan& plan,
                                                          const platform::RunOptions& options,
                                                          network::LoadedNetwork::Parts& parts) const {
  RtlOptions rtl;
  rtl.routers = chosen(routers_, plan.topology.routers());
  if (rtl.routers.empty()) return nullptr;
  rtl.shadow = shadow_;
  if (wave_) rtl.wave = options.file("rtl");
  if (record_) rtl.record = options.file("pins");
  std::shared_ptr<std::uint64_t> failed_checks;
  if (warns_) {
    failed_checks = std::make_shared<std::uint64_t>(0);
    rtl.warn = [log = options.log, failed_checks](const std::string& text) {
      log->warn(text);
      ++*failed_checks;
    };
  }
  auto placed = device().place(rtl, config, plan.topology, parts);
  return std::make_unique<PlacedRtl>(std::move(rtl), std::move(placed), std::move(failed_checks));
}

}  // namespace

int rtl_network_main(int argc, char** argv, const NetworkRtlTable& table) {
  session::NetworkProgram program;
  program.description = "A network with RTL in the place of routers, or of their look-up pipelines";
  program.add_kinds = [&](NetworkRunConfig& config) {
    set_defaults(config, *table.front());
    config.features.push_back(std::make_unique<RtlFeature>(table));
  };
  const auto option = [](const char* before, const char* now) {
    return config::Rename{config::Rename::Kind::option, "0.2", before, now};
  };
  program.renames = {option("--device", "--set rtl.device=NAME"),
                     option("--rtl", "--set rtl.routers=LIST"),
                     option("--shadow", "--set rtl.shadow=true"),
                     option("--wave", "--set rtl.wave=true"),
                     option("--record", "--set rtl.record=true"),
                     option("--assertions", "--set rtl.assertions=WORD"),
                     option("--against", "--set compare.against=FILE"),
                     option("--score", "--set compare.score=true"),
                     option("--parts", "--trace packets")};
  return session::network_main(argc, argv, program);
}

}  // namespace tsuji::bench
