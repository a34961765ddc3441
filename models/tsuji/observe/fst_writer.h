/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <fstapi.h>

#ifdef __cplusplus
extern "C" {
#endif

/** fstWriterEmitValueChange() for a signal of at most 8 bits: `digits` are eight characters, of which the
 * signal has the first ones. The same bytes in the file, for half the instructions. Null where another copy
 * of the writer is linked, such as verilated_fst_c.cpp. */
__attribute__((weak)) void tsuji_fst_emit_short(void* writer, fstHandle signal, const void* digits);

#ifdef __cplusplus
}
#endif
