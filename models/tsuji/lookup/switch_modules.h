// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <systemc>
#include <utility>
#include <vector>

#include "tsuji/clock/pin_clock.h"
#include "tsuji/core/described.h"
#include "tsuji/lookup/cam_module.h"
#include "tsuji/lookup/lookup_port_module.h"
#include "tsuji/lookup/miss_path_module.h"
#include "tsuji/lookup/switch_lookup.h"

namespace tsuji::lookup {

/// Signals of a switch's memory.
struct CamWires {
  sc_core::sc_signal<bool> clock, reset, request_valid, request_ready, answer_valid, answer_hit;
  sc_core::sc_signal<std::uint64_t> request_key, request_mask;
  sc_core::sc_signal<std::uint32_t> request_operation, request_index, request_value, answer_index,
      answer_value;

  /// Binds a CamModule, or RTL with its pins.
  template <class Cam>
  void bind(Cam& cam) {
    cam.clock(clock);
    cam.reset(reset);
    cam.request_valid(request_valid);
    cam.request_operation(request_operation);
    cam.request_index(request_index);
    cam.request_key(request_key);
    cam.request_mask(request_mask);
    cam.request_value(request_value);
    cam.request_ready(request_ready);
    cam.answer_valid(answer_valid);
    cam.answer_hit(answer_hit);
    cam.answer_index(answer_index);
    cam.answer_value(answer_value);
  }
};

/// Signals of an input port's cache.
struct CacheWires {
  sc_core::sc_signal<bool> clock, reset, lookup_valid, fill_valid, flush, answer_valid, answer_hit,
      fill_replaced;
  sc_core::sc_signal<std::uint64_t> lookup_key, fill_key;
  sc_core::sc_signal<std::uint32_t> lookup_set, fill_set, fill_entry, answer_entry, entries_held;

  /// Binds the pins that cache and LookupPortModule share.
  template <class Module>
  void bind_shared(Module& module) {
    module.clock(clock);
    module.lookup_valid(lookup_valid);
    module.lookup_key(lookup_key);
    module.lookup_set(lookup_set);
    module.fill_valid(fill_valid);
    module.fill_key(fill_key);
    module.fill_set(fill_set);
    module.fill_entry(fill_entry);
    module.answer_valid(answer_valid);
    module.answer_hit(answer_hit);
    module.answer_entry(answer_entry);
  }
  /// Binds a CacheModule, or RTL with its pins.
  template <class Cache>
  void bind(Cache& cache) {
    bind_shared(cache);
    cache.reset(reset);
    cache.flush(flush);
    cache.fill_replaced(fill_replaced);
    cache.entries_held(entries_held);
  }
};

/// Factories of RTL that replaces modules of switches' look-up hardware. Each returns RTL bound to these
/// signals, or null to keep the module; an empty function replaces nothing.
struct ModuleRtl {
  using Made = std::unique_ptr<sc_core::sc_module>;
  /// For a switch whose ports share one CAM. Its rows are written through its pins before cycle 0.
  std::function<Made(graph::RouterId, const char* name, CamWires&)> make_cam = {};
  /// A cache that answers after one cycle. It is reset before cycle 0 and cannot be warmed.
  std::function<Made(graph::PortRef, const char* name, CacheWires&)> make_cache = {};

  bool any() const { return make_cam || make_cache; }
};

/// Look-up hardware of a switch as modules with pins (Hirasawa 2020, fig. 4): a LookupPortModule and a
/// CacheModule for each input port, and one MissPathModule with one CamModule, or one of each per port if the
/// memory has no contention. Cycles equal those of CachedLookup and QueuedLookup. A module is clocked only
/// while its inputs or outputs change.
///
/// A changed row is written through the path of misses, after earlier accesses. If each port has a memory,
/// all copies are written without an access: a look-up that reaches a copy later finds the new route, whereas
/// CachedLookup returns the old one for every look-up requested before the change.
class SwitchModules final : public sc_core::sc_module,
                            public Described,
                            public SwitchLookup,
                            private PinnedPart {
 public:
  std::string stands_for() const override {
    return "route look-up of a switch with routing-table caches (Hirasawa 2020, fig. 4)";
  }
  struct Parts {
    const LookupParts& lookup;
    ClockDomain& domain;
    PinClock& clock;
    const ModuleRtl& rtl;
    CamConfig cam = {};  ///< entries and key_bits; access_cycles are those of the chip
    graph::RouterId router = 0;
    unsigned ports = 0;
  };
  /// ConfigError if ports share a memory and their routes to a destination differ, or if RTL of the memory is
  /// to be used and each port has its own.
  SwitchModules(sc_core::sc_module_name name, const Parts& parts);
  ~SwitchModules() override;

  void bind_client(RouteClient& client) override { client_ = &client; }
  Cycle request(Cycle now, const routing::RouteQuery& query, std::uint32_t ticket,
                routing::RouteSet& candidates) override;
  void cancel(Cycle now, std::uint32_t ticket) override;
  LookupCounters counters() const override;
  void flush(Cycle now) override;
  void warm(unsigned port, NodeId destination) override;

  /// A signal between two modules, for waveforms.
  struct Wire {
    std::string path;  ///< MODULE.PIN
    unsigned bits = 1;
    std::function<std::uint64_t()> value;
    bool before_edge = false;             ///< the value belongs to the cycle of the edge, not to the next one
    std::vector<std::string> names = {};  ///< names of its values, from 0 on
  };
  std::vector<Wire> wires() const;
  /// Sets a function that is called after each edge with the following cycle; null: none.
  void set_watch(std::function<void(Cycle next)> watch) { watch_ = std::move(watch); }

 private:
  struct Port;
  struct Memory;

  bool busy() const override { return !awake_.empty() || !running_.empty(); }
  void present(Cycle cycle) override;
  void rise(Cycle cycle) override;
  bool select(Cycle next) override;
  void hand_over(Cycle next) override;

  unsigned edges_of_load() const override;
  void load(unsigned edge) override;
  void rise_to_load() override;

  void refuse_routes_that_differ() const;
  void add_memory(const Parts& parts, unsigned first, unsigned ports);
  void bind_port(Memory& memory, unsigned lane, Port& port);
  void write_rows();
  bool has_cache_rtl() const;
  void load_cam(unsigned edge);
  unsigned edges_of_cam() const;
  void write_row(Cycle now, NodeId destination) override;
  void start(Memory& memory);
  void wake(Port& port);
  static bool found(const Port& port);
  static bool active(const Port& port, Cycle cycle);
  bool sleeps(Memory& memory) const;
  void write_clocks(bool high);
  void take_from(Port& port, Cycle next);

  const graph::RouterId router_;
  const Cycle chip_cycles_;
  PinClock& clock_;
  RouteClient* client_ = nullptr;
  std::vector<std::unique_ptr<Port>> ports_;
  std::vector<std::unique_ptr<Memory>> memories_;
  std::vector<Port*> awake_;      ///< ports with look-ups in progress
  std::vector<Memory*> running_;  ///< memories with accesses in progress or a miss at the inputs
  std::function<void(Cycle next)> watch_;
  std::uint64_t copied_ = 0;  ///< rows written without an access into the memories of all ports
  bool rose_ = false;         ///< clock signals must be lowered
  unsigned load_edge_ = 0;    ///< index of the load edge in progress
};

}  // namespace tsuji::lookup
