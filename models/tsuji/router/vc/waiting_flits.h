// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tsuji/core/arena.h"
#include "tsuji/router/vc/input_vc.h"
#include "tsuji/routing/routing.h"

namespace tsuji::router {

/// Flits of packets at the front of a router's input virtual channels that have still to leave by each output
/// (OutputBuffers::waiting), for routings that read them. A packet counts from the cycle after its route
/// request on: until its head leaves at every output among its candidates, then at the one that it left by.
///
/// Contract: expect() for a head whose candidates are known; leave() for each flit, before
/// InputVc::flit_left(); forget() for a packet whose state is discarded. Cycles never decrease; reads of a
/// cycle come before its departures.
class WaitingFlits {
 public:
  WaitingFlits(Arena& arena, unsigned ports, unsigned most_vcs, unsigned input_vcs)
      : counts_(arena.array<Count>(std::size_t{ports} * most_vcs)),
        at_(arena.array<At>(input_vcs)),
        most_vcs_(most_vcs) {}

  /// Flits of an output's virtual channel as of the end of the cycle before `now`.
  unsigned before(Cycle now, unsigned port, unsigned vc) const {
    const Count& count = counts_[port * most_vcs_ + vc];
    return count.changed == now ? count.before : count.flits;
  }
  void expect(const InputVc& vc, const routing::RouteCandidate* candidates, unsigned flits, Cycle now) {
    at_[vc.number] = At::candidates;
    add_at_all(vc, candidates, static_cast<int>(flits), now);
  }
  void leave(const InputVc& vc, const routing::RouteCandidate* candidates, unsigned flits, Cycle now) {
    At& at = at_[vc.number];
    if (at == At::nowhere) return;
    if (at == At::candidates) {
      add_at_all(vc, candidates, -static_cast<int>(flits), now);
      add(vc.out_port, vc.out_vc, static_cast<int>(flits) - 1, now);
      at = At::output;
    } else {
      add(vc.out_port, vc.out_vc, -1, now);
    }
    if (vc.sequence + 1U == flits) at = At::nowhere;
  }
  void forget(const InputVc& vc, const routing::RouteCandidate* candidates, unsigned flits, Cycle now) {
    At& at = at_[vc.number];
    if (at == At::candidates) add_at_all(vc, candidates, -static_cast<int>(flits), now);
    if (at == At::output)
      add(vc.out_port, vc.out_vc, static_cast<int>(vc.sequence) - static_cast<int>(flits), now);
    at = At::nowhere;
  }

 private:
  /// Where the packet at the front of an input virtual channel counts.
  enum class At : std::uint8_t { nowhere, candidates, output };
  struct Count {
    Cycle changed = 0;  ///< last cycle in which `flits` changed
    std::uint32_t flits = 0, before = 0;
  };

  /// A candidate with several virtual channels counts at the first of them.
  void add_at_all(const InputVc& vc, const routing::RouteCandidate* candidates, int flits, Cycle now) {
    for (unsigned c = 0; c < vc.candidates; ++c)
      if (candidates[c].vcs != 0)
        add(candidates[c].port, static_cast<unsigned>(__builtin_ctz(candidates[c].vcs)), flits, now);
  }
  void add(unsigned port, unsigned vc, int flits, Cycle now) {
    Count& count = counts_[port * most_vcs_ + vc];
    if (count.changed != now) count.before = count.flits;
    count.changed = now;
    count.flits += static_cast<std::uint32_t>(flits);
  }

  Count* counts_;  ///< [port][virtual channel]
  At* at_;         ///< [input virtual channel]
  unsigned most_vcs_;
};

}  // namespace tsuji::router
