// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "tsuji/core/packet.h"
#include "tsuji/core/units.h"
#include "tsuji/network/dense/wires.h"

namespace tsuji::network::dense {

/// Flit that a watch sees.
struct WatchedFlit {
  PacketIndex packet = 0;
  std::uint16_t sequence = 0;  ///< position in its packet
  bool tail = false;
};

/// Observer of a router's cycles (DenseNetwork::watch). Virtual channels of its inputs and outputs have the
/// numbers of their places in a row: 64 words and bits (RowPlace).
class RouterWatch {
 public:
  virtual ~RouterWatch() = default;
  /// A flit reaches an input of RouterWatchPlan::arrivals.
  virtual void arrives(unsigned input_vc, const WatchedFlit& flit, Cycle now) = 0;
  /// A credit reaches an output of RouterWatchPlan::credits.
  virtual void gets_credit(unsigned output_vc, Cycle now) = 0;
  /// RC begins.
  virtual void starts(unsigned input_vc, PacketIndex packet, Cycle now) = 0;
  /// VA begins.
  virtual void requests_vc(unsigned input_vc, Cycle now) = 0;
  /// VA is successful, and ends with the cycle before `end`.
  virtual void granted_vc(unsigned input_vc, Cycle end) = 0;
  /// A flit leaves its buffer.
  virtual void passes(unsigned input_vc, unsigned output_vc, const WatchedFlit& flit, Cycle now) = 0;
};

/// Ports of a router whose arrivals its watch sees, since nobody watches the far end: [port].
struct RouterWatchPlan {
  std::vector<bool> arrivals;  ///< flits at the input
  std::vector<bool> credits;   ///< credits at the output
};

/// A router that is watched. It compares the router's masks before and after a cycle, so that the router's
/// own cycle is that of all others.
class WatchedRouter {
 public:
  virtual ~WatchedRouter() = default;
  /// Called around each cycle in which the router runs.
  virtual void before(const Moment& at) = 0;
  virtual void after(const Moment& at) = 0;
  /// All cycles before `now` have run, and no further one runs: reports what is still on the wires to
  /// RouterWatchPlan's ports, with the cycles of arrival.
  virtual void end(Cycle now) = 0;
};

}  // namespace tsuji::network::dense
