// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "tsuji/host/library/collective_program.h"
#include "tsuji/host/library/dma_program.h"
#include "tsuji/host/library/exchange_program.h"
#include "tsuji/host/library/group_barrier.h"
#include "tsuji/host/library/ping_pong.h"
#include "tsuji/workload/npb/npb.h"

namespace tsuji::platform {

enum class WorkloadKind : std::uint8_t {
  demo,
  trace,
  jobs,
  dma,
  multicast,
  barrier,
  ping_pong,
  exchange,
  collective,
  protocols,
  boot,
  synthetic
};

/// Barrier of the workload of that name: the library's, or one of a group.
enum class BarrierWorkload : std::uint8_t {
  library,
  all_to_all,
  binary_tree,
  atomic_add,
  multicast_add,
  synchronization
};

/// Workload of the machine.
struct WorkloadConfig {
  WorkloadKind kind = WorkloadKind::demo;
  std::string trace;        ///< demo, trace
  workload::NpbConfig npb;  ///< its name not empty: in the place of `trace`
  unsigned first_node = 0;  ///< trace, jobs: of its rank 0; the others follow
  std::string other_trace;  ///< jobs: the second one's
  unsigned other_first_node = 0;
  double compute_scale = 1.0;            ///< stretches a trace's compute times
  std::uint64_t dma_bytes = 512 * 1024;  ///< demo, dma: a multiple of 4
  unsigned dma_source = 0, dma_destination = 1;
  std::uint64_t dma_source_offset = 0, dma_destination_offset = 0;  ///< multiples of 4
  bool dma_returns = false;
  host::DmaProtocol dma_protocol = host::DmaProtocol::remote_dma;
  std::uint64_t multicast_bytes = 256;  ///< demo, multicast: a multiple of 8
  std::uint64_t barrier_rounds = 1;     ///< demo, barrier
  BarrierWorkload barrier_method = BarrierWorkload::library;
  unsigned barrier_members = 0;     ///< of a group; 0: all nodes
  std::uint64_t message_bytes = 8;  ///< demo, ping_pong: a multiple of 8
  std::uint64_t ping_pong_rounds = 4;
  host::MessageData message_data = host::MessageData::dirty;
  std::uint64_t source_offset = 0;  ///< in a cache line, a multiple of 8
  bool system_call = false;
  host::ExchangeProgram::Config exchange;
  host::CollectiveProgram::Config collective;
  std::uint64_t rounds = 1;  ///< exchange, collective
};

}  // namespace tsuji::platform
