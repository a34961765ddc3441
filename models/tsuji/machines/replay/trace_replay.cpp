// SPDX-License-Identifier: Apache-2.0
#include "tsuji/machines/replay/trace_replay.h"

#include <algorithm>
#include <utility>

#include "tsuji/core/error.h"

namespace tsuji::machines {
namespace {

using workload::RankReplay;
using workload::TraceOp;
using workload::TraceOpKind;

workload::ReplayConfig complete(const TraceReplayConfig& config, double compute_scale, ClockPeriod period) {
  workload::ReplayConfig replay = config.replay;
  replay.ns_per_flop = compute_scale / config.node_gflops;
  replay.period = period;
  return replay;
}

/// The algorithms' names as the words of a choice.
std::vector<std::pair<std::string, std::string>> names_of(
    const std::vector<workload::CollectiveAlgorithm>& algorithms) {
  std::vector<std::pair<std::string, std::string>> words;
  for (const workload::CollectiveAlgorithm& each : algorithms) words.emplace_back(each.name, each.name);
  return words;
}

/// Refuses values beyond the room of a packet's header before anything runs.
workload::Trace checked(workload::Trace trace) {
  for (std::size_t rank = 0; rank < trace.size(); ++rank) {
    for (const TraceOp& op : trace.ranks[rank].stored()) {
      const bool sized = op.kind != TraceOpKind::compute && op.kind != TraceOpKind::waitall &&
                         op.kind != TraceOpKind::alltoallv;
      if (!sized || op.value <= traffic::ReplaySource::most_message_bytes) continue;
      throw ConfigError(trace.key, std::to_string(op.value),
                        "rank " + std::to_string(rank) + " has too large a message: " + workload::text_of(op),
                        "0.." + std::to_string(traffic::ReplaySource::most_message_bytes) + " bytes");
    }
  }
  return trace;
}

}  // namespace

void TraceReplayConfig::validate() const {
  if (nic.flits(nic.packet_bytes) > 0xFFFF)
    throw ConfigError("nic.packet_bytes", std::to_string(nic.packet_bytes), "a packet has too many flits",
                      "at most 65535 flits of nic.flit_bytes and nic.header_flits");
}

void add_packetizer_keys(config::KeyTable& keys, TraceReplayConfig& config) {
  keys.add("nic.packet_bytes", config.nic.packet_bytes, {1, 1U << 20}, "bytes",
           "largest payload of a packet; longer messages are split into several packets");
  keys.add("nic.flit_bytes", config.nic.flit_bytes, {1, 65535}, "bytes", "payload of a flit");
  keys.add("nic.header_flits", config.nic.header_flits, {0, 64}, "flits",
           "header of every packet; a packet without payload has at least one flit");
  keys.add(
      "nic.eager_bytes", config.replay.eager_bytes, {0, traffic::ReplaySource::most_message_bytes}, "bytes",
      "eager limit: largest message sent by the eager protocol; larger ones use the rendezvous protocol");
  keys.add("nic.local_cycles", config.nic.local_cycles, {1, 1'000'000'000}, "cycles",
           "latency of a message of any size between two ranks on one node, which bypasses the network");
}

void add_replay_keys(config::KeyTable& keys, TraceReplayConfig& config) {
  keys.add("node.gflops", config.node_gflops, {1e-6, 1e6}, "Gflop/s",
           "speed of a rank's processor; 1: that of the core on which the trace was recorded");
  workload::ReplayConfig& r = config.replay;
  keys.add_choice("collectives.barrier", r.barrier, names_of(workload::barrier_algorithms()),
                  "algorithm of barriers");
  keys.add_choice("collectives.broadcast", r.broadcast, names_of(workload::broadcast_algorithms()),
                  "algorithm of broadcasts; linear: the root sends to all other ranks at once");
  keys.add_choice("collectives.reduce", r.reduce, names_of(workload::reduce_algorithms()),
                  "algorithm of reductions; linear: all other ranks send to the root at once");
  keys.add_choice(
      "collectives.all_reduce", r.all_reduce, names_of(workload::all_reduce_algorithms()),
      "algorithm of allreduce; reduce_broadcast: a reduction and a broadcast along binomial trees");
  keys.add_choice("collectives.all_to_all", r.all_to_all, names_of(workload::all_to_all_algorithms()),
                  "algorithm of alltoall and alltoallv; staggered: one exchange after the other, in each "
                  "step every rank sends to a different one; linear: all exchanges at once");
}

TraceReplay::TraceReplay(const TraceReplayConfig& config, workload::Trace trace, double compute_scale,
                         ClockPeriod period, unsigned nodes)
    : TraceReplay(config, std::move(trace), compute_scale, period, [&](const workload::Trace& ranks) {
        return place_ranks(ranks.size(), nodes, config.places, ranks.key);
      }) {}

TraceReplay::TraceReplay(const TraceReplayConfig& config, workload::Trace trace, double compute_scale,
                         ClockPeriod period, const PlaceRanks& place)
    : config_(config),
      trace_(checked(std::move(trace))),
      replay_(complete(config, compute_scale, period)),
      places_(place(trace_)),
      replays_(trace_.size(), nullptr) {
  config_.validate();
}

std::unique_ptr<traffic::EmissionSource> TraceReplay::source(NodeId place) {
  const traffic::ReplaySource::Parts parts{trace_, replay_, config_.nic, places_, &message_latencies_,
                                           rails_};
  if (rails_.count() == 1) {
    auto source = std::make_unique<traffic::ReplaySource>(parts, place);
    enter(*source);
    return source;
  }
  std::shared_ptr<traffic::ReplayNode>& node = nodes_[rails_.node(place)];
  if (node == nullptr) {
    node = std::make_shared<traffic::ReplayNode>(parts, rails_.node(place));
    enter(node->source);
  }
  return std::make_unique<traffic::ReplayPort>(node, rails_.rail(place));
}

void TraceReplay::enter(const traffic::ReplaySource& source) {
  sources_.push_back(&source);
  for (const auto& rank : source.ranks()) {
    replays_[rank->rank()] = rank.get();
    rank->set_watch(watch_);
  }
}

void TraceReplay::divide(mpi::Ranks& processes, std::function<bool(NodeId node)> is_here) {
  processes_ = &processes;
  is_here_ = std::move(is_here);
}

TraceReplay::RankCounts TraceReplay::counts_of(const RankReplay& rank) {
  RankCounts counts;
  counts.times = rank.times();
  counts.operations = rank.operations();
  counts.done = rank.operations_done();
  counts.sent = rank.sent();
  counts.received = rank.received();
  counts.finished = rank.finished();
  const auto unreceived = rank.state().unreceived;
  counts.unreceived = unreceived.size();
  if (unreceived.empty()) return counts;
  counts.unreceived_source = unreceived.front().source;
  counts.unreceived_tag = unreceived.front().tag;
  return counts;
}

/// Counts of all ranks, of which each process knows those on its nodes.
const std::vector<TraceReplay::RankCounts>& TraceReplay::all_counts() const {
  counts_.resize(ranks());
  mpi::Bytes own;
  for (std::size_t rank = 0; rank < ranks(); ++rank) {
    if (!is_here(rank)) continue;
    counts_[rank] = counts_of(*replays_[rank]);
    mpi::put(own, rank);
    mpi::put(own, counts_[rank]);
  }
  if (processes_ == nullptr) return counts_;
  for (mpi::Reader& of_process : processes_->gather(own)) {
    while (!of_process.at_end()) {
      const auto rank = of_process.get<std::size_t>();
      counts_.at(rank) = of_process.get<RankCounts>();
    }
  }
  return counts_;
}

bool TraceReplay::finished() const {
  std::uint64_t open = 0;
  for (std::size_t rank = 0; rank < ranks(); ++rank)
    open += is_here(rank) && !replays_[rank]->finished() ? 1 : 0;
  return (processes_ == nullptr ? open : processes_->sum(open)) == 0;
}

bool TraceReplay::is_quiet() const {
  std::uint64_t busy = 0;
  for (const traffic::ReplaySource* source : sources_) {
    const bool runs_here = processes_ == nullptr || is_here_(source->node());
    busy += runs_here && !source->is_quiet() ? 1 : 0;
  }
  return (processes_ == nullptr ? busy : processes_->sum(busy)) == 0;
}

double TraceReplay::progress() const {
  std::uint64_t done = 0, all = 0;
  for (std::size_t rank = 0; rank < ranks(); ++rank) {
    if (!is_here(rank)) continue;
    done += replays_[rank]->operations_done();
    all += replays_[rank]->operations();
  }
  if (processes_ != nullptr) {
    done = processes_->sum(done);
    all = processes_->sum(all);
  }
  return static_cast<double>(done) / static_cast<double>(all);
}

Cycle TraceReplay::end_cycle() const {
  Cycle end = 0;
  for (const RankCounts& rank : all_counts()) end = std::max(end, rank.times.end);
  return end;
}

double TraceReplay::waiting_cycles_mean() const {
  Cycle sum = 0;
  for (const RankCounts& rank : all_counts()) sum += rank.times.waiting;
  return static_cast<double>(sum) / static_cast<double>(ranks());
}

traffic::ReplayCounters TraceReplay::counters() const {
  traffic::ReplayCounters sum;
  for (const traffic::ReplaySource* source : sources_) sum += source->counters();
  return processes_ == nullptr ? sum : processes_->sum_of(sum);
}

observe::LatencyHistogram TraceReplay::message_latency() const {
  if (processes_ == nullptr) return message_latencies_.histogram();
  mpi::Bytes own;
  for (const std::uint64_t number : message_latencies_.histogram().image()) mpi::put(own, number);
  observe::LatencyHistogram all;
  for (mpi::Reader& of_process : processes_->gather(own)) {
    std::vector<std::uint64_t> image;
    while (!of_process.at_end()) image.push_back(of_process.get<std::uint64_t>());
    all.merge(image);
  }
  return all;
}

std::vector<workload::LostMessage> TraceReplay::lost() const {
  std::vector<workload::LostMessage> all;
  for (const traffic::ReplaySource* source : sources_)
    all.insert(all.end(), source->lost().begin(), source->lost().end());
  std::stable_sort(
      all.begin(), all.end(),
      [](const workload::LostMessage& a, const workload::LostMessage& b) { return a.cycle < b.cycle; });
  return all;
}

workload::MessageCount TraceReplay::sent() const {
  workload::MessageCount sum;
  for (const RankCounts& rank : all_counts()) sum += rank.sent;
  return sum;
}

std::string TraceReplay::wait_report() const {
  if (processes_ != nullptr) return "a run of one process reports who waits for whom\n";
  std::vector<workload::RankState> states;
  for (const RankReplay* rank : replays_) states.push_back(rank->state());
  return workload::rank_wait_report(states) + workload::lost_messages_report(lost());
}

void TraceReplay::check_finished() const {
  const traffic::ReplayCounters all = counters();
  std::string left;
  workload::MessageCount received;
  std::size_t rank = 0;
  for (const RankCounts& one : all_counts()) {
    received += one.received;
    if (one.unreceived != 0)
      left += "\n  rank " + std::to_string(rank) + " has " + std::to_string(one.unreceived) +
              " messages without a receive, the first from rank " + std::to_string(one.unreceived_source) +
              ", tag " + std::to_string(one.unreceived_tag);
    ++rank;
  }
  if (!left.empty()) throw ModelError("trace", end_cycle(), "", "messages remain undelivered" + left);
  workload::check_count(count(), sent(), received, end_cycle());
  if (all.messages == all.messages_arrived && all.message_bytes == all.bytes_arrived) return;
  throw ModelError("trace", end_cycle(), "",
                   std::to_string(all.messages) + " messages of " + std::to_string(all.message_bytes) +
                       " bytes were sent, and " + std::to_string(all.messages_arrived) + " of " +
                       std::to_string(all.bytes_arrived) + " bytes arrived\n" +
                       workload::lost_messages_report(lost()));
}

void TraceReplay::add_to(observe::Results& results) const {
  const double us = static_cast<double>(replay_.period.ps()) * 1e-6;
  observe::ResultTable& table = results.table(
      "trace_ranks", {{"rank", ""}, {"node", ""}, {"total", "us"}, {"compute", "us"}, {"waiting", "us"}});
  Cycle compute = 0, waiting = 0, section = 0;
  std::uint32_t rank = 0;
  for (const RankCounts& one : all_counts()) {
    const workload::ReplayTimes& times = one.times;
    const Cycle total = times.end - 1;  // from cycle 1 on
    table.row({rank, places_.node_of[rank], static_cast<double>(total) * us,
               static_cast<double>(times.compute) * us, static_cast<double>(times.waiting) * us});
    compute += times.compute;
    waiting += times.waiting;
    if (times.roi_begin != never && times.roi_end != never)
      section = std::max(section, times.roi_end - times.roi_begin);
    ++rank;
  }
  const auto count = static_cast<double>(ranks());
  const Cycle total = end_cycle() - 1;
  const traffic::ReplayCounters all = counters();
  const workload::TraceCount trace = this->count();
  results.metric("trace_operations", trace.operations, "operations");
  results.metric("trace_compute_operations", trace.computes, "operations");
  results.metric("trace_messages", trace.messages, "messages");
  results.metric("trace_message_bytes", trace.message_bytes, "bytes");
  results.metric("trace_messages_sent", sent().messages, "messages");
  results.metric("trace_bytes_sent", sent().bytes, "bytes");
  results.metric("trace_cycles", total, "cycles");
  results.metric("trace_time_s", static_cast<double>(total) * us * 1e-6, "s");
  results.metric("trace_section_cycles", section == 0 ? observe::Value(nullptr) : observe::Value(section),
                 "cycles");
  results.metric("trace_compute_us_mean", static_cast<double>(compute) * us / count, "us");
  results.metric("trace_waiting_us_mean", static_cast<double>(waiting) * us / count, "us");
  results.metric("messages", all.messages, "messages");
  results.metric("message_bytes", all.message_bytes, "bytes");
  results.metric("local_messages", all.local_messages, "messages");
  results.metric("local_bytes", all.local_bytes, "bytes");
  results.metric("data_packets", all.data_packets, "packets");
  results.metric("control_packets", all.control_packets, "packets");
  observe::add_latency(results, "message_latency_cycles", message_latency(), "cycles");
}

}  // namespace tsuji::machines
