// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "tsuji/core/packet.h"

namespace tsuji {

/// A 28-bit flit on a Cenju-4 channel (Kanoh 2000, section 3). The models move whole packets; single flits
/// exist at pins, in waveforms, and where a damaged packet is checked.
///   23:0   data
///   24     even parity of the data
///   27:25  position, one of the codes of FlitPosition; a single flipped bit gives no valid code
using FlitBits = std::uint32_t;
inline constexpr unsigned flit_data_bits = 24;  ///< Data bits of a flit.
inline constexpr unsigned flit_bits = 28;       ///< All bits of a flit: data, parity and position.
/// Position codes: odd-numbered flits (the first is number 1), even-numbered ones, and the last flit of a
/// packet.
enum class FlitPosition : std::uint8_t { odd = 0b001, even = 0b010, last = 0b100 };

/// Position code of flit `index` (from 0) of a packet.
FlitPosition position_for(unsigned index, unsigned flits);
/// Flit with its parity bit and position code.
FlitBits make_flit(std::uint32_t data, FlitPosition position);
/// True if the parity bit is that of the data.
bool parity_holds(FlitBits flit);
/// Position bits of a flit; a damaged flit may have none of the codes.
inline FlitPosition position_of(FlitBits flit) {
  return static_cast<FlitPosition>(flit >> 25 & 7U);
}

/// Eight check bits (ECC) of a 64-bit word: single errors are corrected, double errors are detected. Every
/// column of the check matrix has odd weight (Hsiao code), so an even syndrome means a double error.
std::uint8_t ecc_of(std::uint64_t word);
/// Result of an ECC check: no error, a single error corrected, a double error.
enum class EccResult : std::uint8_t { clean, corrected, uncorrectable };
/// Corrects a single error in `word` in place; an error in `check` alone counts as corrected, too.
EccResult ecc_correct(std::uint64_t& word, std::uint8_t check);

/// Data bits of the port flit, the first flit of a packet: bits 1:0 packet kind, 17:2 port bits.
std::uint32_t port_flit_data(PacketKind kind, std::uint32_t port_bits);
/// Bits 9:0 of the first header word, by which switches route: node of a single cast, group of a multicast,
/// sid of a synchronization.
std::uint64_t routing_field(const Packet& packet);
/// Number of 64-bit words after the port flit: map (multicast, synchronization), two header words, payload.
unsigned packet_words(const Packet& packet);
/// Word `index` (0 .. packet_words() - 1) of map, header and payload.
std::uint64_t packet_word(const Packet& packet, unsigned index);
/// Number of words with check bits: packet_words() and, after them in number, the zero words that fill the
/// header.
unsigned checked_words(const Packet& packet);
/// Index of the first of the three flits of a word with check bits.
unsigned first_flit(const Packet& packet, unsigned word);
/// Flit `index` (0 .. packet.flits - 1) of an undamaged packet, in the order port flit, header, payload. A
/// header with more flits than its words need ends in zero words with their check bits. Flits beyond the last
/// word of header or payload, and flits 3 and up of a word, are padding.
FlitBits spell_flit(const Packet& packet, std::uint32_t port_bits, unsigned index);

/// Outcome of the receiver's check: accepted unchanged, accepted after correction, or dropped.
enum class FlitVerdict : std::uint8_t { clean, corrected, dropped };
/// Error for which a receiver drops a packet: port flit's parity, lost flit, uncorrectable word.
enum class FlitDropCause : std::uint8_t { none, port_parity, flit_lost, double_bit };

/// The receiver's check of a packet with its `errors` applied: sequence of the position bits, parity of the
/// port flit, ECC of every word (rooms/core.md, Where the paper is silent, 3). `words` holds the map, header
/// and payload words after correction. A word with more than two flipped bits may be wrong without being
/// detected, as in the hardware.
struct FlitJudgement {
  /// Map, two header words and the largest payload.
  static constexpr unsigned max_words = 3 + Packet::max_payload_bytes / 8;
  FlitVerdict verdict = FlitVerdict::clean;  ///< Outcome for the packet.
  FlitDropCause cause =
      FlitDropCause::none;       ///< Error for which the packet is dropped; none: it is accepted.
  unsigned corrected_words = 0;  ///< Number of words with a corrected single error.
  unsigned word_count = 0;       ///< Number of valid elements of `words`.
  std::array<std::uint64_t, max_words> words;  ///< Words after correction; the first `word_count` are valid.
};
/// Packet as its source sent it: without errors, and with the map that they have not changed.
Packet as_sent(const Packet& packet);
/// Flit `index` of a packet with its errors applied; none: the flit is lost. `sent`: as_sent(packet).
std::optional<FlitBits> arriving_flit(const Packet& sent, const Packet& packet, unsigned index);
/// Largest number of flits of a packet.
inline constexpr unsigned most_flits = 512;
/// Checks a packet as its receiver does.
FlitJudgement judge(const Packet& packet);
/// Checks the `count` flits that have come of a packet, at most most_flits. Of `shape`, kind, spelling,
/// payload_bytes and flits are read, as the head announced them.
FlitJudgement judge_flits(const Packet& shape, const FlitBits* flits, unsigned count);
/// Word of three flits from `part` on; `check`: its check bits.
std::uint64_t word_of_flits(const FlitBits* part, std::uint8_t& check);

/// A switch's check of a packet with its `errors` applied. It corrects nothing: sequence of the position
/// bits, even parity of every flit, zero syndrome of every word. Four or more flips in a word may pass
/// undetected.
bool check_passes(const Packet& packet);

/// Adds an error to a packet in flight. An error in the map has immediate effect on switches, before any
/// check. Returns false if the packet already carries FlitSpelling::max_errors errors and is left unchanged.
/// A lost flit, which outweighs flipped bits, replaces the last error in that case.
bool damage(Packet& packet, const FlitError& error);

}  // namespace tsuji
