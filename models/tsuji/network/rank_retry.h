// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "tsuji/core/packet_image.h"
#include "tsuji/mpi/message.h"
#include "tsuji/network/retry_accounts.h"
#include "tsuji/traffic/flit_node_state.h"

namespace tsuji::network {

/// Events of retry at the nodes of one rank, kept until the cycle is over. Every rank then gives those of all
/// ranks to its RetryAccounts, which are the accounts of the whole network. A message of which no packet is
/// left is reported lost to its source after the cycle in which it was given up, not within that cycle.
///
/// Contract: after each cycle put() for each other rank, then show() and show_own() in the order of the
/// ranks; then next_arrival() for each delivery of these ranks, in their order.
class RankRetry final : public traffic::RetryEvents, public traffic::FlitNodeEvents {
 public:
  /// Called for a message that is lost.
  using Lose = std::function<void(const Packet& packet, const char* cause, Cycle now)>;

  /// `events` gets the births and deliveries of this rank's nodes.
  RankRetry(RetryAccounts& accounts, traffic::FlitNodeEvents& events)
      : accounts_(accounts), events_(events) {}

  void on_message_born(NodeId source, const traffic::RetryKey& key,
                       const traffic::Emission& emission) override;
  void on_packet(const Packet& packet, traffic::RetryState::Kind kind) override;
  /// Returns null always: the accounts answer when the cycle is over.
  const char* on_given_up(const Packet& message, const traffic::RetryKey& key, Cycle now) override;
  void on_lost(const Packet& packet, const char* cause, Cycle now) override {
    accounts_.on_lost(packet, cause, now);
  }

  void on_born(End source, const traffic::Emission& emission, Cycle now) override {
    events_.on_born(source, emission, now);
  }
  void on_delivered(const Packet& packet, Cycle head, Cycle tail) override;

  /// Appends the events of the cycle to a message for another rank.
  void put(mpi::Bytes& message) const;
  /// Gives the events that put() has appended on another rank to the accounts.
  void show(mpi::Reader& message, const Lose& lose);
  /// Gives the events of this rank to the accounts, and forgets them.
  void show_own(const Lose& lose);
  /// Kind of the next delivered packet, as its sink judged it.
  PacketArrival next_arrival() { return arrivals_shown_.at(next_arrival_++); }
  /// The deliveries of the cycle have been reported.
  void end_cycle();

 private:
  enum class Kind : std::uint8_t { message, packet, given_up };
  struct Event {
    Kind kind = Kind::message;
    traffic::RetryState::Kind of_packet = traffic::RetryState::Kind::message;
    NodeId source = 0;
    traffic::RetryKey key;
    Cycle now = 0;
    traffic::Emission emission;
    PacketImage packet;
  };
  void show(const Event& event, const Lose& lose);

  RetryAccounts& accounts_;
  traffic::FlitNodeEvents& events_;
  std::vector<Event> own_;
  std::vector<PacketArrival> own_arrivals_;
  std::vector<PacketArrival> arrivals_shown_;  ///< of all ranks
  std::size_t next_arrival_ = 0;               ///< in arrivals_shown_
};

}  // namespace tsuji::network
