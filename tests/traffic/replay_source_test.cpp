// SPDX-License-Identifier: Apache-2.0
#include "tsuji/traffic/replay_source.h"

#include <algorithm>
#include <map>
#include <memory>

#include "support/catch.h"
#include "tsuji/core/random.h"
#include "workload/trace_op.h"

using namespace tsuji;
using namespace tsuji::traffic;
using namespace tsuji::workload;
using tsuji::test::op;

namespace {

/// Places `each` ranks on each node, in order.
RankPlaces places_of(std::size_t ranks, std::size_t each) {
  RankPlaces places;
  places.ranks_on.resize((ranks + each - 1) / each);
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    places.node_of.push_back(static_cast<NodeId>(rank / each));
    places.ranks_on[rank / each].push_back(static_cast<std::uint16_t>(rank));
  }
  return places;
}

/// Nodes with their ranks. Each sends one flit a cycle, and packets take 10 cycles, or up to `spread` more,
/// so that they overtake each other.
class Nodes {
 public:
  explicit Nodes(Trace some, std::size_t ranks_on_node = 1, Cycle spread = 0)
      : trace(std::move(some)), places(places_of(trace.size(), ranks_on_node)), spread_(spread) {
    replay.eager_bytes = 1000;
  }

  /// Runs until nothing is left to do. `late`: arrivals of a cycle are reported after the node has run in it.
  void run(bool late = false) {
    for (NodeId node = 0; node < places.ranks_on.size(); ++node) {
      const ReplaySource::Parts parts{trace, replay, nic, places, &latency};
      sources.push_back(std::make_unique<ReplaySource>(parts, node));
    }
    free_at_.assign(sources.size(), 0);
    for (Cycle now = 1; upcoming() != never; ++now) {
      REQUIRE(now < 1'000'000);
      if (!late) tell(now);
      for (NodeId node = 0; node < sources.size(); ++node) advance(node, now);
      if (late) tell(now);
    }
  }
  const RankReplay& rank(std::uint16_t number) const {
    const auto& ranks = sources[places.node_of[number]]->ranks();
    return **std::find_if(ranks.begin(), ranks.end(), [&](const auto& one) { return one->rank() == number; });
  }
  ReplayCounters counters() const {
    ReplayCounters sum;
    for (const auto& source : sources) {
      const ReplayCounters& one = source->counters();
      sum.messages += one.messages;
      sum.message_bytes += one.message_bytes;
      sum.local_messages += one.local_messages;
      sum.local_bytes += one.local_bytes;
      sum.control_packets += one.control_packets;
      sum.data_packets += one.data_packets;
      sum.messages_arrived += one.messages_arrived;
      sum.bytes_arrived += one.bytes_arrived;
    }
    return sum;
  }

  const Trace trace;
  ReplayConfig replay;
  PacketizerConfig nic;
  const RankPlaces places;
  MessageLatencies latency;
  std::vector<std::unique_ptr<ReplaySource>> sources;
  std::vector<Emission> emissions;

 private:
  struct Event {
    NodeId node;
    bool departure;
    Packet packet;
  };

  void advance(NodeId node, Cycle now) {
    ReplaySource& source = *sources[node];
    if (source.next_event() > now) return;
    source.advance(now);
    for (Emission emission; source.next(emission);) {
      REQUIRE(emission.created == now);
      REQUIRE(emission.payload_bytes == 0);
      emissions.push_back(emission);
      Packet packet;
      packet.source = node;
      packet.destination = emission.destination;
      packet.created = emission.created;
      packet.header = emission.header;
      packet.flits = emission.flits;
      const Cycle tail = std::max(now, free_at_[node]) + emission.flits - 1;
      free_at_[node] = tail + 1;
      events_.insert({tail, {node, true, packet}});
      events_.insert({tail + 10 + (spread_ == 0 ? 0 : random_.below(spread_)),
                      {emission.destination.node(), false, packet}});
    }
  }
  void tell(Cycle now) {
    for (; !events_.empty() && events_.begin()->first <= now; events_.erase(events_.begin())) {
      const Event& event = events_.begin()->second;
      if (event.departure)
        sources[event.node]->departed(now, event.packet);
      else
        sources[event.node]->arrived(now, event.packet);
    }
  }
  Cycle upcoming() const {
    Cycle next = events_.empty() ? never : events_.begin()->first;
    for (const auto& source : sources) next = std::min(next, source->next_event());
    return next;
  }

  const Cycle spread_;
  CounterRandom random_{3, 0};
  std::vector<Cycle> free_at_;
  std::multimap<Cycle, Event> events_;
};

Trace trace_of(std::vector<RankOps> ranks) {
  Trace trace;
  trace.ranks = std::move(ranks);
  return trace;
}

std::vector<unsigned> flits_of(const std::vector<Emission>& emissions) {
  std::vector<unsigned> flits;
  for (const Emission& emission : emissions) flits.push_back(emission.flits);
  return flits;
}

}  // namespace

TEST_CASE("replay: a message of 600 bytes is three packets, and arrives with the last of them") {
  const bool late = GENERATE(false, true);
  Nodes nodes(trace_of({{{op(TraceOpKind::send, 600, 1, 5)}}, {{op(TraceOpKind::recv, 600, 0, 5)}}}));
  nodes.run(late);
  // One flit of header and 16 bytes each.
  CHECK(flits_of(nodes.emissions) == std::vector<unsigned>{17, 17, 7});
  for (const Emission& emission : nodes.emissions) {
    CHECK(emission.created == 1);
    CHECK(emission.destination == 1);
  }
  CHECK(nodes.rank(0).times().end == 1);  // buffered
  // 41 flits from cycle 1 on, the wire's delay, and one cycle to react.
  CHECK(nodes.rank(1).times().end == 41 + 10 + 1);
  CHECK(nodes.latency.histogram().count() == 1);
  CHECK(nodes.latency.histogram().max() == 41 + 10 - 1);
  const ReplayCounters all = nodes.counters();
  CHECK(all.messages == 1);
  CHECK(all.message_bytes == 600);
  CHECK(all.data_packets == 3);
  CHECK(all.control_packets == 0);
  CHECK(all.local_messages == 0);
  CHECK(all.messages_arrived == 1);
  CHECK(all.bytes_arrived == 600);
}

TEST_CASE(
    "replay: a message above eager_bytes sends a request, and its sender proceeds after its last flit") {
  const bool late = GENERATE(false, true);
  Nodes nodes(trace_of({{{op(TraceOpKind::send, 1001, 1)}}, {{op(TraceOpKind::recv, 1001, 0)}}}));
  nodes.run(late);
  CHECK(flits_of(nodes.emissions) == std::vector<unsigned>{1, 1, 17, 17, 17, 1 + 15});  // 233 = 15 * 16 - 7
  // The request leaves in 1, arrives in 11, is answered in 12; the answer arrives in 22.
  CHECK(nodes.emissions[1].created == 12);
  CHECK(nodes.emissions[1].destination == 0);
  CHECK(nodes.emissions[2].created == 23);
  const Cycle last = 23 + 3 * 17 + 16 - 1;
  CHECK(nodes.rank(0).times().end == last + 1);
  CHECK(nodes.rank(1).times().end == last + 10 + 1);
  const ReplayCounters all = nodes.counters();
  CHECK(all.messages == 1);
  CHECK(all.message_bytes == 1001);
  CHECK(all.control_packets == 2);
  CHECK(all.data_packets == 4);
  CHECK(all.messages_arrived == 1);
  CHECK(all.bytes_arrived == 1001);
  CHECK(nodes.latency.histogram().count() == 1);
  CHECK(nodes.latency.histogram().max() == last + 10 - 23);
}

TEST_CASE(
    "replay: ranks of one node exchange messages of any size without the network and without a request") {
  Nodes nodes(trace_of({{{op(TraceOpKind::send, 5000, 1), op(TraceOpKind::send, 3, 1)}},
                        {{op(TraceOpKind::recv, 5000, 0), op(TraceOpKind::recv, 3, 0)}}}),
              2);
  nodes.nic.local_cycles = 70;
  nodes.run();
  CHECK(nodes.emissions.empty());
  CHECK(nodes.rank(0).times().end == 1);
  CHECK(nodes.rank(1).times().end == 1 + 70);
  const ReplayCounters all = nodes.counters();
  CHECK(all.local_messages == 2);
  CHECK(all.local_bytes == 5003);
  CHECK(all.messages == 0);
  CHECK(all.messages_arrived == 0);
  CHECK(nodes.latency.histogram().count() == 0);
}

TEST_CASE("replay: a node runs when its ranks have finished computing, and never without ranks") {
  Nodes nodes(trace_of({{{op(TraceOpKind::compute, 500), op(TraceOpKind::send, 8, 1)}},
                        {{op(TraceOpKind::recv, 8, 0), op(TraceOpKind::compute, 30)}}}));
  nodes.run();
  REQUIRE(nodes.emissions.size() == 1);
  CHECK(nodes.emissions[0].created == 501);  // one flop takes one nanosecond
  CHECK(nodes.rank(1).times().end == 501 + 1 + 10 + 1 + 30);
  RankPlaces one_empty = nodes.places;
  one_empty.ranks_on.emplace_back();
  const ReplaySource::Parts parts{nodes.trace, nodes.replay, nodes.nic, one_empty, nullptr};
  CHECK(ReplaySource(parts, 2).next_event() == never);
  CHECK(ReplaySource(parts, 1).next_event() == 1);
  CHECK(ReplaySource(parts, 1).lookahead_cycles() == never);
  CHECK(ReplaySource(parts, 1).listens());
}

TEST_CASE("replay: a node is quiet when nothing but an arrival makes it act") {
  Nodes nodes(trace_of(
      {{{op(TraceOpKind::compute, 5), op(TraceOpKind::send, 8, 1)}}, {{op(TraceOpKind::recv, 8, 0)}}}));
  const ReplaySource::Parts parts{nodes.trace, nodes.replay, nodes.nic, nodes.places, nullptr};
  ReplaySource sender(parts, 0), receiver(parts, 1);
  receiver.advance(1);
  CHECK(receiver.is_quiet());
  sender.advance(1);
  CHECK_FALSE(sender.is_quiet());  // it computes
  sender.advance(6);
  CHECK_FALSE(sender.is_quiet());  // its packet has not been taken
  Emission one;
  REQUIRE(sender.next(one));
  CHECK_FALSE(sender.next(one));
  CHECK(sender.is_quiet());
}

TEST_CASE("replay: a rank sees an arrival and a departure one cycle later, whatever its node does earlier") {
  const bool late = GENERATE(false, true);
  // As above, with rank 2 on another node; the neighbours' computing ends in the cycles of departure and
  // arrival.
  const Cycle departure = 23 + 3 * 17 + 16 - 1, arrival = departure + 10;
  Nodes nodes(trace_of({{{op(TraceOpKind::send, 1001, 2)}},
                        {{op(TraceOpKind::compute, departure - 1)}},
                        {{op(TraceOpKind::recv, 1001, 0)}},
                        {{op(TraceOpKind::compute, arrival - 1)}}}),
              2);
  nodes.run(late);
  CHECK(nodes.rank(0).times().end == departure + 1);
  CHECK(nodes.rank(1).times().end == departure);
  CHECK(nodes.rank(2).times().end == arrival + 1);
  CHECK(nodes.rank(3).times().end == arrival);
}

TEST_CASE("replay: each receive gets its message, in any order of arrivals") {
  constexpr unsigned ranks = 6;
  const std::size_t each = GENERATE(1, 2, 3);
  const Cycle spread = GENERATE(0, 200);
  CounterRandom random(4, each * 1000 + spread);
  std::vector<RankOps> ops(ranks);
  std::uint64_t network = 0, network_bytes = 0, local = 0, local_bytes = 0, requests = 0, packets = 0;
  const std::int32_t tags[] = {0, 7, -1, 2'000'000'000, -2'000'000'000};
  for (unsigned round = 0; round < 60; ++round) {
    for (unsigned message = 0; message < 8; ++message) {
      const auto from = static_cast<unsigned>(random.below(ranks)),
                 to = static_cast<unsigned>(random.below(ranks));
      const std::int32_t tag = tags[random.below(5)];
      const std::uint64_t bytes = random.below(4) == 0 ? random.below(4000) : random.below(300);
      ops[from].push_back(op(TraceOpKind::isend, bytes, to, tag));
      ops[to].push_back(op(TraceOpKind::irecv, bytes, from, tag));
      if (from / each == to / each) {
        ++local;
        local_bytes += bytes;
        continue;
      }
      ++network;
      network_bytes += bytes;
      requests += bytes > 1000 ? 1 : 0;
      packets += bytes == 0 ? 1 : (bytes + 255) / 256;
    }
    for (unsigned rank = 0; rank < ranks; ++rank) {
      ops[rank].push_back(op(TraceOpKind::compute, random.below(100)));
      ops[rank].push_back(op(TraceOpKind::waitall));
    }
  }
  Nodes nodes(trace_of(std::move(ops)), each, spread);
  nodes.run(spread != 0);
  workload::MessageCount sent, received;
  for (std::uint16_t rank = 0; rank < ranks; ++rank) {
    CHECK(nodes.rank(rank).finished());
    sent += nodes.rank(rank).sent();
    received += nodes.rank(rank).received();
  }
  for (const workload::MessageCount& count : {sent, received}) {
    CHECK(count.messages == 480);
    CHECK(count.bytes == network_bytes + local_bytes);
  }
  const ReplayCounters all = nodes.counters();
  CHECK(all.messages == network);
  CHECK(all.message_bytes == network_bytes);
  CHECK(all.local_messages == local);
  CHECK(all.local_bytes == local_bytes);
  CHECK(all.messages_arrived == network);
  CHECK(all.bytes_arrived == network_bytes);
  CHECK(all.control_packets == 2 * requests);
  CHECK(all.data_packets == packets);
  CHECK(nodes.emissions.size() == packets + 2 * requests);
  CHECK(nodes.latency.histogram().count() == network);
}

TEST_CASE("replay: collectives are messages between nodes, and end on all ranks") {
  const std::size_t each = GENERATE(1, 2);
  std::vector<RankOps> ops(5);
  for (auto& rank : ops) {
    for (unsigned round = 0; round < 5; ++round) {
      rank.push_back(op(TraceOpKind::allreduce, 2000));
      rank.push_back(op(TraceOpKind::alltoall, 300));
      rank.push_back(op(TraceOpKind::barrier));
      rank.push_back(op(TraceOpKind::bcast, 10, 3));
    }
  }
  Nodes nodes(trace_of(std::move(ops)), each, 100);
  nodes.run();
  for (std::uint16_t rank = 0; rank < 5; ++rank) CHECK(nodes.rank(rank).finished());
  CHECK(nodes.counters().messages == nodes.counters().messages_arrived);
  CHECK(nodes.counters().message_bytes == nodes.counters().bytes_arrived);
}

TEST_CASE("replay: the largest message has 2^32 - 1 bytes, and a packet reaches its rank's node") {
  for (const std::uint64_t bytes : {ReplaySource::most_message_bytes, ReplaySource::most_message_bytes + 1}) {
    Nodes nodes(trace_of({{{op(TraceOpKind::isend, bytes, 1)}}, {{op(TraceOpKind::irecv, bytes, 0)}}}));
    nodes.nic.packet_bytes = 1 << 20;
    nodes.nic.flit_bytes = 1 << 10;
    const ReplaySource::Parts parts{nodes.trace, nodes.replay, nodes.nic, nodes.places, nullptr};
    ReplaySource sender(parts, 0), receiver(parts, 1);
    if (bytes > ReplaySource::most_message_bytes) {
      CHECK_THROWS_WITH(sender.advance(1),
                        "node 0, cycle 1: a message that a packet header cannot represent");
      continue;
    }
    sender.advance(1);
    receiver.advance(1);
    Emission emission;
    REQUIRE(sender.next(emission));
    CHECK_FALSE(sender.next(emission));
    Packet packet;
    packet.header = emission.header;
    receiver.arrived(20, packet);
    CHECK(receiver.next_event() == 21);
    receiver.advance(21);
    REQUIRE(receiver.next(emission));
    packet.header = emission.header;
    CHECK(emission.destination == 0);
    receiver.arrived(30, packet);
    CHECK_THROWS_WITH(receiver.advance(31), "node 1, cycle 31: rank 0 is not here");
    sender.arrived(30, packet);
    sender.advance(31);
    std::uint64_t packets = 0;
    while (sender.next(emission)) ++packets;
    CHECK(packets == 4096);
    CHECK(sender.counters().data_packets == packets);
  }
}

TEST_CASE("replay: the sender of a large message proceeds after the last port on which packets of it leave") {
  const auto packets = GENERATE(1U, 2U, 3U);
  const unsigned bytes = packets * PacketizerConfig().packet_bytes;
  Nodes nodes(trace_of({{{op(TraceOpKind::send, bytes, 1)}}, {{op(TraceOpKind::recv, bytes, 0)}}}));
  nodes.replay.eager_bytes = 0;
  ReplaySource::Parts parts{nodes.trace, nodes.replay, nodes.nic, nodes.places, nullptr};
  parts.rails = Rails(2, 2, RailChoice::packet);
  ReplaySource sender(parts, 0), receiver(parts, 1);
  const auto next_of = [](ReplaySource& source, unsigned rail) {
    Emission emission;
    REQUIRE(source.next(rail, emission));
    Packet packet;
    packet.header = emission.header;
    return packet;
  };
  sender.advance(1);
  receiver.advance(1);
  receiver.arrived(0, 10, next_of(sender, 0));  // the request
  receiver.advance(11);
  sender.arrived(0, 20, next_of(receiver, 0));  // the answer
  sender.advance(21);
  for (unsigned packet = 0; packet < packets; ++packet) {
    CHECK(sender.next_event() == never);
    const unsigned rail = (packet + 1) % 2;  // after the request
    sender.departed(rail, 30 + packet, next_of(sender, rail));
  }
  CHECK(sender.next_event() == 30 + packets);
  sender.advance(30 + packets);
  CHECK(sender.ranks().front()->times().end == 30 + packets);
}

TEST_CASE("replay: packets and flits of a payload") {
  PacketizerConfig nic;
  nic.packet_bytes = 100;
  nic.flit_bytes = 8;
  nic.header_flits = 2;
  for (const auto& [bytes, packets] : std::vector<std::pair<std::uint64_t, std::uint64_t>>{
           {0, 1}, {1, 1}, {99, 1}, {100, 1}, {101, 2}, {200, 2}, {201, 3}})
    CHECK(nic.packets(bytes) == packets);
  CHECK(nic.flits(0) == 2);
  CHECK(nic.flits(1) == 3);
  CHECK(nic.flits(8) == 3);
  CHECK(nic.flits(9) == 4);
  nic.header_flits = 0;
  CHECK(nic.flits(0) == 1);
  CHECK(nic.flits(1) == 1);
  CHECK(nic.flits(16) == 2);
}

TEST_CASE("a message with dropped packets is lost once, with the part and the cause of the first drop") {
  Trace trace;
  trace.ranks.emplace_back(
      std::vector<TraceOp>{op(TraceOpKind::isend, 900, 1, 3), op(TraceOpKind::isend, 2000, 1, 4)});
  trace.ranks.emplace_back(std::vector<TraceOp>{});
  Nodes nodes(trace);
  const ReplaySource::Parts parts{nodes.trace, nodes.replay, nodes.nic, nodes.places, nullptr};
  ReplaySource source(parts, 0);
  source.advance(1);
  std::vector<Packet> packets;
  for (Emission emission; source.next(emission);) {
    packets.emplace_back();
    packets.back().header = emission.header;
  }
  REQUIRE(packets.size() == 5);  // four of the first message, and an announcement
  source.dropped(20, packets[3], "no_way");
  source.dropped(21, packets[0], "link_down");
  source.dropped(22, packets[4], "link_down");
  REQUIRE(source.lost().size() == 2);
  const LostMessage &first = source.lost()[0], &second = source.lost()[1];
  CHECK((first.source == 0 && first.destination == 1 && first.tag == 3 && first.bytes == 900));
  CHECK((first.cycle == 20 && first.cause == "no_way" && std::string(first.part).empty()));
  CHECK((second.tag == 4 && second.bytes == 2000 && std::string(second.part) == "its announcement"));
}

TEST_CASE("replay: messages of one tag are lost each, by their numbers") {
  Nodes nodes(trace_of({{{op(TraceOpKind::isend, 8, 1, 3), op(TraceOpKind::isend, 8, 1, 3)}}, {}}));
  ReplaySource source({nodes.trace, nodes.replay, nodes.nic, nodes.places, nullptr}, 0);
  source.advance(1);
  Emission emission;
  for (const Cycle cycle : {20, 21}) {
    REQUIRE(source.next(emission));
    Packet packet;
    packet.header = emission.header;
    source.dropped(cycle, packet, "no_way");
    source.dropped(cycle + 5, packet, "no_way");
  }
  REQUIRE(source.lost().size() == 2);
  CHECK((source.lost()[0].cycle == 20 && source.lost()[1].cycle == 21));
}
