// SPDX-License-Identifier: Apache-2.0
#include "tsuji/observe/hop_latencies.h"

namespace tsuji::observe {

std::uint64_t HopLatencies::least_sum() const {
  std::uint64_t sum = 0;
  for (const OfHops& alike : of_) {
    if (alike.packets != 0) sum += alike.packets * alike.least_latency;
  }
  return sum;
}

UndisturbedLatency HopLatencies::undisturbed() const {
  double packets = 0, hops = 0, cycles = 0, squares = 0, products = 0;
  for (std::size_t i = 0; i < of_.size(); ++i) {
    if (of_[i].packets == 0) continue;
    const auto weight = static_cast<double>(of_[i].packets), hop = static_cast<double>(i);
    const auto least = static_cast<double>(of_[i].least_latency);
    packets += weight;
    hops += weight * hop;
    cycles += weight * least;
    squares += weight * hop * hop;
    products += weight * hop * least;
  }
  UndisturbedLatency result;
  if (packets == 0) return result;
  const double spread = squares - hops * hops / packets;
  if (spread > 0) result.cycles_a_hop = (products - hops * cycles / packets) / spread;
  result.cycles = (cycles - result.cycles_a_hop * hops) / packets;
  return result;
}

}  // namespace tsuji::observe
