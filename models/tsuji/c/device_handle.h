// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "tsuji/c/bit_rows.h"
#include "tsuji/c/tsuji.h"
#include "tsuji/pins/device.h"

/// A device of the C interface.
struct tsuji_device {
  std::unique_ptr<tsuji::pins::Device> model;  ///< null: it could not be made
  tsuji::c::BitRows bits;
  int status = TSUJI_OK;
  std::string error;   ///< text of the last call that failed
  std::string reason;  ///< text of the call that made `status` what it is
};

namespace tsuji::c {

/// Bits of a vector, of which some may be unknown (X or Z).
struct KnownBits {
  unsigned width;
  const std::uint32_t* words;
  const std::uint32_t* unknown;  ///< a bit for each bit; null: all are known
};
struct Bits {
  unsigned width;
  std::uint32_t* words;
};

/// Gives a call's device this text; returns TSUJI_REFUSED.
int refuse(tsuji_device* device, const std::string& text) noexcept;
/// tsuji_step_bits() with bits that may be unknown. A device that looks at a lane with such a bit refuses it.
int step_bits(tsuji_device* device, const KnownBits& in, const Bits& out) noexcept;

}  // namespace tsuji::c
