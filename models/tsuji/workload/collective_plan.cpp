// SPDX-License-Identifier: Apache-2.0
#include "tsuji/workload/collective_plan.h"

#include <algorithm>
#include <utility>

#include "tsuji/core/error.h"
#include "tsuji/workload/double_tree.h"
#include "tsuji/workload/npb/skeleton.h"

namespace tsuji::workload {
namespace {

void append(ChunkSteps& steps, const ChunkSteps& more) {
  steps.insert(steps.end(), more.begin(), more.end());
}

/// Rank or chunk at `distance` below `at` in a ring.
std::uint32_t below(std::uint32_t at, std::uint32_t distance, std::uint32_t ranks) {
  return (at + 2 * ranks - distance % ranks) % ranks;
}

ChunkStep around_ring(std::uint32_t rank, std::uint32_t ranks, std::uint32_t sent) {
  ChunkStep step;
  step.to = (rank + 1) % ranks;
  step.from = below(rank, 1, ranks);
  step.sent = {sent, 1};
  step.received = {below(sent, 1, ranks), 1};
  return step;
}

/// A chunk goes round the ring and collects all values, until it is at its rank.
ChunkSteps ring_reduce_scatter(std::uint32_t rank, std::uint32_t ranks) {
  ChunkSteps steps;
  for (std::uint32_t round = 1; round < ranks; ++round) {
    steps.push_back(around_ring(rank, ranks, below(rank, round, ranks)));
    steps.back().combines = true;
  }
  return steps;
}

ChunkSteps ring_all_gather(std::uint32_t rank, std::uint32_t ranks) {
  ChunkSteps steps;
  for (std::uint32_t round = 0; round + 1 < ranks; ++round)
    steps.push_back(around_ring(rank, ranks, below(rank, round, ranks)));
  return steps;
}

ChunkSteps ring_all_reduce(std::uint32_t rank, std::uint32_t ranks) {
  ChunkSteps steps = ring_reduce_scatter(rank, ranks);
  append(steps, ring_all_gather(rank, ranks));
  return steps;
}

/// Exchange with the rank whose number differs in the bit `distance`.
ChunkStep with_partner(std::uint32_t rank, std::uint32_t distance, const ChunkRange& sent,
                       const ChunkRange& received) {
  ChunkStep step;
  step.to = step.from = rank ^ distance;
  step.sent = sent;
  step.received = received;
  return step;
}

/// Recursive halving: partners at falling distances each take over one half of the chunks that both hold.
ChunkSteps halving_reduce_scatter(std::uint32_t rank, std::uint32_t ranks) {
  ChunkSteps steps;
  for (std::uint32_t distance = ranks / 2; distance > 0; distance /= 2) {
    const std::uint32_t own = rank & ~(distance - 1);
    steps.push_back(with_partner(rank, distance, {own ^ distance, distance}, {own, distance}));
    steps.back().combines = true;
  }
  return steps;
}

/// Recursive doubling: partners at rising distances exchange all chunks that they hold.
ChunkSteps doubling_all_gather(std::uint32_t rank, std::uint32_t ranks) {
  ChunkSteps steps;
  for (std::uint32_t distance = 1; distance < ranks; distance *= 2) {
    const std::uint32_t own = rank & ~(distance - 1);
    steps.push_back(with_partner(rank, distance, {own, distance}, {own ^ distance, distance}));
  }
  return steps;
}

/// Rabenseifner's algorithm.
ChunkSteps halving_doubling(std::uint32_t rank, std::uint32_t ranks) {
  ChunkSteps steps = halving_reduce_scatter(rank, ranks);
  append(steps, doubling_all_gather(rank, ranks));
  return steps;
}

/// Partners at rising distances exchange and combine all data.
ChunkSteps doubling_all_reduce(std::uint32_t rank, std::uint32_t ranks) {
  ChunkSteps steps;
  for (std::uint32_t distance = 1; distance < ranks; distance *= 2) {
    steps.push_back(with_partner(rank, distance, {0, ranks}, {0, ranks}));
    steps.back().combines = true;
  }
  return steps;
}

/// Rounds of a binomial tree with rank 0 as its root; a rank that has no message in a round has an empty
/// step. In a round, ranks whose number has no bit below `distance` take part.
template <class Make>
ChunkSteps tree_round(std::uint32_t rank, std::uint32_t ranks, std::uint32_t distance, const Make& make) {
  if (rank % distance != 0) return {ChunkStep{}};
  const bool upper = rank % (2 * distance) != 0;
  if (!upper && rank + distance >= ranks) return {ChunkStep{}};
  return {make(upper, upper ? rank - distance : rank + distance)};
}

std::uint32_t distance_of_root(std::uint32_t ranks) {
  std::uint32_t distance = 1;
  while (2 * distance < ranks) distance *= 2;
  return distance;
}

ChunkStep sends(std::uint32_t to, const ChunkRange& range) {
  ChunkStep step;
  step.to = to;
  step.sent = range;
  return step;
}

ChunkStep receives(std::uint32_t from, const ChunkRange& range) {
  ChunkStep step;
  step.from = from;
  step.received = range;
  return step;
}

ChunkSteps binomial_broadcast_all(std::uint32_t rank, std::uint32_t ranks) {
  ChunkSteps steps;
  for (std::uint32_t distance = distance_of_root(ranks); ranks > 1 && distance > 0; distance /= 2) {
    append(steps, tree_round(rank, ranks, distance, [ranks](bool upper, std::uint32_t peer) {
             return upper ? receives(peer, {0, ranks}) : sends(peer, {0, ranks});
           }));
  }
  return steps;
}

/// Binomial tree to rank 0, and back.
ChunkSteps binomial_all_reduce(std::uint32_t rank, std::uint32_t ranks) {
  ChunkSteps steps;
  for (std::uint32_t distance = 1; distance < ranks; distance *= 2) {
    append(steps, tree_round(rank, ranks, distance, [ranks](bool upper, std::uint32_t peer) {
             ChunkStep step = upper ? sends(peer, {0, ranks}) : receives(peer, {0, ranks});
             step.combines = true;
             return step;
           }));
  }
  append(steps, binomial_broadcast_all(rank, ranks));
  return steps;
}

/// Van de Geijn's algorithm: a binomial tree scatters the chunks, a ring gathers them.
ChunkSteps scatter_ring_broadcast(std::uint32_t rank, std::uint32_t ranks) {
  ChunkSteps steps;
  for (std::uint32_t distance = ranks / 2; distance > 0; distance /= 2) {
    append(steps, tree_round(rank, ranks, distance, [rank, distance](bool upper, std::uint32_t peer) {
             return upper ? receives(peer, {rank, distance}) : sends(peer, {peer, distance});
           }));
  }
  append(steps, ring_all_gather(rank, ranks));
  return steps;
}

/// In round k each rank sends to the rank k above it.
ChunkSteps staggered_exchange(std::uint32_t rank, std::uint32_t ranks) {
  ChunkSteps steps;
  for (std::uint32_t round = 1; round < ranks; ++round) {
    const std::uint32_t to = (rank + round) % ranks, from = below(rank, round, ranks);
    ChunkStep step = sends(to, {rank * ranks + to, 1});
    step.from = from;
    step.received = {from * ranks + rank, 1};
    steps.push_back(step);
  }
  return steps;
}

/// In round k each rank exchanges with the rank whose number differs by the bits of k.
ChunkSteps pairwise_exchange(std::uint32_t rank, std::uint32_t ranks) {
  ChunkSteps steps;
  for (std::uint32_t round = 1; round < ranks; ++round) {
    const std::uint32_t peer = rank ^ round;
    steps.push_back(with_partner(rank, round, {rank * ranks + peer, 1}, {peer * ranks + rank, 1}));
  }
  return steps;
}

bool is_power_of_two(unsigned number) {
  return number != 0 && (number & (number - 1)) == 0;
}

/// Steps with equal peers and bytes, one after the other; 0 bytes: nothing.
struct SizedSteps {
  std::uint32_t to, from;
  std::uint64_t out, in;
  std::size_t steps = 1;
  bool continues(const SizedSteps& other) const {
    return to == other.to && from == other.from && out == other.out && in == other.in;
  }
};

/// Steps of one rank. A ring of thousands of ranks has thousands of steps; as chunks have one of two sizes,
/// and the longer ones are neighbours, few differ from the one before.
std::vector<SizedSteps> sized_steps(const CollectiveLoad& load, const PlannedCollective& planned,
                                    std::uint32_t rank, std::uint32_t ranks) {
  std::vector<SizedSteps> sized;
  for (const ChunkStep& step : planned.steps(rank, ranks)) {
    const SizedSteps next{step.to, step.from, range_bytes(load.bytes, ranks, step.sent),
                          range_bytes(load.bytes, ranks, step.received)};
    if (!sized.empty() && next.continues(sized.back())) {
      ++sized.back().steps;
    } else {
      sized.push_back(next);
    }
  }
  sized.shrink_to_fit();
  return sized;
}

/// Reads the steps of one rank in their order.
class StepReader {
 public:
  explicit StepReader(std::vector<SizedSteps> steps) : steps_(std::move(steps)) {}
  bool any() const { return at_ < steps_.size(); }
  const SizedSteps& next() {
    const SizedSteps& step = steps_[at_];
    if (++done_ == step.steps) ++at_, done_ = 0;
    return step;
  }

 private:
  std::vector<SizedSteps> steps_;
  std::size_t at_ = 0, done_ = 0;
};

std::string algorithms_of(const std::string& operation) {
  std::string names;
  for (const PlannedCollective& one : planned_collectives())
    if (operation == one.operation) names += (names.empty() ? "" : " ") + std::string(one.algorithm);
  return names;
}

}  // namespace

const std::vector<PlannedCollective>& planned_collectives() {
  // One more algorithm is one function above and one line here.
  static const std::vector<PlannedCollective> table = {
      {"all_reduce", "ring", ring_all_reduce},
      {"all_reduce", "halving_doubling", halving_doubling, true},
      {"all_reduce", "recursive_doubling", doubling_all_reduce, true},
      {"all_reduce", "binomial", binomial_all_reduce},
      {"all_reduce", "double_tree", double_tree_all_reduce},
      {"reduce_scatter", "ring", ring_reduce_scatter},
      {"reduce_scatter", "recursive_halving", halving_reduce_scatter, true},
      {"all_gather", "ring", ring_all_gather},
      {"all_gather", "recursive_doubling", doubling_all_gather, true},
      {"broadcast", "binomial", binomial_broadcast_all},
      {"broadcast", "scatter_ring", scatter_ring_broadcast, true},
      {"all_to_all", "staggered", staggered_exchange, false, ChunkDivision::pairs},
      {"all_to_all", "pairwise", pairwise_exchange, true, ChunkDivision::pairs},
  };
  return table;
}

const PlannedCollective& CollectiveLoad::planned(unsigned of_ranks) const {
  for (const PlannedCollective& one : planned_collectives()) {
    if (collective != one.operation || (!algorithm.empty() && algorithm != one.algorithm)) continue;
    if (one.powers_of_two && !is_power_of_two(of_ranks))
      throw ConfigError("workload.collective_algorithm", algorithm,
                        "runs on a power of two of ranks, and there are " + std::to_string(of_ranks),
                        "another algorithm of " + collective + " (" + algorithms_of(collective) +
                            "), or workload.collective_ranks");
    return one;
  }
  if (algorithm == "in_network")
    throw ConfigError("workload.collective_algorithm", algorithm,
                      "no switch of this network combines what passes through it",
                      algorithms_of(collective) + ", or platform cenju4 with library.all_reduce in_network");
  throw ConfigError("workload.collective_algorithm", algorithm, "unknown algorithm of " + collective,
                    algorithms_of(collective));
}

std::uint64_t chunk_bytes(std::uint64_t bytes, std::uint32_t ranks, std::uint32_t chunk) {
  return bytes / ranks + (chunk % ranks < bytes % ranks ? 1 : 0);
}

std::uint64_t range_bytes(std::uint64_t bytes, std::uint32_t ranks, const ChunkRange& range) {
  std::uint64_t sum = 0;
  for (std::uint32_t chunk = 0; chunk < range.count; ++chunk)
    sum += chunk_bytes(bytes, ranks, range.first + chunk);
  return sum;
}

double bus_factor(const std::string& operation, unsigned ranks) {
  const double others = (ranks - 1.0) / ranks;
  return operation == "broadcast" ? 1 : operation == "all_reduce" ? 2 * others : others;
}

Cycle uncontended_cycles(const CollectiveLoad& load, unsigned ranks, const MessageTimes& times) {
  const PlannedCollective& planned = load.planned(ranks);
  std::vector<StepReader> steps;
  for (unsigned rank = 0; rank < ranks; ++rank) steps.emplace_back(sized_steps(load, planned, rank, ranks));
  std::vector<Cycle> ready(ranks), link_free(ranks);
  while (steps[0].any()) {
    std::vector<Cycle> done = ready;
    for (unsigned rank = 0; rank < ranks; ++rank) {
      const SizedSteps& step = steps[rank].next();
      const std::uint64_t bytes = step.out;
      if (bytes == 0) continue;
      const bool asks = bytes > times.eager_bytes;
      Cycle begins = std::max(ready[rank], link_free[rank]);
      if (asks) {
        const Cycle asked = std::max(begins + times.arrives(rank, step.to, 0), ready[step.to]);
        begins = asked + times.arrives(step.to, rank, 0);
        done[rank] = std::max(done[rank], begins + times.occupies(bytes));
      }
      link_free[rank] = begins + times.occupies(bytes);
      done[step.to] = std::max(done[step.to], begins + times.arrives(rank, step.to, bytes));
    }
    ready.swap(done);
  }
  return *std::max_element(ready.begin(), ready.end());
}

Trace make_collective_trace(const CollectiveLoad& load, unsigned ranks) {
  const PlannedCollective& planned = load.planned(ranks);
  npb::Skeleton skeleton(ranks, 1);
  skeleton.each_rank([&](npb::RankWriter& writer) {
    // Messages of two ranks are received in the order in which they are sent: one tag is enough.
    writer.repeat(load.rounds, [&] {
      for (const SizedSteps& step : sized_steps(load, planned, writer.rank(), ranks)) {
        if (step.in == 0 && step.out == 0) continue;
        writer.repeat(step.steps, [&] {
          if (step.in != 0) writer.irecv(step.from, 0, step.in);
          if (step.out != 0) writer.isend(step.to, 0, step.out);
          writer.wait_all();
        });
      }
    });
  });
  Trace trace = skeleton.take();
  trace.key = "workload.collective_ranks";
  return trace;
}

}  // namespace tsuji::workload
