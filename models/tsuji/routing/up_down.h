// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tsuji/config/key_table.h"
#include "tsuji/graph/up_down_order.h"
#include "tsuji/routing/routing.h"

namespace tsuji::routing {

struct UpDownConfig {
  RouterId root = 0;
  /// All first hops of shortest legal paths are candidates; otherwise one, spread over the destinations.
  bool all_paths = true;

  void add_keys(config::KeyTable& keys);
  std::unique_ptr<const Routing> make(const RoutingParts& parts) const;
};

/// Up*/down* routing on any connected graph of two-way links (rooms/routing.md, Where the paper is silent, 2
/// and 3): the breadth-first tree from the root determines the direction of links (graph/up_down_order.h). A
/// path goes up any number of times, then down, and never up again; the shortest of these are used. Uses all
/// virtual channels, one suffices. Whether a packet has gone down follows from the port that it came in by.
class UpDown final : public Routing, public TableImage {
 public:
  std::string stands_for() const override { return "up*/down* routing (Yoshinaga 2004, section 2.3)"; }
  UpDown(const graph::Topology& topology, unsigned vcs, const UpDownConfig& config = {});

  void route(const RouteQuery& query, RouteSet& candidates) const override;
  VcMask injection_vcs(End, End) const override { return all_; }
  unsigned vcs_needed() const override { return 1; }
  unsigned max_candidates() const override { return max_candidates_; }
  RoutingPromises promises() const override {
    RoutingPromises all;
    all.place_decides = all.always_leads_on = true;
    return all;
  }
  const TableImage* table_image() const override { return max_candidates_ == 1 ? this : nullptr; }

  TableForm table_form() const override { return TableForm::port_and_vcs; }
  RouteCandidate table_entry(RouterId router, std::uint32_t in_port, NodeId destination) const override {
    return only_candidate(*this, router, in_port, destination);
  }

  const graph::UpDownOrder& order() const { return order_; }

 private:
  class PortSets;
  class Steps;
  /// Computes the sets of every (router, phase) for a block of destinations from `first` on: the entries of
  /// one state are adjacent, and each is accessed once per block.
  void fill_block(const Steps& steps, RouterId first, bool all_paths, std::vector<PortSets>& sets);
  void flatten(const std::vector<PortSets>& sets);

  VcMask all_;
  unsigned routers_;
  unsigned max_candidates_ = 1;
  graph::UpDownOrder order_;
  std::vector<graph::PortRef> node_;         ///< [node]: its port
  std::vector<std::uint32_t> first_port_;    ///< [router]: index into came_down_
  std::vector<std::uint8_t> came_down_;      ///< [port]: packets that come in here have gone down
  std::vector<std::uint16_t> set_of_;        ///< [(router * 2 + phase) * routers + destination's router]
  std::vector<std::uint32_t> first_set_;     ///< [router]: number of its set 0
  std::vector<std::uint32_t> first_of_set_;  ///< index into set_ports_; one more element than sets
  std::vector<std::uint16_t> set_ports_;
};

}  // namespace tsuji::routing
