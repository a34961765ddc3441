// SPDX-License-Identifier: Apache-2.0
#include "tsuji/workload/rank_replay.h"

#include <map>
#include <memory>
#include <tuple>

#include "support/catch.h"
#include "tsuji/core/error.h"
#include "tsuji/core/random.h"
#include "workload/trace_op.h"

using namespace tsuji;
using namespace tsuji::workload;
using tsuji::test::op;
using Part = RankMessage::Part;

namespace {

/// Ranks on wires that only delay: a message takes `delay` cycles (or up to `spread` more at random), and
/// data have left after `leave` cycles.
class Wires {
 public:
  Wires(const Trace& trace, const ReplayConfig& config, Cycle delay, Cycle leave, Cycle spread = 0)
      : delay_(delay), leave_(leave), spread_(spread), random_(7, 0) {
    for (std::size_t rank = 0; rank < trace.size(); ++rank) {
      outlets_.push_back(std::make_unique<Outlet>(*this));
      ranks.push_back(
          std::make_unique<RankReplay>(trace, static_cast<std::uint16_t>(rank), config, *outlets_.back()));
    }
  }

  /// Runs until nothing is left to do; `backwards`: ranks of a cycle play in reverse order.
  void run(bool backwards = false) {
    now_ = 0;
    play_all(backwards);
    for (Cycle next = upcoming(); next != never; next = upcoming()) {
      now_ = next;
      while (!events_.empty() && events_.begin()->first == now_) {
        const Event event = events_.begin()->second;
        events_.erase(events_.begin());
        if (event.departure) {
          ranks[event.message.key.source]->departed(now_, event.message.key);
        } else {
          ranks[event.message.receiver()]->arrived(now_, event.message);
        }
      }
      play_all(backwards);
    }
  }
  bool finished() const {
    for (const auto& rank : ranks) {
      const RankState state = rank->state();
      if (!state.finished || !state.unreceived.empty() || !state.requests.empty()) return false;
    }
    return true;
  }

  std::vector<std::unique_ptr<RankReplay>> ranks;
  std::vector<RankMessage> sent;

 private:
  struct Event {
    RankMessage message;
    bool departure;
  };
  class Outlet final : public RankOutlet {
   public:
    explicit Outlet(Wires& wires) : wires_(wires) {}
    void send(const RankMessage& message) override { wires_.send(message); }
    bool is_local(std::uint16_t) const override { return false; }

   private:
    Wires& wires_;
  };

  void send(const RankMessage& message) {
    sent.push_back(message);
    const Cycle delay = delay_ + (spread_ == 0 ? 0 : random_.below(spread_));
    events_.emplace(now_ + delay, Event{message, false});
    if (message.part == Part::data) events_.emplace(now_ + leave_, Event{message, true});
  }
  void play_all(bool backwards) {
    for (std::size_t i = 0; i < ranks.size(); ++i) ranks[backwards ? ranks.size() - 1 - i : i]->play(now_);
  }
  Cycle upcoming() const {
    Cycle next = events_.empty() ? never : events_.begin()->first;
    for (const auto& rank : ranks) next = std::min(next, rank->wakes_at());
    return next;
  }

  const Cycle delay_, leave_, spread_;
  CounterRandom random_;
  std::vector<std::unique_ptr<Outlet>> outlets_;
  std::multimap<Cycle, Event> events_;
  Cycle now_ = 0;
};

/// Expected messages by the definitions: every rank's operations as sends and receives, with the times of
/// their calls and completions. Without matching: the n-th receive is joined to the n-th send beforehand.
class Reference {
 public:
  Reference(const Trace& trace, const ReplayConfig& config, Cycle delay, Cycle leave)
      : trace_(trace), config_(config), delay_(delay), leave_(leave), at_(trace.size()), time_(trace.size()) {
    for (std::uint32_t rank = 0; rank < trace.size(); ++rank) lists_.push_back(actions_of(rank));
    for (bool moved = true; moved;) {
      moved = false;
      for (std::size_t rank = 0; rank < lists_.size(); ++rank) {
        while (at_[rank] < lists_[rank].size() && do_action(rank, lists_[rank][at_[rank]])) {
          ++at_[rank];
          moved = true;
        }
      }
    }
    for (std::size_t rank = 0; rank < lists_.size(); ++rank) REQUIRE(at_[rank] == lists_[rank].size());
  }
  Cycle end(std::size_t rank) const { return time_[rank]; }
  std::size_t messages() const { return messages_.size(); }

 private:
  struct Message {
    std::uint64_t bytes = 0;
    Cycle asked = never, wanted = never;  ///< call of the sender; call of the receiver
  };
  using Key = std::tuple<std::uint32_t, std::uint32_t, std::int64_t, std::uint32_t>;
  struct Action {
    enum class Kind { compute, send, receive, wait } kind;
    std::uint64_t value;
    Key key;
    bool receives;  ///< a wait is for a receive
  };

  std::vector<Action> actions_of(std::uint32_t rank) {
    std::vector<Action> list;
    std::map<std::tuple<std::uint32_t, std::int64_t, bool>, std::uint32_t> numbers;
    std::vector<std::pair<Key, bool>> open;
    std::int64_t collective = 0;
    const auto begin = [&](std::uint32_t peer, std::int64_t tag, std::uint64_t bytes, bool receives) {
      const std::uint32_t number = numbers[{peer, tag, receives}]++;
      const Key key = receives ? Key{peer, rank, tag, number} : Key{rank, peer, tag, number};
      list.push_back({receives ? Action::Kind::receive : Action::Kind::send, bytes, key, receives});
      open.emplace_back(key, receives);
    };
    const auto wait_all = [&] {
      for (const auto& [key, receives] : open) list.push_back({Action::Kind::wait, 0, key, receives});
      open.clear();
    };
    for (const TraceOp& o : trace_.ranks[rank]) {
      switch (o.kind) {
        case TraceOpKind::compute:
          list.push_back({Action::Kind::compute, o.value, {}, false});
          break;
        case TraceOpKind::isend:
        case TraceOpKind::irecv:
          begin(o.peer, o.tag, o.value, o.kind == TraceOpKind::irecv);
          break;
        case TraceOpKind::send:
        case TraceOpKind::recv: {
          begin(o.peer, o.tag, o.value, o.kind == TraceOpKind::recv);
          list.push_back({Action::Kind::wait, 0, open.back().first, open.back().second});
          open.pop_back();
          break;
        }
        case TraceOpKind::waitall:
          wait_all();
          break;
        case TraceOpKind::barrier:
        case TraceOpKind::allreduce:
        case TraceOpKind::alltoall: {
          // Exchanges with all ranks in turn, the least common form of the three names in the test.
          --collective;
          const auto ranks = static_cast<std::uint32_t>(trace_.size());
          const MessageSteps steps = o.kind == TraceOpKind::barrier     ? dissemination_barrier(rank, ranks)
                                     : o.kind == TraceOpKind::allreduce ? recursive_doubling(rank, ranks)
                                                                        : staggered_all_to_all(rank, ranks);
          auto outside = std::move(open);
          open.clear();
          for (const MessageStep& step : steps) {
            if (step.kind == MessageStep::Kind::receive) begin(step.peer, collective, o.value, true);
            if (step.kind == MessageStep::Kind::exchange) begin(step.source, collective, o.value, true);
            if (step.kind != MessageStep::Kind::receive) begin(step.peer, collective, o.value, false);
            wait_all();
          }
          open = std::move(outside);
          break;
        }
        default:
          break;
      }
    }
    return list;
  }

  /// Returns false if the action depends on a time that is not known yet.
  bool do_action(std::size_t rank, const Action& action) {
    Cycle& now = time_[rank];
    if (action.kind == Action::Kind::compute) {
      now += config_.period.cycles_from_ns(static_cast<double>(action.value) * config_.ns_per_flop);
      return true;
    }
    Message& message = messages_.emplace(action.key, Message{}).first->second;
    switch (action.kind) {
      case Action::Kind::compute:
        break;
      case Action::Kind::send:
        message.asked = now;
        message.bytes = action.value;
        return true;
      case Action::Kind::receive:
        message.wanted = now;
        return true;
      case Action::Kind::wait:
        break;
    }
    if (message.asked == never || (message.wanted == never && (action.receives || large(message))))
      return false;
    now = std::max(now, completion(message, action.receives));
    return true;
  }
  bool large(const Message& message) const { return message.bytes > config_.eager_bytes; }
  Cycle completion(const Message& message, bool receives) const {
    if (!large(message)) return receives ? std::max(message.wanted, message.asked + delay_) : message.asked;
    const Cycle data = std::max(message.wanted, message.asked + delay_) + delay_;
    return data + (receives ? delay_ : leave_);
  }

  const Trace& trace_;
  const ReplayConfig& config_;
  const Cycle delay_, leave_;
  std::vector<std::size_t> at_;
  std::vector<Cycle> time_;
  std::vector<std::vector<Action>> lists_;
  std::map<Key, Message> messages_;
};

/// A program that cannot deadlock: phases in which random pairs exchange random messages, with computing and
/// collectives between them.
Trace random_trace(unsigned ranks, unsigned phases, std::uint64_t seed) {
  CounterRandom random(seed, 1);
  Trace trace;
  trace.ranks.resize(ranks);
  const auto all = [&](const TraceOp& o) {
    for (auto& ops : trace.ranks) ops.push_back(o);
  };
  all(op(TraceOpKind::init));
  for (unsigned phase = 0; phase < phases; ++phase) {
    for (auto& ops : trace.ranks) ops.push_back(op(TraceOpKind::compute, random.below(400)));
    for (unsigned i = 0; i < 2 * ranks; ++i) {
      const auto from = static_cast<unsigned>(random.below(ranks));
      const auto to = static_cast<unsigned>(random.below(ranks));
      const int tag = static_cast<int>(random.below(2));
      const std::uint64_t bytes = random.below(3000);
      trace.ranks[from].push_back(op(TraceOpKind::isend, bytes, to, tag));
      trace.ranks[to].push_back(op(TraceOpKind::irecv, bytes, from, tag));
      if (random.below(4) == 0) trace.ranks[from].push_back(op(TraceOpKind::compute, random.below(90)));
    }
    for (auto& ops : trace.ranks) {
      const auto requests =
          static_cast<std::uint64_t>(std::count_if(ops.begin(), ops.end(), [](const TraceOp& o) {
            return o.kind == TraceOpKind::isend || o.kind == TraceOpKind::irecv;
          }));
      ops.push_back(op(TraceOpKind::waitall, requests));
    }
    const std::uint64_t bytes = random.below(3000);
    const auto kind = random.below(4);
    if (kind == 0) all(op(TraceOpKind::barrier));
    if (kind == 1) all(op(TraceOpKind::allreduce, bytes));
    if (kind == 2) all(op(TraceOpKind::alltoall, bytes + 1));
    // A chain of blocking messages around the ranks.
    if (kind == 3) {
      trace.ranks[0].push_back(op(TraceOpKind::send, bytes, 1 % ranks, 5));
      for (unsigned r = 1; r < ranks; ++r) {
        trace.ranks[r].push_back(op(TraceOpKind::recv, bytes, r - 1, 5));
        if (r + 1 < ranks) trace.ranks[r].push_back(op(TraceOpKind::send, bytes, r + 1, 5));
      }
    }
  }
  all(op(TraceOpKind::finalize));
  return trace;
}

Trace two_ranks(std::vector<TraceOp> first, std::vector<TraceOp> second) {
  Trace trace;
  trace.ranks = {std::move(first), std::move(second)};
  return trace;
}

}  // namespace

TEST_CASE("replay: every rank's end follows from the definitions, eager, rendezvous, and mixed") {
  for (const std::uint64_t eager : {std::uint64_t{0}, std::uint64_t{1500}, std::uint64_t{1} << 20}) {
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
      const unsigned ranks = seed == 1 ? 2 : static_cast<unsigned>(2 * seed + 1);
      const Trace trace = random_trace(ranks, 6, seed);
      ReplayConfig config;
      config.eager_bytes = eager;
      config.ns_per_flop = 0.75;
      Wires wires(trace, config, 13, 9);
      wires.run();
      REQUIRE(wires.finished());
      const Reference reference(trace, config, 13, 9);
      for (unsigned rank = 0; rank < ranks; ++rank)
        REQUIRE(wires.ranks[rank]->times().end == reference.end(rank));
      std::size_t whole = 0;
      for (const RankMessage& message : wires.sent) whole += message.payload_bytes() == message.bytes ? 1 : 0;
      CHECK(whole >= reference.messages());
    }
  }
}

TEST_CASE("replay: the order in which ranks play changes no result") {
  const Trace trace = random_trace(9, 8, 3);
  ReplayConfig config;
  config.eager_bytes = 1000;
  Wires forwards(trace, config, 5, 3), backwards(trace, config, 5, 3);
  forwards.run(false);
  backwards.run(true);
  for (std::size_t rank = 0; rank < trace.size(); ++rank) {
    CHECK(forwards.ranks[rank]->times().end == backwards.ranks[rank]->times().end);
    CHECK(forwards.ranks[rank]->times().waiting == backwards.ranks[rank]->times().waiting);
  }
}

TEST_CASE("replay: messages that overtake each other find their receives") {
  // All sizes differ; a message matched with another receive would leave bytes over or be refused.
  std::vector<TraceOp> sends, receives;
  for (unsigned i = 0; i < 200; ++i) sends.push_back(op(TraceOpKind::isend, 5000 - 20 * i, 1, 3));
  sends.push_back(op(TraceOpKind::waitall, 200));
  for (unsigned i = 0; i < 200; ++i) receives.push_back(op(TraceOpKind::recv, 5000 - 20 * i, 0, 3));
  const Trace trace = two_ranks(sends, receives);
  for (const std::uint64_t eager : {0U, 2500U, 10000U}) {
    ReplayConfig config;
    config.eager_bytes = eager;
    Wires wires(trace, config, 1, 1, 500);
    wires.run();
    CHECK(wires.finished());
  }
}

TEST_CASE("replay: time is computing, waiting, and nothing else") {
  const Trace trace = random_trace(6, 10, 11);
  Wires wires(trace, {}, 20, 10);
  wires.run();
  for (const auto& rank : wires.ranks) {
    const ReplayTimes& times = rank->times();
    CHECK(times.compute + times.waiting == times.end);
    CHECK(times.waiting > 0);
  }
}

TEST_CASE("replay: a rendezvous send holds its rank until its data have left, an eager one does not") {
  const Trace trace = two_ranks({op(TraceOpKind::send, 100, 1, 0), op(TraceOpKind::roi_begin)},
                                {op(TraceOpKind::compute, 1000), op(TraceOpKind::recv, 100, 0, 0)});
  ReplayConfig config;
  config.eager_bytes = 99;
  Wires asked(trace, config, 10, 4);
  asked.run();
  CHECK(asked.ranks[0]->times().roi_begin == 1000 + 10 + 4);
  CHECK(asked.ranks[1]->times().end == 1000 + 10 + 10);
  config.eager_bytes = 100;
  Wires eager(trace, config, 10, 4);
  eager.run();
  CHECK(eager.ranks[0]->times().roi_begin == 0);
  CHECK(eager.ranks[1]->times().end == 1000);
}

TEST_CASE("replay: a wait takes the oldest request of its message, in any order of waits") {
  const Trace trace = two_ranks(
      {op(TraceOpKind::isend, 10, 1, 1), op(TraceOpKind::isend, 20, 1, 2), op(TraceOpKind::waitall, 2)},
      {op(TraceOpKind::irecv, 10, 0, 1), op(TraceOpKind::irecv, 20, 0, 2),
       op(TraceOpKind::wait, 0, 0, 2, true), op(TraceOpKind::wait, 0, 0, 1, true)});
  Wires wires(trace, {}, 3, 1);
  wires.run();
  CHECK(wires.finished());
  const Trace wrong = two_ranks({}, {op(TraceOpKind::irecv, 10, 0, 1), op(TraceOpKind::wait, 0, 0, 2, true)});
  Wires refused(wrong, {}, 3, 1);
  CHECK_THROWS_AS(refused.run(), ModelError);
}

TEST_CASE("replay: a message that is longer than its receive is refused, early and late") {
  for (const std::uint64_t late : {0U, 100U}) {
    for (const std::uint64_t eager : {0U, 1000U}) {
      ReplayConfig config;
      config.eager_bytes = eager;
      const Trace trace = two_ranks({op(TraceOpKind::send, 65, 1, 0)},
                                    {op(TraceOpKind::compute, late), op(TraceOpKind::recv, 64, 0, 0)});
      Wires wires(trace, config, 10, 1);
      CHECK_THROWS_WITH(wires.run(), Catch::Contains("65 bytes") && Catch::Contains("takes 64"));
    }
  }
}

TEST_CASE("replay: ranks that wait for each other report their requests") {
  const Trace trace = two_ranks({op(TraceOpKind::recv, 8, 1, 4), op(TraceOpKind::send, 8, 1, 4)},
                                {op(TraceOpKind::recv, 8, 0, 4), op(TraceOpKind::send, 8, 0, 4)});
  Wires wires(trace, {}, 3, 1);
  wires.run();
  CHECK_FALSE(wires.finished());
  for (unsigned rank = 0; rank < 2; ++rank) {
    const RankState state = wires.ranks[rank]->state();
    CHECK(state.rank == rank);
    CHECK(state.doing == "operation 0 of 2: recv " + std::to_string(1 - rank) + " 4 8");
    REQUIRE(state.requests.size() == 1);
    CHECK(state.requests[0].receives);
    CHECK(state.requests[0].peer == 1 - rank);
    CHECK(state.requests[0].tag == 4);
    CHECK(state.requests[0].bytes == 8);
    CHECK_FALSE(state.requests[0].collective);
  }
}

TEST_CASE("replay: all named algorithms complete every collective, with the stated bytes") {
  const unsigned ranks = 11;
  Trace trace;
  trace.ranks.resize(ranks);
  std::vector<std::uint32_t> counts;
  for (unsigned rank = 0; rank < ranks; ++rank) {
    auto& ops = trace.ranks[rank];
    ops.push_back(op(TraceOpKind::bcast, 500, 3));
    ops.push_back(op(TraceOpKind::reduce, 600, 4));
    ops.push_back(op(TraceOpKind::allreduce, 700));
    ops.push_back(op(TraceOpKind::barrier));
    ops.push_back(op(TraceOpKind::alltoallv, trace.counts.size()));
    // From r to p: r * p bytes, so nothing to or from rank 0.
    for (unsigned twice = 0; twice < 2; ++twice) {
      for (unsigned peer = 0; peer < ranks; ++peer) trace.counts.push_back(rank * peer);
    }
  }
  for (const char* tree : {"binomial", "linear"}) {
    for (const char* all : {"recursive_doubling", "reduce_broadcast"}) {
      for (const std::uint64_t eager : {0U, 550U, 10000U}) {
        ReplayConfig config;
        config.broadcast = config.reduce = tree;
        config.all_reduce = all;
        config.all_to_all = std::string(tree) == "linear" ? "linear" : "staggered";
        config.barrier = std::string(tree) == "linear" ? "tree" : "dissemination";
        config.eager_bytes = eager;
        Wires wires(trace, config, 2, 1, 40);
        wires.run();
        REQUIRE(wires.finished());
        std::map<std::uint64_t, unsigned> messages;  // by size; each of the five collectives has its own
        std::uint64_t to_all = 0;
        for (const RankMessage& message : wires.sent) {
          if (message.part != Part::eager && message.part != Part::data) continue;
          if (message.key.tag == 5) {
            CHECK(message.bytes == std::uint64_t{message.key.source} * message.key.destination);
            ++to_all;
          } else {
            ++messages[message.bytes];
          }
        }
        CHECK(messages[500] == ranks - 1);
        CHECK(messages[600] == ranks - 1);
        // 8 ranks with 3 rounds, and two messages for each of the three ranks outside the rounds.
        CHECK(messages[700] == (std::string(all) == "recursive_doubling" ? 8 * 3 + 2 * 3 : 2 * (ranks - 1)));
        CHECK(to_all == (ranks - 1) * (ranks - 2));
      }
    }
  }
}

TEST_CASE("replay: an unknown algorithm is refused with the known ones") {
  const Trace trace = two_ranks({}, {});
  ReplayConfig config;
  config.all_reduce = "magic";
  CHECK_THROWS_WITH(Wires(trace, config, 1, 1), Catch::Contains("collectives.all_reduce") &&
                                                    Catch::Contains("recursive_doubling, reduce_broadcast"));
}
