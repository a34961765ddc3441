// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "tsuji/lookup/switch_lookup.h"

namespace tsuji::lookup {

/// Look-up pipeline of an input port, one clock edge per call: hash of the destination, access of the port's
/// cache, and after a miss an answer of the switch's memory (Hirasawa 2020, section 3.1). Cache and memory
/// are separate modules; the port reads their outputs and drives the cache's inputs. Cycles equal those of
/// CachedLookup.
class LookupPort {
 public:
  enum class State : std::uint8_t { idle, hash, read, memory };

  /// Outputs of cache and memory in the cycle after an edge.
  struct Seen {
    bool found = false;     ///< hit of the look-up at the edge, known before its answer is at the pins
    bool answered = false;  ///< the cache answers its oldest look-up
    bool hit = false;
    RouteEntry entry;
    bool returned = false;  ///< the memory answers the port's oldest miss
    RouteEntry returned_entry;
  };
  /// Inputs of the cache in the cycle after an edge, and events of that edge.
  struct Drive {
    bool looks = false;
    NodeId destination = 0;
    bool fills = false;
    NodeId fill_destination = 0;
    RouteEntry fill_entry;
    bool misses = false;  ///< the cache's answer is a miss, which is passed to the memory
    NodeId missed = 0;
    bool read = false;  ///< a look-up read the cache at the edge
    NodeId read_destination = 0;
  };
  /// Answer to a head's request, valid from the cycle after the edge on.
  struct Answer {
    routing::RouteQuery query;
    std::uint32_t ticket = 0;
    RouteEntry entry;
  };

  LookupPort(const LookupTiming& timing, unsigned vcs);

  /// Accepts the request of a head in cycle `asked` (non-decreasing).
  void ask(Cycle asked, const routing::RouteQuery& query, std::uint32_t ticket);
  void cancel(std::uint32_t ticket);
  /// Flushes the cache after all look-ups requested so far.
  void flush();

  /// Request whose destination is hashed in this cycle; null: none.
  const routing::RouteQuery* hashed_in(Cycle cycle) const;
  /// Value of the cache's input `flush` in the cycle before the next edge.
  bool flushes() const { return flushes_ > 0; }
  /// Clock edge at the end of cycle `now`.
  Drive step(Cycle now, const Seen& seen, std::vector<Answer>& answers);

  /// Returns true if port or cache needs the edge of this cycle for another reason than an answer of the
  /// memory.
  bool works_in(Cycle cycle) const;
  /// Returns true while look-ups are in progress or an output to the cache must be lowered.
  bool busy() const { return !items_.empty() || flushes_ > 0 || lowers_; }
  State state() const;
  /// Adds the counts of stale answers, outstanding misses, and flushes merged into one pulse.
  void add_to(LookupCounters& counters) const;

 private:
  enum class Stage : std::uint8_t { asked, hashed, reading, missed, known };
  struct Item {
    routing::RouteQuery query;
    std::uint32_t ticket = 0;
    /// Meaning by stage: cycle of the request; first cycle for the access (hashed); cycle of the access
    /// (reading).
    Cycle at = 0;
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
  std::vector<Item> items_;         ///< look-ups in progress, in order of their requests
  std::vector<std::uint8_t> held_;  ///< [virtual channel]: an older request is unanswered
  Cycle next_access_ = 0;
  Cycle clocked_until_ = 0;  ///< last edge that changes an output of the cache
  bool blocked_ = false;     ///< waits for the answer to a miss
  bool lowers_ = false;
  unsigned flushes_ = 0;
  std::uint64_t stale_ = 0, merged_flushes_ = 0;
};

}  // namespace tsuji::lookup
