// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "tsuji/lookup/switch_lookup.h"

namespace tsuji::lookup {

/// An entry for a port's cache that returns in cycle `at`; accesses from that cycle on find it.
struct PendingFill {
  Cycle at;
  NodeId destination;
  RouteEntry entry;
};

/// Memory of a switch that is read after misses of its ports' caches. The time of an answer is known at the
/// request.
class MissMemory {
 public:
  virtual ~MissMemory() = default;
  /// A miss reaches the memory in cycle `arrival`. Returns the cycle in which its entry is back. Both cycles
  /// are non-decreasing per port.
  virtual Cycle start(unsigned port, NodeId destination, Cycle arrival) = 0;
  /// Writes a row, by an access that reaches the memory in this cycle.
  virtual void write(Cycle /*arrival*/) {}
  virtual void add_to(LookupCounters& counters) const = 0;
};

/// A CAM that accepts any number of accesses at once.
class PipelinedCam final : public MissMemory {
 public:
  explicit PipelinedCam(Cycle access_cycles) : cam_(access_cycles, 0) {}
  Cycle start(unsigned, NodeId, Cycle arrival) override { return cam_.start(arrival) + cam_.access_cycles(); }
  void write(Cycle arrival) override { cam_.write(arrival); }
  void add_to(LookupCounters& counters) const override { cam_.add_to(counters); }

 private:
  CamQueue cam_;
};

/// Cache of an input port, with the entries that are on their way to it.
class PortCache {
 public:
  PortCache(const LookupParts& parts, graph::RouterId router, unsigned port)
      : cache_(*parts.shape, parts.seed, std::uint64_t{router} << 16 | port) {}

  /// Looks up a destination in cycle `access`, non-decreasing. Returns its entry, null on a miss.
  const RouteEntry* look(const NodeKeys& keys, NodeId destination, Cycle access);
  /// Result of look(); may be called instead of it if quiet() is true.
  const RouteEntry* look_quick(const NodeKeys& keys, NodeId destination) {
    return cache_.find_quick(keys.key(destination), keys.set(destination));
  }
  /// Returns true if no entry is on its way to the cache, and a look-up has no special case. A hit then
  /// cannot overtake an answer to a miss.
  bool quiet() const { return quiet_ && cache_.time_left(); }
  /// Adds an entry that will return; the cycles are non-decreasing.
  void expect(PendingFill fill);
  /// Empties the cache after cycle `now`. Entries on their way were read before, and are not filled in.
  void flush(const NodeKeys& keys, Cycle now);
  /// Counts an entry that is not filled in because of a flush after its look-up.
  void leave_out() { ++stale_; }
  void warm(const NodeKeys& keys, NodeId destination, RouteEntry entry);
  void add_to(LookupCounters& counters) const;

 private:
  void take_fills(const NodeKeys& keys, Cycle access);
  void look_around() { quiet_ = fills_.empty() && cache_.quick(); }

  bool quiet_ = false;
  RoutingTableCache cache_;
  std::vector<PendingFill> fills_;  ///< sorted by cycle
  std::uint64_t stale_ = 0;
};

/// Look-up pipeline of a switch with a cache at each input port and a memory without contention between ports
/// (Hirasawa 2020, section 3.1; rooms/lookup.md, Where the paper is silent, 2 and 3): hash, cache and, on a
/// miss, memory. All times are known when a head makes its request, so every answer is given at once.
///
///     request   hash            cache access       hit: answer
///        t       t + hash_cycles ...                + cache_cycles
///                                (one at a time)    miss: memory access, answer when the memory returns
///
/// A miss also fills the cache when its answer returns; look-ups that read the cache before miss as well.
/// Answers of one virtual channel do not overtake each other.
class CachedLookup final : public SwitchLookup {
 public:
  CachedLookup(const LookupParts& parts, graph::RouterId router, unsigned ports)
      : CachedLookup(parts, router, ports, std::make_unique<PipelinedCam>(parts.timing.cam_cycles)) {}
  CachedLookup(const LookupParts& parts, graph::RouterId router, unsigned ports,
               std::unique_ptr<MissMemory> memory);

  Cycle request(Cycle now, const routing::RouteQuery& query, std::uint32_t ticket,
                routing::RouteSet& candidates) override;
  LookupCounters counters() const override;
  void flush(Cycle now) override;
  void warm(unsigned port, NodeId destination) override;

 private:
  struct Port {
    Cycle next_access = 0;
    PortCache cache;
  };
  void write_row(Cycle now, NodeId) override { memory_->write(now + 1); }
  [[gnu::noinline]] Cycle miss(Port& port, const routing::RouteQuery& query, Cycle access,
                               routing::RouteSet& candidates);
  [[gnu::noinline]] Cycle ask_slowly(Port& port, const routing::RouteQuery& query, Cycle access,
                                     routing::RouteSet& candidates);
  /// Delays an answer until that of the previous head of its virtual channel.
  Cycle in_order(const routing::RouteQuery& query, Cycle ready) {
    Cycle& last = last_[input_vc(query)];
    return last = ready > last ? ready : last;
  }

  const NodeKeys& keys_;
  const Cycle hash_cycles_, cache_cycles_;
  std::vector<Port> ports_;
  std::vector<Cycle> last_;  ///< [input virtual channel]: cycle of the latest delayed answer
  std::unique_ptr<MissMemory> memory_;
};

}  // namespace tsuji::lookup
