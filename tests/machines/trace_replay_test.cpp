// SPDX-License-Identifier: Apache-2.0
#include "tsuji/machines/replay/trace_replay.h"
#include "support/thrown.h"
#include "workload/trace_op.h"

#include <algorithm>
#include <string>
#include <vector>

#include "network/vc_rig.h"
#include "support/catch.h"
#include "tsuji/core/error.h"

using namespace tsuji;
using namespace tsuji::network;
using namespace tsuji::machines;
using namespace tsuji::network::test;
using tsuji::test::op;
using workload::Trace;
using workload::TraceOp;
using workload::TraceOpKind;

namespace {

/// Rank 0 computes and sends to both others; rank 2 computes in a separate section.
Trace three_ranks() {
  Trace trace;
  trace.ranks.emplace_back(std::vector<TraceOp>{op(TraceOpKind::init), op(TraceOpKind::compute, 5000),
                                                op(TraceOpKind::send, 100, 2, 7),
                                                op(TraceOpKind::send, 40, 1, 3), op(TraceOpKind::finalize)});
  trace.ranks.emplace_back(std::vector<TraceOp>{op(TraceOpKind::init), op(TraceOpKind::recv, 40, 0, 3),
                                                op(TraceOpKind::compute, 1000), op(TraceOpKind::finalize)});
  trace.ranks.emplace_back(std::vector<TraceOp>{op(TraceOpKind::init), op(TraceOpKind::recv, 100, 0, 7),
                                                op(TraceOpKind::roi_begin), op(TraceOpKind::compute, 2000),
                                                op(TraceOpKind::roi_end), op(TraceOpKind::finalize)});
  return trace;
}

TraceReplayConfig replay_config(std::uint64_t eager_bytes) {
  TraceReplayConfig c;
  c.places.ranks_per_node = 2;
  c.nic.packet_bytes = 64;
  c.nic.flit_bytes = 16;
  c.nic.local_cycles = 30;
  c.replay.eager_bytes = eager_bytes;
  return c;
}

/// Replays the trace on four nodes.
struct Played {
  Played(const TraceReplayConfig& c, Trace trace, double compute_scale = 1.0)
      : replay(c, std::move(trace), compute_scale, ClockPeriod(1000), 4), rig(network()) {
    rig.build([this](NodeId node) { return replay.source(node); });
    CHECK_FALSE(replay.finished());
    CHECK(replay.progress() == 0);
    rig.loaded->run_to(100'000);
  }
  static NetworkConfig network() {
    NetworkConfig n = torus(2);
    n.topology.kind = "mesh";
    n.network.buffer_flits = 8;
    return n;
  }
  double metric(const std::string& name) const {
    observe::Results results("test", "", 1);
    replay.add_to(results);
    return results.value(name).number();
  }
  TraceReplay replay;
  VcRig rig;
};

void check_metrics(bool eager) {
  const Played played(replay_config(eager ? 100 : 99), three_ranks());
  const TraceReplay& replay = played.replay;
  REQUIRE(replay.finished());
  CHECK(replay.progress() == 1);
  CHECK(replay.ranks() == 3);
  replay.check_finished();
  CHECK(played.metric("trace_messages") == 2);
  CHECK(played.metric("trace_message_bytes") == 140);
  CHECK(played.metric("trace_messages_sent") == 2);  // one of them to a rank of the same node
  CHECK(played.metric("trace_bytes_sent") == 140);
  CHECK(played.metric("trace_compute_operations") == 3);
  CHECK(played.metric("trace_operations") == replay.count().operations);
  CHECK(played.metric("trace_cycles") == replay.end_cycle() - 1);
  CHECK(played.metric("trace_time_s") == Approx(static_cast<double>(replay.end_cycle() - 1) * 1e-9));
  // At 1 GFlop/s and 1 GHz a flop takes a cycle.
  CHECK(played.metric("trace_compute_us_mean") == Approx((5 + 1 + 2) / 3.0));
  CHECK(played.metric("trace_section_cycles") == 2000);
  // The others wait for rank 0 and for the transfer of its messages.
  CHECK(played.metric("trace_waiting_us_mean") > 2 * 5 / 3.0);
  CHECK(played.metric("trace_waiting_us_mean") < 2 * 5.2 / 3.0 + 5.2);
  CHECK(played.metric("messages") == 1);
  CHECK(played.metric("message_bytes") == 100);
  CHECK(played.metric("local_messages") == 1);
  CHECK(played.metric("local_bytes") == 40);
  CHECK(played.metric("data_packets") == 2);  // of 64 bytes at most
  CHECK(played.metric("control_packets") == (eager ? 0 : 2));
  CHECK(played.metric("message_latency_cycles_mean") == replay.message_latency().mean());
  const traffic::ReplayCounters counters = replay.counters();
  CHECK(counters.messages_arrived == 1);
  CHECK(counters.bytes_arrived == 100);
  observe::Results results("test", "", 1);
  replay.add_to(results);
  const auto& rows = results.rows_of("trace_ranks").rows();
  REQUIRE(rows.size() == 3);
  const std::vector<double> compute = {5, 1, 2};
  for (std::size_t rank = 0; rank < 3; ++rank) {
    CHECK(rows[rank][0].number() == static_cast<double>(rank));
    CHECK(rows[rank][1].number() == static_cast<double>(rank / 2));
    CHECK(rows[rank][3].number() == Approx(compute[rank]));
    CHECK(rows[rank][2].number() >= compute[rank] + rows[rank][4].number());
    CHECK(rows[rank][2].number() <= static_cast<double>(replay.end_cycle() - 1) * 1e-3 + 1e-9);
  }
}

}  // namespace

TEST_CASE("trace replay: metrics of a known trace, with eager messages") {
  check_metrics(true);
}
TEST_CASE("trace replay: metrics of a known trace, with a rendezvous") {
  check_metrics(false);
}

TEST_CASE("a slower node and a scale of the recording's computing lengthen the computing alone") {
  TraceReplayConfig slow = replay_config(100);
  slow.node_gflops = 0.5;
  const Played played(slow, three_ranks(), 3.0);
  REQUIRE(played.replay.finished());
  CHECK(played.metric("trace_section_cycles") == 2000 * 2 * 3);
  CHECK(played.metric("trace_compute_us_mean") == Approx(6 * 8 / 3.0));
}

TEST_CASE("the section of a trace without marks is null, not 0 cycles long") {
  Trace trace;
  trace.ranks.emplace_back(
      std::vector<TraceOp>{op(TraceOpKind::init), op(TraceOpKind::compute, 5000), op(TraceOpKind::finalize)});
  const Played played(replay_config(100), std::move(trace));
  REQUIRE(played.replay.finished());
  observe::Results results("test", "", 1);
  played.replay.add_to(results);
  CHECK(results.value("trace_section_cycles").is_null());
}

TEST_CASE("unfinished ranks have a progress and a report of what they wait for") {
  Trace trace = three_ranks();
  trace.ranks[2].push_back(op(TraceOpKind::recv, 8, 0, 9));
  const Played played(replay_config(100), std::move(trace));
  CHECK_FALSE(played.replay.finished());
  CHECK(played.replay.progress() > 0.5);
  CHECK(played.replay.progress() < 1);
  CHECK_THAT(played.replay.wait_report(), Catch::Contains("rank 2") && Catch::Contains("tag 9"));
}

TEST_CASE("a message that nobody receives is left over, and reported with its receiver, sender and tag") {
  Trace trace;
  trace.ranks.emplace_back(
      std::vector<TraceOp>{op(TraceOpKind::send, 16, 1, 4), op(TraceOpKind::send, 16, 1, 5)});
  trace.ranks.emplace_back(std::vector<TraceOp>{op(TraceOpKind::compute, 3000)});
  TraceReplayConfig c = replay_config(100);
  c.places.ranks_per_node = 1;
  const Played played(c, std::move(trace));
  REQUIRE(played.replay.finished());
  CHECK_THROWS_WITH(
      played.replay.check_finished(),
      Catch::Contains("messages remain undelivered") &&
          Catch::Contains("rank 1 has 2 messages without a receive, the first from rank 0, tag 4"));
}

namespace {

/// Rank 0 sends to rank 1, a neighbour, over a link with faults; rank 2 only computes.
struct OverFaults {
  OverFaults(std::uint64_t eager_bytes, const std::string& up, Cycle timeout)
      : replay(one_each(eager_bytes), messages(), 1.0, ClockPeriod(1000), 4), rig(network(up)) {
    rig.parts->retry.timeout_cycles = timeout;
    rig.build([this](NodeId node) { return replay.source(node); });
    REQUIRE(rig.run_until_idle(1'000'000));
    rig.loaded->check_conservation();
  }
  static TraceReplayConfig one_each(std::uint64_t eager_bytes) {
    TraceReplayConfig c = replay_config(eager_bytes);
    c.places.ranks_per_node = 1;
    return c;
  }
  static Trace messages() {
    Trace trace;
    trace.ranks.emplace_back(std::vector<TraceOp>{
        op(TraceOpKind::compute, 100), op(TraceOpKind::send, 500, 1, 7), op(TraceOpKind::recv, 8, 1, 8)});
    trace.ranks.emplace_back(
        std::vector<TraceOp>{op(TraceOpKind::recv, 500, 0, 7), op(TraceOpKind::send, 8, 0, 8)});
    trace.ranks.emplace_back(std::vector<TraceOp>{op(TraceOpKind::compute, 9000)});
    return trace;
  }
  static NetworkConfig network(const std::string& up) {
    NetworkConfig n = Played::network();
    const graph::Topology topology = make_topology(resolved(n).topology, 1);
    std::uint32_t link = 0;
    while (topology.links()[link].a.router + topology.links()[link].b.router != 1) ++link;
    n.link_faults = std::to_string(link) + "@50" + up;
    return n;
  }
  TraceReplay replay;
  VcRig rig;
};

void check_lost(bool eager) {
  const OverFaults run(eager ? 500 : 100, "", 0);
  CHECK_FALSE(run.replay.finished());
  REQUIRE(run.replay.lost().size() == 1);
  CHECK(run.replay.lost().front().cycle > 100);
  const std::string report = run.replay.wait_report();
  CHECK_THAT(report,
             Catch::Contains("2 of 3 ranks wait forever") && Catch::Contains("rank 1: ") &&
                 Catch::Contains(std::string("lost: message from rank 0 to rank 1, tag 7, 500 bytes") +
                                 (eager ? ", in cycle" : " (its announcement), in cycle")) &&
                 Catch::Contains(": no_way\n"));
}

void check_repeated(bool eager) {
  const OverFaults run(eager ? 500 : 100, ":1500", 200);
  REQUIRE(run.replay.finished());
  run.replay.check_finished();
  CHECK(run.replay.lost().empty());
  CHECK(run.rig.loaded->supervisor().packets_dropped() > 0);
  CHECK(run.replay.end_cycle() == 9001);
  // Latency counts from the send on; in a rendezvous, data are sent after the faults are over.
  CHECK((run.replay.message_latency().max() > 1000) == eager);
}

}  // namespace

TEST_CASE("a message that the network drops is reported with its ranks, size and cause") {
  check_lost(true);
}
TEST_CASE("an announcement that the network drops is reported with its message") {
  check_lost(false);
}
TEST_CASE("an application completes over a network that drops packets, with retry") {
  check_repeated(true);
}
TEST_CASE("an application completes over a network that drops packets, with retry and a rendezvous") {
  check_repeated(false);
}

TEST_CASE("an application whose message is given up is reported as lost") {
  const OverFaults run(500, "", 50);
  CHECK_FALSE(run.replay.finished());
  CHECK_THAT(run.replay.wait_report(),
             Catch::Contains("lost: message from rank 0 to rank 1, tag 7, 500 bytes") &&
                 Catch::Contains(": given_up\n"));
  REQUIRE_FALSE(run.replay.lost().empty());
  // The last of eight waits ends 255 timeouts after the last flit.
  CHECK(run.replay.lost().front().cycle > 100 + 255 * 50);
  CHECK(run.replay.lost().front().cycle < 100 + 255 * 50 + 500);
}

TEST_CASE("traces and packets that do not fit into a packet's header are refused") {
  const auto refused = [](const TraceReplayConfig& c, const TraceOp& sent) -> std::string {
    Trace trace;
    trace.ranks.emplace_back(std::vector<TraceOp>{sent});
    trace.ranks.emplace_back(std::vector<TraceOp>{});
    const auto error = tsuji::test::thrown<ConfigError>(
        [&] { const TraceReplay replay(c, std::move(trace), 1.0, ClockPeriod(1000), 2); });
    return error ? error->key() + "=" + error->value() : "";
  };
  constexpr std::uint64_t most = traffic::ReplaySource::most_message_bytes;
  const TraceReplayConfig c;
  CHECK(refused(c, op(TraceOpKind::send, most, 1)).empty());
  CHECK(refused(c, op(TraceOpKind::send, most + 1, 1)) == "workload.trace=" + std::to_string(most + 1));
  CHECK(refused(c, op(TraceOpKind::bcast, most + 1, 1)) == "workload.trace=" + std::to_string(most + 1));
  CHECK(refused(c, op(TraceOpKind::compute, most + 1)).empty());
  CHECK(refused(c, op(TraceOpKind::waitall, most + 1)).empty());
  TraceReplayConfig large;
  large.nic.flit_bytes = 1;
  large.nic.header_flits = 35;
  large.nic.packet_bytes = 65500;
  CHECK(refused(large, op(TraceOpKind::send, 1, 1)).empty());
  large.nic.packet_bytes = 65501;
  CHECK(refused(large, op(TraceOpKind::send, 1, 1)) == "nic.packet_bytes=65501");
}
