// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tsuji/machines/replay/job_placement.h"
#include "tsuji/network/config/traffic_config.h"
#include "tsuji/session/network_workload.h"

namespace tsuji::session {

struct NetworkRunConfig;

/// One of several jobs on a network: a trace or a collective operation, or synthetic traffic among its nodes.
struct Job {
  std::string name;                     ///< lower-case letters, digits and _
  NetworkWorkload workload;             ///< kind, and the application
  network::TrafficConfig traffic;       ///< packets of a synthetic job
  machines::JobPlacementConfig places;  ///< its nodes
  unsigned nodes = 0;                   ///< nodes of a synthetic job; 0: all that are free
  /// Calls a function and adds to its ConfigError the place of the key in the job's section.
  std::function<void(const std::function<void()>&)> check;

  bool has_ranks() const { return workload.has_ranks(); }
};

/// Reads the file workload.jobs: a YAML map of sections, one for each job, with the keys workload.* (kind,
/// trace, benchmark, collective operation), traffic.* and job.*. Jobs are placed in the order of the file.
/// Kinds of traces and of traffic are those of `config`. Throws ConfigError with file, line and column for an
/// unknown key, a wrong value and a name that is no word, and for a file without jobs or with more than a
/// packet can name.
std::vector<std::unique_ptr<Job>> read_jobs(const NetworkRunConfig& config);

}  // namespace tsuji::session
