// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>

#include "tsuji/core/packet.h"
#include "tsuji/traffic/checked_source.h"
#include "tsuji/traffic/retry_state.h"

namespace tsuji::traffic {

/// Observer of the messages of a network with retry, called in the cycle of an event, in no order among
/// nodes.
class RetryEvents {
 public:
  virtual ~RetryEvents() = default;
  /// The wrapped source's packet was generated in cycle emission.created, and has its number.
  virtual void on_message_born(NodeId source, const RetryKey& key, const Emission& emission) = 0;
  /// A packet is made, which leaves next.
  virtual void on_packet(const Packet& packet, RetryState::Kind kind) = 0;
  /// The sender keeps a message no longer. Where no packet of it is under way and none has arrived, it is
  /// lost: returns the cause (RetrySource::lost), otherwise null.
  virtual const char* on_given_up(NodeId source, const RetryKey& key, Cycle now) = 0;
  /// A message is lost, as RetrySource::lost() says.
  virtual void on_lost(const Packet& packet, const char* cause, Cycle now) = 0;
};

/// A source behind end-to-end retry: RetryState with the time and the packets around it. The source's packets
/// are messages; its take() sees each once, its departed() the first time that a message leaves as a whole,
/// and its dropped() a message that was given up and of which no copy has arrived or will.
///
/// One packet at a time is handed to the node, so that acknowledgements do not wait behind a saturated
/// source.
///
/// A message may be a packet that has been made (Emission::packet). It is then kept as it is until it is
/// acknowledged or given up, and copies of it travel: the first under its own number, repeats under numbers
/// of this source, which begin with first_own_serial.
class RetrySource final : public EmissionSource {
 public:
  struct Parts {
    std::unique_ptr<EmissionSource> messages;  ///< of single-cast packets
    const RetryConfig& config;
    PacketPool& pool;  ///< this and the others outlive the source
    RetryEvents& events;
    bool has_channels = false;  ///< of its own, which wake it; its packets have been made
  };
  /// Number of the first packet of its own, where others have been made elsewhere.
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

  /// No copy of a message that was given up has arrived, and the last one has ended in cycle `now`. `cause`:
  /// of the last drop among its packets; given_up: there was none.
  void lost(Cycle now, const Packet& packet, const char* cause);
  const RetryState& state() const { return state_; }

 private:
  void pull();
  void add_messages(Cycle now);
  void give_up(Cycle now, const RetryState::GivenUp& message);
  void note_waiting(Cycle now);
  PacketRef new_packet(const RetryState::Departure& departure);
  PacketIndex make_packet(const RetryState::Departure& departure);

  CheckedSource messages_;
  const bool has_channels_;
  PacketPool& pool_;
  RetryEvents& events_;
  const NodeId node_;
  RetryState state_;
  std::map<RetryKey, PacketRef>
      data_;           ///< messages that are packets made elsewhere, as long as state_ has them
  Emission upcoming_;  ///< the next message, if `held_`
  bool held_ = false;
  bool gives_ = false;  ///< advance() of this cycle has been called, and next() has not said no since
  PacketId leaving_ = 0;
  bool is_leaving_ = false;
  Cycle now_ = 0;        ///< of advance()
  Cycle ready_ = never;  ///< from which something that waits may leave
  std::uint32_t serial_ = 0;
};

}  // namespace tsuji::traffic
