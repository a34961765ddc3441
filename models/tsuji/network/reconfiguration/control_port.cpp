// SPDX-License-Identifier: Apache-2.0
#include "tsuji/network/reconfiguration/control_port.h"

#include <algorithm>

#include "tsuji/clock/clock_domain.h"

namespace tsuji::network {

using faults::ReconfigurationNode;

void ControlPort::begin(const std::shared_ptr<const faults::ReconfigurationPlan>& known) {
  node_.emplace(parts_.router, parts_.plans, parts_.config, known);
  phase_ = node_->phase();
  in_use_ = &node_->in_use();
}

void ControlPort::restart() {
  node_.emplace(parts_.router, parts_.plans, parts_.config, false);
  phase_ = node_->phase();
  in_use_ = &node_->in_use();
}

void ControlPort::end() {
  node_.reset();
  found_.clear();
  outbox_.clear();
  updated_ = false;
}

void ControlPort::find(unsigned port, bool lives, Cycle at) {
  found_.push_back({at, port, lives});
  self_->wake_at(at);
}

std::optional<faults::ControlMessage> ControlPort::collect(std::uint64_t number) {
  const auto sent = sent_.find(number);
  if (sent == sent_.end()) return std::nullopt;
  faults::ControlMessage message = std::move(sent->second);
  sent_.erase(sent);
  return message;
}

bool ControlPort::next(traffic::Emission& emission) {
  if (outbox_.empty()) return false;
  emission = outbox_.front();
  outbox_.pop_front();
  return true;
}

void ControlPort::arrived(Cycle now, const Packet& packet) {
  const ControlPeers::Step step{parts_.router, packet.source.router(), packet.header[0], now};
  parts_.peers.stepped(step);
  act(step);
}

Cycle ControlPort::next_event() const {
  return std::min(found_.empty() ? never : found_.front().at, node_ ? node_->next_event() : never);
}

void ControlPort::advance(Cycle now) {
  const ControlPeers::Step step{parts_.router, graph::none, 0, now};
  if (next_event() <= now) parts_.peers.stepped(step);
  act(step);
}

void ControlPort::repeat(const ControlPeers::Step& step) {
  act(step);
  outbox_.clear();
}

void ControlPort::act(const ControlPeers::Step& step) {
  const Cycle now = step.now;
  if (step.from != graph::none) {
    const auto message = parts_.peers.port(step.from).collect(step.number);
    if (!message || !node_) return;
    node_->receive(*message, now);
    return look(now);
  }
  for (; !found_.empty() && found_.front().at <= now; found_.pop_front())
    node_->link_changed(found_.front().port, found_.front().lives, now);
  if (!node_) return;
  node_->step(now);
  look(now);
}

/// Handles messages and link changes of this cycle. A node sends its decisions in the next cycle.
void ControlPort::look(Cycle now) {
  for (const faults::OutgoingControl& out : node_->take_messages()) send(out, now);
  if (node_->phase() == phase_ && &node_->in_use() == in_use_) return;
  phase_ = node_->phase();
  updated_ |= &node_->in_use() != in_use_;
  in_use_ = &node_->in_use();
  parts_.peers.changed(parts_.router, now);
}

void ControlPort::send(const faults::OutgoingControl& out, Cycle now) {
  if (parts_.loses && parts_.loses(out)) return;
  const graph::Topology::Far& far = parts_.plans.topology().far(parts_.router, out.port);
  traffic::Emission emission;
  emission.created = now + 1;
  emission.packet_class = PacketClass::control;
  emission.destination = End::of_router(far.at.router);
  for (unsigned left = out.message.flits; left != 0;) {
    const unsigned flits = std::min(left, parts_.most_flits);
    left -= flits;
    emission.flits = static_cast<std::uint16_t>(flits);
    emission.header = {left == 0 ? ++serial_ : 0, 0};
    outbox_.push_back(emission);
  }
  sent_[serial_] = out.message;
}

}  // namespace tsuji::network
