// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <string>

#include "tsuji/interconnect/message.h"
#include "tsuji/traffic/emission.h"

namespace tsuji::interconnect {

/// Classes of messages that requests and responses use.
struct StationClasses {
  std::uint8_t request = 0, response = 1;
};

/// Side of a station: an initiator, whose requests leave and whose responses arrive, or a target.
class StationSide {
 public:
  virtual ~StationSide() = default;
  /// A packet has arrived in cycle `now`.
  virtual void take(Cycle now, const MessagePart& part, const Packet& packet) = 0;
  /// The last packet of a message to `to` has left in cycle `now`.
  virtual void left(Cycle now, NodeId to, std::uint16_t tag) = 0;
  /// True while no further packet may begin to arrive.
  virtual bool is_full() const { return false; }
  /// With is_full(): true if that ends without any progress of the network, by the module at the socket.
  virtual bool is_busy() const { return false; }
};

/// Node of a network between TLM-2.0 sockets: sends messages as packets, and passes arriving packets to its
/// sides. Without SystemC.
///
/// Contract: join() before the first cycle. post() between two cycles or within one, for a later cycle; the
/// caller then lets the node read the source again (FlitNodeState::source_changed).
class Station final : public traffic::EmissionSource {
 public:
  Station(NodeId node, const WireConfig& wire, const StationClasses& classes)
      : node_(node), wire_(wire), classes_(classes) {}

  /// Memory of the packets.
  void join(PacketPool& pool) { pool_ = &pool; }
  /// The node's initiator or target; each once.
  void add_initiator(StationSide& side) { initiator_ = &side; }
  void add_target(StationSide& side) { target_ = &side; }

  /// Sends a message in cycle `at` or later, after those posted before it. `message` has the fields that all
  /// parts have in common; `view` outlives the message.
  void post(Cycle at, const MessagePart& message, NodeId to, std::uint32_t order, const DataView& view);

  bool next(traffic::Emission& emission) override;
  Cycle lookahead_cycles() const override { return 1; }
  void take(Cycle now, PacketRef packet) override;
  unsigned closed_classes() const override {
    return target_ != nullptr && target_->is_full() ? 1U << classes_.request : 0;
  }
  bool waits_for_user() const override { return target_ != nullptr && target_->is_busy(); }
  void departed(Cycle now, const Packet& packet) override;
  void dropped(Cycle now, const Packet& packet, const char* cause) override;
  Cycle next_event() const override { return outgoing_.empty() ? never : outgoing_.front().at; }
  void advance(Cycle now) override { now_ = now; }

 private:
  struct Outgoing {
    MessageCutter parts;
    Cycle at;
    NodeId to;
    std::uint32_t order;
    DataView view;
  };
  [[noreturn]] void fail(Cycle now, const Packet& packet, const std::string& what) const;

  const NodeId node_;
  const WireConfig wire_;
  const StationClasses classes_;
  PacketPool* pool_ = nullptr;
  StationSide *initiator_ = nullptr, *target_ = nullptr;
  std::deque<Outgoing> outgoing_;
  Cycle now_ = 0;
  std::uint32_t serial_ = 0;
};

}  // namespace tsuji::interconnect
