// SPDX-License-Identifier: Apache-2.0
#include "tsuji/host/library/put_plan.h"

#include <algorithm>

#include "tsuji/nic/parcel.h"
#include "tsuji/nic/tables.h"

namespace tsuji::host {
namespace {

constexpr std::uint64_t word_bytes = 4;
constexpr bool is_odd(std::uint64_t address) {
  return address % 8 != 0;
}

}  // namespace

PutPiece PutPlan::take(PutPiece::Data data, std::uint64_t bytes) {
  const PutPiece piece{data, source_, destination_, static_cast<std::uint32_t>(bytes)};
  source_ += bytes;
  destination_ += bytes;
  bytes_ -= bytes;
  return piece;
}

PutPiece PutPlan::next() {
  if (resends()) {
    const std::uint64_t behind = source_ - border_;
    const PutPiece piece{PutPiece::Data::word, border_, destination_ - behind, word_bytes};
    border_ += nic::page_bytes;
    return piece;
  }
  if (is_odd(destination_)) return take(PutPiece::Data::word, word_bytes);
  const std::uint64_t bytes = std::min<std::uint64_t>(bytes_, nic::ParcelHeader::max_data_bytes);
  if (!is_odd(source_)) return take(PutPiece::Data::memory, bytes);
  if (realignment_ == Realignment::software) return take(PutPiece::Data::copy, bytes);
  border_ = (source_ / nic::page_bytes + 1) * nic::page_bytes;
  shifted_end_ = source_ + bytes;
  return take(PutPiece::Data::memory, bytes);
}

}  // namespace tsuji::host
