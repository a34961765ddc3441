// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "tsuji/faults/reconfiguration_node.h"
#include "tsuji/traffic/emission.h"

namespace tsuji::network {

class ControlPort;

/// The others, and whoever carries out what a node decides.
class ControlPeers {
 public:
  virtual ~ControlPeers() = default;
  virtual ControlPort& port(graph::RouterId router) = 0;
  /// In cycle `now` the node has changed its phase or its tables.
  virtual void changed(graph::RouterId router, Cycle now) = 0;
};

/// The node of a router in the reconfiguration protocol, behind the router's control port: it hears of links
/// and messages, and its own messages become packets. Packets name their message by the sender and a number;
/// one that dies takes its message with it.
class ControlPort final : public traffic::EmissionSource {
 public:
  struct Parts {
    graph::RouterId router = 0;
    faults::PlanBook& plans;
    const faults::ReconfigurationConfig& config;
    ControlPeers& peers;
    unsigned most_flits = 1;  ///< of a packet: a longer message is several
    /// Messages that are never sent, an error planted by a test; empty: none.
    std::function<bool(const faults::OutgoingControl&)> loses = {};
  };
  /// Nobody: the router is dead.
  explicit ControlPort(const Parts& parts) : parts_(parts) {}

  /// The router lives with what everybody knows, or returns and knows nothing.
  void begin(const std::shared_ptr<const faults::ReconfigurationPlan>& known);
  void begin_anew();
  /// The router dies.
  void end();
  /// A link is found to have died or returned in cycle `at`. In the order of cycles.
  void find(unsigned port, bool lives, Cycle at);
  /// Null: the router is dead.
  const faults::ReconfigurationNode* node() const { return node_ ? &*node_ : nullptr; }
  /// The node has taken new tables, once for each time.
  bool take_update() { return std::exchange(updated_, false); }
  /// The message of a packet of this router, once; none where the packet is not the last of its message.
  std::optional<faults::ControlMessage> collect(const Packet& packet);
  std::uint64_t messages() const { return serial_; }

  bool next(traffic::Emission& emission) override;
  void bind(Clocked& node) override { self_ = &node; }
  void arrived(Cycle now, const Packet& packet) override;
  Cycle next_event() const override;
  void advance(Cycle now) override;

 private:
  struct Found {
    Cycle at;
    unsigned port;
    bool lives;
  };
  void send(const faults::OutgoingControl& out, Cycle now);
  void look(Cycle now);

  const Parts parts_;
  Clocked* self_ = nullptr;
  std::optional<faults::ReconfigurationNode> node_;
  std::deque<Found> found_;
  std::deque<traffic::Emission> outbox_;
  std::map<std::uint64_t, faults::ControlMessage> sent_;  ///< by number
  std::uint64_t serial_ = 0;
  faults::ReconfigurationNode::Phase phase_{};
  const faults::ReconfigurationPlan* in_use_ = nullptr;
  bool updated_ = false;
};

}  // namespace tsuji::network
