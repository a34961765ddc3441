// SPDX-License-Identifier: Apache-2.0
#include "tsuji/workload/packet_length.h"

#include "tsuji/core/error.h"

namespace tsuji::workload {
namespace {

void check(const char* key, unsigned flits) {
  if (flits >= 1 && flits <= PacketLengths::most_flits) return;
  throw ConfigError(key, std::to_string(flits), "no such packet", "1..65535 flits");
}

}  // namespace

PacketLengths PacketLengths::fixed(unsigned flits) {
  check("traffic.packet_flits", flits);
  PacketLengths result;
  result.lengths_ = {flits};
  result.mean_ = flits;
  return result;
}

PacketLengths PacketLengths::range(unsigned least, unsigned most) {
  check("traffic.packet_flits", least);
  check("traffic.largest_packet_flits", most);
  if (most < least) {
    throw ConfigError("traffic.largest_packet_flits", std::to_string(most), "less than the smallest packet",
                      "at least traffic.packet_flits, " + std::to_string(least));
  }
  PacketLengths result = fixed(least);
  result.total_ = most - least + 1;
  result.mean_ = (static_cast<double>(least) + most) / 2;
  return result;
}

PacketLengths PacketLengths::weighted(const std::vector<unsigned>& lengths,
                                      const std::vector<unsigned>& weights) {
  if (lengths.empty()) throw ConfigError("traffic.lengths", "[]", "no length at all", "one length at least");
  if (!weights.empty() && weights.size() != lengths.size()) {
    throw ConfigError("traffic.weights", std::to_string(weights.size()) + " weights",
                      "not as many as traffic.lengths", std::to_string(lengths.size()) + ", or none");
  }
  PacketLengths result;
  std::uint64_t sum = 0;
  double flits = 0;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    check("traffic.lengths", lengths[i]);
    const std::uint64_t weight = weights.empty() ? 1 : weights[i];
    if (weight == 0) continue;
    sum += weight;
    result.lengths_.push_back(lengths[i]);
    flits += static_cast<double>(weight) * lengths[i];
    result.sums_.push_back(sum);
  }
  if (sum == 0) throw ConfigError("traffic.weights", "0", "all weights are 0", "one weight above 0");
  if (result.lengths_.size() == 1) return fixed(result.lengths_.front());
  result.total_ = sum;
  result.mean_ = flits / static_cast<double>(sum);
  return result;
}

}  // namespace tsuji::workload
