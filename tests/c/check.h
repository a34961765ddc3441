/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TSUJI_TESTS_C_CHECK_H
#define TSUJI_TESTS_C_CHECK_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tsuji/c/tsuji.h"

/* Ends the test with the place and the device's text. */
static inline void require_at(int holds, const char* what, const char* file, int line,
                              const tsuji_device* device) {
  if (holds) return;
  fprintf(stderr, "%s:%d: %s does not hold; the device says '%s'\n", file, line, what, tsuji_error(device));
  exit(1);
}
#define REQUIRE(device, holds) require_at((holds) != 0, #holds, __FILE__, __LINE__, (device))

/* The device's text contains `part`. */
#define REQUIRE_SAYS(device, part) REQUIRE((device), strstr(tsuji_error(device), (part)) != NULL)

static inline tsuji_device* made(const char* kind, const char* yaml) {
  tsuji_device* device = tsuji_create(kind, yaml);
  REQUIRE(device, tsuji_status(device) == TSUJI_OK);
  REQUIRE(device, tsuji_error(device)[0] == '\0');
  return device;
}

static inline void put(tsuji_device* device, const char* pin, unsigned lane, uint64_t value) {
  REQUIRE(device, tsuji_put(device, pin, lane, value) == TSUJI_OK);
}

static inline uint64_t get(tsuji_device* device, const char* pin, unsigned lane) {
  uint64_t value = ~UINT64_C(0);
  REQUIRE(device, tsuji_get(device, pin, lane, &value) == TSUJI_OK);
  return value;
}

static inline void step(tsuji_device* device) {
  REQUIRE(device, tsuji_step(device) == TSUJI_OK);
}

static inline void reset(tsuji_device* device) {
  put(device, "reset", 0, 1);
  step(device);
  put(device, "reset", 0, 0);
}

#endif
