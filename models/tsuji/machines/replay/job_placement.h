// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tsuji/config/key_table.h"
#include "tsuji/graph/topology.h"
#include "tsuji/traffic/replay_source.h"

namespace tsuji::machines {

/// Choice of a job's nodes among those that no earlier job has. block: the lowest numbers; round_robin: in
/// turn one node of each group of the topology (graph::node_groups); random: each with equal probability;
/// group: the lowest groups that are free as a whole; mapping: as a file says.
enum class NodeChoice : std::uint8_t { block, round_robin, random, group, mapping };

struct JobPlacementConfig {
  unsigned ranks_per_node = 1;
  NodeChoice placement = NodeChoice::block;
  std::uint64_t seed = 1;  ///< with placement random, beside the run's
  std::string mapping;     ///< with placement mapping: path of a file with a line RANK NODE for each rank
};

/// Adds the keys job.ranks_per_node, job.placement, job.placement_seed and job.mapping.
void add_job_placement_keys(config::KeyTable& keys, JobPlacementConfig& config);

/// Nodes of a machine with the jobs that have them.
class JobNodes {
 public:
  /// `shared`: a node may belong to several jobs, and each job is placed as if it were alone. `run_seed`: the
  /// run's, so that runs of several seeds have several random placements. A node with several network ports
  /// belongs to the group of its first port.
  JobNodes(const graph::Topology& topology, bool shared, std::uint64_t run_seed = 1,
           const traffic::Rails& rails = {})
      : topology_(topology),
        shared_(shared),
        run_seed_(run_seed),
        rails_(rails),
        owner_(topology.nodes() / rails.count()) {}

  /// Number of nodes that a further job may use.
  unsigned available() const;
  /// Places the ranks of a further job, whose consecutive ranks fill one node after the other. Throws
  /// ConfigError for `key`, which decides the number of ranks, if the job is larger than what is left of the
  /// machine, for too few free groups, and with file and line for a mapping that gives a rank no place, a
  /// node more ranks than it holds, or a node that another job has.
  traffic::RankPlaces place(const std::string& job, std::size_t ranks, const JobPlacementConfig& config,
                            const char* key);

 private:
  NodeId nodes() const { return static_cast<NodeId>(owner_.size()); }
  std::vector<std::vector<NodeId>> groups() const;
  bool is_free(NodeId node) const { return shared_ || owner_[node].empty(); }
  std::vector<NodeId> in_order() const;
  std::vector<NodeId> in_turn() const;
  std::vector<NodeId> shuffled(std::uint64_t seed) const;
  std::vector<NodeId> whole_groups() const;
  std::vector<NodeId> candidates(const JobPlacementConfig& config) const;
  std::vector<NodeId> mapped(std::size_t ranks, const JobPlacementConfig& config) const;

  const graph::Topology& topology_;
  const bool shared_;
  const std::uint64_t run_seed_;
  const traffic::Rails rails_;
  std::vector<std::string> owner_;  ///< [node]: name of the job that has it; empty: none
};

}  // namespace tsuji::machines
