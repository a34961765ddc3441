/* SPDX-License-Identifier: Apache-2.0 */
/* The writer keeps its state to itself, so what works on it is compiled with it. */
#include <fstapi.c>

#include "tsuji/observe/fst_writer.h"

int tsuji_fst_begin(void* writer, size_t count, struct tsuji_fst_block* block) {
  enum {
    most_bytes = 4 + 2 * 5 + tsuji_fst_text
  }; /* place of the change before, time and size, characters */
  const struct fstWriterContext* const own = writer;
  /* The first values of a file, a fresh block, and a full one are seldom. */
  if (own->valpos_mem == NULL || own->is_initial_time ||
      own->vchg_siz + (uint64_t)count * most_bytes > own->vchg_alloc_siz)
    return 0;
  block->begin = own->vchg_mem;
  block->end = own->vchg_mem + own->vchg_siz;
  block->places = own->valpos_mem;
  block->now = own->tchn_idx;
  return 1;
}

void tsuji_fst_end(void* writer, const struct tsuji_fst_block* block, const unsigned char* end) {
  ((struct fstWriterContext*)writer)->vchg_siz = (uint32_t)(end - block->begin);
}
