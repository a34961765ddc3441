// SPDX-License-Identifier: Apache-2.0
#include "tsuji/network/rank_events.h"

namespace tsuji::network {

void RankEvents::report(mpi::Reader& message, traffic::FlitNodeEvents& events) {
  traffic::Emission emission;
  Packet packet;
  for (auto kind = message.get<Kind>(); kind != Kind::end; kind = message.get<Kind>()) {
    if (kind == Kind::birth) {
      const auto born = message.get<Birth>();
      emission.created = born.created;
      emission.flits = born.flits;
      emission.sid = born.sid;
      events.on_born(born.source, emission, born.now);
    } else {
      const auto delivered = message.get<Delivery>();
      delivered.packet.copy_to(packet);
      events.on_delivered(packet, delivered.head, delivered.tail);
    }
  }
}

void RankEvents::report_own(traffic::FlitNodeEvents& events) {
  mpi::put(message_, Kind::end);
  mpi::Reader reader(message_);
  report(reader, events);
  message_.clear();
}

}  // namespace tsuji::network
