// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tsuji/core/units.h"
#include "tsuji/lookup/crc.h"

namespace tsuji::lookup {

/// Hash that chooses a cache's set for a key: the low bits of a check of its 8 bytes, or of the key itself.
/// For a number of sets that is no power of two, the remainder takes the place of low bits.
class KeyHash {
 public:
  explicit KeyHash(const std::string& name);  ///< a name of hash_names(); ConfigError of lookup.hash
  std::uint64_t of(std::uint64_t key) const { return crc_ ? crc_->of_key(key) : key; }
  std::uint32_t set(std::uint64_t key, std::uint32_t sets) const {
    return static_cast<std::uint32_t>(of(key) % sets);
  }

 private:
  std::unique_ptr<const Crc> crc_;  ///< null: the key's own bits
};

std::vector<std::string> hash_names();
/// The check behind one of these names, null where it is none.
const CrcSpec* hash_crc(const std::string& name);

/// Identifiers of destinations in packets.
enum class Identifiers : std::uint8_t {
  random,  ///< 64 random bits for each node, of a seed (rooms/lookup.md, Where the paper is silent, 1)
  dense    ///< the node's number
};

/// The identifiers of a network's nodes, and, for one number of sets, the set of each: what the hash gives
/// for a destination is always the same, so it is computed once for all switches.
class NodeKeys {
 public:
  /// ConfigError of lookup.identifier_seed where two nodes would have the same identifier.
  NodeKeys(std::uint32_t nodes, Identifiers identifiers, std::uint64_t seed);
  /// One of these for each node, no two equal.
  explicit NodeKeys(const std::vector<std::uint64_t>& identifiers);

  void remember_sets(const KeyHash& hash, std::uint32_t sets);
  std::uint32_t nodes() const { return static_cast<std::uint32_t>(rows_.size()); }
  std::uint64_t key(NodeId node) const { return rows_[node].key; }
  std::uint32_t set(NodeId node) const { return rows_[node].set; }
  /// Bits of the widest identifier, as a memory must hold them: 64 for random ones.
  unsigned bits() const { return bits_; }

  static std::uint64_t key_of(NodeId node, Identifiers identifiers, std::uint64_t seed);

 private:
  struct Row {
    std::uint64_t key = 0;
    std::uint32_t set = 0;
  };
  /// Whether no two are equal.
  bool count_bits();
  std::vector<Row> rows_;
  unsigned bits_ = 64;
};

}  // namespace tsuji::lookup
