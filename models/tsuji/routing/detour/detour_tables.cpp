// SPDX-License-Identifier: Apache-2.0
#include "tsuji/routing/detour/detour_tables.h"

#include <algorithm>

#include "tsuji/core/error.h"
#include "tsuji/graph/paths.h"

namespace tsuji::routing {

using graph::none;
using graph::unreachable;

PackedWords::PackedWords(std::size_t words, unsigned bits_of_word) {
  while (1U << shift_ < bits_of_word) ++shift_;
  mask_ = static_cast<PortWord>((1U << (1U << shift_)) - 1);
  units_.resize(((words << shift_) + unit - 1) / unit);
}

/// Computes up/down words for one destination at a time.
class DetourTables::UpDownWords {
 public:
  UpDownWords(const graph::LivingNetwork& network, const graph::UpDownOrder& order, bool all_paths)
      : network_(network),
        order_(order),
        all_paths_(all_paths),
        downwards_(order.downwards()),
        legal_hops_(network.routers()) {
    first_up_.push_back(0);
    for (RouterId router = 0; router < network.routers(); ++router) {
      for (unsigned port = 0; port < network.ports(); ++port) {
        const RouterId next = network.neighbour(router, port);
        if (next != none && order.leads_up(router, next))
          up_.push_back({next, static_cast<std::uint16_t>(port)});
      }
      first_up_.push_back(static_cast<std::uint32_t>(up_.size()));
    }
  }

  void fill(RouterId to, PackedWords& words) {
    // Searches against the direction of links downwards, which means along links upwards.
    down_.search(network_.routers(), {to}, [this](RouterId here, const auto& visit) {
      for (std::uint32_t i = first_up_[here]; i < first_up_[here + 1]; ++i) visit(up_[i].to);
    });
    for (RouterId here : downwards_) {
      const PortWord word = down_.hops()[here] != unreachable ? word_down(here) : word_up(here);
      words.set(std::size_t{to} * network_.routers() + here, all_paths_ ? word : one_of(word, here + to));
    }
  }

 private:
  struct Up {
    RouterId to;
    std::uint16_t port;
  };

  PortWord word_down(RouterId here) {
    legal_hops_[here] = down_.hops()[here];
    // A path upwards may be shorter for routers below, which need not continue downwards only.
    for (std::uint32_t i = first_up_[here]; i < first_up_[here + 1]; ++i)
      legal_hops_[here] =
          std::min<std::uint16_t>(legal_hops_[here], static_cast<std::uint16_t>(legal_hops_[up_[i].to] + 1));
    PortWord word = 0;
    for (unsigned port = 0; port < network_.ports(); ++port) {
      const RouterId next = network_.neighbour(here, port);
      if (next != none && !order_.leads_up(here, next) && down_.hops()[next] != unreachable &&
          down_.hops()[next] + 1 == down_.hops()[here])
        word = static_cast<PortWord>(word | 1U << port);
    }
    return word;
  }

  /// Routers above were processed before, so their hops are known.
  PortWord word_up(RouterId here) {
    std::uint16_t best = unreachable;
    PortWord word = 0;
    for (std::uint32_t i = first_up_[here]; i < first_up_[here + 1]; ++i) {
      const auto hops = static_cast<std::uint16_t>(legal_hops_[up_[i].to] + 1);
      if (hops < best) word = 0;
      best = std::min(best, hops);
      if (hops == best) word = static_cast<PortWord>(word | 1U << up_[i].port);
    }
    legal_hops_[here] = best;
    return word;
  }

  static PortWord one_of(PortWord word, unsigned which) {
    if (word == 0) return 0;
    for (which %= static_cast<unsigned>(__builtin_popcount(word)); which > 0; --which)
      word = static_cast<PortWord>(word & (word - 1));
    return static_cast<PortWord>(word & -word);
  }

  const graph::LivingNetwork& network_;
  const graph::UpDownOrder& order_;
  const bool all_paths_;
  const std::vector<RouterId> downwards_;
  std::vector<std::uint32_t> first_up_;  ///< [router], with one more element: index into up_
  std::vector<Up> up_;
  std::vector<std::uint16_t> legal_hops_;
  graph::BreadthFirst down_;  ///< links downwards to the destination
};

DetourTables::DetourTables(const graph::LivingNetwork& network, const graph::FaultRegions& regions,
                           const graph::UpDownOrder& order, bool all_paths)
    : ports_(network.ports()), row_(network.routers(), none) {
  if (ports_ > most_ports)
    throw ConfigError("routing.kind", "detour_ud", "has words of " + std::to_string(ports_) + " ports",
                      "a topology of at most " + std::to_string(most_ports) + " network ports a router");
  for (RouterId router = 0; router < network.routers(); ++router)
    if (regions.in_region(router)) row_[router] = static_cast<std::uint32_t>(torus_rows_++);
  torus_ = PackedWords(torus_rows_ * row_.size(), ports_);
  up_down_ = PackedWords(row_.size() * row_.size(), ports_);
  fill_torus(network);
  UpDownWords words(network, order, all_paths);
  for (RouterId to = 0; to < network.routers(); ++to)
    if (network.lives(to)) words.fill(to, up_down_);
}

void DetourTables::fill_torus(const graph::LivingNetwork& network) {
  if (torus_rows_ == 0) return;
  std::vector<RouterId> routers;
  for (RouterId router = 0; router < network.routers(); ++router)
    if (has_torus(router)) routers.push_back(router);
  graph::BreadthFirst search;
  for (RouterId to = 0; to < network.routers(); ++to) {
    if (!network.lives(to)) continue;
    const std::vector<std::uint16_t>& hops = network.hops_to(to, search);
    for (std::size_t row = 0; row < routers.size(); ++row) {
      PortWord word = 0;
      for (unsigned port = 0; port < ports_; ++port) {
        const RouterId next = network.neighbour(routers[row], port);
        if (next != none && hops[next] + 1 == hops[routers[row]])
          word = static_cast<PortWord>(word | 1U << port);
      }
      torus_.set(std::size_t{to} * torus_rows_ + row, word);
    }
  }
}

}  // namespace tsuji::routing
