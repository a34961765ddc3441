/* SPDX-License-Identifier: Apache-2.0 */
/// For simulators with four values.
#ifndef TSUJI_C_UNKNOWN_BITS_H
#define TSUJI_C_UNKNOWN_BITS_H

#include "tsuji/c/tsuji.h"

#ifdef __cplusplus
extern "C" {
#endif

/// tsuji_step_bits() of inputs some of whose bits are unknown (X or Z): 1 in `unknown`. A device breaks if it looks at a pin of
/// less than 64 bits that has one; in a pin of 64 bits it takes them for 0.
int tsuji_step_known_bits(tsuji_device* device, unsigned in_bits, const uint32_t* in, const uint32_t* unknown,
                          unsigned out_bits, uint32_t* out);

#ifdef __cplusplus
}
#endif

#endif
