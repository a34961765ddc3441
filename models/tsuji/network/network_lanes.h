// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "tsuji/clock/clock_domain.h"
#include "tsuji/link/lane_crossing.h"
#include "tsuji/network/deferred_events.h"
#include "tsuji/network/network_modules.h"

namespace tsuji::network {

/// A network whose windows run on several threads: the channels between routers and nodes of different lanes,
/// and what all nodes share, which is the pool of packets and the accounts.
///
/// The accounts get the events of a window lane by lane. One thread would run the groups of modules in the
/// same order, so that all sums are formed in one order for any number of threads.
class NetworkLanes final : public LaneUser, private traffic::FlitNodeEvents {
 public:
  /// `accounts` gets the births and deliveries of the nodes; with `by_cycle` deliveries in the order of their
  /// cycles. Both references outlive the run.
  NetworkLanes(NetworkModules& modules, traffic::FlitNodeEvents& accounts, bool by_cycle)
      : modules_(modules), accounts_(accounts), by_cycle_(by_cycle) {}

  void enter_lanes() override;
  void exchange(Cycle last) override;

 private:
  void enter_dense();
  void on_born(End source, const traffic::Emission& emission, Cycle now) override;
  void on_delivered(const Packet& packet, Cycle head, Cycle tail) override;

  NetworkModules& modules_;
  traffic::FlitNodeEvents& accounts_;
  const bool by_cycle_;
  std::vector<std::unique_ptr<DeferredEvents>> events_;  ///< [lane]
  std::vector<LaneCrossing> crossings_;
};

}  // namespace tsuji::network
