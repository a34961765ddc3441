// SPDX-License-Identifier: Apache-2.0
#include "tsuji/host/library/payload.h"

#include <algorithm>
#include <cstring>

#include "tsuji/core/error.h"

namespace tsuji::host {
namespace {

/// The finalizer of MurmurHash3: neighbouring inputs give unrelated outputs.
constexpr std::uint64_t scramble(std::uint64_t x) {
  x = (x ^ (x >> 33)) * 0xFF51AFD7ED558CCDU;
  x = (x ^ (x >> 33)) * 0xC4CEB9FE1A85EC53U;
  return x ^ (x >> 33);
}

constexpr std::uint64_t joined(std::uint32_t high, std::uint32_t low) {
  return static_cast<std::uint64_t>(high) << 32 | low;
}

}  // namespace

Payload::Words Payload::words_of(const PayloadKey& key) {
  const std::uint64_t pair = scramble(joined(key.source, key.destination) + 1);
  Words words;
  words.a = scramble(pair + joined(static_cast<std::uint32_t>(key.tag), key.serial));
  return words;
}

Payload::Words Payload::part_of_sum(std::uint32_t serial) {
  Words words;
  words.a = scramble(joined(1, serial));
  words.b = scramble(joined(2, serial));
  return words;
}

void Payload::fill(const Words& words, std::uint64_t first, std::uint64_t number) {
  for (std::uint64_t i = 0; i < number; ++i) expected_[i] = words.p * scramble(words.a + first + i);
  if (words.q == 0) return;
  for (std::uint64_t i = 0; i < number; ++i) expected_[i] += words.q * scramble(words.b + first + i);
}

void Payload::write_words(const Words& words, std::uint64_t address, std::uint64_t bytes) {
  for (std::uint64_t done = 0; done < bytes; done += 8 * chunk_words) {
    const std::uint64_t piece = std::min(8 * chunk_words, bytes - done);
    fill(words, done / 8, (piece + 7) / 8);
    cpu_.app_write(address + done, expected_.data(), piece);
  }
}

/// The last word is padded with zeros if the bytes do not fill it.
void Payload::digest_found(std::uint64_t bytes) {
  const auto add = [this](std::uint64_t word) { digest_ = (digest_ ^ word) * 0x100000001B3U; };
  for (std::uint64_t i = 0; i < bytes / 8; ++i) add(found_[i]);
  if (bytes % 8 == 0) return;
  std::uint64_t rest = 0;
  std::memcpy(&rest, &found_[bytes / 8], bytes % 8);
  add(rest);
}

void Payload::check_words(const Words& words, std::uint64_t address, std::uint64_t bytes,
                          const PayloadKey* key, std::uint32_t serial) {
  for (std::uint64_t done = 0; done < bytes; done += 8 * chunk_words) {
    const std::uint64_t piece = std::min(8 * chunk_words, bytes - done);
    fill(words, done / 8, (piece + 7) / 8);
    cpu_.app_read(address + done, found_.data(), piece);
    digest_found(piece);
    if (std::memcmp(expected_.data(), found_.data(), piece) == 0) continue;
    const auto* expected = reinterpret_cast<const unsigned char*>(expected_.data());
    const auto* found = reinterpret_cast<const unsigned char*>(found_.data());
    const auto wrong =
        static_cast<std::uint64_t>(std::mismatch(expected, expected + piece, found).first - expected);
    const std::string what = key == nullptr
                                 ? "sum " + std::to_string(serial)
                                 : "message " + std::to_string(key->serial) + " from rank " +
                                       std::to_string(key->source) + " to rank " +
                                       std::to_string(key->destination) + ", tag " + std::to_string(key->tag);
    throw ModelError("processor " + std::to_string(cpu_.node()), cpu_.now(), "",
                     what + ": byte " + std::to_string(done + wrong) + " of " + std::to_string(bytes) +
                         " is " + std::to_string(found[wrong]) + " and should be " +
                         std::to_string(expected[wrong]));
  }
}

void Payload::write(const PayloadKey& key, std::uint64_t address, std::uint64_t bytes) {
  write_words(words_of(key), address, bytes);
}

void Payload::check(const PayloadKey& key, std::uint64_t address, std::uint64_t bytes) {
  check_words(words_of(key), address, bytes, &key, key.serial);
}

void Payload::write_part(std::uint32_t serial, std::uint32_t rank, std::uint64_t address,
                         std::uint64_t bytes) {
  Words words = part_of_sum(serial);
  words.q = rank;
  write_words(words, address, bytes);
}

void Payload::check_sum(std::uint32_t serial, std::uint32_t ranks, std::uint64_t address,
                        std::uint64_t bytes) {
  Words words = part_of_sum(serial);
  words.p = ranks;
  words.q = std::uint64_t{ranks} * (ranks - 1) / 2;
  check_words(words, address, bytes, nullptr, serial);
}

}  // namespace tsuji::host
