// SPDX-License-Identifier: Apache-2.0
#include "tsuji/traffic/retry_state.h"

#include <algorithm>
#include <string>

#include "tsuji/core/error.h"
#include "tsuji/workload/packet_length.h"

namespace tsuji::traffic {

void RetryConfig::add_keys(config::KeyTable& keys) {
  keys.add("retry.timeout_cycles", timeout_cycles, {0, 1'000'000'000}, "cycles",
           "time without an acknowledgement, from a packet's last flit to its first retransmission, at "
           "least; doubles with every retransmission; 0: no retransmission");
  keys.add("retry.ack_flits", ack_flits, {1, workload::PacketLengths::most_flits}, "flits",
           "length of an acknowledgement packet; used with retry.timeout_cycles");
  keys.add("retry.most_tries", most_tries, {1, largest_most_tries}, "",
           "number of times that a packet is sent, the first included, before it counts as lost; used with "
           "retry.timeout_cycles");
}
namespace {

std::string text_of(const RetryKey& key) {
  return "message " + std::to_string(key.sequence) + " to node " + std::to_string(key.peer);
}

}  // namespace

const RetryState::Message* RetryState::find(const RetryKey& key) const {
  const auto destination = destinations_.find(key.peer);
  if (destination == destinations_.end()) return nullptr;
  const auto message = destination->second.kept.find(key.sequence);
  return message == destination->second.kept.end() ? nullptr : &message->second;
}

RetryState::Message* RetryState::find(const RetryKey& key) {
  return const_cast<Message*>(static_cast<const RetryState*>(this)->find(key));
}

bool RetryState::keeps(const RetryKey& key) const {
  return find(key) != nullptr;
}

RetryKey RetryState::add(const Emission& emission) {
  Destination& destination = destinations_[emission.destination.node()];
  const RetryKey key{emission.destination.node(), destination.next};
  if (destination.next == ~std::uint32_t{0}) fail(emission.created, "", text_of(key) + " has no number");
  ++destination.next;
  destination.kept[key.sequence].emission = emission;
  messages_.push_back(key);
  ++kept_;
  return key;
}

void RetryState::remove(const RetryKey& key) {
  const Message& message = *find(key);
  if (message.place == Place::timed) waits_.erase({message.deadline, key});
  if (message.place == Place::queued) --repeats_waiting_;  // a new message is not removed
  if (message.tries != 0) --begun_;
  destinations_[key.peer].kept.erase(key.sequence);
  --kept_;
}

/// A new message has a place in the retry memory, and a number within the window.
bool RetryState::may_begin() const {
  if (messages_.empty()) return false;
  if (config_.window_packets == 0) return true;
  const RetryKey& key = messages_.front();
  return begun_ < config_.window_packets &&
         key.sequence - destinations_.at(key.peer).oldest() < config_.window_packets;
}

bool RetryState::next(Cycle now, Departure& departure) {
  if (!waits()) return false;
  if (!acknowledgements_.empty() && acknowledgements_.front().created <= now) {
    const Acknowledgement first = acknowledgements_.front();
    acknowledgements_.pop_front();
    departure = Departure{};
    departure.emission.created = first.created;
    departure.emission.destination = first.key.peer;
    departure.emission.flits = static_cast<std::uint16_t>(config_.ack_flits);
    begin(Kind::acknowledgement, first.key, departure);
    return true;
  }
  while (!repeats_.empty() && find(repeats_.front()) == nullptr) repeats_.pop_front();
  const Kind kind = repeats_.empty() ? Kind::message : Kind::repeat;
  std::deque<RetryKey>& queue = repeats_.empty() ? messages_ : repeats_;
  if (kind == Kind::message && !may_begin()) return false;
  repeats_waiting_ -= kind == Kind::repeat ? 1 : 0;
  const RetryKey key = queue.front();
  queue.pop_front();
  Message& message = *find(key);
  message.place = Place::leaving;
  if (message.tries++ == 0) ++begun_;
  departure.emission = message.emission;
  departure.oldest = destinations_[key.peer].oldest();
  begin(kind, key, departure);
  return true;
}

void RetryState::begin(Kind kind, const RetryKey& key, Departure& departure) {
  departure.kind = leaving_kind_ = kind;
  departure.key = leaving_key_ = key;
  leaving_ = true;
}

bool RetryState::left(Cycle now, bool dropped) {
  if (!leaving_) fail(now, "", "a packet was sent without being scheduled");
  leaving_ = false;
  if (leaving_kind_ == Kind::acknowledgement) return false;
  Message* const message = find(leaving_key_);
  if (message == nullptr) return false;  // an earlier copy has been acknowledged meanwhile
  message->place = Place::timed;
  message->doublings = std::max(destinations_[leaving_key_.peer].doublings, message->tries - 1);
  message->left_at = now;
  message->deadline = now + config_.wait_cycles(message->doublings);
  waits_.insert({message->deadline, leaving_key_});
  alarm_ = std::min(alarm_, message->deadline);
  const bool first = !message->has_left && !dropped;
  message->has_left = message->has_left || !dropped;
  return first;
}

std::vector<RetryState::GivenUp> RetryState::expire(Cycle now) {
  std::vector<GivenUp> given_up;
  if (now < alarm_) return given_up;
  while (!waits_.empty() && waits_.begin()->first <= now) {
    const RetryKey key = waits_.begin()->second;
    Message& message = *find(key);
    unsigned& doublings = destinations_[key.peer].doublings;
    doublings = std::max(doublings, message.doublings + 1);
    if (message.tries >= config_.most_tries) {
      given_up.push_back({key, message.emission});
      remove(key);
      continue;
    }
    waits_.erase(waits_.begin());
    message.place = Place::queued;
    repeats_.push_back(key);
    ++repeats_waiting_;
  }
  // An acknowledgement does not cancel the alarm: an unneeded alarm costs less than one alarm a message.
  alarm_ = waits_.empty() ? never : waits_.begin()->first;
  return given_up;
}

RetryState::Arrival RetryState::judge(const Packet& packet) const {
  if (packet.acknowledges) return Arrival::acknowledgement;
  const auto source = sources_.find(packet.source.node());
  if (source == sources_.end()) return Arrival::first;
  const bool known = packet.order < source->second.next || source->second.later.count(packet.order) != 0;
  return known ? Arrival::duplicate : Arrival::first;
}

RetryState::Arrival RetryState::take(Cycle now, const Packet& packet) {
  const Arrival arrival = judge(packet);
  if (arrival == Arrival::acknowledgement) {
    acknowledged(now, packet);
    return arrival;
  }
  if (packet.oldest > packet.order)
    fail(now, packet_name(packet.id), "has a number that its sender has already completed");
  acknowledgements_.push_back({{packet.source.node(), packet.order}, now + 1});
  Source& source = sources_[packet.source.node()];
  source.next = std::max(source.next, packet.oldest);
  if (packet.order >= source.next) source.later.insert(packet.order);
  source.later.erase(source.later.begin(), source.later.lower_bound(source.next));
  while (!source.later.empty() && *source.later.begin() == source.next) {
    source.later.erase(source.later.begin());
    ++source.next;
  }
  return arrival;
}

void RetryState::acknowledged(Cycle now, const Packet& packet) {
  const RetryKey key{packet.source.node(), packet.order};
  const auto destination = destinations_.find(key.peer);
  const Message* const message = find(key);
  if (destination == destinations_.end() || key.sequence >= destination->second.next ||
      (message != nullptr && message->tries == 0))
    fail(now, packet_name(packet.id), "acknowledges " + text_of(key) + ", which has not been sent");
  if (message == nullptr) return;
  // After a retransmission, the acknowledged packet is ambiguous, so its round-trip time is not used.
  if (message->tries == 1) destination->second.doublings = doublings_for(now - message->left_at);
  remove(key);
}

/// The least that make a wait longer than this.
unsigned RetryState::doublings_for(Cycle round_trip) const {
  unsigned doublings = 0;
  while (doublings + 1 < config_.most_tries && config_.wait_cycles(doublings) <= round_trip) ++doublings;
  return doublings;
}

std::uint64_t RetryState::received_out_of_order() const {
  std::uint64_t sum = 0;
  for (const auto& [node, source] : sources_) sum += source.later.size();
  return sum;
}

void RetryState::check(Cycle now) const {
  std::set<RetryKey> queued(messages_.begin(), messages_.end());
  queued.insert(repeats_.begin(), repeats_.end());
  std::uint64_t found = 0, timed = 0;
  for (const auto& [node, destination] : destinations_) {
    for (const auto& [sequence, message] : destination.kept) {
      const RetryKey key{node, sequence};
      const bool is_leaving = leaving_ && leaving_kind_ != Kind::acknowledgement &&
                              leaving_key_.peer == node && leaving_key_.sequence == sequence;
      const bool is_timed = waits_.count({message.deadline, key}) != 0 && message.deadline >= now;
      const bool good = message.place == Place::queued    ? queued.count(key) != 0
                        : message.place == Place::leaving ? is_leaving
                                                          : is_timed && alarm_ <= message.deadline;
      if (!good) fail(now, "", text_of(key) + " waits for nothing");
      ++found;
      timed += message.place == Place::timed ? 1 : 0;
    }
  }
  if (config_.window_packets != 0 && begun_ > config_.window_packets)
    fail(now, "", std::to_string(begun_) + " messages are in its retry memory");
  if (found != kept_ || timed != waits_.size()) fail(now, "", "timers or messages remain");
}

void RetryState::fail(Cycle now, const std::string& packet, const std::string& what) const {
  throw ModelError("retry of node " + std::to_string(node_), now, packet, what);
}

}  // namespace tsuji::traffic
