// SPDX-License-Identifier: Apache-2.0
#include "nic/packet_judge_bench.h"

#include <algorithm>
#include <utility>

namespace tsuji::bench {
namespace {

constexpr Cycle judge_phase_cycles = 4096;

}  // namespace

PacketJudgeStimulus::PacketJudgeStimulus(const Drive& pins, std::uint64_t seed,
                                         const nic::PacketJudgeConfig& config)
    : config_(config), random_(seed, 21), at_(pins) {}

void PacketJudgeStimulus::restart(Drive& pins) {
  flits_.clear();
  next_ = 0;
  unjudged_ = 0;
  node_ = below(2) == 0 ? below(64) : below(1024);
  pins.set(at_.node, node_);
}

/// Routing fields, mostly of a packet for this node.
void PacketJudgeStimulus::address(Packet& packet) {
  for (std::uint64_t& word : packet.header) word = random_.next();
  packet.map = below(2) == 0 ? random_.next() : ~std::uint64_t{0};
  const bool other = below(10) == 0;
  if (packet.kind != PacketKind::single_cast) {
    const std::uint64_t bit = std::uint64_t{1} << node_ % 64;
    packet.map = other && below(2) == 0 ? packet.map & ~bit : packet.map | bit;
  }
  std::uint64_t field = packet.kind == PacketKind::single_cast ? node_ : node_ / 64;
  if (other) field ^= std::uint64_t{1} << below(10);
  if (packet.kind != PacketKind::synchronization)
    packet.header[0] = (packet.header[0] & ~std::uint64_t{0x3ff}) | field;
}

void PacketJudgeStimulus::spell(const Packet& packet) {
  flits_.clear();
  const std::uint32_t ports = below(0x10000);
  for (unsigned index = 0; index < packet.flits; ++index)
    flits_.push_back({true, spell_flit(packet, ports, index)});
}

/// A flit of a word: its first, second or third.
unsigned PacketJudgeStimulus::any_word_flit(const Packet& packet) {
  return first_flit(packet, below(checked_words(packet))) + below(3);
}

void PacketJudgeStimulus::damage_words(const Packet& packet, unsigned words, unsigned bits) {
  for (unsigned w = 0; w < words; ++w) {
    const unsigned first = first_flit(packet, below(checked_words(packet)));
    for (unsigned bit = 0; bit < bits; ++bit) flits_[first + below(3)].flit ^= 1U << below(24);
  }
}

/// A bit in each word, or in one of `among`.
void PacketJudgeStimulus::damage_each_word(const Packet& packet, unsigned among) {
  for (unsigned number = 0; number < checked_words(packet); ++number)
    if (below(among) == 0) flits_[first_flit(packet, number) + below(3)].flit ^= 1U << below(24);
}

void PacketJudgeStimulus::damage_order() {
  const auto count = static_cast<unsigned>(flits_.size());
  const unsigned first = below(count - 1);
  switch (below(4)) {
    case 0:
      flits_[below(4) == 0 ? count - 1 : below(count)].valid = false;
      break;
    case 1:  // a flit comes twice
      std::copy_backward(flits_.begin() + first, flits_.end() - 1, flits_.end());
      break;
    case 2:
      std::swap(flits_[first], flits_[first + 1]);
      break;
    default:  // the next but one takes its place, with its position code
      std::swap(flits_[first], flits_[std::min(first + 2, count - 1)]);
      break;
  }
}

void PacketJudgeStimulus::damage(const Packet& packet) {
  const unsigned last = packet.flits - 1U;
  switch (below(16)) {
    case 0:
      return damage_words(packet, 1, 1);
    case 1:
      return damage_each_word(packet, 1 + below(4));
    case 2:
      return damage_words(packet, 1, 2);
    case 3:
      return damage_words(packet, 1, 3);
    case 4:
      return damage_words(packet, 1 + below(3), 1 + below(4));
    case 5:
      return damage_order();
    case 6:
      flits_[below(3) == 0 ? last : below(packet.flits)].flit ^= 1U << (25 + below(3));
      return;
    case 7:
      flits_[0].flit ^= 1U << below(25);
      return;
    case 8:
      flits_[0].flit ^= 1U << below(25);
      flits_[0].flit ^= 1U << below(25);
      return;
    case 9:
      flits_[any_word_flit(packet)].flit ^= 1U << 24;
      return;
    case 10:  // several at once
      damage_words(packet, 1, 1 + below(2));
      if (below(2) == 0) flits_[0].flit ^= 1U << below(25);
      if (below(2) == 0) damage_order();
      return;
    case 11:  // the last word, or the first one
      flits_[first_flit(packet, below(2) == 0 ? 0 : packet_words(packet) - 1) + 2].flit ^= 3U << below(23);
      return;
    default:
      return;
  }
}

void PacketJudgeStimulus::start(Cycle cycle, Drive& pins) {
  PacketRef ref = pool_.make();
  Packet& packet = ref.edit();
  const unsigned most = config_.sizes.max_payload_bytes, drawn = below(8);
  packet.kind = static_cast<PacketKind>(drawn < 2 ? drawn + 1 : 0);
  const unsigned lengths[] = {0, 4, 8, most, most - 4, 4 * below(most / 4 + 1)};
  packet.payload_bytes = static_cast<std::uint16_t>(lengths[below(6)]);
  packet.flits = static_cast<std::uint16_t>(config_.sizes.flits(packet.kind, packet.payload_bytes));
  packet.spelling.header_flits = static_cast<std::uint8_t>(config_.sizes.header(packet.kind));
  packet.spelling.word_flits = static_cast<std::uint8_t>(config_.sizes.flits_per_word);
  for (unsigned byte = 0; byte < packet.payload_bytes; ++byte)
    packet.payload.data()[byte] = static_cast<std::byte>(below(256));
  address(packet);
  spell(packet);
  damage(packet);
  pins.set(at_.in_kind, static_cast<unsigned>(packet.kind));
  pins.set(at_.in_flits, packet.flits);
  next_ = 0;
  ++unjudged_;
  const unsigned gaps[] = {0, 0, 1 + below(4), below(60)};
  starts_at_ = cycle + packet.flits + gaps[below(4)];
}

/// In turn a Receiver that is always ready, seldom, or for some time not at all.
bool PacketJudgeStimulus::takes(Cycle cycle) {
  switch (cycle / judge_phase_cycles % 4) {
    case 0:
      return true;
    case 1:
      return below(4) == 0;
    case 2:
      return below(100) == 0;
    default:
      return cycle / 512 % 2 == 0;
  }
}

void PacketJudgeStimulus::drive(Cycle cycle, Drive& pins) {
  const bool restarts = cycle < 2 || below(5000) == 0;
  pins.set(at_.reset, restarts);
  if (restarts) restart(pins);
  const bool take = takes(cycle);
  pins.set(at_.verdict_take, take);
  if (take && !restarts && pins.seen(at_.verdict_valid) != 0 && unjudged_ > 0) --unjudged_;
  const bool arrives = next_ < flits_.size();
  const bool head = !restarts && !arrives && cycle >= starts_at_ && unjudged_ < config_.slots;
  pins.set(at_.in_head, head);
  pins.set(at_.in_kind, below(3));
  pins.set(at_.in_flits, below(128));
  if (head) start(cycle, pins);
  const bool flows = next_ < flits_.size();
  pins.set(at_.in_valid, flows ? flits_[next_].valid : below(8) == 0);
  pins.set(at_.in_flit, flows ? flits_[next_].flit : below(1U << 28));
  if (flows) ++next_;
}

}  // namespace tsuji::bench
