// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tsuji/core/error.h"
#include "tsuji/platform/trace_report.h"
#include "tsuji/session/jobs.h"
#include "tsuji/session/ranks_work.h"
#include "tsuji/session/trace_lines.h"
#include "tsuji/traffic/rail_source.h"
#include "tsuji/traffic/shared_source.h"

namespace tsuji::session {
namespace {

using machines::TraceReplay;
using observe::Value;
using traffic::JobPackets;
using traffic::SharedSource;

/// A job on its nodes.
struct PlacedJob {
  std::unique_ptr<const Job> job;
  traffic::RankPlaces places;  ///< of the sources of a synthetic job, one on each node
  std::optional<network::TrafficSources> sources;
  std::unique_ptr<TraceReplay> replay;  ///< null for a synthetic job
  bool runs = true;

  const traffic::RankPlaces& all_places() const { return replay ? replay->places() : places; }
};

/// Places the jobs in the order of the file.
class JobsPlacer {
 public:
  explicit JobsPlacer(const NodeWorkParts& parts)
      : parts_(parts),
        nodes_(parts.plan.topology, parts.config.workload.jobs.jobs_share_nodes, parts.options.seed,
               parts.plan.rails) {}

  PlacedJob place(std::unique_ptr<Job> job, unsigned number) {
    PlacedJob placed;
    job->check([&] {
      if (job->has_ranks()) {
        placed.replay = replay_of(*job);
      } else {
        place_sources(*job, number, placed);
      }
    });
    placed.job = std::move(job);
    return placed;
  }

 private:
  std::unique_ptr<TraceReplay> replay_of(const Job& job) {
    const NetworkWorkload& common = parts_.config.workload;
    const ClockPeriod period(parts_.config.machine.clock_period_ps);
    workload::Trace trace = job.workload.load_trace(
        platform::trace_limits(period, job.workload.compute_scale, 1.0 / common.replay.node_gflops),
        std::size_t{nodes_.available()} * job.places.ranks_per_node);
    auto replay = std::make_unique<TraceReplay>(
        common.replay, std::move(trace), job.workload.compute_scale, period,
        [&](const workload::Trace& ranks) {
          traffic::RankPlaces places = nodes_.place(job.name, ranks.size(), job.places, ranks.key);
          require_living_ranks(ranks, places.node_of, parts_.plan.nodes, "on");
          return places;
        });
    replay->set_rails(parts_.plan.rails);
    return replay;
  }

  void place_sources(const Job& job, unsigned number, PlacedJob& placed) {
    machines::JobPlacementConfig config = job.places;
    config.ranks_per_node = 1;
    const unsigned count = job.nodes == 0 ? std::min(nodes_.available(), 65535U) : job.nodes;
    placed.places = nodes_.place(job.name, count, config, "job.nodes");
    workload::Trace sources;  // of which nothing but the name is needed
    sources.key = "job.nodes";
    require_living_ranks(sources, placed.places.node_of, parts_.plan.nodes, "on");
    network::TrafficNodes nodes;
    nodes.nodes = count;
    constexpr std::uint64_t spread = 0x9E37'79B9'7F4A'7C15;  // jobs of one load have their own arrivals
    placed.sources.emplace(job.traffic, nodes, parts_.options.seed + number * spread,
                           network::packet_limits(parts_.config.machine));
  }

  const NodeWorkParts& parts_;
  machines::JobNodes nodes_;
};

/// Several jobs: applications, each a separate trace, and synthetic traffic that never ends.
class JobsWork final : public RanksWork {
 public:
  explicit JobsWork(const NodeWorkParts& parts) : RanksWork(parts) {
    const JobsConfig& config = config_.workload.jobs;
    JobsPlacer placer(parts);
    bool is_there = config.job_alone.empty();
    std::string names;
    for (std::unique_ptr<Job>& job : read_jobs(config_)) {
      const auto number = static_cast<unsigned>(jobs_.size());
      names += (names.empty() ? "" : ", ") + job->name;
      jobs_.push_back(placer.place(std::move(job), number));
      jobs_.back().runs = config.job_alone.empty() || config.job_alone == jobs_.back().job->name;
      is_there = is_there || jobs_.back().runs;
    }
    if (!is_there) throw ConfigError("workload.job_alone", config.job_alone, "no such job", names);
  }

  void add_to(observe::Results& results) override {
    // A load that loses packets does not end the run.
    results.metric("packets_dropped", network().supervisor().packets_dropped(), "packets");
    if (results.partial()) return add_share_done(progress(), results);
    observe::ResultTable& table = results.table("jobs", {{"job", ""},
                                                         {"ranks", ""},
                                                         {"nodes", ""},
                                                         {"time", "cycles"},
                                                         {"waiting", "cycles"},
                                                         {"messages", ""},
                                                         {"message_bytes", "bytes"},
                                                         {"packets", ""},
                                                         {"flits", ""},
                                                         {"packet_latency", "cycles"}});
    for (unsigned number = 0; number < jobs_.size(); ++number)
      if (jobs_[number].runs) add_job(number, table, results);
    results.metric("jobs", running(), "jobs");
  }
  void show(observe::Results& results) override {
    results.show("jobs", "jobs that run");
    results.show("packets_delivered", "packets");
    results.show("packets_dropped", "packets dropped");
    results.show("latency_cycles_mean", "packet latency, mean");
    results.show("hops_mean", "routers visited, mean");
    results.show_rows("jobs", SharedSource::most_jobs, "jobs");
  }
  std::string headline(const std::string& network_text) const override {
    std::string names;
    for (const PlacedJob& placed : jobs_)
      if (placed.runs) names += (names.empty() ? "" : ", ") + placed.job->name;
    return names + " on " + network_text;
  }

 private:
  std::unique_ptr<traffic::EmissionSource> source(NodeId place) override {
    const NodeId node = plan_.rails.node(place);
    auto shared = std::make_unique<SharedSource>(static_cast<unsigned>(jobs_.size()));
    for (unsigned number = 0; number < jobs_.size(); ++number) {
      PlacedJob& placed = jobs_[number];
      if (!placed.runs) continue;
      if (placed.replay) {
        // Every node's source counts what the ranks there send, so each is made, also one without ranks.
        auto ranks = placed.replay->source(place);
        if (!placed.replay->places().ranks_on[node].empty())
          shared->add(number, std::move(ranks));
        else
          idle_.push_back(std::move(ranks));
        continue;
      }
      for (const std::uint16_t own : placed.places.ranks_on[node])
        shared->add(number, port_source(placed, own, place));
    }
    sources_.push_back(shared.get());
    return shared;
  }
  /// Packets of a node of a synthetic job on one of its ports.
  std::unique_ptr<traffic::EmissionSource> port_source(const PlacedJob& placed, std::uint16_t own,
                                                       NodeId place) const {
    const traffic::Rails& rails = plan_.rails;
    auto all = std::make_unique<traffic::MappedSource>(placed.sources->source(own), placed.places.node_of);
    if (rails.count() == 1) return all;
    return std::make_unique<traffic::RailEmissions>(std::move(all), rails, rails.rail(place));
  }
  void divide(mpi::Ranks& processes, const std::function<bool(NodeId)>& is_here) override {
    processes_ = &processes;
    for (PlacedJob& placed : jobs_)
      if (placed.replay) placed.replay->divide(processes, is_here);
  }
  bool ends_at(Cycle now) const override {
    return has_applications() ? finished() || stuck() : now >= config_.workload.jobs.jobs_cycles;
  }
  /// True if the ranks wait for each other forever, which a load beside them hides from the network.
  bool stuck() const {
    for (unsigned number = 0; number < jobs_.size(); ++number) {
      if (!jobs_[number].runs || !jobs_[number].replay) continue;
      const JobPackets packets = packets_of(number);
      const bool is_quiet = jobs_[number].replay->is_quiet();
      if (packets.sent != packets.arrived + packets.dropped || !is_quiet) return false;
    }
    return true;
  }
  JobPackets packets_of(unsigned number) const {
    JobPackets packets;
    for (const SharedSource* source : sources_) packets += source->packets(number);
    return processes_ == nullptr ? packets : processes_->sum_of(packets);
  }
  bool finished() const override {
    return each([](const TraceReplay& one) { return one.finished(); });
  }
  double progress() const override {
    double sum = 0;
    unsigned count = 0;
    for (const PlacedJob& placed : jobs_) {
      if (!placed.replay || !placed.runs) continue;
      sum += placed.replay->progress();
      ++count;
    }
    return count == 0 ? 0 : sum / count;
  }
  Cycle last_cycle() const override {
    if (has_loads()) return now();
    Cycle last = 0;
    each([&last](const TraceReplay& one) {
      last = std::max(last, one.end_cycle());
      return true;
    });
    return last;
  }
  void check_finished() const override {
    each([](const TraceReplay& one) {
      one.check_finished();
      return true;
    });
  }
  std::string wait_report() const override {
    std::string report;
    for (const PlacedJob& placed : jobs_)
      if (placed.runs && placed.replay && !placed.replay->finished())
        report += "job " + placed.job->name + ":\n" + placed.replay->wait_report();
    return report;
  }
  bool lost_messages() const override {
    return !each([](const TraceReplay& one) { return one.lost().empty(); });
  }

  template <class Check>
  bool each(const Check& check) const {
    return std::all_of(jobs_.begin(), jobs_.end(), [&](const PlacedJob& placed) {
      return !placed.runs || !placed.replay || check(*placed.replay);
    });
  }
  bool has_applications() const {
    return std::any_of(jobs_.begin(), jobs_.end(),
                       [](const PlacedJob& placed) { return placed.runs && placed.replay; });
  }
  bool has_loads() const {
    return std::any_of(jobs_.begin(), jobs_.end(),
                       [](const PlacedJob& placed) { return placed.runs && !placed.replay; });
  }
  std::uint64_t running() const {
    return static_cast<std::uint64_t>(
        std::count_if(jobs_.begin(), jobs_.end(), [](const PlacedJob& placed) { return placed.runs; }));
  }

  void add_job(unsigned number, observe::ResultTable& table, observe::Results& results) const {
    const PlacedJob& placed = jobs_[number];
    const JobPackets packets = packets_of(number);
    const double latency = static_cast<double>(packets.latency) / static_cast<double>(packets.arrived);
    const Value mean = packets.arrived == 0 ? Value(nullptr) : Value(latency);
    const std::vector<NodeId>& node_of = placed.all_places().node_of;
    std::vector<NodeId> nodes = node_of;
    std::sort(nodes.begin(), nodes.end());
    const auto distinct = static_cast<std::uint64_t>(std::unique(nodes.begin(), nodes.end()) - nodes.begin());
    const std::string prefix = "job_" + placed.job->name;
    results.metric(prefix + "_packet_latency_cycles_mean", mean, "cycles");
    Value time(nullptr), waiting(nullptr), messages(nullptr), bytes(nullptr);
    if (placed.replay) {
      const traffic::ReplayCounters counters = placed.replay->counters();
      time = placed.replay->end_cycle() - 1;  // from cycle 1 on
      waiting = placed.replay->waiting_cycles_mean();
      messages = counters.messages;
      bytes = counters.message_bytes;
      results.metric(prefix + "_cycles", time, "cycles");
    }
    table.row({placed.job->name, static_cast<std::uint64_t>(node_of.size()), distinct, time, waiting,
               messages, bytes, packets.arrived, packets.flits, mean});
  }

  std::vector<PlacedJob> jobs_;  ///< in the order of the file
  std::vector<const SharedSource*> sources_;
  mpi::Ranks* processes_ = nullptr;  ///< null: all nodes are here
  std::vector<std::unique_ptr<traffic::EmissionSource>> idle_;
};

}  // namespace

std::unique_ptr<NodeWork> make_jobs_work(const NodeWorkParts& parts) {
  return std::make_unique<JobsWork>(parts);
}

}  // namespace tsuji::session
