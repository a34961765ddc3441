// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "tsuji/lookup/cam.h"
#include "tsuji/lookup/switch_lookup.h"

namespace tsuji::lookup {

/// The way of misses through the switch to a memory on a chip of its own and back, a clock edge a call: an
/// arbiter among the ports, first come first served, and the stages of the switch's wires and of SerDes in
/// both directions (Hirasawa 2020, sections 2.1 and 3.1). The memory stands beside it, and takes an access
/// whenever the path sends one.
class MissPath {
 public:
  /// A port's miss, at the path's inputs for one cycle.
  struct Request {
    unsigned port = 0;
    std::uint64_t key = 0;
  };
  /// Outputs in the cycle behind an edge.
  struct Drive {
    CamRequest cam;
    bool returns = false;  ///< an answer is back at a port
    unsigned port = 0;
    std::uint32_t value = 0;  ///< 0, no route, where the memory has no row
  };

  /// `chip_cycles` of `timing.cam_cycles` are the memory's own; three more at least are the way.
  MissPath(const LookupTiming& timing, Cycle chip_cycles);

  /// A row is written, by an access that comes to the arbiter in the cycle behind the next edge, before the
  /// requests of that cycle; `edge_is_over`: in the cycle before the next edge.
  void write(std::uint32_t row, std::uint64_t key, std::uint32_t value, bool edge_is_over);
  /// The edge at the end of a cycle: requests in the order of the ports, and the memory's outputs.
  Drive step(const std::vector<Request>& requests, const CamAnswer& answer);
  /// The port to which the next edge brings an answer.
  std::optional<unsigned> returns_next() const;
  /// Accesses are under way, or outputs stand that the next edge takes away.
  bool busy() const {
    return lowers_ || edge_ < free_at_ || !writes_.empty() || !waiting_.empty() || !sent_.empty() ||
           !asked_.empty() || !back_.empty();
  }
  void add_to(LookupCounters& counters) const;
  /// Accesses so far are not counted.
  void forget_counts() { accesses_ = cam_writes_ = wait_sum_ = wait_most_ = 0; }

 private:
  struct Waiting {
    unsigned port = 0;  ///< of a search
    Cycle came = 0;
    CamRequest request;
  };
  struct Sent {
    Cycle at = 0;
    CamRequest request;
  };
  struct Back {
    Cycle at = 0;
    unsigned port = 0;
    std::uint32_t value = 0;
  };
  void grant();

  const Cycle out_cycles_, back_cycles_, interval_;
  Cycle edge_ = 0;  ///< counts edges; they are one a cycle while accesses are under way
  Cycle free_at_ = 0;
  bool lowers_ = false;
  std::vector<CamRequest> writes_;  ///< that come to the arbiter behind the next edge
  std::deque<Waiting> waiting_;
  std::deque<Sent> sent_;       ///< on the way there
  std::deque<unsigned> asked_;  ///< ports whose accesses have been granted and not answered
  std::deque<Back> back_;       ///< on the way back
  std::uint64_t accesses_ = 0, cam_writes_ = 0, wait_sum_ = 0, wait_most_ = 0;
};

}  // namespace tsuji::lookup
