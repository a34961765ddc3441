// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "network/vc_rig.h"

namespace tsuji::network::test {

/// Checks flits on all channels of a network against their packets' routes: a virtual channel carries whole
/// packets one after another, flits keep their distance, and a head leaves a router by one of its candidates.
class FlitCheck {
 public:
  explicit FlitCheck(VcRig& rig)
      : rig_(rig), pool_(rig.loaded->pool()), leaks_(rig.config.network.router.prediction.leaks()) {
    for (const VcNetwork::ChannelPlace& place : rig.loaded->network().channels())
      channels_.push_back(std::make_unique<OfChannel>(*this, place));
  }
  /// The first error found; empty: none.
  const std::string& wrong() const { return wrong_; }

 private:
  struct Place {
    graph::PortRef at;
    unsigned vc = 0;
    std::uint16_t hops = 0;
  };

  class OfChannel final : public FlitProbe {
   public:
    OfChannel(FlitCheck& check, const VcNetwork::ChannelPlace& place)
        : check_(check), place_(place), vcs_(place.channel->vcs()) {
      place.channel->set_probe(this);
    }
    void on_flit(const FlitChannel& channel, unsigned vc, const Flit& flit, Cycle departure, Cycle) override {
      OfVc& own = vcs_[vc];
      check_.expect(own.packets == 0 || departure > own.last_departure, flit, departure,
                    "overtakes a flit of its virtual channel");
      for (const OfVc& other : vcs_)
        check_.expect(other.packets == 0 || &other == &own ||
                          departure >= other.last_departure + channel.flit_cycles() ||
                          departure + channel.flit_cycles() <= other.last_departure,
                      flit, departure, "is on the wires with another one");
      if (flit.is_killed()) {  // a dead packet may end with any flit
        check_.expect(check_.leaks_ && own.next == 0, flit, departure, "is dead");
        check_.expect(!check_.recovers_on(place_, vc), flit, departure, "is dead on a channel of recovery");
        check_.expect(!channel.down(), flit, departure, "is dead on a dead link");
        own.last_departure = departure;
        ++own.packets;
        return;
      }
      check_.expect(flit.sequence == own.next && flit.is_head() == (own.next == 0) &&
                        (own.next == 0 || flit.packet == own.packet),
                    flit, departure, "is not the next one");
      if (flit.is_head()) {
        ++own.packets;
        check_.head(place_, vc, flit, departure);
      }
      own.packet = flit.packet;
      own.next = flit.is_tail() ? 0 : flit.sequence + 1U;
      own.last_departure = departure;
    }
    void on_credit(const FlitChannel&, unsigned, Cycle, Cycle) override {}

   private:
    struct OfVc {
      std::uint64_t packets = 0;
      PacketIndex packet = 0;
      unsigned next = 0;
      Cycle last_departure = 0;
    };
    FlitCheck& check_;
    const VcNetwork::ChannelPlace place_;
    std::vector<OfVc> vcs_;
  };

  bool recovers_on(const VcNetwork::ChannelPlace& place, unsigned vc) const {
    return !place.from_node && !place.to_node &&
           (routing::vcs_of_recovery(*rig_.plan.routing) >> vc & 1U) != 0;
  }
  void expect(bool right, const Flit& flit, Cycle cycle, const char* what) {
    if (right || !wrong_.empty()) return;
    wrong_ = "flit " + std::to_string(flit.sequence) + " of " + packet_name(pool_.at(flit.packet).id) + " " +
             what + " in cycle " + std::to_string(cycle);
  }
  void head(const VcNetwork::ChannelPlace& place, unsigned vc, const Flit& flit, Cycle cycle) {
    Place& packet = places_[flit.packet];
    const bool from_node = place.from_node.has_value();
    if (!from_node) check_route(place, vc, flit, packet, cycle);
    const auto hops = static_cast<std::uint16_t>(from_node ? 0 : packet.hops + 1);
    packet = {place.to, vc, hops};
  }
  void check_route(const VcNetwork::ChannelPlace& place, unsigned vc, const Flit& flit, const Place& from,
                   Cycle cycle) {
    const Packet& packet = pool_.at(flit.packet);
    routing::RouteQuery query;
    query.router = place.from.router;
    query.in_port = from.at.port;
    query.in_vc = from.vc;
    query.source = packet.source;
    query.destination = packet.destination;
    query.packet_class = packet.packet_class;
    query.hops = from.hops;
    query.packet = packet.id;
    query.seed = 1;
    routing::RouteSet candidates;
    rig_.plan.routing->route(query, candidates);
    expect(from.at.router == place.from.router, flit, cycle, "leaves a router that it is not in");
    expect(std::any_of(candidates.begin(), candidates.end(),
                       [&](const routing::RouteCandidate& one) {
                         return one.port == place.from.port && (one.vcs >> vc & 1U) != 0;
                       }),
           flit, cycle, "leaves by no candidate of its route");
  }

  VcRig& rig_;
  const PacketPool& pool_;
  const bool leaks_;
  std::map<PacketIndex, Place> places_;  ///< where the head came in last
  std::vector<std::unique_ptr<OfChannel>> channels_;
  std::string wrong_;
};

}  // namespace tsuji::network::test
