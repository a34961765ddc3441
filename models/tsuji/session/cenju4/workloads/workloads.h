// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "tsuji/host/library/dma_program.h"
#include "tsuji/host/library/ping_pong.h"
#include "tsuji/platform/cenju4_job.h"
#include "tsuji/session/cenju4/cenju4_workloads.h"
#include "tsuji/workload/npb/npb.h"
#include "tsuji/workload/trace.h"

/// Workloads that are used by other workloads.
namespace tsuji::session {

/// ConfigError for a number of bytes that is not a multiple of `unit`.
void require_whole_words(const char* key, std::uint64_t bytes, unsigned unit);
/// ConfigError for a node that the machine does not have.
void require_node(const char* key, unsigned node, const machines::Cenju4Config& machine);
/// ConfigError for more nodes than the machine has.
void require_nodes(const char* key, unsigned nodes, const machines::Cenju4Config& machine);

/// Adds workload.rounds.
void add_rounds_key(config::KeyTable& keys, std::uint64_t& rounds);

/// Largest value of of(program) over the first `ranks` ranks of a job.
template <class Program, class Of>
auto most_of(const platform::Cenju4Job& job, unsigned ranks, Of of) {
  auto most = of(job.program<Program>(0));
  for (unsigned rank = 1; rank < ranks; ++rank) most = std::max(most, of(job.program<Program>(rank)));
  return most;
}

/// A trace on all nodes.
struct WholeTrace : Cenju4Workload {
  std::string trace;
  workload::NpbConfig npb;     ///< a benchmark instead of `trace`, if its name is not empty
  double compute_scale = 1.0;  ///< factor on the trace's compute times

  void add_keys(config::KeyTable& keys) override;
  void validate_with(const machines::Cenju4Config& machine) const override;
  void place(machines::Cenju4Config& machine) override;
  void play(Cenju4Phases& phases) override;

 protected:
  workload::TraceLimits limits(const machines::Cenju4Config& machine) const;
  platform::Cenju4Job::MakeProgram program_of(const workload::Trace& played) const;
  void report(Cenju4Phases& phases) const;

  workload::Trace loaded_;
};

/// A trace with rank 0 on `first_node` and the other ranks on the nodes after it.
struct PlacedTrace : WholeTrace {
  unsigned first_node = 0;

  void add_keys(config::KeyTable& keys) override;
  void place(machines::Cenju4Config& machine) override;
};

struct DmaWorkload final : Cenju4Workload {
  std::uint64_t bytes = 512 * 1024;
  unsigned source = 0, destination = 1;
  std::uint64_t source_offset = 0, destination_offset = 0;
  bool returns = false;
  host::DmaProtocol protocol = host::DmaProtocol::remote_dma;

  void add_keys(config::KeyTable& keys) override;
  void validate_with(const machines::Cenju4Config& machine) const override;
  void play(Cenju4Phases& phases) override;

 private:
  host::DmaProgram::Config program() const;
};

struct MulticastWorkload final : Cenju4Workload {
  std::uint64_t bytes = 256;

  void add_keys(config::KeyTable& keys) override;
  void validate_with(const machines::Cenju4Config& machine) const override;
  void play(Cenju4Phases& phases) override;
};

struct BarrierWorkload final : Cenju4Workload {
  /// The library's barrier, or that of a group.
  enum class Method : std::uint8_t {
    library,
    all_to_all,
    binary_tree,
    atomic_add,
    multicast_add,
    synchronization
  };
  std::uint64_t rounds = 1;
  Method method = Method::library;
  unsigned members = 0;  ///< size of the group; 0: all nodes

  void add_keys(config::KeyTable& keys) override;
  void validate_with(const machines::Cenju4Config& machine) const override;
  void play(Cenju4Phases& phases) override;

 private:
  double cycles_of_group(Cenju4Phases& phases) const;
};

struct PingPongWorkload final : Cenju4Workload {
  std::uint64_t message_bytes = 8;
  std::uint64_t rounds = 4;
  host::MessageData data = host::MessageData::dirty;
  std::uint64_t source_offset = 0;  ///< offset in a cache line
  bool system_call = false;

  void add_keys(config::KeyTable& keys) override;
  void validate_with(const machines::Cenju4Config& machine) const override;
  void play(Cenju4Phases& phases) override;

 private:
  void play_layer(host::PingPong::Layer layer, const std::string& name, const std::string& paper,
                  Cenju4Phases& phases) const;
};

}  // namespace tsuji::session
