// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tsuji/core/packet.h"
#include "tsuji/nic/parcel.h"
#include "tsuji/nic/sender/header_registers.h"
#include "tsuji/nic/sender/packet_cutter.h"

namespace tsuji::nic {

/// Builder of a parcel's packets (Kanoh 2000, 4.2): cut, packet header, payload. RTL that replaces it
/// overrides the functions.
///
/// Contract: for each packet cut(), build(), then take_line() for each of PacketCut::read in order, then
/// close(). A packet that is cut again, or abandoned, has not been built.
class PacketBuilder {
 public:
  /// `node` sends the packets.
  PacketBuilder(const PacketSizes& sizes, NodeId node)
      : sizes_(sizes), node_(node), cutter_(sizes.max_payload_bytes) {}
  virtual ~PacketBuilder() = default;

  /// The parcel's next packet. A parcel without data from memory has one packet; a refused reply ends with an
  /// empty packet.
  virtual PacketCut cut(const ParcelState& parcel);
  /// Writes routing, lengths and header, and the payload of a packet that reads no line.
  virtual void build(Packet& packet, const ParcelState& parcel, const PacketCut& cut);
  /// Copies the bytes of a source line into the payload. `line`: its 128 bytes.
  virtual void take_line(Packet& packet, const LineRead& read, const unsigned char* line);
  /// Ends a packet, whose payload is complete. `port_bits`: ports of the first switch.
  virtual void close(const Packet& /*packet*/, std::uint32_t /*port_bits*/) {}

 protected:
  const PacketSizes& sizes() const { return sizes_; }
  NodeId node() const { return node_; }

 private:
  void fill_body(Packet& packet, const ParcelState& parcel) const;

  const PacketSizes sizes_;
  const NodeId node_;
  const PacketCutter cutter_;
};

}  // namespace tsuji::nic
