// SPDX-License-Identifier: Apache-2.0
#include "tsuji/network/dense/rank_heads.h"

namespace tsuji::network::dense {

RankHeads::Event RankHeads::event(const HeadDeparture& head, const HeadStages& stages,
                                  bool from_source) const {
  const Packet& packet = pool_.at(head.packet);
  return {packet.id, head, stages, packet.flits, from_source};
}

void RankHeads::put(mpi::Bytes& message) const {
  mpi::put(message, events_.size());
  for (const Event& one : events_) mpi::put(message, one);
}

void RankHeads::show(mpi::Reader& message) {
  for (auto left = message.get<std::size_t>(); left != 0; --left) show(message.get<Event>());
}

void RankHeads::show_own() {
  for (const Event& one : events_) show(one);
  events_.clear();
}

void RankHeads::show(Event event) {
  if (event.from_source) {
    PacketRef packet = shown_.make_bare();
    packet.edit().id = event.packet;
    packet.edit().flits = event.flits;
    places_[event.packet] = packet.detach();
  }
  event.head.packet = places_.at(event.packet);
  if (watch_ == nullptr) return;
  if (event.from_source) {
    watch_->leaves_source(event.head);
  } else {
    watch_->leaves_router(event.head, event.stages);
  }
}

void RankHeads::forget(PacketId packet) {
  const auto place = places_.find(packet);
  if (place == places_.end()) return;
  shown_.attach(place->second).reset();
  places_.erase(place);
}

}  // namespace tsuji::network::dense
