// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "tsuji/core/error.h"
#include "tsuji/workload/pattern_kinds.h"
#include "tsuji/workload/patterns/partner.h"

namespace tsuji::workload {
namespace {

/// The number of bits of a node's identifier; a ConfigError where the nodes are not a power of two.
unsigned identifier_bits(const PatternConfig& config, const char* pattern) {
  unsigned bits = 0;
  while ((1U << bits) < config.nodes && bits < 31) ++bits;
  if (config.nodes < 2 || (1U << bits) != config.nodes) {
    throw ConfigError("traffic.pattern", pattern,
                      std::to_string(config.nodes) + " nodes: a pattern of bits needs a power of two",
                      "2, 4, 8, ... nodes");
  }
  return bits;
}

/// Bit i of the destination is the inverse of the source's bit i.
std::unique_ptr<Pattern> make_bit_complement(const PatternConfig& config) {
  const unsigned bits = identifier_bits(config, "bit_complement");
  return PartnerPattern::make(config, [bits](NodeId node) { return ~node & ((1U << bits) - 1U); });
}

/// Bit i is the source's bit b - 1 - i, of b bits.
std::unique_ptr<Pattern> make_bit_reverse(const PatternConfig& config) {
  const unsigned bits = identifier_bits(config, "bit_reverse");
  return PartnerPattern::make(config, [bits](NodeId node) {
    NodeId reversed = 0;
    for (unsigned i = 0; i < bits; ++i) reversed |= (node >> i & 1U) << (bits - 1 - i);
    return reversed;
  });
}

/// Bit i is the source's bit i + 1 modulo b: rotated to the right.
std::unique_ptr<Pattern> make_bit_rotation(const PatternConfig& config) {
  const unsigned bits = identifier_bits(config, "bit_rotation");
  return PartnerPattern::make(config, [bits](NodeId node) { return node >> 1 | (node & 1U) << (bits - 1); });
}

/// Perfect shuffle: bit i is the source's bit i - 1 modulo b, rotated to the left.
std::unique_ptr<Pattern> make_shuffle(const PatternConfig& config) {
  const unsigned bits = identifier_bits(config, "shuffle");
  return PartnerPattern::make(
      config, [bits](NodeId node) { return (node << 1 & ((1U << bits) - 1U)) | node >> (bits - 1); });
}

}  // namespace

void add_bits(PatternKinds& kinds) {
  kinds.add<NoParameters<make_bit_complement>>("bit_complement");
  kinds.add<NoParameters<make_bit_reverse>>("bit_reverse");
  kinds.add<NoParameters<make_bit_rotation>>("bit_rotation");
  kinds.add<NoParameters<make_shuffle>>("shuffle");
}

}  // namespace tsuji::workload
