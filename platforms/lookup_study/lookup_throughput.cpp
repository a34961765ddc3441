// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <memory>
#include <queue>
#include <string>
#include <utility>
#include <vector>

#include "platforms/lookup_study/lookup_study.h"
#include "platforms/lookup_study/switch_routing.h"
#include "tsuji/core/error.h"
#include "tsuji/core/random.h"
#include "tsuji/lookup/cached_lookup.h"
#include "tsuji/results/results.h"

namespace tsuji::platform {
namespace {

constexpr unsigned vcs = 4;
constexpr NodeId warm_destination = 0;

/// The destinations that one port asks for: the warm one, and in between those that no cache has, because so
/// many others come before one of them comes again.
class Questions {
 public:
  Questions(const LookupStudy& study, std::uint64_t seed, unsigned port, unsigned nodes)
      : every_(study.miss_every),
        random_pattern_(study.misses == MissPattern::random),
        nodes_(nodes),
        next_cold_(1 + port * (nodes / (study.ports + 1))),
        random_(seed, port) {}
  NodeId next() {
    ++asked_;
    if (every_ == 0) return warm_destination;
    const bool miss = random_pattern_ ? random_.below(every_) == 0 : asked_ % every_ == 0;
    if (!miss) return warm_destination;
    const NodeId cold = next_cold_;
    next_cold_ = next_cold_ + 1 == nodes_ ? 1 : next_cold_ + 1;
    return cold;
  }

 private:
  const unsigned every_;
  const bool random_pattern_;
  const unsigned nodes_;
  NodeId next_cold_;
  CounterRandom random_;
  std::uint64_t asked_ = 0;
};

/// The look-up hardware of one switch, and its step where it has one.
struct Hardware {
  std::unique_ptr<lookup::SwitchLookup> lookup;
  lookup::SteppingLookup* stepping = nullptr;

  Hardware(const LookupStudy& study, const lookup::LookupParts& parts) {
    const lookup::LookupConfig& config = study.network.lookup;
    lookup = config.kinds.make(config.kind, parts, 0, study.ports);
    stepping = lookup->stepping();
    if (config.has_caches())
      for (unsigned port = 0; port < study.ports; ++port) lookup->warm(port, warm_destination);
  }
};

/// Ports that request one look-up a cycle each, up to a maximum number of outstanding look-ups.
class Ports final : private RouteClient {
 public:
  Ports(const LookupStudy& study, Hardware& hardware, std::uint64_t seed, unsigned nodes)
      : study_(study), hardware_(hardware), known_(study.ports) {
    for (unsigned port = 0; port < study.ports; ++port) {
      questions_.emplace_back(study, seed, port, nodes);
      free_.emplace_back();
      for (unsigned slot = study.outstanding; slot-- > 0;)
        free_[port].push_back(port * study.outstanding + slot);
    }
    issued_.assign(study.ports, 0);
    hardware_.lookup->bind_client(*this);
  }

  /// Runs one cycle; false when all questions have been answered.
  bool step(Cycle now) {
    if (hardware_.stepping != nullptr) hardware_.stepping->step(now);
    for (unsigned port = 0; port < study_.ports; ++port) {
      take_answers(port, now);
      if (issued_[port] < study_.lookups && !free_[port].empty()) ask(port, now);
    }
    return answered_ < std::uint64_t{study_.lookups} * study_.ports;
  }
  std::uint64_t answered() const { return answered_; }
  Cycle last_answer() const { return last_answer_; }

 private:
  /// The cycle of an answer that is known, and its ticket.
  using Known = std::pair<Cycle, std::uint32_t>;
  using Earliest = std::priority_queue<Known, std::vector<Known>, std::greater<Known>>;

  void route_answer(std::uint32_t ticket, Cycle at, const routing::RouteSet&) override {
    known_[ticket / study_.outstanding].push({at, ticket});
  }
  /// A cycle's tickets are free in the order of their numbers, whenever their answers became known.
  void take_answers(unsigned port, Cycle now) {
    const auto first = static_cast<std::ptrdiff_t>(free_[port].size());
    for (Earliest& known = known_[port]; !known.empty() && known.top().first <= now; known.pop()) {
      last_answer_ = std::max(last_answer_, known.top().first);
      ++answered_;
      free_[port].push_back(known.top().second);
    }
    std::sort(free_[port].begin() + first, free_[port].end());
  }
  void ask(unsigned port, Cycle now) {
    const std::uint32_t name = free_[port].back();
    free_[port].pop_back();
    routing::RouteQuery query;
    query.in_port = port;
    query.in_vc = static_cast<std::uint32_t>(issued_[port]++ % vcs);
    query.destination = questions_[port].next();
    const Cycle at = hardware_.lookup->request(now, query, name, candidates_);
    if (at != never) known_[port].push({at, name});
  }

  const LookupStudy& study_;
  Hardware& hardware_;
  std::vector<Questions> questions_;
  std::vector<Earliest> known_;  ///< of each port
  std::vector<std::vector<std::uint32_t>> free_;
  std::vector<std::uint64_t> issued_;
  routing::RouteSet candidates_;
  std::uint64_t answered_ = 0;
  Cycle last_answer_ = 0;
};

/// Its entries are the nodes that ports request, each with a distinct key.
void validate_memory(const LookupStudy& study) {
  constexpr unsigned most = 1U << 20;  // of a network
  const unsigned entries = study.network.lookup.cam_entries, least = study.miss_every == 0 ? 1 : 2;
  if (entries >= least && entries <= most) return;
  throw ConfigError("lookup.cam_entries", std::to_string(entries),
                    entries < least ? "no entry is left for a destination that misses"
                                    : "more nodes than a network may have",
                    std::to_string(least) + ".." + std::to_string(most));
}

}  // namespace

void run_lookup_throughput(const LookupStudy& study, const RunOptions& options, observe::Results& results) {
  const lookup::LookupConfig& config = study.network.lookup;
  if (!config.in_switch())
    throw ConfigError("lookup.kind", "local", "a router's own table has no limit on look-ups",
                      "cam, cached or ideal");
  if (config.searches())
    throw ConfigError("lookup.kind", config.has_caches() ? "compact_cached" : "compact",
                      "this switch has no compact table", "cam, cached or ideal");
  if (config.as_modules())
    throw ConfigError("lookup.model", "modules",
                      "this study queries the hardware of one switch without a clock", "fast");
  validate_memory(study);
  const SwitchRouting routing(1, vcs);  // the contents of the table do not matter
  lookup::NodeKeys keys(config.cam_entries, config.identifiers, config.identifier_seed);
  const lookup::CacheShape shape(config.cache);
  keys.remember_sets(lookup::KeyHash(config.hash), shape.sets());
  const lookup::LookupParts parts{routing, keys, &shape, config.timing, vcs, options.seed};
  Hardware hardware(study, parts);
  Ports ports(study, hardware, options.seed, config.cam_entries);
  Cycle now = 1;
  while (ports.step(now)) {
    if (++now % 65536 != 0) continue;
    options.progress->update(static_cast<double>(ports.answered()) /
                             (static_cast<double>(study.lookups) * study.ports));
    options.check_interruption(results);
  }
  const lookup::LookupCounters counters = hardware.lookup->counters();
  const double seconds = ClockPeriod(study.network.clock_period_ps).ns(ports.last_answer()) * 1e-9;
  const auto lookups = static_cast<double>(ports.answered());
  results.metric("lookups", ports.answered(), "look-ups");
  results.metric("cycles", ports.last_answer(), "cycles");
  results.metric("lookups_per_second", lookups / seconds, "1/s");
  results.metric("miss_ratio", static_cast<double>(counters.cam_accesses) / lookups, "");
  results.metric("cam_wait_cycles_max", counters.cam_wait_most, "cycles");
  results.headline("Look-ups of one switch, " + std::to_string(study.ports) + " requesting ports");
}

}  // namespace tsuji::platform
