// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tsuji/core/random.h"
#include "tsuji/router/config.h"
#include "tsuji/routing/routing.h"

// The choice of an output port among a head's candidates: a pure function of the candidates, the outputs and
// the policy.

namespace tsuji::router {

/// An output port as a head sees it.
struct OutputView {
  bool open = false;        ///< the link is up, and the head may leave by the port
  routing::VcMask vcs = 0;  ///< virtual channels of the candidate that the head may take in this cycle
};

/// Everything that decides between candidates of one rank.
struct ChoicePolicy {
  Selection selection = Selection::most_credits;
  unsigned turn = 0;  ///< round robin, and ties of most_credits: place of the candidate that comes first
  std::uint64_t seed = 0, packet = 0;  ///< random
  graph::RouterId router = 0;          ///< random
};

struct OutputChoice {
  const routing::RouteCandidate* candidate = nullptr;  ///< null: none can be taken in this cycle
  routing::VcMask vcs = 0;                             ///< the candidate's that can be taken
  bool dead = true;                                    ///< no candidate that was looked at has an open output
};

/// The score of a candidate at `place` among `equals` candidates of its rank; the highest is chosen, and of
/// equal scores the first. Never 0. `credits`: a function without arguments. `number`: among all candidates.
template <class Credits>
std::uint64_t choice_score(const ChoicePolicy& policy, unsigned place, unsigned equals, unsigned number,
                           const Credits& credits) {
  const unsigned distance = (place + equals - policy.turn % equals) % equals;
  const std::uint64_t in_turn = equals - distance;
  switch (policy.selection) {
    case Selection::first:
      break;
    case Selection::most_credits:
      return (std::uint64_t{1} + credits()) * equals + in_turn;
    case Selection::round_robin:
      return in_turn;
    case Selection::random:
      return 1 +
             (CounterRandom(policy.seed, policy.packet).bits((std::uint64_t{policy.router} << 8) + number) >>
              1);
  }
  return 1;
}

/// The best candidate of the lowest rank of which one can be taken. `candidates`: `count` of them, ranks
/// rising. `outputs.view(candidate)`: the OutputView of its port; `outputs.credits(candidate, vcs)`: credits
/// at hand on these virtual channels. Ranks above the chosen candidate's are not looked at.
template <class Outputs>
OutputChoice choose_candidate(const routing::RouteCandidate* candidates, unsigned count,
                              const ChoicePolicy& policy, const Outputs& outputs) {
  OutputChoice choice;
  std::uint64_t best = 0;
  unsigned rank_begin = 0, rank_end = 0;
  for (unsigned c = 0; c < count; ++c) {
    const routing::RouteCandidate& candidate = candidates[c];
    if (c == rank_end) {
      if (choice.candidate != nullptr) break;
      rank_begin = c;
      do ++rank_end;
      while (rank_end < count && candidates[rank_end].rank == candidate.rank);
    }
    const OutputView output = outputs.view(candidate);
    if (!output.open) continue;
    choice.dead = false;
    if (output.vcs == 0) continue;
    const unsigned equals = rank_end - rank_begin;
    const std::uint64_t score = equals == 1 ? 1 : choice_score(policy, c - rank_begin, equals, c, [&] {
      return outputs.credits(candidate, output.vcs);
    });
    if (score <= best) continue;
    best = score;
    choice.candidate = &candidate;
    choice.vcs = output.vcs;
  }
  return choice;
}

}  // namespace tsuji::router
