// SPDX-License-Identifier: Apache-2.0
#include "network/network_rtl.h"

#include <algorithm>
#include <optional>

#include "tsuji/core/error.h"
#include "tsuji/graph/cube.h"
#include "tsuji/graph/express_mesh.h"
#include "tsuji/graph/hyperx.h"
#include "tsuji/routing/dimension_order.h"
#include "tsuji/routing/source_table.h"
#include "tsuji/session/network_main.h"

namespace tsuji::bench {
namespace {

using session::NetworkRunConfig;

/// A small torus as the RTL wants it, which is empty again at the end.
void set_torus(NetworkRunConfig& config) {
  config.machine.topology.kind = "torus";
  config.machine.topology.of<graph::CubeConfig>().radices = {4, 4};
  config.machine.topology.of<graph::HyperXConfig>().radices = {4, 4};
  config.machine.topology.of<graph::ExpressMeshConfig>().radices = {4, 4};
  network::RoutingConfig& routings = config.machine.routing;
  routings.of<routing::DimensionOrderConfig>() = {routing::Ties::up, routing::Dateline::switching};
  routings.of<routing::SourceTableConfig>().random_ties = false;
  auto& load = config.traffic.of<traffic::OpenLoopConfig>();
  load.load_flits_per_node_cycle = 0.2;
  load.last_cycle = 4999;
  config.measure.warmup_cycles = 0;
  config.measure.cycles = 5000;
}

/// RTL in one run, with what its files and failed checks come to.
class PlacedRtl final : public session::PlacedFeature {
 public:
  PlacedRtl(RtlOptions options, std::shared_ptr<std::uint64_t> failed_checks)
      : options_(std::move(options)), failed_checks_(std::move(failed_checks)) {}
  void add(std::unique_ptr<session::PlacedFeature> placed) {
    if (placed) placed_.push_back(std::move(placed));
  }
  /// Routers whose RTL has files.
  void add_files_of(const std::set<graph::RouterId>& routers) { with_files_ = routers; }
  void report(const network::LoadedNetwork& network, observe::Results& results) override {
    for (const auto& placed : placed_) placed->report(network, results);
    if (failed_checks_) {
      results.metric("rtl_failed_checks", *failed_checks_, "", "failed checks of the RTL's own");
    }
    for (const graph::RouterId id : with_files_) {
      const std::string number = ".r" + std::to_string(id);
      if (!options_.record.empty()) results.file("pins" + number + ".txt", "pins of its RTL in each cycle");
    }
  }

 private:
  const RtlOptions options_;
  const std::shared_ptr<std::uint64_t> failed_checks_;
  std::vector<std::unique_ptr<session::PlacedFeature>> placed_;
  std::set<graph::RouterId> with_files_;
};

class RtlFeature final : public session::NetworkFeature {
 public:
  explicit RtlFeature(const NetworkRtlTable& table) : table_(table) {
    for (const auto& row : table)
      if (rows_of(row->device.word).front() == row.get()) devices_.push_back(row->device);
  }

  void add_keys(config::KeyTable& keys) override;
  void validate(const NetworkRunConfig& config) const override;
  std::unique_ptr<session::PlacedFeature> place(const NetworkRunConfig& config,
                                                const network::NetworkPlan& plan,
                                                const platform::RunOptions& options,
                                                network::LoadedNetwork::Parts& parts) const override;

 private:
  using Ability = bool (NetworkRtl::*)() const;
  std::vector<const NetworkRtl*> rows_of(const std::string& word) const;
  std::string words_with(Ability ability) const;
  bool any(Ability ability) const { return !words_with(ability).empty(); }
  void add_router_keys(config::KeyTable& keys);
  void needs(const char* key, Ability ability, const std::vector<WrittenPlaces>& written) const;
  const NetworkRtl& fitting(const std::string& word, const NetworkRunConfig& config,
                            const graph::Topology& topology) const;
  RtlOptions options_of(const platform::RunOptions& options, const ClockPeriod& period,
                        const std::shared_ptr<std::uint64_t>& failed_checks) const;

  const NetworkRtlTable& table_;
  std::vector<RtlDevice> devices_;
  std::string places_;
  enum class Shadow : std::uint8_t { none, pins, packets } shadow_ = Shadow::none;
  bool wave_ = false, record_ = false, warns_ = false;
  double stall_ = 0;
  Cycle delay_ = 0;
  std::optional<Cycle> wave_first_, wave_last_;
};

std::vector<const NetworkRtl*> RtlFeature::rows_of(const std::string& word) const {
  std::vector<const NetworkRtl*> rows;
  for (const auto& row : table_)
    if (row->device.word == word) rows.push_back(row.get());
  return rows;
}

/// Devices that have RTL with this ability, as places of them are written.
std::string RtlFeature::words_with(Ability ability) const {
  std::string words;
  for (const auto& row : table_)
    if (((*row).*ability)()) words += (words.empty() ? "" : " or ") + row->device.word + "=PLACES";
  return words;
}

void RtlFeature::add_keys(config::KeyTable& keys) {
  std::string meaning = "RTL that replaces models, DEVICE=PLACE+PLACE,DEVICE=PLACE; places: all, or routers";
  for (const auto& row : table_)
    meaning += "; " + row->device.word + (row->device.at_ports ? " (also ROUTER.PORT): " : ": ") + row->what;
  keys.add("rtl.places", places_, meaning);
  if (any(&NetworkRtl::is_routers)) add_router_keys(keys);
  for (const char* key :
       {"rtl.shadow", "rtl.wave", "rtl.record", "rtl.assertions", "rtl.stall", "rtl.delay_cycles"})
    if (keys.has_key(key)) keys.only_with(key, {{"rtl.places", {}}});
}

/// Keys that no other RTL than whole routers has.
void RtlFeature::add_router_keys(config::KeyTable& keys) {
  std::vector<std::pair<std::string, Shadow>> shadows = {{"false", Shadow::none}};
  std::string meaning = "runs the model beside each router's RTL, on its live inputs";
  if (any(&NetworkRtl::has_shadow)) {
    shadows.emplace_back("true", Shadow::pins);
    meaning += "; true: stops at the first pin that differs";
  }
  shadows.emplace_back("packets", Shadow::packets);
  keys.add_choice(
      "rtl.shadow", shadow_, shadows,
      meaning + "; packets: compares packets, whatever their latencies, which metrics rtl_shadow_* state");
  keys.add("rtl.wave", wave_,
           "waveforms in the output folder: rtl.fst with rtl.gtkw, the pins of the routers in RTL, and "
           "rtl.rN.fst, "
           "the own signals of a router's RTL that was made with --trace");
  keys.add("rtl.wave_first_cycle", wave_first_, {0, 1'000'000'000'000}, "begin", "cycles",
           "first cycle in these waveforms; begin: that of --window, or 0");
  keys.add("rtl.wave_last_cycle", wave_last_, {0, 1'000'000'000'000}, "end", "cycles",
           "last cycle in these waveforms; end: that of --window, or the run's");
  for (const char* key : {"rtl.wave_first_cycle", "rtl.wave_last_cycle"})
    keys.only_with(key, {{"rtl.wave", {"true"}}});
  keys.add("rtl.record", record_,
           "pins.rN.txt in the output folder: the pins of each router's RTL in each cycle of its clock; "
           "router_bench --play takes the twin's");
  keys.add(
      "rtl.stall", stall_, {0.0, 0.95}, "",
      "share of cycles, at random, in which a port of a router's RTL sends no credits and shows no ready "
      "or on, and in which its links without credits carry no new flit");
  keys.add(
      "rtl.delay_cycles", delay_, {0, 1000}, "cycles",
      "most cycles by which each flit and each credit, ready or on comes later to the inputs of a router's "
      "RTL: drawn for each from 0 on, in their order");
  keys.add_choice(
      "rtl.assertions", warns_, {{"stop", false}, {"warn", true}},
      "at a failed check in a router's RTL ($error, $fatal, an assertion, $stop) and at its $finish");
}

void RtlFeature::validate(const NetworkRunConfig&) const {
  const std::vector<WrittenPlaces> written = read_places(places_, devices_);
  if (shadow_ == Shadow::pins) needs("rtl.shadow", &NetworkRtl::has_shadow, written);
  if (shadow_ == Shadow::packets) needs("rtl.shadow", &NetworkRtl::is_routers, written);
  if (wave_last_ && *wave_last_ < wave_first_.value_or(0))
    throw ConfigError("rtl.wave_last_cycle", std::to_string(*wave_last_), "before rtl.wave_first_cycle",
                      std::to_string(*wave_first_) + " and more");
  if (wave_) needs("rtl.wave", &NetworkRtl::is_routers, written);
  if (record_) needs("rtl.record", &NetworkRtl::is_routers, written);
  if (stall_ > 0) needs("rtl.stall", &NetworkRtl::is_routers, written);
  if (delay_ > 0) needs("rtl.delay_cycles", &NetworkRtl::is_routers, written);
  if (warns_) needs("rtl.assertions", &NetworkRtl::is_routers, written);
}

/// ConfigError for a key that no RTL in its places reads.
void RtlFeature::needs(const char* key, Ability ability, const std::vector<WrittenPlaces>& written) const {
  for (const WrittenPlaces& places : written)
    for (const NetworkRtl* const row : rows_of(places.device->word))
      if ((row->*ability)()) return;
  throw ConfigError(key, "", "no RTL of rtl.places has it", "rtl.places with " + words_with(ability));
}

/// The first RTL of a device that fits the network. ConfigError where none does: the reason, or those of all.
const NetworkRtl& RtlFeature::fitting(const std::string& word, const NetworkRunConfig& config,
                                      const graph::Topology& topology) const {
  std::vector<ConfigError> refusals;
  std::string reasons;
  for (const NetworkRtl* const row : rows_of(word)) {
    try {
      row->check(config, topology);
      return *row;
    } catch (const ConfigError& error) {
      reasons += (reasons.empty() ? "" : "; ") + row->name + " (" + row->what + ") with " + error.key() +
                 " " + error.accepted();
      refusals.push_back(error);
    }
  }
  const ConfigError& first = refusals.front();
  const bool all_the_same = std::all_of(refusals.begin(), refusals.end(), [&](const ConfigError& error) {
    return error.key() == first.key() && error.accepted() == first.accepted();
  });
  if (all_the_same) throw first;
  throw ConfigError("rtl.places", word, "no RTL of this device fits the network", reasons);
}

RtlOptions RtlFeature::options_of(const platform::RunOptions& options, const ClockPeriod& period,
                                  const std::shared_ptr<std::uint64_t>& failed_checks) const {
  RtlOptions rtl;
  rtl.shadow = shadow_ == Shadow::pins;
  rtl.packet_shadow = shadow_ == Shadow::packets;
  rtl.stall = stall_;
  rtl.delay = delay_;
  const platform::RunOptions::CycleWindow window = options.record_cycles(period);
  rtl.wave_first = wave_first_.value_or(window.first);
  rtl.wave_last = wave_last_.value_or(window.last);
  if (wave_ && rtl.wave_last < rtl.wave_first)
    throw ConfigError("rtl.wave_first_cycle", std::to_string(rtl.wave_first),
                      "after the last cycle of --window", std::to_string(rtl.wave_last) + " and less");
  rtl.wave_format = options.wave_format;
  if (wave_) rtl.wave = options.file("rtl");
  if (record_) rtl.record = options.file("pins");
  if (failed_checks) {
    rtl.warn = [log = options.log, failed_checks](const std::string& text) {
      log->warn(text);
      ++*failed_checks;
    };
  }
  return rtl;
}

std::unique_ptr<session::PlacedFeature> RtlFeature::place(const NetworkRunConfig& config,
                                                          const network::NetworkPlan& plan,
                                                          const platform::RunOptions& options,
                                                          network::LoadedNetwork::Parts& parts) const {
  const std::vector<WrittenPlaces> written = read_places(places_, devices_);
  if (written.empty()) return nullptr;
  const std::vector<RtlPlaces> places = places_in(plan.topology, written);
  const auto failed_checks = warns_ ? std::make_shared<std::uint64_t>(0) : nullptr;
  RtlOptions rtl = options_of(options, ClockPeriod(config.machine.clock_period_ps), failed_checks);
  auto placed = std::make_unique<PlacedRtl>(rtl, failed_checks);
  for (std::size_t i = 0; i < written.size(); ++i) {
    const NetworkRtl& row = fitting(written[i].device->word, config, plan.topology);
    rtl.places = places[i];
    placed->add(row.place(rtl, config, plan.topology, parts));
    if (row.is_routers()) placed->add_files_of(places[i].routers);
  }
  return placed;
}

/// Options and keys of before.
std::vector<config::Rename> renames() {
  const auto option = [](const char* before, const char* now) {
    return config::Rename{config::Rename::Kind::option, "0.2", before, now};
  };
  const auto key = [](const char* before) {
    return config::Rename{config::Rename::Kind::key, "0.2", before, "rtl.places DEVICE=PLACES",
                          "--rtl DEVICE=PLACES, as in --help"};
  };
  return {key("rtl.device"),
          key("rtl.routers"),
          option("--device", "--rtl DEVICE=PLACES"),
          option("--shadow", "--set rtl.shadow=true"),
          option("--wave", "--set rtl.wave=true"),
          option("--record", "--set rtl.record=true"),
          option("--assertions", "--set rtl.assertions=WORD"),
          option("--against", "--set compare.against=FILE"),
          option("--score", "--set compare.score=true"),
          option("--parts", "--records")};
}

std::string help_of(const NetworkRtlTable& table) {
  std::set<std::string> words;
  std::string devices;
  for (const auto& row : table)
    if (words.insert(row->device.word).second)
      devices +=
          (devices.empty() ? "" : ", ") + row->device.word + (row->device.at_ports ? " (ROUTER.PORT)" : "");
  return "RTL that replaces models, DEVICE=PLACE+PLACE,DEVICE=PLACE; devices: " + devices +
         "; places: all, or routers: --set rtl.places=PLACES";
}

}  // namespace

void want(bool fits, const char* key, const std::string& value, const std::string& accepted) {
  if (!fits) throw ConfigError(key, value, "the RTL was made with another value", accepted);
}

void want_number(const char* key, std::uint64_t value, std::uint64_t of_rtl) {
  want(value == of_rtl, key, std::to_string(value), std::to_string(of_rtl));
}

int rtl_network_main(int argc, char** argv, const NetworkRtlTable& table,
                     const std::function<void(NetworkRunConfig&)>& set_defaults) {
  session::NetworkProgram program;
  program.description = "A network with RTL that replaces routers, or parts of them";
  program.add_kinds = [&](NetworkRunConfig& config) {
    set_torus(config);
    set_defaults(config);
    config.features.push_back(std::make_unique<RtlFeature>(table));
  };
  program.key_options = {{"--rtl", "rtl.places", "PLACES", help_of(table)}};
  if (std::any_of(table.begin(), table.end(), [](const auto& row) { return row->is_routers(); })) {
    program.key_options.push_back({"--stall", "rtl.stall", "SHARE",
                                   "share of cycles, at random, in which a port of a router's RTL takes "
                                   "nothing: --set rtl.stall=SHARE"});
    program.key_options.push_back({"--delay", "rtl.delay_cycles", "CYCLES",
                                   "most cycles by which flits and credits come later to the inputs of a "
                                   "router's RTL, at random: --set rtl.delay_cycles=CYCLES"});
  }
  program.renames = renames();
  return session::network_main(argc, argv, program);
}

}  // namespace tsuji::bench
