// SPDX-License-Identifier: Apache-2.0
#include "tsuji/traffic/shared_source.h"

#include <memory>
#include <utility>
#include <vector>

#include "support/catch.h"
#include "traffic/flit_node_rig.h"
#include "tsuji/traffic/rails.h"

using namespace tsuji;
using namespace tsuji::traffic;

namespace {

Emission emission(Cycle created, NodeId to, std::uint64_t mark) {
  Emission one;
  one.created = created;
  one.flits = 2;
  one.destination = to;
  one.header = {mark, mark};
  return one;
}

/// Source that sends a packet two cycles after each arrival, and records the events that it is told.
class Echo final : public EmissionSource {
 public:
  bool next(Emission& out) override {
    if (due_.empty()) return false;
    out = emission(due_.front(), 1, 7);
    due_.erase(due_.begin());
    return true;
  }
  void arrived(Cycle now, const Packet&) override {
    ++arrivals;
    at_ = now + 2;
  }
  void departed(Cycle, const Packet&) override { ++departures; }
  void dropped(Cycle, const Packet&, const char*) override { ++drops; }
  Cycle next_event() const override { return at_; }
  void advance(Cycle now) override {
    ++advances;
    if (at_ > now) return;
    due_.push_back(now);
    at_ = never;
  }
  unsigned arrivals = 0, departures = 0, drops = 0, advances = 0;

 private:
  std::vector<Cycle> due_;
  Cycle at_ = never;
};

/// All packets that a source gives in cycle `now`.
std::vector<Emission> given(SharedSource& source, Cycle now) {
  source.advance(now);
  std::vector<Emission> all;
  Emission one;
  while (source.next(one)) all.push_back(one);
  return all;
}

unsigned job_of(const Emission& emission) {
  return static_cast<unsigned>(emission.header[1] >> 59) % 16;
}

Packet packet_of(const Emission& emission, Cycle created) {
  Packet packet;
  packet.header = emission.header;
  packet.created = created;
  packet.flits = emission.flits;
  return packet;
}

}  // namespace

TEST_CASE("packets of jobs leave in the order of their birth, jobs of one cycle by their number") {
  SharedSource source(3);
  source.add(
      2, std::make_unique<ListedEmissions>(std::vector<Emission>{emission(3, 1, 20), emission(5, 1, 21)}));
  source.add(0,
             std::make_unique<ListedEmissions>(std::vector<Emission>{emission(5, 1, 1), emission(9, 1, 2)}));
  CHECK(given(source, 0).empty());
  CHECK(source.next_event() == 3);
  auto now = given(source, 3);
  REQUIRE(now.size() == 1);
  CHECK(job_of(now[0]) == 2);
  CHECK(now[0].header[0] == 20);
  CHECK(source.next_event() == 5);
  now = given(source, 6);  // a node that asks late
  REQUIRE(now.size() == 2);
  CHECK(job_of(now[0]) == 2);
  CHECK(job_of(now[1]) == 0);
  CHECK(now[1].created == 5);
  CHECK(given(source, 9).size() == 1);
  CHECK(source.next_event() == never);
  CHECK(source.packets(0).sent == 2);
  CHECK(source.packets(1).sent == 0);
  CHECK(source.packets(2).sent == 2);
  CHECK(source.lookahead_cycles() == never);
  CHECK(source.births_may_wait());
}

TEST_CASE("a packet that waits for those of a load is one that its job has sent") {
  SharedSource source(2);
  source.add(0, std::make_unique<Echo>());
  source.add(
      1, std::make_unique<ListedEmissions>(std::vector<Emission>{emission(3, 1, 20), emission(4, 1, 21)}));
  source.advance(2);
  source.arrived(2, packet_of(emission(0, 1, 7), 0));
  source.advance(4);  // the answer is born, after the load's first packet and with its second one
  Emission one;
  REQUIRE(source.next(one));
  CHECK(job_of(one) == 1);
  CHECK(source.packets(0).sent == 1);
  CHECK(source.packets(1).sent == 1);
  REQUIRE(source.next(one));
  CHECK(job_of(one) == 0);
  CHECK(source.packets(0).sent == 1);
}

TEST_CASE("each job hears of its own packets only") {
  SharedSource source(4);
  auto own = std::make_unique<Echo>(), other = std::make_unique<Echo>();
  Echo &first = *own, &second = *other;
  source.add(1, std::move(own));
  source.add(3, std::move(other));
  Emission mark = emission(0, 1, 0);
  mark.header[1] |= std::uint64_t{3} << 59;
  source.arrived(10, packet_of(mark, 4));
  CHECK(first.arrivals == 0);
  CHECK(second.arrivals == 1);
  CHECK(source.packets(3).arrived == 1);
  CHECK(source.packets(3).flits == 2);
  CHECK(source.packets(3).latency == 6);
  CHECK(source.next_event() == 12);
  CHECK(given(source, 11).empty());
  const auto echoed = given(source, 12);
  REQUIRE(echoed.size() == 1);
  CHECK(job_of(echoed[0]) == 3);
  CHECK(first.advances == 0);
  CHECK(second.advances == 1);
  source.departed(13, packet_of(mark, 4));
  source.dropped(13, packet_of(mark, 4), "link");
  CHECK((second.departures == 1 && second.drops == 1));
  CHECK((first.departures == 0 && first.drops == 0));
  CHECK(source.packets(3).dropped == 1);
  CHECK(source.packets(1).dropped == 0);
  // A job that has no source here: its packets are counted where they arrive.
  mark.header[1] = std::uint64_t{2} << 59;
  source.arrived(20, packet_of(mark, 15));
  CHECK(source.packets(2).latency == 5);
  JobPackets sum = source.packets(2);
  sum += source.packets(3);
  CHECK(sum.arrived == 2);
  CHECK(sum.flits == 4);
  CHECK(sum.latency == 11);
  CHECK(sum.dropped == 1);
}

TEST_CASE("ports of a node are places at the distance of the stride") {
  const Rails rails(2, 3, RailChoice::destination);
  CHECK(rails.count() == 2);
  CHECK(rails.stride() == 3);
  CHECK(rails.choice() == RailChoice::destination);
  for (NodeId node = 0; node < 12; ++node) {
    CHECK(rails.place(node, 1) == rails.place(node, 0) + rails.stride());
    for (const unsigned rail : {0U, 1U}) {
      CHECK(rails.node(rails.place(node, rail)) == node);
      CHECK(rails.rail(rails.place(node, rail)) == rail);
    }
  }
  CHECK(rails.place(4, 0) == 7);
  CHECK(Rails().place(4, 0) == 4);
}

TEST_CASE("a load among some nodes sends to their numbers") {
  const std::vector<NodeId> node_of = {12, 7};
  MappedSource source(
      std::make_unique<ListedEmissions>(std::vector<Emission>{emission(1, 0, 0), emission(2, 1, 0)}),
      node_of);
  Emission one;
  REQUIRE(source.next(one));
  CHECK(one.destination == End(NodeId{12}));
  REQUIRE(source.next(one));
  CHECK(one.destination == End(NodeId{7}));
  CHECK_FALSE(source.next(one));
  CHECK_FALSE(source.listens());
}

namespace {

/// A message of very many packets, all born in cycle 3.
class Message final : public EmissionSource {
 public:
  explicit Message(std::uint64_t packets) : left_(packets) {}
  bool next(Emission& out) override {
    if (left_ == 0) return false;
    --left_;
    ++given_;
    out = traffic::test::emission(3, 1);
    return true;
  }
  bool births_may_wait() const override { return true; }
  std::uint64_t given() const { return given_; }

 private:
  std::uint64_t left_, given_ = 0;
};

}  // namespace

TEST_CASE("a node holds a few packets of a long message, and sends one after the other") {
  constexpr std::uint64_t packets = EmissionSource::most_births + std::uint64_t{10};
  auto owned = std::make_unique<Message>(packets);
  const Message& message = *owned;
  traffic::test::Rig rig(std::move(owned), {}, 0xf, 8);
  rig.run(1000);
  CHECK(rig.state->packets_sent() > 900);
  CHECK(rig.state->packets_queued() <= 4);
  CHECK(message.given() <= rig.state->packets_sent() + 6);
  // As fast as a list that the node takes at once.
  traffic::test::Rig list(std::vector<Emission>(2000, traffic::test::emission(3, 1)), {}, 0xf, 8);
  list.run(1000);
  CHECK(list.state->packets_sent() == rig.state->packets_sent());
  CHECK(list.state->packets_queued() > 900);
}

TEST_CASE("a source whose births may wait may have more births in a cycle than others") {
  constexpr std::uint64_t packets = EmissionSource::most_births + std::uint64_t{10};
  CheckedSource source(std::make_unique<Message>(packets), NodeId{0}, CheckedSource::any_nodes);
  Emission one;
  std::uint64_t count = 0;
  while (source.next(one, 3)) ++count;
  CHECK(count == packets);
}
