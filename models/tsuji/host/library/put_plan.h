// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tsuji/host/library/task_layout.h"

namespace tsuji::host {

/// A parcel of a put.
struct PutPiece {
  enum class Data : std::uint8_t {
    memory,  ///< The network interface reads the source.
    copy,    ///< The processor first copies the source to a doubleword boundary.
    word,    ///< 4 bytes that the processor loads and sends inline.
  };
  Data data = Data::memory;
  std::uint64_t source = 0;
  std::uint64_t destination = 0;
  std::uint32_t bytes = 0;
};

/// Divides a put of any number of words into parcels, in order (Kanoh 2000, section 5.1.3). A first odd word
/// at the destination is a separate parcel, which leaves doublewords at the destination. If the source is at
/// an odd word then, there are two methods. Either the network interface shifts the data, and the first word
/// after each page boundary of the source, which it sends incorrectly, is sent again; or the processor copies
/// the data.
class PutPlan {
 public:
  /// Addresses and `bytes` are multiples of 4; `bytes` is not 0.
  PutPlan(std::uint64_t source, std::uint64_t destination, std::uint64_t bytes, Realignment realignment)
      : source_(source), destination_(destination), bytes_(bytes), realignment_(realignment) {}

  bool ended() const { return bytes_ == 0 && !resends(); }
  PutPiece next();

 private:
  bool resends() const { return border_ < shifted_end_; }
  PutPiece take(PutPiece::Data data, std::uint64_t bytes);

  std::uint64_t source_, destination_, bytes_;  ///< Remaining part of the put.
  const Realignment realignment_;
  /// For the previous shifted parcel: the next page boundary of its source, and the end of its source.
  std::uint64_t border_ = 0, shifted_end_ = 0;
};

}  // namespace tsuji::host
