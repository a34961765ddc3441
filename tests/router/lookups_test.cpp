// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <deque>
#include <map>
#include <vector>

#include "router/rig.h"
#include "support/catch.h"
#include "tsuji/core/error.h"

using namespace tsuji;
using namespace tsuji::router;
using namespace tsuji::router::test;

namespace {

/// A table with one port that all inputs share: a read starts in every fourth cycle, first come first served,
/// and takes five (Yoshinaga 2004's table takes five clocks; the arbitration is what this test is about).
class SharedTable final : public RouteLookup {
 public:
  void bind_client(RouteClient& client) override { client_ = &client; }
  Cycle request(Cycle now, const routing::RouteQuery& query, std::uint32_t ticket,
                routing::RouteSet&) override {
    ++asked;
    classes.push_back(query.packet_class);
    const Cycle start = std::max(now, free_at_);
    free_at_ = start + 4;
    waiting_.push_back({start + 5, ticket, query.destination.node()});
    return never;
  }
  void cancel(Cycle, std::uint32_t ticket) override {
    for (auto read = waiting_.begin(); read != waiting_.end(); ++read) {
      if (read->ticket != ticket) continue;
      waiting_.erase(read);
      ++cancelled;
      return;
    }
  }
  /// Routes to the port after the requested one.
  void exchange_routing(const routing::Routing&, Cycle) override { shift_ = 1; }
  /// Answers one cycle ahead, in the step before the answer is due, as a separate module would.
  void step(Cycle now) {
    while (!waiting_.empty() && waiting_.front().at == now + 1) {
      routing::RouteSet candidates;
      candidates.add(waiting_.front().destination + shift_, 0xf);
      client_->route_answer(waiting_.front().ticket, now + 1, candidates);
      waiting_.pop_front();
    }
  }
  unsigned asked = 0, cancelled = 0;
  std::vector<PacketClass> classes;

 private:
  struct Read {
    Cycle at;
    std::uint32_t ticket;
    NodeId destination;
  };
  RouteClient* client_ = nullptr;
  Cycle free_at_ = 0;
  unsigned shift_ = 0;
  std::deque<Read> waiting_;
};

void run(Rig& rig, SharedTable& table, Cycle end) {
  while (rig.now < end) {
    rig.run(rig.now + 1);
    table.step(rig.now - 1);
  }
}

Cycle head_of(const Rig& rig, PacketIndex packet) {
  for (const Seen& seen : rig.seen) {
    if (seen.packet == packet && seen.sequence == 0) return seen.cycle;
  }
  return never;
}

}  // namespace

TEST_CASE("a shared table answers heads one after another") {
  SharedTable table;
  Rig rig({}, &table);
  const PacketIndex first = rig.packet(2, 1, 1), second = rig.packet(2, 1, 2), third = rig.packet(1, 1, 3);
  rig.arrive(20, 0, 0, first);
  rig.arrive(20, 1, 0, second);
  rig.arrive(21, 0, 1, third);
  run(rig, table, 80);
  // A one-cycle table gives 25; here the read takes five cycles instead of one.
  CHECK(head_of(rig, first) == 29);
  CHECK(head_of(rig, second) == 29 + 4);
  CHECK(head_of(rig, third) == 29 + 8);
}

TEST_CASE("a head requests its route at the front of its virtual channel, or on arrival") {
  SharedTable table;
  RigConfig config;
  config.router.route_at = GENERATE(RouteAt::front, RouteAt::arrival);
  Rig rig(config, &table);
  // Three packets of two flits in one virtual channel, all there from the start.
  std::vector<PacketIndex> packets;
  for (std::uint32_t p = 0; p < 3; ++p) {
    packets.push_back(rig.packet(1 + p % 2, 2, p));
    rig.arrive(20 + 2 * p, 0, 0, packets.back());
  }
  run(rig, table, 120);
  // 20: requested, 25: answer and VA, 26 and 27: SA of both flits, 28: the next packet's head is at the
  // front.
  if (config.router.route_at == RouteAt::front) {
    CHECK(head_of(rig, packets[0]) == 29);
    CHECK(head_of(rig, packets[1]) == 29 + 8);
    CHECK(head_of(rig, packets[2]) == 29 + 16);
  } else {
    // The second is requested in 22 and read 24 to 29; the third is requested in 24 and read 28 to 33.
    CHECK(head_of(rig, packets[0]) == 29);
    CHECK(head_of(rig, packets[1]) == 29 + 1 + 3);
    CHECK(head_of(rig, packets[2]) == 33 + 1 + 3);
  }
}

TEST_CASE("a route request is cancelled and sent again") {
  SharedTable table;
  Rig rig({}, &table);
  const PacketIndex packet = rig.packet(2, 2);
  rig.arrive(20, 0, 0, packet);
  run(rig, table, 23);
  rig.state->route_again(0, 0, 22);
  CHECK(table.cancelled == 1);
  run(rig, table, 80);
  // Requested again in 23; the table is busy with the first read until 24.
  CHECK(head_of(rig, packet) == 24 + 5 + 4);
  CHECK(rig.state->counters().flits == 2);
}

TEST_CASE("heads that requested routes on arrival request them again after all routes may have changed") {
  SharedTable table;
  RigConfig config;
  config.router.route_at = RouteAt::arrival;
  Rig rig(config, &table);
  std::vector<PacketIndex> packets;
  for (std::uint32_t p = 0; p < 3; ++p) {
    packets.push_back(rig.packet(1, 1, p));
    rig.arrive(20 + p, 0, 0, packets.back());
  }
  run(rig, table, 24);
  CHECK(table.asked == 3);
  rig.state->route_all_again(23);
  CHECK(table.cancelled == 3);
  run(rig, table, 26);
  CHECK(table.asked == 6);
  run(rig, table, 120);
  CHECK(rig.seen.size() == 3);
  CHECK(table.asked == 6);
}

TEST_CASE(
    "requests to a replaced routing are cancelled and sent again, those of arrivals and those at the front") {
  SharedTable table;
  RigConfig config;
  config.ports = 4;
  config.router.route_at = RouteAt::arrival;
  Rig rig(config, &table);
  // A worm without credits, followed by a head that is answered and one that is not; a third is at another
  // front.
  rig.stopped[2] = true;
  const PacketIndex worm = rig.packet(2, 12, 1), answered = rig.packet(2, 1, 2), open = rig.packet(2, 1, 3),
                    front = rig.packet(2, 1, 4);
  for (unsigned f = 0; f < 12; ++f) rig.arrive((f < 8 ? 20 : 30) + f, 0, 0, worm, f);
  rig.arrive(51, 0, 0, answered);  // read from 51 to 56
  rig.arrive(52, 0, 0, open);      // 55 to 60
  rig.arrive(53, 1, 0, front);     // 59 to 64
  run(rig, table, 58);
  CHECK(table.asked == 4);
  rig.state->exchange_routing({&rig.routing, 1}, 57);
  CHECK(table.cancelled == 2);
  run(rig, table, 59);
  CHECK(table.asked == 7);
  rig.stopped[2] = false;
  run(rig, table, 140);
  CHECK(table.asked == 7);
  CHECK(table.cancelled == 2);
  REQUIRE(rig.seen.size() == 15);
  for (const Seen& seen : rig.seen) CHECK(seen.port == (seen.packet == worm ? 2 : 3));
}

TEST_CASE(
    "a head over the hop limit is reported before its route request, which has the packet's new class") {
  struct Events final : RouterEvents {
    void on_blocked(graph::RouterId, unsigned, unsigned, PacketIndex, Cycle) override {}
    void on_no_route(graph::RouterId, unsigned, unsigned, PacketIndex, Cycle) override {}
    void on_hop_limit(graph::RouterId, unsigned port, unsigned vc, PacketIndex packet, Cycle now) override {
      list.push_back({now, port, vc, packet, 0});
      pool->at(packet).packet_class = PacketClass::recovery;
    }
    PacketPool* pool = nullptr;
    std::vector<Seen> list;
  } events;
  SharedTable table;
  RigConfig config;
  config.router.route_at = GENERATE(RouteAt::front, RouteAt::arrival);
  config.router.hop_limit = 5;
  Rig rig(config, &table, &events);
  events.pool = &rig.pool;
  const PacketIndex within = rig.packet(1, 1, 1), over = rig.packet(2, 1, 2), last = rig.packet(1, 1, 3);
  rig.pool.at(within).hops = rig.pool.at(last).hops = 5;
  rig.pool.at(over).hops = 6;
  rig.arrive(20, 0, 1, within);
  rig.arrive(21, 0, 1, over);
  rig.arrive(22, 0, 1, last);
  run(rig, table, 120);
  REQUIRE(events.list.size() == 1);
  CHECK(events.list[0].packet == over);
  CHECK(events.list[0].cycle == 27);  // the answer for the first one is used from 25 on
  CHECK(events.list[0].port == 0);
  CHECK(events.list[0].vc == 1);
  CHECK(rig.state->counters().over_hop_limit == 1);
  CHECK(rig.seen.size() == 3);
  // A request made on arrival is sent again.
  const auto recovery = std::count(table.classes.begin(), table.classes.end(), PacketClass::recovery);
  CHECK(recovery == 1);
  CHECK(table.classes.back() ==
        (config.router.route_at == RouteAt::front ? PacketClass::normal : PacketClass::recovery));
  CHECK(table.cancelled == (config.router.route_at == RouteAt::front ? 0 : 1));
}

TEST_CASE("an output pauses where its virtual channel changes, and not between flits of one") {
  RigConfig config;
  config.channel.vcs = 2;
  config.router.vc_change_cycles = 3;
  Rig rig(config);
  rig.arrive(20, 0, 0, rig.packet(1, 4, 1));  // without competitors
  rig.arrive(60, 0, 0, rig.packet(1, 4, 2));
  rig.arrive(60, 2, 0, rig.packet(1, 4, 3));
  rig.run(160);
  REQUIRE(rig.seen.size() == 12);
  for (std::size_t i = 1; i < 4; ++i) CHECK(rig.seen[i].cycle - rig.seen[i - 1].cycle == 1);
  unsigned changes = 0;
  for (std::size_t i = 5; i < 12; ++i) {
    const Cycle gap = rig.seen[i].cycle - rig.seen[i - 1].cycle;
    const bool change = rig.seen[i].vc != rig.seen[i - 1].vc;
    CHECK((change ? gap >= 4 : gap == 1));
    changes += change ? 1 : 0;
  }
  CHECK(changes >= 1);
}

TEST_CASE("an output pauses, too, where the credit for another virtual channel comes during the pause") {
  // The second has more virtual channels than a word has bits.
  const bool wide = GENERATE(false, true);
  RigConfig config;
  config.ports = wide ? 5 : 3;
  config.channel.vcs = wide ? 16 : 3;
  config.channel.depth_flits = 1;
  config.channel.credit_latency_cycles = GENERATE(range(1, 12));
  config.router.vc_change_cycles = GENERATE(1, 3, 6);
  Rig rig(config);
  // A flit is sent as soon as the input has room for it, so the output's credits and pauses are the limit.
  std::map<std::pair<unsigned, unsigned>, std::pair<PacketIndex, unsigned>> streams;
  for (const unsigned p : {config.ports - 3, config.ports - 1}) {
    for (unsigned vc = 1; vc <= 3; ++vc)
      streams[{p, config.channel.vcs - vc}] = {rig.packet(1, 20, 10 * p + vc), 0};
  }
  for (Cycle cycle = 10; cycle < 2000; ++cycle) {
    for (const unsigned p : {config.ports - 3, config.ports - 1}) {
      const auto vc = config.channel.vcs - 1 - static_cast<unsigned>(cycle % 3);
      auto& [packet, sequence] = streams[{p, vc}];
      if (sequence < 20 && rig.in[p]->ring(vc).credit_at() <= cycle)
        rig.arrive(cycle + 1, p, vc, packet, sequence++);
    }
    rig.run(cycle + 1);
  }
  REQUIRE(rig.seen.size() == 6 * 20);
  unsigned changes = 0;
  for (std::size_t i = 1; i < rig.seen.size(); ++i) {
    const bool change = rig.seen[i].vc != rig.seen[i - 1].vc;
    CHECK(rig.seen[i].cycle - rig.seen[i - 1].cycle >= 1 + (change ? config.router.vc_change_cycles : 0));
    changes += change ? 1 : 0;
  }
  CHECK(changes > 3);
}

TEST_CASE(
    "a head that holds an output without having sent can be routed again, and one that has sent cannot") {
  RigConfig config;
  config.channel.vcs = 1;
  Rig rig(config);
  rig.stopped[1] = true;
  const PacketIndex first = rig.packet(1, 8, 1), second = rig.packet(1, 2, 2);
  rig.arrive(20, 0, 0, first);
  rig.run(60);
  rig.arrive(62, 2, 0, second);
  rig.run(100);  // the second holds the virtual channel, and there is no credit
  CHECK(rig.state->view(2, 0).state == VcState::active);
  rig.pool.at(second).destination = 0;
  rig.state->route_again(2, 0, 99);
  CHECK(rig.state->view(2, 0).state == VcState::idle);
  rig.run(140);
  CHECK(head_of(rig, second) == 100 + 5);
}

TEST_CASE("an answer without a request stops the run") {
  Rig rig({});
  routing::RouteSet candidates;
  candidates.add(1, 1);
  CHECK_THROWS_AS(rig.state->route_answer(77, 30, candidates), ModelError);
}
