// SPDX-License-Identifier: Apache-2.0
#include "tsuji/crosspoint/sync_table.h"

#include <algorithm>
#include <cstring>

#include "tsuji/core/error.h"

namespace tsuji::crosspoint {

SyncTable::Entry& SyncTable::entry_for(const Packet& packet, const std::string& where, Cycle now) {
  auto& place = entries_[number_of(packet)];
  if (!place) place = std::make_unique<Entry>();
  if (packet.source.is_router()) used_ = most_entries;
  Entry& entry = *place;
  if (entry.members == packet.map && entry.expected != 0) return entry;
  if ((entry.once | entry.owed_once) != 0) {
    throw ModelError(where, now, packet_name(packet.id),
                     "synchronization " + std::to_string(packet.sid) + " is in use by another set of nodes");
  }
  entry.members = packet.map;
  entry.expected = route_->expected_inputs(packet);
  entry.served = route_->served_outputs(packet);
  entry.parity = entry.owed_parity = 0;
  for (unsigned output = 0; output < ports_; ++output)
    entry.targets[output] = route_->next_ports(output, packet);
  return entry;
}

bool SyncTable::fits(unsigned input, const Packet& packet) const {
  const Entry* entry = entries_[number_of(packet)].get();
  return entry != nullptr && entry->members == packet.map && (entry->expected >> input & 1U) != 0 &&
         (entry->twice >> input & 1U) == 0;
}

unsigned SyncTable::enter(unsigned input, const PacketTransfer& transfer, Cycle now,
                          const std::string& where) {
  const Packet& packet = *transfer.packet;
  Entry& entry = entry_for(packet, where, now);
  const std::uint32_t bit = std::uint32_t{1} << input;
  if ((entry.expected & bit) == 0) {
    throw ModelError(where, now, packet_name(packet.id),
                     "a synchronization arrived at an input that leads to none of its members");
  }
  if ((entry.twice & bit) != 0) {
    throw ModelError(where, now, packet_name(packet.id),
                     "an input received a third synchronization before the first was complete");
  }
  const bool early = (entry.once & bit) != 0;
  combine(entry.operands[early ? entry.parity ^ 1 : entry.parity], packet, now, where);
  entry.twice |= entry.once & bit;
  entry.once |= bit;
  const bool complete_now = (entry.once & entry.expected) == entry.expected;
  if (complete_now) complete(entry, transfer, now, where);
  tell(now, packet.sid, entry);
  return complete_now ? static_cast<unsigned>(__builtin_popcount(entry.served)) : 0;
}

namespace {

std::uint64_t combined(Combine operation, std::uint64_t a, std::uint64_t b) {
  const bool a_is_less = static_cast<std::int64_t>(a) < static_cast<std::int64_t>(b);
  switch (operation) {
    case Combine::min:
      return a_is_less ? a : b;
    case Combine::max:
      return a_is_less ? b : a;
    case Combine::sum:
      break;
  }
  return a + b;
}

/// Operand of a packet as it arrives, with errors that its check does not see.
class ReceivedOperand {
 public:
  ReceivedOperand(const Packet& packet, unsigned words) : packet_(packet) {
    if (packet.spelling.error_count == 0 || words == 0) return;
    damaged_ = std::make_unique<FlitJudgement>(judge(packet));
    first_ = damaged_->word_count - words;
  }
  std::uint64_t word(unsigned at) const {
    if (damaged_ != nullptr) return damaged_->words[first_ + at];
    std::uint64_t value = 0;
    std::memcpy(&value, packet_.payload.data() + std::size_t{8} * at, 8);
    return value;
  }

 private:
  const Packet& packet_;
  std::unique_ptr<FlitJudgement> damaged_;  ///< null: without errors
  unsigned first_ = 0;                      ///< place of the operand among the words
};

}  // namespace

void SyncTable::combine(Operand& operand, const Packet& packet, Cycle now, const std::string& where) {
  const unsigned words = words_of(packet);
  if (words > operand_words || packet.payload_bytes % 8 != 0 ||
      (words > 0 && combine_of(packet) > Combine::max)) {
    throw ModelError(
        where, now, packet_name(packet.id),
        "an operand that the synchronization table cannot combine: " + std::to_string(packet.payload_bytes) +
            " bytes, operation " + std::to_string(static_cast<unsigned>(combine_of(packet))));
  }
  const ReceivedOperand received(packet, words);
  if (!operand.open) {
    operand.open = true;
    operand.operation = combine_of(packet);
    operand.words = words;
    for (unsigned word = 0; word < words; ++word) operand.values[word] = received.word(word);
    return;
  }
  if (operand.words != words || (words > 0 && operand.operation != combine_of(packet))) {
    throw ModelError(where, now, packet_name(packet.id),
                     "an operand of " + std::to_string(words) + " words where others of its round have " +
                         std::to_string(operand.words) + ", or another operation");
  }
  for (unsigned word = 0; word < words; ++word)
    operand.values[word] = combined(operand.operation, operand.values[word], received.word(word));
}

void SyncTable::complete(Entry& entry, const PacketTransfer& transfer, Cycle now, const std::string& where) {
  if (entry.owed_twice != 0) {
    throw ModelError(where, now, packet_name(transfer.packet->id),
                     "an output has a third synchronization pending");
  }
  entry.once = entry.twice;
  entry.twice = 0;
  entry.completing[entry.parity] = transfer;
  Operand& operand = entry.operands[entry.parity];
  if (operand.words > 0) {
    if (pool_ == nullptr)
      throw ModelError(where, now, packet_name(transfer.packet->id),
                       "operands, and no pool for their results");
    PacketRef result = pool_->clone(*transfer.packet);
    Packet& sent = result.edit();
    std::memcpy(sent.payload.data(), operand.values.data(), std::size_t{8} * operand.words);
    sent.spelling.error_count = 0;
    entry.completing[entry.parity].packet = std::move(result);
  }
  operand.open = false;
  entry.parity ^= 1;
  entry.owed_twice = entry.owed_once;
  entry.owed_once = entry.served;
  for (std::uint32_t left = entry.served; left != 0; left &= left - 1)
    ++owed_[static_cast<unsigned>(__builtin_ctz(left))];
}

int SyncTable::choose(unsigned output, std::uint32_t free) const {
  if (owed_[output] == 0) return -1;
  for (unsigned step = 0; step < used_; ++step) {
    const unsigned number = (next_entry_[output] + step) % used_;
    const Entry* entry = entries_[number].get();
    const bool owed = entry != nullptr && (entry->owed_once >> output & 1U) != 0;
    if (owed && (entry->targets[output] & ~free) == 0) return static_cast<int>(number);
  }
  return -1;
}

std::uint32_t SyncTable::targets(unsigned output) const {
  if (owed_[output] == 0) return 0;
  std::uint32_t targets = 0;
  for (const auto& entry : entries_) {
    if (entry && (entry->owed_once >> output & 1U) != 0) targets |= entry->targets[output];
  }
  return targets;
}

PacketTransfer SyncTable::take(unsigned output, int number, Cycle now) {
  Entry& entry = *entries_[static_cast<unsigned>(number)];
  const std::uint32_t bit = std::uint32_t{1} << output;
  const std::uint32_t parity = entry.owed_parity >> output & 1U;
  entry.owed_parity ^= bit;
  entry.owed_once &= ~bit | entry.owed_twice;
  entry.owed_twice &= ~bit;
  --owed_[output];
  next_entry_[output] = static_cast<std::uint8_t>((static_cast<unsigned>(number) + 1) % used_);
  tell(now + 1, static_cast<unsigned>(number) % synchronization_ids, entry);
  PacketTransfer& completing = entry.completing[parity];
  PacketTransfer transfer{completing.packet, entry.targets[output], completing.hops};
  if (entry.owing(parity) == 0) completing.packet.reset();
  return transfer;
}

}  // namespace tsuji::crosspoint
