// SPDX-License-Identifier: Apache-2.0
#include "tsuji/workload/collectives.h"

#include <functional>
#include <set>

#include "support/catch.h"

using namespace tsuji::workload;
using Kind = MessageStep::Kind;

namespace {

/// Plays all ranks' steps against each other with values: a rank's knowledge is sent with every message.
/// `deliver(rank, from, knowledge)` is called for every receive. Returns false if the ranks block each other.
bool play(const std::vector<MessageSteps>& steps, std::vector<std::multiset<unsigned>>& knows) {
  const std::size_t ranks = steps.size();
  std::vector<std::size_t> at(ranks, 0);
  std::vector<std::vector<std::vector<std::multiset<unsigned>>>> wire(
      ranks, std::vector<std::vector<std::multiset<unsigned>>>(ranks));
  std::vector<bool> sent(ranks, false);
  bool moved = true;
  while (moved) {
    moved = false;
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      if (at[rank] == steps[rank].size()) continue;
      const MessageStep& step = steps[rank][at[rank]];
      if (step.kind != Kind::receive && !sent[rank]) {
        wire[rank][step.peer].push_back(knows[rank]);
        sent[rank] = moved = true;
      }
      if (step.kind != Kind::send) {
        const unsigned from = step.kind == Kind::receive ? step.peer : step.source;
        auto& channel = wire[from][rank];
        if (channel.empty()) continue;
        knows[rank].insert(channel.front().begin(), channel.front().end());
        channel.erase(channel.begin());
      }
      ++at[rank];
      sent[rank] = false;
      moved = true;
    }
  }
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    if (at[rank] != steps[rank].size()) return false;
    for (const auto& channel : wire[rank]) {
      if (!channel.empty()) return false;
    }
  }
  return true;
}

std::vector<MessageSteps> all_ranks(unsigned ranks, const std::function<MessageSteps(unsigned)>& steps) {
  std::vector<MessageSteps> all;
  for (unsigned rank = 0; rank < ranks; ++rank) all.push_back(steps(rank));
  return all;
}

std::vector<std::multiset<unsigned>> own_values(unsigned ranks) {
  std::vector<std::multiset<unsigned>> values(ranks);
  for (unsigned rank = 0; rank < ranks; ++rank) values[rank].insert(rank);
  return values;
}

bool steps_aside(unsigned rank, unsigned ranks) {
  unsigned places = 1;
  while (places * 2 <= ranks) places *= 2;
  return rank < 2 * (ranks - places) && rank % 2 == 0;
}

}  // namespace

TEST_CASE("a binomial broadcast reaches every rank from every root in ceil(log2 n) rounds") {
  for (unsigned ranks = 1; ranks <= 17; ++ranks) {
    for (unsigned root = 0; root < ranks; ++root) {
      const auto steps = all_ranks(ranks, [&](unsigned r) { return binomial_broadcast(r, ranks, root); });
      std::vector<std::multiset<unsigned>> knows(ranks);
      knows[root].insert(7);
      REQUIRE(play(steps, knows));
      for (const auto& known : knows) CHECK(known.count(7) == 1);
      unsigned rounds = 0;
      while ((1U << rounds) < ranks) ++rounds;
      CHECK(steps[root].size() == rounds);
    }
  }
}

TEST_CASE("a binomial reduce brings every rank's value to the root exactly once") {
  for (unsigned ranks = 1; ranks <= 17; ++ranks) {
    for (unsigned root = 0; root < ranks; ++root) {
      auto knows = own_values(ranks);
      REQUIRE(play(all_ranks(ranks, [&](unsigned r) { return binomial_reduce(r, ranks, root); }), knows));
      REQUIRE(knows[root].size() == ranks);
      for (unsigned rank = 0; rank < ranks; ++rank) CHECK(knows[root].count(rank) == 1);
    }
  }
}

TEST_CASE("a staggered all-to-all meets every pair once and no receiver twice in a round") {
  for (unsigned ranks : {1U, 2U, 5U, 8U, 64U}) {
    const auto steps = all_ranks(ranks, [&](unsigned r) { return staggered_all_to_all(r, ranks); });
    for (std::size_t round = 0; round + 1 < ranks; ++round) {
      std::set<unsigned> receivers;
      for (unsigned rank = 0; rank < ranks; ++rank) {
        const MessageStep& step = steps[rank][round];
        receivers.insert(step.peer);
        CHECK(steps[step.peer][round].source == rank);
      }
      CHECK(receivers.size() == ranks);
    }
    CHECK(steps[0].size() == ranks - 1);
  }
}

TEST_CASE("no rank leaves a barrier before all have entered it") {
  for (unsigned ranks : {1U, 2U, 3U, 6U, 8U, 13U, 64U}) {
    for (const bool tree : {false, true}) {
      auto knows = own_values(ranks);
      REQUIRE(play(all_ranks(ranks,
                             [&](unsigned r) {
                               return tree ? tree_barrier(r, ranks) : dissemination_barrier(r, ranks);
                             }),
                   knows));
      for (const auto& known : knows) {
        CHECK(std::set<unsigned>(known.begin(), known.end()).size() == ranks);
      }
    }
  }
}

TEST_CASE("recursive doubling brings every rank's value to every rank exactly once") {
  for (unsigned ranks = 1; ranks <= 20; ++ranks) {
    auto knows = own_values(ranks);
    REQUIRE(play(all_ranks(ranks, [&](unsigned r) { return recursive_doubling(r, ranks); }), knows));
    for (unsigned rank = 0; rank < ranks; ++rank) {
      // A rank that does not take part in the rounds gets its own value back in the sum.
      const std::size_t own_again = knows[rank].count(rank) - 1;
      CHECK(knows[rank].size() - own_again == ranks);
      CHECK(std::set<unsigned>(knows[rank].begin(), knows[rank].end()).size() == ranks);
      CHECK(own_again <= (steps_aside(rank, ranks) ? 1 : 0));
    }
  }
}

TEST_CASE("linear broadcast and reduce are one message between the root and each other rank") {
  for (unsigned ranks : {1U, 2U, 7U}) {
    for (unsigned root = 0; root < ranks; ++root) {
      std::vector<std::multiset<unsigned>> knows(ranks);
      knows[root].insert(7);
      REQUIRE(play(all_ranks(ranks, [&](unsigned r) { return linear_broadcast(r, ranks, root); }), knows));
      for (const auto& known : knows) CHECK(known.count(7) == 1);
      auto values = own_values(ranks);
      REQUIRE(play(all_ranks(ranks, [&](unsigned r) { return linear_reduce(r, ranks, root); }), values));
      CHECK(values[root].size() == ranks);
      CHECK(linear_reduce(root, ranks, root).size() == ranks - 1);
    }
  }
}

TEST_CASE("no algorithm sends two messages from one rank to another within an operation") {
  for (const auto* table : {&barrier_algorithms(), &broadcast_algorithms(), &reduce_algorithms(),
                            &all_reduce_algorithms(), &all_to_all_algorithms()}) {
    for (const CollectiveAlgorithm& algorithm : *table) {
      CAPTURE(algorithm.name);
      for (unsigned ranks : {1U, 2U, 5U, 8U, 12U, 33U}) {
        for (unsigned root : {0U, ranks / 2}) {
          for (unsigned rank = 0; rank < ranks; ++rank) {
            std::set<unsigned> to, from;
            for (const MessageStep& step : algorithm.steps(rank, ranks, root)) {
              if (step.kind != Kind::receive) CHECK(to.insert(step.peer).second);
              if (step.kind == Kind::receive) CHECK(from.insert(step.peer).second);
              if (step.kind == Kind::exchange) CHECK(from.insert(step.source).second);
            }
            CHECK(to.count(rank) + from.count(rank) == 0);
          }
        }
      }
    }
  }
}

TEST_CASE("ranks meet in a tree, at the first rank of each level's groups") {
  for (const unsigned fan : {2U, 3U, 8U, 64U}) {
    for (const unsigned ranks : {1U, 2U, 7U, 8U, 9U, 64U, 65U, 100U, 512U, 513U, 1024U}) {
      CAPTURE(fan, ranks);
      unsigned levels = 0;
      for (std::uint64_t reach = 1; reach < ranks; reach *= fan) ++levels;
      std::vector<unsigned> children(ranks, 0);
      for (unsigned rank = 1; rank < ranks; ++rank) {
        const unsigned parent = fan_in(rank, ranks, fan).parent;
        REQUIRE(parent < rank);
        ++children[parent];
        unsigned steps = 0;
        for (unsigned at = rank; at != 0; at = fan_in(at, ranks, fan).parent) ++steps;
        REQUIRE(steps <= levels);
      }
      for (unsigned rank = 0; rank < ranks; ++rank) {
        REQUIRE(fan_in(rank, ranks, fan).children == children[rank]);
        REQUIRE(children[rank] <= levels * (fan - 1));
      }
    }
  }
  CHECK(fan_in(8, 100, 8).parent == 0);
  CHECK(fan_in(65, 100, 8).parent == 64);
  CHECK(fan_in(72, 100, 8).parent == 64);
  CHECK(fan_in(64, 100, 8).children == 7 + 4);  // 65..71; 72, 80, 88, 96
}
