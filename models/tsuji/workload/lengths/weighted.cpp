// SPDX-License-Identifier: Apache-2.0
#include "tsuji/core/error.h"
#include "tsuji/workload/length_kinds.h"

namespace tsuji::workload {

PacketLengths PacketLengths::weighted(const std::vector<unsigned>& lengths,
                                      const std::vector<unsigned>& weights) {
  if (lengths.empty()) throw ConfigError("traffic.lengths", "[]", "no length at all", "one length at least");
  if (!weights.empty() && weights.size() != lengths.size()) {
    throw ConfigError("traffic.weights", std::to_string(weights.size()) + " weights",
                      "not one for each of traffic.lengths", std::to_string(lengths.size()) + ", or none");
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

void WeightedLengths::add_keys(config::KeyTable& keys) {
  keys.add("traffic.lengths", lengths, {1, PacketLengths::most_flits}, {0, 64}, "flits",
           "weighted: list of packet lengths");
  keys.add("traffic.weights", weights, {0, 1'000'000'000}, {0, 64}, "",
           "weighted: weight of each length in traffic.lengths; empty: equal weights");
}

void add_weighted(LengthKinds& kinds) {
  kinds.add<WeightedLengths>("weighted",
                             {"traffic.lengths with probabilities by traffic.weights", "traffic.lengths"});
}

}  // namespace tsuji::workload
