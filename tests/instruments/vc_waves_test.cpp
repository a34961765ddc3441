// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "instruments/vc_waves_scene.h"
#include "network/drawn_network.h"
#include "support/catch.h"
#include "support/thrown.h"
#include "tsuji/core/error.h"

// Waveforms of virtual-channel networks against the probes of channels and routers.

using namespace tsuji;
using namespace tsuji::network;
using namespace tsuji::instruments;
using namespace tsuji::network::test;
using namespace tsuji::instruments::test;

namespace {

inline NetworkConfig drawn_with_prediction(std::uint64_t seed, router::PredictionCheck check, bool serial) {
  NetworkConfig config = drawn(seed);
  router::VcRouterConfig& own = config.network.router;
  own.prediction.kind = seed % 2 == 0 ? "straight" : "latest_port";
  own.prediction.check = check;
  own.prediction.serial = serial;
  if (check != router::PredictionCheck::kill) return config;
  own.des_cycles = own.ser_cycles = 0;
  own.st_cycles = config.network.rc_cycles;
  return config;
}

}  // namespace

TEST_CASE("waves of a network: wires, credits and fill levels in every cycle, and the stages of every flit") {
  std::vector<std::unique_ptr<Scene>> scenes;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    VcNetworkWavesConfig shown;
    shown.slots = seed % 2 == 0;
    scenes.push_back(std::make_unique<Scene>(seed, shown));
  }
  unsigned used = 0;
  for (std::size_t s = 0; s < scenes.size(); ++s) {
    CAPTURE(s);
    Scene& scene = *scenes[s];
    scene.run();
    for (std::size_t c = 0; c < scene.places.size(); ++c) {
      scene.check_channel(c);
      if (!scene.places[c].to_node) scene.check_stages(c);
    }
    used = std::max(used, scene.used());
  }
  CHECK(used >= 4);
}

TEST_CASE(
    "waves of routers that predict: a hit is in ST at once, and each head's outcome is shown for a cycle") {
  std::vector<std::unique_ptr<Scene>> scenes;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    VcNetworkWavesConfig shown;
    shown.slots = true;
    scenes.push_back(std::make_unique<Scene>(
        seed, shown, drawn_with_prediction(seed, router::PredictionCheck::kill, false)));
  }
  for (const auto& scene : scenes) {
    scene->run();
    for (std::size_t c = 0; c < scene->places.size(); ++c) {
      scene->check_channel(c);
      if (scene->places[c].to_node) continue;
      scene->check_stages(c);
      scene->check_predictions(c);
    }
    CHECK(scene->routers.outcomes == scene->rig.loaded->network().prediction_counters().visits);
    CHECK(scene->routers.outcomes[0] > 5);
  }
}

TEST_CASE("waves of routers that predict: wires and levels with leaking flits and passing words") {
  std::vector<std::unique_ptr<Scene>> scenes;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    VcNetworkWavesConfig shown;
    shown.slots = seed % 2 == 0;
    const bool waits = seed % 3 == 0;
    scenes.push_back(std::make_unique<Scene>(
        seed, shown,
        drawn_with_prediction(seed, waits ? router::PredictionCheck::wait : router::PredictionCheck::leak,
                              !waits && seed % 2 == 0)));
  }
  for (const auto& scene : scenes) {
    scene->run();
    for (std::size_t c = 0; c < scene->places.size(); ++c) {
      scene->check_channel(c);
      if (scene->places[c].to_node) continue;
      scene->check_heads(c);
      scene->check_predictions(c);
    }
    CHECK(scene->routers.outcomes == scene->rig.loaded->network().prediction_counters().visits);
  }
}

TEST_CASE("waves of some routers: only their channels, outgoing ones included") {
  VcNetworkWavesConfig shown;
  shown.routers = {4, 1, 4};
  Scene scene(3, shown);
  scene.run();
  std::size_t channels = 0, signals = 0;
  for (std::size_t c = 0; c < scene.places.size(); ++c) {
    const VcNetwork::ChannelPlace& place = scene.places[c];
    const bool in = !place.to_node && scene.is_shown(place.to.router);
    const bool out = !place.from_node && scene.is_shown(place.from.router);
    if (!in && !out) continue;
    ++channels;
    signals += 2 + place.channel->vcs() * (in ? 4 : 2);
    scene.check_channel(c);
    if (in) scene.check_stages(c);
  }
  // Channels in both directions: of their nodes, to four other routers, and between the two.
  CHECK(channels == 2 * (2 + 5));
  CHECK(scene.levels.size() == signals);
}

TEST_CASE("waves of a network: names of signals, and their representation") {
  VcNetworkWavesConfig shown;
  shown.slots = true;
  Scene scene(2, shown);
  scene.run();
  const Levels& levels = scene.levels;
  std::set<std::string> groups;
  for (const VcNetwork::ChannelPlace& place : scene.places) {
    const std::string path = scene.path_of(place);
    const bool in = !place.to_node;
    const graph::PortRef at = in ? place.to : place.from, other = in ? place.from : place.to;
    const std::optional<End> node = in ? place.from_node : place.to_node;
    const std::string group =
        "router " + std::to_string(at.router) + (in ? " input " : " output ") + std::to_string(at.port) +
        (in ? " from " : " to ") +
        (node ? "node " + node->name()
              : "router " + std::to_string(other.router) + " port " + std::to_string(other.port));
    CAPTURE(path);
    groups.insert(group);
    CHECK(levels.at(path + ".flit").group == group);
    CHECK(levels.at(path + ".flit").format == observe::WaveFormat::text);
    CHECK(levels.at(path + ".vc").width_bits == observe::bits_for(place.channel->vcs() - 1));
    CHECK(levels.at(path + ".vc").format == observe::WaveFormat::decimal);
    CHECK(levels.at(path + ".vc0.credits").width_bits == observe::bits_for(place.channel->depth_flits()));
    CHECK(levels.at(path + ".vc0.occupancy").format == observe::WaveFormat::decimal);
    CHECK(levels.has(path + ".vc0.stage") == in);
    if (!in) continue;
    const std::vector<std::string> names = {"-", "wait", "RC", "VA", "SA", "ST", "Des", "Ser"};
    for (const char* level : {".vc0.stage", ".vc0.slot0"}) {
      CHECK(levels.at(path + level).names == names);
      CHECK(levels.at(path + level).width_bits == 3);
      CHECK(levels.at(path + level).group == group);
    }
    CHECK(levels.at(path + ".vc0.packet").format == observe::WaveFormat::text);
    CHECK_FALSE(levels.has(path + ".vc0.slot" + std::to_string(place.channel->depth_flits())));
  }
  CHECK(groups.size() == scene.places.size());
}

TEST_CASE("waves of a window: its levels equal those of the whole run") {
  VcNetworkWavesConfig shown;
  shown.first_cycle = 60;
  shown.last_cycle = 110;
  Scene scene(5, shown);
  scene.run();
  std::size_t flits = 0;
  for (std::size_t c = 0; c < scene.places.size(); ++c) {
    scene.check_channel(c);
    for (const auto& [time, level] : scene.levels.at(scene.path_of(scene.places[c]) + ".flit").changes) {
      CHECK(time + scene.ps(2) >= scene.ps(60));
      CHECK(time <= scene.ps(110 + 20));
      ++flits;
    }
  }
  CHECK(flits > 50);
}

namespace {

std::string text_of(const std::vector<FollowedPackets::Part>& parts) {
  std::string text;
  for (const FollowedPackets::Part& part : parts) {
    text += part.heading + ":";
    for (const std::string& path : part.paths) text += " " + path;
    text += "; ";
  }
  return text;
}

}  // namespace

TEST_CASE("the followed packet is the selected one, or the first in any order of modules") {
  Packet early, late;
  early.id = packet_id(1, 7);
  early.source = 1;
  early.destination = 4;
  late.id = packet_id(2, 0);
  late.destination = 5;
  for (const bool swapped : {false, true}) {
    FollowedPackets places({{}}, 100);
    const FollowedPacket& first = places.packets().front();
    places.comes(early, "a", 99);  // before the first cycle
    CHECK_FALSE(first.found());
    if (swapped) places.comes(late, "d", 101);
    places.comes(early, "b", 101);
    if (!swapped) places.comes(late, "d", 101);
    places.comes(early, "b", 110);  // begins again
    places.comes(early, "c", 120);
    places.goes(late, 500);
    places.goes(early, 130);
    places.goes(early, 125);
    CHECK(first.heading() == "packet 1.7 to 4");
    CHECK(first.from() == 101);
    CHECK(first.to() == 130);
    places.add("b", {"of b", {"b.packet"}});
    places.add("c", {"of c", {"c.packet"}});
    CHECK(text_of(places.parts(first, 10)) == "of b: b.packet; of c: c.packet; ");
  }
  FollowedPackets wanted({{late.id, {}}}, 0);
  wanted.comes(early, "a", 5);
  CHECK(wanted.found().empty());
  wanted.comes(late, "a", 8);
  REQUIRE(wanted.found().size() == 1);
  CHECK(wanted.found().front()->heading() == "packet 2.0 to 5");
}

TEST_CASE("several packets are followed, each once, by number or as the first of their kind") {
  Packet parcel, multicast, barrier, copy;
  parcel.id = packet_id(1, 7);
  parcel.destination = 4;
  multicast.id = packet_id(1, 8);
  multicast.kind = PacketKind::multicast;
  barrier.id = packet_id(2, 3);
  barrier.kind = PacketKind::synchronization;
  copy.id = packet_id(End::of_router(0), 0);
  const auto headings = [](const FollowedPackets& followed) {
    std::string text;
    for (const FollowedPacket* const packet : followed.found()) text += packet->heading() + "; ";
    return text;
  };
  FollowedPackets kinds(
      {{{}, PacketKind::single_cast}, {{}, PacketKind::multicast}, {{}, PacketKind::synchronization}}, 0);
  kinds.comes(multicast, "a", 5);
  Packet in_torus = multicast;
  in_torus.kind = PacketKind::single_cast;  // carries a multicast, with its number
  kinds.comes(in_torus, "b", 9);
  kinds.comes(copy, "b", 10);  // born at a router
  CHECK(headings(kinds) == "multicast 1.8; ");
  CHECK(kinds.packets()[1].to() == 9);
  kinds.comes(barrier, "a", 3);
  kinds.comes(parcel, "a", 30);
  parcel.id = packet_id(1, 9);
  kinds.comes(parcel, "a", 31);
  CHECK(headings(kinds) == "synchronization 2.3; multicast 1.8; packet 1.7 to 4; ");
  kinds.goes(barrier, 40);
  CHECK(kinds.packets()[2].to() == 40);

  FollowedPackets scoped({{{}, PacketKind::single_cast}, {parcel.id, {}}}, 0);
  scoped.kinds_begin_at("group1.node5");
  scoped.comes(in_torus, "network.r0", 1);
  scoped.comes(parcel, "network.r0", 2);
  CHECK(headings(scoped) == "packet 1.9 to 4; ");
  copy.id = packet_id(3, 0);
  scoped.comes(copy, "group1.node5", 3);
  CHECK(headings(scoped) == "packet 1.9 to 4; packet 3.0 to 0; ");

  FollowedPackets named({{parcel.id, {}}, {barrier.id, {}}, {packet_id(6, 6), {}}, {}}, 0);
  for (const Packet* const packet : {&barrier, &multicast, &parcel}) named.comes(*packet, "a", 7);
  CHECK(headings(named) == "multicast 1.8; packet 1.9 to 4; synchronization 2.3; ");
  CHECK_FALSE(named.packets()[2].found());
}

TEST_CASE(
    "parts of the followed packet's places: in its order, parts of one heading together, cut to the rows") {
  Packet packet;
  packet.source = 1;
  packet.destination = 4;
  FollowedPackets followed({{}}, 0);
  followed.add(FollowedPackets::receives(4), {"receiver", {"n4.state"}});
  followed.add(FollowedPackets::receives(5), {"another", {"n5.state"}});
  followed.add(FollowedPackets::sends(1), {"sender", {"n1.state"}});
  followed.add("b.vc1", {"input b", {"b.packet", "b.stage", "b.flit", "b.slot0", "b.occupancy"}});
  followed.include("b.vc1", "b");
  followed.add("a", {"switches", {"a.packet"}});
  followed.add("c", {"switches", {"c.packet", "a.packet"}});
  followed.include("c", FollowedPackets::receives(4));
  followed.add("b", {"cache", {"b.lookup"}});  // after it was included
  // Modules in any order; d is not on the packet's path.
  for (const auto& [place, at] : {std::pair{"c", 30}, {"a", 10}, {"b.vc1", 20}, {"d", 15}}) {
    if (at != 10) followed.comes(packet, place, static_cast<Cycle>(at));
  }
  followed.comes(packet, "a", 10);
  const auto told = [](const std::string& more_of_b) {
    return "sender: n1.state; switches: a.packet c.packet; input b: b.packet b.stage b.flit" + more_of_b +
           "; cache: b.lookup; receiver: n4.state; ";
  };
  const FollowedPacket& one = followed.packets().front();
  CHECK(text_of(followed.parts(one, 15)) == told(" b.slot0 b.occupancy"));
  CHECK(text_of(followed.parts(one, 14)) == told(" b.slot0"));
  CHECK(text_of(followed.parts(one, 13)) == told(""));
  CHECK(text_of(followed.parts(one, 1)) == told(""));
}

TEST_CASE("waves follow a packet through its routers to the departure of its tail") {
  Scene scene(5, {});
  scene.run();
  const FollowedPacket& packet = scene.followed.packets().front();
  REQUIRE(packet.found());
  Cycle first = never, last = 0;
  for (const auto& [input, heads] : scene.routers.inputs)
    for (const auto& head : heads) first = std::min(first, head.rc);
  CHECK(packet.from() == first);
  for (std::size_t c = 0; c < scene.places.size(); ++c) {
    for (const Passage& flit : scene.logs[c]->flits) {
      if (!scene.places[c].from_node &&
          packet.heading().find("packet " + packet_name(flit.packet) + " ") == 0)
        last = std::max(last, flit.departure);
    }
  }
  CHECK(packet.to() == last);
}

TEST_CASE("waves of a nonexistent router are refused") {
  const graph::Topology topology = make_topology(resolved(drawn(1)).topology, 1);
  VcNetworkWavesConfig config;
  config.routers = {0, 5};
  CHECK_NOTHROW(config.validate_with(topology));
  config.routers = {6};
  const auto error = tsuji::test::thrown<ConfigError>([&] { config.validate_with(topology); });
  REQUIRE(error);
  CHECK(error->key() == "waves.routers");
  CHECK(error->value() == "6");
  CHECK(error->accepted() == "0..5, or [] for all");
}
