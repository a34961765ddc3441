#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tsuji/host/library/point_to_point.h"

namespace tsuji::host {

/// Where a rank's program stands, for the report of programs that wait for each other forever.
struct RankState {
  std::uint32_t rank = 0;
  bool finished = false;
  std::string doing;                  ///< "operation 17: recv 4 2 40960"
  bool in_collective = false;         ///< waits inside collective number `collectives`
  std::uint64_t collectives = 0;      ///< collectives entered
  std::vector<OpenRequest> requests;  ///< open ones
  std::vector<Unexpected> unexpected;
};

/// What a processor runs: one object a rank, driven from the processor's own thread of control.
class RankProgram {
 public:
  virtual ~RankProgram() = default;
  virtual void run() = 0;
  virtual RankState state() const = 0;
};

/// Who waits for what, in the order of the ranks, and a circle of ranks that wait for each other if there is
/// one. A rank waits for the senders and receivers of its open requests, and inside a collective for those
/// who have not entered it.
std::string format_wait_report(const std::vector<RankState>& ranks);

}  // namespace tsuji::host
