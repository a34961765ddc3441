// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tsuji/core/units.h"
#include "tsuji/lookup/crc.h"

namespace tsuji::lookup {

/// Hash from a key to a cache set: low bits of the CRC of its 8 bytes, or of the key itself. If the number of
/// sets is not a power of two, the remainder replaces the low bits.
class KeyHash {
 public:
  explicit KeyHash(const std::string& name);  ///< `name` is one of hash_names(); ConfigError of lookup.hash
  std::uint64_t of(std::uint64_t key) const { return crc_ ? crc_->of_key(key) : key; }
  std::uint32_t set(std::uint64_t key, std::uint32_t sets) const {
    return static_cast<std::uint32_t>(of(key) % sets);
  }

 private:
  std::unique_ptr<const Crc> crc_;  ///< null: the key itself
};

std::vector<std::string> hash_names();
/// The CRC of this hash name; null: the hash is no CRC.
const CrcSpec* hash_crc(const std::string& name);

/// Identifiers of destinations in packets.
enum class Identifiers : std::uint8_t {
  random,  ///< 64 random bits per node, from a seed (rooms/lookup.md, Where the paper is silent, 1)
  dense    ///< the node's number
};

/// Identifiers of a network's nodes and, for a number of sets, the set of each. A destination's hash never
/// changes, so it is computed once for all switches.
class NodeKeys {
 public:
  /// ConfigError of lookup.identifier_seed if two nodes would have equal identifiers.
  NodeKeys(std::uint32_t nodes, Identifiers identifiers, std::uint64_t seed);
  /// `identifiers`: one per node, no two equal.
  explicit NodeKeys(const std::vector<std::uint64_t>& identifiers);

  void remember_sets(const KeyHash& hash, std::uint32_t sets);
  std::uint32_t nodes() const { return static_cast<std::uint32_t>(rows_.size()); }
  std::uint64_t key(NodeId node) const { return rows_[node].key; }
  std::uint32_t set(NodeId node) const { return rows_[node].set; }
  /// Width in bits of the widest identifier, for a memory: 64 for random ones.
  unsigned bits() const { return bits_; }

  static std::uint64_t key_of(NodeId node, Identifiers identifiers, std::uint64_t seed);

 private:
  struct Row {
    std::uint64_t key = 0;
    std::uint32_t set = 0;
  };
  /// Returns true if no two identifiers are equal.
  bool count_bits();
  std::vector<Row> rows_;
  unsigned bits_ = 64;
};

}  // namespace tsuji::lookup
