// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tsuji/config/kinds.h"
#include "tsuji/workload/packet_length.h"

namespace tsuji::workload {

struct LengthTraits {
  static constexpr const char* selector = "traffic.length";
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
  unsigned packet_flits = 4;
  unsigned largest_packet_flits = 16;

  void add_keys(config::KeyTable& keys);
  PacketLengths fixed() const { return PacketLengths::fixed(packet_flits); }
  PacketLengths range() const { return PacketLengths::range(packet_flits, largest_packet_flits); }
};

/// Parameters of the distribution `weighted`.
struct WeightedLengths {
  std::vector<unsigned> lengths, weights;

  void add_keys(config::KeyTable& keys);
  PacketLengths make() const { return PacketLengths::weighted(lengths, weights); }
};

}  // namespace tsuji::workload
