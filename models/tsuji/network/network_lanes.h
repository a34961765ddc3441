// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "tsuji/clock/clock_domain.h"
#include "tsuji/link/lane_crossing.h"
#include "tsuji/network/network_modules.h"
#include "tsuji/traffic/flit_node_state.h"

namespace tsuji::network {

/// Births and deliveries of a lane's packets, kept until the window is over, when they are reported one after
/// the other.
class DeferredEvents final : public traffic::FlitNodeEvents {
 public:
  void on_born(End source, const traffic::Emission& emission, Cycle now) override {
    is_birth_.push_back(1);
    births_.push_back({source, emission, now});
  }
  void on_delivered(const Packet& packet, Cycle head, Cycle tail) override {
    is_birth_.push_back(0);
    deliveries_.push_back({packet, head, tail});
  }
  /// Reports all events in their order, and forgets them.
  void report_to(traffic::FlitNodeEvents& events);

 private:
  struct Birth {
    End source;
    traffic::Emission emission;
    Cycle now;
  };
  struct Delivery {
    Packet packet;
    Cycle head, tail;
  };
  std::vector<std::uint8_t> is_birth_;  ///< [event]: 1 for the next birth, 0 for the next delivery
  std::vector<Birth> births_;
  std::vector<Delivery> deliveries_;
};

/// A network whose windows run on several threads: the channels between routers and nodes of different lanes,
/// and what all nodes share, which is the pool of packets and the accounts.
///
/// The accounts get the events of a window lane by lane. One thread would run the groups of modules in the
/// same order, so that all sums are formed in one order for any number of threads.
class NetworkLanes final : public LaneUser {
 public:
  /// `accounts` gets the births and deliveries of the nodes. Both references outlive the run.
  NetworkLanes(NetworkModules& modules, traffic::FlitNodeEvents& accounts)
      : modules_(modules), accounts_(accounts) {}

  void enter_lanes() override;
  void exchange(Cycle last) override;

 private:
  void enter_dense();

  NetworkModules& modules_;
  traffic::FlitNodeEvents& accounts_;
  std::vector<std::unique_ptr<DeferredEvents>> events_;  ///< [lane]
  std::vector<LaneCrossing> crossings_;
};

}  // namespace tsuji::network
