// SPDX-License-Identifier: Apache-2.0
#include "tsuji/graph/all_hops.h"

#include <algorithm>
#include <array>
#include <string>

#include "tsuji/core/error.h"

namespace tsuji::graph {
namespace {

constexpr unsigned words = 8;
constexpr unsigned starts_at_a_time = 64 * words;
/// For one router a bit per start.
using Starts = std::array<std::uint64_t, words>;

bool any(const Starts& starts) {
  std::uint64_t all = 0;
  for (const std::uint64_t word : starts) all |= word;
  return all != 0;
}

/// Search from a block of consecutive routers.
class BlockSearch {
 public:
  explicit BlockSearch(const LivingNetwork& network)
      : network_(network), seen_(network.routers()), frontier_(network.routers()), next_(network.routers()) {
    for (RouterId router = 0; router < network.routers(); ++router) {
      first_.push_back(static_cast<std::uint32_t>(neighbours_.size()));
      network.visit_neighbours(router, [this](RouterId next) { neighbours_.push_back(next); });
    }
    first_.push_back(static_cast<std::uint32_t>(neighbours_.size()));
  }

  /// Writes the hops from the starts, `first` and up, into the row of each router, one byte each.
  void run(RouterId first, std::uint8_t* hops) {
    begin(first, hops);
    for (unsigned level = 1; step(level, hops + first); ++level) {
      if (level <= AllHops::longest) continue;
      throw ConfigError("topology.kind", std::to_string(network_.routers()) + " routers",
                        "some are more than " + std::to_string(AllHops::longest) + " hops apart",
                        "a network of at most " + std::to_string(AllHops::longest) + " hops");
    }
  }

 private:
  void begin(RouterId first, std::uint8_t* hops) {
    std::fill(seen_.begin(), seen_.end(), Starts{});
    std::fill(frontier_.begin(), frontier_.end(), Starts{});
    const RouterId end = std::min(first + starts_at_a_time, network_.routers());
    for (RouterId start = first; start < end; ++start) {
      if (!network_.lives(start)) continue;
      const unsigned bit = start - first;
      seen_[start][bit / 64] |= std::uint64_t{1} << (bit % 64);
      frontier_[start] = seen_[start];
      hops[std::size_t{start} * network_.routers() + start] = 0;
    }
  }

  /// Advances by one link; returns false if nothing new is reached.
  bool step(unsigned level, std::uint8_t* hops) {
    bool reached = false;
    for (RouterId router = 0; router < network_.routers(); ++router) {
      Starts& found = next_[router];
      found = Starts{};
      for (std::uint32_t i = first_[router]; i < first_[router + 1]; ++i)
        for (unsigned w = 0; w < words; ++w) found[w] |= frontier_[neighbours_[i]][w];
      for (unsigned w = 0; w < words; ++w) found[w] &= ~seen_[router][w];
      if (!any(found)) continue;
      reached = true;
      for (unsigned w = 0; w < words; ++w) seen_[router][w] |= found[w];
      write(found, static_cast<std::uint8_t>(level), hops + std::size_t{router} * network_.routers());
    }
    frontier_.swap(next_);
    return reached;
  }

  static void write(const Starts& found, std::uint8_t level, std::uint8_t* hops) {
    for (unsigned w = 0; w < words; ++w)
      for (std::uint64_t left = found[w]; left != 0; left &= left - 1)
        hops[64 * w + static_cast<unsigned>(__builtin_ctzll(left))] = level;
  }

  const LivingNetwork& network_;
  std::vector<std::uint32_t> first_;  ///< [router]: index into neighbours_
  std::vector<RouterId> neighbours_;
  std::vector<Starts> seen_, frontier_, next_;
};

}  // namespace

AllHops::AllHops(const LivingNetwork& network)
    : routers_(network.routers()), hops_(std::size_t{routers_} * routers_, unreachable) {
  BlockSearch search(network);
  for (RouterId first = 0; first < routers_; first += starts_at_a_time) search.run(first, hops_.data());
}

}  // namespace tsuji::graph
