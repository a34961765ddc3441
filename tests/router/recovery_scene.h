// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

#include "router/rig.h"
#include "tsuji/core/error.h"
#include "tsuji/lookup/ported_table.h"

namespace tsuji::router::test {

inline constexpr unsigned fa_vcs = 2, ud_vc = 2, node_port = 0, way = 1, way_round = 3;

/// Fully adaptive channels route to port `destination`, the channel of recovery to port `way_round`.
struct Detour final : routing::Routing, routing::TableReads, routing::DeadlockRecovery {
  void route(const routing::RouteQuery& query, routing::RouteSet& routes) const override {
    routes.clear();
    if (query.destination == node_port) return routes.add(node_port, routing::vc_range(0, 3));
    const bool recovers = query.packet_class == PacketClass::recovery;
    const unsigned normal = other_way == 0 ? query.destination.node() : other_way;
    routes.add(recovers ? way_round : normal, recovers ? recovery_mask : routing::vc_range(0, fa_vcs));
  }
  routing::VcMask injection_vcs(End, End) const override { return routing::vc_range(0, fa_vcs); }
  unsigned vcs_needed() const override { return 3; }
  unsigned max_candidates() const override { return 1; }
  const routing::TableReads* table_reads() const override { return this; }
  const routing::DeadlockRecovery* recovery() const override { return this; }
  routing::VcMask recovery_vcs() const override { return routing::vc_range(ud_vc, 1); }
  bool reads_table(const routing::RouteQuery& query) const override {
    return query.destination != node_port && (in_region || query.packet_class == PacketClass::recovery);
  }
  const char* broken_by(const routing::RouteQuery&, unsigned) const override { return broken; }

  bool in_region = false;
  routing::VcMask recovery_mask = routing::vc_range(ud_vc, 1);
  const char* broken = nullptr;
  unsigned other_way = 0;  ///< port of all normal heads instead of `destination`; 0: none
};

/// A router of four ports with three virtual channels, and a table with two read ports.
struct Scene {
  explicit Scene(
      Cycle timeout_cycles, const lookup::PortedTableTiming& timing = {}, unsigned hop_limit = 0,
      const std::function<void(RigConfig&)>& change = [](RigConfig&) {})
      : table(detour, timing, {3, 3, 3, 3}), rig(config(timeout_cycles, hop_limit, change), &table) {}

  RigConfig config(Cycle timeout_cycles, unsigned hop_limit,
                   const std::function<void(RigConfig&)>& change) const {
    RigConfig config;
    config.ports = 4;
    config.node_port = node_port;
    config.channel.vcs = 3;
    config.router.block_timeout_cycles = timeout_cycles;
    config.router.hop_limit = hop_limit;
    config.behind = &detour;
    config.sparse = true;
    change(config);
    return config;
  }
  /// Fills both adaptive channels of port `way` with heads whose tails never come.
  void block() {
    for (unsigned vc = 0; vc < fa_vcs; ++vc) rig.arrive(20, 2, vc, rig.packet(way, 2, 90 + vc), 0);
  }
  PacketIndex send(Cycle cycle, unsigned port, unsigned vc, unsigned destination, unsigned flits = 1) {
    const PacketIndex packet = rig.packet(destination, flits, ++serial);
    rig.arrive(cycle, port, vc, packet);
    return packet;
  }
  /// Port and cycle of a packet's first flit.
  const Seen& out(PacketIndex packet) const {
    for (const Seen& seen : rig.seen)
      if (seen.packet == packet) return seen;
    throw ModelError("test", "the packet has not come out");
  }
  RouterCounters counters() const { return rig.state->counters(); }

  Detour detour;
  lookup::PortedTable table;
  Rig rig;
  std::uint32_t serial = 0;
};

}  // namespace tsuji::router::test
