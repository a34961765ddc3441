// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "tsuji/nic/parcel.h"
#include "tsuji/nic/tables.h"

namespace tsuji::nic {

/// One read of a source line for a packet. Whole lines are read; `skip` bytes of it belong to the packet
/// before.
///
/// A source that begins at an odd word is shifted by one word on its way into the packet (5.1.3), so the last
/// of its words may be in the line behind the packet's page. That line is read where the page goes on
/// physically, and its word is wrong unless the next logical page is there.
struct LineRead {
  std::uint64_t line = 0;  ///< logical (or physical) address, a multiple of 128
  std::uint16_t skip = 0;
  std::uint16_t bytes = 0;    ///< of this line in the payload
  std::uint16_t payload = 0;  ///< where they go in the payload
  bool again = false;         ///< the packet before read this line last: it is clean, main memory has it
};

/// The next packet of a parcel.
struct PacketCut {
  std::uint32_t offset = 0;  ///< in the parcel
  std::uint16_t bytes = 0;
  bool first = false;
  bool last = false;
  std::uint8_t reads = 0;
  std::array<LineRead, 3> read{};
  std::uint64_t last_line = 0;  ///< for the next packet's optimized read (5.1.2); no_line: none
};

/// Cuts parcels into packets (4.2). A payload ends at a line border of the destination, so that the Receiver
/// writes whole lines; it never crosses a page of the source or of the destination.
class PacketCutter {
 public:
  /// `max_payload_bytes`: 128 or 256.
  explicit PacketCutter(unsigned max_payload_bytes) : max_(max_payload_bytes) {}

  /// The packet at `offset` of a parcel of `length` bytes. `destination` is the parcel's destination address
  /// as far as the Sender knows it (the offset from an address register; 0 for messages). Both are multiples
  /// of 4; the destination one of 8, unless the parcel is a single word. `last_line`: PacketCut::last_line of
  /// the packet before, or no_line.
  PacketCut next(std::uint64_t source, std::uint64_t destination, std::uint32_t length, std::uint32_t offset,
                 std::uint64_t last_line) const;

  static constexpr std::uint64_t no_line = ~std::uint64_t{0};

 private:
  unsigned max_;
};

}  // namespace tsuji::nic
