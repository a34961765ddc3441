// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "tsuji/nic/parcel.h"
#include "tsuji/nic/tables.h"

namespace tsuji::nic {

/// Read of one source line for a packet. Lines are read as a whole; the first `skip` bytes belong to the
/// previous packet.
///
/// A source that begins at an odd word is shifted by one word on its path into the packet (Kanoh
/// 2000, 5.1.3), so its last word may be in the line after the packet's page. That line is read at the next
/// physical address; the word is wrong unless the next logical page is mapped there.
struct LineRead {
  std::uint64_t line = 0;     ///< logical (or physical) address, a multiple of 128
  std::uint16_t skip = 0;     ///< bytes before the packet's first byte in the line
  std::uint16_t bytes = 0;    ///< bytes of this line in the payload
  std::uint16_t payload = 0;  ///< offset of these bytes in the payload
  bool again = false;  ///< the last line of the previous packet, which is clean: main memory supplies it
};

/// A packet of a parcel, and the reads for its payload.
struct PacketCut {
  std::uint32_t offset = 0;        ///< offset of the payload in the parcel
  std::uint16_t bytes = 0;         ///< payload in bytes
  bool first = false;              ///< first packet of the parcel
  bool last = false;               ///< last packet of the parcel
  std::uint8_t reads = 0;          ///< number of valid elements of `read`
  std::array<LineRead, 3> read{};  ///< reads in order of their addresses
  std::uint64_t last_line = 0;     ///< last line, for the next packet's optimized read (5.1.2); no_line: none
};

/// Cuts parcels into packets (Kanoh 2000, 4.2). A payload ends at a line boundary of the destination, so that
/// the Receiver writes whole lines. It never crosses a page boundary of source or destination.
class PacketCutter {
 public:
  /// `max_payload_bytes`: 128 or 256.
  explicit PacketCutter(unsigned max_payload_bytes) : max_(max_payload_bytes) {}

  /// Returns the packet at `offset` of a parcel of `length` bytes. `source` is a multiple of 4. `destination`
  /// is the destination address as the Sender knows it (the offset from an address register; 0 for messages),
  /// a multiple of 8, or of 4 for a parcel of one word. `last_line` is PacketCut::last_line of the previous
  /// packet, or no_line.
  PacketCut next(std::uint64_t source, std::uint64_t destination, std::uint32_t length, std::uint32_t offset,
                 std::uint64_t last_line) const;

  /// No line of a previous packet.
  static constexpr std::uint64_t no_line = ~std::uint64_t{0};

 private:
  unsigned max_;
};

}  // namespace tsuji::nic
