// SPDX-License-Identifier: Apache-2.0
#include <list>
#include <tuple>

#include "lookup/pipeline_rig.h"
#include "support/catch.h"

using namespace tsuji;
using namespace tsuji::lookup;
using namespace tsuji::lookup::test;

namespace {

/// Reference pipeline, stepped cycle by cycle, with a list for each stage.
class NaivePipeline {
 public:
  NaivePipeline(const Pipeline& like) : like_(like), timing_(like.parts->timing) {
    for (unsigned port = 0; port < Pipeline::ports; ++port)
      caches_.push_back(std::make_unique<RoutingTableCache>(like.shape, 1, port));
  }
  struct Asked {
    unsigned port, vc;
    NodeId destination;
    std::uint32_t ticket;
    Cycle hashed;
    Cycle done = never;
  };
  /// One cycle: returned answers, the memory's next read, reads of the caches, and new requests.
  void cycle(Cycle now, const std::vector<Asked>& asked) {
    for (auto fill = fills_.begin(); fill != fills_.end();) {
      const auto& [at, port, destination] = *fill;
      if (at != now) {
        ++fill;
        continue;
      }
      caches_[port]->fill(like_.keys.key(destination), like_.keys.set(destination),
                          like_.lookup->table().entry(port, destination));
      fill = fills_.erase(fill);
    }
    for (unsigned port = 0; port < Pipeline::ports; ++port) come_to_memory(port, now);
    begin_reading(now);
    for (unsigned port = 0; port < Pipeline::ports; ++port) read_cache(port, now);
    for (const Asked& one : asked) waiting_[one.port].push_back(&all_.emplace_back(one));
  }
  /// Answers in the order of each virtual channel, by ticket.
  std::map<std::uint32_t, Cycle> answers() const {
    std::map<std::uint32_t, Cycle> given;
    std::map<std::pair<unsigned, unsigned>, Cycle> last;
    for (const Asked& one : all_) {
      Cycle& before = last[{one.port, one.vc}];
      before = std::max(before, one.done);
      given[one.ticket] = before;
    }
    return given;
  }
  bool finished() const {
    return std::all_of(all_.begin(), all_.end(), [](const Asked& one) { return one.done != never; });
  }
  std::uint64_t accesses = 0, wait_sum = 0;

 private:
  void come_to_memory(unsigned port, Cycle now) {
    for (const auto& [at, one] : missed_[port])
      if (at == now) queue_.push_back({now, one});
  }
  void begin_reading(Cycle now) {
    while (!queue_.empty() && now >= free_) {
      const auto [came, one] = queue_.front();
      queue_.pop_front();
      ++accesses;
      wait_sum += now - came;
      // A pipelined memory takes one access a cycle from all ports, or any number.
      free_ = now + (!timing_.cam_pipelined ? timing_.cam_cycles : timing_.cam_of_switch ? 1 : 0);
      one->done = now + timing_.cam_cycles;
      fills_.push_back({one->done, one->port, one->destination});
      if (timing_.blocking) next_[one->port] = one->done;
    }
  }
  void read_cache(unsigned port, Cycle now) {
    if (waiting_[port].empty() || waiting_[port].front()->hashed > now || next_[port] > now) return;
    Asked* const one = waiting_[port].front();
    waiting_[port].pop_front();
    next_[port] = now + timing_.cache_cycles;
    const Cycle read = now + timing_.cache_cycles;
    if (caches_[port]->find(like_.keys.key(one->destination), like_.keys.set(one->destination)) != nullptr) {
      one->done = read;
      return;
    }
    missed_[port].push_back({read, one});
    if (timing_.blocking) next_[port] = never;
  }
  const Pipeline& like_;
  const LookupTiming timing_;
  std::vector<std::unique_ptr<RoutingTableCache>> caches_;
  std::list<Asked> all_;
  std::map<unsigned, std::deque<Asked*>> waiting_;
  std::map<unsigned, std::vector<std::pair<Cycle, Asked*>>> missed_;
  std::deque<std::pair<Cycle, Asked*>> queue_;
  std::vector<std::tuple<Cycle, unsigned, NodeId>> fills_;
  std::map<unsigned, Cycle> next_;
  Cycle free_ = 0;
};

using Asked = NaivePipeline::Asked;

/// Compares a pipeline with one that is stepped stage by stage, with requests for the first `asking` cycles.
void compare_with_stages(Cycle asking) {
  LookupTiming timing;
  timing.hash_cycles = GENERATE(1, 3);
  timing.cache_cycles = GENERATE(1, 2);
  timing.cam_cycles = GENERATE(1, 2, 25);
  std::tie(timing.cam_pipelined, timing.cam_of_switch) =
      GENERATE(table<bool, bool>({{true, false}, {true, true}, {false, false}}));
  timing.blocking = GENERATE(false, true);
  const unsigned destinations = GENERATE(6, 40);
  const bool engine_first = GENERATE(false, true);
  CAPTURE(timing.hash_cycles, timing.cache_cycles, timing.cam_cycles, timing.cam_interval(), timing.blocking);
  Pipeline pipeline(timing);
  NaivePipeline naive(pipeline);
  CounterRandom random(9, destinations);
  std::uint32_t ticket = 0;
  std::map<std::uint32_t, Asked> all;
  for (Cycle now = 10; now < asking + 60'000; ++now) {
    std::vector<Asked> asked;
    // Bursts and pauses; a virtual channel may have many open requests.
    for (unsigned port = 0; port < Pipeline::ports && now < asking; ++port) {
      for (unsigned vc = 0; vc < Pipeline::vcs; ++vc) {
        if (random.below(now / 100 % 2 == 0 ? 6 : 60) != 0) continue;
        asked.push_back(
            {port, vc, static_cast<NodeId>(random.below(destinations)), ++ticket, now + timing.hash_cycles});
      }
    }
    if (engine_first) pipeline.step(now);
    for (const Asked& one : asked) {
      pipeline.ask(now, one.port, one.vc, one.destination, one.ticket);
      all[one.ticket] = one;
    }
    if (!engine_first) pipeline.step(now);
    naive.cycle(now, asked);
    if (now > asking && pipeline.answers.size() == ticket && naive.finished()) break;
  }
  REQUIRE(pipeline.answers.size() == ticket);
  CHECK_FALSE(pipeline.late);
  CHECK_FALSE(pipeline.twice);
  for (const auto& [one, at] : naive.answers()) {
    const unsigned sum = all[one].destination + all[one].port;
    REQUIRE(pipeline.answers[one] == Answer{at, sum % 4, 1U << sum / 4 % 4});
  }
  const LookupCounters counters = pipeline.lookup->counters();
  CHECK(counters.cache.lookups == ticket);
  CHECK(counters.cache.misses == counters.cam_accesses);
  CHECK(counters.cam_accesses == naive.accesses);
  CHECK(counters.cam_wait_sum == naive.wait_sum);
  CHECK(counters.cache.misses == counters.cache.fills + counters.cache.refills + counters.answers_pending);
}

}  // namespace

TEST_CASE("every answer comes in the cycle of the reference pipeline") {
  compare_with_stages(310);
}

TEST_CASE("so does every answer of many bursts", "[.][long]") {
  compare_with_stages(1500);
}

TEST_CASE("hits pass a miss, but not one of their own virtual channel") {
  LookupTiming timing;
  timing.cam_pipelined = GENERATE(true, false);
  Pipeline pipeline(timing);
  pipeline.lookup->warm(0, 7);
  const auto run = [&](Cycle from, Cycle to) {
    for (Cycle now = from; now < to; ++now) pipeline.step(now);
  };
  pipeline.ask(100, 0, 0, 3, 1);  // misses: 100 + 1 + 1 + 25
  run(100, 101);
  pipeline.ask(101, 0, 1, 7, 2);  // hits
  pipeline.ask(101, 0, 0, 7, 3);  // hits one cycle later, and waits for the first
  run(101, 110);
  pipeline.ask(110, 0, 2, 3, 4);  // the entry is not there yet: a second read
  run(110, 126);
  pipeline.ask(126, 0, 3, 3, 5);  // reads the cache in 127, after the fill
  run(126, 200);
  CHECK(pipeline.answers[1].at == 127);
  CHECK(pipeline.answers[2].at == 103);
  CHECK(pipeline.answers[3].at == 127);
  CHECK(pipeline.answers[4].at == (timing.cam_pipelined ? 137 : 127 + 25));
  CHECK(pipeline.answers[5].at == 128);
  // An existing entry is not inserted again.
  pipeline.ask(300, 0, 0, 3, 6);
  run(300, 310);
  const LookupCounters counters = pipeline.lookup->counters();
  CHECK(counters.cache.fills == 1);
  CHECK(counters.cache.refills == 1);
  CHECK(counters.cam_accesses == 2);
}

TEST_CASE("misses of one cycle reach a switch's one memory one cycle apart, and overlap there") {
  LookupTiming timing;
  timing.cam_of_switch = true;
  Pipeline pipeline(timing);
  for (unsigned port = 4; port-- > 0;) pipeline.ask(100, port, 0, port, port);
  for (Cycle now = 100; now < 200; ++now) pipeline.step(now);
  for (unsigned port = 0; port < 4; ++port) CHECK(pipeline.answers[port].at == 127 + port);
  const LookupCounters counters = pipeline.lookup->counters();
  CHECK(counters.cam_wait_sum == 0 + 1 + 2 + 3);
  CHECK(counters.cam_busy_cycles == 4);
}

TEST_CASE("a flush takes effect after the pending look-ups, whether ports share a memory or not") {
  LookupTiming timing;
  timing.hash_cycles = GENERATE(1, 3);
  timing.cache_cycles = GENERATE(1, 2);
  timing.cam_cycles = 7;
  timing.blocking = GENERATE(false, true);
  const unsigned destinations = GENERATE(6, 40);
  CAPTURE(timing.hash_cycles, timing.cache_cycles, timing.blocking, destinations);
  Pipeline alone(timing);
  timing.cam_of_switch = true;
  Pipeline shared(timing);
  // One port misses at most once a cycle: both memories serve it alike.
  CounterRandom random(17, destinations);
  std::uint32_t ticket = 0;
  for (Cycle now = 1; now < 30'000; ++now) {
    for (Pipeline* const pipeline : {&alone, &shared}) pipeline->step(now);
    const unsigned heads = now / 50 % 2 == 0 && now < 3500 ? static_cast<unsigned>(random.below(3)) : 0;
    for (unsigned head = 0; head < heads; ++head) {
      const auto vc = static_cast<unsigned>(random.below(Pipeline::vcs));
      const auto destination = static_cast<NodeId>(random.below(destinations));
      ++ticket;
      for (Pipeline* const pipeline : {&alone, &shared}) pipeline->ask(now, 0, vc, destination, ticket);
    }
    for (unsigned flushes = now < 3500 && random.below(20) == 0 ? 2 : 0; flushes > 0; --flushes)
      for (Pipeline* const pipeline : {&alone, &shared}) pipeline->lookup->flush(now);
  }
  REQUIRE(ticket > 1000);
  CHECK(alone.answers == shared.answers);
  const LookupCounters one = alone.lookup->counters(), other = shared.lookup->counters();
  CHECK(one.cache.hits == other.cache.hits);
  CHECK(one.cache.hits > 50);
  CHECK(one.cache.flushes == other.cache.flushes);
  CHECK(one.stale_answers > 10);
  CHECK(one.cache.misses == one.cache.fills + one.cache.refills + one.stale_answers + one.answers_pending);
  CHECK(other.cache.misses ==
        other.cache.fills + other.cache.refills + other.stale_answers + other.answers_pending);
}

TEST_CASE("a blocking cache waits for the answer to a miss") {
  LookupTiming timing;
  timing.blocking = true;
  timing.cam_pipelined = GENERATE(true, false);
  Pipeline pipeline(timing);
  pipeline.lookup->warm(0, 7);
  pipeline.lookup->warm(1, 7);
  pipeline.ask(100, 0, 0, 3, 1);
  pipeline.ask(100, 0, 1, 7, 2);
  pipeline.ask(100, 1, 1, 7, 3);
  for (Cycle now = 100; now < 200; ++now) pipeline.step(now);
  CHECK(pipeline.answers[1].at == 127);
  CHECK(pipeline.answers[2].at == 128);  // reads the cache in 127
  CHECK(pipeline.answers[3].at == 102);
}

TEST_CASE("misses of several ports wait for one memory, the lowest port's first") {
  LookupTiming timing;
  timing.cam_pipelined = false;
  Pipeline pipeline(timing);
  pipeline.ask(100, 2, 0, 1, 1);
  pipeline.ask(100, 0, 0, 1, 2);
  pipeline.ask(100, 0, 1, 2, 3);  // reaches the memory one cycle later
  pipeline.ask(100, 3, 0, 1, 4);
  for (Cycle now = 100; now < 300; ++now) pipeline.step(now);
  CHECK(pipeline.answers[2].at == 127);
  CHECK(pipeline.answers[1].at == 152);
  CHECK(pipeline.answers[4].at == 177);
  CHECK(pipeline.answers[3].at == 202);
  const LookupCounters counters = pipeline.lookup->counters();
  CHECK(counters.cam_wait_sum == 0 + 25 + 50 + 74);
  CHECK(counters.cam_wait_most == 74);
  CHECK(counters.cam_busy_cycles == 100);
}

TEST_CASE("more than 64 look-ups of a port can be in flight") {
  LookupTiming timing;
  timing.cam_cycles = 1000;
  timing.cam_pipelined = GENERATE(true, false);
  Pipeline pipeline(timing, {8, 8, "lru", false});
  for (unsigned i = 0; i < 100; ++i) {
    pipeline.ask(100 + i, 0, i % 4, i % 64, i);
    pipeline.step(100 + i);
  }
  for (Cycle now = 200; now < 110'000; ++now) pipeline.step(now);
  REQUIRE(pipeline.answers.size() == 100);
  for (unsigned i = 0; i < 100; ++i)
    CHECK(pipeline.answers[i].at == 102 + 1000 + (timing.cam_pipelined ? i : 1000 * i));
}

TEST_CASE("an answer that was read before a change is not written into a cache") {
  LookupTiming timing;
  timing.cam_pipelined = GENERATE(true, false);
  Pipeline pipeline(timing);
  const auto run = [&](Cycle from, Cycle to) {
    for (Cycle now = from; now < to; ++now) pipeline.step(now);
  };
  pipeline.lookup->warm(1, 9);
  pipeline.ask(100, 0, 0, 3, 1);
  run(100, 111);
  pipeline.lookup->change_route(110, 3, {2, 8});  // after cycle 110: the read began in 102
  run(111, 140);
  CHECK(pipeline.answers[1] == Answer{127, 3, 1});  // already in flight, with the old route
  pipeline.ask(140, 0, 0, 3, 2);
  run(140, 200);
  // Read again: reads that are not pipelined wait for the write, which waited for the first read.
  CHECK(pipeline.answers[2] == Answer{timing.cam_pipelined ? 167U : 127U + 25 + 25, 2, 8});
  pipeline.ask(200, 0, 0, 3, 3);
  pipeline.ask(200, 1, 0, 9, 4);
  run(200, 240);
  CHECK(pipeline.answers[3] == Answer{202, 2, 8});
  CHECK(pipeline.answers[4].at == 227);  // the other port's cache was flushed, too
  pipeline.lookup->restore_route(299, 3);
  pipeline.ask(300, 0, 0, 3, 5);
  run(300, 340);
  CHECK(pipeline.answers[5] == Answer{timing.cam_pipelined ? 327U : 300U + 25 + 25, 3, 1});
  pipeline.ask(400, 1, 0, 9, 6);  // lets the last answers fill the caches
  pipeline.ask(400, 0, 0, 9, 7);
  run(400, 440);
  const LookupCounters counters = pipeline.lookup->counters();
  CHECK(counters.stale_answers == 1);
  CHECK(counters.cache.flushes == 2 * Pipeline::ports);
  CHECK(counters.cache.misses ==
        counters.cache.fills + counters.cache.refills + counters.stale_answers + counters.answers_pending);
}

TEST_CASE("a removed route answers with an empty set of virtual channels") {
  LookupTiming timing;
  timing.cam_pipelined = GENERATE(true, false);
  Pipeline pipeline(timing, {8, 2, "lru", false}, GENERATE(false, true));
  pipeline.lookup->change_route(10, 3, {0, 0});
  pipeline.ask(100, 0, 0, 3, 1);
  for (Cycle now = 100; now < 200; ++now) pipeline.step(now);
  CHECK(pipeline.answers[1] == Answer{127, 0, 0});
}

TEST_CASE("a map at the cache's output chooses by the packet's own virtual channel") {
  LookupTiming timing;
  timing.cam_pipelined = GENERATE(true, false);
  Pipeline pipeline(timing, {8, 2, "lru", false}, true);
  for (unsigned vc = 0; vc < 4; ++vc) pipeline.ask(100 + 50 * vc, 1, vc, 5, vc);
  for (Cycle now = 100; now < 400; ++now) pipeline.step(now);
  for (unsigned vc = 0; vc < 4; ++vc) CHECK(pipeline.answers[vc].vcs == 1U << vc);
}

TEST_CASE("a cancelled request gets no answer, and its entry is still written into the cache") {
  LookupTiming timing;
  timing.cam_pipelined = false;
  Pipeline pipeline(timing);
  pipeline.ask(100, 0, 0, 3, 1);
  pipeline.ask(100, 1, 0, 3, 2);
  for (Cycle now = 100; now < 102; ++now) pipeline.step(now);
  pipeline.lookup->cancel(101, 1);
  for (Cycle now = 102; now < 200; ++now) pipeline.step(now);
  CHECK(pipeline.answers.count(1) == 0);
  CHECK(pipeline.answers[2].at == 152);  // the memory still reads for the first one
  pipeline.ask(200, 0, 0, 3, 3);
  for (Cycle now = 200; now < 240; ++now) pipeline.step(now);
  CHECK(pipeline.answers[3].at == 202);
  CHECK(pipeline.queued->outstanding() == 0);
}

TEST_CASE("throughput of a port is bounded by its cache and by its misses (Hirasawa 2020, eq. 7)") {
  LookupTiming timing;
  timing.cam_pipelined = false;
  const unsigned every = GENERATE(0U, 100U, 50U, 25U, 10U, 4U, 1U);  // the (1/r)-th look-up misses
  Pipeline pipeline(timing, {8, 8, "lru", false});
  for (NodeId node = 0; node < 4; ++node) pipeline.lookup->warm(0, node);
  // A port with always 64 waiting heads, on four virtual channels. Four destinations are requested all the
  // time; 60 others come in rotation, and each has been evicted by then.
  std::uint32_t asked = 0;
  std::size_t before = 0;
  NodeId cold = 4;
  for (Cycle now = 0; now < 60'000; ++now) {
    if (now == 10'000) before = pipeline.answers.size();
    while (asked < 64 + pipeline.answers.size()) {
      const bool miss = every != 0 && asked % every == 0;
      if (miss) cold = cold == 63 ? 4 : cold + 1;
      pipeline.ask(now, 0, asked % 4, miss ? cold : asked % 4, asked);
      ++asked;
    }
    pipeline.step(now);
  }
  const double rate = static_cast<double>(pipeline.answers.size() - before) / 50'000.0;
  CHECK(rate == Approx(every == 0 ? 1.0 : std::min(1.0, every / 25.0)).epsilon(0.02));
}
