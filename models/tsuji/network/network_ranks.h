// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tsuji/clock/clock_domain.h"
#include "tsuji/network/network_modules.h"
#include "tsuji/traffic/flit_node_state.h"

namespace tsuji::network {

/// A network whose routers and nodes are divided among the ranks of an MPI job. After each window the ranks
/// exchange flits and credits on links that are cut, and births and deliveries of packets: every rank has the
/// accounts of the whole network, from events in the order of one process, and so all ranks decide alike.
class NetworkRanks final : public ClockParts, private traffic::FlitNodeEvents {
 public:
  /// `accounts` gets the births and deliveries of all ranks. Both references outlive the run.
  NetworkRanks(NetworkModules& modules, traffic::FlitNodeEvents& accounts)
      : modules_(modules), accounts_(accounts) {}

  State begin(const State& own) override;
  State exchange(Cycle last, const State& own, FirstFailure& failure) override;

 private:
  void on_born(End source, const traffic::Emission& emission, Cycle now) override;
  void on_delivered(const Packet& packet, Cycle head, Cycle tail) override;
  State put(Cycle last, State own, const FirstFailure& failure);

  NetworkModules& modules_;
  traffic::FlitNodeEvents& accounts_;
};

}  // namespace tsuji::network
