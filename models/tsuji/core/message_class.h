// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tsuji/core/units.h"

namespace tsuji {

/// A class of messages (virtual network): packets with dedicated virtual channels. Two classes have
/// the same virtual channels, or no common one.
struct MessageClass {
  std::string name;                     ///< Word for it in the configuration and in results.
  unsigned first_vc = 0,                ///< First virtual channel of its set.
      vcs = 1;                          ///< Number of virtual channels of its set.
  unsigned priority = 0;                ///< Higher ones go first, with ClassOrder::strict_priority.
  unsigned weight = 1;                  ///< Relative bandwidth, with ClassOrder::weighted_round_robin.
  unsigned share = 1;                   ///< Relative share of the packets that a traffic generates.
  std::optional<unsigned> answer = {};  ///< Class whose packets answer the packets of this one.
  unsigned flits = 0;                   ///< Length of its packets; 0: that of the traffic.
  unsigned queue = 8;                   ///< Answers of this class that may wait at a node.
  Cycle delay_cycles = 0;               ///< Time from a packet's arrival to its answer of this class.

  /// Bit v: virtual channel v is in the set.
  unsigned vc_mask() const { return ((1U << vcs) - 1U) << first_vc; }
};

/// Order in which classes share a link. Classes of equal priority take turns.
enum class ClassOrder : std::uint8_t { round_robin, strict_priority, weighted_round_robin };

/// Sets of virtual channels that classes use, and the order in which these share a link. A set is numbered by
/// its first class.
struct ClassPolicy {
  static constexpr unsigned most_sets = 16;  ///< Largest number of sets.
  /// One set of all virtual channels.
  static ClassPolicy one_set();

  unsigned sets = 0;                              ///< Number of sets; 0: there are no classes.
  std::array<std::uint8_t, 16> set_of_vc{};       ///< Set of each virtual channel.
  std::array<std::uint16_t, most_sets> vcs{};     ///< Mask of the virtual channels of each set.
  std::array<std::uint16_t, most_sets> weight{};  ///< Weight of each set; all 1 without weights.
  std::vector<std::uint16_t> levels;  ///< Masks of sets of equal priority, the highest priority first.
};

/// Classes of a network.
struct MessageClasses {
  static constexpr unsigned most = 8;  ///< Largest number of classes.

  std::vector<MessageClass> all;               ///< Classes in the order of the configuration.
  ClassOrder order = ClassOrder::round_robin;  ///< Order in which they share a link.

  /// Returns true if there are classes.
  bool on() const { return !all.empty(); }
  /// Returns true if packets of any class are answered.
  bool any_answers() const;
  /// Returns true if packets of class `c` answer those of another.
  bool answers(unsigned c) const;
  /// Sets of virtual channels of the classes.
  ClassPolicy policy() const;
  /// Set of class `c`, as policy() numbers it.
  unsigned set_of(unsigned c) const;
};

/// Arbiter of one link between the sets of a ClassPolicy: the highest level with a request, within it the
/// sets that have not used their weight up, and among those the one after the set served last. When every
/// requesting set has used its weight up, all weights are renewed.
///
/// Contract: served() after a choice that was carried out.
class ClassArbiter {
 public:
  ClassArbiter() = default;
  explicit ClassArbiter(const ClassPolicy& policy) { renew(policy); }
  /// Chooses one of the sets `wishes`, a mask that is not 0.
  unsigned choose(const ClassPolicy& policy, unsigned wishes) const {
    for (const unsigned level : policy.levels) {
      if ((wishes & level) == 0) continue;
      wishes &= level;
      break;
    }
    const unsigned first = (wishes & unspent_) != 0 ? wishes & unspent_ : wishes;
    const unsigned after = first & (~1U << last_);
    return static_cast<unsigned>(__builtin_ctz(after != 0 ? after : first));
  }
  /// Records that a flit of a set was sent.
  void served(const ClassPolicy& policy, unsigned set) {
    last_ = static_cast<std::uint8_t>(set);
    if (left_[set] == 0) renew(policy);
    if (--left_[set] == 0) unspent_ = static_cast<std::uint16_t>(unspent_ & ~(1U << set));
  }

 private:
  void renew(const ClassPolicy& policy) {
    left_ = policy.weight;
    unspent_ = static_cast<std::uint16_t>((1U << policy.sets) - 1U);
  }

  std::array<std::uint16_t, ClassPolicy::most_sets> left_{};  ///< flits that a set may still send
  std::uint16_t unspent_ = 0;                                 ///< sets that have not used their weight up
  std::uint8_t last_ = 15;                                    ///< set served last
};

}  // namespace tsuji
