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

/// Searches of a switch's compact routing table (CompactSearches).
struct CompactSearchTiming {
  unsigned entries_per_cycle = 8;  ///< compared, >= 1
  bool ends_early = true;          ///< behind the cycle in which the destination itself is found
  bool of_switch = false;          ///< one unit for all ports of a switch; else one at each input port
};

/// The cycles of the stages of route computation (Hirasawa 2020, section 3.1), and how they share what is
/// there once.
struct LookupTiming {
  Cycle hash_cycles = 1;   ///< >= 1
  Cycle cache_cycles = 1;  ///< >= 1; time of a look-up in a port's cache
  Cycle cam_cycles = 25;   ///< >= 1
  bool cam_pipelined =
      true;  ///< else the ports share it, and an access starts when the one before it is over
  /// One pipelined memory for all ports, one access a cycle; else any number of accesses at once.
  bool cam_of_switch = false;
  CompactSearchTiming search;
  bool blocking = false;  ///< a port's cache waits for the answer to a miss; else hits pass (and misses, too)

  /// Fewest cycles between the starts of two accesses; 0: any number start at once.
  Cycle cam_interval() const { return !cam_pipelined ? cam_cycles : cam_of_switch ? 1 : 0; }
  /// First come first served among the ports, of one cycle the lowest port first.
  bool cam_is_shared() const { return cam_interval() != 0; }
};

/// Parts shared by the switches of a network; they outlive the switches.
struct LookupParts {
  const routing::Routing& routing;  ///< of a table form
  const NodeKeys& keys;             ///< with the sets of `shape`, where there are caches
  const CacheShape* shape = nullptr;
  LookupTiming timing;
  unsigned vcs = 1;        ///< of any input port, at most
  std::uint64_t seed = 1;  ///< of random replacement
};

struct LookupCounters {
  CacheCounters cache;                                ///< sums over the ports; `lookups` without a cache, too
  std::uint64_t cam_accesses = 0;                     ///< by look-ups and writes
  std::uint64_t cam_writes = 0;                       ///< of rows whose routes have changed
  std::uint64_t cam_wait_sum = 0, cam_wait_most = 0;  ///< cycles before accesses start
  std::uint64_t cam_busy_cycles = 0;
  std::uint64_t searches = 0, entries_compared = 0;         ///< of compact tables
  std::uint64_t search_wait_sum = 0, search_wait_most = 0;  ///< cycles before searches start
  std::uint64_t search_busy_cycles = 0;                     ///< of all units
  /// Answers that did not go into a cache: a flush came between reading and return.
  std::uint64_t stale_answers = 0;
  std::uint64_t answers_pending = 0;  ///< misses whose answers have not returned yet
  LookupCounters& operator+=(const LookupCounters& other);
};

/// Listener to the look-ups of a switch.
class LookupProbe {
 public:
  virtual ~LookupProbe() = default;
  /// A head that came in by `port` is looked up: its port's cache is read in cycle `access`, or without
  /// caches the memory is, which counts as a miss. Told in that cycle at the latest; of one port in the order
  /// of cycles.
  virtual void on_look(unsigned port, NodeId destination, bool hit, Cycle access) = 0;
};

/// Ability of a look-up whose ports share a memory: its driver steps it.
class SteppingLookup {
 public:
  /// `wake` is called with a cycle in which step() is to be called. Without one step() is called in every
  /// cycle.
  virtual void bind_wake(std::function<void(Cycle)> wake) = 0;
  virtual void step(Cycle now) = 0;

 protected:
  ~SteppingLookup() = default;
};

/// Contents of a switch's memory: the network's routing, but for the changes of this switch. So 30,000
/// switches with full tables take no more memory than their changes.
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
  /// For packets from any input port. No virtual channels: there is no route.
  void change(NodeId destination, RouteEntry entry);
  /// The routing's own entry again.
  void restore(NodeId destination);
  /// Its entries are words or routes; else the routing answers by itself.
  bool has_image() const { return image_ != nullptr; }
  std::size_t changes() const { return changes_.size(); }
  /// Another routing has the entries that are not changed.
  void exchange(const routing::Routing& routing) {
    routing_ = &routing;
    image_ = routing.table_image();
  }
  /// The candidates of a head that reads `entry`. A routing without an image answers by itself: it takes the
  /// place of one that has words.
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
  std::vector<std::pair<NodeId, RouteEntry>> changes_;  ///< by destination
};

/// Route computation in one switch by memories that are looked up by destination. Tickets whose answers are
/// known at the request are never cancelled; what a cancelled one has set going (an access of the memory, the
/// entry that it brings) goes on, and its answer is not given.
///
/// Changes come between a cycle `now` and the next one. They empty the caches (section 3.2.3), and each row
/// of the memory that changes is written by an access, before those of the next cycle's look-ups. An answer
/// under way still is the old one, and does not go into a cache; a router whose heads should not follow it
/// lets them ask again.
class SwitchLookup : public RouteLookup {
 public:
  SwitchLookup(const LookupParts& parts, graph::RouterId router, unsigned ports);

  void bind_client(RouteClient&) override {}
  void cancel(Cycle, std::uint32_t) override {}

  virtual LookupCounters counters() const = 0;
  /// Null: an answer is known at the request.
  virtual SteppingLookup* stepping() { return nullptr; }
  /// Null: nobody listens.
  void set_probe(LookupProbe* probe) { probe_ = probe; }
  /// Empties the caches.
  virtual void flush(Cycle) {}
  /// Form `words`: the switch's router takes other tables. The caches are emptied.
  void exchange_routing(const routing::Routing& routing, Cycle now) override;
  /// ModelError for a routing whose entries are no routes of their own.
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
  /// Before the run: this port's cache has looked up this destination. Not counted.
  virtual void warm(unsigned port, NodeId destination);
  const RouteTable& table() const { return table_; }

 protected:
  /// The candidates of an entry for this packet.
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

  /// Writes a destination's row in the memory after cycle `now`.
  virtual void write_row(Cycle now, NodeId destination);

 private:
  void check_has_entries(Cycle now) const;
  void remember_rows();
  void write_changed_rows(Cycle now);

  LookupProbe* probe_ = nullptr;
  const std::uint32_t vcs_, ports_of_map_;
  const bool of_words_;
  const routing::VcMap* map_ = nullptr;  ///< those of maps_, if there are any
  std::vector<RouteEntry> rows_;         ///< of the memory, once another routing has come; the last words
  std::vector<routing::VcMap> maps_;     ///< [input virtual channel][output port], if the routing has one
};

/// Every head reads the memory: a switch without caches.
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

/// Caches that have every destination: what caches can gain at most.
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
