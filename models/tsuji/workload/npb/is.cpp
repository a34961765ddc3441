// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "tsuji/workload/npb/benchmark.h"
#include "tsuji/workload/npb/random_46.h"

// Integer sort: ranks the same keys ten times. Each rank counts its keys in buckets, all add up the counts,
// deal the buckets out in the order of keys so that every rank gets about as many keys, exchange the
// numbers of keys, and send the keys. These numbers depend on the keys, which are defined to the bit
// (RNR-94-007): sums of four numbers of the suite's generator. So the keys are generated and counted here,
// too.

namespace tsuji::workload::npb {
namespace {

struct Size {
  unsigned keys_log2, largest_key_log2, buckets_log2;
  unsigned most_ranks;  ///< as the benchmark was verified
};

Size size_of(char size_class) {
  return of_class<Size>(
      size_class,
      {{{16, 11, 9, 128}, {20, 16, 10, 1024}, {23, 19, 10, 1024}, {25, 21, 10, 1024}, {27, 23, 10, 1024}}});
}

constexpr unsigned iterations = 10;
constexpr unsigned test_keys = 5;
constexpr std::int32_t verify_tag = 1000;
/// Published for class A: 0.7812 x 10^9 operations for ten times 2^23 keys (RNR-94-007).
constexpr double flops_a_key = 0.7812e9 / (10.0 * (1U << 23));
/// Counting and moving into buckets, of the operations on a key; the rest is ranking what has come.
constexpr double bucket_share = 2.0 / 3.0;

unsigned steps(char) {
  return iterations;
}

std::vector<unsigned> rank_counts(char size_class) {
  return powers_of_two(size_of(size_class).most_ranks);
}

using Counts = std::vector<std::uint32_t>;

/// Number of each rank's keys in each bucket.
class Buckets {
 public:
  Buckets(const Size& size, unsigned ranks)
      : size_(size),
        keys_a_rank_((1U << size.keys_log2) / ranks),
        counts_(ranks, Counts(1U << size.buckets_log2)) {
    constexpr std::uint64_t seed = 314159265, multiplier = 1220703125;
    Random46 random(seed, multiplier);
    first_keys_.reserve(2 * iterations + 1);
    for (Counts& counts : counts_) {
      for (std::uint32_t i = 0; i < keys_a_rank_; ++i) {
        std::uint64_t sum = 0;
        for (int part = 0; part < 4; ++part) sum += random.next();
        // A quarter of the largest key, times the sum of fractions.
        const auto key = static_cast<std::uint32_t>(sum >> (Random46::bits + 2 - size.largest_key_log2));
        ++counts[bucket(key)];
        if (&counts == &counts_[0] && i <= 2 * iterations) first_keys_.push_back(key);
      }
    }
  }

  /// Every iteration overwrites two keys of the first rank, so that no iteration repeats the previous
  /// problem.
  void change_keys(unsigned iteration) {
    change(iteration, iteration);
    change(iteration + iterations, (1U << size_.largest_key_log2) - iteration);
  }

  /// Keys from every rank (first index) to every rank: whole buckets to one rank until it and those before it
  /// have as many as they had in the beginning.
  std::vector<Counts> keys_sent() const {
    const std::size_t ranks = counts_.size();
    std::vector<Counts> sent(ranks, Counts(ranks));
    std::uint64_t total = 0;
    std::size_t to = 0;
    for (std::size_t b = 0; b < counts_[0].size(); ++b) {
      for (std::size_t from = 0; from < ranks; ++from) {
        sent[from][to] += counts_[from][b];
        total += counts_[from][b];
      }
      if (total >= (to + 1) * std::uint64_t{keys_a_rank_} && to + 1 < ranks) ++to;
    }
    return sent;
  }

 private:
  std::uint32_t bucket(std::uint32_t key) const {
    return key >> (size_.largest_key_log2 - size_.buckets_log2);
  }
  void change(unsigned at, std::uint32_t key) {
    --counts_[0][bucket(first_keys_[at])];
    first_keys_[at] = key;
    ++counts_[0][bucket(key)];
  }

  const Size size_;
  const std::uint32_t keys_a_rank_;
  std::vector<Counts> counts_;  ///< by rank, by bucket
  Counts first_keys_;           ///< of the first rank, as many as are changed
};

/// Where each rank's counts of each iteration are in the trace; what does not change is stored once.
std::vector<std::vector<std::uint64_t>> add_counts(const Problem& problem, Skeleton& skeleton) {
  Buckets buckets(size_of(problem.size_class), problem.ranks);
  std::vector<std::vector<std::uint64_t>> places(problem.ranks);
  std::vector<Counts> last_to(problem.ranks), last_from(problem.ranks);
  for (unsigned iteration = 1; iteration <= problem.steps; ++iteration) {
    buckets.change_keys(iteration);
    std::vector<Counts> sent = buckets.keys_sent();
    for (Counts& counts : sent) {
      for (std::uint32_t& count : counts) count *= int_bytes;
    }
    for (unsigned rank = 0; rank < problem.ranks; ++rank) {
      Counts from;
      for (const Counts& counts : sent) from.push_back(counts[rank]);
      if (iteration > 1 && sent[rank] == last_to[rank] && from == last_from[rank]) {
        places[rank].push_back(places[rank].back());
        continue;
      }
      places[rank].push_back(skeleton.add_counts(sent[rank], from));
      last_to[rank] = sent[rank];
      last_from[rank] = from;
    }
  }
  return places;
}

void write(const Problem& problem, Skeleton& skeleton) {
  const Size size = size_of(problem.size_class);
  const std::vector<std::vector<std::uint64_t>> counts = add_counts(problem, skeleton);
  const double flops = flops_a_key * (1U << size.keys_log2) / problem.ranks;
  skeleton.each_rank([&](RankWriter& out) {
    const unsigned rank = out.rank();
    const auto iteration = [&](std::uint64_t exchanged) {
      out.compute(flops * bucket_share);
      out.allreduce(((1U << size.buckets_log2) + test_keys) * int_bytes);
      out.alltoall(int_bytes);
      out.alltoallv(exchanged);
      out.compute(flops * (1 - bucket_share));
    };
    out.bcast(int_bytes);
    iteration(counts[rank][0]);  // untimed, to touch all memory
    out.roi_begin();
    for (const std::uint64_t exchanged : counts[rank]) iteration(exchanged);
    out.roi_end();
    out.reduce(double_bytes);
    // Is my first key not below the last one of the rank before me?
    if (rank > 0) out.irecv(rank - 1, verify_tag, int_bytes);
    if (rank + 1 < problem.ranks) out.send(rank + 1, verify_tag, int_bytes);
    if (rank > 0) out.wait_received(rank - 1, verify_tag);
    out.reduce(int_bytes);
  });
}

}  // namespace

Benchmark is() {
  return {"is", steps, rank_counts, write};
}

}  // namespace tsuji::workload::npb
