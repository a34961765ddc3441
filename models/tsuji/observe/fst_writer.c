/* SPDX-License-Identifier: Apache-2.0 */
/* The writer keeps its state to itself, so what works on it is compiled with it. */
#include <fstapi.c>

#include "tsuji/observe/fst_writer.h"

enum { short_value = 8, chain_and_delta = 10 };

void tsuji_fst_emit_short(void* writer, fstHandle signal, const void* digits) {
  struct fstWriterContext* const own = writer;
  uint32_t* place;
  uint32_t delta;
  unsigned char* at;
  /* The first values of a file, a fresh block, and a full one are seldom. */
  if (own->valpos_mem == NULL || own->is_initial_time ||
      own->vchg_siz + short_value + chain_and_delta > own->vchg_alloc_siz) {
    fstWriterEmitValueChange(writer, signal, digits);
    return;
  }
  place = own->valpos_mem + 4 * (signal - 1); /* offset, bits, last change, and its time */
  at = own->vchg_mem + own->vchg_siz;
  memcpy(at, &place[2], sizeof(uint32_t));
  at += sizeof(uint32_t);
  for (delta = own->tchn_idx - place[3]; delta >= 128; delta >>= 7) *at++ = (unsigned char)(delta | 128);
  *at++ = (unsigned char)delta;
  memcpy(at, digits, short_value);
  place[2] = own->vchg_siz;
  place[3] = own->tchn_idx;
  own->vchg_siz = (uint32_t)(at - own->vchg_mem) + place[1];
}
