// SPDX-License-Identifier: Apache-2.0
#include "tsuji/session/jobs.h"

#include <algorithm>
#include <utility>

#include "tsuji/config/key_table.h"
#include "tsuji/core/error.h"
#include "tsuji/core/refusals.h"
#include "tsuji/session/network_run.h"
#include "tsuji/traffic/shared_source.h"

namespace tsuji::session {
namespace {

using traffic::SharedSource;

constexpr const char* jobs_key = "workload.jobs";

/// A job with the table of its keys, which refers to it.
struct KeyedJob {
  explicit KeyedJob(const NetworkRunConfig& config) : job(std::make_unique<Job>()) {
    job->workload.trace_formats = config.workload.trace_formats;
    job->traffic = config.traffic;
    add_keys();
  }
  void add_keys();
  void validate() const;

  std::unique_ptr<Job> job;
  config::KeyTable keys;
};

void KeyedJob::add_keys() {
  keys.add_choice("workload.kind", job->workload.kind,
                  {{"synthetic", NetworkWorkloadKind::synthetic},
                   {"trace", NetworkWorkloadKind::trace},
                   {"collective", NetworkWorkloadKind::collective}},
                  "workload of the job");
  add_application_keys(keys, job->workload);
  keys.add("job.nodes", job->nodes, {0, 65535}, "nodes",
           "nodes of a synthetic job, among which its packets travel; 0: all that are free");
  machines::add_job_placement_keys(keys, job->places);
  network::add_traffic_keys(keys, job->traffic);
  for (const char* section : {"traffic.*", "job.nodes"})
    keys.only_with(section, {{"workload.kind", {"synthetic"}}});
  keys.only_with("job.ranks_per_node", {{"workload.kind", {"trace", "collective"}}});
}

void KeyedJob::validate() const {
  const NetworkWorkload& workload = job->workload;
  if (workload.kind == NetworkWorkloadKind::collective && !workload.npb.name.empty())
    throw ConfigError("workload.npb", workload.npb.name, "a benchmark beside a collective operation",
                      "workload.kind trace, or no benchmark");
  if (!workload.npb.name.empty()) workload.npb.validate();
  if (workload.has_ranks()) return workload.trace_formats.validate(workload.trace_format);
  job->traffic.validate();
  if (!job->traffic.traits().offers_load)
    throw ConfigError("traffic.kind", job->traffic.kind,
                      "packets of a synthetic job are born independently of the network", "open_loop");
}

void check_name(const std::string& name, const std::string& place) {
  const auto is_part = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; };
  const bool is_word = name.size() <= 32 && std::all_of(name.begin(), name.end(), is_part) && name[0] >= 'a';
  if (!is_word)
    throw ConfigError(jobs_key, name, "not a job's name",
                      "up to 32 lower-case letters, digits and _, a letter first")
        .at(place);
}

}  // namespace

std::vector<std::unique_ptr<Job>> read_jobs(const NetworkRunConfig& config) {
  const std::string& path = config.workload.jobs.jobs;
  if (path.empty()) throw ConfigError(jobs_key, "", "no file", "a YAML file with a section for each job");
  std::vector<std::unique_ptr<KeyedJob>> read;
  const config::TableOf table_of = [&](const std::string& name,
                                       const std::string& place) -> config::KeyTable& {
    check_name(name, place);
    read.push_back(std::make_unique<KeyedJob>(config));
    read.back()->job->name = name;
    return read.back()->keys;
  };
  config::read_yaml_sections(table_of, path, jobs_key);
  if (read.empty() || read.size() > SharedSource::most_jobs)
    throw ConfigError(jobs_key, path, std::to_string(read.size()) + " jobs",
                      "1.." + std::to_string(SharedSource::most_jobs) + " sections");
  Refusals refusals;
  std::vector<std::unique_ptr<Job>> jobs;
  for (auto& one : read) {
    refusals.take([&] {
      one->keys.settle_defaults();
      one->job->workload.resolve();
      one->keys.refuse_idle();
      one->keys.check([&] {
        one->validate();
        if (one->job->has_ranks()) return;
        network::validate_lengths(config.machine, one->job->traffic);
        network::validate_load(one->job->traffic, config.machine.rails.count);
      });
    });
    jobs.push_back(std::move(one->job));
    jobs.back()->check = [keyed = std::shared_ptr<KeyedJob>(std::move(one))](const auto& call) {
      keyed->keys.check(call);
    };
  }
  refusals.refuse();
  return jobs;
}

}  // namespace tsuji::session
