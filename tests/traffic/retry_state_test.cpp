// SPDX-License-Identifier: Apache-2.0
#include "tsuji/traffic/retry_state.h"

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "support/catch.h"
#include "tsuji/core/error.h"
#include "tsuji/core/random.h"

using namespace tsuji;
using namespace tsuji::traffic;

namespace {

using Kind = RetryState::Kind;
using Arrival = RetryState::Arrival;

RetryConfig retry(Cycle timeout, unsigned most_tries = 8) {
  RetryConfig config;
  config.timeout_cycles = timeout;
  config.most_tries = most_tries;
  return config;
}

Emission message(NodeId destination, Cycle created = 0, unsigned flits = 4) {
  Emission emission;
  emission.created = created;
  emission.destination = destination;
  emission.flits = static_cast<std::uint16_t>(flits);
  return emission;
}

Packet packet_of(const RetryState::Departure& departure, NodeId source) {
  Packet packet;
  packet.source = source;
  packet.destination = departure.emission.destination;
  packet.flits = departure.emission.flits;
  packet.created = departure.emission.created;
  packet.order = departure.key.sequence;
  packet.oldest = departure.oldest;
  packet.acknowledges = departure.kind == Kind::acknowledgement;
  return packet;
}

/// Sends the only message's packet, which leaves in `now`, and its last flit in `last`.
Packet send(RetryState& state, NodeId node, Cycle now, Cycle last) {
  RetryState::Departure departure;
  REQUIRE(state.next(now, departure));
  state.left(last, false);
  return packet_of(departure, node);
}

/// Nodes joined by a channel that delays every packet by a random time and loses some.
class Nodes {
 public:
  using Loses = std::function<bool(const Packet&, Cycle)>;

  Nodes(unsigned nodes, const RetryConfig& config, Loses loses, std::uint64_t seed = 1)
      : config_(config), loses_(std::move(loses)), random_(seed, 77), free_at_(nodes) {
    for (NodeId node = 0; node < nodes; ++node) states.push_back(std::make_unique<RetryState>(config_, node));
  }

  /// Runs until nothing is kept, waits, or is in flight.
  void run(
      const std::function<void(Cycle)>& births = [](Cycle) {}, Cycle births_end = 0) {
    for (now = 1; now < births_end || busy(); ++now) {
      REQUIRE(now < 10'000'000);
      if (now < births_end) births(now);
      arrive();
      for (NodeId node = 0; node < states.size(); ++node) step(node);
      for (const auto& state : states) state->check(now + 1);
    }
  }
  void add(NodeId source, NodeId destination) {
    states[source]->add(message(destination, now, 1 + static_cast<unsigned>(random_.below(5))));
    ++born;
  }

  std::vector<std::unique_ptr<RetryState>> states;
  Cycle now = 0;
  std::uint64_t born = 0, lost_packets = 0;
  std::map<std::pair<NodeId, RetryKey>, unsigned> delivered;  ///< number of deliveries of a message
  std::map<Arrival, std::uint64_t> arrivals;
  std::map<Kind, std::uint64_t> departures;
  std::vector<RetryState::GivenUp> given_up;
  std::uint64_t most_remembered = 0, most_kept = 0;

 private:
  bool busy() const {
    if (!under_way_.empty()) return true;
    for (const auto& state : states) {
      if (state->kept() != 0 || state->waits()) return true;
    }
    return false;
  }
  void arrive() {
    for (; !under_way_.empty() && under_way_.begin()->first <= now; under_way_.erase(under_way_.begin())) {
      const Packet& packet = under_way_.begin()->second;
      RetryState& state = *states[packet.destination.node()];
      const Arrival judged = state.judge(packet);
      const Arrival arrival = state.take(now, packet);
      REQUIRE(judged == arrival);
      ++arrivals[arrival];
      if (arrival == Arrival::first)
        ++delivered[{packet.source.node(), {packet.destination.node(), packet.order}}];
    }
    std::uint64_t remembered = 0, kept = 0;
    for (const auto& state : states) {
      remembered += state->received_out_of_order();
      kept += state->kept();
    }
    most_remembered = std::max(most_remembered, remembered);
    most_kept = std::max(most_kept, kept);
  }
  void step(NodeId node) {
    RetryState& state = *states[node];
    if (state.alarm() <= now) {
      for (const auto& one : state.expire(now)) given_up.push_back(one);
    }
    if (free_at_[node] > now) return;
    RetryState::Departure departure;
    if (!state.next(now, departure)) return;
    ++departures[departure.kind];
    const Packet packet = packet_of(departure, node);
    free_at_[node] = now + packet.flits;
    state.left(now + packet.flits - 1, false);
    if (loses_(packet, now)) {
      ++lost_packets;
      return;
    }
    under_way_.emplace(now + packet.flits + 1 + random_.below(40), packet);
  }

  const RetryConfig config_;
  const Loses loses_;
  CounterRandom random_;
  std::vector<Cycle> free_at_;
  std::multimap<Cycle, Packet> under_way_;
};

}  // namespace

TEST_CASE("retry: over a channel that loses, delays and reorders, every message is delivered once") {
  const double share = GENERATE(0.0, 0.1, 0.25);
  CounterRandom losses(5, 9), births(6, 9);
  Nodes nodes(4, retry(100, 20), [&](const Packet&, Cycle) { return losses.unit() < share; });
  nodes.run(
      [&](Cycle) {
        for (NodeId node = 0; node < 4; ++node)
          if (births.below(12) == 0) nodes.add(node, static_cast<NodeId>(births.below(4)));
      },
      20'000);
  CAPTURE(share);
  CHECK(nodes.born > 6000);
  CHECK(nodes.delivered.size() == nodes.born);
  for (const auto& [key, times] : nodes.delivered) REQUIRE(times == 1);
  CHECK(nodes.given_up.empty());
  CHECK(nodes.departures[Kind::message] == nodes.born);
  // Each arrival is acknowledged, and each packet arrives or is lost.
  CHECK(nodes.departures[Kind::acknowledgement] ==
        nodes.arrivals[Arrival::first] + nodes.arrivals[Arrival::duplicate]);
  CHECK(nodes.departures[Kind::message] + nodes.departures[Kind::repeat] +
            nodes.departures[Kind::acknowledgement] ==
        nodes.arrivals[Arrival::first] + nodes.arrivals[Arrival::duplicate] +
            nodes.arrivals[Arrival::acknowledgement] + nodes.lost_packets);
  CHECK((nodes.departures[Kind::repeat] != 0) == (share != 0));
  for (const auto& state : nodes.states) CHECK(state->received_out_of_order() == 0);
}

TEST_CASE("retry: the wait for an acknowledgement doubles with every try, counted from the last flit") {
  RetryState state(retry(100, 4), 0);
  state.add(message(1));
  Cycle now = 7, wait = 100;
  for (unsigned tries = 1; tries <= 4; ++tries, wait *= 2) {
    RetryState::Departure departure;
    REQUIRE(state.next(now, departure));
    CHECK(departure.kind == (tries == 1 ? Kind::message : Kind::repeat));
    CHECK(departure.emission.created == 0);
    CHECK(state.left(now + 3, false) == (tries == 1));
    CHECK(state.alarm() == now + 3 + wait);
    CHECK(state.expire(now + 3 + wait - 1).empty());
    CHECK_FALSE(state.waits());
    const auto given_up = state.expire(now + 3 + wait);
    CHECK(given_up.size() == (tries == 4 ? 1 : 0));
    CHECK(state.waits() == (tries != 4));
    now += 3 + wait;
  }
  CHECK(state.kept() == 0);
  CHECK(state.alarm() == never);
  CHECK(retry(100, 4).longest_cycles() == 4 * 800);
}

TEST_CASE("retry: a wait begins at its destination's last round trip, or at the wait that sufficed") {
  RetryState sender(retry(50, 4), 0), receiver(retry(50), 1);
  const auto send_now = [&](Cycle now, NodeId destination = 1) {
    sender.add(message(destination, now));
    return send(sender, 0, now, now);
  };
  const auto acknowledge = [&](const Packet& packet, Cycle now) {
    receiver.take(now, packet);
    sender.take(now, send(receiver, 1, now + 1, now + 1));
  };
  const auto wait = [&](Cycle now) { return sender.alarm() - now; };
  // Too late for the first wait: its round trip of 120 is known before it is repeated.
  const Packet first = send_now(10);
  CHECK(wait(10) == 50);
  sender.expire(60);
  acknowledge(first, 130);
  send_now(200);
  CHECK(wait(200) == 200);
  // A repeated message gives no sample of the round trip.
  sender.expire(400);
  const Packet repeat = send(sender, 0, 400, 400);
  CHECK(wait(400) == 400);
  acknowledge(repeat, 410);
  sender.expire(800);
  const Packet third = send_now(1000);
  CHECK(wait(1000) == 400);  // a wait of 200 was too short
  acknowledge(third, 1049);
  sender.expire(1400);
  // After a short round trip the wait is the configured one, as for another destination. A wait is longer
  // than the round trip, and never longer than that of the last try.
  acknowledge(send_now(1410), 1460);
  sender.expire(1460);
  const Packet late = send_now(1470);
  CHECK(wait(1470) == 100);
  acknowledge(late, 1980);
  sender.expire(1980);
  const Packet soon = send_now(1990);
  CHECK(wait(1990) == 400);
  acknowledge(soon, 2000);
  sender.expire(2390);
  // After a short round trip the wait is the configured one, as for another destination.
  send_now(2400);
  CHECK(wait(2400) == 50);
  for (const Cycle longer : {100, 200, 400}) {
    const Cycle now = sender.alarm();
    sender.expire(now);
    send(sender, 0, now, now);
    CHECK(wait(now) == longer);
  }
  sender.expire(sender.alarm());
  CHECK(sender.kept() == 0);
  send_now(4000);
  CHECK(wait(4000) == 400);
  sender.expire(4400);
  send(sender, 0, 4400, 4400);
  CHECK(wait(4400) == 400);
  send_now(4410, 2);
  CHECK(wait(4410) == 50);
}

TEST_CASE("retry: among many messages those without an acknowledgement are repeated as their waits end") {
  RetryState state(retry(1000), 9);
  CounterRandom random(11, 0);
  const auto acknowledge = [&state](Cycle now, const RetryKey& key) {
    Packet packet;
    packet.source = key.peer;
    packet.destination = 9;
    packet.order = key.sequence;
    packet.acknowledges = true;
    CHECK(state.take(now, packet) == Arrival::acknowledgement);
  };
  std::vector<std::pair<Cycle, RetryKey>> under_way;
  std::deque<RetryKey> waits;  // each to a destination of its own, without an acknowledgement, in the order
                               // in which they were sent
  for (Cycle now = 0; now < 6000; ++now) {
    CHECK(state.expire(now).empty());
    RetryState::Departure departure;
    while (state.next(now, departure)) {
      REQUIRE(departure.kind == Kind::repeat);
      REQUIRE((!waits.empty() && departure.key == waits.front()));
      waits.pop_front();
      state.left(now, true);
      acknowledge(now, departure.key);
    }
    state.check(now);
    if (now % 3 != 0) continue;
    const bool waits_long = random.below(20) == 0;
    const RetryKey key =
        state.add(message(static_cast<NodeId>(waits_long ? 100 + now : random.below(5)), now));
    send(state, 9, now, now);
    if (waits_long) {
      waits.push_back(key);
    } else {
      under_way.emplace_back(now, key);
    }
    if (under_way.size() < 60) continue;
    const std::size_t place = now - under_way.front().first > 600 ? 0 : random.below(under_way.size());
    acknowledge(now, under_way[place].second);
    under_way.erase(under_way.begin() + static_cast<std::ptrdiff_t>(place));
  }
  CHECK(waits.size() < 40);
}

TEST_CASE("retry: an acknowledgement ends the wait, even if the repeat is already queued") {
  RetryState sender(retry(50), 0), receiver(retry(50), 1);
  sender.add(message(1));
  const Packet packet = send(sender, 0, 1, 4);
  CHECK(receiver.take(20, packet) == Arrival::first);
  RetryState::Departure none;
  CHECK_FALSE(receiver.next(20, none));  // a cycle later
  const Packet acknowledgement = send(receiver, 1, 21, 21);
  CHECK(acknowledgement.acknowledges);
  CHECK(acknowledgement.destination == 0);
  const bool late = GENERATE(false, true);
  if (late) sender.expire(54);
  CHECK(sender.waits() == late);
  CHECK(sender.take(60, acknowledgement) == Arrival::acknowledgement);
  CHECK(sender.kept() == 0);
  CHECK_FALSE(sender.waits());
  CHECK_FALSE(sender.next(60, none));
  CHECK(sender.take(61, acknowledgement) == Arrival::acknowledgement);  // acknowledges a duplicate
  CHECK(sender.expire(1000).empty());
  sender.check(1000);
}

TEST_CASE("retry: a duplicate is distinguished from the first arrival, and acknowledged again") {
  RetryState sender(retry(50), 0), receiver(retry(50), 1);
  sender.add(message(1));
  sender.add(message(1));
  const Packet first = send(sender, 0, 1, 4), second = send(sender, 0, 5, 8);
  CHECK(receiver.take(20, second) == Arrival::first);
  CHECK(receiver.received_out_of_order() == 1);
  CHECK(receiver.take(21, second) == Arrival::duplicate);
  CHECK(receiver.take(22, first) == Arrival::first);
  CHECK(receiver.received_out_of_order() == 0);
  CHECK(receiver.take(23, first) == Arrival::duplicate);
  CHECK(receiver.take(24, second) == Arrival::duplicate);
  for (const std::uint32_t sequence : {1, 1, 0, 0, 1}) CHECK(send(receiver, 1, 100, 100).order == sequence);
}

TEST_CASE("retry: the receiver forgets messages that were given up, and accepts none of them later") {
  RetryState sender(retry(10, 1), 0), receiver(retry(10), 1);
  sender.add(message(1));
  const Packet lost = send(sender, 0, 1, 4);
  for (unsigned i = 0; i < 50; ++i) sender.add(message(1));
  std::vector<Packet> later;
  for (Cycle i = 0; i < 50; ++i) {
    later.push_back(send(sender, 0, 5 + i, 5 + i));
    CHECK(later.back().oldest == 0);
  }
  for (const Packet& packet : later) CHECK(receiver.take(60, packet) == Arrival::first);
  CHECK(receiver.received_out_of_order() == 50);
  CHECK(sender.expire(14).size() == 1);
  sender.add(message(1, 14));
  const Packet last = send(sender, 0, 14, 17);
  CHECK(last.oldest == 1);
  CHECK(receiver.take(70, last) == Arrival::first);
  CHECK(receiver.received_out_of_order() == 0);
  CHECK(receiver.take(71, lost) == Arrival::duplicate);
}

TEST_CASE("retry: a receiver remembers no more than its senders keep, in a run of any length") {
  // Message 0 of each pair never arrives; the others come in any order.
  CounterRandom births(6, 9);
  Nodes nodes(2, retry(200, 3),
              [](const Packet& packet, Cycle) { return packet.order == 0 && !packet.acknowledges; });
  nodes.run(
      [&](Cycle) {
        if (births.below(10) == 0) nodes.add(0, 1);
      },
      100'000);
  CHECK(nodes.born > 9000);
  CHECK(nodes.delivered.size() == nodes.born - 1);
  CHECK(nodes.given_up.size() == 1);
  CHECK(nodes.states[1]->received_out_of_order() == 0);
  CHECK(nodes.most_remembered > 0);
  // The bound: births in the 1400 cycles until message 0 is given up.
  CHECK(nodes.most_remembered < 1600 / 10 * 2);
}

TEST_CASE("retry: acknowledgements leave before repeats, and repeats before new messages") {
  RetryState state(retry(50), 0), other(retry(50), 1);
  state.add(message(1));
  send(state, 0, 1, 4);
  state.add(message(1, 10));
  other.add(message(0));
  state.take(53, send(other, 1, 1, 4));
  state.expire(54);
  RetryState::Departure departure;
  for (const Kind kind : {Kind::acknowledgement, Kind::repeat, Kind::message}) {
    REQUIRE(state.next(54, departure));
    CHECK(departure.kind == kind);
    CHECK_FALSE(state.next(54, departure));  // one at a time
    state.left(54, false);
  }
}

TEST_CASE("retry: a packet that is dropped before its end has left starts a wait, too") {
  RetryState state(retry(50), 0);
  state.add(message(1));
  RetryState::Departure departure;
  REQUIRE(state.next(1, departure));
  CHECK_FALSE(state.left(2, true));
  CHECK(state.alarm() == 52);
  state.expire(52);
  REQUIRE(state.next(52, departure));
  CHECK(departure.kind == Kind::repeat);
  CHECK(state.left(55, false));  // leaves as a whole for the first time
  state.expire(155);
  REQUIRE(state.next(155, departure));
  CHECK_FALSE(state.left(158, false));
}

TEST_CASE("retry: packets that no node can have sent are model failures") {
  RetryState state(retry(50), 0);
  Packet acknowledgement;
  acknowledgement.source = 1;
  acknowledgement.acknowledges = true;
  CHECK_THROWS_WITH(state.take(5, acknowledgement),
                    Catch::Contains("message 0 to node 1, which has not been sent"));
  state.add(message(1));
  CHECK_THROWS_WITH(state.take(6, acknowledgement), Catch::Contains("has not been sent"));
  send(state, 0, 7, 10);
  CHECK(state.take(20, acknowledgement) == Arrival::acknowledgement);
  acknowledgement.order = 1;
  CHECK_THROWS_WITH(state.take(21, acknowledgement), Catch::Contains("message 1 to node 1"));
  Packet backwards;
  backwards.source = 1;
  backwards.order = 3;
  backwards.oldest = 4;
  CHECK_THROWS_AS(state.take(22, backwards), ModelError);
  CHECK_THROWS_AS(state.left(23, false), ModelError);
}

TEST_CASE("retry: a wait without an end is found") {
  RetryState state(retry(50), 0);
  state.add(message(1));
  state.check(0);
  send(state, 0, 1, 4);
  state.check(54);
  CHECK_THROWS_WITH(state.check(55), Catch::Contains("message 0 to node 1 waits for nothing"));
  state.expire(54);
  state.check(55);
}

TEST_CASE("retry: a window bounds the places of all messages and the numbers of each destination") {
  RetryConfig config = retry(100);
  config.window_packets = 3;
  RetryState state(config, 0);
  const auto leave = [&state](Cycle now) {
    RetryState::Departure departure;
    if (!state.next(now, departure)) return -1;
    state.left(now, false);
    return static_cast<int>(departure.key.peer * 10 + departure.key.sequence);
  };
  const auto acknowledge = [&state](NodeId from, std::uint32_t order) {
    Packet packet;
    packet.source = from;
    packet.order = order;
    packet.acknowledges = true;
    state.take(10, packet);
  };
  for (const NodeId destination : {1U, 2U, 1U, 1U, 1U, 2U}) state.add(message(destination));
  CHECK((leave(1) == 10 && leave(2) == 20 && leave(3) == 11));
  CHECK(state.begun() == 3);
  CHECK_FALSE(state.waits());
  CHECK(leave(4) == -1);
  acknowledge(2, 0);
  CHECK(state.begun() == 2);
  CHECK(state.waits());
  CHECK(leave(5) == 12);
  acknowledge(1, 1);
  acknowledge(1, 2);
  // There is room, but number 3 of node 1 is three after the oldest, and the others wait for number 3.
  CHECK(state.begun() == 1);
  CHECK_FALSE(state.waits());
  CHECK(leave(6) == -1);
  // Acknowledgements and repeats still leave.
  Packet packet;
  packet.source = 3;
  state.take(10, packet);
  CHECK(leave(11) == 30);
  CHECK(state.expire(101).empty());
  CHECK(leave(101) == 10);
  acknowledge(1, 0);
  CHECK((leave(102) == 13 && leave(103) == 21));
  CHECK(leave(104) == -1);
  CHECK(state.begun() == 2);
}

TEST_CASE("retry: a message that is given up frees its place, and opens the window") {
  RetryConfig config = retry(100, 1);
  config.window_packets = 1;
  RetryState state(config, 0);
  state.add(message(1));
  state.add(message(1));
  RetryState::Departure departure;
  REQUIRE(state.next(1, departure));
  state.left(1, true);
  CHECK_FALSE(state.next(100, departure));
  CHECK(state.expire(101).size() == 1);
  CHECK(state.begun() == 0);
  REQUIRE(state.next(101, departure));
  CHECK(departure.key.sequence == 1);
  CHECK(departure.oldest == 1);
}
