// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "host_library/mock_machine.h"
#include "support/catch.h"
#include "support/text_file.h"
#include "tsuji/host/library/trace_heap.h"
#include "tsuji/host/library/trace_program.h"
#include "workload/trace_op.h"

// Every step of the library costs its own software time, once (rooms/library.md, Where the paper is silent,
// 4). All times differ here, and a rank's calls of compute() are counted by their cycles.

using namespace tsuji;
using namespace tsuji::host;
using namespace tsuji::test;
using Catch::Contains;

namespace {

constexpr Cycle paralib_send = 1009, paralib_receive = 2003, mpi_send = 3001, mpi_receive = 4001,
                mpi_control = 5003, copy_word = 7001, reduce_word = 11003;

MockConfig all_different(std::uint32_t ranks) {
  constexpr double ns = 12.5;
  MockConfig config;
  config.ranks = ranks;
  config.library.heap_bytes = 1 << 20;
  config.software.paralib_send_ns = paralib_send * ns;
  config.software.paralib_receive_ns = paralib_receive * ns;
  config.software.mpi_send_ns = mpi_send * ns;
  config.software.mpi_receive_ns = mpi_receive * ns;
  config.software.mpi_control_ns = mpi_control * ns;
  config.software.copy_ns_per_word = copy_word * ns;
  config.software.reduce_ns_per_word = reduce_word * ns;
  return config;
}

using Costs = std::map<Cycle, unsigned>;

/// The software times that each rank has spent in `program`; those of registers and of the system call are
/// the processor's.
std::vector<Costs> costs_of(std::uint32_t ranks, const std::function<void(RankRuntime&)>& program,
                            const std::function<void(MockConfig&)>& change = {}) {
  MockConfig config = all_different(ranks);
  if (change) change(config);
  MockMachine machine(config);
  REQUIRE(machine.run(program));
  std::vector<Costs> costs;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    costs.push_back(machine.node(rank).computed());
    for (const Cycle cycles : {8, 16, 1040}) costs.back().erase(cycles);
  }
  return costs;
}

/// Rank 0 sends `bytes` to rank 1, from and to addresses that lie `skew` after a word boundary. `expected`:
/// the receive is posted before the message arrives, otherwise after it.
std::vector<Costs> costs_of_message(std::uint64_t bytes, bool expected, std::uint64_t skew = 0) {
  return costs_of(2, [&](RankRuntime& rank) {
    const HeapBlock block(rank.heap, bytes + 8);
    if (rank.rank() == 0) {
      if (expected) rank.cpu.compute(1'000'000);
      rank.messages.send(1, 4, block.address() + skew, bytes);
    } else {
      if (!expected) {
        rank.cpu.compute(1'000'000);
        rank.waiter.progress();
      }
      rank.messages.receive({0, 4, Context::user}, block.address() + skew, bytes);
    }
  });
}

Costs with(Costs costs, const Costs& more) {
  for (const auto& [cycles, times] : more) costs[cycles] += times;
  return costs;
}

}  // namespace

TEST_CASE("an eager message costs a send, a parcel and a copy, and as much at its receiver") {
  for (const std::uint64_t bytes : {40U, 33U, 224U}) {
    const Cycle copy = copy_word * ((bytes + 7) / 8);
    const Costs sender = {{mpi_send, 1}, {paralib_send, 1}, {copy, 1}},
                receiver = {{paralib_receive, 1}, {mpi_receive, 1}, {copy, 1}}, waited = {{1'000'000, 1}};
    const auto expected = costs_of_message(bytes, true), late = costs_of_message(bytes, false);
    CHECK(expected[0] == with(sender, waited));
    CHECK(expected[1] == receiver);
    CHECK(late[0] == sender);
    // One copy out of the buffer, and one from there to its place.
    CHECK(late[1] == with(with(receiver, waited), {{copy, 1}}));
  }
  const auto empty = costs_of_message(0, true);
  CHECK(empty[1] == Costs{{paralib_receive, 1}, {mpi_receive, 1}, {0, 1}});
}

TEST_CASE("a rendezvous costs a control step at each end, and copies only unaligned words") {
  for (const std::uint64_t bytes : {232U, 400U, 405U}) {
    const Costs sender = {{mpi_send, 1}, {paralib_send, 3}, {mpi_control, 1}},
                receiver = {{paralib_receive, 1}, {mpi_receive, 1}, {paralib_send, 1}, {mpi_control, 1}},
                waited = {{1'000'000, 1}}, copy = {{copy_word * (bytes / 8), 1}};
    const auto expected = costs_of_message(bytes, true);
    CHECK(expected[0] == with(sender, waited));
    CHECK(expected[1] == receiver);
    const auto skewed = costs_of_message(bytes, true, 4);
    CHECK(skewed[0] == with(with(sender, waited), copy));
    CHECK(skewed[1] == with(receiver, copy));
    CHECK(costs_of_message(bytes, false)[1] == with(receiver, waited));
  }
}

TEST_CASE("a message to itself costs a send, a receive and its copies") {
  const auto to_itself = [](bool expected) {
    return costs_of(1, [&](RankRuntime& rank) {
      const HeapBlock from(rank.heap, 64), to(rank.heap, 64);
      RequestId receive = 0;
      if (expected) receive = rank.messages.irecv({0, 1, Context::user}, to.address(), 64);
      rank.messages.send(0, 1, from.address(), 64);
      if (!expected) receive = rank.messages.irecv({0, 1, Context::user}, to.address(), 64);
      rank.messages.wait(receive);
    })[0];
  };
  CHECK(to_itself(true) == Costs{{mpi_send, 1}, {mpi_receive, 1}, {copy_word * 8, 1}});
  CHECK(to_itself(false) == Costs{{mpi_send, 1}, {mpi_receive, 1}, {copy_word * 8, 2}});
}

TEST_CASE("credits return by a parcel for every half of them") {
  for (const auto& [credits, parcels] : {std::pair{1U, 12U}, {2U, 12U}, {4U, 6U}, {7U, 4U}, {24U, 1U}}) {
    const auto costs = costs_of(
        2,
        [](RankRuntime& rank) {
          const HeapBlock block(rank.heap, 8);
          for (unsigned i = 0; i < 12; ++i) {
            if (rank.rank() == 0) rank.messages.send(1, 0, block.address(), 8);
            if (rank.rank() == 1) rank.messages.receive({0, 0, Context::user}, block.address(), 8);
          }
        },
        [&, most = credits](MockConfig& config) { config.library.credits = most; });
    CHECK(costs[0].at(paralib_send) == 12);
    CHECK(costs[1].at(paralib_send) == parcels);
  }
}

TEST_CASE("collectives cost their parcels, their messages and their sums") {
  const auto costs_of_one = [](const std::function<void(RankRuntime&, Block, Block)>& collective) {
    return costs_of(2, [&](RankRuntime& rank) {
      const HeapBlock a(rank.heap, 40), b(rank.heap, 40);
      rank.collectives.start();
      collective(rank, {a.address(), 40}, {b.address(), 40});
      // A root's own multicast returns to it.
      rank.cpu.compute(1'000'000);
      rank.waiter.progress();
    });
  };
  const Cycle copy = copy_word * 5;
  const Costs waited = {{1'000'000, 1}};
  const auto barrier = costs_of_one([](RankRuntime& rank, Block, Block) { rank.collectives.barrier(); });
  for (const Costs& rank : barrier) CHECK(rank == with(waited, {{paralib_send, 1}, {paralib_receive, 1}}));
  const auto broadcast =
      costs_of_one([](RankRuntime& rank, Block data, Block) { rank.collectives.broadcast(data, 0); });
  CHECK(broadcast[0] == with(waited, {{mpi_send, 1}, {copy, 1}, {paralib_send, 1}, {paralib_receive, 1}}));
  CHECK(broadcast[1] == with(waited, {{mpi_receive, 1}, {paralib_receive, 1}, {copy, 1}}));
  const auto reduce = costs_of_one(
      [](RankRuntime& rank, Block in, Block out) { rank.collectives.reduce(in, out.address, 0); });
  // The root copies its own part, takes the other one from the buffer, and adds.
  CHECK(reduce[0].at(reduce_word * 5) == 1);
  CHECK(reduce[0].at(copy) >= 2);
  CHECK(reduce[1] == with(waited, {{mpi_send, 1}, {copy, 1}, {paralib_send, 1}}));
}

TEST_CASE("a barrier follows as many short broadcasts as message buffer 1 holds, and every long one") {
  const auto parcels = [](const std::vector<std::uint64_t>& broadcasts) {
    const auto costs = costs_of(
        2,
        [&](RankRuntime& rank) {
          const HeapBlock data(rank.heap, 1000);
          rank.collectives.start();
          for (const std::uint64_t bytes : broadcasts) rank.collectives.broadcast({data.address(), bytes}, 0);
          rank.cpu.compute(1'000'000);
          rank.waiter.progress();
          rank.collectives.check_idle();
        },
        [](MockConfig& config) { config.library.collective_messages = 3; });
    const auto sent = [&](std::uint32_t rank) {
      const auto found = costs[rank].find(paralib_send);
      return found == costs[rank].end() ? 0 : found->second;
    };
    return std::pair(sent(0), sent(1));
  };
  // One parcel a message and a barrier; for a long broadcast its data and the message after them.
  CHECK(parcels({8, 8, 8}) == std::pair(3U, 0U));
  CHECK(parcels({8, 8, 8, 8}) == std::pair(5U, 1U));
  CHECK(parcels({8, 8, 8, 8, 8, 8}) == std::pair(7U, 1U));
  CHECK(parcels({8, 8, 8, 8, 8, 8, 8}) == std::pair(9U, 2U));
  CHECK(parcels({1000}) == std::pair(3U, 1U));
  CHECK(parcels({8, 8, 1000, 8, 8}) == std::pair(2 + 3 + 2U, 1U));
  CHECK(parcels({8, 8, 1000, 8, 8, 8}) == std::pair(2 + 3 + 4U, 2U));
  CHECK(parcels({224}) == std::pair(1U, 0U));
  CHECK(parcels({225}) == std::pair(3U, 1U));
}

TEST_CASE("a group is registered by a system call if any collective uses the fabric") {
  const auto system_calls = [](std::uint32_t ranks, BarrierMethod barrier, BroadcastMethod broadcast) {
    MockConfig config = all_different(ranks);
    config.library.barrier = barrier;
    config.library.broadcast = broadcast;
    MockMachine machine(config);
    REQUIRE(machine.run([](RankRuntime& rank) {
      // Registration happens once, however often collectives start.
      rank.collectives.start();
      rank.collectives.start();
      rank.collectives.barrier();
    }));
    const auto& computed = machine.node(0).computed();
    const auto found = computed.find(1040);
    return found == computed.end() ? 0 : found->second;
  };
  CHECK(system_calls(2, BarrierMethod::hardware, BroadcastMethod::hardware) == 1);
  CHECK(system_calls(2, BarrierMethod::hardware, BroadcastMethod::tree) == 1);
  CHECK(system_calls(2, BarrierMethod::multicast_add, BroadcastMethod::tree) == 1);
  CHECK(system_calls(2, BarrierMethod::hierarchical, BroadcastMethod::tree) == 1);
  CHECK(system_calls(2, BarrierMethod::tree, BroadcastMethod::hardware) == 1);
  CHECK(system_calls(2, BarrierMethod::tree, BroadcastMethod::tree) == 0);
  CHECK(system_calls(2, BarrierMethod::dissemination, BroadcastMethod::tree) == 0);
  CHECK(system_calls(1, BarrierMethod::hardware, BroadcastMethod::hardware) == 0);
}

TEST_CASE("barriers by messages cost their messages") {
  const auto parcels = [](BarrierMethod barrier, std::uint32_t ranks) {
    std::vector<unsigned> sent;
    for (const Costs& costs : costs_of(
             ranks, [](RankRuntime& rank) { rank.collectives.barrier(); },
             [&](MockConfig& config) {
               config.library.barrier = barrier;
               config.library.broadcast = BroadcastMethod::tree;
               config.library.credits = 64;
             }))
      sent.push_back(costs.count(paralib_send) == 0 ? 0 : costs.at(paralib_send));
    return sent;
  };
  // Up to rank 0, and down again.
  CHECK(parcels(BarrierMethod::tree, 4) == std::vector<unsigned>{2, 1, 2, 1});
  CHECK(parcels(BarrierMethod::dissemination, 4) == std::vector<unsigned>{2, 2, 2, 2});
  CHECK(parcels(BarrierMethod::dissemination, 5) == std::vector<unsigned>{3, 3, 3, 3, 3});
}

namespace {

/// The refusal of a heap that is too small for rank 0 of four.
std::string heap_refusal(const std::vector<workload::TraceOp>& ops, std::uint64_t bytes,
                         const std::vector<std::uint32_t>& counts = {}) {
  workload::Trace trace;
  trace.ranks.resize(4);
  trace.ranks[0] = workload::RankOps(ops);
  trace.counts = counts;
  return refusal([&] { check_heap(trace, 0, bytes); });
}

/// Checks that operations need exactly this number of bytes of heap.
void needs(std::uint64_t bytes, const std::vector<workload::TraceOp>& ops,
           const std::vector<std::uint32_t>& counts = {}) {
  CHECK(heap_refusal(ops, bytes, counts).empty());
  CHECK_THAT(heap_refusal(ops, bytes - 1, counts),
             Contains("library.heap_bytes") &&
                 Contains("rank 0 has " + std::to_string(bytes) + " bytes in use at once"));
}

}  // namespace

TEST_CASE("a heap that cannot hold a rank's blocks in use at a time is refused") {
  using Kind = workload::TraceOpKind;
  needs(128, {op(Kind::send, 8, 1)});
  needs(1024, {op(Kind::recv, 1024, 1)});
  needs(256, {op(Kind::bcast, 129)});
  // One after another, and at the same time.
  needs(512, {op(Kind::send, 512, 1), op(Kind::recv, 512, 1)});
  needs(1024,
        {op(Kind::isend, 512, 1), op(Kind::irecv, 512, 1), op(Kind::waitall, 2), op(Kind::send, 512, 1)});
  needs(640,
        {op(Kind::isend, 512, 1), op(Kind::wait, 0, 1), op(Kind::isend, 512, 1), op(Kind::irecv, 128, 1)});
  needs(1152,
        {op(Kind::irecv, 512, 1), op(Kind::wait, 0, 1), op(Kind::isend, 512, 1), op(Kind::irecv, 128, 1)});
  needs(640, {op(Kind::irecv, 512, 1), op(Kind::wait, 0, 1, 0, true), op(Kind::isend, 512, 1),
              op(Kind::irecv, 128, 1)});
  // A message to itself waits for either end.
  needs(640,
        {op(Kind::irecv, 512, 0), op(Kind::wait, 0, 0), op(Kind::isend, 512, 0), op(Kind::irecv, 128, 0)});
  // After waits for all messages: the oldest of three is released, and its place is reused.
  needs(512, {op(Kind::isend, 512, 1), op(Kind::wait, 0, 1), op(Kind::isend, 256, 1), op(Kind::isend, 128, 1),
              op(Kind::wait, 0, 1), op(Kind::isend, 256, 1), op(Kind::waitall, 2)});
  needs(1024, {op(Kind::reduce, 512, 0)});
  needs(1024, {op(Kind::allreduce, 512)});
  needs(2 * 4 * 128, {op(Kind::alltoall, 100)});
  // Whole lines for each rank, to and from it: 7 and 5.
  needs(12 * 128, {op(Kind::alltoallv, 0)}, {0, 129, 128, 500, 0, 1, 256, 129});
  needs(128 + 128, {op(Kind::alltoallv, 0)}, {0, 1, 0, 0, 0, 0, 2, 0});
  CHECK(heap_refusal({op(Kind::compute, ~std::uint64_t{0}), op(Kind::barrier, 0)}, 4096).empty());
  CHECK_THAT(heap_refusal({op(Kind::send, 4097, 1)}, 4096), Contains("at least 8192"));
}

TEST_CASE("blocks of a trace's all-to-all begin on words, so that only a rank's own block is copied") {
  workload::Trace trace;
  trace.ranks.resize(2);
  for (workload::RankOps& ops : trace.ranks) ops.push_back(op(workload::TraceOpKind::alltoall, 400));
  const auto costs = costs_of(2, [&](RankRuntime& rank) { TraceProgram(rank, trace, 1.0).run(); });
  for (const Costs& rank : costs) {
    CHECK(rank.at(copy_word * 50) == 1);
    CHECK(rank.at(mpi_control) == 2);
  }
}

TEST_CASE("a trace too large for any heap is refused") {
  using Kind = workload::TraceOpKind;
  constexpr std::uint64_t most = std::uint64_t{1} << 28;
  CHECK(heap_refusal({op(Kind::send, most, 1)}, most).empty());
  CHECK_THAT(heap_refusal({op(Kind::send, most + 1, 1)}, most),
             Contains("workload.trace") && Contains("rank 0 has too large a message: send 1 0 268435457"));
  CHECK_THAT(heap_refusal({op(Kind::isend, most, 1), op(Kind::irecv, 8, 1)}, most),
             Contains("workload.trace") && Contains("no heap holds the messages of this trace"));
}
