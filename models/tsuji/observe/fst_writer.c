/* SPDX-License-Identifier: Apache-2.0 */
/* The writer keeps its state to itself, so what works on it is compiled with it. */
#include <fstapi.c>

#include "tsuji/observe/fst_writer.h"

enum { short_value = 8, chain_and_delta = 10 };

void tsuji_fst_emit_shorts(void* writer, const struct tsuji_fst_short* changes, size_t count) {
  struct fstWriterContext* const own = writer;
  const struct tsuji_fst_short* const end = changes + count;
  const uint64_t most = (uint64_t)count * (short_value + chain_and_delta);
  unsigned char* at;
  uint32_t now;
  /* The first values of a file, a fresh block, and a full one are seldom. */
  if (own->valpos_mem == NULL || own->is_initial_time || own->vchg_siz + most > own->vchg_alloc_siz) {
    for (; changes != end; ++changes) fstWriterEmitValueChange(writer, changes->signal, changes->digits);
    return;
  }
  at = own->vchg_mem + own->vchg_siz;
  now = own->tchn_idx;
  for (; changes != end; ++changes) {
    uint32_t* const place =
        own->valpos_mem + 4 * (changes->signal - 1); /* offset, bits, last change, its time */
    const uint32_t here = (uint32_t)(at - own->vchg_mem);
    uint32_t delta = now - place[3];
    memcpy(at, &place[2], sizeof(uint32_t));
    at += sizeof(uint32_t);
    for (; delta >= 128; delta >>= 7) *at++ = (unsigned char)(delta | 128);
    *at++ = (unsigned char)delta;
    memcpy(at, changes->digits, short_value);
    at += place[1];
    place[2] = here;
    place[3] = now;
  }
  own->vchg_siz = (uint32_t)(at - own->vchg_mem);
}
