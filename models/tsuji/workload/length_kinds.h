// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tsuji/config/kinds.h"
#include "tsuji/workload/packet_length.h"

namespace tsuji::workload {

/// Properties of a word of `traffic.length`.
struct LengthTraits {
  static constexpr const char* selector = "traffic.length";  ///< Key that selects the distribution.
  /// Refusal of an unknown word.
  static constexpr const char* unknown = "no such distribution of lengths";
  std::string text;     ///< Text for --list-keys.
  std::string longest;  ///< Name of the key that holds the longest length.
};

/// Every distribution of packet lengths by its word in `traffic.length`, with its parameters.
using LengthKinds = config::Kinds<LengthTraits, PacketLengths>;

/// The distributions listed in CMakeLists.txt.
LengthKinds length_kinds();

/// Parameters of the distributions `fixed` and `range`.
struct LengthRange {
  unsigned packet_flits = 4;  ///< Length of every packet with `fixed`, the shortest with `range`, in flits.
  unsigned largest_packet_flits = 16;  ///< Longest packet with `range`, in flits.

  /// Binds the lengths to their keys.
  void add_keys(config::KeyTable& keys);
  /// Returns the distribution `fixed`: all packets have packet_flits flits.
  PacketLengths fixed() const { return PacketLengths::fixed(packet_flits); }
  /// Returns the distribution `range`: uniform between both lengths. Throws ConfigError for an empty range.
  PacketLengths range() const { return PacketLengths::range(packet_flits, largest_packet_flits); }
};

/// Parameters of the distribution `weighted`.
struct WeightedLengths {
  std::vector<unsigned> lengths,  ///< Lengths in flits.
      weights;                    ///< Relative weight of each length.

  /// Binds both lists to their keys.
  void add_keys(config::KeyTable& keys);
  /// Returns the distribution. Throws ConfigError for lists of different lengths and for weights without a
  /// sum.
  PacketLengths make() const { return PacketLengths::weighted(lengths, weights); }
};

}  // namespace tsuji::workload
