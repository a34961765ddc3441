// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "tsuji/machines/grouped/grouped_machine.h"
#include "tsuji/observe/wave.h"

namespace tsuji::machines {

/// State of a direction of a gateway in a waveform: `store` until its first packet is whole and looked at,
/// `wait` for its turn and for room, `send` while a packet leaves.
enum class GatewayState : std::uint8_t { idle, store, wait, send };

/// Signals of one gateway: for both directions the state and the packet, and the synchronizations whose
/// groups have all come. Made after elaboration and before the start; the machine and the waveform outlive
/// its run.
class GatewayWaves {
 public:
  struct Parts {
    GroupedMachine& machine;
    unsigned group;
    observe::Wave& wave;
    std::string scope;    ///< of the signals, as "group3.gateway"
    std::string heading;  ///< of their groups in the view
    /// A head has come to the gateway, to the signals in `scope`.to_others or .from_others; may be empty.
    std::function<void(const Packet& packet, const std::string& place, Cycle at)> comes = {};
  };
  explicit GatewayWaves(const Parts& parts);
  ~GatewayWaves();
  GatewayWaves(const GatewayWaves&) = delete;
  GatewayWaves& operator=(const GatewayWaves&) = delete;

 private:
  class Direction;
  class Arrivals;
  class Departures;

  std::unique_ptr<Direction> out_, in_;
  std::unique_ptr<Arrivals> from_group_, from_others_;
  std::unique_ptr<Departures> departures_;
};

}  // namespace tsuji::machines
