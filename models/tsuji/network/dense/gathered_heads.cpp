// SPDX-License-Identifier: Apache-2.0
#include "tsuji/network/dense/gathered_heads.h"

namespace tsuji::network::dense {

void HeadLog::keep(const HeadDeparture& head, const HeadStages& stages, Event::Kind kind) {
  const Packet& packet = pool_.at(head.packet);
  events_.push_back({packet.id, head, stages, packet.flits, kind});
}

void GatheredHeads::put(mpi::Bytes& message) const {
  const std::vector<HeadLog::Event>& events = logs_.front().events();
  mpi::put(message, events.size());
  for (const HeadLog::Event& one : events) mpi::put(message, one);
}

void GatheredHeads::show(mpi::Reader& message) {
  for (auto left = message.get<std::size_t>(); left != 0; --left) show(message.get<HeadLog::Event>());
}

void GatheredHeads::show_own() {
  for (HeadLog& log : logs_) {
    for (const HeadLog::Event& one : log.events()) show(one);
    log.clear();
  }
}

void GatheredHeads::show(HeadLog::Event event) {
  using Kind = HeadLog::Event::Kind;
  if (event.kind == Kind::source) {
    PacketRef packet = shown_.make_bare();
    packet.edit().id = event.packet;
    packet.edit().flits = event.flits;
    places_[event.packet] = packet.detach();
  }
  event.head.packet = places_.at(event.packet);
  if (watch_ == nullptr) return;
  switch (event.kind) {
    case Kind::source:
      return watch_->leaves_source(event.head);
    case Kind::router:
      return watch_->leaves_router(event.head, event.stages);
    case Kind::crossing:
      return watch_->crosses_router(event.head, event.stages.route_computation);
  }
}

void GatheredHeads::forget(PacketId packet) {
  const auto place = places_.find(packet);
  if (place == places_.end()) return;
  shown_.attach(place->second).reset();
  places_.erase(place);
}

}  // namespace tsuji::network::dense
