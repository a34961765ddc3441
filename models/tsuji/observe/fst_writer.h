/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <fstapi.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A change of a signal of at most 8 bits: the signal has the first characters of `digits`. */
struct tsuji_fst_short {
  fstHandle signal;
  char digits[8];
};

/** fstWriterEmitValueChange() for each of `count` changes: the same bytes in the file, for a third of the
 * instructions. Null where another copy of the writer is linked, such as verilated_fst_c.cpp. */
__attribute__((weak)) void tsuji_fst_emit_shorts(void* writer, const struct tsuji_fst_short* changes,
                                                 size_t count);

#ifdef __cplusplus
}
#endif
