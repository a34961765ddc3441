/* SPDX-License-Identifier: Apache-2.0 */
/* What devices do, by rules that hold for the hardware whatever the model: usage blocks_test CASE. */
#include "check.h"

#define ROUTES "routes: {ports: [0, 1, 2, 0, 1, 2, 9]}\n"

/* One flit from port 0 for `node`; the cycles until it leaves by `port`, with its contents. */
static unsigned cycles_through(tsuji_device* router, unsigned node, unsigned port) {
  put(router, "in_valid", 0, 1);
  put(router, "in_head", 0, 1);
  put(router, "in_tail", 0, 1);
  put(router, "in_vc", 0, 1);
  put(router, "in_destination", 0, node);
  put(router, "in_data", 0, 0x5a);
  unsigned cycles = 0;
  do {
    REQUIRE(router, cycles < 50);
    step(router);
    put(router, "in_valid", 0, 0);
    ++cycles;
  } while (!get(router, "out_valid", port));
  REQUIRE(router, get(router, "out_head", port) == 1 && get(router, "out_tail", port) == 1);
  REQUIRE(router, get(router, "out_destination", port) == node && get(router, "out_data", port) == 0x5a);
  return cycles;
}

static unsigned latency(const char* stages) {
  char yaml[512];
  snprintf(yaml, sizeof yaml, "router: {ports: 3, vcs: 2, buffer_flits: 2%s}\npins: {node_bits: 4}\n" ROUTES,
           stages);
  tsuji_device* router = made("router", yaml);
  reset(router);
  const unsigned cycles = cycles_through(router, 4, 1);
  tsuji_destroy(router);
  return cycles;
}

/* Each stage adds its cycles, and each key is read. */
static void router_stages(void) {
  const unsigned shortest = latency(", rc_cycles: 1, va_cycles: 1, sa_cycles: 1, st_cycles: 1");
  REQUIRE(NULL, latency(", rc_cycles: 4, va_cycles: 1, sa_cycles: 1, st_cycles: 1") == shortest + 3);
  REQUIRE(NULL, latency(", rc_cycles: 1, va_cycles: 3, sa_cycles: 1, st_cycles: 1") == shortest + 2);
  REQUIRE(NULL, latency(", rc_cycles: 1, va_cycles: 1, sa_cycles: 5, st_cycles: 1") == shortest + 4);
  REQUIRE(NULL, latency(", rc_cycles: 1, va_cycles: 1, sa_cycles: 1, st_cycles: 6") == shortest + 5);
}

/* Flits that leave while no credit comes back are those that the far buffer has places for; a credit lets one
 * go, in the cycle that its key says. */
static unsigned sent_after_credit(unsigned credit_cycles, unsigned* cycles) {
  char yaml[512];
  snprintf(yaml, sizeof yaml,
           "router: {ports: 3, vcs: 1, buffer_flits: 2}\nlink: {credit_process_cycles: %u}\npins: "
           "{node_bits: 4}\n" ROUTES,
           credit_cycles);
  tsuji_device* router = made("router", yaml);
  reset(router);
  uint64_t* const valid = tsuji_input(router, "in_valid");
  uint64_t* const head = tsuji_input(router, "in_head");
  uint64_t* const tail = tsuji_input(router, "in_tail");
  const uint64_t* const out = tsuji_output(router, "out_valid");
  const uint64_t* const credit = tsuji_output(router, "in_credit");
  put(router, "in_destination", 0, 4);
  head[0] = tail[0] = 1;
  unsigned places = 2, sent = 0;
  for (unsigned cycle = 0; cycle < 60; ++cycle) {
    valid[0] = places > 0;
    places -= places > 0;
    step(router);
    places += credit[0] != 0;
    sent += out[1] != 0;
  }
  REQUIRE(router, get(router, "error", 0) == 0);
  put(router, "out_credit", 1, 1);
  for (*cycles = 1; *cycles < 20; ++*cycles) {
    step(router);
    put(router, "out_credit", 1, 0);
    if (out[1] != 0) break;
  }
  tsuji_destroy(router);
  return sent;
}

static void router_credits(void) {
  unsigned early = 0, late = 0;
  REQUIRE(NULL, sent_after_credit(1, &early) == 2);
  REQUIRE(NULL, sent_after_credit(4, &late) == 2);
  REQUIRE(NULL, late == early + 3);
}

/* A flit without a place is an error until the next reset; so is a head that has no route. */
static void router_error_pin(void) {
  tsuji_device* router =
      made("router", "router: {ports: 3, vcs: 2, buffer_flits: 1}\npins: {node_bits: 4}\n" ROUTES);
  reset(router);
  put(router, "in_valid", 0, 1);
  put(router, "in_head", 0, 1);
  step(router);
  REQUIRE(router, get(router, "error", 0) == 0);
  step(router);
  REQUIRE(router, get(router, "error", 0) == 1);
  put(router, "in_valid", 0, 0);
  step(router);
  REQUIRE(router, get(router, "error", 0) == 1);
  reset(router);
  REQUIRE(router, get(router, "error", 0) == 0);
  put(router, "in_valid", 0, 1);
  put(router, "in_destination", 0, 6);
  for (unsigned cycle = 0; cycle < 10; ++cycle) {
    step(router);
    put(router, "in_valid", 0, 0);
  }
  REQUIRE(router, get(router, "error", 0) == 1);
  /* A row that is written in a reset leads to a port. */
  put(router, "table_valid", 0, 1);
  put(router, "table_row", 0, 6);
  put(router, "table_entry", 0, UINT64_C(0x30002));
  reset(router);
  put(router, "table_valid", 0, 0);
  REQUIRE(router, cycles_through(router, 6, 2) > 0);
  tsuji_destroy(router);
}

/* Routes of a file, and which virtual channels they permit. */
static void router_routes_file(void) {
  FILE* const file = fopen("c_routes.hex", "w");
  REQUIRE(NULL, file != NULL);
  fputs("00010001\n00020002\n", file);
  fclose(file);
  tsuji_device* router =
      made("router", "router: {ports: 3, vcs: 2}\npins: {node_bits: 1}\nroutes: {file: c_routes.hex}\n");
  reset(router);
  cycles_through(router, 0, 1);
  REQUIRE(router, get(router, "out_vc", 1) == 0);
  cycles_through(router, 1, 2);
  REQUIRE(router, get(router, "out_vc", 2) == 1);
  tsuji_destroy(router);
}

/* Flits of packets of one flit from port 0 to a node, without credits for places that become free: how many
 * leave by ports 1 and 2. */
static void send_two(const char* routes, unsigned node, unsigned* by_first, unsigned* by_second) {
  char yaml[512];
  snprintf(yaml, sizeof yaml, "router: {ports: 3, vcs: 1, buffer_flits: 1}\npins: {node_bits: 1}\n%s",
           routes);
  tsuji_device* router = made("router", yaml);
  reset(router);
  put(router, "in_head", 0, 1);
  put(router, "in_tail", 0, 1);
  put(router, "in_destination", 0, node);
  *by_first = *by_second = 0;
  unsigned places = 1, left = 2;
  for (unsigned cycle = 0; cycle < 40; ++cycle) {
    const unsigned send = places != 0 && left != 0;
    put(router, "in_valid", 0, send);
    places -= send;
    left -= send;
    step(router);
    places += (unsigned)get(router, "in_credit", 0);
    *by_first += (unsigned)get(router, "out_valid", 1);
    *by_second += (unsigned)get(router, "out_valid", 2);
  }
  REQUIRE(router, get(router, "error", 0) == 0);
  tsuji_destroy(router);
}

/* A head takes another candidate where the first one has no place; not one of a lower rank, while nobody
 * holds the first one. */
static void router_candidates(void) {
  unsigned first = 0, second = 0;
  send_two("routes: {candidates: 2, ports: [1, 1, 2, 9]}\n", 0, &first, &second);
  REQUIRE(NULL, first == 1 && second == 1);
  send_two("routes: {candidates: 2, ports: [1, 1, 2, 9]}\n", 1, &first, &second);
  REQUIRE(NULL, first == 1 && second == 0);
  FILE* const file = fopen("c_candidates.hex", "w");
  REQUIRE(NULL, file != NULL);
  fputs("00010002\n00010002\n80010001\n00010001\n", file);
  fclose(file);
  send_two("routes: {candidates: 2, file: c_candidates.hex}\n", 0, &first, &second);
  REQUIRE(NULL, first == 0 && second == 1);
  send_two("routes: {candidates: 2, file: c_candidates.hex}\n", 1, &first, &second);
  REQUIRE(NULL, first == 1 && second == 1);
}

/* A head whose output is predicted leaves in the cycles of traversal; its fate is at `outcome`. */
static void router_prediction(void) {
  const char* const common =
      "router: {ports: 3, vcs: 2, buffer_flits: 4, st_cycles: 2}\npins: {node_bits: 4}\n" ROUTES;
  char yaml[512];
  snprintf(yaml, sizeof yaml, "%sprediction: {kind: straight, straight: [1, 3, 3]}\n", common);
  tsuji_device* none = made("router", common);
  reset(none);
  const unsigned usual = cycles_through(none, 4, 1);
  REQUIRE(none, tsuji_output(none, "outcome") == NULL && tsuji_output(none, "kept") == NULL);
  tsuji_device* router = made("router", yaml);
  reset(router);
  step(router);
  REQUIRE(router, cycles_through(router, 4, 1) == 2 && usual == 5);
  /* Of port 0: a hit, a wrong head and one at an input without a prediction, each in the next cycle. */
  for (unsigned cycle = 0; cycle < 9; ++cycle) step(router);
  put(router, "in_valid", 0, 1);
  put(router, "in_tail", 0, 0);
  step(router);
  REQUIRE(router, get(router, "outcome", 0) == 1 && get(router, "kept", 0) == 0);
  put(router, "in_head", 0, 0);
  put(router, "in_tail", 0, 1);
  step(router);
  REQUIRE(router, get(router, "outcome", 0) == 0 && get(router, "kept", 0) == 1);
  put(router, "in_valid", 0, 0);
  for (unsigned cycle = 0; cycle < 9; ++cycle) step(router);
  REQUIRE(router, cycles_through(router, 2, 2) == usual);
  put(router, "in_valid", 0, 1);
  step(router);
  REQUIRE(router, get(router, "outcome", 0) == 2);
  put(router, "in_valid", 0, 0);
  put(router, "in_valid", 1, 1);
  put(router, "in_head", 1, 1);
  put(router, "in_tail", 1, 1);
  put(router, "in_destination", 1, 2);
  step(router);
  REQUIRE(router, get(router, "outcome", 1) == 7);
  put(router, "in_valid", 1, 0);
  /* A row of the predictions, which a reset may write: its upper bit is 1. */
  put(router, "table_valid", 0, 1);
  put(router, "table_row", 0, 16);
  put(router, "table_entry", 0, 2);
  reset(router);
  put(router, "table_valid", 0, 0);
  step(router);
  REQUIRE(router, cycles_through(router, 2, 2) == 2);
  REQUIRE(router, tsuji_put(router, "table_row", 0, 32) == TSUJI_REFUSED);
  tsuji_destroy(none);
  tsuji_destroy(router);
}

/* A head without a place at the far end is reported once, after its time. */
static void router_timeouts(void) {
  tsuji_device* router = made(
      "router",
      "router: {ports: 3, vcs: 2, buffer_flits: 1, block_timeout_cycles: 7}\npins: {node_bits: 4}\n" ROUTES);
  reset(router);
  cycles_through(router, 4, 1);
  cycles_through(router, 4, 1);
  put(router, "in_valid", 0, 1);
  unsigned reports = 0, cycle = 0, first = 0;
  for (; cycle < 30; ++cycle) {
    step(router);
    put(router, "in_valid", 0, 0);
    const unsigned blocked = (unsigned)get(router, "blocked", 0);
    REQUIRE(router, get(router, "blocked", 1) == 0 && (blocked == 0 || blocked == 2));
    if (blocked != 0 && reports++ == 0) first = cycle;
  }
  REQUIRE(router, reports == 1 && first == 7);
  tsuji_destroy(router);
}

/* All vectors at once are the pins, first pin at the high end. */
static void bits(void) {
  const char* const yaml =
      "router: {ports: 3, vcs: 3, node_ports: [0, 1, 2]}\npins: {node_bits: 4, data_bits: 37}\n" ROUTES;
  tsuji_device* by_name = made("router", yaml);
  tsuji_device* by_bits = made("router", yaml);
  const unsigned in_bits = 1 + 3 * (1 + 1 + 1 + 2 + 4 + 37 + 3) + 1 + 4 + 32,
                 out_bits = 3 * (3 + 1 + 1 + 1 + 2 + 4 + 37) + 1;
  REQUIRE(by_bits, tsuji_input_bits(by_bits) == in_bits && tsuji_output_bits(by_bits) == out_bits);
  uint32_t in[8], out[8];
  uint64_t random = 88172645463325252u;
  unsigned flits = 0;
  for (unsigned cycle = 0; cycle < 2000; ++cycle) {
    memset(in, 0, sizeof in);
    unsigned place = in_bits;
    const size_t pins = tsuji_pin_count(by_name);
    for (size_t index = 0; index < pins; ++index) {
      tsuji_pin pin;
      REQUIRE(by_name, tsuji_pin_at(by_name, index, &pin) == TSUJI_OK);
      if (!pin.is_input) continue;
      place -= pin.lanes * pin.width_bits;
      for (unsigned lane = 0; lane < pin.lanes; ++lane) {
        random ^= random << 13, random ^= random >> 7, random ^= random << 17;
        uint64_t value = random & ((UINT64_C(1) << pin.width_bits) - 1);
        if (strcmp(pin.name, "reset") == 0) value = cycle % 40 == 0;
        if (strcmp(pin.name, "out_credit") == 0 || strcmp(pin.name, "table_valid") == 0) value = 0;
        if (strcmp(pin.name, "in_head") == 0 || strcmp(pin.name, "in_tail") == 0) value = 1;
        if (strcmp(pin.name, "in_valid") == 0) value = cycle % 8 == 1;
        if (strcmp(pin.name, "in_vc") == 0) value = (cycle / 8) % 3;
        if (strcmp(pin.name, "in_destination") == 0) value = value % 6;
        put(by_name, pin.name, lane, value);
        for (unsigned bit = 0; bit < pin.width_bits; ++bit)
          if (value >> bit & 1) {
            const unsigned at = place + lane * pin.width_bits + bit;
            in[at / 32] |= UINT32_C(1) << at % 32;
          }
      }
    }
    REQUIRE(by_name, place == 0);
    step(by_name);
    memset(out, 0xff, sizeof out);
    REQUIRE(by_bits, tsuji_step_bits(by_bits, in_bits, in, out_bits, out) == TSUJI_OK);
    place = out_bits;
    for (size_t index = 0; index < pins; ++index) {
      tsuji_pin pin;
      REQUIRE(by_name, tsuji_pin_at(by_name, index, &pin) == TSUJI_OK);
      if (pin.is_input) continue;
      place -= pin.lanes * pin.width_bits;
      for (unsigned lane = 0; lane < pin.lanes; ++lane) {
        const uint64_t value = get(by_name, pin.name, lane);
        if (strcmp(pin.name, "out_valid") == 0) flits += value != 0;
        for (unsigned bit = 0; bit < pin.width_bits; ++bit) {
          const unsigned at = place + lane * pin.width_bits + bit;
          REQUIRE(by_bits, (out[at / 32] >> at % 32 & 1) == (value >> bit & 1));
        }
      }
    }
    REQUIRE(by_bits, place == 0 && out[out_bits / 32] >> out_bits % 32 == 0);
  }
  REQUIRE(by_bits, flits > 300);
  tsuji_destroy(by_name);
  tsuji_destroy(by_bits);
}

/* Keys of 64 bits that begin in the middle of a word, as pins of their own and in a vector. */
static void wide_bits(void) {
  tsuji_device* cache = made("cache", "lookup: {entries: 8, ways: 2}");
  const uint64_t key = UINT64_C(0xf00000000000a001);
  uint32_t in[6] = {0}, out[2] = {0};
  REQUIRE(cache, tsuji_input_bits(cache) == 168 && tsuji_output_bits(cache) == 51);
  for (unsigned bit = 0; bit < 64; ++bit) {
    const unsigned filled = 35 + bit, sought = 102 + bit;
    if ((key >> bit & 1) == 0) continue;
    in[filled / 32] |= UINT32_C(1) << filled % 32;
    in[sought / 32] |= UINT32_C(1) << sought % 32;
  }
  in[99 / 32] |= UINT32_C(1) << 99 % 32;   /* fill_valid */
  in[166 / 32] |= UINT32_C(1) << 166 % 32; /* lookup_valid */
  REQUIRE(cache, tsuji_step_bits(cache, 168, in, 51, out) == TSUJI_OK);
  REQUIRE(cache, get(cache, "fill_key", 0) == key && get(cache, "lookup_key", 0) == key);
  REQUIRE(cache, get(cache, "answer_hit", 0) == 1);
  put(cache, "lookup_key", 0, key ^ UINT64_C(1) << 63);
  step(cache);
  REQUIRE(cache, get(cache, "answer_valid", 0) == 1 && get(cache, "answer_hit", 0) == 0);
  tsuji_destroy(cache);
}

/* A search finds the lowest row that matches, after the access; a mask hides bits. */
static void cam(void) {
  tsuji_device* cam = made("cam",
                           "lookup: {cam_kind: ternary, cam_entries: 8, cam_key_bits: 12, cam_cycles: "
                           "3}\npins: {value_bits: 9}\n");
  REQUIRE(cam, get(cam, "request_ready", 0) == 1);
  reset(cam);
  const uint64_t rows[][4] = {{5, 0x120, 0xff0, 77}, {6, 0x125, 0xfff, 78}, {2, 0x300, 0xfff, 79}};
  put(cam, "request_valid", 0, 1);
  put(cam, "request_operation", 0, 1);
  for (unsigned row = 0; row < 3; ++row) {
    put(cam, "request_index", 0, rows[row][0]);
    put(cam, "request_key", 0, rows[row][1]);
    put(cam, "request_mask", 0, rows[row][2]);
    put(cam, "request_value", 0, rows[row][3]);
    step(cam);
  }
  const uint64_t asked[][3] = {{0x125, 1, 5}, {0x300, 1, 2}, {0x130, 0, 0}};
  put(cam, "request_operation", 0, 0);
  for (unsigned cycle = 0; cycle < 6; ++cycle) {
    put(cam, "request_valid", 0, cycle < 3);
    put(cam, "request_key", 0, cycle < 3 ? asked[cycle][0] : 0);
    step(cam);
    const unsigned answered = cycle + 1;
    REQUIRE(cam, get(cam, "answer_valid", 0) == (answered >= 3 && answered < 6));
    if (answered < 3 || answered >= 6) continue;
    REQUIRE(cam, get(cam, "answer_hit", 0) == asked[answered - 3][1]);
    REQUIRE(cam, get(cam, "answer_index", 0) == asked[answered - 3][2]);
    REQUIRE(cam, get(cam, "request_ready", 0) == 1);
  }
  tsuji_destroy(cam);
  cam = made("cam", "lookup: {cam_entries: 8, cam_cycles: 3, cam_pipelined: false}\n");
  put(cam, "request_valid", 0, 1);
  for (unsigned cycle = 1; cycle <= 9; ++cycle) {
    step(cam);
    REQUIRE(cam, get(cam, "request_ready", 0) == (cycle % 3 == 0));
  }
  tsuji_destroy(cam);
}

/* Two ways of a set, of which the third key replaces the one that is used least recently, or was filled
 * first. */
static void cache(void) {
  for (unsigned lru = 0; lru < 2; ++lru) {
    tsuji_device* cache =
        made("cache", lru ? "lookup: {entries: 8, ways: 2, replacement: lru, cache_cycles: 2}\n"
                          : "lookup: {entries: 8, ways: 2, replacement: fifo, cache_cycles: 2}\n");
    reset(cache);
    put(cache, "fill_valid", 0, 1);
    put(cache, "fill_set", 0, 3);
    for (unsigned key = 1; key <= 2; ++key) {
      put(cache, "fill_key", 0, key);
      put(cache, "fill_entry", 0, 0x10000 + key);
      step(cache);
      REQUIRE(cache, get(cache, "fill_replaced", 0) == 0 && get(cache, "entries_held", 0) == key);
    }
    put(cache, "fill_valid", 0, 0);
    put(cache, "lookup_valid", 0, 1);
    put(cache, "lookup_set", 0, 3);
    put(cache, "lookup_key", 0, 1);
    step(cache);
    REQUIRE(cache, get(cache, "answer_valid", 0) == 0);
    put(cache, "lookup_valid", 0, 0);
    put(cache, "fill_valid", 0, 1);
    put(cache, "fill_key", 0, 3);
    step(cache);
    REQUIRE(cache, get(cache, "answer_valid", 0) == 1 && get(cache, "answer_hit", 0) == 1);
    REQUIRE(cache, get(cache, "answer_entry", 0) == 0x10001 && get(cache, "fill_replaced", 0) == 1);
    put(cache, "fill_valid", 0, 0);
    put(cache, "lookup_valid", 0, 1);
    put(cache, "lookup_key", 0, 1);
    step(cache);
    put(cache, "lookup_valid", 0, 0);
    put(cache, "flush", 0, 1);
    step(cache);
    REQUIRE(cache, get(cache, "answer_valid", 0) == 1 && get(cache, "answer_hit", 0) == lru);
    REQUIRE(cache, get(cache, "entries_held", 0) == 0);
    put(cache, "flush", 0, 0);
    put(cache, "fill_valid", 0, 1);
    step(cache);
    REQUIRE(cache, get(cache, "entries_held", 0) == 1);
    reset(cache);
    REQUIRE(cache, get(cache, "entries_held", 0) == 0);
    tsuji_destroy(cache);
  }
}

/* The port that an input's last head took, or the table's. */
static void predictor(void) {
  tsuji_device* last = made("predictor", "router: {ports: 4}\nprediction: {kind: latest_port}\n");
  reset(last);
  REQUIRE(last, get(last, "predicted_valid", 2) == 0);
  put(last, "learn_valid", 2, 1);
  put(last, "learn_port", 2, 3);
  step(last);
  REQUIRE(last, get(last, "predicted_valid", 2) == 1 && get(last, "predicted_port", 2) == 3);
  REQUIRE(last, get(last, "predicted_valid", 1) == 0);
  put(last, "learn_port", 2, 1);
  step(last);
  REQUIRE(last, get(last, "predicted_port", 2) == 1);
  reset(last);
  REQUIRE(last, get(last, "predicted_valid", 2) == 0);
  tsuji_destroy(last);
  tsuji_device* fixed =
      made("predictor", "router: {ports: 3}\nprediction: {kind: straight, straight: [1, 2, 3]}\n");
  step(fixed);
  REQUIRE(fixed, get(fixed, "predicted_port", 0) == 1 && get(fixed, "predicted_port", 1) == 2);
  REQUIRE(fixed, get(fixed, "predicted_valid", 1) == 1 && get(fixed, "predicted_valid", 2) == 0);
  tsuji_destroy(fixed);
}

/* A flit of the switch: 24 bits, their parity, their position. */
static uint64_t flit(uint32_t data, uint32_t position) {
  uint32_t parity = 0;
  for (unsigned bit = 0; bit < 24; ++bit) parity ^= data >> bit & 1;
  return data | parity << 24 | position << 25;
}

/* A single cast from input 2 to output 1: its head leaves after the cycles of Kanoh 2000, 125 ns at 80 MHz,
 * one of which is the channel's. */
static void crosspoint(void) {
  tsuji_device* device = made("crosspoint", "network: {nodes: 4}\nswitch: {ports: 4, stage: 1}\n");
  reset(device);
  for (unsigned port = 0; port < 4; ++port) {
    REQUIRE(device, get(device, "in_room", port) == 15);
    REQUIRE(device, get(device, "route_fixed", port) == 1);
    put(device, "out_room", port, 15);
  }
  unsigned left = 0;
  for (unsigned cycle = 0; cycle < 24; ++cycle) {
    put(device, "in_valid", 2, cycle < 7);
    const uint32_t data = cycle == 0 ? 1u << 1 << 2 : cycle == 1 ? 1 : 0;
    put(device, "in_flit", 2, flit(data, cycle == 6 ? 4 : cycle % 2 == 0 ? 1 : 2));
    step(device);
    const unsigned now = cycle + 1;
    REQUIRE(device, get(device, "out_valid", 1) == (now >= 10 && now < 17));
    left += get(device, "out_valid", 1) != 0;
    if (now == 10) REQUIRE(device, get(device, "out_from", 1) == 2);
    for (unsigned port = 0; port < 4; ++port)
      REQUIRE(device, port == 1 || get(device, "out_valid", port) == 0);
  }
  REQUIRE(device, left == 7);
  tsuji_destroy(device);
}

/* Packets of one flit over a row of routers: each hop adds its router and its link, and the key of a stage
 * adds to each router. A second network is refused, and so is one of wrong keys. */
static void network(void) {
  tsuji_device* wrong = tsuji_create("network", "topology: {kind: mesh, ways: 4}");
  REQUIRE(wrong, tsuji_status(wrong) == TSUJI_REFUSED);
  REQUIRE_SAYS(wrong, "text:1:24: topology.ways: unknown key");
  tsuji_destroy(wrong);
  tsuji_device* net = made("network",
                           "topology: {kind: mesh, radices: [8]}\nrouter: {rc_cycles: 2, va_cycles: 1, "
                           "sa_cycles: 1, st_cycles: 1}\n");
  uint64_t* const valid = tsuji_input(net, "in_valid");
  const uint64_t* const out = tsuji_output(net, "out_valid");
  uint64_t latency[8] = {0};
  for (unsigned hops = 1; hops < 8; ++hops) {
    put(net, "in_destination", 0, hops);
    put(net, "in_flits", 0, 1);
    put(net, "in_tag", 0, 1000 + hops);
    valid[0] = 1;
    unsigned cycles = 0;
    do {
      REQUIRE(net, cycles < 100);
      step(net);
      valid[0] = 0;
      ++cycles;
    } while (out[hops] == 0);
    REQUIRE(net, get(net, "out_source", hops) == 0 && get(net, "out_tag", hops) == 1000 + hops);
    latency[hops] = get(net, "out_latency", hops);
    REQUIRE(net, cycles == latency[hops] + 1);
    REQUIRE(net, hops == 1 || latency[hops] == latency[hops - 1] + 2 + 1 + 1 + 1 + 1);
  }
  /* All nodes at once, several packets of several flits: each arrives once. */
  unsigned arrived = 0, seen[8][16] = {{0}};
  for (unsigned cycle = 0; cycle < 2000; ++cycle) {
    for (unsigned node = 0; node < 8; ++node) {
      valid[node] = cycle < 16;
      put(net, "in_destination", node, (node + 1 + cycle % 7) % 8);
      put(net, "in_flits", node, 1 + cycle % 5);
      put(net, "in_tag", node, cycle);
    }
    step(net);
    for (unsigned node = 0; node < 8; ++node) {
      if (out[node] == 0) continue;
      const uint64_t source = get(net, "out_source", node), tag = get(net, "out_tag", node);
      REQUIRE(net, source < 8 && tag < 16 && (source + 1 + tag % 7) % 8 == node);
      ++seen[source][tag];
      ++arrived;
    }
  }
  REQUIRE(net, arrived == 8 * 16);
  for (unsigned node = 0; node < 8; ++node)
    for (unsigned tag = 0; tag < 16; ++tag) REQUIRE(net, seen[node][tag] == 1);
  tsuji_device* second = tsuji_create("network", "topology: {kind: mesh, radices: [2]}");
  REQUIRE(second, tsuji_status(second) == TSUJI_REFUSED);
  REQUIRE_SAYS(second, "one network in a process");
  tsuji_destroy(second);
  put(net, "in_destination", 3, 1);
  put(net, "in_flits", 3, 0);
  valid[3] = 1;
  REQUIRE(net, tsuji_step(net) == TSUJI_BROKEN);
  REQUIRE_SAYS(net, "pin in_flits[3], cycle ");
  REQUIRE_SAYS(net, "a packet without a flit");
  REQUIRE(net, tsuji_step(net) == TSUJI_BROKEN);
  tsuji_destroy(net);
  second = tsuji_create("network", "topology: {kind: mesh, radices: [2]}");
  REQUIRE_SAYS(second, "one network in a process");
  tsuji_destroy(second);
}

int main(int count, char** words) {
  static const struct {
    const char* name;
    void (*run)(void);
  } cases[] = {{"router_stages", router_stages},
               {"router_credits", router_credits},
               {"router_error_pin", router_error_pin},
               {"router_routes_file", router_routes_file},
               {"router_candidates", router_candidates},
               {"router_prediction", router_prediction},
               {"router_timeouts", router_timeouts},
               {"bits", bits},
               {"wide_bits", wide_bits},
               {"cam", cam},
               {"cache", cache},
               {"predictor", predictor},
               {"crosspoint", crosspoint},
               {"network", network}};
  for (size_t index = 0; count == 2 && index < sizeof cases / sizeof cases[0]; ++index) {
    if (strcmp(cases[index].name, words[1]) != 0) continue;
    cases[index].run();
    return 0;
  }
  fprintf(stderr, "usage: blocks_test CASE\n");
  return 2;
}
