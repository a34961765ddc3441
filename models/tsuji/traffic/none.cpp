// SPDX-License-Identifier: Apache-2.0
#include "tsuji/traffic/traffic_kinds.h"

namespace tsuji::traffic {
namespace {

class NoTraffic final : public Traffic {
 public:
  std::unique_ptr<EmissionSource> source(NodeId) const override { return nullptr; }
  std::string silence() const override { return "traffic.kind is none"; }
};

struct NoTrafficConfig {
  std::unique_ptr<const Traffic> make(const TrafficGiven&) const { return std::make_unique<NoTraffic>(); }
};

}  // namespace

void add_none(TrafficKinds& kinds) {
  TrafficTraits traits{"routers and links without nodes, to measure their size"};
  traits.has_sources = false;
  kinds.add<NoTrafficConfig>("none", traits);
}

}  // namespace tsuji::traffic
