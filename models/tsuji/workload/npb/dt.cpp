// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "tsuji/workload/npb/benchmark.h"
#include "tsuji/workload/npb/random_46.h"

// Data traffic: arrays flow through a graph, a node a rank. Sources make an array each; a node in the middle
// takes all that come in, filters each into its own and passes that on; sinks check their arrays and report
// to rank 0. Black hole: a tree of degree 4 from many sources to one sink; white hole: the same tree
// backwards; shuffle: a butterfly.

namespace tsuji::workload::npb {
namespace {

/// Arc between two nodes of a graph; sources have the first numbers, sinks the last. An arc's number is the
/// tag of its messages.
struct Arc {
  unsigned from, to;
};
struct Graph {
  unsigned nodes = 0;
  std::vector<Arc> arcs;
  std::vector<std::vector<unsigned>> in, out;  ///< the arcs of each node

  void add_arc(unsigned from, unsigned to) {
    arcs.push_back({from, to});
    nodes = std::max(nodes, std::max(from, to) + 1);
  }
  void connect() {
    in.resize(nodes);
    out.resize(nodes);
    for (unsigned arc = 0; arc < arcs.size(); ++arc) {
      out[arcs[arc].from].push_back(arc);
      in[arcs[arc].to].push_back(arc);
    }
  }
};

struct Size {
  unsigned width;      ///< sources of a black hole, sinks of a white one, nodes of a layer of a shuffle
  unsigned samples;    ///< of an array in the mean
  unsigned deviation;  ///< of a source's from the mean at most
};

Size size_of(char size_class) {
  return of_class<Size>(
      size_class,
      {{{4, 1728, 128}, {8, 13824, 256}, {16, 110592, 512}, {32, 884736, 1024}, {64, 7077888, 2048}}});
}

constexpr unsigned degree = 4;
constexpr unsigned values_a_sample = 4;

Graph black_hole(unsigned width) {
  Graph graph;
  unsigned layer = 0;  // its first node
  for (unsigned size = width; size > 1;) {
    const unsigned next = std::max(1U, size / degree);
    for (unsigned node = 0; node < size; ++node)
      graph.add_arc(layer + node, layer + size + node * next / size);
    layer += size;
    size = next;
  }
  return graph;
}

Graph white_hole(unsigned width) {
  const Graph forward = black_hole(width);
  Graph graph;
  for (auto arc = forward.arcs.rbegin(); arc != forward.arcs.rend(); ++arc)
    graph.add_arc(forward.nodes - 1 - arc->to, forward.nodes - 1 - arc->from);
  return graph;
}

/// Layer by layer, node i has arcs from i and from i with one bit flipped, the lowest bit first.
Graph shuffle(unsigned width) {
  Graph graph;
  for (unsigned layer = 0; layer < log2_of(width); ++layer) {
    for (unsigned node = 0; node < width; ++node) {
      const unsigned flipped = node ^ (1U << layer);
      for (const unsigned from : {std::min(node, flipped), std::max(node, flipped)})
        graph.add_arc(layer * width + from, (layer + 1) * width + node);
    }
  }
  return graph;
}

/// base^exponent mod modulus with the products of 32-bit integers wrapping around, sign included: it defines
/// sizes.
std::int32_t wrapping_power(std::int32_t base, unsigned exponent, std::int32_t modulus) {
  const auto product = [&](std::int32_t a, std::int32_t b) {
    const auto wide = static_cast<std::uint64_t>(std::int64_t{a} * b);
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(wide)) % modulus;
  };
  std::int32_t result = 1;
  for (; exponent > 1; exponent /= 2) {
    if (exponent % 2 == 1) result = product(result, base);
    base = product(base, base);
  }
  return product(result, base);
}

/// Samples of a source's array: around the mean by a number that depends on the source.
unsigned source_samples(const Size& size, unsigned node) {
  const std::uint64_t odd = 2 * node + 1;
  Random46 random(314159265, odd);
  const std::uint64_t inverse = (std::uint64_t{1} << Random46::bits) / random.next();
  const std::int32_t offset =
      wrapping_power(static_cast<std::int32_t>(inverse * 'S'), static_cast<unsigned>(odd),
                     static_cast<std::int32_t>(2 * size.deviation));
  return size.samples - size.deviation + static_cast<unsigned>(std::abs(offset));
}

// No operations are published for this benchmark; these are ours, for a value of an array.
constexpr double source_flops = 4, filter_flops = 10, check_flops = 2;

class Nodes {
 public:
  Nodes(const Size& size, Graph graph) : graph_(std::move(graph)) {
    graph_.connect();
    for (unsigned node = 0; node < graph_.nodes; ++node) values_.push_back(values(size, node));
  }

  void write(RankWriter& out) const {
    const unsigned node = out.rank();
    if (graph_.in[node].empty()) out.compute(source_flops * values_[node]);
    for (const unsigned arc : graph_.in[node]) {
      const unsigned from = graph_.arcs[arc].from;
      out.recv(from, tag(arc), int_bytes);
      out.recv(from, tag(arc), values_[from] * double_bytes);
      out.compute(filter_flops * std::max(values_[from], values_[node]));
    }
    for (const unsigned arc : graph_.out[node]) {
      const unsigned to = graph_.arcs[arc].to;
      out.send(to, tag(arc), int_bytes);
      out.send(to, tag(arc), values_[node] * double_bytes);
    }
    if (graph_.out[node].empty()) {
      out.compute(check_flops * values_[node]);
      out.send(0, report_tag(node), double_bytes);
    }
    if (node == 0) collect(out);
  }

 private:
  /// A node's own array is as long as the mean at least, and as the longest that comes in.
  std::uint64_t values(const Size& size, unsigned node) const {
    if (graph_.in[node].empty()) return std::uint64_t{source_samples(size, node)} * values_a_sample;
    std::uint64_t most = std::uint64_t{size.samples} * values_a_sample;
    for (const unsigned arc : graph_.in[node]) most = std::max(most, values_[graph_.arcs[arc].from]);
    return most;
  }

  static std::int32_t tag(std::size_t arc) { return static_cast<std::int32_t>(arc); }
  std::int32_t report_tag(unsigned node) const { return tag(graph_.arcs.size() + node); }

  void collect(RankWriter& out) const {
    for (unsigned node = 0; node < graph_.nodes; ++node) {
      if (graph_.out[node].empty()) out.recv(node, report_tag(node), double_bytes);
    }
  }

  Graph graph_;
  std::vector<std::uint64_t> values_;  ///< of the array that each node has
};

unsigned no_steps(char) {
  return 0;
}

using MakeGraph = Graph (*)(unsigned width);

template <MakeGraph make>
std::vector<unsigned> rank_counts(char size_class) {
  return {make(size_of(size_class).width).nodes};
}

template <MakeGraph make>
void write(const Problem& problem, Skeleton& skeleton) {
  const Size size = size_of(problem.size_class);
  const Nodes nodes(size, make(size.width));
  skeleton.each_rank([&](RankWriter& out) { nodes.write(out); });
}

}  // namespace

Benchmark dt_black_hole() {
  return {"dtBH", no_steps, rank_counts<black_hole>, write<black_hole>};
}

Benchmark dt_white_hole() {
  return {"dtWH", no_steps, rank_counts<white_hole>, write<white_hole>};
}

Benchmark dt_shuffle() {
  return {"dtSH", no_steps, rank_counts<shuffle>, write<shuffle>};
}

}  // namespace tsuji::workload::npb
