// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <optional>
#include <vector>

#include "network/vc_rig.h"
#include "support/catch.h"

using namespace tsuji;
using namespace tsuji::network;
using namespace tsuji::network::test;

namespace {

/// Latency of an uncontended packet in cycles, from generation to the last word of its tail.
struct Expectation {
  Cycle link, inject, eject, flit_cycles, credit, credit_process;
  Cycle rc, va, sa, st;
  unsigned depth;
  router::Switching switching;
  /// Time for a credit at the source, if it differs; the stall then has no closed form.
  std::optional<Cycle> node_process = std::nullopt;
  bool whole_flit = false;

  Cycle latency(unsigned hops, unsigned flits) const {
    if (node_process) return flit_by_flit(hops, flits);
    const Cycle router = rc + va + sa + st;
    Cycle total = hops * router + (hops - 1) * link + inject + eject + flits * flit_cycles;
    if (whole_flit) total += hops * (flit_cycles - 1);
    if (switching == router::Switching::store_and_forward) total += hops * (flits - 1) * flit_cycles;
    return total + stall(hops, flits);
  }
  /// Stall once for every bufferful after the first: the longest credit loop on the path, less what the
  /// buffer covers. A node decides and sends in one cycle, so its loop has neither SA nor ST.
  Cycle stall(unsigned hops, unsigned flits) const {
    const Cycle back = credit + credit_process + 1;
    Cycle loop = std::max(sa + st + eject + back, 1 + inject + back);
    if (hops > 1) loop = std::max(loop, sa + st + link + back);
    const Cycle covered = depth * flit_cycles;
    return (loop > covered ? loop - covered : 0) * ((flits + depth - 1) / depth - 1);
  }
  /// Wormhole. A flit leaves place h (0: the source, 1 to H: a router) in the latest of four cycles: its
  /// arrival, the head's allocation of an output, the departure of the flit in front, and the return of the
  /// credit of the flit `depth` in front.
  Cycle flit_by_flit(unsigned hops, unsigned flits) const {
    std::vector<std::vector<Cycle>> leaves(flits, std::vector<Cycle>(hops + 2));
    for (unsigned f = 0; f < flits; ++f) {
      for (unsigned h = 0; h <= hops + 1; ++h) {
        Cycle& at = leaves[f][h];
        if (h > 0) {
          const Cycle wires = h == 1 ? inject : h > hops ? eject : link;
          at = leaves[f][h - 1] + (h == 1 ? 1 : sa + st) + wires;
        }
        if (h > hops) continue;  // a sink takes every flit at once
        if (f == 0 && h > 0) at += rc + va;
        if (f > 0) at = std::max(at, leaves[f - 1][h] + flit_cycles);
        const Cycle process = h == 0 ? *node_process : credit_process;
        if (f >= depth) at = std::max(at, leaves[f - depth][h + 1] + 1 + credit + process);
      }
    }
    return leaves[flits - 1][hops + 1] + flit_cycles - 1;
  }
};

NetworkConfig network_of(const Expectation& e) {
  NetworkConfig config;
  config.topology.kind = "mesh";
  config.topology.of<graph::CubeConfig>().radices = {5, 2};
  config.link_latency_cycles = e.link;
  VcNetworkConfig& n = config.network;
  n.inject_latency_cycles = e.inject;
  n.eject_latency_cycles = e.eject;
  n.flit_cycles = e.flit_cycles;
  n.whole_flit = e.whole_flit;
  n.credit_latency_cycles = e.credit;
  n.credit_process_cycles = e.credit_process;
  n.node_credit_process_cycles = e.node_process;
  n.rc_cycles = e.rc;
  n.router.va_cycles = e.va;
  n.router.sa_cycles = e.sa;
  n.router.st_cycles = e.st;
  n.router.switching = e.switching;
  n.buffer_flits = e.depth;
  n.vcs = 2;
  return config;
}

/// Sends one packet after another, far apart, over 1 to 6 routers.
void check(const std::vector<Expectation>& cases, const std::vector<unsigned>& lengths) {
  std::vector<std::unique_ptr<VcRig>> rigs;
  std::vector<VcRig::Send> sends;
  Cycle created = 7;
  for (const unsigned flits : lengths) {
    for (const NodeId destination : {0U, 1U, 4U, 5U, 9U}) {
      sends.push_back({0, destination, created, flits});
      created += 3000;
    }
  }
  for (const Expectation& expectation : cases) {
    rigs.push_back(std::make_unique<VcRig>(network_of(expectation)));
    rigs.back()->build(sends);
  }
  for (std::size_t i = 0; i < cases.size(); ++i) {
    // All rigs share the kernel: the run of the first rig runs all.
    rigs[i]->loaded->run_to(created + 3000);
    REQUIRE(rigs[i]->delivered.size() == sends.size());
    for (const observe::DeliveredPacket& packet : rigs[i]->delivered) {
      const NodeId d = packet.destination.node();
      const unsigned hops = 1 + d % 5 + d / 5;
      CAPTURE(i, hops, packet.flits, cases[i].depth, cases[i].link, cases[i].flit_cycles);
      CHECK(packet.hops == hops);
      CHECK(packet.tail_cycle - packet.created == cases[i].latency(hops, packet.flits));
      CHECK(packet.injected == packet.created);
    }
    rigs[i]->loaded->check_conservation();
    CHECK(rigs[i]->loaded->network().flits_in_flight() == 0);
  }
}

constexpr auto wormhole = router::Switching::wormhole;
constexpr auto forward = router::Switching::store_and_forward;
constexpr auto cut_through = router::Switching::virtual_cut_through;

}  // namespace

TEST_CASE("an uncontended packet takes H R + (H - 1) L + L_inj + L_ej + P n cycles") {
  std::vector<Expectation> cases;
  for (const Cycle link : {1, 2, 7, 100}) {
    for (const Cycle stage : {1, 3}) {
      cases.push_back({link, 1, 1, 1, 1, 1, stage, 1, 1, stage, 1024, wormhole});
      cases.push_back({link, 5, 2, 1, 1, 1, 1, stage, stage, 1, 1024, cut_through});
    }
    cases.push_back({link, 3, 4, 1, 2, 0, 0, 0, 1, 0, 1024, wormhole});
  }
  check(cases, {1, 2, 5, 64});
}

TEST_CASE(
    "a packet of P flits of n words takes P n cycles at its last link, and store-and-forward every hop") {
  std::vector<Expectation> cases;
  for (const Cycle n : {1, 2, 5}) {
    for (const auto switching : {wormhole, cut_through, forward}) {
      for (const bool whole : {false, true})
        cases.push_back({3, 2, 1, n, 1, 1, 1, 1, 1, 1, 256, switching, std::nullopt, whole});
    }
  }
  check(cases, {1, 2, 9});
}

TEST_CASE("a buffer shorter than the credit loop stalls a packet once for every bufferful") {
  std::vector<Expectation> cases;
  for (const unsigned depth : {1U, 2U, 3U, 4U, 5U, 6U, 7U}) {
    for (const Cycle link : {1, 2, 4}) cases.push_back({link, 1, 1, 1, 1, 1, 1, 1, 1, 1, depth, wormhole});
    cases.push_back({1, 1, 1, 1, 3, 2, 2, 1, 1, 1, depth, wormhole});
    cases.push_back({2, 1, 2, 1, 1, 0, 1, 1, 2, 1, depth, wormhole});
  }
  check(cases, {1, 2, 4, 5, 6, 7, 16});
}

TEST_CASE("a source accepts credits after its own configured time") {
  std::vector<Expectation> cases;
  for (const unsigned depth : {1U, 2U, 4U, 6U}) {
    for (const Cycle own : {0, 1, 5}) {
      cases.push_back({1, 1, 1, 1, 1, 1, 1, 1, 1, 1, depth, wormhole, own});
      cases.push_back({1, 4, 2, 2, 1, 3, 0, 1, 1, 1, depth, wormhole, own});
    }
  }
  check(cases, {1, 2, 4, 5, 16});
}
