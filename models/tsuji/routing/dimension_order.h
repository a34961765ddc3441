// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "tsuji/config/key_table.h"
#include "tsuji/routing/cube_tables.h"
#include "tsuji/routing/minimal_routing.h"

namespace tsuji::routing {

/// Direction on a ring if both are equally long.
enum class Ties : std::uint8_t {
  random,  ///< one bit of the packet's random numbers decides each dimension
  up       ///< always upwards
};

/// Rule by which a packet on a ring of four or more routers uses two classes of virtual channels (Dally and
/// Seitz). The dateline is between coordinates k-1 and 0 of each ring. Class 0 is the lower half of the
/// channels (the larger one of an odd number), class 1 the upper half.
enum class Dateline : std::uint8_t {
  /// Class 1 for the whole route in the dimension if it crosses the dateline, otherwise class 0; as in the
  /// dimension order of public simulators. No packet of class 1 passes the middle of the ring, as shortest
  /// paths cover at most half.
  crossing,
  /// Upwards as `crossing`; downwards class 0 for a route that crosses the dateline, otherwise class 1. Rings
  /// of three have classes, too. Rule of BookSim2's dim_order.
  crossing_down_inverted,
  /// As `crossing`, but a packet that crosses neither dateline nor middle has a random class.
  balanced,
  /// Class 0 as long as the dateline is ahead, class 1 after it or without it; needs no knowledge of the
  /// source.
  switching,
  /// A single class. Deadlocks on every ring of four or more routers; for demonstration.
  none
};

struct DimensionOrderConfig {
  std::optional<Ties> ties;  ///< empty: `random`, unless resolve() has chosen
  Dateline dateline = Dateline::crossing;

  void add_keys(config::KeyTable& keys);
  std::unique_ptr<const Routing> make(const RoutingParts& parts) const;
};

/// Dimension-order routing on torus and mesh: all hops of dimension 0 first, then of dimension 1, and so on.
/// Minimal. Needs one virtual channel, two with a ring of four or more routers; dimensions without such a
/// ring use all. Direction and class depend on source and destination, so a packet keeps them throughout a
/// dimension.
class DimensionOrder final : public MinimalRouting, public TableImage, public RandomChoices {
 public:
  std::string stands_for() const override {
    return "dimension-order routing, DM-Order (Yoshinaga 2004, section 4.2)";
  }
  DimensionOrder(const graph::Topology& topology, unsigned vcs, const DimensionOrderConfig& config = {});

  void route(const RouteQuery& query, RouteSet& candidates) const override;
  VcMask injection_vcs(End, End) const override { return all_; }
  unsigned vcs_needed() const override { return vcs_needed_; }
  unsigned max_candidates() const override { return 1; }
  unsigned hops(RouterId from, RouterId to) const override {
    return cube_.hops(cube_.router(from), cube_.router(to));
  }
  unsigned longest() const override { return cube_.longest(); }
  RoutingPromises promises() const override {
    RoutingPromises all;
    all.always_leads_on = true;
    all.place_decides = table_image() != nullptr;
    return all;
  }
  const TableImage* table_image() const override { return bits_.empty() ? this : nullptr; }
  const RandomChoices* random_choices() const override { return bits_.empty() ? nullptr : this; }

  TableForm table_form() const override;
  RouteCandidate table_entry(RouterId router, std::uint32_t in_port, NodeId destination) const override;
  /// A packet that continues in a dimension keeps its class.
  VcMap vc_map(RouterId, std::uint32_t in_port, std::uint32_t in_vc, std::uint32_t out_port) const override;
  /// Half of the packets that enter a ring opposite to their destination go in each direction. Only one place
  /// of the ring is that far away, and the random bits of dimensions are independent.
  bool port_shares(const RouteQuery& query, PortShares& shares) const override;
  std::uint64_t random_outcomes() const override { return std::uint64_t{1} << bits_.size(); }
  std::uint64_t random_outcome(const RouteQuery& query) const override;

 private:
  [[gnu::noinline]] void add_ring_candidate(const RouteQuery& query, RouteSet& candidates, unsigned d,
                                            unsigned here, unsigned to) const;
  bool goes_up(const RouteQuery& query, unsigned d, unsigned to) const;
  bool goes_straight(std::uint32_t in_port, std::uint32_t out_port) const {
    return in_port / 2 == out_port / 2 && out_port < 2 * cube_.dimensions();
  }
  VcMask class_vcs(const RouteQuery& query, unsigned d, bool up, unsigned here, unsigned to) const;
  /// Returns true for a ring whose virtual channels are divided into classes.
  bool divides(unsigned d) const { return (divided_ >> d & 1) != 0; }
  /// Returns true if a packet keeps the class with which it enters a dimension.
  bool keeps_class() const {
    return config_.dateline == Dateline::crossing || config_.dateline == Dateline::crossing_down_inverted;
  }

  CubeTables cube_;
  DimensionOrderConfig config_;
  std::uint32_t divided_ = 0;  ///< bit d: divides(d)
  unsigned vcs_needed_;
  VcMask all_, class_vcs_[2];
  std::vector<std::uint8_t> bits_;  ///< bits of the packet's first random number that have an effect
};

}  // namespace tsuji::routing
