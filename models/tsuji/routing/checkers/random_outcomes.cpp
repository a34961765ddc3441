// SPDX-License-Identifier: Apache-2.0
#include "tsuji/routing/checkers/random_outcomes.h"

#include <algorithm>

#include "tsuji/core/error.h"

namespace tsuji::routing {

std::vector<PacketId> packets_of_all_outcomes(const Routing& routing, unsigned most, bool& all) {
  const RandomChoices* const choices = routing.random_choices();
  const std::uint64_t outcomes = outcomes_of(routing);
  std::vector<PacketId> packets;
  all = outcomes <= most;
  if (!all) {
    for (PacketId id = 0; id < most; ++id) packets.push_back(id);
    return packets;
  }
  if (choices == nullptr) return {0};
  std::vector<bool> found(outcomes, false);
  std::uint64_t coming = 0;
  double rarest = 1.0;
  for (std::uint64_t outcome = 0; outcome < outcomes; ++outcome) {
    const double share = choices->outcome_share(outcome);
    if (share <= 0) continue;
    ++coming;
    rarest = std::min(rarest, share);
  }
  // n equally probable outcomes are complete after about n ln n packets. If this number does not suffice, the
  // routing reports a wrong number of outcomes.
  const PacketId most_tries = 1000 + static_cast<PacketId>(100 / rarest);
  for (PacketId id = 0; packets.size() < coming; ++id) {
    if (id == most_tries) throw ModelError("routing", "some of its random outcomes never occur");
    RouteQuery query;
    query.packet = id;
    const std::uint64_t outcome = choices->random_outcome(query);
    if (found.at(outcome)) continue;
    found[outcome] = true;
    packets.push_back(id);
  }
  return packets;
}

}  // namespace tsuji::routing
