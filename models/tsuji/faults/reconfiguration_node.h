// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "tsuji/core/units.h"
#include "tsuji/faults/reconfiguration_plan.h"

namespace tsuji::faults {

/// Messages between the routers at the two ends of a link (Yoshinaga 2004, section 3.1). Each carries the
/// knowledge of its sender.
enum class ControlKind : std::uint8_t {
  inform,     ///< step 1: to neighbours in the fault region
  report,     ///< up to the root, which (re)starts: a region requests a reconfiguration, or two have met
  configure,  ///< steps 3 and 4: down from the root, after each node's update
  done,       ///< step 5: up, when a node and all nodes below it have new tables
  resume      ///< down from the root, when all nodes have new tables
};

struct ControlMessage {
  ControlKind kind = ControlKind::inform;
  unsigned flits = 1;
  std::shared_ptr<const LinkStates> states;
  static constexpr unsigned no_bank = 2;
  unsigned bank = no_bank;  ///< 0 or 1: UD channels of the sender's tables; no_bank: it has none
};

struct OutgoingControl {
  unsigned port = 0;
  ControlMessage message;
};

/// Condition for a node to resume its traffic.
enum class Resume : std::uint8_t {
  reduced,  ///< the root knows that all nodes have new tables (section 3.1, for several regions)
  upward    ///< the sender's subtree has new tables (step 5); nodes with old and new tables run at one time
};

struct ReconfigurationConfig {
  Cycle table_cycles = 100;  ///< time to compute the tables of a node
  Resume resume = Resume::reduced;
};

/// Protocol of one router in a reconfiguration, as decisions without wires and time: the caller reports
/// events with their cycles and transports the messages. A node knows its own links and the contents of
/// messages only. Messages of a link arrive in order, or not at all if the link fails; its failure is then
/// reported at both ends, which makes up for the lost messages.
///
///     phase      next phase
///     running    agreeing: news, in a fault region; computing: configure
///     agreeing   computing: configure; the root begins by itself
///     computing  reducing: after table_cycles
///     reducing   waiting: all children are done; running: the root, and all nodes with Resume::upward
///     waiting    running: resume
///     any        agreeing: news while suspended; cut_off: news that leave no path to the living network
///
/// Contract: link_changed() and receive() in the cycles in which the events occur; step(now) in cycle
/// next_event(); after each of these take_messages().
class ReconfigurationNode {
 public:
  enum class Phase : std::uint8_t {
    running,
    /// Suspended: a node of the region, or one whose update was superseded, until it is configured.
    agreeing,
    computing,  ///< suspended, still with the old tables
    reducing,   ///< suspended: it has new tables, but some node below it in the tree has not
    waiting,    ///< suspended: all nodes below have new tables; until the root resumes
    cut_off     ///< suspended: no path to the living network
  };

  /// `running`: with the tables of a network without faults. Otherwise the router has just returned: it has
  /// no knowledge and is suspended.
  ReconfigurationNode(graph::RouterId router, PlanBook& plans, const ReconfigurationConfig& config,
                      bool running = true);
  /// Running, or cut off, with the tables for faults that all nodes know.
  ReconfigurationNode(graph::RouterId router, PlanBook& plans, const ReconfigurationConfig& config,
                      const std::shared_ptr<const ReconfigurationPlan>& known);

  /// A failure or return of one of its links was detected.
  void link_changed(unsigned port, bool lives, Cycle now);
  void receive(const ControlMessage& message, Cycle now);
  /// Ends a computation that is due.
  void step(Cycle now);
  /// Cycle in which a computation ends; `never`: none.
  Cycle next_event() const { return phase_ == Phase::computing ? ready_ : never; }
  /// Messages since the last call, in the order of sending.
  std::vector<OutgoingControl> take_messages();

  Phase phase() const { return phase_; }
  bool suspended() const { return phase_ != Phase::running; }
  /// The plan of the tables in use.
  const ReconfigurationPlan& in_use() const { return *in_use_; }
  const ReconfigurationPlan& known() const { return *known_; }
  /// The set of UD channels that the tables use; consecutive generations use different sets.
  /// ControlMessage::no_bank: the router has returned and is not configured yet.
  unsigned bank() const { return bank_; }

 private:
  bool learn(const std::shared_ptr<const LinkStates>& news);
  void spread(Cycle now);
  void configure(const ControlMessage& message, Cycle now);
  unsigned other_bank() const;
  void begin_update(unsigned bank, Cycle now);
  void count_done(const LinkStates& states);
  void end_reduction();
  void resume(const LinkStates& states);
  bool in_region(graph::RouterId router) const {
    return known_->in_region(router) || in_use_->in_region(router);
  }
  void send(unsigned port, ControlKind kind, const ReconfigurationPlan& plan);
  void send_to_children(ControlKind kind);

  const graph::RouterId router_;
  PlanBook& plans_;
  const ReconfigurationConfig config_;
  std::shared_ptr<const ReconfigurationPlan> in_use_, known_;
  std::vector<bool> link_lives_;  ///< [port]: last detected state
  Phase phase_;
  Cycle ready_ = never;
  unsigned bank_, next_bank_ = 0;
  bool configured_;       ///< it has had tables since its router was last started
  bool answered_ = true;  ///< for the tables in use, so that other nodes may run with them
  std::size_t children_left_ = 0;
  std::vector<OutgoingControl> out_;
};

const char* phase_name(ReconfigurationNode::Phase phase);

}  // namespace tsuji::faults
