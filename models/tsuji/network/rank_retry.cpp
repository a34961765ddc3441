// SPDX-License-Identifier: Apache-2.0
#include "tsuji/network/rank_retry.h"

namespace tsuji::network {

using traffic::RetryKey;
using traffic::RetryState;

void RankRetry::on_message_born(NodeId source, const RetryKey& key, const traffic::Emission& emission) {
  Event& event = own_.emplace_back();
  event.source = source;
  event.key = key;
  event.emission = emission;
}

void RankRetry::on_packet(const Packet& packet, RetryState::Kind kind) {
  Event& event = own_.emplace_back();
  event.kind = Kind::packet;
  event.of_packet = kind;
  event.packet = PacketImage(packet);
}

const char* RankRetry::on_given_up(const Packet& message, const RetryKey& key, Cycle now) {
  Event& event = own_.emplace_back();
  event.kind = Kind::given_up;
  event.key = key;
  event.now = now;
  event.packet = PacketImage(message);
  return nullptr;
}

void RankRetry::on_delivered(const Packet& packet, Cycle head, Cycle tail) {
  own_arrivals_.push_back(accounts_.judge(packet));
  events_.on_delivered(packet, head, tail);
}

void RankRetry::put(mpi::Bytes& message) const {
  mpi::put(message, own_.size());
  for (const Event& event : own_) mpi::put(message, event);
  mpi::put(message, own_arrivals_.size());
  for (const PacketArrival arrival : own_arrivals_) mpi::put(message, arrival);
}

void RankRetry::show(mpi::Reader& message, const Lose& lose) {
  for (auto left = message.get<std::size_t>(); left != 0; --left) show(message.get<Event>(), lose);
  for (auto left = message.get<std::size_t>(); left != 0; --left)
    arrivals_shown_.push_back(message.get<PacketArrival>());
}

void RankRetry::show_own(const Lose& lose) {
  for (const Event& event : own_) show(event, lose);
  arrivals_shown_.insert(arrivals_shown_.end(), own_arrivals_.begin(), own_arrivals_.end());
  own_.clear();
  own_arrivals_.clear();
}

void RankRetry::show(const Event& event, const Lose& lose) {
  if (event.kind == Kind::message) return accounts_.on_message_born(event.source, event.key, event.emission);
  Packet packet;
  event.packet.copy_to(packet);
  if (event.kind == Kind::packet) return accounts_.on_packet(packet, event.of_packet);
  if (const char* const cause = accounts_.on_given_up(packet, event.key, event.now))
    lose(packet, cause, event.now);
}

void RankRetry::end_cycle() {
  arrivals_shown_.clear();
  next_arrival_ = 0;
}

}  // namespace tsuji::network
