/* SPDX-License-Identifier: Apache-2.0 */
/* The writer keeps its state to itself, so what works on it is compiled with it. */
#include <fstapi.c>

#include "tsuji/observe/fst_writer.h"

static unsigned char* put_number(unsigned char* at, uint32_t number) {
  for (; number >= 128; number >>= 7) *at++ = (unsigned char)(number | 128);
  *at++ = (unsigned char)number;
  return at;
}

static void emit_one(void* writer, const struct tsuji_fst_change* change) {
  if (change->text == NULL) {
    fstWriterEmitValueChange(writer, change->signal, change->digits);
  } else {
    fstWriterEmitVariableLengthValueChange(writer, change->signal, change->text, change->text_size);
  }
}

void tsuji_fst_emit(void* writer, const struct tsuji_fst_change* changes, size_t count) {
  enum {
    most_bytes = 4 + 2 * 5 + tsuji_fst_text
  }; /* place of the change before, time and size, characters */
  struct fstWriterContext* const own = writer;
  const struct tsuji_fst_change* const end = changes + count;
  unsigned char *at, *begin;
  uint32_t* places;
  uint32_t now;
  /* The first values of a file, a fresh block, and a full one are seldom. */
  if (own->valpos_mem == NULL || own->is_initial_time ||
      own->vchg_siz + (uint64_t)count * most_bytes > own->vchg_alloc_siz) {
    for (; changes != end; ++changes) emit_one(writer, changes);
    return;
  }
  begin = own->vchg_mem;
  at = begin + own->vchg_siz;
  now = own->tchn_idx;
  places = own->valpos_mem;
  for (; changes != end; ++changes) {
    uint32_t* const place = places + 4 * (changes->signal - 1); /* offset, bits, last change, its time */
    const uint32_t here = (uint32_t)(at - begin);
    memcpy(at, &place[2], sizeof(uint32_t));
    at = put_number(at + sizeof(uint32_t), now - place[3]);
    place[2] = here;
    place[3] = now;
    if (changes->text == NULL) {
      memcpy(at, changes->digits, tsuji_fst_short);
      at += place[1];
    } else {
      at = put_number(at, changes->text_size);
      memcpy(at, changes->text, tsuji_fst_text);
      at += changes->text_size;
    }
  }
  own->vchg_siz = (uint32_t)(at - begin);
}
