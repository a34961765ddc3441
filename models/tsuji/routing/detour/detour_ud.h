// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tsuji/config/key_table.h"
#include "tsuji/routing/cube_tables.h"
#include "tsuji/routing/detour/detour_generation.h"
#include "tsuji/routing/routing.h"

namespace tsuji::routing {

/// Parameters of the kind detour_ud.
struct DetourUdConfig {
  DetourConfig tables;
  unsigned ud_vcs = 1;  ///< number of virtual channels for recovery, which are the last ones
  bool banks = false;   ///< a generation uses one half of the UD channels, the next generation the other half

  void add_keys(config::KeyTable& keys);
  std::unique_ptr<const Routing> make(const RoutingParts& parts) const;
};

/// Detour-UD on torus and mesh (Yoshinaga 2004, fig. 1). The first virtual channels are fully adaptive (FA),
/// the last ones up/down (UD).
///   outside the fault regions  all minimal paths by coordinates, on FA channels
///   in a fault region          word of the torus table, on FA channels
///   in recovery                word of the up/down table, on UD channels, up to the destination
/// On FA channels a candidate back through the port of arrival is given only if there is no other. FA
/// channels alone may deadlock, and messages may circulate on them forever: the router must take such
/// messages into recovery (PacketClass::recovery). A message for a node that is dead or cut off has no
/// candidate. Control messages go from the control port of a router, which is its last port, to that of a
/// neighbour, on UD channels over any link between the two.
class DetourUd final : public Routing, public TableImage, public TableReads, public DeadlockRecovery {
 public:
  std::string stands_for() const override { return "Detour-UD (Yoshinaga 2004, sections 2.2 and 2.3)"; }
  /// UD channels that a generation uses: all, or one half of them.
  enum class Bank : std::uint8_t { all, first, second };
  /// ConfigError: `ud_vcs` 0, or odd with banks (routing.ud_vcs), no FA channel left (router.vcs), no cube, a
  /// generation of another topology (routing.kind).
  DetourUd(const graph::Topology& topology, unsigned vcs, std::shared_ptr<const DetourGeneration> generation,
           unsigned ud_vcs = 1, Bank bank = Bank::all);

  void route(const RouteQuery& query, RouteSet& candidates) const override;
  /// route() with the words of other tables for the query's router and destination. Reads at most one word of
  /// `words`; torus() only with has_torus().
  template <class Words>
  void route_by(const RouteQuery& query, const Words& words, RouteSet& candidates) const;
  /// An entry of a memory has two words (Yoshinaga 2004, fig. 3): the torus word, 0 outside the fault
  /// regions, and the up/down word, each with all candidates.
  TableForm table_form() const override { return TableForm::words; }
  RouteCandidate table_entry(RouterId router, std::uint32_t, NodeId destination) const override;
  void route_by_entry(const RouteQuery& query, const RouteCandidate& entry,
                      RouteSet& candidates) const override;
  VcMask injection_vcs(End source, End) const override { return source.is_router() ? ud_ : fa_; }
  VcMask recovery_vcs() const override { return ud_; }
  const TableImage* table_image() const override { return this; }
  const TableReads* table_reads() const override { return this; }
  const DeadlockRecovery* recovery() const override { return this; }
  unsigned vcs_needed() const override { return vcs_needed_; }
  unsigned max_candidates() const override { return 2 * cube_.dimensions(); }
  RoutingPromises promises() const override {
    RoutingPromises all;
    all.place_decides = all.always_leads_on = all.turns_back = true;
    return all;
  }

  /// Returns true if route() reads a table for this head: in recovery or in a fault region, except for
  /// ejection.
  bool reads_table(const RouteQuery& query) const override {
    if (query.destination.is_router()) return false;
    return reads_by(query, TableWords{tables_, query.router, node_[query.destination.node()].router});
  }
  /// reads_table() of a router with other tables.
  template <class Words>
  bool reads_by(const RouteQuery& query, const Words& words) const {
    if (query.destination.is_router()) return false;
    const RouterId to = node_[query.destination.node()].router;
    return to != query.router && to != graph::none &&
           (query.packet_class == PacketClass::recovery || words.has_torus());
  }
  /// Returns true if a message in recovery came down on a UD channel and `port` goes up: not an up/down path.
  bool turns_up_after_down(const RouteQuery& query, unsigned port) const;
  const char* broken_by(const RouteQuery& query, unsigned port) const override {
    return turns_up_after_down(query, port) ? "turns up after down" : nullptr;
  }

  const DetourGeneration& generation() const { return *generation_; }
  VcMask fa_vcs() const { return fa_; }
  VcMask ud_vcs() const { return ud_; }

 private:
  /// The routing-table entries of a router for a destination's router.
  struct TableWords {
    const DetourTables& tables;
    RouterId here, to;
    bool has_torus() const { return tables.has_torus(here); }
    PortWord torus() const { return tables.torus(here, to); }
    PortWord up_down() const { return tables.up_down(here, to); }
  };
  void route_control(const RouteQuery& query, RouteSet& candidates) const;
  PortWord minimal_ports(RouterId router, const std::uint16_t* to) const;
  static void add_ports(unsigned word, VcMask vcs, RouteSet& candidates) {
    for (; word != 0; word &= word - 1) candidates.add(static_cast<unsigned>(__builtin_ctz(word)), vcs);
  }

  CubeTables cube_;
  std::shared_ptr<const DetourGeneration> generation_;
  const DetourTables& tables_;
  unsigned vcs_needed_;
  VcMask all_, fa_, ud_;
  unsigned control_port_;             ///< number of the control port, equal at all routers
  std::vector<graph::PortRef> node_;  ///< [node]: its port; router `none` for nodes that are dead or cut off
};

template <class Words>
void DetourUd::route_by(const RouteQuery& query, const Words& words, RouteSet& candidates) const {
  candidates.clear();
  const graph::PortRef to = node_[query.destination.node()];
  if (to.router == query.router) return candidates.add(to.port, all_);
  if (to.router == graph::none) return;
  const bool recovers = query.packet_class == PacketClass::recovery;
  unsigned word = 0;
  if (recovers) {
    word = words.up_down();
  } else {
    word =
        words.has_torus() ? words.torus() : minimal_ports(query.router, cube_.node(query.destination.node()));
    const unsigned back = query.in_port < 2 * cube_.dimensions() ? 1U << query.in_port : 0;
    if ((word & ~back) != 0) word &= ~back;
  }
  add_ports(word, recovers ? ud_ : fa_, candidates);
}

}  // namespace tsuji::routing
