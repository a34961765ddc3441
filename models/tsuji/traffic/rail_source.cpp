// SPDX-License-Identifier: Apache-2.0
#include "tsuji/traffic/rail_source.h"

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
