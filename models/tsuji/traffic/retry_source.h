// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>

#include "tsuji/core/packet.h"
#include "tsuji/traffic/checked_source.h"
#include "tsuji/traffic/retry_state.h"

namespace tsuji::traffic {

/// Observer of the messages of a network with retry. Each function is called in the cycle of the event; the
/// order among nodes is undefined.
class RetryEvents {
 public:
  virtual ~RetryEvents() = default;
  /// The wrapped source's packet was generated in cycle emission.created and has received its sequence
  /// number.
  virtual void on_message_born(NodeId source, const RetryKey& key, const Emission& emission) = 0;
  /// A packet has been made and leaves next.
  virtual void on_packet(const Packet& packet, RetryState::Kind kind) = 0;
  /// The sender has given up a message, whose fields `message` has. Returns the cause (RetrySource::lost) if
  /// the message is lost, because none of its packets is in flight and none has arrived; otherwise null.
  virtual const char* on_given_up(const Packet& message, const RetryKey& key, Cycle now) = 0;
  /// A message is lost; see RetrySource::lost().
  virtual void on_lost(const Packet& packet, const char* cause, Cycle now) = 0;
};

/// Source with end-to-end retry: RetryState with its timing and its packets. The packets of the wrapped
/// source are the messages. Its take() receives each message once; its departed() reports the first departure
/// of a complete message; its dropped() reports a message that was given up and of which no copy has arrived
/// or will arrive.
///
/// Passes one packet at a time to the node, so that acknowledgements do not wait for the queue of a saturated
/// source.
///
/// A message may be a packet that was made elsewhere (Emission::packet). It is then kept unchanged until it
/// is acknowledged or given up, while copies of it travel: the first copy under the message's own number,
/// repeats under numbers of this source, which begin with first_own_serial.
class RetrySource final : public EmissionSource {
 public:
  struct Parts {
    std::unique_ptr<EmissionSource> messages;  ///< The wrapped source, of single-cast packets.
    const RetryConfig& config;
    PacketPool& pool;  ///< Must outlive the source, as must `config` and `events`.
    RetryEvents& events;
    bool has_channels = false;  ///< The wrapped source has its own channels, which wake it, and its packets
                                ///< have been made elsewhere.
  };
  /// First serial number of packets that this source makes, if messages are packets made elsewhere.
  static constexpr std::uint32_t first_own_serial = 0x8000'0000;

  RetrySource(Parts parts, NodeId node);

  void bind(Clocked& node) override { messages_->bind(node); }
  bool is_full() const override { return messages_->is_full(); }

  bool next(Emission& emission) override;
  void take(Cycle now, PacketRef packet) override;
  void departed(Cycle now, const Packet& packet) override;
  void dropped(Cycle now, const Packet& packet, const char* cause) override;
  Cycle next_event() const override;
  void advance(Cycle now) override;

  /// Reports that a message that was given up is lost: no copy has arrived, and the last copy has ended in
  /// cycle `now`. `cause` is that of the last drop among its packets; given_up if none was dropped.
  void lost(Cycle now, const Packet& packet, const char* cause);
  const RetryState& state() const { return state_; }
  /// The source of the messages.
  const EmissionSource& messages() const { return *messages_; }

 private:
  void pull();
  bool give(Emission& emission);
  void add_messages(Cycle now);
  void give_up(Cycle now, const RetryState::GivenUp& message);
  void note_waiting(Cycle now);
  PacketRef new_packet(const RetryState::Departure& departure);
  PacketIndex make_packet(const RetryState::Departure& departure);

  CheckedSource messages_;
  const bool has_channels_;
  const bool has_events_;  ///< of the wrapped source: it is notified of events, or has its own ones
  PacketPool& pool_;
  RetryEvents& events_;
  const NodeId node_;
  RetryState state_;
  std::map<RetryKey, PacketRef>
      data_;           ///< Messages that are packets made elsewhere, while state_ keeps them.
  Emission upcoming_;  ///< The next message; valid if `held_`.
  bool held_ = false;
  bool gives_ = false;  ///< advance() of this cycle has been called, and next() has not returned false since.
  RetryState::Departure departure_;  ///< of the last packet that left; a member, as next() fills in all of it
  PacketId leaving_ = 0;
  bool is_leaving_ = false;
  Cycle now_ = 0;        ///< Cycle of the last advance().
  Cycle ready_ = never;  ///< Cycle from which a waiting packet may leave.
  std::uint32_t serial_ = 0;
};

}  // namespace tsuji::traffic
