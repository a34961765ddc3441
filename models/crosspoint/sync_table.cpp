#include "tsuji/crosspoint/sync_table.h"

#include "tsuji/core/error.h"

namespace tsuji::crosspoint {

SyncTable::Entry& SyncTable::entry_for(const Packet& packet, const std::string& where, Cycle now) {
  auto& place = entries_[packet.sid];
  if (!place) place = std::make_unique<Entry>();
  Entry& entry = *place;
  if (entry.members == packet.map && entry.expected != 0) return entry;
  if ((entry.once | entry.owed_once) != 0) {
    throw ModelError(where, now, packet_name(packet.id),
                     "synchronization " + std::to_string(packet.sid) + " is in use by another set of nodes");
  }
  entry.members = packet.map;
  entry.expected = route_->expected_inputs(packet.map);
  entry.served = route_->served_outputs(packet.map);
  for (unsigned output = 0; output < ports_; ++output)
    entry.targets[output] = route_->next_ports(output, packet);
  return entry;
}

bool SyncTable::fits(unsigned input, const Packet& packet) const {
  const Entry* entry = entries_[packet.sid].get();
  return entry != nullptr && entry->members == packet.map && (entry->expected >> input & 1U) != 0 &&
         (entry->twice >> input & 1U) == 0;
}

unsigned SyncTable::enter(unsigned input, const PacketTransfer& transfer, Cycle ready,
                          const std::string& where) {
  const Packet& packet = *transfer.packet;
  Entry& entry = entry_for(packet, where, ready);
  const std::uint32_t bit = std::uint32_t{1} << input;
  if ((entry.expected & bit) == 0) {
    throw ModelError(where, ready, packet_name(packet.id),
                     "a synchronization came in where none of its members lies");
  }
  if ((entry.twice & bit) != 0) {
    throw ModelError(where, ready, packet_name(packet.id),
                     "a third synchronization of one input before the first completed");
  }
  entry.twice |= entry.once & bit;
  entry.once |= bit;
  if ((entry.once & entry.expected) != entry.expected) {
    if (probe_ != nullptr) probe_->on_entry(ready, packet.sid, entry.once, entry.twice, entry.owed_once);
    return 0;
  }
  entry.once = entry.twice;
  entry.twice = 0;
  entry.completing = transfer;
  unsigned owed = 0;
  for (std::uint32_t left = entry.served; left != 0; left &= left - 1, ++owed) {
    owe(entry, static_cast<unsigned>(__builtin_ctz(left)), ready, where);
  }
  if (probe_ != nullptr) probe_->on_entry(ready, packet.sid, entry.once, entry.twice, entry.owed_once);
  return owed;
}

void SyncTable::owe(Entry& entry, unsigned output, Cycle ready, const std::string& where) {
  const std::uint32_t bit = std::uint32_t{1} << output;
  if ((entry.owed_twice & bit) != 0) {
    throw ModelError(where, ready, packet_name(entry.completing.packet->id),
                     "an output owes a third synchronization");
  }
  entry.ready[output][(entry.owed_once & bit) != 0 ? 1 : 0] = ready;
  entry.owed_twice |= entry.owed_once & bit;
  entry.owed_once |= bit;
  ++owed_[output];
}

int SyncTable::choose(unsigned output, Cycle now, std::uint32_t room, Cycle& next_ready) const {
  if (owed_[output] == 0) return -1;
  const std::uint32_t bit = std::uint32_t{1} << output;
  for (unsigned step = 0; step < synchronization_ids; ++step) {
    const unsigned sid = (next_sid_[output] + step) % synchronization_ids;
    const Entry* entry = entries_[sid].get();
    if (entry == nullptr || (entry->owed_once & bit) == 0) continue;
    if (entry->ready[output][0] > now) {
      if (entry->ready[output][0] < next_ready) next_ready = entry->ready[output][0];
    } else if ((entry->targets[output] & ~room) == 0) {
      return static_cast<int>(sid);
    }
  }
  return -1;
}

std::uint32_t SyncTable::targets(unsigned output, Cycle now) const {
  if (owed_[output] == 0) return 0;
  std::uint32_t targets = 0;
  for (const auto& entry : entries_) {
    if (entry && (entry->owed_once >> output & 1U) != 0 && entry->ready[output][0] <= now) {
      targets |= entry->targets[output];
    }
  }
  return targets;
}

PacketTransfer SyncTable::take(unsigned output, int sid, Cycle now) {
  Entry& entry = *entries_[static_cast<unsigned>(sid)];
  const std::uint32_t bit = std::uint32_t{1} << output;
  entry.owed_once &= ~bit | entry.owed_twice;
  entry.owed_twice &= ~bit;
  entry.ready[output][0] = entry.ready[output][1];
  --owed_[output];
  next_sid_[output] = static_cast<std::uint8_t>((static_cast<unsigned>(sid) + 1) % synchronization_ids);
  if (probe_ != nullptr) {
    probe_->on_entry(now + 1, static_cast<unsigned>(sid), entry.once, entry.twice, entry.owed_once);
  }
  PacketTransfer transfer{entry.completing.packet, entry.targets[output], entry.completing.hops};
  if (entry.owed_once == 0) entry.completing.packet.reset();
  return transfer;
}

}  // namespace tsuji::crosspoint
