// SPDX-License-Identifier: Apache-2.0
// Sources of networks with classes of messages.

#include <memory>

#include "network/vc_rig.h"
#include "support/catch.h"

using namespace tsuji;
using namespace tsuji::network;
using namespace tsuji::network::test;

namespace {

NetworkConfig two_classes() {
  NetworkConfig config = torus(4);
  config.network.vcs = 4;
  config.classes.list = "low vcs 0-1, high vcs 2-3";
  return config;
}

traffic::Emission packet(Cycle created, NodeId destination, std::uint8_t sid) {
  traffic::Emission emission;
  emission.created = created;
  emission.destination = destination;
  emission.flits = 3;
  emission.sid = sid;
  return emission;
}

/// Sends a packet, and lets packets of class 0 in, from the cycle in which another module opens it. Nothing
/// but that module wakes it.
class Opened final : public traffic::EmissionSource {
 public:
  explicit Opened(NodeId to) : to_(to) {}
  void open(Cycle at) {
    opens_at_ = at;
    node_->wake_at(at);
  }
  void bind(Clocked& node) override { node_ = &node; }
  void advance(Cycle now) override { now_ = now; }
  bool next(traffic::Emission& emission) override {
    if (now_ < opens_at_ || sent_) return false;
    sent_ = true;
    emission = packet(now_, to_, 0);
    return true;
  }
  unsigned closed_classes() const override { return now_ < opens_at_ ? 1 : 0; }
  void arrived(Cycle now, const Packet&) override { arrivals.push_back(now); }
  std::vector<Cycle> arrivals;

 private:
  const NodeId to_;
  Clocked* node_ = nullptr;
  Cycle now_ = 0, opens_at_ = never;
  bool sent_ = false;
};

/// Opens a source in the cycle after a packet's arrival.
class Opens final : public traffic::EmissionSource {
 public:
  Opened* other = nullptr;
  bool next(traffic::Emission&) override { return false; }
  void arrived(Cycle now, const Packet&) override {
    if (opened_at == never) other->open(opened_at = now + 1);
  }
  Cycle opened_at = never;
};

}  // namespace

TEST_CASE("classes: lists of packets are sent in their cycles, without an event of their source") {
  VcRig rig(two_classes());
  rig.build([](NodeId node) {
    std::vector<traffic::Emission> list;
    if (node == 0) list = {packet(1, 5, 0), packet(1, 5, 1), packet(40, 6, 1), packet(3000, 7, 0)};
    return std::make_unique<traffic::ListedEmissions>(std::move(list));
  });
  rig.loaded->run_to(10'000);
  REQUIRE(rig.delivered.size() == 4);
  for (const auto& [id, one] : rig.by_packet()) CHECK(one.injected - one.created <= 3 + 1);
}

TEST_CASE("classes: a source with a channel of its own is asked when that channel wakes its node") {
  VcRig rig(two_classes());
  rig.parts->sources_have_channels = true;
  Opened* opened = nullptr;
  Opens* opens = nullptr;
  rig.build([&](NodeId node) -> std::unique_ptr<traffic::EmissionSource> {
    if (node == 3) {
      auto source = std::make_unique<Opened>(9);
      opened = source.get();
      return source;
    }
    if (node == 2) {
      auto source = std::make_unique<Opens>();
      opens = source.get();
      return source;
    }
    std::vector<traffic::Emission> list;
    if (node == 0) list = {packet(1, 3, 0), packet(1, 3, 1), packet(500, 2, 1)};
    return std::make_unique<traffic::ListedEmissions>(std::move(list));
  });
  opens->other = opened;
  rig.loaded->run_to(10'000);
  REQUIRE(rig.delivered.size() == 4);
  REQUIRE(opens->opened_at > 500);
  REQUIRE(opened->arrivals.size() == 2);
  CHECK(opened->arrivals[0] < 100);  // the class that is not closed
  CHECK(opened->arrivals[1] > opens->opened_at);
  CHECK(opened->arrivals[1] < opens->opened_at + 10);
  for (const auto& [id, one] : rig.by_packet())
    if (one.source == 3) CHECK(one.created == opens->opened_at);
}
