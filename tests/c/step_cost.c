/* SPDX-License-Identifier: Apache-2.0 */
/* Edges of a device in work, by tsuji_step() or, with the word bits, by tsuji_step_bits(): usage step_cost
 * DEVICE CYCLES [bits]. */
#include "check.h"

#define PORTS 5
#define VCS 4

/* A flit at each port in two of three cycles, whose credit comes in the next one. */
static void drive_router(uint64_t* const* in, const uint64_t* const* out, unsigned cycle) {
  for (unsigned port = 0; port < PORTS; ++port) {
    in[0][port] = in[1][port] = in[2][port] = (cycle + port) % 3 != 0;
    in[3][port] = (cycle / 3 + port) % VCS;
    in[4][port] = (port + 1 + cycle / 3 % 4) % PORTS;
    in[5][port] = cycle % 4096;
    in[6][port] = out[0][port] << out[1][port];
  }
}

static void drive_cam(uint64_t* const* in, const uint64_t* const* out, unsigned cycle) {
  (void)out;
  in[0][0] = 1;
  in[1][0] = cycle % 4 == 0;
  in[2][0] = in[3][0] = cycle / 4 % 8;
}

static void drive_cache(uint64_t* const* in, const uint64_t* const* out, unsigned cycle) {
  in[0][0] = 1;
  in[1][0] = cycle % 32;
  in[2][0] = cycle % 4;
  in[3][0] = out[0][0] && !out[1][0];
  in[4][0] = (cycle + 31) % 32;
  in[5][0] = (cycle + 3) % 4;
}

static void drive_predictor(uint64_t* const* in, const uint64_t* const* out, unsigned cycle) {
  (void)out;
  for (unsigned port = 0; port < PORTS; ++port) {
    in[0][port] = (cycle + port) % 3 == 0;
    in[1][port] = (cycle + port) % PORTS;
  }
}

/* A single cast of seven flits from each input to each output in turn. */
static void drive_crosspoint(uint64_t* const* in, const uint64_t* const* out, unsigned cycle) {
  (void)out;
  for (unsigned port = 0; port < 4; ++port) {
    const unsigned flit = cycle % 7, to = (port + cycle / 7) % 4;
    in[0][port] = 1;
    in[1][port] = (flit == 0   ? UINT64_C(4) << to
                   : flit == 1 ? to
                               : 0) |
                  (flit == 6       ? UINT64_C(4)
                   : flit % 2 == 0 ? 1u
                                   : 2u)
                      << 25;
    in[2][port] = 15;
  }
}

static const struct {
  const char *name, *yaml;
  void (*drive)(uint64_t* const*, const uint64_t* const*, unsigned);
  const char *inputs[8], *outputs[3];
} devices[] = {
    {"router",
     "router: {ports: 5, vcs: 4, buffer_flits: 8}\nroutes: {ports: [0, 1, 2, 3, 4]}\n",
     drive_router,
     {"in_valid", "in_head", "in_tail", "in_vc", "in_destination", "in_data", "out_credit"},
     {"out_valid", "out_vc"}},
    {"cam",
     "lookup: {cam_entries: 8}",
     drive_cam,
     {"request_valid", "request_operation", "request_index", "request_key"},
     {NULL}},
    {"cache",
     "lookup: {entries: 16, ways: 4}",
     drive_cache,
     {"lookup_valid", "lookup_key", "lookup_set", "fill_valid", "fill_key", "fill_set"},
     {"answer_valid", "answer_hit"}},
    {"predictor", "router: {ports: 5}", drive_predictor, {"learn_valid", "learn_port"}, {NULL}},
    {"crosspoint", "", drive_crosspoint, {"in_valid", "in_flit", "out_room"}, {NULL}},
};

static void run(tsuji_device* device, size_t index, unsigned cycles, int by_bits) {
  uint64_t* in[8] = {NULL};
  const uint64_t* out[3] = {NULL};
  for (unsigned pin = 0; devices[index].inputs[pin] != NULL; ++pin)
    in[pin] = tsuji_input(device, devices[index].inputs[pin]);
  for (unsigned pin = 0; devices[index].outputs[pin] != NULL; ++pin)
    out[pin] = tsuji_output(device, devices[index].outputs[pin]);
  static uint32_t bits[2][128];
  for (unsigned cycle = 0; cycle < cycles; ++cycle) {
    if (by_bits) {
      REQUIRE(device, tsuji_step_bits(device, tsuji_input_bits(device), bits[0], tsuji_output_bits(device),
                                      bits[1]) == TSUJI_OK);
    } else {
      devices[index].drive(in, out, cycle);
      step(device);
    }
  }
}

int main(int count, char** words) {
  for (size_t index = 0; count >= 3 && index < sizeof devices / sizeof devices[0]; ++index) {
    if (strcmp(devices[index].name, words[1]) != 0) continue;
    tsuji_device* device = made(words[1], devices[index].yaml);
    reset(device);
    run(device, index, (unsigned)atoi(words[2]), count == 4);
    tsuji_destroy(device);
    return 0;
  }
  fprintf(stderr, "usage: step_cost DEVICE CYCLES [bits]\n");
  return 2;
}
