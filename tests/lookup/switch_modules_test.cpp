// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>
#include <string>

#include "lookup/pipeline_rig.h"
#include "support/catch.h"
#include "tsuji/clock/clocked_run.h"
#include "tsuji/lookup/miss_path.h"
#include "tsuji/lookup/switch_modules.h"

using namespace tsuji;
using namespace tsuji::lookup;
using namespace tsuji::lookup::test;

namespace {

constexpr Cycle asking_until = 1200, end = 40'000;

/// Sends the same random requests to a fast look-up and to its modules, and records the answers of both.
class Twins final : public Clocked {
 public:
  Twins(ClockDomain& domain, PinClock& clock, const std::string& name, const LookupTiming& timing,
        unsigned destinations, bool modules_first)
      : Clocked(domain),
        shared_(timing.cam_is_shared()),
        routing_(false, !shared_),
        destinations_(destinations),
        modules_first_(modules_first),
        random_(timing.cam_cycles * 8 + timing.hash_cycles, destinations),
        keys_(Pipeline::nodes, Identifiers::random, 3),
        shape_({8, 2, "lru", false}),
        parts_{routing_, keys_, &shape_, timing, Pipeline::vcs, 1} {
    keys_.remember_sets(KeyHash("crc32c"), shape_.sets());
    if (shared_)
      fast_ = std::make_unique<QueuedLookup>(parts_, 0, Pipeline::ports);
    else
      fast_ = std::make_unique<CachedLookup>(parts_, 0, Pipeline::ports);
    SwitchModules::Parts parts{parts_, domain, clock, no_rtl_};
    parts.cam.entries = Pipeline::nodes;
    parts.cam.access_cycles = 2;
    parts.ports = Pipeline::ports;
    modules_ = std::make_unique<SwitchModules>(name.c_str(), parts);
    fast_->bind_client(of_fast_);
    modules_->bind_client(of_modules_);
    wake_at(1);
  }
  void step(Cycle now) override {
    if (now < end) wake_at(now + 1);
    now_ = now;
    if (fast_->stepping() != nullptr) fast_->stepping()->step(now);
    for (unsigned port = 0; port < Pipeline::ports && now < asking_until; ++port)
      for (unsigned vc = 0; vc < Pipeline::vcs; ++vc)
        if (random_.below(now / 100 % 2 == 0 ? 8 : 60) == 0) ask(now, port, vc);
    if (now < asking_until && random_.below(10) == 0) cancel(now);
    const bool last = now == end - 1;  // lets entries fill that wait for the next look-up
    if (now < asking_until && random_.below(100) == 0) change(now);
    for (unsigned flushes = last || (now < asking_until && random_.below(150) == 0) ? 1 + now % 2 : 0;
         flushes > 0; --flushes) {
      fast_->flush(now);
      modules_->flush(now);
    }
  }
  void check() const {
    REQUIRE(asked_ > 1000);
    if (shared_) CHECK(of_fast_.answers == of_modules_.answers);
    REQUIRE(of_fast_.answers.size() == of_modules_.answers.size());
    for (const auto& [ticket, answer] : of_fast_.answers) {
      const Answer& other = of_modules_.answers.at(ticket);
      // Answers in flight to separate memories when a route changed may have either route.
      CHECK((under_way_.count(ticket) != 0 ? other.at == answer.at : other == answer));
    }
    CHECK_FALSE(of_modules_.late);
    const LookupCounters a = fast_->counters(), b = modules_->counters();
    CHECK(a.cache.lookups == b.cache.lookups);
    CHECK(a.cache.hits == b.cache.hits);
    CHECK(a.cache.fills == b.cache.fills);
    CHECK(a.cache.refills == b.cache.refills);
    CHECK(a.cache.evictions == b.cache.evictions);
    CHECK(a.cache.flushes == b.cache.flushes);
    CHECK(a.cache.flushed == b.cache.flushed);
    CHECK(a.stale_answers == b.stale_answers);
    CHECK(b.answers_pending == 0);
    CHECK(a.cam_accesses == b.cam_accesses);
    CHECK(a.cam_writes == b.cam_writes);
    CHECK(a.cam_writes > 2);
    CHECK(b.cache.misses == b.cam_accesses - b.cam_writes);
    CHECK(a.cam_wait_sum == b.cam_wait_sum);
    CHECK(a.cam_wait_most == b.cam_wait_most);
    CHECK(a.cam_busy_cycles == b.cam_busy_cycles);
  }

 private:
  struct Client final : RouteClient {
    explicit Client(const Twins& twins) : twins_(twins) {}
    void route_answer(std::uint32_t ticket, Cycle at, const routing::RouteSet& candidates) override {
      late = late || at <= twins_.now_;
      keep(ticket, at, candidates);
    }
    void keep(std::uint32_t ticket, Cycle at, const routing::RouteSet& candidates) {
      answers.emplace(ticket, Answer{at, candidates[0].port, candidates[0].vcs});
    }
    const Twins& twins_;
    std::map<std::uint32_t, Answer> answers;
    bool late = false;
  };

  void ask(Cycle now, unsigned port, unsigned vc) {
    routing::RouteQuery query;
    query.in_port = port;
    query.in_vc = vc;
    query.destination = static_cast<NodeId>(random_.below(destinations_));
    ++asked_;
    routing::RouteSet candidates;
    const auto ask_modules = [&] { CHECK(modules_->request(now, query, asked_, candidates) == never); };
    if (modules_first_) ask_modules();
    const Cycle at = fast_->request(now, query, asked_, candidates);
    if (at != never) of_fast_.keep(asked_, at, candidates);
    if (!modules_first_) ask_modules();
  }
  /// Sets another route, or restores the routing's.
  void change(Cycle now) {
    const auto destination = static_cast<NodeId>(random_.below(destinations_));
    const RouteEntry entry{static_cast<std::uint16_t>(random_.below(4)),
                           static_cast<std::uint16_t>(1U << random_.below(4))};
    for (SwitchLookup* const one : {fast_.get(), static_cast<SwitchLookup*>(modules_.get())}) {
      if (random_.bits(now) % 3 == 0)
        one->restore_route(now, destination);
      else
        one->change_route(now, destination, entry);
    }
    for (std::uint32_t ticket = 1; ticket <= asked_ && !shared_; ++ticket)
      if (of_modules_.answers.count(ticket) == 0) under_way_.insert(ticket);
  }
  /// Cancels a look-up, unless the fast form has answered already.
  void cancel(Cycle now) {
    const auto ticket = static_cast<std::uint32_t>(asked_ - random_.below(std::min(asked_, 8U)));
    if (of_fast_.answers.count(ticket) != 0 || of_modules_.answers.count(ticket) != 0) return;
    fast_->cancel(now, ticket);
    modules_->cancel(now, ticket);
  }

  const bool shared_;
  const SomeRouting routing_;
  const unsigned destinations_;
  const bool modules_first_;
  CounterRandom random_;
  NodeKeys keys_;
  const CacheShape shape_;
  const LookupParts parts_;
  const ModuleRtl no_rtl_;
  std::unique_ptr<SwitchLookup> fast_;
  std::unique_ptr<SwitchModules> modules_;
  Client of_fast_{*this}, of_modules_{*this};
  std::set<std::uint32_t> under_way_;
  std::uint32_t asked_ = 0;
  Cycle now_ = 0;
};

}  // namespace

TEST_CASE("modules with pins answer in the cycles of the fast form, for all times and shared memories") {
  ClockDomain domain("clock", {ClockPeriod(1000)});
  PinClock clock("pins", ClockPeriod(1000));
  std::vector<std::unique_ptr<Twins>> twins;
  for (const Cycle hash : {1U, 3U})
    for (const Cycle cache : {1U, 2U})
      for (const Cycle cam : {5U, 25U})
        for (const unsigned sharing : {0U, 1U, 2U})
          for (const bool blocking : {false, true}) {
            LookupTiming timing;
            timing.hash_cycles = hash;
            timing.cache_cycles = cache;
            timing.cam_cycles = cam;
            timing.cam_of_switch = sharing == 1;
            timing.cam_pipelined = sharing != 2;
            timing.blocking = blocking;
            const std::size_t number = twins.size();
            twins.push_back(std::make_unique<Twins>(domain, clock, "switch" + std::to_string(number), timing,
                                                    number % 3 == 0 ? 40 : 6, number % 5 < 2));
          }
  sc_core::sc_start(domain.time_of(end) + sc_core::sc_time::from_value(900));
  domain.rethrow_failure();
  for (const auto& pair : twins) pair->check();
}

TEST_CASE("the path of misses serves the oldest first, and in one cycle the lowest port first") {
  LookupTiming timing;
  timing.cam_of_switch = true;
  timing.cam_cycles = 10;
  timing.cam_pipelined = GENERATE(true, false);
  MissPath path(timing, 4);
  std::vector<std::pair<Cycle, unsigned>> returned;
  std::vector<std::pair<Cycle, std::uint64_t>> asked;
  CamConfig config;
  config.access_cycles = 4;
  CamState cam(config);
  for (const std::uint64_t key : {70, 71, 72}) cam.write(static_cast<std::uint32_t>(key), key, 1);
  MissPath::Drive drive;
  CamAnswer answer;
  // Signal values in cycle `now`, which ends with the clock edge.
  for (Cycle now = 0; now < 60; ++now) {
    std::vector<MissPath::Request> requests;
    if (now == 5) requests = {{1, 71}, {2, 72}};
    if (now == 6) requests = {{0, 70}};
    if (drive.cam.valid) asked.push_back({now, drive.cam.key});
    if (drive.returns) returned.push_back({now, drive.port});
    const CamAnswer before = answer;
    answer = cam.step(drive.cam);
    drive = path.step(requests, before);
  }
  const Cycle apart = timing.cam_pipelined ? 1 : 10;
  using Asked = std::vector<std::pair<Cycle, std::uint64_t>>;
  CHECK(asked == Asked{{5 + 3, 71}, {5 + 3 + apart, 72}, {5 + 3 + 2 * apart, 70}});
  using Returned = std::vector<std::pair<Cycle, unsigned>>;
  CHECK(returned == Returned{{15, 1}, {15 + apart, 2}, {15 + 2 * apart, 0}});
  CHECK_FALSE(path.busy());
}
