// SPDX-License-Identifier: Apache-2.0
#include "tsuji/link/packet_link.h"

#include <algorithm>
#include <deque>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "support/catch.h"
#include "tsuji/core/random.h"

using namespace tsuji;

namespace {

PacketRef packet_of(PacketPool& pool, unsigned flits, std::uint32_t serial = 0) {
  PacketRef packet = pool.make_bare();
  packet.edit().id = packet_id(3, serial);
  packet.edit().flits = static_cast<std::uint16_t>(flits);
  return packet;
}

/// A module at one end that only records its wake-ups.
class Woken final : public Clocked {
 public:
  explicit Woken(ClockDomain& domain) : Clocked(domain) {}
  void step(Cycle now) override { cycles.insert(now); }
  std::set<Cycle> cycles;
};

/// Drops some packets, replaces others by another one, and records the room signals.
class Spoiler final : public PacketLinkProbe {
 public:
  explicit Spoiler(PacketPool& pool) : pool_(pool) {}
  bool on_send(Cycle, PacketTransfer& transfer) override {
    if (loses) return false;
    if (replaces) {
      PacketRef other = pool_.clone(*transfer.packet);
      other.edit().sid = 77;
      transfer.packet = std::move(other);
    }
    return true;
  }
  void on_room(unsigned fifo, Cycle at) override { rooms.emplace_back(fifo, at); }
  bool loses = false, replaces = false;
  std::vector<std::pair<unsigned, Cycle>> rooms;

 private:
  PacketPool& pool_;
};

struct Shape {
  Cycle latency = 1, lag = 0;
  unsigned fifos = 1, slots = 1;
  bool probed = false;
  RoomSignal signal = RoomSignal::wire;
};

/// Reference: a FIFO is a queue of free slots, each with the cycle in which the sender can know of it, the
/// cycle of the last head into it, and the number of slots that the receiver holds; heads are a queue of
/// arrivals. Plays both ends, one step a cycle.
class Player final : public Clocked {
 public:
  Player(const std::string& name, ClockDomain& domain, const Shape& shape, std::uint64_t seed, Cycle last)
      : Clocked(domain),
        shape_(shape),
        last_(last),
        random_(seed, 2),
        link_(name.c_str(), shape.latency, shape.signal),
        sender_(domain),
        receiver_(domain),
        spoiler_(pool_),
        free_(shape.fifos, std::deque<Cycle>(shape.slots, 0)),
        held_(shape.fifos),
        heads_into_(shape.fifos),
        given_back_(shape.fifos),
        trusted_(shape.fifos) {
    link_.bind_sender(sender_);
    link_.bind_receiver(receiver_, shape.fifos, shape.slots, shape.lag);
    if (shape.probed) link_.set_probe(&spoiler_);
    CHECK(link_.latency_cycles() == shape.latency);
    CHECK(link_.fifos() == shape.fifos);
    CHECK(link_.slots_per_fifo() == shape.slots);
    CHECK(link_.probe() == (shape.probed ? &spoiler_ : nullptr));
    wake_at(1);
  }

  void step(Cycle now) override {
    look(now);
    const unsigned phase = static_cast<unsigned>(now / 300 % 3);
    if (phase != 1) receive(now);
    if (random_.below(phase == 2 ? 10 : 3) == 0) release_any(now);
    if (random_.below(3) == 0) send_any(now);
    if (random_.below(20) == 0) ask_anew();
    if (now < last_) wake_at(now + 1);
  }

  void check_end() const {
    CHECK(sent_ > 20);
    CHECK(wrong_ == 0);
    CHECK(receiver_.cycles == heads_due_);
    CHECK(sender_.cycles == rooms_due_);
    CHECK(spoiler_.rooms == rooms_);
    CHECK((lost_ > 0) == shape_.probed);
  }

 private:
  struct Head {
    Cycle arrival;
    PacketId id;
    std::uint32_t ports;
    std::uint16_t hops, flits;
    std::uint8_t sid;
  };

  void check(bool right) { wrong_ += right ? 0 : 1; }

  void look(Cycle now) {
    std::uint32_t room = 0;
    for (unsigned f = 0; f < shape_.fifos; ++f) {
      check(std::max(link_.room_at(f), now) == std::max(room_at(f), now));
      // A lost packet frees the oldest slot, which may be another packet's.
      const bool by_level = shape_.signal == RoomSignal::wire && !shape_.probed;
      room |= (by_level ? level(f, now) : room_at(f) <= now ? 1U : 0U) << f;
    }
    check(link_.room(now) == room || now < busy_until_);
    std::uint64_t flits = 0;
    for (const Head& head : heads_) flits += head.flits;
    check(link_.flying_flits() == flits);
    check(link_.packets_sent() == sent_);
    check(link_.flits_sent() == flits_);
  }

  /// The cycle from which the sender may fill a slot of FIFO `f`.
  Cycle room_at(unsigned f) const {
    return free_[f].empty() ? never : std::max(free_[f].front(), trusted_[f]);
  }
  /// The register of FIFO `f`, a latency ago: whether a slot was free in the cycle before. A sender waits
  /// while its own last packet is too recent to show there.
  unsigned level(unsigned f, Cycle now) const {
    const Cycle there = now < shape_.latency + 1 ? 0 : now - shape_.latency - 1;
    unsigned held = 0;
    for (const Cycle head : heads_into_[f]) {
      if (head + shape_.latency > there) return 0;
      ++held;
    }
    for (const Cycle at : given_back_[f]) held -= at <= there ? 1 : 0;
    return held < shape_.slots ? 1 : 0;
  }

  void receive(Cycle now) {
    PacketTransfer transfer;
    Cycle arrival = 0;
    while (link_.receive(now, transfer, arrival)) {
      if (heads_.empty() || heads_.front().arrival > now) return check(false);
      const Head& head = heads_.front();
      check(arrival == head.arrival && transfer.packet->id == head.id && transfer.port_bits == head.ports &&
            transfer.hops == head.hops && transfer.packet->sid == head.sid);
      for (unsigned f = 0; f < shape_.fifos; ++f) held_[f] += head.ports >> f & 1U;
      heads_.pop_front();
    }
    check(heads_.empty() || heads_.front().arrival > now);
  }

  void gain(unsigned fifo, Cycle at) {
    const Cycle usable = at + 1 + shape_.latency;
    free_[fifo].push_back(usable);
    given_back_[fifo].push_back(at);
    if (shape_.probed) rooms_.emplace_back(fifo, usable);
    if ((watched_ >> fifo & 1U) != 0) rooms_due_.insert(std::max(usable, trusted_[fifo]));
  }

  /// Releases slots in this cycle, or announces them for a later one.
  void release_any(Cycle now) {
    const auto fifo = static_cast<unsigned>(random_.below(shape_.fifos));
    if (free_[fifo].size() == shape_.slots) {
      CHECK_THROWS_WITH(link_.release(fifo, now), Catch::Contains("cycle " + std::to_string(now) + ": FIFO " +
                                                                  std::to_string(fifo) + " returned a slot"));
      return;
    }
    if (held_[fifo] == 0) return;
    --held_[fifo];
    const Cycle before = given_back_[fifo].empty() ? 0 : given_back_[fifo].back();
    const Cycle at = std::max(before, now + random_.below(4) * random_.below(20));
    link_.release(fifo, at);
    gain(fifo, at);
  }

  void send_any(Cycle now) {
    const auto flits = static_cast<unsigned>(1 + random_.below(12));
    PacketTransfer transfer{packet_of(pool_, flits, serial_++),
                            static_cast<std::uint32_t>(random_.below(std::uint64_t{2} << shape_.fifos)),
                            static_cast<std::uint16_t>(random_.below(9))};
    bool room = true;
    for (unsigned f = 0; f <= shape_.fifos; ++f) {
      if ((transfer.port_bits >> f & 1U) == 0) continue;
      room = room && f < shape_.fifos && room_at(f) <= now;
    }
    // A refusal leaves an unusable link, so only calls without effect are tried here.
    if (now < busy_until_) {
      CHECK_THROWS_WITH(link_.send(now, std::move(transfer)), Catch::Contains("carries another packet"));
      return;
    }
    if (transfer.port_bits == 0) {
      CHECK_THROWS_WITH(link_.send(now, std::move(transfer)), Catch::Contains("into no FIFO"));
      return;
    }
    if (!room) return;
    spoiler_.loses = random_.below(5) == 0;
    spoiler_.replaces = random_.below(5) == 0;
    const bool lost = shape_.probed && spoiler_.loses, replaced = shape_.probed && spoiler_.replaces;
    for (unsigned f = 0; f < shape_.fifos; ++f)
      if ((transfer.port_bits >> f & 1U) != 0) {
        free_[f].pop_front();
        heads_into_[f].push_back(now);
        // A longer packet occupies the channel for its length.
        const Cycle known = shape_.signal == RoomSignal::wire ? 2 * shape_.latency + 1 : 0;
        if (flits < known) trusted_[f] = now + known;
      }
    busy_until_ = now + flits;
    ++sent_;
    flits_ += flits;
    if (lost) {
      ++lost_;
      for (unsigned f = 0; f < shape_.fifos; ++f)
        if ((transfer.port_bits >> f & 1U) != 0) gain(f, now + flits);
    } else {
      heads_.push_back({now + shape_.latency, transfer.packet->id, transfer.port_bits, transfer.hops,
                        transfer.packet->flits, static_cast<std::uint8_t>(replaced ? 77 : 0)});
      heads_due_.insert(now + shape_.latency + (shape_.lag == PacketInIf::whole_packet ? flits : shape_.lag));
    }
    link_.send(now, std::move(transfer));
  }

  void ask_anew() {
    watched_ = static_cast<std::uint32_t>(random_.below(std::uint64_t{1} << shape_.fifos));
    link_.watch_room(watched_);
  }

  const Shape shape_;
  const Cycle last_;
  CounterRandom random_;
  PacketPool pool_;
  PacketLink link_;
  Woken sender_, receiver_;
  Spoiler spoiler_;
  std::vector<std::deque<Cycle>> free_;
  std::vector<unsigned> held_;                              ///< by the receiver, of each FIFO
  std::vector<std::deque<Cycle>> heads_into_, given_back_;  ///< of each FIFO, since the start
  std::vector<Cycle> trusted_;                              ///< cycle from which each FIFO's signal is valid
  std::deque<Head> heads_;
  Cycle busy_until_ = 0;
  std::uint32_t serial_ = 0, watched_ = 0;
  std::uint64_t sent_ = 0, flits_ = 0, lost_ = 0, wrong_ = 0;
  std::set<Cycle> heads_due_, rooms_due_;
  std::vector<std::pair<unsigned, Cycle>> rooms_;
};

}  // namespace

TEST_CASE("packet link: heads, room signals and wake-ups equal a queue of slots a FIFO") {
  constexpr Cycle last = 3000;
  ClockDomain domain("clock", {});
  std::vector<std::unique_ptr<Player>> players;
  CounterRandom random(6, 6);
  for (unsigned number = 0; number < 60; ++number) {
    Shape shape;
    shape.signal = number / 2 % 2 == 0 ? RoomSignal::wire : RoomSignal::credits;
    shape.latency = 1 + random.below(number % 3 == 0 ? 40 : 4);
    shape.lag = random.below(12);
    if (number % 5 == 1) shape.lag = PacketInIf::whole_packet;
    shape.fifos = 1 + static_cast<unsigned>(random.below(number % 4 == 0 ? 16 : 4));
    shape.slots = 1 + static_cast<unsigned>(random.below(4));
    shape.probed = number % 2 == 0;
    players.push_back(std::make_unique<Player>("link" + std::to_string(number), domain, shape, number, last));
  }
  sc_core::sc_start();
  domain.rethrow_failure();
  for (std::size_t number = 0; number < players.size(); ++number) {
    CAPTURE(number);
    players[number]->check_end();
  }
}

TEST_CASE("packet link: forbidden calls of its ends stop the run with its name, cycle and packet") {
  ClockDomain domain("clock", {});
  Woken sender(domain), receiver(domain);
  PacketPool pool;
  PacketLink link("some_link", 2);
  link.bind_sender(sender);
  link.bind_receiver(receiver, 2, 1, 0);
  const auto send = [&](Cycle now, std::uint32_t ports) {
    link.send(now, {packet_of(pool, 5, 9), ports, 0});
  };
  const std::string of_packet = packet_name(packet_id(3, 9));
  CHECK_THROWS_WITH(send(10, 0), Catch::Contains("some_link, cycle 10") && Catch::Contains(of_packet) &&
                                     Catch::Contains("sent into no FIFO"));
  send(20, 1);
  CHECK_THROWS_WITH(send(24, 2), Catch::Contains("sent while the channel carries another packet"));
  CHECK_THROWS_WITH(send(25, 1), Catch::Contains("sent into a FIFO without room"));
  CHECK_THROWS_WITH(send(40, 4), Catch::Contains("sent into a FIFO without room"));
  CHECK_THROWS_WITH(link.release(1, 50), "some_link, cycle 50: FIFO 1 returned a slot that it did not hold");
  CHECK_THROWS_WITH(PacketLink("too_quick", 0),
                    Catch::Contains("too_quick") && Catch::Contains("at least one cycle"));
}

TEST_CASE("packet link: a level signal is trusted when it can reflect the last packet, a credit at once") {
  constexpr Cycle latency = 5;
  ClockDomain domain("clock", {});
  Woken sender(domain), receiver(domain);
  PacketPool pool;
  PacketLink wire("wire", latency), credits("credits", latency, RoomSignal::credits);
  for (PacketLink* link : {&wire, &credits}) {
    link->bind_sender(sender);
    link->bind_receiver(receiver, 2, 2, 0);
    link->send(100, {packet_of(pool, 7), 1, 0});
  }
  // The head is there in cycle 105, the register shows it in 106, the sender sees that in 111.
  CHECK(wire.room_at(0) == 111);
  CHECK(wire.room(110) == 0b10);
  CHECK(wire.room(111) == 0b11);
  wire.send(111, {packet_of(pool, 7), 1, 0});
  CHECK(wire.room_at(0) == never);
  // The first packet's slot is free before the register reflects the second packet.
  wire.release(0, 113);
  CHECK(wire.room_at(0) == 122);
  CHECK(credits.room(107) == 0b11);
  credits.send(107, {packet_of(pool, 7), 1, 0});
  credits.release(0, 109);
  CHECK(credits.room_at(0) == 115);
  CHECK_THROWS_WITH(wire.send(121, {packet_of(pool, 7), 1, 0}), Catch::Contains("without room"));
}

TEST_CASE("packet link: a slot has room again one cycle and the latency after its release") {
  ClockDomain domain("clock", {});
  Woken sender(domain), receiver(domain);
  PacketPool pool;
  PacketLink link("link", 3, RoomSignal::credits);
  link.bind_sender(sender);
  link.bind_receiver(receiver, 1, 2, 0);
  link.send(10, {packet_of(pool, 4), 1, 0});
  CHECK(link.room(10) == 1);  // the second slot
  link.send(14, {packet_of(pool, 4), 1, 0});
  CHECK(link.room_at(0) == never);
  link.release(0, 20);
  CHECK(link.room(23) == 0);
  CHECK(link.room(24) == 1);
}
