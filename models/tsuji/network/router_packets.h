// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "tsuji/core/packet.h"
#include "tsuji/observe/birth_ledger.h"
#include "tsuji/observe/load_measurement.h"
#include "tsuji/router/flit_router.h"
#include "tsuji/traffic/flit_node_state.h"

namespace tsuji::network {

/// Packets that are born and end at routers: made by the routers themselves, or by what stands behind their
/// control ports. ModelError for one that ends where it was not sent to, twice, or without having been born.
class RouterPacketAccounts final : public router::RouterPackets, public traffic::FlitNodeEvents {
 public:
  struct Hooks {
    std::function<void()> born;                                  ///< something is under way
    std::function<void(const observe::DeliveredPacket&)> ended;  ///< may be empty
  };
  RouterPacketAccounts(PacketPool& pool, unsigned routers, Hooks hooks);

  PacketIndex begin(graph::RouterId from, graph::RouterId to, unsigned flits, Cycle now) override;
  void end(graph::RouterId at, PacketIndex packet, Cycle head, Cycle now) override;
  /// At a control port.
  void on_born(End source, const traffic::Emission& emission) override;
  void on_delivered(const Packet& packet, Cycle head, Cycle tail) override;
  /// Its flits are gone.
  void dropped(const Packet& packet, Cycle now) { take(packet, now); }

  std::uint64_t born() const { return born_; }
  std::uint64_t ended() const { return ended_; }
  /// ModelError where routers count other flits than their packets have.
  void check(const router::RouterCounters& counters, Cycle now) const;

 private:
  void take(const Packet& packet, Cycle now);

  PacketPool& pool_;
  const Hooks hooks_;
  observe::BirthLedger ledger_;
  std::vector<std::uint32_t> serials_;  ///< [router]: of the packets that it made itself
  std::uint64_t born_ = 0, ended_ = 0;
  std::uint64_t flits_made_ = 0, flits_ended_ = 0;  ///< by routers themselves
};

}  // namespace tsuji::network
