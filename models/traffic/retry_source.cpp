#include "tsuji/traffic/retry_source.h"

#include <algorithm>
#include <utility>

namespace tsuji::traffic {

RetrySource::RetrySource(Parts parts, NodeId node)
    : messages_(std::move(parts.messages)),
      pool_(parts.pool),
      events_(parts.events),
      node_(node),
      state_(parts.config, node) {
  pull();
}

void RetrySource::pull() {
  if (!held_) held_ = messages_->next(upcoming_);
}

/// What waits since an earlier cycle is not put off by what is told now.
void RetrySource::note_waiting(Cycle now) {
  if (state_.waits()) ready_ = std::min(ready_, now + 1);
}

Cycle RetrySource::next_event() const {
  const Cycle at = std::min({state_.alarm(), messages_->next_event(), ready_});
  return held_ ? std::min(at, upcoming_.created) : at;
}

void RetrySource::advance(Cycle now) {
  now_ = now;
  ready_ = never;
  gives_ = true;
  if (messages_->next_event() <= now) messages_->advance(now);
  for (pull(); held_ && upcoming_.created <= now; pull()) {
    events_.on_message_born(node_, state_.add(upcoming_), upcoming_);
    held_ = false;
  }
  for (const RetryState::GivenUp& message : state_.expire(now)) {
    if (!events_.on_given_up(node_, message.key, now)) continue;
    Packet packet;
    packet.source = node_;
    packet.destination = message.key.peer;
    packet.created = message.emission.created;
    packet.flits = message.emission.flits;
    packet.header = message.emission.header;
    lost(now, packet);
  }
}

bool RetrySource::next(Emission& emission) {
  RetryState::Departure departure;
  if (!gives_) return false;
  gives_ = state_.next(now_, departure);
  if (!gives_) {
    note_waiting(now_);
    return false;
  }
  emission = departure.emission;
  emission.created = now_;
  emission.packet = make_packet(departure);
  return true;
}

PacketIndex RetrySource::make_packet(const RetryState::Departure& departure) {
  const Emission& emission = departure.emission;
  PacketRef reference = emission.payload_bytes == 0 ? pool_.make_bare() : pool_.make();
  Packet& packet = reference.edit();
  packet.id = packet_id(node_, serial_++);
  packet.created = emission.created;
  packet.source = node_;
  packet.destination = emission.destination;
  packet.flits = emission.flits;
  packet.payload_bytes = emission.payload_bytes;
  packet.packet_class = emission.packet_class;
  packet.header = emission.header;
  packet.order = departure.key.sequence;
  packet.oldest = departure.oldest;
  packet.acknowledges = departure.kind == RetryState::Kind::acknowledgement;
  leaving_ = packet.id;
  is_leaving_ = true;
  events_.on_packet(packet, departure.kind);
  return reference.detach();
}

void RetrySource::take(Cycle now, PacketRef packet) {
  if (state_.take(now, *packet) == RetryState::Arrival::first) messages_->take(now, std::move(packet));
  note_waiting(now);
  pull();
}

void RetrySource::departed(Cycle now, const Packet& packet) {
  is_leaving_ = false;
  if (state_.left(now, false)) messages_->departed(now, packet);
  note_waiting(now);
  pull();
}

/// Of a packet that leaves, the rest does not follow.
void RetrySource::dropped(Cycle now, const Packet& packet, const char*) {
  if (!is_leaving_ || packet.id != leaving_) return;
  is_leaving_ = false;
  state_.left(now, true);
  note_waiting(now);
}

void RetrySource::lost(Cycle now, const Packet& packet) {
  messages_->dropped(now, packet, "given_up");
  pull();
}

}  // namespace tsuji::traffic
