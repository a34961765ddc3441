// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tsuji/host/library/task_layout.h"

namespace tsuji::host {

/// A parcel of a put.
struct PutPiece {
  enum class Data : std::uint8_t {
    memory,  ///< the network interface reads the source
    copy,    ///< the processor copies it to a doubleword first
    word,    ///< 4 bytes that the processor loads: inline mode
  };
  Data data = Data::memory;
  std::uint64_t source = 0;
  std::uint64_t destination = 0;
  std::uint32_t bytes = 0;
};

/// The parcels that a put of any words is made of, in order (Kanoh 2000, 5.1.3). To an odd word goes a word
/// of its own, which leaves doublewords at the destination. Where the source is odd then, either the network
/// interface shifts, and the first word behind each border of source pages, which it sends wrong, goes once
/// more; or the processor copies.
class PutPlan {
 public:
  /// Addresses and `bytes`, which is not 0, are multiples of 4.
  PutPlan(std::uint64_t source, std::uint64_t destination, std::uint64_t bytes, Realignment realignment)
      : source_(source), destination_(destination), bytes_(bytes), realignment_(realignment) {}

  bool ended() const { return bytes_ == 0 && !resends(); }
  PutPiece next();

 private:
  bool resends() const { return border_ < shifted_end_; }
  PutPiece take(PutPiece::Data data, std::uint64_t bytes);

  std::uint64_t source_, destination_, bytes_;  ///< what is left
  const Realignment realignment_;
  /// Of the shifted parcel before: the next border of its source pages, and its source's end.
  std::uint64_t border_ = 0, shifted_end_ = 0;
};

}  // namespace tsuji::host
