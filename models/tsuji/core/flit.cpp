// SPDX-License-Identifier: Apache-2.0
#include "tsuji/core/flit.h"

#include <algorithm>
#include <cstring>

namespace tsuji {
namespace {

constexpr unsigned spelled_flits = 3;  // flits of a word with its check bits
constexpr std::uint32_t data_mask = (1U << flit_data_bits) - 1;

unsigned weight8(unsigned value) {
  unsigned weight = 0;
  for (; value != 0; value &= value - 1) ++weight;
  return weight;
}

/// Columns of the check matrix: 64 different columns of weight 3 or 5 (weight 1 belongs to the check bits).
constexpr unsigned column_weight(unsigned value) {
  unsigned weight = 0;
  for (unsigned bit = 0; bit < 8; ++bit) weight += value >> bit & 1U;
  return weight;
}

constexpr std::array<std::uint8_t, 64> make_columns() {
  std::array<std::uint8_t, 64> columns{};
  unsigned count = 0;
  for (unsigned wanted : {3U, 5U}) {
    for (unsigned value = 0; value < 256 && count < 64; ++value) {
      if (column_weight(value) == wanted) columns[count++] = static_cast<std::uint8_t>(value);
    }
  }
  return columns;
}

constexpr std::array<std::uint8_t, 64> columns = make_columns();

bool has_map(const Packet& packet) {
  return packet.kind != PacketKind::single_cast;
}

/// Number of header words: the map if the packet has one, and two more.
unsigned header_words(const Packet& packet) {
  return has_map(packet) ? 3 : 2;
}

unsigned header_flits(const Packet& packet) {
  return packet.spelling.header_flits != 0 ? packet.spelling.header_flits
                                           : spelled_flits * header_words(packet);
}

unsigned word_flits(const Packet& packet) {
  return packet.spelling.word_flits != 0 ? packet.spelling.word_flits : spelled_flits;
}

std::uint32_t word_part(std::uint64_t word, unsigned part) {
  if (part < 2) return static_cast<std::uint32_t>(word >> (24 * part)) & data_mask;
  return static_cast<std::uint32_t>(word >> 48) | static_cast<std::uint32_t>(ecc_of(word)) << 16;
}

/// The 24 bits that an error flips in flit 1 + part of the map, shifted to their position in the map.
std::uint64_t map_flip(const FlitError& error) {
  const unsigned part = error.flit - 1U;
  if (error.lost || error.flit == 0 || part >= spelled_flits) return 0;
  const std::uint64_t data = error.flip & (part == 2 ? 0xffffU : data_mask);
  return data << (24 * part);
}

}  // namespace

unsigned checked_words(const Packet& packet) {
  return packet_words(packet) + header_flits(packet) / spelled_flits - header_words(packet);
}

unsigned first_flit(const Packet& packet, unsigned word) {
  const unsigned in_header = header_words(packet), words = packet_words(packet);
  if (word < in_header) return 1 + spelled_flits * word;
  if (word < words) return 1 + header_flits(packet) + word_flits(packet) * (word - in_header);
  return 1 + spelled_flits * (in_header + word - words);
}

FlitPosition position_for(unsigned index, unsigned flits) {
  if (index + 1 == flits) return FlitPosition::last;
  return index % 2 == 0 ? FlitPosition::odd : FlitPosition::even;  // the first flit is number one
}

FlitBits make_flit(std::uint32_t data, FlitPosition position) {
  const std::uint32_t parity = static_cast<std::uint32_t>(__builtin_parity(data & data_mask));
  return (data & data_mask) | parity << 24 | static_cast<std::uint32_t>(position) << 25;
}

bool parity_holds(FlitBits flit) {
  return __builtin_parity(flit & (data_mask | 1U << 24)) == 0;
}

std::uint8_t ecc_of(std::uint64_t word) {
  unsigned check = 0;
  for (; word != 0; word &= word - 1) check ^= columns[static_cast<unsigned>(__builtin_ctzll(word))];
  return static_cast<std::uint8_t>(check);
}

EccResult ecc_correct(std::uint64_t& word, std::uint8_t check) {
  const unsigned syndrome = static_cast<unsigned>(ecc_of(word)) ^ check;
  if (syndrome == 0) return EccResult::clean;
  if (weight8(syndrome) % 2 == 0) return EccResult::uncorrectable;
  if (weight8(syndrome) == 1) return EccResult::corrected;  // a check bit itself
  for (unsigned bit = 0; bit < 64; ++bit) {
    if (columns[bit] == syndrome) {
      word ^= std::uint64_t{1} << bit;
      return EccResult::corrected;
    }
  }
  return EccResult::uncorrectable;
}

std::uint32_t port_flit_data(PacketKind kind, std::uint32_t port_bits) {
  return static_cast<std::uint32_t>(kind) | (port_bits & 0xffffU) << 2;
}

std::uint64_t routing_field(const Packet& packet) {
  switch (packet.kind) {
    case PacketKind::single_cast:
      return packet.destination.number();
    case PacketKind::multicast:
      return packet.group;
    case PacketKind::synchronization:
      break;
  }
  return packet.sid;
}

unsigned packet_words(const Packet& packet) {
  return header_words(packet) + (packet.payload_bytes + 7U) / 8U;
}

std::uint64_t packet_word(const Packet& packet, unsigned index) {
  if (has_map(packet)) {
    if (index == 0) return packet.map;
    --index;
  }
  if (index < 2) return packet.header[index];
  const unsigned at = 8 * (index - 2);
  std::uint64_t word = 0;  // missing bytes of the last word are zero
  std::memcpy(&word, packet.payload.data() + at, std::min(8U, packet.payload_bytes - at));
  return word;
}

FlitBits spell_flit(const Packet& packet, std::uint32_t port_bits, unsigned index) {
  const FlitPosition position = position_for(index, packet.flits);
  if (index == 0) return make_flit(port_flit_data(packet.kind, port_bits), position);
  const unsigned in_header = header_flits(packet);
  const bool heads = index <= in_header;
  const unsigned at = heads ? index - 1 : index - 1 - in_header;
  const unsigned flits_a_word = heads ? spelled_flits : word_flits(packet);
  const unsigned word = at / flits_a_word + (heads ? 0 : header_words(packet)), part = at % flits_a_word;
  const unsigned end = heads ? header_words(packet) : packet_words(packet);
  if (word >= end || part >= spelled_flits) return make_flit(0, position);
  return make_flit(word_part(packet_word(packet, word), part), position);
}

bool damage(Packet& packet, const FlitError& error) {
  if (packet.spelling.error_count == FlitSpelling::max_errors) {
    if (!error.lost) return false;
    const FlitError& last = packet.spelling.errors[--packet.spelling.error_count];
    if (has_map(packet)) packet.map ^= map_flip(last);
  }
  packet.spelling.errors[packet.spelling.error_count++] = error;
  if (has_map(packet)) packet.map ^= map_flip(error);
  return true;
}

Packet as_sent(const Packet& packet) {
  Packet sent = packet;
  sent.spelling.error_count = 0;
  for (unsigned e = 0; has_map(packet) && e < packet.spelling.error_count; ++e)
    sent.map ^= map_flip(packet.spelling.errors[e]);
  return sent;
}

std::optional<FlitBits> arriving_flit(const Packet& sent, const Packet& packet, unsigned index) {
  FlitBits flit = spell_flit(sent, 1, index);
  for (unsigned e = 0; e < packet.spelling.error_count; ++e) {
    if (packet.spelling.errors[e].flit != index) continue;
    if (packet.spelling.errors[e].lost) return std::nullopt;
    flit ^= packet.spelling.errors[e].flip;  // every reader of a flit masks it
  }
  return flit;
}

namespace {

/// Writes the flits that the receiver gets of a damaged packet to `flits`; returns their number.
unsigned received_flits(const Packet& packet, std::array<FlitBits, most_flits>& flits) {
  const Packet sent = as_sent(packet);
  unsigned count = 0;
  for (unsigned index = 0; index < packet.flits && count < flits.size(); ++index)
    if (const auto flit = arriving_flit(sent, packet, index)) flits[count++] = *flit;
  return count;
}

bool in_sequence(const Packet& packet, const FlitBits* flits, unsigned count) {
  for (unsigned index = 0; index < count; ++index)
    if (position_of(flits[index]) != position_for(index, packet.flits)) return false;
  return count == packet.flits;
}

FlitJudgement dropped(FlitJudgement judgement, FlitDropCause cause) {
  judgement.verdict = FlitVerdict::dropped;
  judgement.cause = cause;
  return judgement;
}

}  // namespace

std::uint64_t word_of_flits(const FlitBits* part, std::uint8_t& check) {
  check = static_cast<std::uint8_t>(part[2] >> 16);
  return (part[0] & data_mask) | static_cast<std::uint64_t>(part[1] & data_mask) << 24 |
         static_cast<std::uint64_t>(part[2] & 0xffffU) << 48;
}

FlitJudgement judge(const Packet& packet) {
  if (packet.spelling.error_count > 0) {
    std::array<FlitBits, most_flits> flits;
    const unsigned count = received_flits(packet, flits);
    return judge_flits(packet, flits.data(), count);
  }
  FlitJudgement result;
  result.word_count = packet_words(packet);
  for (unsigned w = 0; w < result.word_count; ++w) result.words[w] = packet_word(packet, w);
  return result;
}

FlitJudgement judge_flits(const Packet& shape, const FlitBits* flits, unsigned count) {
  FlitJudgement result;
  result.word_count = packet_words(shape);
  if (!in_sequence(shape, flits, count)) return dropped(result, FlitDropCause::flit_lost);
  if (!parity_holds(flits[0])) return dropped(result, FlitDropCause::port_parity);
  const unsigned checked = checked_words(shape);
  for (unsigned w = 0; w < checked; ++w) {
    std::uint8_t check = 0;
    std::uint64_t word = word_of_flits(flits + first_flit(shape, w), check);
    const EccResult ecc = ecc_correct(word, check);
    if (ecc == EccResult::uncorrectable) return dropped(result, FlitDropCause::double_bit);
    if (ecc == EccResult::corrected) ++result.corrected_words;
    if (w < result.word_count) result.words[w] = word;
  }
  // A flipped parity bit of a data flit does no harm: the ECC alone decides about data.
  if (result.corrected_words != 0) result.verdict = FlitVerdict::corrected;
  return result;
}

bool check_passes(const Packet& packet) {
  if (packet.spelling.error_count == 0) return true;
  std::array<FlitBits, most_flits> flits;
  const unsigned count = received_flits(packet, flits);
  if (!in_sequence(packet, flits.data(), count)) return false;
  if (!std::all_of(flits.begin(), flits.begin() + count, parity_holds)) return false;
  for (unsigned w = 0; w < checked_words(packet); ++w) {
    std::uint8_t check = 0;
    const std::uint64_t word = word_of_flits(&flits[first_flit(packet, w)], check);
    if (ecc_of(word) != check) return false;
  }
  return true;
}

}  // namespace tsuji
