// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "tsuji/core/packet.h"

namespace tsuji {

/// A flit as it lies on a channel: 24 data bits, a parity bit, three position bits (Kanoh 2000, section 3).
/// Models move whole packets; flits are spelled out at pins, in waveforms, and where a damaged packet is
/// judged.
///   23:0 data, 24 even parity over the data, 27:25 position, one of the codes below (a flipped bit gives
///   none of them)
using FlitBits = std::uint32_t;
inline constexpr unsigned flit_data_bits = 24;
inline constexpr unsigned flit_bits = 28;
enum class FlitPosition : std::uint8_t { odd = 0b001, even = 0b010, last = 0b100 };

FlitBits make_flit(std::uint32_t data, FlitPosition position);
bool parity_holds(FlitBits flit);
inline FlitPosition position_of(FlitBits flit) {
  return static_cast<FlitPosition>(flit >> 25 & 7U);
}

/// Eight check bits for a 64-bit word: single errors are corrected, double errors are detected. Every column
/// of the check matrix has odd weight (Hsiao), so that an even syndrome tells a double error.
std::uint8_t ecc_of(std::uint64_t word);
enum class EccResult : std::uint8_t { clean, corrected, uncorrectable };
/// Corrects `word` (or sees that only `check` was hit) in place.
EccResult ecc_correct(std::uint64_t& word, std::uint8_t check);

/// The first flit: bits 1:0 packet kind, 17:2 port bits.
std::uint32_t port_flit_data(PacketKind kind, std::uint32_t port_bits);
/// The 64-bit words behind the port flit: map (multicast, synchronization), two header words, payload.
unsigned packet_words(const Packet& packet);
std::uint64_t packet_word(const Packet& packet, unsigned index);
/// Flit `index` (0 .. packet.flits - 1) of an undamaged packet: port flit, header, payload. A header longer
/// than its words ends in words of zeros with their check bits. Flits after the last word of header or
/// payload and those of a word after its third are padding.
FlitBits spell_flit(const Packet& packet, std::uint32_t port_bits, unsigned index);

enum class FlitVerdict : std::uint8_t { clean, corrected, dropped };
enum class FlitDropCause : std::uint8_t { none, port_parity, flit_lost, double_bit };

/// Receiver's judgement of a packet with its `errors` applied: position bits in sequence, the port flit's
/// parity, the ECC of every word (rooms/core.md, Where the paper is silent, 3). `words` are the map, header
/// and payload words after correction; where more than two bits of a word were hit, they may be wrong without
/// notice, as in the hardware.
struct FlitJudgement {
  static constexpr unsigned max_words = 3 + Packet::max_payload_bytes / 8;
  FlitVerdict verdict = FlitVerdict::clean;
  FlitDropCause cause = FlitDropCause::none;
  unsigned corrected_words = 0;
  unsigned word_count = 0;
  std::array<std::uint64_t, max_words> words;
};
FlitJudgement judge(const Packet& packet);

/// A switch's check of a packet with its `errors` applied, which detects and corrects nothing: position bits
/// in sequence, even parity of every flit, no syndrome of any word. Four flips and more of a word may pass.
bool check_passes(const Packet& packet);

/// Adds an error to a packet on its way. An error in the map changes what switches read at once, before any
/// check. False if the packet carries as many errors as it can and is left as it was; a lost flit, which says
/// more than any flipped bit, takes the place of the last one then.
bool damage(Packet& packet, const FlitError& error);

}  // namespace tsuji
