// SPDX-License-Identifier: Apache-2.0
#include "tsuji/traffic/rail_source.h"

#include <algorithm>

#include "tsuji/clock/clock_domain.h"

namespace tsuji::traffic {

bool RailEmissions::next(Emission& emission) {
  waits_ = false;
  for (;;) {
    if (!has_ahead_ && !node_->next(ahead_)) return false;
    has_ahead_ = ahead_.created > read_until_;
    if (has_ahead_) {
      waits_ = true;
      return false;
    }
    const NodeId destination = ahead_.destination.node();
    if (rails_.choose(number_++, destination) != rail_) continue;
    emission = ahead_;
    read_until_ = ahead_.created + most_ahead;
    emission.destination = rails_.place(destination, rail_);
    return true;
  }
}

class AnsweringNode::Port final : public EmissionSource {
 public:
  Port(std::shared_ptr<AnsweringNode> node, unsigned rail) : node_(std::move(node)), rail_(rail) {}
  bool next(Emission& emission) override { return node_->next(rail_, emission); }
  bool births_may_wait() const override { return true; }
  Cycle lookahead_cycles() const override { return 1; }
  void bind(Clocked& port) override { node_->ports_[rail_] = &port; }
  void arrived(Cycle now, const Packet& packet) override {
    node_->advance(now);
    node_->source_->arrived(now, packet);
    node_->heard(now, rail_);
  }
  void departed(Cycle now, const Packet& packet) override {
    node_->advance(now);
    node_->source_->departed(now, packet);
    node_->heard(now, rail_);
  }
  void dropped(Cycle now, const Packet& packet, const char* cause) override {
    node_->advance(now);
    node_->source_->dropped(now, packet, cause);
    node_->heard(now, rail_);
  }
  Cycle next_event() const override { return node_->next_event(); }
  void advance(Cycle now) override { node_->advance(now); }

 private:
  const std::shared_ptr<AnsweringNode> node_;
  const unsigned rail_;
};

std::unique_ptr<EmissionSource> AnsweringNode::port(const std::shared_ptr<AnsweringNode>& node,
                                                    unsigned rail) {
  made_[rail] = true;
  return std::make_unique<Port>(node, rail);
}

bool AnsweringNode::next(unsigned rail, Emission& emission) {
  if (queues_[rail].empty()) return false;
  emission = queues_[rail].front();
  queues_[rail].pop_front();
  return true;
}

Cycle AnsweringNode::next_event() const {
  return std::min({looks_at_, source_->next_event(), has_upcoming_ ? upcoming_.created : never});
}

/// All ports run in the cycle of an event; the first of them acts, before it reports what happens in that
/// cycle.
void AnsweringNode::advance(Cycle now) {
  if (next_event() > now) return;
  looks_at_ = never;
  source_->advance(now);
  for (;;) {
    if (!has_upcoming_) has_upcoming_ = source_->next(upcoming_);
    if (!has_upcoming_ || upcoming_.created > now) return;
    const NodeId destination = upcoming_.destination.node();
    const unsigned rail = rails_.choose(number_++, destination);
    upcoming_.destination = rails_.place(destination, rail);
    queues_[rail].push_back(upcoming_);
    has_upcoming_ = false;
  }
}

void AnsweringNode::heard(Cycle now, unsigned rail) {
  looks_at_ = now + 1;
  for (Clocked* const port : ports_)
    if (port != nullptr && port != ports_[rail]) port->wake_at(now + 1);
}

/// Ranks see an event of cycle `now` in the next one.
void ReplayPort::wake_others(Cycle now) {
  if (node_->source.next_event() > now + 1) return;
  for (Clocked* const port : node_->ports)
    if (port != nullptr && port != node_->ports[rail_]) port->wake_at(now + 1);
}

void ReplayPort::arrived(Cycle now, const Packet& packet) {
  node_->source.arrived(rail_, now, packet);
  wake_others(now);
}

void ReplayPort::departed(Cycle now, const Packet& packet) {
  node_->source.departed(rail_, now, packet);
  wake_others(now);
}

/// The first port that runs in the cycle of an event lets the ranks act.
void ReplayPort::advance(Cycle now) {
  if (node_->source.next_event() <= now) node_->source.advance(now);
}

}  // namespace tsuji::traffic
