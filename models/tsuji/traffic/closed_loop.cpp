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
  emission.flits = static_cast<std::uint16_t>(parts_.lengths.draw(lengths_));
  emission.destination = parts_.pattern->destination(node_, destinations_);
  earliest_ += (emission.flits + parts_.ports - 1) / parts_.ports + parts_.gap_cycles;
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
  // No effect while created packets wait: the last of them is created after `now`, and the packet allowed now
  // follows it.
  earliest_ = std::max(earliest_, now + 1 + parts_.gap_cycles);
}

namespace {

class ClosedLoops final : public Traffic {
 public:
  ClosedLoops(const ClosedLoopConfig& config, const TrafficGiven& given)
      : parts_{given.pattern, given.lengths, config.window, config.gap_cycles, given.ports},
        seed_(given.seed) {}
  std::unique_ptr<EmissionSource> source(NodeId node) const override {
    if (parts_.pattern->share(node) == 0) return no_packets();
    return std::make_unique<ClosedLoop>(parts_, node, seed_);
  }

 private:
  const ClosedLoop::Parts parts_;
  const std::uint64_t seed_;
};

}  // namespace

void ClosedLoopConfig::add_keys(config::KeyTable& keys) {
  keys.add("traffic.window", window, {0, 1'000'000}, "packets",
           "closed_loop: window of each node, the packets that it may have in flight; 0: unbounded");
  keys.add("traffic.gap_cycles", gap_cycles, {0, 1'000'000'000}, "cycles",
           "closed_loop: time from a packet's arrival to the generation of the packet that it allows");
}

std::unique_ptr<const Traffic> ClosedLoopConfig::make(const TrafficGiven& given) const {
  return std::make_unique<ClosedLoops>(*this, given);
}

void add_closed_loop(TrafficKinds& kinds) {
  TrafficTraits traits{"a window of packets for each node, refilled by arrivals"};
  traits.draws = traits.receivers_send = true;
  kinds.add<ClosedLoopConfig>("closed_loop", traits);
}

}  // namespace tsuji::traffic
