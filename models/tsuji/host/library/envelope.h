// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

namespace tsuji::host {

enum class EnvelopeKind : std::uint8_t {
  eager = 1,            ///< The message follows the envelope.
  request_to_send = 2,  ///< Announces a message that is longer than a packet and waits for its receiver.
  /// Message of a collective: the data follow, or have arrived through address register 0 before.
  broadcast = 3,
};

/// Separates messages of the program from messages of the library's collectives; they never match each other.
enum class Context : std::uint8_t { user = 0, collective = 1 };

/// Header in front of a message: 32 bytes.
///
///     word 0   3:0 kind, 7:4 context, 31:16 source rank, 63:32 tag
///     word 1   bytes of the whole message
///     word 2   31:0 the sender's rendezvous slot, 63:32 number of the message (or collective)
///     word 3   trailing bytes, less than a word, of a broadcast by address register
struct Envelope {
  static constexpr unsigned bytes = 32;
  static constexpr unsigned eager_limit = 256 - bytes;  ///< Remaining payload of a packet.

  EnvelopeKind kind = EnvelopeKind::eager;
  Context context = Context::user;
  std::uint32_t source = 0;
  std::int32_t tag = 0;
  std::uint64_t message_bytes = 0;
  std::uint32_t slot = 0;
  std::uint32_t sequence = 0;
  std::uint64_t tail = 0;

  std::array<std::uint64_t, 4> encode() const {
    return {static_cast<std::uint64_t>(kind) | static_cast<std::uint64_t>(context) << 4 |
                static_cast<std::uint64_t>(source) << 16 |
                static_cast<std::uint64_t>(static_cast<std::uint32_t>(tag)) << 32,
            message_bytes, slot | static_cast<std::uint64_t>(sequence) << 32, tail};
  }
  static Envelope decode(const std::array<std::uint64_t, 4>& words) {
    Envelope envelope;
    envelope.kind = static_cast<EnvelopeKind>(words[0] & 0xF);
    envelope.context = static_cast<Context>((words[0] >> 4) & 0xF);
    envelope.source = static_cast<std::uint32_t>((words[0] >> 16) & 0xFFFF);
    envelope.tag = static_cast<std::int32_t>(static_cast<std::uint32_t>(words[0] >> 32));
    envelope.message_bytes = words[1];
    envelope.slot = static_cast<std::uint32_t>(words[2]);
    envelope.sequence = static_cast<std::uint32_t>(words[2] >> 32);
    envelope.tail = words[3];
    return envelope;
  }
};

/// A receiver's answer to a request to send, in one word that is never 0: the address for the data and the
/// receiver's rendezvous slot.
struct ClearToSend {
  std::uint64_t address = 0;  ///< Address for the data, below 2^48.
  std::uint32_t slot = 0;     ///< Rendezvous slot of the receiver, below 65535.
  std::uint64_t encode() const { return address << 16 | (slot + 1); }
  static ClearToSend decode(std::uint64_t word) {
    return {word >> 16, static_cast<std::uint32_t>(word & 0xFFFF) - 1};
  }
};

/// The word that follows the data of a rendezvous: never 0; it carries up to 7 trailing bytes that are less
/// than a word.
struct DataArrived {
  unsigned tail_bytes = 0;
  std::uint64_t tail = 0;
  std::uint64_t encode() const { return 1 | std::uint64_t{tail_bytes} << 1 | tail << 8; }
  static DataArrived decode(std::uint64_t word) {
    return {static_cast<unsigned>((word >> 1) & 0x7), word >> 8};
  }
};

}  // namespace tsuji::host
