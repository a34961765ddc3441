// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "tsuji/routing/by_intermediate.h"
#include "tsuji/routing/routing_kinds.h"

namespace tsuji::routing {
namespace {

struct UgalConfig {
  unsigned adaptive_threshold = 30;  ///< flits times hops

  void add_keys(config::KeyTable& keys) {
    keys.add("routing.adaptive_threshold", adaptive_threshold, {0, 1'000'000}, "",
             "ugal: largest amount by which queued flits times hops on the minimal path may exceed those on "
             "the non-minimal path for a packet to take the minimal path");
  }
  std::unique_ptr<const Routing> make(const RoutingParts& parts) const;
};

/// UGAL-L (Singh 2005): at its first router a packet compares the queue at the minimal path's output, times
/// the path's hops, with that of a path over a randomly drawn intermediate router. A queue is the number of
/// flits in the downstream buffer, over all virtual channels.
class Ugal final : public ByIntermediate {
 public:
  std::string stands_for() const override {
    return "UGAL-L: the minimal path, or one over a random intermediate router";
  }
  Ugal(const graph::Topology& topology, unsigned vcs, const UgalConfig& config)
      : ByIntermediate("ugal", topology, vcs), threshold_(config.adaptive_threshold) {}

 private:
  Decision choose(const RouteQuery& query, const OutputBuffers& outputs) const override {
    const RouterId from = query.router, middle = draw(query), to = router_of(query.destination.node());
    const std::uint64_t direct = std::uint64_t{queue(query, minimal, outputs)} * hops(from, to);
    const std::uint64_t detour =
        std::uint64_t{queue(query, by(middle), outputs)} * (hops(from, middle) + hops(middle, to));
    return direct <= detour + threshold_ ? minimal : by(middle);
  }
  bool chooses_by_credits() const override { return true; }

  std::uint64_t threshold_;
};

std::unique_ptr<const Routing> UgalConfig::make(const RoutingParts& parts) const {
  return std::make_unique<Ugal>(parts.topology, parts.vcs, *this);
}

}  // namespace

void add_ugal(RoutingKinds& kinds) {
  RoutingTraits traits;
  traits.also_called = {"ugal_l", "ugal-l"};
  traits.turns_back = true;
  kinds.add<UgalConfig>("ugal", traits);
}

}  // namespace tsuji::routing
