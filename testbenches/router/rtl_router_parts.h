// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "router/rtl_router.h"

// For the sources of RtlRouter alone.

namespace tsuji::bench {

/// A head that waits at an input.
routing::RouteQuery query_of(const graph::PortRef& at, unsigned vc, const Packet& packet, std::uint64_t seed);

/// Payload pins of a head, or of the flits after a head.
const RtlBits& payload_of(const RtlFlitPins& pins, bool head);

/// A packet of which some flits are in the RTL.
struct RtlRouter::Inside {
  std::uint16_t came = 0, left = 0;  ///< flits so far
  bool here = false;
  std::uint8_t in_port = 0, in_vc = 0, out_port = 0, out_vc = 0;
  routing::RouteSet routes;  ///< candidates, computed when the head arrived
};

/// A flit that the output pins show.
struct RtlRouter::OutFlit {
  bool head = false, tail = false;
  unsigned vc = 0;
  PacketIndex packet = 0;
  std::uint16_t sequence = 0;
};

/// Flits of an input virtual channel whose slots the RTL has not yet returned as credits.
struct RtlRouter::OpenPlaces {
  unsigned flits = 0;
  int left = 0;     ///< flits that left by an output; negative if the credit comes first
  Cycle since = 0;  ///< cycle of the last credit, or in which the first of these flits left
};

/// An output of the RTL without a link.
struct RtlRouter::DeadEnd {
  const RtlFlitPins* pins = nullptr;
  std::string name;  ///< "port 3"
};

struct RtlRouter::Port {
  unsigned number = 0;  ///< port number in the network
  unsigned rtl = 0;     ///< port number of the RTL
  const RtlPortPins* pins = nullptr;
  FlitChannel* in = nullptr;
  FlitChannel* out = nullptr;
  bool to_node = false;
  std::unique_ptr<FlitPinDriver> driver;  ///< credits
  std::vector<std::uint16_t> sequence;    ///< [vc] of the next flit in
  std::vector<OpenPlaces> open;           ///< [vc]
  bool offered = false;                   ///< valid_ready
  FlitSender sender;
  std::vector<std::uint16_t> taken;                  ///< [vc] downstream slots without a returned credit
  std::vector<std::pair<bool, PacketIndex>> holder;  ///< [vc] of the output: a packet whose tail has not left
};

}  // namespace tsuji::bench
