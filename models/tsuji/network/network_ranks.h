// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>

#include "tsuji/clock/clock_domain.h"
#include "tsuji/network/network_accounts.h"
#include "tsuji/network/network_modules.h"
#include "tsuji/traffic/flit_node_state.h"

namespace tsuji::network {

/// A network whose routers and nodes are divided among the ranks of an MPI job. After each window the ranks
/// exchange flits and credits on links that are cut, and births and deliveries of packets: every rank has the
/// accounts of the whole network, from events in the order of one process, and so all ranks decide alike.
/// A dense network has only its own routers and nodes on each rank. Of a network of modules every rank has
/// all modules, and runs its own.
class NetworkRanks final : public ClockParts, private traffic::FlitNodeEvents {
 public:
  /// `accounts` gets the births and deliveries of all ranks. Both references outlive the run.
  NetworkRanks(NetworkModules& modules, NetworkAccounts& accounts) : modules_(modules), accounts_(accounts) {}

  State begin(const State& own) override;
  State exchange(Cycle last, const State& own, FirstFailure& failure) override;

 private:
  void on_born(End source, const traffic::Emission& emission, Cycle now) override;
  void on_delivered(const Packet& packet, Cycle head, Cycle tail) override;
  /// First values of a message. A failure's text follows, if there is one.
  struct Header {
    State state;
    Cycle failed_at = never;
    Cycle credit = never;      ///< first cycle in which a credit may wake a module of another rank
    Cycle acts_after = never;  ///< cycle after which the supervisor acts
  };
  Header put(Cycle last, State own, const FirstFailure& failure);
  void put_crossing(unsigned rank, Cycle last, Header& own, mpi::Bytes& message);
  void cut_channels();
  void show_retry(std::vector<mpi::Reader>& messages);
  unsigned rank_of(const graph::PortRef& port, const std::optional<End>& node);

  NetworkModules& modules_;
  NetworkAccounts& accounts_;
  // Memory of one exchange, kept for the next one.
  mpi::Bytes events_;                  ///< of this rank
  std::vector<mpi::Reader> messages_;  ///< [rank]
};

}  // namespace tsuji::network
