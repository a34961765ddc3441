// SPDX-License-Identifier: Apache-2.0

#include "support/catch.h"
#include "support/network_bench.h"

using namespace tsuji;
using namespace tsuji::test;
using traffic::Emission;

namespace {

Emission multicast(Cycle created, std::uint32_t group, std::uint64_t map) {
  Emission e;
  e.created = created;
  e.kind = PacketKind::multicast;
  e.group = group;
  e.map = map;
  e.payload_bytes = 64;
  e.flits = 10 + 24;
  return e;
}

}  // namespace

TEST_CASE("multicast to every subset of 16 nodes reaches exactly its members") {
  std::map<NodeId, std::vector<Emission>> all;
  std::uint64_t expected = 0;
  for (std::uint64_t map = 1; map < 65536; ++map) {
    all[static_cast<NodeId>(map % 16)].push_back(multicast(map / 16 * 40, 0, map));
    expected += static_cast<unsigned>(__builtin_popcountll(map));
  }
  NetworkBench::Options o;
  o.network.topology.nodes = 16;
  NetworkBench bench(o, from(all));
  bench.run();
  CHECK(bench.arrivals.size() == expected);  // the sink refuses a packet whose map does not name it
  CHECK(bench.conserved());
  CHECK(bench.in_order);
}

TEST_CASE("multicasts to random subsets of 64 are not starved by endless single casts") {
  // All nodes send single casts without end; node 5's multicasts need several FIFOs at once at every fork.
  class Pouring final : public traffic::EmissionSource {
   public:
    explicit Pouring(NodeId node) : random_(3, node), node_(node) {}
    bool next(Emission& e) override {
      if (++count_ > (node_ == 5 ? 60U : 3000U)) return false;
      e = Emission{};
      if (node_ == 5) {
        e = multicast(count_ * 200, 0, random_.next() | 1);
        return true;
      }
      e.created = 0;
      e.flits = 10;
      e.payload_bytes = 8;
      e.destination = static_cast<NodeId>(random_.below(64));
      return true;
    }

   private:
    CounterRandom random_;
    NodeId node_;
    unsigned count_ = 0;
  };
  NetworkBench::Options o;
  o.network.topology.nodes = 64;
  NetworkBench bench(o, [](NodeId node) { return std::make_unique<Pouring>(node); });
  bench.run();
  CHECK(bench.conserved());
  Cycle last_multicast = 0, last_single = 0;
  for (const Arrival& arrival : bench.arrivals) {
    (arrival.kind == PacketKind::multicast ? last_multicast : last_single) =
        std::max(arrival.kind == PacketKind::multicast ? last_multicast : last_single, arrival.head);
  }
  // 60 multicasts, the last born in cycle 12,000. At each hop at most 4 packets of each of 4 competitors pass
  // a multicast.
  CHECK(last_single > 30000);
  CHECK(last_multicast < 25000);
}

TEST_CASE("multicast into one of several groups of 64") {
  std::map<NodeId, std::vector<Emission>> all;
  std::uint64_t expected = 0;
  CounterRandom random(1, 2);
  for (unsigned i = 0; i < 400; ++i) {
    const std::uint64_t map = random.next() & random.next() & random.next();
    if (map == 0) continue;
    all[static_cast<NodeId>(random.below(256))].push_back(
        multicast(i * 50, static_cast<std::uint32_t>(random.below(4)), map));
    expected += static_cast<unsigned>(__builtin_popcountll(map));
  }
  NetworkBench::Options o;
  o.network.topology.nodes = 256;
  NetworkBench bench(o, from(all));
  bench.run();
  CHECK(bench.arrivals.size() == expected);
  CHECK(bench.conserved());
}
