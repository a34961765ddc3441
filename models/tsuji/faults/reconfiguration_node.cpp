// SPDX-License-Identifier: Apache-2.0
#include "tsuji/faults/reconfiguration_node.h"

#include <algorithm>
#include <utility>

namespace tsuji::faults {

using graph::RouterId;
using graph::Topology;

const char* phase_name(ReconfigurationNode::Phase phase) {
  constexpr const char* names[] = {"running", "agreeing", "computing", "reducing", "waiting", "cut off"};
  return names[static_cast<unsigned>(phase)];
}

ReconfigurationNode::ReconfigurationNode(RouterId router, PlanBook& plans,
                                         const ReconfigurationConfig& config, bool running)
    : router_(router),
      plans_(plans),
      config_(config),
      in_use_(plans.plan(LinkStates(plans.topology().links().size()))),
      known_(in_use_),
      link_lives_(plans.topology().ports(router), true),
      phase_(running ? Phase::running : Phase::agreeing),
      bank_(running ? 0 : ControlMessage::no_bank),
      configured_(running) {}

ReconfigurationNode::ReconfigurationNode(RouterId router, PlanBook& plans,
                                         const ReconfigurationConfig& config,
                                         const std::shared_ptr<const ReconfigurationPlan>& known)
    : router_(router),
      plans_(plans),
      config_(config),
      in_use_(known),
      known_(known),
      link_lives_(plans.topology().ports(router), true),
      phase_(known->lives(router) ? Phase::running : Phase::cut_off),
      bank_(0),
      configured_(true) {
  const Topology& topology = plans.topology();
  for (unsigned port = 0; port < link_lives_.size(); ++port) {
    const Topology::Far& far = topology.far(router, port);
    if (far.kind == Topology::Far::Kind::router) link_lives_[port] = known->states().lives(far.link);
  }
}

void ReconfigurationNode::link_changed(unsigned port, bool lives, Cycle now) {
  link_lives_[port] = lives;
  if (learn({known_, &known_->states()})) spread(now);
}

/// Merges news, and corrects wrong information of others about this router's links. Returns false if nothing
/// is new.
bool ReconfigurationNode::learn(const std::shared_ptr<const LinkStates>& news) {
  std::vector<std::uint32_t> wrong;
  const Topology& topology = plans_.topology();
  for (unsigned port = 0; port < link_lives_.size(); ++port) {
    const Topology::Far& far = topology.far(router_, port);
    if (far.kind != Topology::Far::Kind::router) continue;
    const std::uint32_t changes = std::max(news->changes(far.link), known_->states().changes(far.link));
    if ((changes % 2 == 0) != link_lives_[port]) wrong.push_back(far.link);
  }
  const std::shared_ptr<const ReconfigurationPlan> before = known_;
  if (wrong.empty()) {
    known_ = plans_.joined(known_, news);
  } else {
    LinkStates states = *news;
    states.merge(known_->states());
    for (std::uint32_t link : wrong) states.change(link);
    known_ = plans_.plan(states);
  }
  return known_ != before;
}

/// Steps 1 and 2, and the forwarding of the news to the root.
void ReconfigurationNode::spread(Cycle now) {
  const bool cut_off = !known_->lives(router_);
  if (cut_off)
    phase_ = Phase::cut_off;
  else if (phase_ != Phase::running || in_region(router_))
    phase_ = Phase::agreeing;
  const Topology& topology = plans_.topology();
  for (unsigned port = 0; port < link_lives_.size(); ++port) {
    const Topology::Far& far = topology.far(router_, port);
    if (far.kind != Topology::Far::Kind::router || !link_lives_[port]) continue;
    // Nodes that are cut off are not configured from the root, so they inform each other.
    if (cut_off || (in_region(router_) && in_region(far.at.router))) send(port, ControlKind::inform, *known_);
  }
  if (cut_off) return;
  if (known_->root() == router_)
    begin_update(other_bank(), now);
  else
    send(known_->parent_port(router_), ControlKind::report, *known_);
}

void ReconfigurationNode::receive(const ControlMessage& message, Cycle now) {
  // A returned router may become the root for nodes that run.
  if (!configured_ && message.bank != ControlMessage::no_bank) bank_ = message.bank;
  switch (message.kind) {
    case ControlKind::inform:
    case ControlKind::report:
      if (learn(message.states)) spread(now);
      break;
    case ControlKind::configure:
      configure(message, now);
      break;
    case ControlKind::done:
      count_done(*message.states);
      break;
    case ControlKind::resume:
      resume(*message.states);
      break;
  }
}

void ReconfigurationNode::configure(const ControlMessage& message, Cycle now) {
  const bool news = learn(message.states);
  if (known_->states() == *message.states)
    begin_update(message.bank, now);
  else if (news)
    spread(now);  // the root does not know all of it: two reconfigurations have met
}

/// Tables that were superseded before this node confirmed them were never used for recovery.
unsigned ReconfigurationNode::other_bank() const {
  if (bank_ == ControlMessage::no_bank) return 0;
  return answered_ ? 1 - bank_ : bank_;
}

void ReconfigurationNode::begin_update(unsigned bank, Cycle now) {
  next_bank_ = bank;
  phase_ = Phase::computing;
  ready_ = now + config_.table_cycles;
}

void ReconfigurationNode::step(Cycle now) {
  if (next_event() > now) return;
  ready_ = never;
  in_use_ = known_;
  bank_ = next_bank_;
  answered_ = false;
  configured_ = true;
  phase_ = Phase::reducing;
  children_left_ = in_use_->child_ports(router_).size();
  send_to_children(ControlKind::configure);
  if (children_left_ == 0) end_reduction();
}

/// Messages of an attempt that was superseded do not count.
void ReconfigurationNode::count_done(const LinkStates& states) {
  if (phase_ != Phase::reducing || in_use_->states() != states) return;
  if (--children_left_ == 0) end_reduction();
}

void ReconfigurationNode::end_reduction() {
  answered_ = true;
  if (in_use_->root() == router_) {
    phase_ = Phase::running;
    send_to_children(ControlKind::resume);
    return;
  }
  phase_ = config_.resume == Resume::upward ? Phase::running : Phase::waiting;
  send(in_use_->parent_port(router_), ControlKind::done, *in_use_);
}

/// All nodes had these tables: the nodes below resume even if this one has newer knowledge and is suspended
/// again.
void ReconfigurationNode::resume(const LinkStates& states) {
  if (in_use_->states() != states) return;
  if (phase_ == Phase::waiting) phase_ = Phase::running;
  send_to_children(ControlKind::resume);
}

void ReconfigurationNode::send(unsigned port, ControlKind kind, const ReconfigurationPlan& plan) {
  const std::shared_ptr<const ReconfigurationPlan>& owner = &plan == known_.get() ? known_ : in_use_;
  out_.push_back({port, {kind, plan.control_flits(), {owner, &plan.states()}, bank_}});
}

void ReconfigurationNode::send_to_children(ControlKind kind) {
  for (unsigned port : in_use_->child_ports(router_)) send(port, kind, *in_use_);
}

std::vector<OutgoingControl> ReconfigurationNode::take_messages() {
  return std::exchange(out_, {});
}

}  // namespace tsuji::faults
