// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tsuji/host/cpu.h"

namespace tsuji::host {

/// Key of a message, of which its bytes are a function, so that the receiver can check every byte.
struct PayloadKey {
  std::uint32_t source = 0;
  std::uint32_t destination = 0;
  std::int32_t tag = 0;
  std::uint32_t serial = 0;

  /// Key of a message without tag and serial number.
  static PayloadKey between(std::uint32_t source, std::uint32_t destination) {
    PayloadKey key;
    key.source = source;
    key.destination = destination;
    return key;
  }
};

/// Writes and checks the bytes of messages as the application's own work: through the cache, without taking
/// time.
class Payload {
 public:
  explicit Payload(Cpu& cpu) : cpu_(cpu), expected_(chunk_words), found_(chunk_words) {}

  void write(const PayloadKey& key, std::uint64_t address, std::uint64_t bytes);
  /// Throws ModelError for the first wrong byte.
  void check(const PayloadKey& key, std::uint64_t address, std::uint64_t bytes);

  /// FNV-1a hash over 8-byte words of all checked bytes, in the order of the checks. Two runs whose ranks end
  /// with equal data have equal digests.
  std::uint64_t digest() const { return digest_; }

  /// Writes a rank's addend of a sum over all ranks: word i of rank r is a_i + r b_i modulo 2^64.
  void write_part(std::uint32_t serial, std::uint32_t rank, std::uint64_t address, std::uint64_t bytes);
  /// Checks the sum of the addends of ranks 0 to `ranks` - 1; trailing bytes that are less than a word are a
  /// shorter number.
  void check_sum(std::uint32_t serial, std::uint32_t ranks, std::uint64_t address, std::uint64_t bytes);

 private:
  static constexpr std::uint64_t chunk_words = 512;
  /// Word i is p a_i + q b_i, where a and b are pseudorandom sequences with two seeds.
  struct Words {
    std::uint64_t a = 0, b = 0;
    std::uint64_t p = 1, q = 0;
  };
  static Words words_of(const PayloadKey& key);
  static Words part_of_sum(std::uint32_t serial);
  void fill(const Words& words, std::uint64_t first, std::uint64_t number);
  void write_words(const Words& words, std::uint64_t address, std::uint64_t bytes);
  void check_words(const Words& words, std::uint64_t address, std::uint64_t bytes, const PayloadKey* key,
                   std::uint32_t serial);
  void digest_found(std::uint64_t bytes);

  Cpu& cpu_;
  std::uint64_t digest_ = 0xCBF29CE484222325U;
  std::vector<std::uint64_t> expected_, found_;
};

}  // namespace tsuji::host
