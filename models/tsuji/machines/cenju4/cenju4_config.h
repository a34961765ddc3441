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

/// Which channels a fault injector sits on (README.md, Where the paper is silent, 1).
enum class FaultyChannels : std::uint8_t { last, all };

/// A parallel job: the node of each of its ranks. Other jobs may have ranks on the same nodes.
using JobPlacement = std::vector<NodeId>;

/// A Cenju-4 style machine. Every part's own configuration with its defaults; what follows from another part
/// (a switch's ports, the sizes of the operating system's buffers) is filled in by resolve().
struct Cenju4Config {
  std::uint64_t clock_period_ps = 12500;           ///< 80 MHz
  network::CrosspointNetworkConfig network;        ///< Switches and stages of the network.
  nic::NicConfig nic;                              ///< Network interface of every node.
  host::MemoryConfig memory;                       ///< Main memory of every node.
  host::MemoryControllerConfig memory_controller;  ///< Memory controller of every node.
  host::ProcessorConfig processor;                 ///< Processor and cache of every node.
  host::OsConfig os;                               ///< of a job on all nodes
  std::vector<JobPlacement> jobs;                  ///< empty: one, on all nodes
  double time_slice_us = 1000;                     ///< of jobs that share a node
  double task_switch_ns = 10000;                   ///< of the operating system, beside its register accesses
  host::LibraryConfig library;                     ///< Algorithms and areas of the message library.
  host::SoftwareTimes software;                    ///< Execution times of library and operating system.
  FaultInjectorConfig faults;                      ///< Faults on channels.
  FaultyChannels faulty_channels = FaultyChannels::last;  ///< Channels with a fault injector.
  ProcessMode process_mode = ProcessMode::one_for_all;    ///< SystemC processes of the clocks.
  std::uint64_t shuffle_seed = 0;  ///< Seed of a random order of modules in each cycle; 0: fixed order.
  NodeParts parts;                 ///< of every node; no key

  /// Fills in what follows from other fields.
  void resolve();
  void validate() const;  ///< throws ConfigError
  /// Abilities of a network's switches.
  struct Abilities {
    bool multicasts = false;    ///< Switches copy packets to several outputs.
    bool synchronizes = false;  ///< Switches merge synchronizations and release their senders.
  };
  /// ConfigError, with `problem`, for a barrier or broadcast of the library that needs an ability that the
  /// network lacks.
  void check_library(const Abilities& network, const std::string& problem) const;
  /// Period of the machine's clock.
  ClockPeriod period() const { return ClockPeriod(clock_period_ps); }

  /// Number of jobs, at least 1.
  unsigned job_count() const { return jobs.empty() ? 1 : static_cast<unsigned>(jobs.size()); }
  /// Node of each rank of a job.
  JobPlacement placement(unsigned job) const;
  /// A rank that a node has. `task` is its number on its processor.
  struct RankOnNode {
    unsigned job = 0;        ///< Number of the job.
    std::uint16_t rank = 0;  ///< Rank in the job.
    unsigned task = 0;       ///< Number of the task on its processor.
  };
  /// In the order of their jobs.
  std::vector<RankOnNode> ranks_on(NodeId node) const;
  /// Resources that the operating system gives this rank: cid 1 for the first job, 2 for the second;
  /// control-register sets in turn.
  host::OsTask os_task(const RankOnNode& rank) const;
  /// The library's areas of this rank, in the operating system's.
  host::TaskLayout layout(const RankOnNode& rank, const host::TaskMemory& os) const;

 private:
  void validate_synchronizations() const;
  void validate_jobs() const;
  host::TaskLayout library_areas(unsigned rank, const JobPlacement& nodes, unsigned set) const;
};

}  // namespace tsuji::machines
