// SPDX-License-Identifier: Apache-2.0
#include "tsuji/traffic/synthetic_load.h"

#include <utility>

#include "tsuji/workload/random_streams.h"

namespace tsuji::traffic {

using workload::RandomStream;
using workload::traffic_random;

SyntheticLoad::SyntheticLoad(Parts parts, NodeId node, std::uint64_t seed)
    : parts_(std::move(parts)),
      node_(node),
      arrivals_(traffic_random(seed, RandomStream::arrivals, node)),
      destinations_(traffic_random(seed, RandomStream::destinations, node)),
      lengths_(traffic_random(seed, RandomStream::lengths, node)) {}

bool SyntheticLoad::next(Emission& emission) {
  at_ += parts_.arrivals->gap(arrivals_);
  if (at_ > parts_.last_cycle) return false;
  emission = Emission{};
  emission.created = at_;
  emission.payload_bytes = static_cast<std::uint16_t>(parts_.payload_bytes);
  emission.flits = static_cast<std::uint16_t>(parts_.lengths.draw(lengths_));
  emission.destination = parts_.pattern->destination(node_, destinations_);
  return true;
}

}  // namespace tsuji::traffic
