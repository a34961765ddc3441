// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <utility>

#include "platforms/network/network_faults.h"
#include "platforms/network/network_workload.h"
#include "tsuji/core/error.h"
#include "tsuji/host/library/trace_program.h"
#include "tsuji/instruments/reconfiguration_metrics.h"
#include "tsuji/link/flit_channel.h"
#include "tsuji/machines/cenju4/vc_machine.h"
#include "tsuji/platform/cenju4_job.h"
#include "tsuji/platform/network_slices.h"
#include "tsuji/platform/trace_report.h"
#include "tsuji/platform/trace_source.h"
#include "tsuji/workload/trace.h"

namespace tsuji::platform {
namespace {

void show(observe::Results& results) {
  results.show("trace_operations", "trace: operations of all ranks");
  results.show("trace_time_s", "trace: time of the slowest rank");
  results.show("trace_cycles", "trace: the same");
  results.show("trace_compute_us_mean", "trace: computing, mean of the ranks");
  results.show("trace_waiting_us_mean", "trace: waiting, mean of the ranks");
  results.show("trace_messages", "trace: messages, point to point");
  results.show("trace_message_bytes", "  their bytes");
  results.show("messages", "messages through the network");
  results.show("message_bytes", "  their bytes");
  results.show("local_messages", "messages within a node");
  results.show("message_latency_cycles_mean", "message latency, mean");
  results.show("packets_delivered", "packets");
  results.show("latency_cycles_mean", "packet latency, mean");
  results.show("hops_mean", "routers visited, mean");
}

std::string headline(std::size_t ranks, const NetworkPlan& plan) {
  return std::to_string(ranks) + " ranks on " + plan.topology.name() + ", " +
         std::to_string(plan.topology.nodes()) + " nodes, " + std::to_string(plan.topology.routers()) +
         " routers, " + plan.config.routing.kind;
}

/// Runs until nothing is left to do.
void play(network::LoadedNetwork& loaded, const machines::TraceReplay& replay, NetworkRecorder& recorder,
          const RunOptions& options, observe::Results& results) {
  constexpr Cycle slice_cycles = 10'000;
  NetworkSlices slices(loaded, options, results);
  for (Cycle next = 0; next != never; next = loaded.next_activity()) {
    slices.run_to(std::max(next, loaded.now() + slice_cycles));
    recorder.advance(loaded.now());
    options.progress->update(replay.progress());
  }
}

void check(const network::LoadedNetwork& loaded, const machines::TraceReplay& replay) {
  loaded.check_conservation();
  if (replay.finished()) return replay.check_finished();
  std::string report = replay.wait_report();
  const std::uint64_t dropped = loaded.supervisor().packets_dropped();
  if (dropped != 0 && loaded.retry() == nullptr)
    report += std::to_string(dropped) + " packets were dropped, and with them their messages\n";
  if (dropped == 0 && replay.lost().empty())
    report +=
        "no message is lost: the trace keeps its ranks waiting by the order of their operations; a send of "
        "more "
        "than nic.eager_bytes waits for its receive\n";
  throw ModelError("trace", loaded.now(), "", report);
}

/// A trace that a signal has ended has no times of its ranks.
void add_share_done(double share, observe::Results& results) {
  results.metric("trace_share_done", share, "");
  results.show("trace_share_done", "trace: share of its operations that was done");
}

/// Runs `work` and closes the files behind it; what was traced up to a failure or a signal is worth looking
/// at. After a signal the results, then partial, are those up to now.
void recorded(NetworkRecorder& recorder, const std::function<void()>& work) {
  try {
    work();
  } catch (const Interrupted&) {
  } catch (...) {
    recorder.close();
    throw;
  }
  recorder.close();
}

/// The ranks are on the first nodes; the others have none.
machines::Cenju4Config cenju4_nodes(const NetworkPlan& plan, const NetworkWorkload& workload,
                                    const workload::Trace& trace) {
  std::vector<NodeId> node_of(std::min<std::size_t>(trace.size(), plan.topology.nodes()));
  std::iota(node_of.begin(), node_of.end(), NodeId{0});
  require_living_ranks(trace, node_of, plan.nodes);
  machines::Cenju4Config nodes = workload.cenju4;
  if (trace.size() < plan.topology.nodes()) nodes.jobs = {node_of};
  return machines::VcMachine::complete_config(std::move(nodes), plan.config, plan.topology);
}

}  // namespace

void run_packetizer_trace(const NetworkPlan& plan, const NetworkWorkload& workload,
                          const AddMachineMetrics& add_metrics, const RunOptions& options,
                          observe::Results& results) {
  const workload::TraceLimits limits = trace_limits(
      ClockPeriod(plan.config.clock_period_ps), workload.compute_scale, 1.0 / workload.replay.node_gflops);
  workload::Trace trace = load_trace(workload.trace, workload.npb, limits);
  require_living_ranks(
      trace,
      machines::place_ranks(trace.size(), plan.topology.nodes(), workload.replay.ranks_per_node,
                            workload.replay.placement, trace.key)
          .node_of,
      plan.nodes);
  machines::TraceReplay replay(workload.replay, std::move(trace), workload.compute_scale,
                               ClockPeriod(plan.config.clock_period_ps), plan.topology.nodes());
  NetworkRecorder recorder(plan.recorder, options, plan.topology);
  const network::LoadedNetwork::OnDelivered record = recorder.on_delivered();
  observe::NetworkMetrics metrics;
  network::LoadedNetwork::Parts parts{plan.config, plan.topology, plan.routing};
  parts.seed = options.seed;
  parts.make_source = [&](NodeId node) { return replay.source(node); };
  parts.retry = workload.retry;
  parts.on_delivered = [&](const observe::DeliveredPacket& packet) {
    // Control messages of routers are not the application's.
    if (packet.arrival == PacketArrival::first && !packet.source.is_router())
      metrics.record_delivery(packet.tail_cycle - packet.created, packet.flits, packet.hops);
    if (record) record(packet);
  };
  if (!record) parts.deliveries_lookahead_cycles = never;  // sums
  const auto reconfiguration = network::make_reconfiguration(plan.config, plan.topology, plan.routing);
  parts.fault_reaction = reconfiguration.get();
  parts.progress = options.building();
  network::LoadedNetwork loaded(parts);
  recorder.attach(loaded, results, reconfiguration.get());
  recorded(recorder, [&] {
    play(loaded, replay, recorder, options, results);
    check(loaded, replay);
  });
  const Cycle end = results.partial() ? loaded.now() : replay.end_cycle();
  metrics.flits_offered = loaded.retry() == nullptr ? loaded.flits_sent() : loaded.retry()->messages_flits();
  loaded.add_counters(metrics);
  metrics.add_to(results, plan.nodes.living(), end, end);
  if (results.partial()) {
    add_share_done(replay.progress(), results);
  } else {
    replay.add_to(results);
  }
  add_metrics(loaded, metrics, end);
  recorder.report(loaded, end, results);
  show(results);
  instruments::add_reconfiguration(results, reconfiguration.get(), end);
  results.headline(headline(replay.ranks(), plan) +
                   without_computing(replay.count(), workload.compute_scale));
}

void run_cenju4_trace(const NetworkPlan& plan, const NetworkWorkload& workload,
                      const AddMachineMetrics& add_metrics, const RunOptions& options,
                      observe::Results& results) {
  const workload::Trace trace =
      load_trace(workload.trace, workload.npb,
                 trace_limits(ClockPeriod(plan.config.clock_period_ps), workload.compute_scale));
  const machines::Cenju4Config nodes = cenju4_nodes(plan, workload, trace);
  machines::VcMachine::validate_retry(workload.retry, workload.bridge, plan.topology.nodes());
  NetworkRecorder recorder(plan.recorder, options, plan.topology);
  machines::VcMachine::Parts parts{plan.config, plan.topology, plan.routing, nodes, workload.bridge};
  parts.seed = options.seed;
  parts.on_delivered = recorder.on_delivered();
  parts.retry = workload.retry;
  const auto reconfiguration = network::make_reconfiguration(plan.config, plan.topology, plan.routing);
  parts.fault_reaction = reconfiguration.get();
  machines::VcMachine machine(parts);
  options.progress->begin("");
  Cenju4Job job(machine);
  job.load([&](host::RankRuntime& runtime) {
    return std::make_unique<host::TraceProgram>(runtime, trace, workload.compute_scale);
  });
  recorder.attach(machine.network(), results, reconfiguration.get(), &machine);
  recorded(recorder, [&] {
    job.run([&](Cycle now) {
      recorder.advance(now);
      options.progress->update(trace_progress(job));
      options.check_interruption(results);
    });
  });
  const Cycle end = results.partial() ? machine.last_cycle() : job.end_cycle();
  observe::NetworkMetrics metrics = machine.metrics();
  // With retry all that the network carried, repeats and acknowledgements, as of other sources.
  if (machine.network().retry() != nullptr) metrics.packets_sent = machine.network().packets_sent();
  metrics.add_to(results, plan.nodes.living(), end, end);
  const workload::TraceCount count = workload::count_of(trace);
  if (results.partial()) {
    add_share_done(trace_progress(job), results);
  } else {
    add_trace_metrics(job, count, nodes.period(), results);
    results.metric("trace_cycles", end, "cycles");
    results.metric("trace_time_s", nodes.period().ns(end) * 1e-9, "s");
  }
  results.metric("packets_early", machine.packets_early(), "packets");
  add_metrics(machine.network(), metrics, end);
  recorder.report(machine.network(), end, results);
  results.show("packets_delivered", "packets");
  results.show("latency_cycles_mean", "packet latency, parcel to memory, mean");
  results.show("hops_mean", "routers visited, mean");
  results.show("packets_early", "packets that overtook others and waited");
  instruments::add_reconfiguration(results, reconfiguration.get(), end);
  results.headline(headline(job.ranks(), plan) + ", Cenju-4 nodes" +
                   without_computing(count, workload.compute_scale));
}

}  // namespace tsuji::platform
