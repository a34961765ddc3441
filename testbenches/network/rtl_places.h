// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tsuji/graph/topology.h"

// Places of RTL in a network, as --rtl names them: "cam=5,cache=5.2+6,switch=3+7".

namespace tsuji::bench {

/// A word of --rtl.
struct RtlDevice {
  std::string word;
  bool at_ports = false;                ///< one at each input port of a router; else one in each router
  std::vector<std::string> holds = {};  ///< words of devices that are parts of it
};

/// Places of one device in a network.
struct RtlPlaces {
  std::set<graph::RouterId> routers;  ///< routers with at least one of the devices
  std::set<std::pair<graph::RouterId, unsigned>>
      ports;  ///< input ports with the device, if it is RtlDevice::at_ports
};

/// Places of a device in the text of the option.
struct WrittenPlaces {
  const RtlDevice* device = nullptr;
  std::vector<std::string> places;  ///< places as written: all, ROUTER or ROUTER.PORT
};

/// A number from 0 to `below` - 1; nothing for other text.
std::optional<unsigned> number_below(const std::string& text, unsigned below);

/// Reads DEVICE=PLACE+PLACE,DEVICE=PLACE of rtl.places; the result refers to `devices`. ConfigError for text
/// of another form, for an unknown device, and for a device that is listed twice.
std::vector<WrittenPlaces> read_places(const std::string& text, const std::vector<RtlDevice>& devices);

/// The places in a network, for each device of `written`. ConfigError for places that the network lacks, that
/// are named twice, or that are part of another RTL.
std::vector<RtlPlaces> places_in(const graph::Topology& topology, const std::vector<WrittenPlaces>& written);

}  // namespace tsuji::bench
