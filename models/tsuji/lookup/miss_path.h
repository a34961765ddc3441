// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "tsuji/lookup/cam.h"
#include "tsuji/lookup/switch_lookup.h"

namespace tsuji::lookup {

/// Path of misses through the switch to the off-chip CAM and back, one clock edge per call: an arbiter among
/// the ports, first come first served, and pipeline stages of the on-chip network and of SerDes in both
/// directions (Hirasawa 2020, sections 2.1 and 3.1). The CAM is a separate module, which accepts every access
/// that the path sends.
class MissPath {
 public:
  /// Miss of a port, at the path's inputs for one cycle.
  struct Request {
    unsigned port = 0;
    std::uint64_t key = 0;
  };
  /// Outputs in the cycle after an edge.
  struct Drive {
    CamRequest cam;
    bool returns = false;  ///< an answer has returned to a port
    unsigned port = 0;
    std::uint32_t value = 0;  ///< 0 (no route) if the memory has no row
  };

  /// `chip_cycles`: access of the CAM alone, at least 3 less than `timing.cam_cycles`.
  MissPath(const LookupTiming& timing, Cycle chip_cycles);

  /// Writes a row, by an access that reaches the arbiter in the cycle after the next edge, before the
  /// requests of that cycle; with `edge_is_over` in the cycle of the next edge.
  void write(std::uint32_t row, std::uint64_t key, std::uint32_t value, bool edge_is_over);
  /// Clock edge at the end of a cycle. `requests` in the order of the ports; `answer`: outputs of the memory.
  Drive step(const std::vector<Request>& requests, const CamAnswer& answer);
  /// Port that has an answer after the next edge.
  std::optional<unsigned> returns_next() const;
  /// Returns true while accesses are in progress or an output must be lowered.
  bool busy() const {
    return lowers_ || edge_ < free_at_ || !writes_.empty() || !waiting_.empty() || !sent_.empty() ||
           !asked_.empty() || !back_.empty();
  }
  void add_to(LookupCounters& counters) const;
  /// Resets the counters.
  void forget_counts() { accesses_ = cam_writes_ = wait_sum_ = wait_most_ = 0; }

 private:
  struct Waiting {
    unsigned port = 0;  ///< port that requests a search
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
  Cycle edge_ = 0;  ///< number of edges; one per cycle while the path is busy
  Cycle free_at_ = 0;
  bool lowers_ = false;
  std::vector<CamRequest> writes_;  ///< writes that reach the arbiter after the next edge
  std::deque<Waiting> waiting_;
  std::deque<Sent> sent_;       ///< accesses on the wires from the arbiter to the memory
  std::deque<unsigned> asked_;  ///< ports with granted, unanswered accesses
  std::deque<Back> back_;       ///< answers on the wires from the memory to the ports
  std::uint64_t accesses_ = 0, cam_writes_ = 0, wait_sum_ = 0, wait_most_ = 0;
};

}  // namespace tsuji::lookup
