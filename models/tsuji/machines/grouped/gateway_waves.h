// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "tsuji/machines/grouped/grouped_machine.h"
#include "tsuji/observe/wave.h"

namespace tsuji::machines {

/// State of a direction of a gateway in a waveform. store: its first packet is being received; wait: the
/// packet waits for its turn or for room; send: a packet leaves.
enum class GatewayState : std::uint8_t { idle, store, wait, send };

/// Signals of one gateway: state and packet of both directions, and completed synchronizations. Made after
/// elaboration and before the first cycle; machine and waveform outlive the run.
class GatewayWaves {
 public:
  /// Parts from which the signals are made.
  struct Parts {
    GroupedMachine& machine;  ///< machine of the gateway
    unsigned group;           ///< number of the gateway's group
    observe::Wave& wave;      ///< waveform to which signals are added
    std::string scope;        ///< scope of the signals, for example "group3.gateway"
    std::string heading;      ///< heading of the signals in the save file
    /// Called when a head arrives at the gateway; `place` is `scope`.to_others or .from_others. May be empty.
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
