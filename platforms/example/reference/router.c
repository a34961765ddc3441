/* SPDX-License-Identifier: Apache-2.0 */
/* A flit through a router of router.yaml, without a simulator: usage router FILE.yaml. */
#include <stdio.h>
#include <tsuji/c/tsuji.h>

int main(int count, char** words) {
  tsuji_device* const router = tsuji_create_file("router", count == 2 ? words[1] : "router.yaml");
  uint64_t *const reset = tsuji_input(router, "reset"), *const valid = tsuji_input(router, "in_valid");
  uint64_t *const head = tsuji_input(router, "in_head"), *const tail = tsuji_input(router, "in_tail");
  uint64_t* const destination = tsuji_input(router, "in_destination");
  const uint64_t* const left = tsuji_output(router, "out_valid");
  int status = tsuji_status(router);
  unsigned cycles = 0;
  if (status == TSUJI_OK) {
    reset[0] = 1;
    status = tsuji_step(router);
    reset[0] = 0;
    valid[0] = head[0] = tail[0] = 1; /* at port 0, for node 3 behind port 3 */
    destination[0] = 3;
  }
  while (status == TSUJI_OK && left[3] == 0) {
    status = tsuji_step(router);
    valid[0] = 0;
    ++cycles;
  }
  if (status == TSUJI_OK) printf("%u cycles from pin to pin\n", cycles);
  else fprintf(stderr, "%s\n", tsuji_error(router));
  tsuji_destroy(router);
  return status;
}
