// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "tsuji/lookup/cached_lookup.h"
#include "tsuji/lookup/switch_lookup.h"

namespace tsuji::lookup {

/// Look-up pipeline of a switch with a cache at each input port and one shared memory, which serves them
/// first come first served, one access at a time or one per cycle; of several accesses in one cycle, the
/// lowest port first. Stages and times are those of CachedLookup. An answer depends on later requests of
/// other ports, so each comes through RouteClient, before the cycle from which it may be used.
///
/// Contract: step() is called in the cycles that bind_wake()'s function is called with, and no request for
/// that cycle or an earlier one is made afterwards. step() acts on requests of earlier cycles only, so it may
/// run before or after the router.
class QueuedLookup final : public SwitchLookup, private SteppingLookup {
 public:
  QueuedLookup(const LookupParts& parts, graph::RouterId router, unsigned ports);

  void bind_client(RouteClient& client) override { client_ = &client; }
  Cycle request(Cycle now, const routing::RouteQuery& query, std::uint32_t ticket,
                routing::RouteSet& candidates) override;
  void cancel(Cycle now, std::uint32_t ticket) override;
  SteppingLookup* stepping() override { return this; }
  void bind_wake(std::function<void(Cycle)> wake) override { wake_ = std::move(wake); }
  void step(Cycle now) override;

  LookupCounters counters() const override;
  void flush(Cycle now) override;
  void warm(unsigned port, NodeId destination) override;
  /// Number of requests without an answer, cancelled ones included.
  std::size_t outstanding() const { return questions_.size(); }

 private:
  enum class Stage : std::uint8_t {
    stalled,   ///< waits for an earlier miss of a blocking cache
    cache,     ///< reads the cache in cycle `at`
    arriving,  ///< reaches the memory in cycle `at`
    reading,   ///< starts to read the memory in cycle `at`, after all earlier requests
    known      ///< the answer may be used from cycle `at` on
  };
  struct Question {
    routing::RouteQuery query;
    Cycle hashed = 0;  ///< first cycle in which the cache can be read
    Cycle at = 0;
    std::uint32_t ticket = 0;
    Stage stage = Stage::stalled;
    bool cancelled = false;
    bool stale = false;           ///< the cache was flushed after this look-up missed
    unsigned flushes_behind = 0;  ///< flushes of the cache at the time of this look-up's access
    RouteEntry entry;
  };
  struct Port {
    Cycle next_access = 0;
    bool stalled = false;  ///< waits for a miss whose return is not known yet
    PortCache cache;
  };
  void enter(Port& port, Question& question);
  void arrive(Cycle now);
  void read(Question& question, Cycle now);
  void look(Question& question, Cycle now);
  void stall_behind(const Question& miss);
  void release(unsigned port);
  void flush_port(unsigned port, Cycle now);
  void write_row(Cycle now, NodeId) override { cam_.write(now + 1); }
  void deliver();
  void wake_for_next(Cycle now) const;

  std::function<void(Cycle)> wake_;
  RouteClient* client_ = nullptr;
  std::vector<Port> ports_;
  std::vector<Question> questions_;  ///< look-ups without an answer, in order of their requests
  std::vector<Question*> arrivals_;  ///< requests that reach the memory in one cycle
  std::vector<Cycle> last_;          ///< [input virtual channel]: cycle of the latest answer
  std::vector<std::uint8_t> held_;   ///< [input virtual channel]: an older head waits for its answer
  CamQueue cam_;
};

}  // namespace tsuji::lookup
