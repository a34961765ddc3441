// SPDX-License-Identifier: Apache-2.0
#include "tsuji/platform/trace_report.h"

#include <algorithm>
#include <iomanip>
#include <sstream>

#include "tsuji/core/run_time.h"
#include "tsuji/host/library/trace_program.h"

namespace tsuji::platform {

workload::TraceLimits trace_limits(ClockPeriod period, double compute_scale, double ns_per_flop) {
  workload::TraceLimits limits;
  const double flops = static_cast<double>(last_run_ps(period)) / 1000.0 / (compute_scale * ns_per_flop);
  if (compute_scale > 0 && flops < static_cast<double>(limits.rank_flops)) {
    limits.rank_flops = static_cast<std::uint64_t>(flops);
    limits.because = "what a run may last, at " + observe::Value(ns_per_flop).text() +
                     " ns x workload.compute_scale a flop";
  }
  return limits;
}

double trace_progress(const Cenju4Job& job) {
  std::size_t done = 0, operations = 0;
  for (unsigned rank = 0; rank < job.ranks(); ++rank) {
    done += job.program<host::TraceProgram>(rank).operations_done();
    operations += job.program<host::TraceProgram>(rank).operations();
  }
  return static_cast<double>(done) / static_cast<double>(std::max<std::size_t>(operations, 1));
}

std::string without_computing(const workload::TraceCount& trace, double compute_scale) {
  if (trace.computes == 0) return "; the trace has no compute times";
  return compute_scale == 0 ? "; compute times are scaled to 0" : "";
}

namespace {

/// Digest of all data that ranks have received: the digits of a weighted sum over the ranks.
std::string data_digest(const Cenju4Job& job) {
  std::uint64_t sum = 0;
  for (unsigned rank = 0; rank < job.ranks(); ++rank)
    sum += (2 * std::uint64_t{rank} + 1) * job.program<host::TraceProgram>(rank).data_digest();
  std::ostringstream digits;
  digits << std::hex << std::setw(16) << std::setfill('0') << sum;
  return digits.str();
}

}  // namespace

void add_message_metrics(const Cenju4Job& job, const workload::TraceCount& trace, const std::string& prefix,
                         observe::Results& results) {
  workload::MessageCount sent, received;
  for (unsigned rank = 0; rank < job.ranks(); ++rank) {
    sent += job.program<host::TraceProgram>(rank).sent();
    received += job.program<host::TraceProgram>(rank).received();
  }
  workload::check_count(trace, sent, received, job.end_cycle());
  results.metric(prefix + "_messages", trace.messages, "messages");
  results.metric(prefix + "_message_bytes", trace.message_bytes, "bytes");
  results.metric(prefix + "_messages_sent", sent.messages, "messages");
  results.metric(prefix + "_bytes_sent", sent.bytes, "bytes");
  results.metric(prefix + "_data_digest", data_digest(job), "");
}

void add_trace_metrics(const Cenju4Job& job, const workload::TraceCount& trace, ClockPeriod period,
                       observe::Results& results) {
  const auto us = [&](Cycle cycles) { return period.ns(cycles) / 1000.0; };
  auto& ranks = results.table(
      "trace_ranks",
      {{"rank", ""}, {"total", "us"}, {"compute", "us"}, {"software", "us"}, {"waiting", "us"}});
  Cycle compute = 0, software = 0, waiting = 0, total = 0;
  for (unsigned rank = 0; rank < job.ranks(); ++rank) {
    const host::TraceProgram& program = job.program<host::TraceProgram>(rank);
    const host::RankTimes& times = program.times();
    ranks.row({rank, us(times.total), us(times.compute), us(times.software()), us(times.waiting)});
    compute += times.compute;
    software += times.software();
    waiting += times.waiting;
    total = std::max(total, times.total);
  }
  const auto count = static_cast<double>(job.ranks());
  results.metric("trace_operations", trace.operations, "operations", "trace: operations of all ranks");
  results.metric("trace_compute_operations", trace.computes, "operations");
  add_message_metrics(job, trace, "trace", results);
  results.metric("trace_time_us", us(total), "us", "trace: time of the slowest rank");
  results.metric("trace_compute_us_mean", us(compute) / count, "us", "trace: computing, mean of the ranks");
  results.metric("trace_software_us_mean", us(software) / count, "us", "trace: library, mean of the ranks");
  results.metric("trace_waiting_us_mean", us(waiting) / count, "us", "trace: waiting, mean of the ranks");
}

}  // namespace tsuji::platform
