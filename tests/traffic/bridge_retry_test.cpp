// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "support/catch.h"
#include "traffic/bridge_interface.h"
#include "tsuji/core/random.h"
#include "tsuji/traffic/link_bridge.h"
#include "tsuji/traffic/retry_source.h"

// End-to-end retry between bridges and a network that loses packets.

using namespace tsuji;
using namespace tsuji::traffic;
using tsuji::traffic::test::Interface;

namespace {

/// Byte `b` of message `number` of a pair, different from that of every other message.
std::byte byte_of(NodeId source, NodeId destination, std::uint32_t number, unsigned b) {
  return static_cast<std::byte>((source * 131 + destination * 31 + number * 7 + b * 13 + (number >> 5)) &
                                0xff);
}

struct MediumConfig {
  unsigned nodes = 5;
  unsigned messages = 60;     ///< of each node
  unsigned lost_percent = 0;  ///< share of packets lost after leaving; equal share lost while leaving
  unsigned most_tries = 20;
  Cycle timeout = 300;
  unsigned retry_packets = 4;
  std::uint64_t seed = 1;
  std::uint64_t order = 0;     ///< seed of the order of nodes in a cycle
  NodeId silent = ~NodeId{0};  ///< packets to this node are lost
};

/// Nodes with interface, bridge and retry, and a medium between them that delays, reorders and loses, but
/// never repeats packets. Its calls are those of a FlitNode and a LoadedNetwork.
class Medium final : public RetryEvents {
 public:
  explicit Medium(const MediumConfig& config) : config_(config), order_(config.order, 3) {
    retry_.timeout_cycles = config.timeout;
    retry_.most_tries = config.most_tries;
    retry_.ack_flits = 1;
    retry_.window_packets = config.retry_packets;
    bridge_.retry_packets = config.retry_packets;
    bridge_.early_packets = (config.nodes - 1) * (config.retry_packets - 1);
    for (NodeId id = 0; id < config.nodes; ++id) {
      auto node = std::make_unique<Node>();
      auto bridge = std::make_unique<LinkBridge>(bridge_, node->interface, node->interface, id, config.nodes);
      node->bridge = bridge.get();
      node->source =
          std::make_unique<RetrySource>(RetrySource::Parts{std::move(bridge), retry_, pool, *this, true}, id);
      node->random = CounterRandom(config.seed, id);
      nodes_.push_back(std::move(node));
    }
  }

  void run() {
    std::vector<NodeId> turn(nodes_.size());
    for (NodeId id = 0; id < turn.size(); ++id) turn[id] = id;
    for (now = 1; busy(); ++now) {
      REQUIRE(now < 3'000'000);
      for (std::size_t i = turn.size(); config_.order != 0 && i > 1; --i)
        std::swap(turn[i - 1], turn[order_.below(i)]);
      for (const NodeId id : turn) step(id);
      drop_between_cycles();
      for (NodeId id = 0; now % 16 == 0 && id < nodes_.size(); ++id) nodes_[id]->source->state().check(now);
    }
  }

  // RetryEvents
  void on_message_born(NodeId, const RetryKey&, const Emission&) override { ++born; }
  void on_packet(const Packet& packet, RetryState::Kind kind) override {
    CHECK(ids.insert(packet.id).second);
    if (kind == RetryState::Kind::repeat) ++repeated;
  }
  const char* on_given_up(const Packet&, const RetryKey&, Cycle) override { return "no_way"; }
  void on_lost(const Packet& packet, const char* cause, Cycle) override {
    ++lost;
    CHECK(packet.destination == config_.silent);
    CHECK(std::string(cause) == "no_way");
    check_bytes(packet);
  }

  struct Came {
    Cycle cycle;
    NodeId source;
    std::uint32_t number;
    bool operator==(const Came& other) const {
      return cycle == other.cycle && source == other.source && number == other.number;
    }
  };
  std::vector<Came> came(NodeId node) const {
    std::vector<Came> list;
    for (const auto& sent : nodes_[node]->interface.sent) {
      const Packet& packet = *sent.transfer.packet;
      list.push_back({sent.cycle, packet.source.node(), static_cast<std::uint32_t>(packet.header[0])});
    }
    return list;
  }
  /// Checks that each source's messages in a node's interface are numbered from 0, each once, with their
  /// bytes.
  void check_arrivals() const {
    for (NodeId id = 0; id < nodes_.size(); ++id) {
      std::map<NodeId, std::uint32_t> next;
      for (const auto& sent : nodes_[id]->interface.sent) {
        CHECK(sent.transfer.packet->destination == id);
        CHECK(sent.transfer.packet->header[0] == next[sent.transfer.packet->source.node()]++);
        check_bytes(*sent.transfer.packet);
      }
      for (NodeId source = 0; source < nodes_.size(); ++source)
        if (id != config_.silent) CHECK(next[source] == nodes_[source]->sent_to[id]);
    }
  }
  void clear() {
    for (auto& node : nodes_) {
      node->interface.sent.clear();
      // In a network without losses nothing remains here.
      CHECK(node->interface.coming.empty());
      CHECK(node->interface.released.size() == config_.messages);
    }
  }

  PacketPool pool;
  Cycle now = 0;
  std::uint64_t born = 0, repeated = 0, lost = 0, dropped = 0, most_waiting = 0, most_begun = 0;
  std::set<PacketId> ids;

 private:
  struct Leaving {
    PacketRef packet;
    Cycle end = 0;
    bool doomed = false;  ///< is dropped while it leaves
    bool lost = false;    ///< is dropped after it has left
    Cycle delay = 0;
  };
  struct Node {
    Interface interface;
    LinkBridge* bridge = nullptr;
    std::unique_ptr<RetrySource> source;
    CounterRandom random{1, 1};
    std::map<NodeId, std::uint32_t> sent_to;
    unsigned sent = 0;
    bool is_leaving = false;
    Leaving leaving;
    std::multimap<std::pair<Cycle, PacketId>, PacketRef> coming;
  };

  static void check_bytes(const Packet& packet) {
    REQUIRE(packet.payload_bytes == 64);
    for (unsigned b = 0; b < packet.payload_bytes; ++b)
      if (packet.payload.data()[b] != byte_of(packet.source.node(), packet.destination.node(),
                                              static_cast<std::uint32_t>(packet.header[0]), b))
        FAIL("byte " << b << " of " << packet_name(packet.id));
  }
  bool busy() const {
    return std::any_of(nodes_.begin(), nodes_.end(), [this](const auto& node) {
      return node->sent < config_.messages || !node->interface.coming.empty() || node->is_leaving ||
             !node->coming.empty() || node->source->state().kept() != 0 || node->source->state().waits() ||
             node->bridge->packets_held() > node->bridge->packets_waiting();
    });
  }
  /// Sends packets while the interface's FIFO of two packets has room.
  void send_more(NodeId id, Node& node) {
    const std::size_t in_fifo = node.sent - node.interface.released.size();
    if (node.sent == config_.messages || in_fifo == bridge_.fifo_packets) return;
    PacketRef packet = pool.make();
    packet.edit().id = packet_id(id, node.sent++);
    packet.edit().source = id;
    packet.edit().destination =
        static_cast<NodeId>((id + 1 + node.random.below(nodes_.size() - 1)) % nodes_.size());
    packet.edit().created = now > 3 ? now - 3 : 0;
    packet.edit().flits = 31;
    packet.edit().payload_bytes = 64;
    const std::uint32_t number = node.sent_to[packet->destination.node()]++;
    packet.edit().header[0] = number;
    for (unsigned b = 0; b < 64; ++b)
      packet.edit().payload.data()[b] = byte_of(id, packet->destination.node(), number, b);
    node.interface.coming.push_back({now, {std::move(packet), 1, 0}});
  }
  void step(NodeId id) {
    Node& node = *nodes_[id];
    while (!node.coming.empty() && node.coming.begin()->first.first <= now && !node.source->is_full()) {
      PacketRef packet = std::move(node.coming.begin()->second);
      node.coming.erase(node.coming.begin());
      node.source->take(now, std::move(packet));
    }
    // The interface is sometimes full, and reports that in room_from alone.
    node.interface.room_from = now % 700 < 60 ? now + 1 : now;
    if (node.is_leaving && node.leaving.end <= now) leave(node);
    send_more(id, node);
    node.source->advance(now);
    Emission emission;
    if (!node.is_leaving && node.source->next(emission)) begin(node, emission);
    most_waiting = std::max(most_waiting, node.bridge->packets_waiting());
    most_begun = std::max(most_begun, node.source->state().begun());
  }
  void begin(Node& node, const Emission& emission) {
    Leaving& leaving = node.leaving;
    leaving.packet = pool.attach(emission.packet);
    CHECK(leaving.packet->hops == 0);
    leaving.packet.edit().hops = 3;  // as routers would count them
    leaving.end = now + emission.flits;
    leaving.doomed = node.random.below(100) < config_.lost_percent && emission.flits > 2;
    leaving.lost = node.random.below(100) < config_.lost_percent ||
                   (leaving.packet->destination == config_.silent && !leaving.packet->acknowledges);
    leaving.delay = 5 + node.random.below(200);
    if (leaving.doomed) leaving.end = now + 2;
    node.is_leaving = true;
  }
  void leave(Node& node) {
    if (node.leaving.doomed) return;  // the drop comes between two cycles
    node.is_leaving = false;
    PacketRef packet = std::move(node.leaving.packet);
    node.source->departed(now, *packet);
    if (node.leaving.lost) {
      lost_later_.push_back(std::move(packet));
      return;
    }
    const NodeId to = packet->destination.node();
    const std::pair<Cycle, PacketId> key{now + node.leaving.delay, packet->id};
    nodes_[to]->coming.emplace(key, std::move(packet));
  }
  void drop_between_cycles() {
    for (auto& node : nodes_) {
      if (!node->is_leaving || !node->leaving.doomed || node->leaving.end > now) continue;
      node->is_leaving = false;
      lost_later_.push_back(std::move(node->leaving.packet));
    }
    for (const PacketRef& packet : lost_later_) {
      ++dropped;
      nodes_[packet->source.node()]->source->dropped(now, *packet, "no_way");
    }
    lost_later_.clear();
  }

  const MediumConfig config_;
  RetryConfig retry_;
  LinkBridgeConfig bridge_;
  CounterRandom order_;
  std::vector<PacketRef> lost_later_;
  std::vector<std::unique_ptr<Node>> nodes_;
};

}  // namespace

TEST_CASE("bridges with retry: every packet arrives once, in order, with its bytes, under any losses") {
  MediumConfig config;
  config.lost_percent = GENERATE(0U, 4U, 12U);
  config.retry_packets = GENERATE(1U, 2U, 8U);
  config.seed = GENERATE(1U, 2U, 3U);
  Medium medium(config);
  medium.run();
  medium.check_arrivals();
  CHECK(medium.born == config.nodes * config.messages);
  CHECK(medium.lost == 0);
  CHECK((medium.dropped != 0) == (config.lost_percent != 0));
  if (config.lost_percent != 0) CHECK(medium.repeated > 20);
  // The bound of receivers; the bridge treats more as a model failure.
  CHECK(medium.most_waiting <= (config.nodes - 1) * (config.retry_packets - 1));
  if (config.retry_packets > 1 && config.lost_percent != 0) CHECK(medium.most_waiting > 0);
  CHECK(medium.most_begun == config.retry_packets);
  medium.clear();
  CHECK(medium.pool.in_use() == 0);
}

TEST_CASE("bridges with retry: the order of nodes in a cycle changes no result") {
  MediumConfig config;
  config.lost_percent = 10;
  Medium first(config);
  first.run();
  for (const std::uint64_t order : {7U, 8U, 9U}) {
    config.order = order;
    Medium other(config);
    other.run();
    CHECK(other.now == first.now);
    for (NodeId id = 0; id < config.nodes; ++id) CHECK((other.came(id) == first.came(id)));
  }
}

TEST_CASE("bridges with retry: packets to an unreachable node are lost one by one, with their bytes") {
  MediumConfig config;
  config.silent = 2;
  config.most_tries = 3;
  config.timeout = 300;
  Medium medium(config);
  medium.run();
  medium.check_arrivals();
  CHECK(medium.came(2).empty());
  std::uint64_t others = 0;
  for (NodeId id = 0; id < config.nodes; ++id) others += medium.came(id).size();
  CHECK(medium.lost > 20);
  CHECK(others + medium.lost == medium.born);
  // Lost packets have released their places in the interface's FIFO.
  medium.clear();
  CHECK(medium.pool.in_use() == 0);
}

namespace {

/// One bridge with retry, whose interface sends packets of 3 flits to node 1.
struct One final : RetryEvents {
  explicit One(unsigned packets, unsigned window) {
    retry.timeout_cycles = 100;
    retry.window_packets = window;
    auto made = std::make_unique<LinkBridge>(bridge_config, interface, interface, 0, 4);
    bridge = made.get();
    source = std::make_unique<RetrySource>(RetrySource::Parts{std::move(made), retry, pool, *this, true}, 0);
    for (unsigned i = 0; i < packets; ++i) {
      PacketRef packet = pool.make();
      packet.edit().id = packet_id(0, i);
      packet.edit().destination = 1;
      packet.edit().created = 2 + i;
      packet.edit().flits = 3;
      interface.coming.push_back({5, {std::move(packet), 1, 0}});
    }
  }
  void on_message_born(NodeId, const RetryKey&, const Emission& emission) override {
    born.push_back(emission.created);
  }
  void on_packet(const Packet&, RetryState::Kind) override {}
  const char* on_given_up(const Packet&, const RetryKey&, Cycle) override { return nullptr; }
  void on_lost(const Packet&, const char*, Cycle) override {}
  PacketRef next(Cycle now) {
    source->advance(now);
    Emission emission;
    if (!source->next(emission)) return {};
    return pool.attach(emission.packet);
  }
  void acknowledge(Cycle now, std::uint32_t order) {
    PacketRef packet = pool.make_bare();
    packet.edit().source = 1;
    packet.edit().order = order;
    packet.edit().acknowledges = true;
    source->take(now, std::move(packet));
  }

  PacketPool pool;
  Interface interface;
  LinkBridgeConfig bridge_config;
  RetryConfig retry;
  LinkBridge* bridge = nullptr;
  std::unique_ptr<RetrySource> source;
  std::vector<Cycle> born;
};

}  // namespace

TEST_CASE("bridges with retry: messages are born with their packets, and repeats have separate numbers") {
  One one(1, 4);
  const PacketRef first = one.next(5);
  REQUIRE(first);
  CHECK(one.born == std::vector<Cycle>{2});
  CHECK(first->id == packet_id(0, 0));
  CHECK(first->created == 2);
  one.source->departed(7, *first);
  CHECK(one.interface.released == std::vector<Cycle>{7});
  CHECK_FALSE(one.next(106));
  const PacketRef repeat = one.next(107);
  REQUIRE(repeat);
  CHECK(repeat->id == packet_id(0, RetrySource::first_own_serial));
  CHECK(repeat->created == 2);
  CHECK(repeat->order == 0);
  one.source->departed(109, *repeat);
  CHECK(one.interface.released == std::vector<Cycle>{7});
  one.acknowledge(115, 0);
  CHECK(one.source->next_event() == 109 + 200);  // a wake-up without effect
  CHECK_FALSE(one.next(309));
  CHECK(one.source->next_event() == never);
}

TEST_CASE(
    "bridges with retry: a full retry memory holds new packets until one is acknowledged, out of turn or "
    "not") {
  One one(4, 2);
  for (const Cycle now : {5, 8}) {
    const PacketRef packet = one.next(now);
    REQUIRE(packet);
    one.source->departed(now + 2, *packet);
  }
  CHECK_FALSE(one.next(11));
  CHECK(one.source->next_event() == 10 - 3 + 100);  // no event in every cycle
  one.acknowledge(20, 1);                           // frees a place, not the window's
  CHECK_FALSE(one.next(21));
  one.acknowledge(30, 0);
  const PacketRef third = one.next(31);
  REQUIRE(third);
  CHECK(third->order == 2);
}

TEST_CASE("bridges with retry: heads stay in the network while the interface has no room") {
  One one(0, 2);
  one.interface.room_from = 1000;
  CHECK_FALSE(one.source->is_full());
  PacketRef packet = one.pool.make();
  packet.edit().source = 2;
  packet.edit().flits = 3;
  one.source->take(10, std::move(packet));
  CHECK(one.source->is_full());
  one.source->advance(11);
  one.source->advance(1000);
  CHECK_FALSE(one.source->is_full());
  CHECK(one.interface.sent.size() == 1);
}
