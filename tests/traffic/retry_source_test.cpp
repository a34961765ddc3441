// SPDX-License-Identifier: Apache-2.0
#include "tsuji/traffic/retry_source.h"

#include <memory>
#include <vector>

#include "support/catch.h"
#include "traffic/flit_node_rig.h"

using namespace tsuji;
using namespace tsuji::traffic;
using namespace tsuji::traffic::test;

namespace {

/// Messages of a list, with a log of the calls that report on them.
class Told final : public EmissionSource {
 public:
  struct Log {
    std::vector<Cycle> arrivals, departures, drops;
    std::vector<std::string> causes;
  };
  Told(std::vector<Emission> list, Log& log) : list_(std::move(list)), log_(log) {}
  bool next(Emission& emission) override { return list_.next(emission); }
  void arrived(Cycle now, const Packet&) override { log_.arrivals.push_back(now); }
  void departed(Cycle now, const Packet&) override { log_.departures.push_back(now); }
  void dropped(Cycle now, const Packet&, const char* cause) override {
    log_.drops.push_back(now);
    log_.causes.emplace_back(cause);
  }

 private:
  ListedEmissions list_;
  Log& log_;
};

/// A node with retry whose router is driven by hand.
class RetryRig final : public RetryEvents {
 public:
  explicit RetryRig(const std::vector<Emission>& list, Cycle timeout = 100, unsigned most_tries = 8)
      : RetryRig(std::make_unique<Told>(list, log), timeout, most_tries) {}
  explicit RetryRig(std::unique_ptr<EmissionSource> messages, Cycle timeout = 100, unsigned most_tries = 8) {
    config.timeout_cycles = timeout;
    config.most_tries = most_tries;
    config.ack_flits = 2;
    // The rig owns the pool, and needs the source first.
    struct Later final : EmissionSource {
      std::unique_ptr<EmissionSource> source;
      bool next(Emission& emission) override { return source && source->next(emission); }
      void take(Cycle now, PacketRef packet) override { source->take(now, std::move(packet)); }
      void departed(Cycle now, const Packet& packet) override { source->departed(now, packet); }
      void dropped(Cycle now, const Packet& packet, const char* cause) override {
        source->dropped(now, packet, cause);
      }
      Cycle next_event() const override { return source ? source->next_event() : 0; }
      void advance(Cycle now) override { source->advance(now); }
    };
    auto later = std::make_unique<Later>();
    Later& place = *later;
    rig = std::make_unique<Rig>(std::move(later), FlitNodeConfig{}, 0x1, 16);
    auto made =
        std::make_unique<RetrySource>(RetrySource::Parts{std::move(messages), config, rig->pool, *this}, own);
    source = made.get();
    place.source = std::move(made);
  }
  void on_message_born(NodeId, const RetryKey&, const Emission& emission) override {
    born.push_back(emission.created);
  }
  void on_packet(const Packet& packet, RetryState::Kind kind) override {
    packets.push_back(packet);
    kinds.push_back(kind);
  }
  const char* on_given_up(const Packet&, const RetryKey&, Cycle now) override {
    given_up.push_back(now);
    return is_lost ? "link_down" : nullptr;
  }
  void on_lost(const Packet& packet, const char* cause, Cycle now) override {
    lost.push_back({packet.destination.node(), cause, now});
  }
  /// A one-flit packet of another node that arrives in `cycle`.
  void arrive(Cycle cycle, std::uint32_t order, bool acknowledges = false) {
    const PacketIndex packet = rig->packet(own, 1);
    rig->pool.at(packet).source = other;
    rig->pool.at(packet).order = order;
    rig->pool.at(packet).acknowledges = acknowledges;
    rig->arrive(cycle, 0, packet, 0);
  }

  RetryConfig config;
  Told::Log log;
  std::unique_ptr<Rig> rig;
  RetrySource* source = nullptr;
  std::vector<Cycle> born, given_up;
  std::vector<Packet> packets;
  std::vector<RetryState::Kind> kinds;
  bool is_lost = true;
  struct Lost {
    NodeId destination;
    std::string cause;
    Cycle cycle;
  };
  std::vector<Lost> lost;
};

}  // namespace

TEST_CASE("retry: packets leave as they would without it, one after another") {
  const std::vector<Emission> list = {emission(3, 4), emission(4, 2), emission(20, 3)};
  Rig bare(list, {}, 0x1, 16);
  bare.run(60);
  RetryRig rig(list);
  rig.rig->run(60);
  REQUIRE(rig.rig->seen.size() == bare.seen.size());
  for (std::size_t i = 0; i < bare.seen.size(); ++i) CHECK(rig.rig->seen[i].cycle == bare.seen[i].cycle);
  CHECK(rig.born == std::vector<Cycle>{3, 4, 20});
  CHECK(rig.packets[1].created == 4);
  CHECK(rig.log.departures == std::vector<Cycle>{6, 8, 22});
}

TEST_CASE("retry: an acknowledgement is born one cycle after the arrival, before messages that wait") {
  std::vector<Emission> list(30, emission(1, 8));
  RetryRig rig(list, 1'000'000);
  rig.arrive(21, 0);
  rig.rig->run(60);
  // The packet of cycles 17 to 24 has begun.
  REQUIRE(rig.kinds.size() > 4);
  CHECK(rig.kinds[3] == RetryState::Kind::acknowledgement);
  CHECK(rig.packets[3].created == 22);
  CHECK(rig.packets[3].flits == 2);
  CHECK(rig.packets[3].destination == other);
  CHECK(rig.kinds[4] == RetryState::Kind::message);
  CHECK(rig.log.arrivals == std::vector<Cycle>{21});
  RetryRig idle(nothing);
  idle.arrive(21, 0);
  idle.arrive(25, 0);
  idle.rig->run(60);
  CHECK(idle.rig->born == std::vector<Cycle>{22, 26});
  CHECK(idle.log.arrivals == std::vector<Cycle>{21});
}

TEST_CASE("retry: a message that may leave is not delayed by an arrival in its cycle") {
  RetryRig rig({emission(10, 4), emission(10, 3)});
  rig.arrive(14, 0);
  rig.rig->run(60);
  CHECK(rig.rig->born == std::vector<Cycle>{10, 14, 17});
  CHECK(rig.kinds.back() == RetryState::Kind::acknowledgement);
  CHECK(rig.packets.back().created == 15);
}

TEST_CASE("retry: a message is repeated until it is acknowledged, and its departure is reported once") {
  RetryRig rig({emission(10, 4)});
  rig.rig->run(150);
  rig.arrive(160, 0, true);
  rig.rig->run(1000);
  // The last flit is sent in 13, the repeat from 113 on.
  CHECK(rig.rig->born == std::vector<Cycle>{10, 113});
  CHECK(rig.packets[1].created == 10);
  CHECK(rig.log.departures == std::vector<Cycle>{13});
  CHECK(rig.log.arrivals.empty());
  CHECK(rig.source->state().kept() == 0);
}

TEST_CASE(
    "retry: a lost message is reported to its source when it is given up, unless a packet may still come") {
  const bool lost = GENERATE(true, false);
  RetryRig rig({emission(10, 4)}, 100, 2);
  rig.is_lost = lost;
  rig.rig->run(1000);
  CHECK(rig.given_up == std::vector<Cycle>{116 + 200});
  CHECK(rig.log.drops == (lost ? std::vector<Cycle>{316} : std::vector<Cycle>{}));
  REQUIRE(rig.lost.size() == (lost ? 1 : 0));
  if (!lost) rig.source->lost(1500, rig.packets[0], "unreachable");
  CHECK(rig.log.causes == std::vector<std::string>{"given_up"});
  CHECK(rig.lost.back().cycle == (lost ? 316 : 1500));
  CHECK(rig.lost.back().cause == (lost ? "link_down" : "unreachable"));
  CHECK(rig.lost.back().destination == other);
  CHECK(rig.log.drops == std::vector<Cycle>{lost ? 316U : 1500U});
}

TEST_CASE("retry: a packet dropped while it leaves starts its wait at once, and the next one follows") {
  RetryRig rig({emission(10, 9), emission(10, 2)});
  rig.rig->run(14);
  const PacketIndex packet = rig.rig->state->packet_being_sent();
  REQUIRE(packet != no_packet);
  const Packet copy = rig.rig->pool.at(packet);
  rig.rig->state->purge(packet, 13);
  rig.rig->state->dropped(copy, "link_down", 13);
  rig.rig->run(1000);
  CHECK(rig.log.drops.empty());
  REQUIRE(rig.rig->born.size() > 3);
  CHECK(rig.rig->born[1] == 14);   // the other message
  CHECK(rig.rig->born[2] == 113);  // the first again
  CHECK(rig.packets[2].flits == 9);
  CHECK(rig.log.departures == std::vector<Cycle>{15, 121});
}

TEST_CASE("retry: a source of messages acts in the cycles of its own events") {
  struct Alarm final : EmissionSource {
    explicit Alarm(std::vector<Cycle>& log) : advanced(log) {}
    bool next(Emission& emission) override {
      if (!rings) return false;
      rings = false;
      emission = {};
      emission.created = 70;
      emission.destination = 3;
      emission.flits = 1;
      return true;
    }
    Cycle next_event() const override { return at; }
    void advance(Cycle now) override {
      advanced.push_back(now);
      if (now >= at) rings = true, at = never;
    }
    std::vector<Cycle>& advanced;
    Cycle at = 70;
    bool rings = false;
  };
  std::vector<Cycle> advanced;
  RetryRig retry(std::make_unique<Alarm>(advanced));
  retry.rig->run(200);
  CHECK(advanced == std::vector<Cycle>{70});
  CHECK(retry.born == std::vector<Cycle>{70});
}

TEST_CASE("retry: messages against the contract of a source stop the run") {
  CHECK_THROWS_WITH(RetryRig(std::make_unique<Endless>()).rig->run(9),
                    Catch::StartsWith("node 3, cycle 7: its source generated more than"));
  CHECK_THROWS_WITH(RetryRig({emission(2, 1), emission(5, 0)}).rig->run(9),
                    "node 3, cycle 2: its source generated a packet of 0 flits");
}

TEST_CASE("a node reports dropped packets to its source, and a packet in answer is born a cycle later") {
  class Again final : public EmissionSource {
   public:
    bool next(Emission& one) override {
      if (!may_) return false;
      may_ = false;
      one = emission(at_, 3);
      return true;
    }
    void dropped(Cycle now, const Packet&, const char*) override {
      may_ = true;
      at_ = now + 1;
    }

   private:
    bool may_ = true;
    Cycle at_ = 5;
  };
  Rig rig(std::make_unique<Again>());
  rig.run(20);
  CHECK(rig.state->advance(20) == never);
  rig.state->dropped(Packet{}, "link_down", 20);
  rig.now = 21;
  rig.run(40);
  CHECK(rig.born == std::vector<Cycle>{5, 21});
}
