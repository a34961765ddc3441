// SPDX-License-Identifier: Apache-2.0
#include "tsuji/traffic/closed_loop.h"

#include <algorithm>
#include <utility>

#include "tsuji/workload/random_streams.h"

namespace tsuji::traffic {

using workload::RandomStream;
using workload::traffic_random;

ClosedLoop::ClosedLoop(Parts parts, NodeId node, std::uint64_t seed)
    : parts_(std::move(parts)),
      node_(node),
      destinations_(traffic_random(seed, RandomStream::destinations, node)),
      lengths_(traffic_random(seed, RandomStream::lengths, node)),
      allowed_(parts_.window) {}

bool ClosedLoop::next(Emission& emission) {
  if (parts_.window != 0) {
    if (allowed_ == 0) return false;
    --allowed_;
  }
  emission = Emission{};
  emission.created = earliest_;
  emission.payload_bytes = 0;
  emission.flits = static_cast<std::uint16_t>(parts_.lengths.draw(lengths_));
  emission.destination = parts_.pattern->destination(node_, destinations_);
  earliest_ += emission.flits + parts_.gap_cycles;
  return true;
}

void ClosedLoop::arrived(Cycle now, const Packet&) {
  allow_one_more(now);
}

void ClosedLoop::dropped(Cycle now, const Packet&, const char*) {
  allow_one_more(now);
}

void ClosedLoop::allow_one_more(Cycle now) {
  if (parts_.window == 0) return;
  ++allowed_;
  // Where packets wait to be born this changes nothing: the last of them is born after `now`, and the one
  // that is allowed now comes behind it.
  earliest_ = std::max(earliest_, now + 1 + parts_.gap_cycles);
}

}  // namespace tsuji::traffic
