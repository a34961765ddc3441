// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include "tsuji/routing/by_intermediate.h"
#include "tsuji/routing/routing_kinds.h"

namespace tsuji::routing {
namespace {

/// Virtual channels of an output whose flits are its queue.
enum class Queue : std::uint8_t { port, vcs, hybrid };

struct UgalConfig {
  Queue queue = Queue::port;
  unsigned adaptive_threshold = 30;  ///< flits times hops

  void add_keys(config::KeyTable& keys) {
    keys.add_choice(
        "routing.queue", queue, {{"port", Queue::port}, {"vcs", Queue::vcs}, {"hybrid", Queue::hybrid}},
        "ugal, par: flits that are an output's queue; port: in all virtual channels (UGAL-L); vcs: in "
        "those that the packet may take, minimal packets in the upper half (UGAL-L_VC); hybrid: as "
        "vcs if both paths have one output, else as port (UGAL-L_VCH)");
    keys.add(
        "routing.adaptive_threshold", adaptive_threshold, {0, 1'000'000}, "",
        "ugal, par: largest amount by which queued flits times hops on the minimal path may exceed those on "
        "the non-minimal path for a packet to take the minimal path");
  }
  std::unique_ptr<const Routing> make(const RoutingParts& parts) const;
  std::unique_ptr<const Routing> make_progressive(const RoutingParts& parts) const;
};

/// UGAL-L (Singh 2005), with the queues of Kim 2008: at its first router a packet compares the
/// queue at the minimal path's output, times the path's hops, with that of a path over a randomly drawn
/// intermediate router. A queue is the number of flits that wait in the router for the output and of those in
/// the downstream buffer; of several outputs that a path may take, the shortest. Progressive (PAR, Jiang
/// 2009): it compares again at the second router of a dragonfly's group.
class Ugal final : public ByIntermediate {
 public:
  std::string stands_for() const override {
    return progressive_ ? "PAR (Jiang 2009): UGAL-L at the first two routers of the source's group"
                        : "UGAL-L: the minimal path, or one over a random intermediate router";
  }
  Ugal(const graph::Topology& topology, unsigned vcs, const UgalConfig& config, bool progressive)
      : ByIntermediate(progressive ? "par" : "ugal", topology, vcs,
                       {config.queue != Queue::port, progressive}),
        queue_(config.queue),
        threshold_(config.adaptive_threshold),
        progressive_(progressive) {}

 private:
  Decision choose(const RouteQuery& query, const OutputBuffers& outputs) const override {
    const RouterId from = query.router, to = router_of(query.destination.node());
    const RouteSet straight = first_candidates(query, minimal);
    const unsigned direct_hops = hops(from, to);
    bool by_vcs = queue_ == Queue::vcs;
    std::uint64_t direct = shortest_queue(straight, by_vcs, outputs) * direct_hops;
    // The queue of a part of the channels is no longer than that of all; no detour could be shorter.
    if (direct <= threshold_) return minimal;
    const RouterId middle = draw(query);
    if (middle == from) return minimal;
    const RouteSet around = first_candidates(query, by(middle));
    if (queue_ == Queue::hybrid && straight[0].port == around[0].port) {
      by_vcs = true;
      direct = shortest_queue(straight, by_vcs, outputs) * direct_hops;
    }
    const std::uint64_t detour =
        shortest_queue(around, by_vcs, outputs) * (hops(from, middle) + hops(middle, to));
    return direct <= detour + threshold_ ? minimal : by(middle);
  }
  bool chooses_by_credits() const override { return true; }
  std::uint64_t shortest_queue(const RouteSet& candidates, bool by_vcs, const OutputBuffers& outputs) const {
    std::uint64_t shortest = ~std::uint64_t{0};
    for (const RouteCandidate& candidate : candidates)
      shortest = std::min(shortest, queue(candidate.port, by_vcs ? candidate.vcs : all_vcs(), outputs));
    return shortest;
  }
  static std::uint64_t queue(unsigned port, VcMask vcs, const OutputBuffers& outputs) {
    return std::uint64_t{outputs.occupied(port, vcs)} + outputs.waiting(port, vcs);
  }

  Queue queue_;
  std::uint64_t threshold_;
  bool progressive_;
};

std::unique_ptr<const Routing> UgalConfig::make(const RoutingParts& parts) const {
  return std::make_unique<Ugal>(parts.topology, parts.vcs, *this, false);
}
std::unique_ptr<const Routing> UgalConfig::make_progressive(const RoutingParts& parts) const {
  return std::make_unique<Ugal>(parts.topology, parts.vcs, *this, true);
}

}  // namespace

void add_ugal(RoutingKinds& kinds) {
  RoutingTraits traits;
  traits.also_called = {"ugal_l", "ugal-l", "ugal_dragonflynew", "ugal_flatfly_onchip"};
  traits.turns_back = true;
  RoutingTraits progressive;
  progressive.also_called = {"progressive_adaptive"};
  progressive.turns_back = true;
  kinds.add<UgalConfig>(
      {{"ugal", &UgalConfig::make, "", traits}, {"par", &UgalConfig::make_progressive, "", progressive}});
}

}  // namespace tsuji::routing
