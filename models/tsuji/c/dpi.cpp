// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include "tsuji/c/device_handle.h"

namespace {

constexpr unsigned most_bits = 2048;  ///< of tsuji_vector in tsuji_dpi.sv

}  // namespace

/// tsuji_step_bits() with vectors of `most_bits`, which DPI passes as a whole.
extern "C" [[gnu::visibility("default")]] int tsuji_dpi_step(tsuji_device* device, unsigned in_bits,
                                                             const std::uint32_t* in, unsigned out_bits,
                                                             std::uint32_t* out) {
  std::fill(out, out + most_bits / 32, 0);
  if (std::max(tsuji_input_bits(device), tsuji_output_bits(device)) > most_bits)
    return tsuji::c::refuse(device,
                            "more than " + std::to_string(most_bits) +
                                " bits of inputs or outputs: use tsuji_put(), tsuji_step() and tsuji_get()");
  return tsuji::c::step_bits(device, {in_bits, in, nullptr}, {out_bits, out});
}
