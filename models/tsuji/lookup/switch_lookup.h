// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "tsuji/link/route_lookup.h"
#include "tsuji/lookup/cam.h"
#include "tsuji/lookup/key_hash.h"
#include "tsuji/lookup/routing_table_cache.h"
#include "tsuji/routing/routing.h"

namespace tsuji::lookup {

/// Timing of the searches of a switch's compact routing table (CompactSearches).
struct CompactSearchTiming {
  unsigned entries_per_cycle = 8;  ///< entries compared per cycle, >= 1
  /// The comparison ends after the cycle in which the destination itself is found.
  bool ends_early = true;
  bool of_switch = false;  ///< one unit for all ports of a switch; otherwise one per input port
};

/// Cycles of the stages of route computation (Hirasawa 2020, section 3.1), and sharing of the memory.
struct LookupTiming {
  Cycle hash_cycles = 1;   ///< time to hash a destination, >= 1
  Cycle cache_cycles = 1;  ///< look-up in a port's cache, >= 1
  Cycle cam_cycles = 25;   ///< time of a memory access, with the transfer to the chip and back, >= 1
  bool cam_pipelined =
      true;  ///< otherwise the ports share it, and an access starts when the previous one has ended
  /// One pipelined memory for all ports, with one access per cycle; otherwise any number of accesses at once.
  bool cam_of_switch = false;
  CompactSearchTiming search;
  /// A port's cache waits for the answer to a miss; otherwise later hits and misses proceed.
  bool blocking = false;

  /// Least number of cycles between the starts of two accesses; 0: any number start at once.
  Cycle cam_interval() const { return !cam_pipelined ? cam_cycles : cam_of_switch ? 1 : 0; }
  /// Returns true if ports share the memory, first come first served, in one cycle the lowest port first.
  bool cam_is_shared() const { return cam_interval() != 0; }
};

/// Parts shared by the switches of a network; they outlive the switches.
struct LookupParts {
  const routing::Routing& routing;  ///< a routing with a table form
  const NodeKeys& keys;             ///< identifiers of the nodes and, with caches, their sets
  const CacheShape* shape = nullptr;
  LookupTiming timing;
  unsigned vcs = 1;        ///< largest number of virtual channels of an input port
  std::uint64_t seed = 1;  ///< seed of random replacement
};

/// Counters of a switch's look-ups. Misses = fills + refills + stale answers + answers pending.
struct LookupCounters {
  CacheCounters cache;                                ///< sums over the ports; without caches only `lookups`
  std::uint64_t cam_accesses = 0;                     ///< memory accesses of look-ups and of writes
  std::uint64_t cam_writes = 0;                       ///< writes of rows whose routes have changed
  std::uint64_t cam_wait_sum = 0, cam_wait_most = 0;  ///< cycles that accesses waited before they started
  std::uint64_t cam_busy_cycles = 0;
  std::uint64_t searches = 0,
                entries_compared = 0;  ///< searches of compact tables, and entries that they compared
  /// Cycles that searches waited before they started.
  std::uint64_t search_wait_sum = 0, search_wait_most = 0;
  std::uint64_t search_busy_cycles = 0;  ///< cycles in which a search unit was busy, summed over all units
  /// Answers that were not filled into a cache, because of a flush between look-up and return.
  std::uint64_t stale_answers = 0;
  std::uint64_t answers_pending = 0;  ///< misses whose answers have not returned yet
  LookupCounters& operator+=(const LookupCounters& other);
};

/// Observer of the look-ups of a switch.
class LookupProbe {
 public:
  virtual ~LookupProbe() = default;
  /// Look-up for a head that came in by `port`: its port's cache is read in cycle `access`; without caches
  /// the memory is read, which counts as a miss. Called in that cycle or before; in order of the cycles of a
  /// port.
  virtual void on_look(unsigned port, NodeId destination, bool hit, Cycle access) = 0;
};

/// Ability of a look-up whose ports share a memory: its driver calls step().
class SteppingLookup {
 public:
  /// Sets the function that is called with each cycle in which step() must be called. Without it step() is
  /// called in every cycle.
  virtual void bind_wake(std::function<void(Cycle)> wake) = 0;
  virtual void step(Cycle now) = 0;

 protected:
  ~SteppingLookup() = default;
};

/// Contents of a switch's memory: the network's routing and the changes of this switch. Full tables of 30,000
/// switches thus take no more memory than their changes.
class RouteTable {
 public:
  RouteTable(const routing::Routing& routing, graph::RouterId router)
      : routing_(&routing), image_(routing.table_image()), router_(router) {}
  RouteEntry entry(std::uint32_t in_port, NodeId destination) const {
    if (!changes_.empty()) {
      if (const RouteEntry* const changed = find(destination)) return *changed;
    }
    const routing::RouteCandidate candidate =
        image_ != nullptr ? image_->table_entry(router_, in_port, destination)
                          : routing::only_candidate(*routing_, router_, in_port, destination);
    return {candidate.port, candidate.vcs};
  }
  /// Changes the entry for packets from any input port. No virtual channels: no route.
  void change(NodeId destination, RouteEntry entry);
  /// Restores the routing's entry.
  void restore(NodeId destination);
  /// Returns true if its entries are words or routes; otherwise the routing is called.
  bool has_image() const { return image_ != nullptr; }
  std::size_t changes() const { return changes_.size(); }
  /// Replaces the routing, for all entries that are not changed.
  void exchange(const routing::Routing& routing) {
    routing_ = &routing;
    image_ = routing.table_image();
  }
  /// Makes the candidates of a head that reads `entry`. A routing without an image is called instead: it has
  /// replaced one with words.
  void route_by_entry(const routing::RouteQuery& query, RouteEntry entry,
                      routing::RouteSet& candidates) const {
    if (image_ == nullptr) return routing_->route(query, candidates);
    image_->route_by_entry(query, {entry.port, entry.vcs, 0}, candidates);
  }

 private:
  const RouteEntry* find(NodeId destination) const;
  const routing::Routing* routing_;
  const routing::TableImage* image_;
  const graph::RouterId router_;
  std::vector<std::pair<NodeId, RouteEntry>> changes_;  ///< sorted by destination
};

/// Route computation in a switch by memories that are addressed by destination. Requests whose answers are
/// known at once are never cancelled. A cancelled request that has started (an access of the memory, the fill
/// of a cache) is completed, without an answer.
///
/// Changes of routes are made between cycle `now` and the next one. They flush the caches (section 3.2.3),
/// and each changed row is written by an access to the memory, before those of the next cycle's look-ups. An
/// answer that is in progress has the old route, and is not filled into a cache; a router that must not use
/// it repeats the request.
class SwitchLookup : public RouteLookup {
 public:
  SwitchLookup(const LookupParts& parts, graph::RouterId router, unsigned ports);

  void bind_client(RouteClient&) override {}
  void cancel(Cycle, std::uint32_t) override {}

  virtual LookupCounters counters() const = 0;
  /// Null: answers are known at the request.
  virtual SteppingLookup* stepping() { return nullptr; }
  /// Sets the observer; null: none.
  void set_probe(LookupProbe* probe) { probe_ = probe; }
  /// Empties the caches.
  virtual void flush(Cycle) {}
  /// Form `words`: replaces the tables of the switch's router, and flushes the caches.
  void exchange_routing(const routing::Routing& routing, Cycle now) override;
  /// Changes a route. ModelError for a routing whose entries are not complete routes.
  void change_route(Cycle now, NodeId destination, RouteEntry entry) {
    check_has_entries(now);
    table_.change(destination, entry);
    flush(now);
    write_row(now, destination);
  }
  void restore_route(Cycle now, NodeId destination) {
    table_.restore(destination);
    flush(now);
    write_row(now, destination);
  }
  /// Marks the destination as looked up by this port's cache before the run, without counting it.
  virtual void warm(unsigned port, NodeId destination);
  const RouteTable& table() const { return table_; }

 protected:
  /// Makes the candidates of an entry for this packet.
  void give(const routing::RouteQuery& query, RouteEntry entry, routing::RouteSet& candidates) const {
    if (of_words_) return table_.route_by_entry(query, entry, candidates);
    candidates.clear();
    routing::VcMask vcs = entry.vcs;
    if (map_ != nullptr) vcs = map_[input_vc(query) * ports_of_map_ + entry.port].of(vcs);
    if (vcs != 0) candidates.add(entry.port, vcs);
  }

  void tell(unsigned port, NodeId destination, bool hit, Cycle access) const {
    if (probe_ != nullptr) probe_->on_look(port, destination, hit, access);
  }

  std::size_t input_vc(const routing::RouteQuery& query) const {
    return std::size_t{query.in_port} * vcs_ + query.in_vc;
  }

  const LookupParts& parts_;
  RouteTable table_;

  /// Writes a destination's row to the memory after cycle `now`.
  virtual void write_row(Cycle now, NodeId destination);

 private:
  void check_has_entries(Cycle now) const;
  void remember_rows();
  void write_changed_rows(Cycle now);

  LookupProbe* probe_ = nullptr;
  const std::uint32_t vcs_, ports_of_map_;
  const bool of_words_;
  const routing::VcMap* map_ = nullptr;  ///< data of maps_, if not empty
  /// The memory's rows after exchange_routing(): the words last written.
  std::vector<RouteEntry> rows_;
  /// [input virtual channel][output port]; empty if the routing has none.
  std::vector<routing::VcMap> maps_;
};

/// Look-up by the memory for every head, in a switch without caches.
class CamLookup final : public SwitchLookup {
 public:
  CamLookup(const LookupParts& parts, graph::RouterId router, unsigned ports)
      : SwitchLookup(parts, router, ports), cam_(parts.timing.cam_cycles, parts.timing.cam_interval()) {}
  Cycle request(Cycle now, const routing::RouteQuery& query, std::uint32_t,
                routing::RouteSet& candidates) override {
    give(query, table_.entry(query.in_port, query.destination.node()), candidates);
    const Cycle access = cam_.start(now);
    tell(query.in_port, query.destination.node(), false, access);
    return access + cam_.access_cycles();
  }
  LookupCounters counters() const override;

 private:
  void write_row(Cycle now, NodeId) override { cam_.write(now + 1); }
  CamQueue cam_;
};

/// Caches that contain every destination: an upper bound of the gain by caches.
class IdealLookup final : public SwitchLookup {
 public:
  using SwitchLookup::SwitchLookup;
  Cycle request(Cycle now, const routing::RouteQuery& query, std::uint32_t,
                routing::RouteSet& candidates) override {
    ++lookups_;
    give(query, table_.entry(query.in_port, query.destination.node()), candidates);
    tell(query.in_port, query.destination.node(), true, now + parts_.timing.hash_cycles);
    return now + parts_.timing.hash_cycles + parts_.timing.cache_cycles;
  }
  LookupCounters counters() const override;

 private:
  std::uint64_t lookups_ = 0;
};

}  // namespace tsuji::lookup
