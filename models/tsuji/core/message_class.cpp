// SPDX-License-Identifier: Apache-2.0
#include "tsuji/core/message_class.h"

#include <algorithm>
#include <functional>
#include <map>

namespace tsuji {

bool MessageClasses::any_answers() const {
  return std::any_of(all.begin(), all.end(), [](const MessageClass& one) { return one.answer.has_value(); });
}

bool MessageClasses::answers(unsigned c) const {
  return std::any_of(all.begin(), all.end(), [c](const MessageClass& one) { return one.answer == c; });
}

unsigned MessageClasses::set_of(unsigned c) const {
  unsigned set = 0;
  std::vector<unsigned> masks;
  for (const MessageClass& one : all) {
    const auto known = std::find(masks.begin(), masks.end(), one.vc_mask());
    set = static_cast<unsigned>(known - masks.begin());
    if (known == masks.end()) masks.push_back(one.vc_mask());
    if (&one == &all[c]) break;
  }
  return set;
}

ClassPolicy ClassPolicy::one_set() {
  ClassPolicy policy;
  policy.sets = policy.weight[0] = 1;
  policy.vcs[0] = 0xffff;
  policy.levels = {1};
  return policy;
}

ClassPolicy MessageClasses::policy() const {
  ClassPolicy policy;
  std::map<unsigned, unsigned, std::greater<>> levels;  // priority to sets
  for (unsigned c = 0; c < all.size(); ++c) {
    const MessageClass& one = all[c];
    const unsigned set = set_of(c);
    policy.sets = std::max(policy.sets, set + 1);
    policy.vcs[set] = static_cast<std::uint16_t>(one.vc_mask());
    policy.weight[set] =
        static_cast<std::uint16_t>(order == ClassOrder::weighted_round_robin ? one.weight : 1);
    levels[order == ClassOrder::strict_priority ? one.priority : 0] |= 1U << set;
    for (unsigned vc = one.first_vc; vc < one.first_vc + one.vcs; ++vc)
      policy.set_of_vc[vc] = static_cast<std::uint8_t>(set);
  }
  for (const auto& [priority, sets] : levels) policy.levels.push_back(static_cast<std::uint16_t>(sets));
  return policy;
}

}  // namespace tsuji
