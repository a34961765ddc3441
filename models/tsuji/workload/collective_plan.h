// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tsuji/core/units.h"
#include "tsuji/workload/trace.h"

// Collective operations as a workload without a trace: which part of the data each rank sends to whom. The
// collectives of traces (collectives.h) move equal messages; these divide the data.

namespace tsuji::workload {

/// Consecutive chunks of a collective's data.
struct ChunkRange {
  std::uint32_t first = 0;
  std::uint32_t count = 0;  ///< 0: nothing
  bool operator==(const ChunkRange& other) const { return first == other.first && count == other.count; }
};

/// One step of one rank: it sends `sent` to rank `to` and receives `received` from rank `from`, both at once,
/// and the next step begins when both are done.
struct ChunkStep {
  std::uint32_t to = 0;  ///< valid if `sent` is not empty
  ChunkRange sent;
  std::uint32_t from = 0;  ///< valid if `received` is not empty
  ChunkRange received;
  bool combines = false;  ///< what is received is added to the rank's own values; else it replaces them
};
using ChunkSteps = std::vector<ChunkStep>;

/// Division of the data: into one chunk a rank, or into one chunk for each pair of ranks.
enum class ChunkDivision : std::uint8_t { ranks, pairs };

/// A collective operation with one of its algorithms.
struct PlannedCollective {
  const char* operation;
  const char* algorithm;
  /// Steps of one rank. In step i a rank exchanges with ranks that are in their step i.
  ChunkSteps (*steps)(std::uint32_t rank, std::uint32_t ranks);
  bool powers_of_two = false;  ///< the number of ranks must be a power of two
  ChunkDivision division = ChunkDivision::ranks;
};

/// All operations with their algorithms; the first one of an operation is its default.
const std::vector<PlannedCollective>& planned_collectives();

/// Configuration of a collective operation as a workload.
struct CollectiveLoad {
  std::string collective = "all_reduce";  ///< an operation of planned_collectives()
  std::string algorithm;                  ///< one of its algorithms; empty: the first one
  /// Bytes of a rank's data: what it holds at the end of an all-reduce, all-gather or broadcast, at the
  /// beginning of a reduce-scatter or all-to-all.
  std::uint64_t bytes = 1U << 16;
  unsigned ranks = 0;   ///< 0: one on each place of the machine
  unsigned rounds = 1;  ///< repetitions, one after the other

  /// Throws ConfigError for an unknown algorithm, or one that does not run on `of_ranks` ranks.
  const PlannedCollective& planned(unsigned of_ranks) const;
};

/// Bytes of chunk `chunk` for `ranks` ranks with `bytes` of data each: parts as equal as possible.
std::uint64_t chunk_bytes(std::uint64_t bytes, std::uint32_t ranks, std::uint32_t chunk);
/// Bytes of a range of chunks.
std::uint64_t range_bytes(std::uint64_t bytes, std::uint32_t ranks, const ChunkRange& range);

/// Bus bandwidth divided by algorithm bandwidth (bytes / time): the share of the data that crosses a rank's
/// link in the best algorithm, as NVIDIA's nccl-tests define it: 2 (n - 1) / n for an all-reduce, 1 for a
/// broadcast, (n - 1) / n for the others.
double bus_factor(const std::string& operation, unsigned ranks);

/// Times of one message on a machine without other traffic, in cycles.
struct MessageTimes {
  /// From the send to the receiver's reaction: alpha + beta x bytes.
  std::function<Cycle(std::uint32_t from, std::uint32_t to, std::uint64_t bytes)> arrives;
  /// For which the message occupies its sender's link: beta x bytes.
  std::function<Cycle(std::uint64_t bytes)> occupies;
  /// Largest message that is sent without a request (ReplayConfig::eager_bytes).
  std::uint64_t eager_bytes = 0;
};

/// Time of one round in the alpha-beta model, evaluated along the messages that wait for each other: each
/// message takes its MessageTimes, and a rank's messages leave one after the other. It lacks what messages of
/// different ranks do to each other on links that they share.
Cycle uncontended_cycles(const CollectiveLoad& load, unsigned ranks, const MessageTimes& times);

/// The operation on `ranks` ranks as a trace of point-to-point messages; parts without a byte are not sent.
Trace make_collective_trace(const CollectiveLoad& load, unsigned ranks);

}  // namespace tsuji::workload
