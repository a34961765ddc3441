/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <fstapi.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { tsuji_fst_short = 8, tsuji_fst_text = 48 };

/** A change of a signal of at most 8 bits, or of a text signal. */
struct tsuji_fst_change {
  fstHandle signal;
  uint32_t text_size;           /* characters of the text */
  const char* text;             /* tsuji_fst_text characters can be read; null: a signal of bits */
  char digits[tsuji_fst_short]; /* the signal has the first ones */
};

/** fstWriterEmitValueChange() or fstWriterEmitVariableLengthValueChange() for each of `count` changes: the
 * same bytes in the file, for a third of the instructions. Null where another copy of the writer is linked,
 * such as verilated_fst_c.cpp. */
__attribute__((weak)) void tsuji_fst_emit(void* writer, const struct tsuji_fst_change* changes, size_t count);

#ifdef __cplusplus
}
#endif
