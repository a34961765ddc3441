// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "support/catch.h"
#include "tsuji/core/run_time.h"
#include "tsuji/workload/rank_replay.h"
#include "workload/trace_op.h"

using namespace tsuji;
using namespace tsuji::workload;
using tsuji::test::op;
using Kind = TraceOpKind;
using Part = RankMessage::Part;

// One rank at a time, step by step: the test plays all others.

namespace {

/// Rank 0 of `ranks`; messages of more than 64 bytes use a rendezvous.
struct Bench final : RankOutlet {
  explicit Bench(const std::vector<TraceOp>& ops, std::size_t ranks = 2, ReplayConfig with = {})
      : config(with) {
    config.eager_bytes = 64;
    trace.ranks.resize(ranks);
    trace.ranks[0] = RankOps(ops);
    rank = std::make_unique<RankReplay>(trace, std::uint16_t{0}, config, *this);
  }
  void send(const RankMessage& message) override { sent.push_back(message); }
  bool is_local(std::uint16_t other) const override { return other == local; }
  /// The part of the `n`-th message from rank 1 with tag 5.
  static RankMessage from_1(Part part, std::uint64_t bytes, std::uint32_t n = 0) {
    return {MessageKey::point_to_point(1, 0, 5, n), part, bytes};
  }
  /// The part of the first message to rank 1 with tag 5.
  static RankMessage to_1(Part part, std::uint64_t bytes) {
    return {MessageKey::point_to_point(0, 1, 5, 0), part, bytes};
  }
  void play(Cycle now) { rank->play(now); }
  void arrive(Cycle now, const RankMessage& message) {
    rank->arrived(now, message);
    rank->play(now);
  }
  /// The state of the only open request.
  std::string request_state() const {
    const RankState state = rank->state();
    REQUIRE(state.requests.size() == 1);
    return state.requests[0].state;
  }

  Trace trace;
  ReplayConfig config;
  std::uint16_t local = 99;
  std::vector<RankMessage> sent;
  std::unique_ptr<RankReplay> rank;
};

}  // namespace

TEST_CASE("replay: a large send is announced, requested, in flight, and done when its data have left") {
  Bench bench({op(Kind::send, 65, 1, 5), op(Kind::compute, 7)});
  bench.play(10);
  REQUIRE(bench.sent.size() == 1);
  CHECK(bench.sent[0].part == Part::request);
  CHECK(bench.sent[0].bytes == 65);
  CHECK(bench.sent[0].payload_bytes() == 0);
  CHECK(bench.sent[0].receiver() == 1);
  CHECK(bench.request_state() == "is announced, and its receive is not posted yet");
  CHECK(bench.rank->state().doing == "operation 0 of 2: send 1 5 65");
  CHECK(bench.rank->wakes_at() == never);
  bench.arrive(20, Bench::to_1(Part::clear_to_send, 65));
  REQUIRE(bench.sent.size() == 2);
  CHECK(bench.sent[1].part == Part::data);
  CHECK(bench.sent[1].payload_bytes() == 65);
  CHECK(bench.request_state() == "is being sent");
  CHECK(bench.rank->times().waiting == 0);
  CHECK(bench.rank->sent().messages == 0);
  bench.rank->departed(50, Bench::to_1(Part::data, 65).key);
  bench.play(50);
  CHECK(bench.rank->sent().messages == 1);
  CHECK(bench.rank->sent().bytes == 65);
  CHECK(bench.rank->times().waiting == 40);
  CHECK(bench.rank->wakes_at() == 57);
  CHECK(bench.rank->state().requests.empty());
  CHECK(bench.rank->state().doing == "operation 1 of 2: compute 7");
  CHECK_FALSE(bench.rank->finished());
  bench.play(56);
  CHECK_FALSE(bench.rank->finished());
  CHECK(bench.rank->times().end == 0);
  bench.play(57);
  CHECK(bench.rank->finished());
  CHECK(bench.rank->wakes_at() == never);
  CHECK(bench.rank->times().end == 57);
  CHECK(bench.rank->operations_done() == 2);
  CHECK(bench.rank->received().messages == 0);
}

TEST_CASE("replay: a receive answers a request, early or late, and completes with the data") {
  for (const bool early : {true, false}) {
    Bench bench({op(Kind::compute, 100), op(Kind::recv, 80, 1, 5)});
    bench.play(0);
    if (early) bench.arrive(30, Bench::from_1(Part::request, 70));
    CHECK(bench.sent.empty());
    if (early) {
      REQUIRE(bench.rank->state().unreceived.size() == 1);
      CHECK(bench.rank->state().unreceived[0].source == 1);
      CHECK(bench.rank->state().unreceived[0].tag == 5);
      CHECK(bench.rank->state().unreceived[0].bytes == 70);
    }
    bench.play(100);
    if (!early) {
      CHECK(bench.request_state() == "waits for its message");
      CHECK(bench.rank->state().requests[0].bytes == 80);
      bench.arrive(130, Bench::from_1(Part::request, 70));
    }
    CHECK(bench.rank->state().unreceived.empty());
    REQUIRE(bench.sent.size() == 1);
    CHECK(bench.sent[0].part == Part::clear_to_send);
    CHECK(bench.sent[0].receiver() == 1);
    CHECK(bench.sent[0].payload_bytes() == 0);
    CHECK(bench.request_state() == "is requested, and its data are in flight");
    CHECK(bench.rank->state().requests[0].bytes == 70);
    CHECK(bench.rank->received().messages == 0);
    bench.arrive(200, Bench::from_1(Part::data, 70));
    CHECK(bench.rank->finished());
    CHECK(bench.rank->times().waiting == 100);
    CHECK(bench.rank->times().compute == 100);
    CHECK(bench.rank->received().messages == 1);
    CHECK(bench.rank->received().bytes == 70);
  }
}

TEST_CASE("replay: a message to a rank of the same node never uses a rendezvous") {
  Bench bench({op(Kind::send, 1000, 1, 5), op(Kind::send, 1000, 2, 5)}, 3);
  bench.local = 1;
  bench.play(0);
  REQUIRE(bench.sent.size() == 2);
  CHECK(bench.sent[0].part == Part::eager);
  CHECK(bench.sent[0].payload_bytes() == 1000);
  CHECK(bench.sent[1].part == Part::request);
}

TEST_CASE("replay: a wait for a message to itself takes the older of its two ends") {
  Bench bench({op(Kind::irecv, 8, 0, 5), op(Kind::isend, 8, 0, 5), op(Kind::wait, 0, 0, 5),
               op(Kind::wait, 0, 0, 5), op(Kind::barrier)},
              1);
  bench.play(0);
  // The receive is older, and its message is in flight.
  CHECK(bench.rank->operations_done() == 2);
  bench.arrive(9, bench.sent.at(0));
  CHECK(bench.rank->finished());
  CHECK(bench.rank->state().collectives == 1);
}

TEST_CASE("replay: a message that no rank can have sent stops the run") {
  const auto stops = [](const RankMessage& message, const std::string& cause) {
    Bench bench({op(Kind::irecv, 80, 1, 5), op(Kind::isend, 80, 1, 5), op(Kind::waitall, 2)});
    bench.play(0);
    CHECK_THROWS_WITH(bench.arrive(40, message),
                      Catch::Contains("rank 0, cycle 40: ") && Catch::Contains(cause));
  };
  stops({MessageKey::point_to_point(1, 2, 5, 0), Part::eager, 8},
        "a message from rank 1 to rank 2, tag 5 arrived at the wrong rank");
  stops({MessageKey::point_to_point(0, 1, 5, 0), Part::data, 8}, "arrived at the wrong rank");
  stops({MessageKey::point_to_point(1, 0, 5, 0), Part::clear_to_send, 8}, "arrived at the wrong rank");
  stops({MessageKey::point_to_point(0, 1, 6, 0), Part::clear_to_send, 8},
        "no rank has announced a message from rank 0 to rank 1, tag 6");
  stops({MessageKey::point_to_point(0, 1, 5, 1), Part::clear_to_send, 8}, "no rank has announced");
  stops({MessageKey::point_to_point(1, 0, 6, 0), Part::data, 8},
        "no receive waits for a message from rank 1 to rank 0, tag 6");
  stops({MessageKey::of_collective(1, 0, 5), Part::data, 8},
        "no receive waits for a message from rank 1 to rank 0, of collective 5");
  Bench bench({op(Kind::isend, 8, 1, 5)});
  bench.play(0);
  CHECK_THROWS_WITH(bench.rank->departed(3, bench.sent.at(0).key), Catch::Contains("no receive waits for"));
}

TEST_CASE("replay: a rank computes up to the longest run, and not a cycle beyond it") {
  ReplayConfig config;
  config.period = ClockPeriod(1000);
  const Cycle longest = last_run_cycle(config.period);
  const Cycle last =
      1024;  // flops and nanoseconds are floating point: multiples of a large power of two are exact
  Bench just({op(Kind::compute, longest - last), op(Kind::compute, last)}, 1, config);
  just.play(0);
  REQUIRE(just.rank->wakes_at() == longest - last);
  just.play(longest - last);
  CHECK(just.rank->wakes_at() == longest);
  Bench beyond({op(Kind::compute, longest - last), op(Kind::compute, last + 1)}, 1, config);
  beyond.play(0);
  CHECK_THROWS_WITH(beyond.play(longest - last), Catch::Contains("computes for longer than a run may last"));
  Bench at_once({op(Kind::compute, longest + last)}, 1, config);
  CHECK_THROWS_WITH(at_once.play(0), Catch::Contains("computes for longer"));
}

TEST_CASE("replay: computing of no flops takes no cycle, and marks have the time at which they are played") {
  Bench bench({op(Kind::compute, 0), op(Kind::roi_begin), op(Kind::compute, 3), op(Kind::roi_end)}, 1);
  CHECK(bench.rank->times().roi_begin == never);
  bench.play(5);
  CHECK(bench.rank->times().roi_begin == 5);
  CHECK(bench.rank->times().roi_end == never);
  CHECK(bench.rank->operations_done() == 2);
  bench.play(8);
  CHECK(bench.rank->times().roi_end == 8);
  CHECK(bench.rank->times().compute == 3);
  CHECK(bench.rank->times().waiting == 0);
}

TEST_CASE("replay: a collective proceeds step by step, or all at once, by its algorithm") {
  for (const bool at_once : {false, true}) {
    ReplayConfig config;
    config.all_to_all = at_once ? "linear" : "staggered";
    Bench bench({op(Kind::alltoall, 65), op(Kind::bcast, 0, 1)}, 4, config);
    bench.play(0);
    const RankState state = bench.rank->state();
    CHECK(state.in_collective);
    CHECK(state.collectives == 1);
    CHECK(state.requests.size() == (at_once ? 6 : 2));
    for (const OpenRequest& request : state.requests) CHECK(request.collective);
    CHECK(bench.sent.size() == (at_once ? 3 : 1));
    CHECK(bench.rank->operations_done() == 0);
    // Round k sends to k and receives from 4 - k, so that all requests come in the third.
    for (std::uint16_t peer = 1; peer < 4; ++peer) {
      const MessageKey in = MessageKey::of_collective(static_cast<std::uint16_t>(4 - peer), 0, 1);
      const MessageKey out = MessageKey::of_collective(0, peer, 1);
      CHECK(bench.sent.size() >= peer);
      bench.arrive(10 * peer, {in, Part::request, 65});
      bench.arrive(10 * peer, {in, Part::data, 65});
      bench.arrive(10 * peer, {out, Part::clear_to_send, 65});
      CHECK(bench.rank->state().collectives == 1);
      bench.rank->departed(10 * peer, out);
      bench.play(10 * peer);
    }
    CHECK(bench.rank->state().collectives == 2);
    CHECK(bench.rank->operations_done() == 1);
    CHECK(bench.rank->times().waiting == 30);
    // Messages of collectives do not count as the trace's.
    CHECK(bench.rank->sent().messages == 0);
    CHECK(bench.rank->received().messages == 0);
    CHECK(bench.rank->received().bytes == 0);
  }
}

TEST_CASE("replay: a message of the program and one of a collective with the same number are distinct") {
  Bench bench({op(Kind::irecv, 8, 1, 1), op(Kind::barrier), op(Kind::waitall, 1)});
  bench.play(0);
  bench.arrive(5, {MessageKey::point_to_point(1, 0, 1, 0), Part::eager, 8});
  CHECK(bench.rank->operations_done() == 1);  // still in its barrier
  CHECK(bench.rank->received().messages == 1);
  bench.arrive(9, {MessageKey::of_collective(1, 0, 1), Part::eager, 0});
  CHECK(bench.rank->finished());
}

TEST_CASE("replay: an all-to-all sends no empty message, other collectives do") {
  Bench empty({op(Kind::alltoall, 0), op(Kind::finalize)}, 4);
  empty.play(0);
  CHECK(empty.sent.empty());
  CHECK(empty.rank->finished());
  Bench barrier({op(Kind::barrier)}, 4);
  barrier.play(0);
  REQUIRE(barrier.sent.size() == 1);
  CHECK(barrier.sent[0].key.collective);
  CHECK(barrier.sent[0].part == Part::eager);
  CHECK_FALSE(barrier.rank->finished());
}
