// SPDX-License-Identifier: Apache-2.0
#include "tsuji/traffic/open_loop.h"

#include <utility>

#include "tsuji/core/error.h"
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

namespace {

class OpenLoop final : public Traffic {
 public:
  OpenLoop(const OpenLoopConfig& config, const TrafficGiven& given) : config_(config), given_(given) {}

  std::unique_ptr<EmissionSource> source(NodeId node) const override {
    const double load = config_.load_flits_per_node_cycle * given_.pattern->share(node);
    if (load == 0) return no_packets();
    const double flits = given_.lengths.mean();
    SyntheticLoad::Parts parts;
    parts.pattern = given_.pattern;
    parts.arrivals = workload::make_arrivals(config_.arrivals, config_.injection, {load / flits, flits});
    parts.lengths = given_.lengths;
    if (config_.last_cycle != 0) parts.last_cycle = config_.last_cycle;
    return std::make_unique<SyntheticLoad>(std::move(parts), node, given_.seed);
  }
  double demand(NodeId source, NodeId destination) const override {
    const double share = given_.pattern->share(source);
    return share == 0.0 ? 0.0 : share * given_.pattern->probability(source, destination);
  }
  std::string silence() const override {
    return config_.load_flits_per_node_cycle == 0 ? "the offered load is 0" : "";
  }

 private:
  const OpenLoopConfig config_;
  const TrafficGiven given_;
};

}  // namespace

void OpenLoopConfig::add_keys(config::KeyTable& keys) {
  keys.add("traffic.load_flits_per_node_cycle", load_flits_per_node_cycle, {0.0, most_load},
           "flits/node/cycle",
           "open_loop: offered load of each sending node; with traffic.pattern matrix the mean over all "
           "working nodes");
  keys.add_choice("traffic.injection", injection, arrivals.words(),
                  "open_loop: injection process; on_off: bursts");
  arrivals.add_keys(keys);
  keys.add("traffic.last_cycle", last_cycle, {0, 1'000'000'000'000}, "cycles",
           "open_loop: cycle after which no packets are generated; 0: no end");
}

void OpenLoopConfig::validate() const {
  if (!(load_flits_per_node_cycle >= 0.0 && load_flits_per_node_cycle <= most_load))
    throw ConfigError("traffic.load_flits_per_node_cycle", std::to_string(load_flits_per_node_cycle),
                      "not a load", "a number 0..1");
}

std::unique_ptr<const Traffic> OpenLoopConfig::make(const TrafficGiven& given) const {
  return std::make_unique<OpenLoop>(*this, given);
}

void add_open_loop(TrafficKinds& kinds) {
  TrafficTraits traits{"injection independent of the network"};
  traits.draws = traits.offers_load = true;
  kinds.add<OpenLoopConfig>("open_loop", traits);
}

}  // namespace tsuji::traffic
