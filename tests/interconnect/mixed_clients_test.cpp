// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>
#include <vector>

#include "interconnect/clients.h"
#include "support/base_protocol_checker.h"
#include "support/catch.h"
#include "support/forked.h"
#include "tsuji/core/error.h"
#include "tsuji/graph/cube.h"
#include "tsuji/interconnect/tlm_network.h"
#include "tsuji/network/object_block.h"

using namespace tsuji;
using namespace tsuji::interconnect;
using namespace tsuji::interconnect::test;

namespace {

constexpr unsigned stripe_bytes = 0x400, target_bytes = 0x2000, targets = 3;

/// A cycle-accurate client without sockets: packets of a class to one node, one every `gap` cycles.
class Stream final : public traffic::EmissionSource {
 public:
  Stream(NodeId to, unsigned count) : to_(to), count_(count) {}
  bool next(traffic::Emission& emission) override {
    if (next_event() > now_) return false;
    emission = {};
    emission.created = next_event();
    ++sent_;
    emission.flits = 5;
    emission.destination = to_;
    emission.sid = sent_ % 2;
    return true;
  }
  Cycle next_event() const override { return sent_ == count_ ? never : 1 + 17 * sent_; }
  void advance(Cycle now) override { now_ = now; }
  void arrived(Cycle, const Packet&) override { ++arrived_; }
  unsigned arrived_packets() const { return arrived_; }

 private:
  const NodeId to_;
  const unsigned count_;
  unsigned sent_ = 0, arrived_ = 0;
  Cycle now_ = 0;
};

struct Shape {
  const char *topology, *routing;
  unsigned vcs;
};

/// Three targets, of which two stall; initiators of each kind, each on its own stripe of all targets; and a
/// checker of the base protocol on every binding.
class Bench {
  static unsigned serial;
  network::ObjectBlock block_;

 public:
  /// One simulation holds several, each in a scope of its own.
  Bench(const Shape& shape, unsigned seed, unsigned count, bool shuffled = false)
      : block_(("bench" + std::to_string(serial++)).c_str()) {
    const network::ObjectBlock::Inside inside(block_);
    TlmNetworkConfig config;
    config.machine.topology.kind = shape.topology;
    config.machine.topology.of<graph::CubeConfig>().radices = {4, 3};
    config.machine.routing.kind = shape.routing;
    config.machine.network.vcs = shape.vcs;
    config.machine.network.router.atomic_vcs = std::string(shape.routing) == "duato";
    config.machine.shuffle_seed = shuffled ? 9 : 0;
    // The cycle-accurate initiator, a node with both, and clients of the network's own at nodes 10 and 11.
    config.tlm.initiators = "at node 0 outstanding 6, lt node 1, cycle node 2 requests 1, dma node 5";
    config.tlm.targets =
        "one node 5 base 0 bytes 0x2000 queue 2, two node 6 base 0x2000 bytes 0x2000, three node 7 base "
        "0x4000 bytes 0x2000 queue 1";
    config.tlm.wire.packet_bytes = 32;
    config.resolve();
    network = std::make_unique<TlmNetwork>("noc", config, [&](NodeId node) {
      auto stream = node >= 10 ? std::make_unique<Stream>(21 - node, 50) : nullptr;
      if (stream) streams.push_back(stream.get());
      return stream;
    });
    at = std::make_unique<AtInitiator>("at", accesses(0, seed), count);
    lt = std::make_unique<LtInitiator>("lt", accesses(1, seed), count);
    cycle = std::make_unique<CycleInitiator>("cycle", accesses(2, seed), count / 2, ns(3));
    dma = std::make_unique<AtInitiator>("dma", accesses(3, seed), count, 3);
    join(at->socket, "at");
    join(lt->socket, "lt");
    join(cycle->socket, "cycle");
    join(dma->socket, "dma");
    one = std::make_unique<StallingTarget>("one", target_bytes, seed);
    two = std::make_unique<LtTarget>("two", target_bytes, ns(4.5));
    three = std::make_unique<StallingTarget>("three", target_bytes, seed + 1);
    attach("one", one->socket);
    attach("two", two->socket);
    attach("three", three->socket);
  }

  void run() {
    tlm::tlm_global_quantum::instance().set(ns(100));
    network->run_for(sc_time(1, sc_core::SC_SEC));
    network->check_end();
    for (const unsigned wrong : {at->wrong, lt->wrong, cycle->wrong, dma->wrong}) CHECK(wrong == 0);
    for (const bool done : {at->done(), lt->done(), cycle->done(), dma->done()}) CHECK(done);
    CHECK(at->pool.all_free());
    CHECK(cycle->pool.all_free());
    CHECK(at->errors > 0);
    CHECK_THAT(checkers.report(), Catch::Equals(""));
    for (const auto& checker : checkers.all()) CHECK(checker->at_rest());
    for (const StallingTarget* const target : {one.get(), three.get()})
      for (const unsigned form : target->forms) CHECK(form > 0);
    REQUIRE(streams.size() == 2);
    for (const Stream* const stream : streams) CHECK(stream->arrived_packets() == 50);
  }
  std::unique_ptr<TlmNetwork> network;
  tsuji::test::Checkers checkers;
  std::unique_ptr<AtInitiator> at, dma;
  std::unique_ptr<LtInitiator> lt;
  std::unique_ptr<CycleInitiator> cycle;
  std::unique_ptr<StallingTarget> one, three;
  std::unique_ptr<LtTarget> two;
  std::vector<const Stream*> streams;

 private:
  static RandomAccesses accesses(unsigned initiator, unsigned seed) {
    std::vector<RandomAccesses::Stripe> stripes;
    for (unsigned target = 0; target < targets; ++target)
      stripes.push_back({std::uint64_t{target} * target_bytes + initiator * stripe_bytes, stripe_bytes});
    return {10 * seed + initiator, stripes, std::uint64_t{targets} * target_bytes, 300};
  }
  template <class Socket>
  void join(Socket& socket, const std::string& name) {
    auto& checker = checkers.add("check_" + name);
    socket.bind(checker.from_initiator);
    checker.to_target.bind(network->for_initiator(name));
  }
  template <class Socket>
  void attach(const std::string& name, Socket& socket) {
    auto& checker = checkers.add("check_" + name);
    network->for_target(name).bind(checker.from_initiator);
    checker.to_target.bind(socket);
  }
};

unsigned Bench::serial = 0;

}  // namespace

TEST_CASE("clients of each kind find their own bytes on any network", "[interconnect]") {
  const Shape shapes[] = {{"mesh", "dimension_order", 2},
                          {"mesh", "dimension_order", 8},
                          {"torus", "dimension_order", 4},
                          {"mesh", "duato", 4},
                          {"torus", "duato", 8}};
  std::vector<std::unique_ptr<Bench>> benches;
  for (const Shape& shape : shapes) benches.push_back(std::make_unique<Bench>(shape, 3, 400));
  for (const auto& bench : benches) bench->run();
}

TEST_CASE("the base protocol's checker is silent over ten thousand transactions", "[interconnect]") {
  Bench bench({"mesh", "duato", 4}, 11, 3000);
  bench.run();
  CHECK(bench.network->counts().answered > 10'000);
}

TEST_CASE("the base protocol's checker is silent over a million transactions", "[.][long]") {
  Bench bench({"mesh", "duato", 4}, 12, 300'000);
  bench.run();
  CHECK(bench.network->counts().answered > 1'000'000);
}

TEST_CASE("no response depends on the order in which a cycle's modules run", "[interconnect]") {
  const auto responses = [](bool shuffled) {
    return tsuji::test::forked([shuffled] {
      Bench bench({"mesh", "duato", 4}, 5, 300, shuffled);
      bench.run();
      std::string text;
      for (const AtInitiator* const initiator : {bench.at.get(), bench.dma.get()})
        for (const sc_time& time : initiator->responses) text += time.to_string() + "\n";
      return text;
    });
  };
  const std::string plain = responses(false);
  CHECK(plain.size() > 600 * 5);
  CHECK(plain == responses(true));
}
