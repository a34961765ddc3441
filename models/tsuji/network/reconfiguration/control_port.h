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

/// Access to the other control ports, and to the code that executes decisions of a node.
class ControlPeers {
 public:
  virtual ~ControlPeers() = default;
  virtual ControlPort& port(graph::RouterId router) = 0;
  /// Reports that the node has changed its phase or its tables in cycle `now`.
  virtual void changed(graph::RouterId router, Cycle now) = 0;
  /// A step of a port: a message has arrived from router `from`, or, without one, an event of the node is
  /// due.
  struct Step {
    graph::RouterId router = 0;
    graph::RouterId from = graph::none;
    std::uint64_t number = 0;  ///< of the message, by its sender
    Cycle now = 0;
  };
  /// Reports a step of a port whose control node runs in this process.
  virtual void stepped(const Step& step) = 0;
};

/// Node of the reconfiguration protocol at a router, connected to the router's control port. It receives link
/// events and messages, and its own messages become packets. A packet identifies its message by the sender
/// and a number; a dropped packet loses its message.
class ControlPort final : public traffic::EmissionSource {
 public:
  struct Parts {
    graph::RouterId router = 0;
    faults::PlanBook& plans;
    const faults::ReconfigurationConfig& config;
    ControlPeers& peers;
    unsigned most_flits = 1;  ///< Largest packet; a longer message is divided into several.
    /// Selects messages that are discarded instead of sent, to inject errors in tests; empty: none.
    std::function<bool(const faults::OutgoingControl&)> loses = {};
  };
  /// Constructs the port of a dead router.
  explicit ControlPort(const Parts& parts) : parts_(parts) {}

  /// Starts the router's node: begin() with a plan known to all routers, restart() after a return without
  /// any knowledge.
  void begin(const std::shared_ptr<const faults::ReconfigurationPlan>& known);
  void restart();
  /// Ends the router's node: the router has failed.
  void end();
  /// Reports that a link is detected to have failed or returned in cycle `at`. Calls are in the order of
  /// cycles.
  void find(unsigned port, bool lives, Cycle at);
  /// Node of the protocol; null while the router is dead.
  const faults::ReconfigurationNode* node() const { return node_ ? &*node_ : nullptr; }
  /// Returns true once after each time that the node has taken new tables.
  bool take_update() { return std::exchange(updated_, false); }
  /// Message of this router that has the number which a packet carries; empty if the packet is not the last
  /// of its message. Each message can be collected once.
  std::optional<faults::ControlMessage> collect(std::uint64_t number);
  /// Repeats a step that a process with this port's control node has reported. The messages that result are
  /// sent there.
  void repeat(const ControlPeers::Step& step);
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
  void act(const ControlPeers::Step& step);
  void send(const faults::OutgoingControl& out, Cycle now);
  void look(Cycle now);

  const Parts parts_;
  Clocked* self_ = nullptr;
  std::optional<faults::ReconfigurationNode> node_;
  std::deque<Found> found_;
  std::deque<traffic::Emission> outbox_;
  std::map<std::uint64_t, faults::ControlMessage> sent_;  ///< Messages by number.
  std::uint64_t serial_ = 0;
  faults::ReconfigurationNode::Phase phase_{};
  const faults::ReconfigurationPlan* in_use_ = nullptr;
  bool updated_ = false;
};

}  // namespace tsuji::network
