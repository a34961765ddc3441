/* SPDX-License-Identifier: Apache-2.0 */
/* Software of both nodes: node 1 tells node 0 that it is ready, node 0 sends 64 bytes to node 1's heap, and node 1 sleeps
 * until their interrupt. Heap: READY the word that says "ready", SOURCE and DESTINATION the data, VERDICT what node 1 saw.
 */
#include "tsuji/nic/software/tsuji_nic.h"

#define BOOT ((const volatile tsuji_boot_block *)0x40000000u)
enum { READY = 0, SOURCE = 0x100, DESTINATION = 0x200, VERDICT = 0x300, BYTES = 64, GOOD = 0x600d };

static volatile uint32_t interrupts;

static volatile uint32_t *word_at(uint32_t address) { return (volatile uint32_t *)address; }
static uint32_t heap(uint32_t offset) { return (uint32_t)BOOT->heap_physical + offset; }
static volatile uint32_t *nic(uint32_t offset) { return word_at((uint32_t)BOOT->registers + offset); }
static volatile uint32_t *unit(uint32_t offset) { return word_at((uint32_t)BOOT->interrupt_unit + offset); }

/* Called by the handler: only the interface interrupts. */
void on_trap(uint32_t cause) {
  if (cause != 0x8000000bu) __asm__ volatile("ebreak");
  *unit(TSUJI_INTERRUPT_CLEAR) = 1u << TSUJI_EVENT_RECEIVED;
  const uint32_t cid = (uint32_t)TSUJI_GET(BOOT->word3, BOOT_BLOCK_CID);
  *nic(TSUJI_CID_LIST(cid / 64) + 4 * (cid / 32 % 2)) = 1u << (cid % 32); /* the list's bit of this task */
  ++interrupts;
}

/* Writes a header into the queue, which holds one parcel of this program at most, and rings. */
static void send(uint64_t word0, uint64_t source, uint64_t destination) {
  volatile tsuji_parcel_header *const header = (volatile tsuji_parcel_header *)(uint32_t)BOOT->queue;
  header->word0 = word0;
  header->source = source;
  header->destination = destination;
  header->notification = 0;
  *nic(TSUJI_QUEUE_WRITE_POINTER((uint32_t)TSUJI_GET(BOOT->word3, BOOT_BLOCK_SENDER_SET))) = sizeof *header;
}

static void node0(void) {
  for (uint32_t i = 0; i < BYTES / 4; ++i) word_at(heap(SOURCE))[i] = 0x01010101u * i + 0xa5u;
  while (*word_at(heap(READY)) != 1u) {
  }
  send(TSUJI_PUT(TSUJI_PROTOCOL_REMOTE_DMA, PARCEL_HEADER_PROTOCOL) | TSUJI_PUT(BYTES, PARCEL_HEADER_LENGTH) |
           TSUJI_PUT(1, PARCEL_HEADER_LOGICAL_PE) | TSUJI_PARCEL_HEADER_INTERRUPT_MASK,
       BOOT->heap + SOURCE, BOOT->heap + DESTINATION);
}

static void node1(void) {
  volatile tsuji_buffer_limits *const limits = (volatile tsuji_buffer_limits *)(uint32_t)BOOT->buffer_limit_table;
  const uint32_t cid = (uint32_t)TSUJI_GET(BOOT->word3, BOOT_BLOCK_CID);
  limits[cid].word7 = TSUJI_BUFFER_LIMITS_RECEIVE_INTERRUPT_MASK;
  *unit(TSUJI_INTERRUPT_ENABLE) = 1u << TSUJI_EVENT_RECEIVED;
  send(TSUJI_PARCEL_HEADER_INLINE_DATA_MASK | TSUJI_PUT(8, PARCEL_HEADER_LENGTH), 1, BOOT->heap + READY);
  /* wfi ends with MIE at 0, too: between the test and wfi no interrupt is lost. */
  __asm__ volatile("csrw 0x304, %0" : : "r"(1u << 11));
  while (interrupts == 0) {
    __asm__ volatile("wfi");
    __asm__ volatile("csrsi 0x300, 8\n csrci 0x300, 8" : : : "memory");
  }
  for (uint32_t i = 0; i < BYTES / 4; ++i)
    if (word_at(heap(DESTINATION))[i] != 0x01010101u * i + 0xa5u) return;
  *word_at(heap(VERDICT)) = GOOD;
}

int main(void) {
  if (TSUJI_GET(BOOT->word0, BOOT_BLOCK_MAGIC) != TSUJI_BOOT_MAGIC) return 1;
  if (TSUJI_GET(BOOT->word0, BOOT_BLOCK_VERSION) != TSUJI_INTERFACE_VERSION) return 1;
  if (TSUJI_GET(BOOT->word1, BOOT_BLOCK_NODE) == 0)
    node0();
  else
    node1();
  return 0;
}
