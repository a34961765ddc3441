// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <set>
#include <string>

#include "support/catch.h"
#include "tsuji/traffic/closed_loop.h"
#include "tsuji/traffic/open_loop.h"
#include "tsuji/traffic/traffic_kinds.h"
#include "tsuji/workload/pattern_kinds.h"

using namespace tsuji;
using namespace tsuji::traffic;
using namespace tsuji::workload;

namespace {

std::shared_ptr<const Pattern> pattern(const std::string& name, unsigned nodes) {
  PatternConfig config;
  config.nodes = nodes;
  return pattern_kinds().make(name, config);
}

SyntheticLoad::Parts open_loop(const std::string& name) {
  SyntheticLoad::Parts parts;
  parts.pattern = pattern(name, 16);
  parts.arrivals = make_arrivals(arrival_kinds(), "bernoulli", {});
  parts.lengths = PacketLengths::range(1, 9);
  return parts;
}

std::vector<Emission> take(EmissionSource& source, std::size_t count) {
  std::vector<Emission> result;
  Emission emission;
  while (result.size() < count && source.next(emission)) result.push_back(emission);
  return result;
}

/// Nodes with a closed loop each, connected by a delay that may differ from packet to packet. Births and
/// arrivals of a cycle are handled node by node in the caller's order.
class Loop {
 public:
  struct Birth {
    NodeId source, destination;
    Cycle created;
    unsigned flits;
    std::uint64_t received_before;  ///< by the source, when the packet was born
  };

  Loop(const std::string& name, unsigned nodes, std::uint64_t window, Cycle gap, unsigned flits)
      : nodes_(nodes) {
    for (NodeId node = 0; node < nodes; ++node) {
      ClosedLoop::Parts parts;
      parts.pattern = pattern(name, nodes);
      parts.lengths = PacketLengths::fixed(flits);
      parts.window = window;
      parts.gap_cycles = gap;
      nodes_[node].source = std::make_unique<ClosedLoop>(std::move(parts), node, 9);
    }
  }

  void run(Cycle end, bool arrivals_first, bool backwards) {
    for (Cycle now = 0; now < end; ++now) {
      for (std::size_t i = 0; i < nodes_.size(); ++i) {
        const auto id = static_cast<NodeId>(backwards ? nodes_.size() - 1 - i : i);
        if (arrivals_first) arrive(id, now);
        bear(id, now);
        if (!arrivals_first) arrive(id, now);
        refill(nodes_[id], now);
      }
    }
  }

  std::vector<Birth> births;
  std::uint64_t most_under_way = 0;

 private:
  struct Node {
    std::unique_ptr<ClosedLoop> source;
    bool has_upcoming = false;
    Emission upcoming;
    std::multimap<Cycle, int> arriving;
    std::uint64_t received = 0;
  };

  static void refill(Node& node, Cycle now) {
    if (node.has_upcoming) return;
    node.has_upcoming = node.source->next(node.upcoming);
    if (node.has_upcoming) REQUIRE(node.upcoming.created > now);
  }
  void bear(NodeId id, Cycle now) {
    Node& node = nodes_[id];
    if (!node.has_upcoming && now == 0) refill(node, 0);
    if (!node.has_upcoming || node.upcoming.created != now) return;
    const Emission& e = node.upcoming;
    births.push_back({id, e.destination.node(), now, e.flits, node.received});
    most_under_way = std::max(most_under_way, ++under_way_);
    nodes_[e.destination.node()].arriving.emplace(now + e.flits + 3 + (id * 7 + now) % 11, 0);
    node.has_upcoming = false;
    refill(node, now);
  }
  void arrive(NodeId id, Cycle now) {
    Node& node = nodes_[id];
    while (!node.arriving.empty() && node.arriving.begin()->first <= now) {
      node.arriving.erase(node.arriving.begin());
      --under_way_;
      ++node.received;
      node.source->arrived(now, Packet{});
    }
  }

  std::vector<Node> nodes_;
  std::uint64_t under_way_ = 0;
};

bool operator==(const Loop::Birth& a, const Loop::Birth& b) {
  return a.source == b.source && a.destination == b.destination && a.created == b.created;
}

std::vector<Loop::Birth> sorted(std::vector<Loop::Birth> list) {
  std::sort(list.begin(), list.end(), [](const Loop::Birth& a, const Loop::Birth& b) {
    return std::tie(a.created, a.source) < std::tie(b.created, b.source);
  });
  return list;
}

}  // namespace

TEST_CASE("open loop: births are in order, none is later than the last cycle, and no packet has bytes") {
  auto parts = open_loop("uniform");
  parts.last_cycle = 50000;
  SyntheticLoad source(std::move(parts), 4, 1);
  const auto list = take(source, 1'000'000);
  REQUIRE(list.size() > 1000);
  Cycle before = 0;
  for (const Emission& emission : list) {
    REQUIRE(emission.created > before);
    before = emission.created;
    REQUIRE(emission.payload_bytes == 0);
    REQUIRE(emission.flits >= 1);
    REQUIRE(emission.flits <= 9);
    REQUIRE(emission.destination < 16);
  }
  CHECK(before <= 50000);
  Emission more;
  CHECK_FALSE(source.next(more));
}

TEST_CASE("open loop: another pattern keeps arrivals and lengths, another seed or node does not") {
  const auto list = [](const char* name, NodeId node, std::uint64_t seed) {
    SyntheticLoad source(open_loop(name), node, seed);
    std::vector<std::pair<Cycle, unsigned>> result;
    for (const Emission& emission : take(source, 200)) result.emplace_back(emission.created, emission.flits);
    return result;
  };
  CHECK(list("uniform", 4, 1) == list("transpose", 4, 1));
  CHECK(list("uniform", 4, 1) != list("uniform", 5, 1));
  CHECK(list("uniform", 4, 1) != list("uniform", 4, 2));
}

TEST_CASE("open loop: a packet may be born in the last cycle, and has its bytes") {
  const auto births = [](Cycle last) {
    auto parts = open_loop("uniform");
    ArrivalRate every_cycle;
    every_cycle.packets_per_cycle = 1;
    parts.arrivals = make_arrivals(arrival_kinds(), "periodic", every_cycle);
    parts.last_cycle = last;
    parts.payload_bytes = 24;
    SyntheticLoad source(std::move(parts), 4, 1);
    return take(source, 1000);
  };
  REQUIRE(births(20).size() == 20);
  CHECK(births(20).back().created == 20);
  CHECK(births(20).back().payload_bytes == 24);
}

TEST_CASE(
    "open loops and lists do not listen, closed loops do, and none affects another node except by packets") {
  const SyntheticLoad open(open_loop("uniform"), 4, 1);
  CHECK_FALSE(open.listens());
  CHECK(open.lookahead_cycles() == never);
  CHECK_FALSE(open.is_full());
  CHECK(open.next_event() == never);
  const ListedEmissions list({});
  CHECK_FALSE(list.listens());
  CHECK(list.lookahead_cycles() == never);
  ClosedLoop::Parts parts;
  parts.pattern = pattern("uniform", 16);
  const ClosedLoop closed(std::move(parts), 4, 1);
  CHECK(closed.listens());
  CHECK(closed.lookahead_cycles() == never);
  // A source with the default traits listens, and is visible in the next cycle.
  struct Silent final : EmissionSource {
    bool next(Emission&) override { return false; }
  };
  CHECK(Silent().listens());
  CHECK(Silent().lookahead_cycles() == 1);
  CHECK_FALSE(Silent().is_full());
  CHECK(Silent().next_event() == never);
}

TEST_CASE("exchange of pairs with a window of 1: a node waits for its partner's packet") {
  Loop loop("transpose", 9, 1, 0, 4);
  loop.run(2000, true, false);
  std::map<NodeId, std::uint64_t> sent;
  for (const auto& birth : loop.births) {
    REQUIRE(birth.destination == birth.source % 3 * 3 + birth.source / 3);
    REQUIRE(++sent[birth.source] <= birth.received_before + 1);
  }
  for (NodeId node = 0; node < 9; ++node) CHECK(sent[node] > 50);
}

TEST_CASE("a closed loop never has more than its window in flight") {
  for (const std::uint64_t window : {1, 2, 5}) {
    for (const char* name : {"transpose", "uniform"}) {
      Loop loop(name, 16, window, 3, 4);
      loop.run(3000, false, false);
      std::map<NodeId, std::uint64_t> sent;
      for (const auto& birth : loop.births) REQUIRE(++sent[birth.source] <= birth.received_before + window);
      CHECK(loop.most_under_way <= 16 * window);
      CHECK(loop.births.size() > 1000);
    }
  }
}

TEST_CASE("a closed loop keeps its gap after arrivals and births") {
  // A node that sends to itself over a delay of at least 7 cycles, gap 20: from the tail's arrival to the
  // next birth.
  Loop pair("transpose", 1, 1, 20, 4);
  pair.run(1000, true, false);
  REQUIRE(pair.births.size() > 10);
  CHECK(pair.births[0].created == 1);
  for (std::size_t i = 1; i < pair.births.size(); ++i) {
    const Cycle before = pair.births[i - 1].created;
    CHECK(pair.births[i].created == before + 4 + 3 + before % 11 + 1 + 20);
  }
  // Without a window only the gap counts: 4 flits and 6 cycles.
  Loop open("transpose", 1, 0, 6, 4);
  open.run(200, true, false);
  REQUIRE(open.births.size() == 20);
  for (std::size_t i = 0; i < open.births.size(); ++i) CHECK(open.births[i].created == 1 + 10 * i);
}

TEST_CASE("a closed loop does not depend on the order in which nodes, sinks and injectors run") {
  for (const char* name : {"transpose", "uniform"}) {
    std::vector<std::vector<Loop::Birth>> runs;
    for (const bool arrivals_first : {true, false}) {
      for (const bool backwards : {true, false}) {
        Loop loop(name, 16, 2, 1, 3);
        loop.run(1500, arrivals_first, backwards);
        runs.push_back(sorted(loop.births));
      }
    }
    for (const auto& run : runs) CHECK(run == runs.front());
    CHECK(runs.front().size() > 1000);
  }
}

TEST_CASE("kinds of traffic have the properties that they state, and no others") {
  const TrafficKinds kinds = traffic_kinds();
  const auto words_with = [&](bool TrafficTraits::*property) {
    std::set<std::string> words;
    for (const std::string& word : kinds.names())
      if (kinds.traits(word).*property) words.insert(word);
    return words;
  };
  using Words = std::set<std::string>;
  CHECK(words_with(&TrafficTraits::draws) == Words{"closed_loop", "open_loop"});
  CHECK(words_with(&TrafficTraits::draws_lengths).empty());
  CHECK(words_with(&TrafficTraits::offers_load) == Words{"open_loop"});
  CHECK(words_with(&TrafficTraits::receivers_send) == Words{"closed_loop"});
  CHECK(words_with(&TrafficTraits::has_sources) == Words{"closed_loop", "list", "open_loop"});
  CHECK(words_with(&TrafficTraits::own_lengths) == Words{"list"});
  CHECK_FALSE(kinds.traits("none").has_sources);
  const auto none = kinds.make("none", {});
  CHECK(none->source(0) == nullptr);
  CHECK(none->silence() == "traffic.kind is none");
}

TEST_CASE("traffic without a stated seed is that of seed 1") {
  OpenLoopConfig config;
  config.load_flits_per_node_cycle = 0.3;
  const auto births = [&](TrafficGiven given) {
    given.nodes = 16;
    given.pattern = pattern("uniform", 16);
    given.lengths = PacketLengths::range(1, 9);
    const auto traffic = config.make(given);
    std::vector<std::pair<Cycle, NodeId>> list;
    const auto source = traffic->source(3);
    for (const Emission& one : take(*source, 50)) list.emplace_back(one.created, one.destination.node());
    return list;
  };
  TrafficGiven one, two;
  one.seed = 1;
  two.seed = 2;
  CHECK(births({}) == births(one));
  CHECK(births({}) != births(two));
}
