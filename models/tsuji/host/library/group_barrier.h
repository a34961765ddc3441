// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tsuji/host/library/library_program.h"

namespace tsuji::host {

/// The five barriers of N nodes in Kanoh 2000, section 6.3. Destinations include the sender.
enum class GroupBarrierMethod : std::uint8_t {
  all_to_all,       ///< A: a single-cast packet to each of the N nodes.
  binary_tree,      ///< B: packets up and down a binary tree.
  atomic_add,       ///< C: a single-cast atomic add to each of the N nodes.
  multicast_add,    ///< D: one multicast atomic add to all N nodes.
  synchronization,  ///< E: one synchronization packet.
};

/// Measures consecutive barriers of the first `members` ranks of a machine; the other ranks wait for the
/// program's end. At the end, every rank compares its counters with the number of barriers.
class GroupBarrierProgram final : public LibraryProgram {
 public:
  struct Config {
    GroupBarrierMethod method = GroupBarrierMethod::synchronization;
    std::uint32_t members = 2;
    std::uint64_t rounds = 1;  ///< Measured rounds; one round that is not measured precedes them.
  };
  GroupBarrierProgram(RankRuntime& runtime, const Config& config)
      : LibraryProgram(runtime), config_(config) {}
  /// Mean cycles of a round; 0 at a rank that is not a member.
  double cycles_per_round() const {
    return config_.rounds == 0 ? 0 : static_cast<double>(end_ - start_) / static_cast<double>(config_.rounds);
  }
  /// Cycles in which this rank entered and left each of the first barriers, including the one that is not
  /// measured.
  const std::vector<Cycle>& entered() const { return entered_; }
  const std::vector<Cycle>& left() const { return left_; }

 private:
  void play() override;
  void once(std::uint64_t round);
  void all_to_all(std::uint64_t round);
  void binary_tree(std::uint64_t round);
  void await(std::uint64_t word, std::uint64_t at_least);
  bool member() const { return runtime_.rank() < config_.members; }
  std::uint64_t word(std::uint32_t index) const { return words_ + std::uint64_t{8} * index; }
  void check() const;
  void check_word(std::uint32_t index, std::uint64_t expected) const;

  const Config config_;
  std::uint64_t words_ = 0;
  GroupHandle group_;
  std::uint64_t synchronized_ = 0;  ///< Value of the counter before the first barrier.
  Cycle start_ = 0, end_ = 0;
  static constexpr std::size_t most_recorded = 64;
  std::vector<Cycle> entered_, left_;
  const std::string waits_for_ = "a barrier of a group";
};

}  // namespace tsuji::host
