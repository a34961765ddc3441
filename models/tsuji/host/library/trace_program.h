// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tsuji/host/library/payload.h"
#include "tsuji/host/library/rank_program.h"
#include "tsuji/host/library/rank_runtime.h"
#include "tsuji/workload/message_numbers.h"
#include "tsuji/workload/trace.h"

namespace tsuji::host {

/// Breakdown of a rank's time in cycles. Software time is neither the application's computing nor waiting.
struct RankTimes {
  Cycle total = 0;
  Cycle compute = 0;
  Cycle waiting = 0;
  Cycle software() const { return total - compute - waiting; }
  Cycle roi_begin = never;  ///< Begin of the benchmark's own timed section; `never` if the trace marks none.
  Cycle roi_end = never;
};

/// Replays one rank of a trace on the message library. Every message's bytes are written before it is sent
/// and checked after it is received, and every sum is checked. Throws ModelError for a wrong byte and for
/// data that is not consumed at the end. `compute` of F flops takes F ns x `compute_scale` (1 flop = 1 ns of
/// the recording core). Init registers the group of all ranks. Finalize ends with a barrier, because a rank
/// that has left cannot answer.
class TraceProgram final : public RankProgram {
 public:
  /// Throws ConfigError if the numbers of ranks of the trace and the machine differ.
  TraceProgram(RankRuntime& runtime, const workload::Trace& trace, double compute_scale);

  void run() override;
  workload::RankState state() const override;
  const RankTimes& times() const { return times_; }
  std::size_t operations_done() const { return at_; }
  std::size_t operations() const { return ops_.size(); }
  /// Point-to-point messages that the message library has sent for this program.
  workload::MessageCount sent() const;
  /// Point-to-point messages that have been received and compared.
  const workload::MessageCount& received() const { return received_; }
  /// Digest of all data that the rank has received (Payload::digest()).
  std::uint64_t data_digest() const { return payload_.digest(); }

 private:
  struct Open {
    RequestId request = 0;
    bool receives = false;
    PayloadKey key;
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;  ///< Size of the buffer.
  };

  void play(const workload::TraceOp& op);
  Open start_send(const workload::TraceOp& op);
  Open start_receive(const workload::TraceOp& op);
  void finish(const Open& open);
  void wait(const workload::TraceOp& op);
  void wait_all();
  void compute(std::uint64_t flops);
  void broadcast(std::uint64_t bytes, std::uint32_t root);
  void reduce(const workload::TraceOp& op);
  void all_to_all(const workload::TraceOp& op);
  /// Allocates a block for each rank, of sizes[r] bytes or `each` bytes; returns the address of the
  /// allocation.
  std::uint64_t lay_out(std::vector<Block>& blocks, const std::uint32_t* sizes, std::uint64_t each);
  void finalize();

  RankRuntime& runtime_;
  const workload::Trace& trace_;
  const workload::RankOps& ops_;
  const double compute_scale_;
  Payload payload_;
  workload::MessageNumbers numbers_sent_, numbers_received_;
  std::vector<Open> open_;
  std::vector<Block> out_, in_;  ///< Blocks of an all-to-all.
  std::uint32_t collective_ = 0;
  const workload::MessageCount sent_before_;
  workload::MessageCount received_;
  std::size_t at_ = 0;
  bool finished_ = false;
  RankTimes times_;
};

}  // namespace tsuji::host
