// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "tsuji/lookup/cached_lookup.h"
#include "tsuji/lookup/switch_lookup.h"

namespace tsuji::lookup {

/// The look-up pipeline of a switch with a cache at each input port and one memory behind them that serves
/// them first come first served, an access at a time or one a cycle; of several that come in one cycle, the
/// lowest port's first. Stages and times are those of CachedLookup. An answer depends on what other ports ask
/// later, so each comes through RouteClient, before the cycle from which it may be used.
///
/// Its driver calls step() in the cycles that it names, after which nothing is asked for that cycle or
/// before; step() acts on questions of earlier cycles only, so it may run before or after the router.
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
  /// Heads that have asked and not been answered, the cancelled ones among them.
  std::size_t outstanding() const { return questions_.size(); }

 private:
  enum class Stage : std::uint8_t {
    stalled,   ///< behind a miss, with a blocking cache
    cache,     ///< reads the cache in cycle `at`
    arriving,  ///< comes to the memory in cycle `at`
    reading,   ///< begins to read it in cycle `at`, after all earlier requests
    known      ///< the answer may be used from cycle `at` on
  };
  struct Question {
    routing::RouteQuery query;
    Cycle hashed = 0;  ///< the cache can be read from then on
    Cycle at = 0;
    std::uint32_t ticket = 0;
    Stage stage = Stage::stalled;
    bool cancelled = false;
    bool stale = false;           ///< the cache was emptied since this look-up missed
    unsigned flushes_behind = 0;  ///< of the cache, when this look-up has read it
    RouteEntry entry;
  };
  struct Port {
    Cycle next_access = 0;
    bool stalled = false;  ///< for a miss whose return is not known yet
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
  std::vector<Question> questions_;  ///< in the order in which they were asked
  std::vector<Question*> arrivals_;  ///< of one cycle
  std::vector<Cycle> last_;          ///< per input virtual channel, its latest answer
  std::vector<std::uint8_t> held_;   ///< per input virtual channel: an older head waits for its answer
  CamQueue cam_;
};

}  // namespace tsuji::lookup
