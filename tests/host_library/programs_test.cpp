// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <regex>

#include "host_library/mock_machine.h"
#include "support/catch.h"
#include "tsuji/core/error.h"
#include "tsuji/core/run_time.h"
#include "tsuji/host/library/barrier_program.h"
#include "tsuji/host/library/dma_program.h"
#include "tsuji/host/library/multicast_program.h"
#include "tsuji/host/library/ping_pong.h"
#include "tsuji/host/library/trace_program.h"

using namespace tsuji;
using namespace tsuji::host;
using namespace tsuji::test;
using Catch::Contains;

namespace {

workload::Trace trace_of(const std::string& text) {
  char name[] = "/tmp/tsuji_trace_XXXXXX";
  ::close(::mkstemp(name));
  std::ofstream(name) << text;
  workload::Trace trace = workload::read_trace(name);
  std::remove(name);
  return trace;
}

MockConfig machine_of(std::uint32_t ranks) {
  MockConfig config;
  config.ranks = ranks;
  config.library.heap_bytes = 4 << 20;
  return config;
}

struct Replay {
  bool finished = false;
  std::string report;
  std::vector<RankTimes> times;
  std::vector<std::array<std::uint64_t, 4>>
      counts;  ///< messages and bytes received, operations done, all operations
  std::vector<workload::MessageCount> sent;
};

Replay replay(const workload::Trace& trace, const MockConfig& config) {
  MockMachine machine(config);
  std::vector<std::unique_ptr<TraceProgram>> programs;
  for (std::uint32_t rank = 0; rank < config.ranks; ++rank) {
    programs.push_back(std::make_unique<TraceProgram>(machine.runtime(rank), trace, 2.0));
  }
  Replay result;
  result.finished = machine.run([&](RankRuntime& rank) { programs[rank.rank()]->run(); },
                                [&] {
                                  std::vector<workload::RankState> states;
                                  for (const auto& program : programs) states.push_back(program->state());
                                  result.report = workload::rank_wait_report(states);
                                });
  for (const auto& program : programs) {
    result.times.push_back(program->times());
    result.counts.push_back({program->received().messages, program->received().bytes,
                             program->operations_done(), program->operations()});
    result.sent.push_back(program->sent());
    CHECK(program->state().finished == (program->operations_done() == program->operations()));
  }
  return result;
}

}  // namespace

TEST_CASE("every operation of a trace is played and its data are checked") {
  const auto trace = trace_of(
      "0 init\n0 compute 1000\n# roi_begin\n0 isend 1 7 40 6\n0 irecv 1 8 5000 6\n0 wait 1 0 8\n0 wait 0 1 "
      "7\n"
      "0 isend 0 3 100 6\n0 irecv 0 3 100 6\n0 waitall 2\n0 send 0 4 3000 6\n0 recv 0 4 3000 6\n"
      "0 alltoallv 310 10 300 1002 10 992 6 6\n0 alltoall 300 300 6 6\n0 bcast 5000 1 6\n0 bcast 4 0 6\n"
      "0 reduce 16 0 1 6\n0 allreduce 4116 0 6\n0 barrier\n# roi_end\n0 finalize\n"
      "1 init\n1 compute 500000\n1 recv 0 7 64 6\n1 send 0 8 5000 6\n"
      "1 alltoallv 993 992 1 301 300 1 6 6\n1 alltoall 300 300 6 6\n1 bcast 5000 1 6\n1 bcast 4 0 6\n"
      "1 reduce 16 0 1 6\n1 allreduce 4116 0 6\n1 barrier\n1 finalize\n");
  const Replay result = replay(trace, machine_of(2));
  CHECK(result.finished);
  CHECK(result.times[0].compute == 160);  // 1,000 ns, scaled by 2, in cycles of 12.5 ns
  CHECK(result.times[1].compute == 80000);
  // Rank 0 has to wait for rank 1's computing.
  CHECK(result.times[0].waiting > 60000);
  CHECK(result.times[0].waiting + result.times[0].compute < result.times[0].total);
  CHECK(result.times[0].roi_begin < result.times[0].roi_end);
  CHECK(result.times[1].roi_begin == never);
  CHECK(result.times[0].software() ==
        result.times[0].total - result.times[0].waiting - result.times[0].compute);
  CHECK(result.counts[0] == std::array<std::uint64_t, 4>{3, 5000 + 100 + 3000, 21, 21});
  CHECK(result.counts[1] == std::array<std::uint64_t, 4>{1, 40, 12, 12});  // shorter than its receive
  CHECK(result.sent[0].messages == 3);
  CHECK(result.sent[0].bytes == 40 + 100 + 3000);
  CHECK(result.sent[1].messages == 1);
  CHECK(result.sent[1].bytes == 5000);
}

TEST_CASE("a wrong bit in the data of any operation of a trace is found by the receiving rank") {
  struct Operation {
    const char* first;
    const char* second;  ///< of rank 1
    bool at_first, at_second;
    const char* what;
  };
  const auto operation = GENERATE(
      Operation{"send 1 7 4000 6", "recv 0 7 4000 6", false, true,
                "message 0 from rank 0 to rank 1, tag 7: "},
      // A multicast also goes to its sender.
      Operation{"bcast 4000 1 6", "bcast 4000 1 6", true, true, "message 0 from rank 1"},
      Operation{"reduce 4000 0 1 6", "reduce 4000 0 1 6", false, true, "sum 0: "},
      Operation{"allreduce 4000 0 6", "allreduce 4000 0 6", true, true, "sum 0: "},
      Operation{"alltoall 4000 4000 6 6", "alltoall 4000 4000 6 6", true, true, "message 0 from rank"},
      Operation{"alltoallv 4008 8 4000 4008 8 4000 6 6", "alltoallv 4008 4000 8 4008 4000 8 6 6", true, true,
                "message 0 from rank"});
  const auto trace = trace_of(std::string("0 init\n0 ") + operation.first + "\n0 finalize\n1 init\n1 " +
                              operation.second + "\n1 finalize\n");
  for (const std::uint32_t rank : {0U, 1U, 2U}) {
    MockConfig config = machine_of(2);
    config.damaged_rank = rank;
    CAPTURE(operation.first, rank);
    if (rank == 0 ? operation.at_first : rank == 1 && operation.at_second) {
      CHECK_THROWS_WITH(replay(trace, config), Contains(operation.what) && Contains("and should be"));
    } else {
      CHECK(replay(trace, config).finished);
    }
  }
}

TEST_CASE("blocks of an all-to-all of whole lines take exactly their bytes of the heap") {
  const MockConfig config = machine_of(2);
  const std::string block = std::to_string(config.library.heap_bytes / 4);  // two to send, two to receive
  const std::string operation = " alltoall " + block + " " + block + " 6 6\n";
  const auto trace = trace_of("0 init\n0" + operation + "0 finalize\n1 init\n1" + operation + "1 finalize\n");
  CHECK(replay(trace, config).finished);
}

TEST_CASE("a compute operation beyond the largest cycle count stops the run with its cause") {
  const auto trace = trace_of("0 init\n0 compute 9000000000000000000\n0 finalize\n");
  CHECK_THROWS_WITH(replay(trace, machine_of(1)), Contains("program of rank 0") &&
                                                      Contains("9000000000000000000 flops") &&
                                                      Contains("longer than a run may last"));
}

TEST_CASE("a compute operation of exactly the longest run is played") {
  const auto trace = trace_of("0 init\n0 compute 1\n0 finalize\n");
  const ClockPeriod period(12500);
  const double longest_ns = static_cast<double>(last_run_ps(period)) / 1000.0;
  const auto play = [&](double scale) {
    MockMachine machine(machine_of(1));
    TraceProgram program(machine.runtime(0), trace, scale);
    const bool finished = machine.run([&](RankRuntime&) { program.run(); });
    CHECK(finished);
    return program.times().compute;
  };
  CHECK(play(longest_ns) == last_run_cycle(period));
  CHECK_THROWS_WITH(play(std::nextafter(longest_ns, 2 * longest_ns)), Contains("longer than a run may last"));
  CHECK(play(0) == 0);
}

TEST_CASE("the recorded traces replay on 64 ranks", "[.][long]") {
  const std::string folder = TSUJI_SOURCE_DIR "/platforms/traces/";
  for (const char* name : {"transpose64.ti.zst", "cg64.ti.zst"}) {
    CAPTURE(name);
    CHECK(replay(workload::read_trace(folder + name), machine_of(64)).finished);
  }
}

TEST_CASE("a trace for another number of ranks is refused") {
  const auto trace = trace_of("0 init\n0 finalize\n");
  MockMachine machine(machine_of(2));
  CHECK_THROWS_WITH(TraceProgram(machine.runtime(0), trace, 1.0),
                    Contains("workload.trace") && Contains("2 ranks"));
}

/// Replaces the trace's path and keeps its line numbers.
std::string with_lines(const std::string& report) {
  return std::regex_replace(report, std::regex(R"( \(/[^)]*:(\d+)\))"), " (line $1)");
}

TEST_CASE("ranks that wait for each other forever are reported with their requests") {
  const auto circle =
      replay(trace_of("0 init\n0 recv 1 5 80 6\n0 finalize\n1 init\n1 send 2 9 3000 6\n1 finalize\n"
                      "2 init\n2 recv 0 5 8 6\n2 recv 1 9 3000 6\n2 finalize\n"),
             machine_of(3));
  CHECK_FALSE(circle.finished);
  CHECK_THAT(circle.report, Contains("3 of 3 ranks wait forever\n"));
  CHECK_THAT(with_lines(circle.report), Contains("rank 0: operation 1 of 3: recv 1 5 80 (line 2)\n"
                                                 "  receive from rank 1, tag 5, 80 bytes has no message\n"));
  CHECK_THAT(with_lines(circle.report),
             Contains("rank 1: operation 1 of 3: send 2 9 3000 (line 5)\n"
                      "  send to rank 2, tag 9, 3000 bytes waits for its receive\n"));
  CHECK_THAT(circle.report, Contains("  has an unreceived message from rank 1, tag 9, 3000 bytes\n"));
  CHECK_THAT(circle.report, Contains("circle: rank 0 waits for rank 1 waits for rank 2 waits for rank 0\n"));

  const auto barrier =
      replay(trace_of("0 init\n0 barrier\n0 finalize\n1 init\n1 recv 0 5 8 6\n1 barrier\n1 finalize\n"
                      "2 init\n2 barrier\n2 finalize\n"),
             machine_of(3));
  CHECK_THAT(
      with_lines(barrier.report),
      Contains("rank 2: operation 1 of 3: barrier (line 9)\n  waits for ranks that have not arrived: 1\n"));
  CHECK_THAT(barrier.report, Contains("circle: rank 0 waits for rank 1 waits for rank 0\n"));
}

TEST_CASE("a wait is for its own request, not for a later one") {
  // Rank 1 answers the older request only when the younger one's wait is over.
  const Replay result = replay(
      trace_of("0 init\n0 irecv 1 5 8 6\n0 irecv 1 6 8 6\n0 irecv 2 6 8 6\n0 isend 1 6 8 6\n0 wait 2 0 6\n"
               "0 wait 1 0 6\n0 send 1 7 8 6\n0 wait 1 0 5\n0 wait 0 1 6\n0 finalize\n"
               "1 init\n1 send 0 6 8 6\n1 recv 0 7 8 6\n1 send 0 5 8 6\n1 recv 0 6 8 6\n1 finalize\n"
               "2 init\n2 send 0 6 8 6\n2 finalize\n"),
      machine_of(3));
  CHECK(result.finished);
  CHECK(result.report.empty());
}

TEST_CASE("a wait for a request that does not exist stops the run") {
  workload::Trace trace;
  trace.ranks.resize(1);
  workload::TraceOp op;
  op.kind = workload::TraceOpKind::wait;
  op.tag = 4;
  trace.ranks[0].push_back(op);
  CHECK_THROWS_WITH(
      replay(trace, machine_of(1)),
      Contains("rank 0, cycle") && Contains("no request for wait for the message to rank 0, tag 4"));
}

TEST_CASE("a small program reports its stage, and whether it waits in a collective") {
  MockMachine machine(machine_of(2));
  BarrierProgram alone(machine.runtime(0), 5), none(machine.runtime(1), 0);
  CHECK(alone.state().doing == "has not begun");
  CHECK_FALSE(alone.state().in_collective);
  CHECK(alone.state().collectives == 0);
  CHECK(none.cycles_per_round() == 0);
  workload::RankState stuck, waits;
  CHECK_FALSE(machine.run(
      [&](RankRuntime& rank) {
        if (rank.rank() == 0) {
          alone.run();
        } else {
          rank.messages.isend(0, 9, rank.heap.take(40), 40);
          rank.messages.irecv({0, 8, Context::user}, rank.heap.take(8), 8);
          waits = none.state();
        }
      },
      [&] { stuck = alone.state(); }));
  CHECK(stuck.rank == 0);
  CHECK(stuck.doing == "barriers");
  CHECK(stuck.in_collective);
  CHECK(stuck.collectives == 1);
  CHECK_FALSE(stuck.finished);
  REQUIRE(stuck.unreceived.size() == 1);
  CHECK(stuck.unreceived[0].source == 1);
  CHECK(stuck.unreceived[0].tag == 9);
  CHECK(stuck.unreceived[0].bytes == 40);
  CHECK(waits.rank == 1);
  CHECK(std::count_if(waits.requests.begin(), waits.requests.end(),
                      [](const auto& request) { return request.receives && request.tag == 8; }) == 1);
  CHECK(alone.start_cycle() == never);
}

TEST_CASE("a ping-pong measures half of a round trip, with every system call before a send") {
  const auto one_way = [](PingPong::Layer layer, std::uint64_t rounds, bool system_call) {
    MockConfig config = machine_of(2);
    config.delays.piece = 1;  // no time on the wires
    MockMachine machine(config);
    std::vector<std::unique_ptr<PingPong>> programs;
    for (std::uint32_t rank = 0; rank < 2; ++rank)
      programs.push_back(std::make_unique<PingPong>(machine.runtime(rank),
                                                    PingPong::Config{layer, 0, 1, 16, rounds, system_call}));
    CHECK(machine.run([&](RankRuntime& rank) { programs[rank.rank()]->run(); }));
    CHECK_FALSE(programs[1]->state().in_collective);
    return programs[0]->one_way_cycles();
  };
  for (const auto layer : {PingPong::Layer::paralib, PingPong::Layer::mpi}) {
    // A parcel waits up to 40 cycles, its header as long, a poll 8.
    const double once = one_way(layer, 1, false), often = one_way(layer, 20, false);
    CHECK(std::abs(once - often) < 100);
    CHECK(std::abs(one_way(layer, 20, true) - often - 1040) < 60);
    // The time to send and to detect a parcel.
    CHECK(often > (1300 + 1300) / 12.5);
  }
}

TEST_CASE("the small programs run and measure") {
  for (const bool synchronization : {true, false}) {
    MockConfig config = machine_of(4);
    config.synchronization = synchronization;
    MockMachine machine(config);
    std::vector<std::unique_ptr<DmaProgram>> dma;
    std::vector<std::unique_ptr<MulticastProgram>> multicast;
    std::vector<std::unique_ptr<BarrierProgram>> barriers;
    std::vector<std::unique_ptr<PingPong>> pings;
    for (std::uint32_t rank = 0; rank < 4; ++rank) {
      RankRuntime& runtime = machine.runtime(rank);
      dma.push_back(std::make_unique<DmaProgram>(runtime, DmaProgram::Config{1, 3, 512 * 1024}));
      multicast.push_back(std::make_unique<MulticastProgram>(runtime, MulticastProgram::Config{2, 4096}));
      barriers.push_back(std::make_unique<BarrierProgram>(runtime, 10));
      for (const std::uint64_t bytes : {8U, 16U, 512U}) {
        for (const auto layer : {PingPong::Layer::paralib, PingPong::Layer::mpi}) {
          pings.push_back(
              std::make_unique<PingPong>(runtime, PingPong::Config{layer, 0, 3, bytes, 3, false}));
        }
      }
    }
    CHECK(machine.run([&](RankRuntime& rank) {
      dma[rank.rank()]->run();
      multicast[rank.rank()]->run();
      barriers[rank.rank()]->run();
      for (std::size_t i = 0; i < 6; ++i) pings[6 * rank.rank() + i]->run();
      if (rank.heap.blocks_in_use() != 0) throw ModelError("test", 0, "", "heap blocks left over");
    }));
    CHECK(dma[1]->start_cycle() < dma[3]->arrival_cycle());
    CHECK(dma[0]->arrival_cycle() == never);
    for (const unsigned other : {0, 2, 3}) CHECK(dma[other]->start_cycle() == never);
    for (const unsigned other : {0, 1, 3}) CHECK(multicast[other]->start_cycle() == never);
    for (const auto& program : multicast) CHECK(program->arrival_cycle() > multicast[2]->start_cycle());
    CHECK(barriers[0]->cycles_per_round() > 0);
    CHECK(pings[0]->one_way_cycles() > 0);
    // MPI's overhead adds to Paralib's.
    CHECK(pings[1]->one_way_cycles() > pings[0]->one_way_cycles());
    CHECK(dma[0]->state().finished);
  }
}
