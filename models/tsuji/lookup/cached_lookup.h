// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "tsuji/lookup/switch_lookup.h"

namespace tsuji::lookup {

/// Entry read for a port's cache that comes back in cycle `at`, in whose cache accesses it shows.
struct PendingFill {
  Cycle at;
  NodeId destination;
  RouteEntry entry;
};

/// Memory of a switch that the misses of its ports' caches read. It knows the time of each answer when it is
/// asked.
class MissMemory {
 public:
  virtual ~MissMemory() = default;
  /// A miss comes in cycle `arrival`, which is not before any earlier one's of its port. Gives the cycle in
  /// which its entry is back, which is not before any earlier one's of the port.
  virtual Cycle start(unsigned port, NodeId destination, Cycle arrival) = 0;
  /// A row is written, by an access that comes in this cycle.
  virtual void write(Cycle /*arrival*/) {}
  virtual void add_to(LookupCounters& counters) const = 0;
};

/// A CAM that takes any number of accesses at once.
class PipelinedCam final : public MissMemory {
 public:
  explicit PipelinedCam(Cycle access_cycles) : cam_(access_cycles, 0) {}
  Cycle start(unsigned, NodeId, Cycle arrival) override { return cam_.start(arrival) + cam_.access_cycles(); }
  void write(Cycle arrival) override { cam_.write(arrival); }
  void add_to(LookupCounters& counters) const override { cam_.add_to(counters); }

 private:
  CamQueue cam_;
};

/// An input port's cache with the entries that are on their way to it.
class PortCache {
 public:
  PortCache(const LookupParts& parts, graph::RouterId router, unsigned port)
      : cache_(*parts.shape, parts.seed, std::uint64_t{router} << 16 | port) {}

  /// A cache access in cycle `access`, which is not before any earlier one's.
  const RouteEntry* look(const NodeKeys& keys, NodeId destination, Cycle access);
  /// look() where quiet() is true.
  const RouteEntry* look_quick(const NodeKeys& keys, NodeId destination) {
    return cache_.find_quick(keys.key(destination), keys.set(destination));
  }
  /// Nothing is on its way to the cache, and looking it up needs nothing special. A hit then overtakes no
  /// answer to a miss: all of them are back, or the cache was emptied, which holds nothing before a later
  /// miss is back.
  bool quiet() const { return quiet_ && cache_.time_left(); }
  /// An answer that will be back in a cycle that is not before any earlier one's.
  void expect(PendingFill fill);
  /// Empties the cache behind cycle `now`; what is still on its way then was read before.
  void flush(const NodeKeys& keys, Cycle now);
  /// Counts an answer that is not filled in because of a flush after its look-up.
  void leave_out() { ++stale_; }
  void warm(const NodeKeys& keys, NodeId destination, RouteEntry entry);
  void add_to(LookupCounters& counters) const;

 private:
  void take_fills(const NodeKeys& keys, Cycle access);
  void look_around() { quiet_ = fills_.empty() && cache_.quick(); }

  bool quiet_ = false;
  RoutingTableCache cache_;
  std::vector<PendingFill> fills_;  ///< by cycle
  std::uint64_t stale_ = 0;
};

/// The look-up pipeline of a switch with a cache at each input port and a memory behind them that is free of
/// contention between ports (Hirasawa 2020, section 3.1; rooms/lookup.md, Where the paper is silent, 2 and
/// 3): hash, cache and, on a miss, memory. All times are known when a head asks, so every answer is given at
/// once.
///
/// A head that asks in cycle t has its hash in t + hash_cycles, from which its port's cache is read, one
/// look-up after the other. A hit answers cache_cycles later, a miss when the memory, asked then, does; then
/// the entry is there, too: a look-up that reads the cache earlier misses as well. Answers of one virtual
/// channel do not overtake each other.
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
  /// Not before the answer to an older head of the same virtual channel.
  Cycle in_order(const routing::RouteQuery& query, Cycle ready) {
    Cycle& last = last_[input_vc(query)];
    return last = ready > last ? ready : last;
  }

  const NodeKeys& keys_;
  const Cycle hash_cycles_, cache_cycles_;
  std::vector<Port> ports_;
  std::vector<Cycle> last_;  ///< per input virtual channel, its latest answer that came late
  std::unique_ptr<MissMemory> memory_;
};

}  // namespace tsuji::lookup
