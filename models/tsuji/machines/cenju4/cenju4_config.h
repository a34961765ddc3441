// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tsuji/clock/clock_domain.h"
#include "tsuji/host/library/software_times.h"
#include "tsuji/host/library/task_layout.h"
#include "tsuji/host/memory.h"
#include "tsuji/host/memory_service.h"
#include "tsuji/host/os_agent.h"
#include "tsuji/host/processor.h"
#include "tsuji/link/fault_injector.h"
#include "tsuji/machines/cenju4/node_parts.h"
#include "tsuji/network/crosspoint/crosspoint_network.h"
#include "tsuji/nic/nic_config.h"

namespace tsuji::machines {

/// Channels with a fault injector (rooms/link.md, Where the paper is silent, 3): those to the receivers, or
/// all.
enum class FaultyChannels : std::uint8_t { last, all };

/// A parallel job: the node of each of its ranks. Other jobs may have ranks on the same nodes.
using JobPlacement = std::vector<NodeId>;

/// Configuration of a machine of the Cenju-4's kind: the configurations of its parts. resolve() sets the
/// values that follow from other parts, such as a switch's ports and the sizes of the operating system's
/// buffers.
struct Cenju4Config {
  std::uint64_t clock_period_ps = 12500;           ///< 80 MHz
  network::CrosspointNetworkConfig network;        ///< Switches and stages of the network.
  nic::NicConfig nic;                              ///< Network interface of every node.
  host::MemoryConfig memory;                       ///< Main memory of every node.
  host::MemoryControllerConfig memory_controller;  ///< Memory controller of every node.
  host::ProcessorConfig processor;                 ///< Processor and cache of every node.
  host::OsConfig os;                               ///< operating system of every node, for a job on all nodes
  std::vector<JobPlacement> jobs;                  ///< nodes of each job; empty: one job on all nodes
  double time_slice_us = 1000;                     ///< time slice of jobs that share a node
  double task_switch_ns = 10000;  ///< time of a task switch, in addition to its register accesses
  host::LibraryConfig library;    ///< Algorithms and areas of the message library.
  host::SoftwareTimes software;   ///< Execution times of library and operating system.
  FaultInjectorConfig faults;     ///< Faults on channels.
  FaultyChannels faulty_channels = FaultyChannels::last;  ///< Channels with a fault injector.
  ProcessMode process_mode = ProcessMode::one_for_all;    ///< SystemC processes of the clocks.
  std::uint64_t shuffle_seed = 0;  ///< Seed of a random order of modules in each cycle; 0: fixed order.
  NodeParts parts;                 ///< custom parts of every node; set by programs, not by a key

  /// Sets the values that follow from other fields.
  void resolve();
  void validate() const;  ///< throws ConfigError
  /// Abilities of a network's switches.
  struct Abilities {
    bool multicasts = false;    ///< Switches copy packets to several outputs.
    bool synchronizes = false;  ///< Switches merge synchronizations and release their senders.
    bool combines = false;      ///< Switches combine the operands of synchronizations.
  };
  /// Throws ConfigError, with `problem`, if a collective of the library needs an ability that the
  /// network lacks.
  void check_library(const Abilities& network, const std::string& problem) const;
  /// Period of the machine's clock.
  ClockPeriod period() const { return ClockPeriod(clock_period_ps); }

  /// Number of jobs, at least 1.
  unsigned job_count() const { return jobs.empty() ? 1 : static_cast<unsigned>(jobs.size()); }
  /// Node of each rank of a job.
  JobPlacement placement(unsigned job) const;
  /// Rank that runs on a node.
  struct RankOnNode {
    unsigned job = 0;        ///< Number of the job.
    std::uint16_t rank = 0;  ///< Rank in the job.
    unsigned task = 0;       ///< Number of the task on its processor.
  };
  /// Ranks on a node, in the order of their jobs.
  std::vector<RankOnNode> ranks_on(NodeId node) const;
  /// Resources of a rank: cid 1 for the first job, 2 for the second, and so on; control-register sets in
  /// turn.
  host::OsTask os_task(const RankOnNode& rank) const;
  /// Layout of the library's areas of a rank, within the areas of the operating system.
  host::TaskLayout layout(const RankOnNode& rank, const host::TaskMemory& os) const;

 private:
  void validate_synchronizations() const;
  void validate_jobs() const;
  host::TaskLayout library_areas(unsigned rank, const JobPlacement& nodes, unsigned set) const;
};

}  // namespace tsuji::machines
