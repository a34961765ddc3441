// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "tsuji/lookup/switch_lookup.h"

namespace tsuji::lookup {

/// The look-up pipeline of an input port, a clock edge a call: a destination is hashed, the port's cache
/// read, and on a miss an answer of the switch's memory awaited (Hirasawa 2020, section 3.1). Cache and
/// memory stand beside it: it sees their outputs and drives the cache's inputs. Its times are CachedLookup's.
class LookupPort {
 public:
  enum class State : std::uint8_t { idle, hash, read, memory };

  /// Outputs of cache and memory in the cycle behind an edge.
  struct Seen {
    bool found = false;     ///< the edge's look-up is a hit, before the answer shows
    bool answered = false;  ///< the cache's answer to its oldest look-up
    bool hit = false;
    RouteEntry entry;
    bool returned = false;  ///< the memory's answer to the port's oldest miss
    RouteEntry returned_entry;
  };
  /// Inputs of the cache in the cycle behind an edge, and what it has just done.
  struct Drive {
    bool looks = false;
    NodeId destination = 0;
    bool fills = false;
    NodeId fill_destination = 0;
    RouteEntry fill_entry;
    bool misses = false;  ///< the cache's answer is a miss, which the memory gets
    NodeId missed = 0;
    bool read = false;  ///< the edge's look-up read the cache
    NodeId read_destination = 0;
  };
  /// A question's answer, which may be used from the cycle behind the edge on.
  struct Answer {
    routing::RouteQuery query;
    std::uint32_t ticket = 0;
    RouteEntry entry;
  };

  LookupPort(const LookupTiming& timing, unsigned vcs);

  /// A head asks in cycle `asked`, which is not before any earlier one's.
  void ask(Cycle asked, const routing::RouteQuery& query, std::uint32_t ticket);
  void cancel(std::uint32_t ticket);
  /// Empties the cache behind the look-ups that were asked for.
  void flush();

  /// The destination that is hashed in this cycle; null: none.
  const routing::RouteQuery* hashed_in(Cycle cycle) const;
  /// The cache's input `flush` in the cycle before the next edge.
  bool flushes() const { return flushes_ > 0; }
  /// The edge at the end of cycle `now`.
  Drive step(Cycle now, const Seen& seen, std::vector<Answer>& answers);

  /// Port or cache has something to do at the edge of this cycle, the memory's return apart.
  bool works_in(Cycle cycle) const;
  /// Look-ups are under way, or outputs stand that the next edge takes away.
  bool busy() const { return !items_.empty() || flushes_ > 0 || lowers_; }
  State state() const;
  /// Adds stale answers, misses under way, and flushes that went together.
  void add_to(LookupCounters& counters) const;

 private:
  enum class Stage : std::uint8_t { asked, hashed, reading, missed, known };
  struct Item {
    routing::RouteQuery query;
    std::uint32_t ticket = 0;
    Cycle at =
        0;  ///< asked: in this cycle; hashed: the cache may be read from it on; reading: it is read in it
    Stage stage = Stage::asked;
    bool cancelled = false, misses = false, stale = false;
    unsigned flushes_behind = 0;
    RouteEntry entry;
  };
  Item* oldest(Stage stage);
  const Item* oldest(Stage stage) const { return const_cast<LookupPort*>(this)->oldest(stage); }
  void hash(Cycle now);
  void note_read(Cycle now, const Seen& seen, Drive& drive);
  void end_flush(Cycle now);
  void take_answer(const Seen& seen, Drive& drive);
  void take_return(const Seen& seen, Drive& drive);
  void issue(Cycle next, Drive& drive);
  void deliver(std::vector<Answer>& answers);

  const LookupTiming timing_;
  std::vector<Item> items_;         ///< in the order in which they were asked
  std::vector<std::uint8_t> held_;  ///< per virtual channel: an older head waits for its answer
  Cycle next_access_ = 0;
  Cycle clocked_until_ = 0;  ///< the last edge at which outputs of the cache move
  bool blocked_ = false;     ///< for the answer to a miss
  bool lowers_ = false;
  unsigned flushes_ = 0;
  std::uint64_t stale_ = 0, merged_flushes_ = 0;
};

}  // namespace tsuji::lookup
