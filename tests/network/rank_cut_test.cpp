// SPDX-License-Identifier: Apache-2.0
// The routers of each rank: the graph that is cut, and the cut without a library.

#include "tsuji/network/dense/rank_cut.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "support/catch.h"
#include "tsuji/graph/cube.h"

using namespace tsuji;
using namespace tsuji::graph;

namespace {

using Parts = std::vector<std::uint16_t>;

/// Rank 0 of several ranks, of which the others say nothing.
class Alone final : public mpi::Transport {
 public:
  Alone(unsigned count, Parts parts, mpi::CutGraph& asked)
      : count_(count), parts_(std::move(parts)), asked_(asked) {}
  unsigned own() const override { return 0; }
  unsigned count() const override { return count_; }
  void send(unsigned, const mpi::Bytes&) override {}
  void receive(unsigned, mpi::Bytes& message) override {
    message.clear();
    mpi::put(message, std::uint64_t{0});
  }
  void flush() override {}
  Parts cut(const mpi::CutGraph& graph) override {
    asked_ = graph;
    return parts_;
  }
  void finish() override {}

 private:
  unsigned count_;
  Parts parts_;
  mpi::CutGraph& asked_;
};

struct Cut {
  Parts rank_of;
  mpi::CutGraph graph;
};

Cut cut(const Topology& topology, unsigned ranks, const Parts& parts = {}) {
  Cut cut;
  mpi::Ranks all(std::make_unique<Alone>(ranks, parts, cut.graph));
  cut.rank_of = network::dense::cut_for_ranks(topology, all, 4);
  return cut;
}

}  // namespace

TEST_CASE("the routers of ranks are those that a library cuts") {
  CHECK(cut(make_mesh({2, 2}, 1, 1), 2, {1, 0, 0, 1}).rank_of == Parts{1, 0, 0, 1});
}

TEST_CASE("without a library each rank has an equal piece") {
  const Parts rank_of = cut(make_mesh({5, 2}, 1, 1), 3).rank_of;
  REQUIRE(rank_of.size() == 10);
  CHECK(std::count(rank_of.begin(), rank_of.end(), 0) == 3);
  CHECK(std::count(rank_of.begin(), rank_of.end(), 1) == 3);
  CHECK(std::count(rank_of.begin(), rank_of.end(), 2) == 4);
}

TEST_CASE("the graph to cut has each link at both ends, short ones heavier, and parallel ones together") {
  std::vector<RouterLink> links = {{{0, 0}, {1, 0}}, {{0, 1}, {1, 1}}, {{1, 2}, {2, 0}}};
  links[2].latency_cycles = 3;
  const Topology topology("three", {3, 3, 2}, links, {{{0, 2}, {0, 2}}}, Shape{});
  const mpi::CutGraph graph = cut(topology, 2).graph;
  using Numbers = std::vector<std::uint32_t>;
  CHECK(graph.first == Numbers{0, 1, 3, 4});
  CHECK(graph.neighbours == Numbers{1, 0, 2, 1});
  CHECK(graph.weights == Numbers{6, 6, 1, 1});
  CHECK(graph.loads == Numbers{3, 3, 2});
}
