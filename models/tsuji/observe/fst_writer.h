/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <fstapi.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { tsuji_fst_short = 8, tsuji_fst_text = 48 };

/** The writer's memory for the changes of a block. */
struct tsuji_fst_block {
  unsigned char *begin, *end; /* of the changes so far */
  uint32_t* places;           /* [signal - 1][4]: offset, bits, last change, its time */
  uint32_t now;
};

/** Begins changes at the writer's time, `count` at most, by tsuji_fst_put_digits() and tsuji_fst_put_text()
 * from the block's end on: the same bytes in the file as by fstWriterEmitValueChange() and
 * fstWriterEmitVariableLengthValueChange(), for a quarter of the instructions. Returns 0 where the writer has
 * no memory for them, which these functions allocate. Null where another copy of the writer is linked, such
 * as verilated_fst_c.cpp. */
__attribute__((weak)) int tsuji_fst_begin(void* writer, size_t count, struct tsuji_fst_block* block);
__attribute__((weak)) void tsuji_fst_end(void* writer, const struct tsuji_fst_block* block,
                                         const unsigned char* end);

static inline unsigned char* tsuji_fst_put_number(unsigned char* at, uint32_t number) {
  for (; number >= 128; number >>= 7) *at++ = (unsigned char)(number | 128);
  *at++ = (unsigned char)number;
  return at;
}

/** Number of a signal in `places`. */
static inline uint32_t tsuji_fst_row(fstHandle signal) {
  return 4 * (signal - 1);
}

static inline unsigned char* tsuji_fst_put_place(struct tsuji_fst_block block, unsigned char* at,
                                                 uint32_t row) {
  uint32_t* const place = block.places + row;
  const uint32_t before = place[2], since = block.now - place[3];
  place[2] = (uint32_t)(at - block.begin);
  memcpy(at, &before, sizeof(uint32_t)); /* between the stores, which one of both would take longer to make */
  place[3] = block.now;
  return tsuji_fst_put_number(at + sizeof(uint32_t), since);
}

/** Writes to `at` a change of a signal of `bits` bits, at most 8; `digits` has 8 characters, the signal's
 * first. Returns the end. */
static inline unsigned char* tsuji_fst_put_digits(struct tsuji_fst_block block, unsigned char* at,
                                                  uint32_t row, const char* digits, uint32_t bits) {
  at = tsuji_fst_put_place(block, at, row);
  memcpy(at, digits, tsuji_fst_short);
  return at + bits;
}

/** Likewise of a text signal; tsuji_fst_text characters of `text` can be read. */
static inline unsigned char* tsuji_fst_put_text(struct tsuji_fst_block block, unsigned char* at, uint32_t row,
                                                const char* text, uint32_t size) {
  at = tsuji_fst_put_number(tsuji_fst_put_place(block, at, row), size);
  memcpy(at, text, tsuji_fst_text);
  return at + size;
}

#ifdef __cplusplus
}
#endif
