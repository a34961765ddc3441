// SPDX-License-Identifier: Apache-2.0
#include "tsuji/traffic/retry_state.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

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

/// Numbers that have ended leave from the front, seldom enough that each is moved once.
void RetryState::Destination::remove(std::uint32_t sequence) {
  slots[begin + (sequence - oldest())] = no_slot;
  while (begin < slots.size() && slots[begin] == no_slot) ++begin;
  if (2 * begin < slots.size()) return;
  slots.erase(slots.begin(), slots.begin() + static_cast<std::ptrdiff_t>(begin));
  begin = 0;
}

const RetryState::Message* RetryState::find(const RetryKey& key) const {
  const auto destination = destinations_.find(key.peer);
  if (destination == destinations_.end()) return nullptr;
  const std::uint32_t slot = destination->second.slot_of(key.sequence);
  return slot == no_slot ? nullptr : &slots_[slot];
}

/// Of a message that has been added.
RetryState::Kept RetryState::find(const RetryKey& key) {
  Destination& destination = destinations_.find(key.peer)->second;
  const std::uint32_t slot = destination.slot_of(key.sequence);
  return {&destination, slot == no_slot ? nullptr : &slots_[slot]};
}

bool RetryState::keeps(const RetryKey& key) const {
  return find(key) != nullptr;
}

RetryKey RetryState::add(const Emission& emission) {
  Destination& destination = destinations_[emission.destination.node()];
  const RetryKey key{emission.destination.node(), destination.next};
  if (destination.next == ~std::uint32_t{0}) fail(emission.created, "", text_of(key) + " has no number");
  constexpr std::size_t few = 4;
  if (destination.next++ == 0) destination.slots.reserve(few);
  if (free_slots_.empty()) {
    free_slots_.push_back(static_cast<std::uint32_t>(slots_.size()));
    slots_.emplace_back();
  }
  const std::uint32_t slot = free_slots_.back();
  free_slots_.pop_back();
  slots_[slot] = Message{emission};
  destination.slots.push_back(slot);
  messages_.push_back(key);
  ++kept_;
  return key;
}

void RetryState::remove(const RetryKey& key, const Kept& kept) {
  const Place place = std::exchange(kept.message->place, Place::ended);
  if (place == Place::queued) --repeats_waiting_;  // a new message is not removed
  if (kept.message->tries != 0) --begun_;
  kept.destination->remove(key.sequence);
  free_slots_.push_back(static_cast<std::uint32_t>(kept.message - slots_.data()));
  --kept_;
  if (place == Place::timed) end_wait();
}

bool RetryState::holds(const Wait& wait) const {
  const Message* const message = find(wait.key);
  return message != nullptr && message->place == Place::timed;
}

void RetryState::pop_wait() {
  std::pop_heap(waits_.begin(), waits_.end());
  waits_.pop_back();
}

/// One message waits less; its Wait stays until most are of such messages.
void RetryState::end_wait() {
  constexpr std::size_t few = 64;
  --timed_;
  if (waits_.size() < 2 * timed_ + few) return;
  waits_.erase(
      std::remove_if(waits_.begin(), waits_.end(), [this](const Wait& wait) { return !holds(wait); }),
      waits_.end());
  std::make_heap(waits_.begin(), waits_.end());
}

/// The first new message has a place in the retry memory, and a number within the window.
bool RetryState::has_room() const {
  const RetryKey& key = messages_.front();
  return begun_ < config_.window_packets &&
         key.sequence - destinations_.at(key.peer).oldest() < config_.window_packets;
}

bool RetryState::next(Cycle now, Departure& departure) {
  if (!waits()) return false;
  if (!acknowledgements_.empty() && acknowledgements_.front().created <= now) {
    const Acknowledgement first = acknowledgements_.front();
    acknowledgements_.pop_front();
    departure.emission = Emission();
    departure.oldest = 0;
    departure.emission.created = first.created;
    departure.emission.destination = first.key.peer;
    departure.emission.flits = static_cast<std::uint16_t>(config_.ack_flits);
    begin(Kind::acknowledgement, first.key, nullptr, departure);
    return true;
  }
  while (!repeats_.empty() && !keeps(repeats_.front())) repeats_.pop_front();
  const Kind kind = repeats_.empty() ? Kind::message : Kind::repeat;
  std::deque<RetryKey>& queue = repeats_.empty() ? messages_ : repeats_;
  if (kind == Kind::message && !may_begin()) return false;
  repeats_waiting_ -= kind == Kind::repeat ? 1 : 0;
  const RetryKey key = queue.front();
  queue.pop_front();
  const auto [destination, message] = find(key);
  message->place = Place::leaving;
  if (message->tries++ == 0) ++begun_;
  departure.emission = message->emission;
  departure.oldest = destination->oldest();
  begin(kind, key, destination, departure);
  return true;
}

/// `destination`: null for an acknowledgement.
void RetryState::begin(Kind kind, const RetryKey& key, Destination* destination, Departure& departure) {
  departure.kind = leaving_kind_ = kind;
  departure.key = leaving_key_ = key;
  leaving_to_ = destination;
  leaving_ = true;
}

bool RetryState::left(Cycle now, bool dropped) {
  if (!leaving_) fail(now, "", "a packet was sent without being scheduled");
  leaving_ = false;
  if (leaving_kind_ == Kind::acknowledgement) return false;
  const std::uint32_t slot = leaving_to_->slot_of(leaving_key_.sequence);
  if (slot == no_slot) return false;  // an earlier copy has been acknowledged meanwhile
  Message& message = slots_[slot];
  message.place = Place::timed;
  message.doublings = std::max(leaving_to_->doublings, message.tries - 1);
  message.left_at = now;
  message.deadline = now + config_.wait_cycles(message.doublings);
  waits_.push_back({message.deadline, leaving_key_});
  std::push_heap(waits_.begin(), waits_.end());
  ++timed_;
  alarm_ = std::min(alarm_, message.deadline);
  const bool first = !message.has_left && !dropped;
  message.has_left = message.has_left || !dropped;
  return first;
}

std::vector<RetryState::GivenUp> RetryState::expire(Cycle now) {
  std::vector<GivenUp> given_up;
  if (now < alarm_) return given_up;
  const auto skip_ended = [this] {
    while (!waits_.empty() && !holds(waits_.front())) pop_wait();
  };
  for (skip_ended(); !waits_.empty() && waits_.front().deadline <= now; skip_ended()) {
    const RetryKey key = waits_.front().key;
    pop_wait();
    const Kept kept = find(key);
    unsigned& doublings = kept.destination->doublings;
    doublings = std::max(doublings, kept.message->doublings + 1);
    if (kept.message->tries >= config_.most_tries) {
      given_up.push_back({key, kept.message->emission});
      remove(key, kept);
      continue;
    }
    kept.message->place = Place::queued;
    repeats_.push_back(key);
    ++repeats_waiting_;
    end_wait();
  }
  // An acknowledgement does not cancel the alarm: an unneeded alarm costs less than one alarm a message.
  alarm_ = waits_.empty() ? never : waits_.front().deadline;
  return given_up;
}

RetryState::Arrival RetryState::judge(const Packet& packet) const {
  if (packet.acknowledges) return Arrival::acknowledgement;
  const auto source = sources_.find(packet.source.node());
  return source != sources_.end() && knows(source->second, packet) ? Arrival::duplicate : Arrival::first;
}

RetryState::Arrival RetryState::take(Cycle now, const Packet& packet) {
  if (packet.acknowledges) {
    acknowledged(now, packet);
    return Arrival::acknowledgement;
  }
  if (packet.oldest > packet.order)
    fail(now, packet_name(packet.id), "has a number that its sender has already completed");
  acknowledgements_.push_back({{packet.source.node(), packet.order}, now + 1});
  Source& source = sources_[packet.source.node()];
  const Arrival arrival = knows(source, packet) ? Arrival::duplicate : Arrival::first;
  source.next = std::max(source.next, packet.oldest);
  if (packet.order == source.next && source.later.empty()) {  // as most do
    ++source.next;
    return arrival;
  }
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
  const auto place = destinations_.find(key.peer);
  Destination* const destination = place == destinations_.end() ? nullptr : &place->second;
  const std::uint32_t slot = destination == nullptr ? no_slot : destination->slot_of(key.sequence);
  Message* const message = slot == no_slot ? nullptr : &slots_[slot];
  if (destination == nullptr || key.sequence >= destination->next ||
      (message != nullptr && message->tries == 0))
    fail(now, packet_name(packet.id), "acknowledges " + text_of(key) + ", which has not been sent");
  if (message == nullptr) return;
  // After a retransmission, the acknowledged packet is ambiguous, so its round-trip time is not used.
  if (message->tries == 1) destination->doublings = doublings_for(now - message->left_at);
  remove(key, {destination, message});
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
  std::set<std::pair<Cycle, RetryKey>> waits;
  for (const Wait& wait : waits_) waits.insert({wait.deadline, wait.key});
  std::uint64_t found = 0, timed = 0;
  for (const auto& [node, destination] : destinations_) {
    for (std::uint32_t sequence = destination.oldest(); sequence != destination.next; ++sequence) {
      const RetryKey key{node, sequence};
      if (destination.slot_of(sequence) == no_slot) continue;
      const Message& message = slots_[destination.slot_of(sequence)];
      const bool is_leaving = leaving_ && leaving_kind_ != Kind::acknowledgement &&
                              leaving_key_.peer == node && leaving_key_.sequence == sequence;
      const bool is_timed = waits.count({message.deadline, key}) != 0 && message.deadline >= now;
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
  if (found != kept_ || timed != timed_) fail(now, "", "timers or messages remain");
}

void RetryState::fail(Cycle now, const std::string& packet, const std::string& what) const {
  throw ModelError("retry of node " + std::to_string(node_), now, packet, what);
}

}  // namespace tsuji::traffic
