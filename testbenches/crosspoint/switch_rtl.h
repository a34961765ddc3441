// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "tsuji/pins/switch_straps.h"
#include "tsuji/crosspoint/config.h"

namespace tsuji::bench {

using crosspoint::SwitchStraps;

/// Pins of a crosspoint switch in RTL (crosspoint_switch.v), a lane for each port. Outputs are those after
/// the edge.
struct SwitchPins {
  using Lanes = std::array<std::uint32_t, crosspoint::max_ports>;
  std::uint32_t in_valid = 0;
  Lanes in_flit{}, out_room{};
  std::uint32_t out_valid = 0;
  Lanes out_flit{}, in_freed{}, out_from{}, out_sid{};
  bool sync_done = false, sync_complete = false;
  std::uint32_t sync_input = 0, sync_output = 0, sync_arrived = 0, sync_early = 0;
};

/// One crosspoint switch in RTL.
///
/// Contract: start() once, then cycle() for each cycle in which something is in the switch or arrives; the
/// others change nothing.
class SwitchRtl {
 public:
  virtual ~SwitchRtl() = default;
  /// Resets the switch into its place in the network.
  virtual void start(const SwitchStraps& straps) = 0;
  /// Takes the inputs, runs one edge of the clock, and fills in the outputs.
  virtual void cycle(SwitchPins& pins) = 0;
};

/// RTL of crosspoint switches, with the parameters that it was made with.
struct SwitchRtlKind {
  std::string name;
  crosspoint::CrosspointConfig config;
  unsigned longest_flits = 0;  ///< longest packet
  std::function<std::unique_ptr<SwitchRtl>(const std::string& name)> make;
};

}  // namespace tsuji::bench
