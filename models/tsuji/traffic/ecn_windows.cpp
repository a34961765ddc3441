// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "tsuji/core/error.h"
#include "tsuji/traffic/congestion_kinds.h"

namespace tsuji::traffic {
namespace {

/// A window of packets for each destination. A marked acknowledgement halves it, once in a round trip; an
/// unmarked one lets it grow by `growth` packets a round trip. A window below one packet is a pause: the next
/// packet starts (1 / window - 1) round trips after the acknowledgement of the one before.
class EcnWindows final : public CongestionControl {
 public:
  EcnWindows(const EcnConfig& config, unsigned nodes)
      : most_(config.window_packets), growth_(config.growth_packets), flows_(nodes, Flow{most_}) {}

  Cycle may_start(End destination, unsigned /*flits*/, Cycle now) override {
    const Flow& flow = flows_[destination.node()];
    if (flow.in_flight >= std::max(flow.window, 1.0)) return never;
    return std::max(flow.pause_until, now);
  }
  void started(End destination, unsigned /*flits*/, Cycle now) override {
    Flow& flow = flows_[destination.node()];
    ++flow.in_flight;
    flow.started = now;
  }
  void acknowledged(End destination, bool marked, Cycle now) override {
    Flow& flow = flows_[destination.node()];
    --flow.in_flight;
    const bool deaf = flow.deaf > 0;
    if (deaf) --flow.deaf;
    if (!marked) {
      flow.window = std::min(flow.window + growth_ / std::max(flow.window, 1.0), most_);
    } else if (!deaf) {
      flow.window = std::max(flow.window / 2, least_window);
      flow.deaf = flow.in_flight;
      ++halvings_;
    }
    if (flow.window >= 1.0) return;
    const auto round_trip = static_cast<double>(now - flow.started);
    flow.pause_until = now + static_cast<Cycle>((1.0 / flow.window - 1.0) * round_trip);
  }
  std::uint64_t halvings() const override { return halvings_; }

 private:
  /// A window that only grows again by acknowledgements must let some packets go.
  static constexpr double least_window = 1.0 / 64;
  struct Flow {
    double window;                ///< packets that may be in flight; below 1: a pause
    std::uint32_t in_flight = 0;  ///< packets without an acknowledgement
    std::uint32_t deaf = 0;       ///< acknowledgements of packets that started before the last halving
    Cycle started = 0;            ///< start of the latest packet
    Cycle pause_until = 0;
  };

  const double most_, growth_;
  std::vector<Flow> flows_;  ///< [destination]
  std::uint64_t halvings_ = 0;
};

}  // namespace

void EcnConfig::add_keys(config::KeyTable& keys) {
  keys.add("congestion.mark_flits", mark_flits, {0, 65'535}, "flits",
           "a router marks the packet of a head when more flits than these wait in the router for the output "
           "that the head takes");
  keys.add("congestion.window_packets", window_packets, {1, 65'535}, "packets",
           "largest window, and first one, of packets from a node to another without an acknowledgement");
  keys.add("congestion.growth_packets", growth_packets, {1e-6, 1000.0}, "packets",
           "growth of a window in a round trip without a mark");
}

std::unique_ptr<CongestionControl> EcnConfig::make(unsigned nodes) const {
  if (nodes > most_nodes)
    throw ConfigError("congestion.kind", "ecn",
                      "each of " + std::to_string(nodes) + " nodes would keep a window for every other",
                      "up to " + std::to_string(most_nodes) + " nodes, or token_bucket");
  return std::make_unique<EcnWindows>(*this, nodes);
}

void add_ecn_windows(CongestionKinds& kinds) {
  CongestionTraits traits;
  traits.acknowledges = true;
  kinds.add<EcnConfig>("ecn", traits);
}

}  // namespace tsuji::traffic
