// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tsuji/core/packet.h"
#include "tsuji/instruments/packet_story.h"
#include "tsuji/platform/command_line.h"

namespace tsuji::session {

struct NetworkRunConfig;

/// Name of the option that reports the stories of packets.
constexpr const char* follow_name = "--follow";

/// Value of --follow. The first run finds the times of the packets; a second, identical one, a child process
/// whose value has these times (15.105@CREATED:INJECTED:TAIL), watches them at these times alone. With
/// --waves a third one records a waveform of the routers that they pass.
struct Follow {
  std::vector<PacketId> packets;  ///< packets that are named
  unsigned slowest = 0;           ///< number of packets with the longest latencies; 0: the named ones
  std::vector<instruments::PacketTimes> times;  ///< of each named packet, in a second run

  /// ConfigError for any other text.
  static Follow parse(const std::string& text);
};

/// The option --follow. `run` makes a run of the configuration with the given options.
platform::PlatformOption follow_option(
    const NetworkRunConfig& config,
    const std::function<void(const platform::RunOptions&, observe::Results&)>& run);

}  // namespace tsuji::session
