// SPDX-License-Identifier: Apache-2.0
#include "tsuji/session/instrument_table.h"
#include "tsuji/session/network_run.h"

namespace tsuji::session {
namespace {

/// Accesses, hits, misses and energy of the switches' look-up hardware.
class Lookups final : public Instrument {
 public:
  static bool watches(const WatchedRun& run) { return run.loaded.lookup() != nullptr; }
  explicit Lookups(const WatchedRun& run) : run_(run) {}
  void report(const RunEnd& end, observe::Results& results) override {
    run_.loaded.lookup()->add_to(results, end.cycles, run_.loaded.domain().period());
    if (has_rows()) results.metric("lookup_bits", memory_bits(), "bits");
  }
  void show(observe::Results& results) override {
    if (run_.config.machine.lookup.has_caches() && run_.config.machine.lookup.kind != "ideal")
      results.show("lookup_hit_rate", "look-ups that hit, share");
    results.show("lookup_power_mw_per_switch", "power of look-ups, a switch");
  }

 private:
  /// Returns true if the memory has a row for each destination: not with compact tables, nor with ideal
  /// caches.
  bool has_rows() const {
    const lookup::LookupConfig& lookup = run_.config.machine.lookup;
    return !lookup.searches() && lookup.kind != "ideal";
  }
  /// Bits of all switches' CAMs and caches: keys, virtual channels and port of the route.
  std::uint64_t memory_bits() const {
    const lookup::LookupConfig& lookup = run_.config.machine.lookup;
    constexpr std::uint64_t route_bits = 32;
    const std::uint64_t rows = std::uint64_t{run_.loaded.network().routers()} * lookup.cam_entries;
    const std::uint64_t entries =
        lookup.has_caches() ? run_.loaded.lookup()->caches() * lookup.cache.entries : 0;
    return rows * (lookup.cam_key_bits + route_bits) +
           entries * (run_.loaded.lookup()->keys().bits() + route_bits);
  }

  const WatchedRun& run_;
};

}  // namespace

void add_lookups(InstrumentTable& table) {
  add_instrument<Lookups>(table);
}

}  // namespace tsuji::session
