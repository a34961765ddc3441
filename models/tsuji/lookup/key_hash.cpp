// SPDX-License-Identifier: Apache-2.0
#include "tsuji/lookup/key_hash.h"

#include <algorithm>

#include "tsuji/config/key_types.h"
#include "tsuji/core/error.h"
#include "tsuji/core/random.h"

namespace tsuji::lookup {
namespace {

struct HashKind {
  const char* name;
  CrcSpec crc;
  bool is_crc = true;
};

/// Table of hashes, one line each; values as in published catalogues of CRCs.
const HashKind hashes[] = {
    {"crc32", {32, 0x04c11db7, 0xffffffff, true, true, 0xffffffff}},
    {"crc32c", {32, 0x1edc6f41, 0xffffffff, true, true, 0xffffffff}},
    {"crc16_ccitt", {16, 0x1021, 0xffff, false, false, 0}},
    {"crc64", {64, 0x42f0e1eba9ea3693, 0xffffffffffffffff, true, true, 0xffffffffffffffff}},
    {"low_bits", {}, false},
};

const HashKind& find(const std::string& name) {
  for (const HashKind& kind : hashes) {
    if (name == kind.name) return kind;
  }
  throw ConfigError("lookup.hash", name, "unknown hash", config::words_text(hash_names()));
}

}  // namespace

KeyHash::KeyHash(const std::string& name) {
  if (const CrcSpec* const spec = hash_crc(name)) crc_ = std::make_unique<const Crc>(*spec);
}

std::vector<std::string> hash_names() {
  std::vector<std::string> names;
  for (const HashKind& kind : hashes) names.emplace_back(kind.name);
  return names;
}

const CrcSpec* hash_crc(const std::string& name) {
  const HashKind& kind = find(name);
  return kind.is_crc ? &kind.crc : nullptr;
}

std::uint64_t NodeKeys::key_of(NodeId node, Identifiers identifiers, std::uint64_t seed) {
  return identifiers == Identifiers::dense ? node : CounterRandom(seed, node).bits(0);
}

NodeKeys::NodeKeys(std::uint32_t nodes, Identifiers identifiers, std::uint64_t seed) : rows_(nodes) {
  for (NodeId node = 0; node < nodes; ++node) rows_[node].key = key_of(node, identifiers, seed);
  if (!count_bits())
    throw ConfigError("lookup.identifier_seed", std::to_string(seed), "gives two nodes the same identifier",
                      "another seed");
}

NodeKeys::NodeKeys(const std::vector<std::uint64_t>& identifiers) {
  for (const std::uint64_t key : identifiers) rows_.push_back({key, 0});
  if (!count_bits()) throw ModelError("node keys", "two nodes have the same identifier");
}

bool NodeKeys::count_bits() {
  std::uint64_t all = 1;
  std::vector<std::uint64_t> sorted;
  for (const Row& row : rows_) {
    all |= row.key;
    sorted.push_back(row.key);
  }
  bits_ = 64 - static_cast<unsigned>(__builtin_clzll(all));
  std::sort(sorted.begin(), sorted.end());
  return std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end();
}

void NodeKeys::remember_sets(const KeyHash& hash, std::uint32_t sets) {
  for (Row& row : rows_) row.set = hash.set(row.key, sets);
}

}  // namespace tsuji::lookup
