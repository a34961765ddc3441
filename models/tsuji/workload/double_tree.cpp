// SPDX-License-Identifier: Apache-2.0
#include "tsuji/workload/double_tree.h"

#include <algorithm>
#include <array>
#include <vector>

namespace tsuji::workload {
namespace {

constexpr std::uint32_t no_rank = ~std::uint32_t{0};

/// Number of a link from a rank to its parent: trees x rank + tree.
using Link = std::uint32_t;
constexpr Link no_link = ~Link{0};
constexpr unsigned trees = 2;

std::uint32_t lowest_bit(std::uint32_t number) {
  return number & (~number + 1);
}

/// Parent of a position in a binary tree of which position 0 is the root and odd positions are the leaves.
std::uint32_t parent_of_position(std::uint32_t at, std::uint32_t ranks) {
  if (at == 0) return no_rank;
  const std::uint32_t bit = lowest_bit(at), above = (at ^ bit) | (bit << 1U);
  return above < ranks ? above : at ^ bit;
}

/// Both trees with the colours and first steps of their links.
class DoubleTree {
 public:
  explicit DoubleTree(std::uint32_t ranks) : ranks_(ranks), links_(std::size_t{trees} * ranks) {
    for (Link link = 0; link < links_.size(); ++link) enter(link);
    for (Link link = 0; link < links_.size(); ++link) colour_from(link);
    for (unsigned tree = 0; tree < trees; ++tree) time(tree);
  }

  ChunkSteps steps_of(std::uint32_t rank) const {
    ChunkSteps steps(std::size_t{reduction_} + broadcast_);
    for (unsigned tree = 0; tree < trees; ++tree) {
      const Link up = trees * rank + tree;
      if (links_[up].parent != no_rank) exchange(steps, up, true);
      for (const Link down : children_of(rank))
        if (down != no_link && down % trees == tree) exchange(steps, down, false);
    }
    return steps;
  }

 private:
  struct TreeLink {
    std::uint32_t parent = no_rank;
    std::array<Link, trees> to_rank{no_link, no_link};  ///< Links that end at the link's rank, of any tree.
    unsigned colour = no_colour;
    std::uint32_t up = 0, down = 0;  ///< First steps: in the reduction, and in the broadcast.
  };
  static constexpr unsigned no_colour = 2;

  /// Number of chunks of a tree.
  std::uint32_t chunks(unsigned tree) const { return (ranks_ + 1 - tree) / 2; }
  /// Rank at a position of a tree: the second tree is mirrored, or shifted for an odd number of ranks.
  std::uint32_t rank_at(unsigned tree, std::uint32_t position) const {
    if (tree == 0) return position;
    return ranks_ % 2 == 0 ? ranks_ - 1 - position : (position + 1) % ranks_;
  }
  std::uint32_t position_of(unsigned tree, std::uint32_t rank) const {
    if (tree == 0) return rank;
    return ranks_ % 2 == 0 ? ranks_ - 1 - rank : (rank + ranks_ - 1) % ranks_;
  }
  const std::array<Link, trees>& children_of(std::uint32_t rank) const {
    return links_[trees * rank].to_rank;
  }

  void enter(Link link) {
    const unsigned tree = link % trees;
    const std::uint32_t above = parent_of_position(position_of(tree, link / trees), ranks_);
    if (above == no_rank) return;
    links_[link].parent = rank_at(tree, above);
    std::array<Link, trees>& known = links_[trees * links_[link].parent].to_rank;
    known[known[0] == no_link ? 0 : 1] = link;
  }

  /// The other link with the same sender (rank) or the same receiver (parent); no_link: none.
  Link other_of_sender(Link link) const {
    const Link other = link ^ 1U;
    return links_[other].parent == no_rank ? no_link : other;
  }
  Link other_of_receiver(Link link) const {
    const std::array<Link, trees>& all = children_of(links_[link].parent);
    return all[0] == link ? all[1] : all[0];
  }

  /// Colours a path or circle of links that share senders and receivers in turn.
  void colour_from(Link start) {
    if (links_[start].parent == no_rank || links_[start].colour != no_colour) return;
    links_[start].colour = 0;
    std::vector<Link> open{start};
    while (!open.empty()) {
      const Link link = open.back();
      open.pop_back();
      for (const Link next : {other_of_sender(link), other_of_receiver(link)}) {
        if (next == no_link || links_[next].colour != no_colour) continue;
        links_[next].colour = 1 - links_[link].colour;
        open.push_back(next);
      }
    }
  }

  /// First step from `from` on in which a link of this colour carries a chunk.
  static std::uint32_t step_of_colour(std::uint32_t from, unsigned colour) {
    return from + (from % 2 == colour ? 0 : 1);
  }

  /// Sets the first steps of a tree's links: in the reduction a link begins after those that end at its rank,
  /// in the broadcast after that of its parent.
  void time(unsigned tree) {
    std::vector<std::uint32_t> upwards;  // positions; those with a lower bit are further from the root
    for (std::uint32_t bit = 1; bit < ranks_; bit *= 2)
      for (std::uint32_t at = bit; at < ranks_; at += 2 * bit) upwards.push_back(at);
    const auto link_at = [&](std::uint32_t at) { return trees * rank_at(tree, at) + tree; };
    const std::uint32_t last_chunk = 2 * (chunks(tree) - 1);
    std::vector<std::uint32_t> from(ranks_, 0);  // [position]
    for (const std::uint32_t at : upwards) {
      TreeLink& link = links_[link_at(at)];
      link.up = step_of_colour(from[at], link.colour);
      std::uint32_t& above = from[parent_of_position(at, ranks_)];
      above = std::max(above, link.up + 1);
      reduction_ = std::max(reduction_, link.up + last_chunk + 1);
    }
    std::fill(from.begin(), from.end(), 0);
    for (auto at = upwards.rbegin(); at != upwards.rend(); ++at) {
      TreeLink& link = links_[link_at(*at)];
      link.down = step_of_colour(from[parent_of_position(*at, ranks_)], link.colour);
      from[*at] = link.down + 1;
      broadcast_ = std::max(broadcast_, link.down + last_chunk + 1);
    }
  }

  /// Writes the chunks of a link into the steps of the rank below it or above it.
  void exchange(ChunkSteps& steps, Link link, bool is_below) const {
    const unsigned tree = link % trees;
    const std::uint32_t peer = is_below ? links_[link].parent : link / trees;
    for (std::uint32_t chunk = 0; chunk < chunks(tree); ++chunk) {
      const ChunkRange range{trees * chunk + tree, 1};
      ChunkStep& up = steps[links_[link].up + 2 * chunk];
      ChunkStep& down = steps[reduction_ + links_[link].down + 2 * chunk];
      send(is_below ? up : down, peer, range);
      receive(is_below ? down : up, peer, range);
      if (!is_below) up.combines = true;
    }
  }
  static void send(ChunkStep& step, std::uint32_t to, const ChunkRange& range) {
    step.to = to;
    step.sent = range;
  }
  static void receive(ChunkStep& step, std::uint32_t from, const ChunkRange& range) {
    step.from = from;
    step.received = range;
  }

  const std::uint32_t ranks_;
  std::vector<TreeLink> links_;                  ///< [Link]
  std::uint32_t reduction_ = 0, broadcast_ = 0;  ///< Steps of the two halves of the operation.
};

}  // namespace

ChunkSteps double_tree_all_reduce(std::uint32_t rank, std::uint32_t ranks) {
  return ranks == 1 ? ChunkSteps{} : DoubleTree(ranks).steps_of(rank);
}

}  // namespace tsuji::workload
