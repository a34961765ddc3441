// SPDX-License-Identifier: Apache-2.0
#include "tsuji/traffic/classed_source.h"

#include <utility>

#include "support/catch.h"
#include "tsuji/core/error.h"
#include "tsuji/core/packet.h"

using namespace tsuji;
using namespace tsuji::traffic;

namespace {

/// Requests, which replies of two flits answer after three cycles, and notes without an answer.
MessageClasses classes(unsigned requests, unsigned notes) {
  MessageClasses classes;
  MessageClass request, reply, note;
  request.name = "request";
  request.share = requests;
  request.answer = 1;
  reply.name = "reply";
  reply.share = 0;
  reply.flits = 2;
  reply.queue = 2;
  reply.delay_cycles = 3;
  note.name = "note";
  note.share = notes;
  note.flits = 7;
  classes.all = {request, reply, note};
  return classes;
}

std::unique_ptr<EmissionSource> births(const std::vector<Cycle>& cycles) {
  std::vector<Emission> all;
  for (const Cycle cycle : cycles) {
    Emission& one = all.emplace_back();
    one.created = cycle;
    one.destination = 5;
    one.flits = 4;
  }
  return std::make_unique<ListedEmissions>(std::move(all));
}

/// Knows its packet of cycle 20 from that cycle on only.
class OpenedByTime final : public EmissionSource {
 public:
  void advance(Cycle now) override { now_ = now; }
  bool next(Emission& emission) override {
    if (now_ < 20 || sent_) return false;
    emission.created = 20;
    emission.destination = 5;
    emission.flits = 4;
    return sent_ = true;
  }

 private:
  Cycle now_ = 0;
  bool sent_ = false;
};

struct Arrivals {
  PacketRef packet(NodeId source, Cycle created, unsigned sid, std::uint64_t began = 0) {
    PacketRef ref = pool.make_bare();
    ref.edit().source = source;
    ref.edit().destination = 0;
    ref.edit().created = created;
    ref.edit().sid = static_cast<std::uint8_t>(sid);
    ref.edit().header[0] = began;
    return ref;
  }
  PacketPool pool;
};

/// A request that arrives as at a node.
void arrives(ClassedSource& source, Cycle now, PacketRef packet) {
  source.begins(now, *packet);
  source.take(now, std::move(packet));
}

}  // namespace

TEST_CASE("a request is answered to its source, after the class's delay") {
  const MessageClasses all = classes(1, 0);
  ClassedSource source(births({}), all, 1, 0);
  Arrivals arrivals;
  Emission one;
  CHECK(source.next_event() == never);
  arrives(source, 10, arrivals.packet(9, 4, 0));
  CHECK(source.next_event() == 14);
  source.advance(13);
  CHECK_FALSE(source.next(one));
  source.advance(14);
  REQUIRE(source.next(one));
  CHECK(one.created == 14);
  CHECK(one.destination.node() == 9);
  CHECK(one.flits == 2);
  CHECK(one.sid == 1);
  CHECK(one.header[0] == 5);  // the request's birth, plus 1
  CHECK_FALSE(source.next(one));
  arrives(source, 20, arrivals.packet(8, 15, 0, 3));
  source.advance(30);
  REQUIRE(source.next(one));
  CHECK(one.header[0] == 3);  // of the transaction that the request is a part of
}

TEST_CASE("answers and generated packets leave in the order of their birth, answers first in a cycle") {
  const MessageClasses all = classes(1, 0);
  ClassedSource source(births({12, 14, 15}), all, 1, 0);
  Arrivals arrivals;
  CHECK(source.next_event() == 12);
  arrives(source, 10, arrivals.packet(9, 4, 0));
  source.advance(20);
  std::vector<std::pair<Cycle, unsigned>> order;
  for (Emission one; source.next(one);) order.emplace_back(one.created, one.sid);
  CHECK(order == std::vector<std::pair<Cycle, unsigned>>{{12, 0}, {14, 1}, {14, 0}, {15, 0}});
}

TEST_CASE("answers of one cycle leave in the order of their classes, whichever request came first") {
  MessageClasses all;
  all.all.resize(4);
  all.all[0].answer = 2;
  all.all[1].answer = 3;
  const unsigned earlier = GENERATE(0U, 1U);
  ClassedSource source(births({}), all, 1, 0);
  Arrivals arrivals;
  for (const unsigned sid : {earlier, 1 - earlier}) arrives(source, 10, arrivals.packet(9, 4, sid));
  source.advance(20);
  std::vector<unsigned> order;
  for (Emission one; source.next(one);) order.push_back(one.sid);
  CHECK(order == std::vector<unsigned>{2, 3});
}

TEST_CASE("a node lets in as many requests as it has room for answers") {
  const MessageClasses all = classes(1, 0);
  ClassedSource source(births({}), all, 1, 0);
  Arrivals arrivals;
  CHECK(source.closed_classes() == 0);
  source.begins(1, *arrivals.packet(9, 0, 2));  // nobody answers it
  arrives(source, 1, arrivals.packet(9, 0, 0));
  CHECK(source.closed_classes() == 0);
  arrives(source, 2, arrivals.packet(9, 0, 0));
  CHECK(source.closed_classes() == 1);
  CHECK_THROWS_AS(arrives(source, 3, arrivals.packet(9, 0, 0)), ModelError);
  source.departed(8, *arrivals.packet(0, 5, 1));
  source.departed(9, *arrivals.packet(0, 5, 1));
  CHECK(source.closed_classes() == 0);
}

TEST_CASE("classes are drawn by their shares, and have their own lengths") {
  const std::vector<Cycle> cycles(400, 1);
  const auto drawn = [&](const MessageClasses& all) {
    ClassedSource source(births(cycles), all, 1, 0);
    source.advance(1);
    std::vector<unsigned> count(all.all.size());
    for (Emission one; source.next(one);) {
      ++count[one.sid];
      CHECK(one.flits == (one.sid == 2 ? 7U : 4U));
    }
    return count;
  };
  CHECK(drawn(classes(1, 0)) == std::vector<unsigned>{400, 0, 0});
  CHECK(drawn(classes(0, 1)) == std::vector<unsigned>{0, 0, 400});
  const std::vector<unsigned> mixed = drawn(classes(1, 3));
  CHECK(mixed[0] + mixed[2] == 400);
  CHECK(mixed[0] > 60);  // 100 are expected, with a deviation of 9
  CHECK(mixed[0] < 140);
}

TEST_CASE("a source of classes asks for packets again in each cycle") {
  const MessageClasses notes = classes(0, 1);
  ClassedSource source(std::make_unique<OpenedByTime>(), notes, 1, 0);
  Emission emission;
  source.advance(19);
  CHECK_FALSE(source.next(emission));
  source.advance(20);
  REQUIRE(source.next(emission));
  CHECK(emission.created == 20);
  CHECK(emission.flits == 7);
  CHECK_FALSE(source.next(emission));
}
