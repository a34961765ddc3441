// SPDX-License-Identifier: Apache-2.0
#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tsuji/instruments/energy_constants.h"
#include "tsuji/instruments/network_energy.h"
#include "tsuji/network/network_lookup.h"
#include "tsuji/platform/shared_file.h"
#include "tsuji/session/instrument_table.h"
#include "tsuji/session/network_run.h"

namespace tsuji::session {
namespace {

struct EnergyConfig {
  bool report = false;
  std::string constants;  ///< path; empty: the file that comes with Tsuji
  instruments::PlaneConfig plane;
};

constexpr const char* own_constants = "platforms/energy/noxim.yaml";

/// Throws ConfigError with the key for a file that cannot be read.
instruments::EnergyConstants constants_of(const EnergyConfig& config) {
  if (config.constants.empty())
    return instruments::EnergyConstants::read(platform::shared_file(own_constants));
  if (!std::ifstream(config.constants).is_open())
    throw ConfigError("energy.constants", config.constants,
                      std::string("cannot be read: ") + std::strerror(errno), "a YAML file of constants");
  return instruments::EnergyConstants::read(config.constants);
}

/// Energy of the run, and wires and buffers of the network.
class Energy final : public Instrument {
 public:
  Energy(const WatchedRun& run, const EnergyConfig& config)
      : run_(run), plane_(config.plane), constants_(constants_of(config)) {}

  void delivered(const observe::DeliveredPacket& packet) override {
    heads_ += packet.hops;
    flits_ += packet.flits;
  }
  void report(const RunEnd& end, observe::Results& results) override {
    const double seconds = static_cast<double>(run_.loaded.domain().period().ps_at(end.cycles)) * 1e-12;
    instruments::NetworkEnergy energy(run_.loaded.network(), plane_, constants_, heads_, seconds);
    add_lookups(seconds, energy.parts);
    if (predicts() && constants_.has_prediction) add_predictors(energy.parts);
    observe::ResultTable& table = results.table(
        "energy", {{"part", ""}, {"event", ""}, {"events", ""}, {"dynamic", "pJ"}, {"static", "pJ"}});
    for (const instruments::EnergyPart& part : energy.parts)
      table.row({part.name, part.event, part.events, part.dynamic_pj, part.static_pj});
    if (predicts() && !constants_.has_prediction)
      table.row({"predictors", "head", predicted_heads(), observe::Value(nullptr), observe::Value(nullptr)});
    add_metrics(energy, seconds, results);
    add_hardware(results);
    results.show_rows("energy", table.rows().size(), "energy: " + constants_.source + beside());
  }

 private:
  /// Constants of the keys lookup.energy.*.
  void add_lookups(double seconds, std::vector<instruments::EnergyPart>& parts) const {
    const network::NetworkLookup* const lookup = run_.loaded.lookup();
    if (lookup == nullptr) return;
    const lookup::LookupConfig& config = run_.config.machine.lookup;
    const lookup::LookupCounters counters = lookup->counters();
    constexpr double pj_of_nj = 1e3, pj_of_mw_s = 1e9;
    const auto add = [&](const char* event, std::uint64_t events, double nj, double static_mw) {
      parts.push_back({"look-ups", event, events, static_cast<double>(events) * nj * pj_of_nj,
                       static_mw * seconds * pj_of_mw_s});
    };
    if (config.has_caches())
      add("access of a cache", counters.cache.lookups, config.energy.cache_nj,
          config.energy.static_mw(0, lookup->caches()));
    if (config.searches())
      add("compared entry", counters.entries_compared, config.energy.compared_entry_nj, 0);
    else
      add("access of the memory", counters.cam_accesses, config.energy.cam_nj,
          config.energy.static_mw(run_.loaded.network().routers(), 0));
  }
  bool predicts() const { return run_.config.machine.network.router.prediction.on(); }
  std::uint64_t predicted_heads() const {
    std::uint64_t heads = 0;
    for (const std::uint64_t visits : run_.loaded.network().prediction_counters().visits) heads += visits;
    return heads;
  }
  void add_predictors(std::vector<instruments::EnergyPart>& parts) const {
    const std::uint64_t heads = predicted_heads();
    parts.push_back({"predictors", "head", heads, static_cast<double>(heads) * constants_.prediction, 0});
  }
  /// What the constants' source does not cover.
  std::string beside() const {
    std::string words;
    if (run_.loaded.lookup() != nullptr) words += "; look-ups: lookup.energy";
    if (predicts() && !constants_.has_prediction)
      words += "; without predictors, for which energy.constants has no 'prediction'";
    return words;
  }
  /// null where nothing has happened.
  static observe::Value ratio(double energy, double events) {
    return events == 0 ? observe::Value(nullptr) : observe::Value(energy / events);
  }
  void add_metrics(const instruments::NetworkEnergy& energy, double seconds,
                   observe::Results& results) const {
    const double all = energy.dynamic_pj() + energy.static_pj();
    const auto hops = static_cast<double>(run_.loaded.network().counters().flits);
    const double bits = static_cast<double>(flits_) * plane_.flit_bits;
    results.metric("energy_pj_per_flit_hop", ratio(energy.dynamic_pj(), hops), "pJ",
                   "dynamic energy of a flit-hop");
    results.metric("energy_pj_per_bit", ratio(all, bits), "pJ", "energy of a delivered bit");
    results.metric("power_dynamic_w", ratio(energy.dynamic_pj() * 1e-12, seconds), "W", "power, dynamic");
    results.metric("power_w", ratio(all * 1e-12, seconds), "W", "power");
    const observe::Value latency = results.value("latency_cycles_mean");
    const observe::Value bit = ratio(all, bits);
    const double period_ns = static_cast<double>(run_.loaded.domain().period().ps()) / 1000;
    results.metric("energy_delay_pj_ns_per_bit",
                   latency.is_null() || bit.is_null()
                       ? observe::Value(nullptr)
                       : observe::Value(bit.number() * latency.number() * period_ns),
                   "pJ ns");
  }
  void add_hardware(observe::Results& results) const {
    network::VcNetwork& network = run_.loaded.network();
    const instruments::NetworkHardware hardware(network.topology(), instruments::HardwareChannel::of(network),
                                                plane_);
    results.metric("buffer_bits", hardware.buffer_bits, "bit", "buffers");
    results.metric("wires", hardware.wires, "wires", "wires between routers");
    results.metric("wire_length_mm", hardware.wire_mm, "mm", "  their length");
    results.metric(
        "bisection_wires",
        hardware.bisection_wires ? observe::Value(*hardware.bisection_wires) : observe::Value(nullptr),
        "wires", "  across the middle");
    if (const auto area = hardware.routers_mm2(constants_, run_.loaded.network().routers()))
      results.metric("router_area_mm2", *area, "mm2", "area of routers");
  }

  const WatchedRun& run_;
  const instruments::PlaneConfig plane_;
  const instruments::EnergyConstants constants_;
  std::uint64_t heads_ = 0, flits_ = 0;  ///< of delivered packets: visits to routers, and flits
};

class EnergyKind final : public InstrumentKind {
  void add_keys(config::KeyTable& keys) override {
    keys.add(
        "energy.report", config_.report,
        "whether to estimate energy: events of buffers, crossbars, control and links times constants, and "
        "static power; also bits of buffers, and wires by number, length and across the middle");
    keys.add_path("energy.constants", config_.constants,
                  "YAML file of constants, each with its unit, source and technology; empty: "
                  "platforms/energy/noxim.yaml; platforms/energy/dsent45.yaml has area");
    keys.add("energy.flit_bits", config_.plane.flit_bits, {1, 65535}, "bits",
             "bits of a flit in buffers, crossbars and on wires");
    keys.add("energy.tile_mm", config_.plane.tile_mm, {0.001, 1e6}, "mm",
             "distance of routers whose coordinates differ by one; length of each link without coordinates");
    for (const char* key : {"energy.constants", "energy.flit_bits", "energy.tile_mm"})
      keys.only_with(key, {{"energy.report", {"true"}}});
  }
  std::vector<observe::ResultTable::Column> sweep_columns() const override {
    if (!config_.report) return {};
    return {{"energy_pj_per_flit_hop", "pJ"},
            {"energy_pj_per_bit", "pJ"},
            {"power_w", "W"},
            {"energy_delay_pj_ns_per_bit", "pJ ns"},
            {"buffer_bits", "bit"},
            {"wires", "wires"},
            {"wire_length_mm", "mm"}};
  }
  bool sees_deliveries(const platform::RunOptions&) const override { return config_.report; }
  std::unique_ptr<Instrument> make(const WatchedRun& run) const override {
    if (!config_.report) return nullptr;
    return std::make_unique<Energy>(run, config_);
  }

  EnergyConfig config_;
};

}  // namespace

void add_energy(InstrumentTable& table) {
  table.push_back(std::make_unique<EnergyKind>());
}

}  // namespace tsuji::session
