// SPDX-License-Identifier: Apache-2.0
#include "tsuji/traffic/retry_source.h"

#include <algorithm>
#include <utility>

namespace tsuji::traffic {

RetrySource::RetrySource(Parts parts, NodeId node)
    : messages_(std::move(parts.messages), node, CheckedSource::any_nodes),  // the node knows how many
      has_channels_(parts.has_channels),
      has_events_(messages_->listens()),
      pool_(parts.pool),
      events_(parts.events),
      node_(node),
      state_(parts.config, node),
      serial_(parts.has_channels ? first_own_serial : 0) {
  pull();
}

void RetrySource::pull() {
  if (held_) return;
  held_ = messages_.next(upcoming_, now_);
  // A message is born when its packet was.
  if (held_ && upcoming_.packet != no_packet) upcoming_.created = pool_.at(upcoming_.packet).created;
}

/// Packets that wait since an earlier cycle are not delayed by events of this cycle.
void RetrySource::note_waiting(Cycle now) {
  if (state_.waits()) ready_ = std::min(ready_, now + 1);
}

Cycle RetrySource::next_event() const {
  Cycle at = std::min(state_.alarm(), ready_);
  if (has_events_) at = std::min(at, messages_->next_event());
  return held_ ? std::min(at, upcoming_.created) : at;
}

void RetrySource::advance(Cycle now) {
  now_ = now;
  ready_ = never;
  gives_ = true;
  if (has_channels_ || (has_events_ && messages_->next_event() <= now)) messages_->advance(now);
  add_messages(now);
  if (state_.alarm() > now) return;
  for (const RetryState::GivenUp& message : state_.expire(now)) give_up(now, message);
}

void RetrySource::add_messages(Cycle now) {
  for (pull(); held_ && upcoming_.created <= now; pull()) {
    const RetryKey key = state_.add(upcoming_);
    if (upcoming_.packet != no_packet) data_.emplace(key, pool_.attach(upcoming_.packet));
    events_.on_message_born(node_, key, upcoming_);
    held_ = false;
  }
}

void RetrySource::give_up(Cycle now, const RetryState::GivenUp& message) {
  const auto data = data_.find(message.key);
  PacketRef made;
  if (data != data_.end()) {
    made = std::move(data->second);
    data_.erase(data);
  }
  if (made) {
    if (const char* const cause = events_.on_given_up(*made, message.key, now)) lost(now, *made, cause);
    return;
  }
  Packet packet;
  packet.source = node_;
  packet.destination = message.key.peer;
  packet.created = message.emission.created;
  packet.flits = message.emission.flits;
  packet.header = message.emission.header;
  if (const char* const cause = events_.on_given_up(packet, message.key, now)) lost(now, packet, cause);
}

bool RetrySource::next(Emission& emission) {
  if (!gives_) return false;
  gives_ = state_.waits() && give(emission);
  if (!gives_) note_waiting(now_);
  return gives_;
}

/// Returns false if the packets that wait may not leave yet.
bool RetrySource::give(Emission& emission) {
  if (!state_.next(now_, departure_)) return false;
  emission = departure_.emission;
  emission.created = now_;
  emission.packet = make_packet(departure_);
  return true;
}

PacketRef RetrySource::new_packet(const RetryState::Departure& departure) {
  const Emission& emission = departure.emission;
  if (emission.packet != no_packet) {
    PacketRef copy = pool_.clone(*data_.at(departure.key));
    if (departure.kind == RetryState::Kind::repeat) copy.edit().id = packet_id(node_, serial_++);
    return copy;
  }
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
  return reference;
}

PacketIndex RetrySource::make_packet(const RetryState::Departure& departure) {
  PacketRef reference = new_packet(departure);
  Packet& packet = reference.edit();
  packet.order = departure.key.sequence;
  packet.oldest = departure.oldest;
  packet.acknowledges = departure.kind == RetryState::Kind::acknowledgement;
  leaving_ = packet.id;
  is_leaving_ = true;
  events_.on_packet(packet, departure.kind);
  return reference.detach();
}

void RetrySource::take(Cycle now, PacketRef packet) {
  const RetryState::Arrival arrival = state_.take(now, *packet);
  if (arrival == RetryState::Arrival::acknowledgement && !data_.empty())
    data_.erase({packet->source.node(), packet->order});
  if (arrival == RetryState::Arrival::first) messages_->take(now, std::move(packet));
  note_waiting(now);
  pull();
}

void RetrySource::departed(Cycle now, const Packet& packet) {
  is_leaving_ = false;
  if (state_.left(now, false)) messages_->departed(now, packet);
  note_waiting(now);
  pull();
}

/// A packet that is dropped while it leaves sends no further flits.
void RetrySource::dropped(Cycle now, const Packet& packet, const char*) {
  if (!is_leaving_ || packet.id != leaving_) return;
  is_leaving_ = false;
  state_.left(now, true);
  note_waiting(now);
}

void RetrySource::lost(Cycle now, const Packet& packet, const char* cause) {
  messages_->dropped(now, packet, "given_up");
  events_.on_lost(packet, cause, now);
  pull();
}

}  // namespace tsuji::traffic
