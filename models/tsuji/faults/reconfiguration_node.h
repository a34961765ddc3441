// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "tsuji/core/units.h"
#include "tsuji/faults/reconfiguration_plan.h"

namespace tsuji::faults {

/// Messages between the routers at the two ends of a link (Yoshinaga 2004, section 3.1). Each carries what
/// its sender knows.
enum class ControlKind : std::uint8_t {
  inform,     ///< step 1: to neighbours in the fault region
  report,     ///< up to the root, which (re)starts: a region asks for a reconfiguration, or two have met
  configure,  ///< steps 3 and 4: down from the root, behind each node's update
  done,       ///< step 5: up, when a node and all below it have new tables
  resume      ///< down from the root, when all have
};

struct ControlMessage {
  ControlKind kind = ControlKind::inform;
  unsigned flits = 1;
  std::shared_ptr<const LinkStates> states;
  static constexpr unsigned no_bank = 2;
  unsigned bank = no_bank;  ///< 0 or 1, the UD channels of the sender's tables; no_bank: it has none
};

struct OutgoingControl {
  unsigned port = 0;
  ControlMessage message;
};

/// When a node takes up its traffic again.
enum class Resume : std::uint8_t {
  reduced,  ///< after the root has heard that all have new tables (section 3.1, for several regions)
  upward    ///< with its own part of the tree, as step 5 has it: nodes with old and with new tables then run
            ///< side by side
};

struct ReconfigurationConfig {
  Cycle table_cycles = 100;  ///< computation of a node's tables
  Resume resume = Resume::reduced;
};

/// One router's part in reconfiguration, as decisions without wires or time: a caller says what happens in
/// which cycle and carries the messages. A node knows of its own links and what messages say, nothing else.
/// Messages of one link arrive in order, or never if it dies; the death is then news at both of its ends,
/// which is what makes up for them.
class ReconfigurationNode {
 public:
  enum class Phase : std::uint8_t {
    running,
    agreeing,   ///< suspended: a region's node, or one whose update was overtaken, until it is configured
    computing,  ///< suspended, with the old tables still
    reducing,   ///< suspended: updated, its children are not
    waiting,    ///< suspended: all below have new tables; until the root resumes
    cut_off     ///< suspended: out of reach of the network that lives on
  };

  /// `running`: with the tables of a network without faults. Else the router has just returned: it knows
  /// nothing and is suspended.
  ReconfigurationNode(graph::RouterId router, PlanBook& plans, const ReconfigurationConfig& config,
                      bool running = true);
  /// Running, or cut off, with the tables for faults that everybody knows of.
  ReconfigurationNode(graph::RouterId router, PlanBook& plans, const ReconfigurationConfig& config,
                      const std::shared_ptr<const ReconfigurationPlan>& known);

  /// One of its links was found to have died or returned.
  void link_changed(unsigned port, bool lives, Cycle now);
  void receive(const ControlMessage& message, Cycle now);
  /// Ends a computation that is due.
  void step(Cycle now);
  /// The cycle in which a computation ends; `never` without one.
  Cycle next_event() const { return phase_ == Phase::computing ? ready_ : never; }
  /// Messages since the last call, in the order in which they leave.
  std::vector<OutgoingControl> take_messages();

  Phase phase() const { return phase_; }
  bool suspended() const { return phase_ != Phase::running; }
  /// The tables of this plan are the node's.
  const ReconfigurationPlan& in_use() const { return *in_use_; }
  const ReconfigurationPlan& known() const { return *known_; }
  /// The one of two sets of UD channels that these tables use: two generations that follow each other have
  /// different ones. ControlMessage::no_bank: the router has returned and is not configured yet.
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
  std::vector<bool> link_lives_;  ///< per port, as last found
  Phase phase_;
  Cycle ready_ = never;
  unsigned bank_, next_bank_ = 0;
  bool configured_;       ///< since it lives
  bool answered_ = true;  ///< for the tables in use, so somebody may run with them
  std::size_t children_left_ = 0;
  std::vector<OutgoingControl> out_;
};

const char* phase_name(ReconfigurationNode::Phase phase);

}  // namespace tsuji::faults
