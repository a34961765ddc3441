#include "observe/birth_ledger.h"

#include "core/error.h"

namespace tsuji::observe {

void BirthLedger::grow(Source& source) {
  std::vector<Cycle> larger(source.ring.empty() ? 4 : 2 * source.ring.size());
  for (std::uint32_t serial = source.first; serial != source.next; ++serial) {
    larger[serial & (larger.size() - 1)] = source.ring[serial & (source.ring.size() - 1)];
  }
  source.ring.swap(larger);
}

void BirthLedger::born(NodeId source_id, Cycle created) {
  Source& source = sources_.at(source_id);
  if (source.next - source.first == source.ring.size()) grow(source);
  source.ring[source.next++ & (source.ring.size() - 1)] = created;
  ++inside_;
}

Cycle BirthLedger::take(PacketId id, Cycle now) {
  const auto source_id = static_cast<NodeId>(id >> 32);
  const auto serial = static_cast<std::uint32_t>(id);
  Cycle created = never;
  if (source_id < sources_.size()) {
    Source& source = sources_[source_id];
    if (serial - source.first < source.next - source.first) {
      Cycle& entry = source.ring[serial & (source.ring.size() - 1)];
      created = entry;
      entry = never;
    }
    while (source.first != source.next && source.ring[source.first & (source.ring.size() - 1)] == never) {
      ++source.first;
    }
  }
  if (created == never) {
    throw ModelError("measurement", now, packet_name(id),
                     "left the network and was not in it: twice, or never born");
  }
  --inside_;
  return created;
}

}  // namespace tsuji::observe
