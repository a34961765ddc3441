// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tsuji/core/random.h"
#include "tsuji/router/config.h"
#include "tsuji/routing/routing.h"

// Selection of an output port among the candidates of a head: a pure function of the candidates, the state of
// the outputs and the policy.

namespace tsuji::router {

/// State of an output port, for one head.
struct OutputView {
  bool open = false;        ///< the link is up, and the head may leave by this port
  routing::VcMask vcs = 0;  ///< virtual channels of the candidate that can be allocated in this cycle
};

/// Inputs of the selection among candidates of equal rank.
struct ChoicePolicy {
  Selection selection = Selection::most_credits;
  unsigned turn = 0;  ///< round_robin, and ties of most_credits: index of the candidate with priority
  std::uint64_t seed = 0, packet = 0;  ///< for random selection: seed, and the packet's number
  graph::RouterId router = 0;          ///< router number, for random selection
};

struct OutputChoice {
  const routing::RouteCandidate* candidate =
      nullptr;  ///< the chosen candidate; null: none can be allocated in this cycle
  /// Virtual channels of the candidate that can be allocated.
  routing::VcMask vcs = 0;
  bool dead = true;  ///< none of the examined candidates has an open output
};

/// Score of a candidate; the highest score wins, and of equal scores the first in turn. Never 0. `number` is
/// the position among all candidates; credits() counts the candidate's credits.
template <class Credits>
std::uint64_t choice_score(const ChoicePolicy& policy, unsigned number, const Credits& credits) {
  if (policy.selection == Selection::most_credits) return std::uint64_t{1} + credits();
  if (policy.selection != Selection::random) return 1;
  return 1 +
         (CounterRandom(policy.seed, policy.packet).bits((std::uint64_t{policy.router} << 8) + number) >> 1);
}

/// Returns the best candidate of the lowest rank in which one can be allocated. `candidates` are `count`
/// candidates with non-decreasing ranks. outputs.view(candidate) returns the OutputView of its port;
/// outputs.credits(candidate, vcs) the credits available on these virtual channels, in any unit. Higher ranks
/// than the chosen one are not examined.
template <class Outputs>
OutputChoice choose_candidate(const routing::RouteCandidate* candidates, unsigned count,
                              const ChoicePolicy& policy, const Outputs& outputs) {
  OutputChoice choice;
  const bool in_turn =
      policy.selection == Selection::most_credits || policy.selection == Selection::round_robin;
  for (unsigned begin = 0, end = 0; begin < count && choice.candidate == nullptr; begin = end) {
    do ++end;
    while (end < count && candidates[end].rank == candidates[begin].rank);
    const unsigned equals = end - begin;
    unsigned c = in_turn ? begin + policy.turn % equals : begin;
    std::uint64_t best = 0;
    for (unsigned left = equals; left != 0; --left, c = c + 1 == end ? begin : c + 1) {
      const routing::RouteCandidate& candidate = candidates[c];
      const OutputView output = outputs.view(candidate);
      if (!output.open) continue;
      choice.dead = false;
      if (output.vcs == 0) continue;
      const std::uint64_t score =
          equals == 1 ? 1 : choice_score(policy, c, [&] { return outputs.credits(candidate, output.vcs); });
      if (score <= best) continue;
      best = score;
      choice.candidate = &candidate;
      choice.vcs = output.vcs;
    }
  }
  return choice;
}

}  // namespace tsuji::router
