/* SPDX-License-Identifier: Apache-2.0 */
/* Wrong arguments, keys, pins and inputs give a status and a text, and never end the program. */
#include "check.h"

static void refuses(const char* kind, const char* yaml, const char* says) {
  tsuji_device* device = tsuji_create(kind, yaml);
  REQUIRE(device, device != NULL && tsuji_status(device) == TSUJI_REFUSED);
  REQUIRE_SAYS(device, says);
  /* The device that could not be made refuses everything with that text. */
  uint64_t value = 0;
  uint32_t word = 0;
  tsuji_pin pin;
  REQUIRE(device,
          tsuji_pin_count(device) == 0 && tsuji_input_bits(device) == 0 && tsuji_output_bits(device) == 0);
  REQUIRE(device, tsuji_step(device) == TSUJI_REFUSED);
  REQUIRE(device, tsuji_step_bits(device, 1, &word, 1, &word) == TSUJI_REFUSED);
  REQUIRE(device, tsuji_put(device, "reset", 0, 1) == TSUJI_REFUSED);
  REQUIRE(device, tsuji_get(device, "reset", 0, &value) == TSUJI_REFUSED);
  REQUIRE(device, tsuji_pin_at(device, 0, &pin) == TSUJI_REFUSED);
  REQUIRE(device, tsuji_input(device, "reset") == NULL && tsuji_output(device, "error") == NULL);
  REQUIRE_SAYS(device, says);
  tsuji_destroy(device);
}

static void keys(void) {
  refuses("routers", "",
          "no such device (got 'routers'); accepted: router, crosspoint, cache, cam, predictor, network");
  refuses(NULL, "", "kind: the pointer is null");
  refuses("router", NULL, "yaml: the pointer is null");
  refuses("router", "router: {ports: 5", "text:1:");
  refuses("router", "router:\n  port: 5\n",
          "text:2:3: router.port: unknown key, did you mean 'router.ports'?");
  refuses("router", "router:\n  ports: 1\n",
          "text:2:10: router.ports: out of range (got '1'); accepted: an integer 2..16");
  refuses("router", "router: {ports: many}", "text:1:17: router.ports: not an integer");
  refuses("router", "router: {ports: 3, node_ports: [3]}",
          "text:1:32: router.node_ports: there is no such port");
  refuses("router", "router: {switching: virtual_cut_through}",
          "router.switching: pins do not carry a packet's length");
  refuses("router", "router: {hop_limit: 4}", "router.hop_limit: flits at pins carry no hops");
  refuses("router", "routes:\n  candidates: 9\n",
          "text:2:15: routes.candidates: out of range (got '9'); accepted: an integer 1..8");
  refuses("router", "prediction: {kind: oracle}",
          "prediction.kind: pins do not show the head that comes next (got 'oracle'); accepted: none, ");
  refuses("router", "prediction: {kind: latest_port}\nrouter: {rc_cycles: 3, st_cycles: 2}",
          "router.rc_cycles: a misprediction would be known too late to kill the flit (got '3')");
  refuses("router", "prediction: {kind: up, straight: [1, 2]}",
          "prediction.straight: not one for each input (got '2 numbers'); accepted: 5 numbers");
  refuses("router", "prediction: {straight: [1, 2, 3, 4, 0]}", "prediction.straight: has no effect");
  refuses("router", "prediction: {kind: up}\npins: {node_bits: 2}",
          "pins.node_bits: the table has no rows for the predictions of all inputs (got '2')");
  refuses("router", "router: {sa_allocator: strict_priority}",
          "router.sa_allocator: flits at pins carry no class");
  refuses("router", "pins: {node_bits: 1}\nroutes: {ports: [0, 1, 0]}",
          "routes.ports: more nodes than pins.node_bits");
  refuses("router", "pins: {node_bits: 1}\nroutes: {candidates: 2, ports: [0, 1, 0, 0, 0]}",
          "routes.ports: more nodes than pins.node_bits");
  refuses("router", "routes: {file: no.hex}", "no file of rows");
  refuses("router", "routes: {file: no.hex, ports: [1]}", "routes.file: routes.ports has the routes");
  refuses("cache", "lookup: {entries: 10, ways: 4}", "lookup.ways");
  refuses("cam", "lookup: {cam_key_bits: 65}", "lookup.cam_key_bits: out of range (got '65')");
  refuses("predictor", "prediction: {kind: oracle}",
          "prediction.kind: pins do not show the head that comes next");
  refuses("predictor", "prediction: {kind: straight, straight: [1]}",
          "prediction.straight: not one for each input");
  refuses("predictor", "prediction: {kind: latest_port, straight: [1]}",
          "prediction.straight: has no effect");
  refuses("crosspoint", "switch: {stage: 9}", "switch.stage: the network has fewer stages");
  refuses("crosspoint", "network: {nodes: 4}\nswitch: {index: 77}",
          "switch.index: a stage has fewer switches");
  tsuji_device* file = tsuji_create_file("router", "there_is/no.yaml");
  REQUIRE(file, tsuji_status(file) == TSUJI_REFUSED);
  REQUIRE_SAYS(file, "there_is/no.yaml");
  tsuji_destroy(file);
}

static void null_device(void) {
  uint64_t value = 0;
  uint32_t word = 0;
  tsuji_pin pin;
  REQUIRE(NULL, tsuji_status(NULL) == TSUJI_REFUSED);
  REQUIRE_SAYS(NULL, "no device: the pointer is null");
  REQUIRE(NULL,
          tsuji_step(NULL) == TSUJI_REFUSED && tsuji_step_bits(NULL, 1, &word, 1, &word) == TSUJI_REFUSED);
  REQUIRE(NULL, tsuji_put(NULL, "reset", 0, 1) == TSUJI_REFUSED &&
                    tsuji_get(NULL, "reset", 0, &value) == TSUJI_REFUSED);
  REQUIRE(NULL, tsuji_input(NULL, "reset") == NULL && tsuji_output(NULL, "error") == NULL);
  REQUIRE(NULL, tsuji_pin_count(NULL) == 0 && tsuji_pin_at(NULL, 0, &pin) == TSUJI_REFUSED);
  REQUIRE(NULL, tsuji_input_bits(NULL) == 0 && tsuji_output_bits(NULL) == 0);
  tsuji_destroy(NULL);
}

/* A refused call changes nothing: the device works on. */
static void pins(void) {
  tsuji_device* cam = made("cam", "lookup: {cam_entries: 8, cam_key_bits: 12}");
  uint64_t value = 0;
  tsuji_pin pin;
  REQUIRE(cam, tsuji_put(cam, "request_keys", 0, 1) == TSUJI_REFUSED);
  REQUIRE_SAYS(cam, "no such pin (got 'request_keys'); accepted: reset, request_valid, ");
  REQUIRE(cam, tsuji_put(cam, NULL, 0, 1) == TSUJI_REFUSED);
  REQUIRE_SAYS(cam, "no such pin (got '')");
  REQUIRE(cam, tsuji_put(cam, "answer_hit", 0, 1) == TSUJI_REFUSED);
  REQUIRE_SAYS(cam, "pin answer_hit is an output");
  REQUIRE(cam, tsuji_put(cam, "request_key", 1, 1) == TSUJI_REFUSED);
  REQUIRE_SAYS(cam, "pin request_key has no such lane (got '1'); accepted: 0..0");
  REQUIRE(cam, tsuji_put(cam, "request_key", 0, 4096) == TSUJI_REFUSED);
  REQUIRE_SAYS(cam, "pin request_key: the value is too wide (got '4096'); accepted: 12 bits");
  REQUIRE(cam, get(cam, "request_key", 0) == 0);
  REQUIRE(cam, tsuji_get(cam, "request_key", 7, &value) == TSUJI_REFUSED);
  REQUIRE_SAYS(cam, "has no such lane (got '7')");
  REQUIRE(cam, tsuji_get(cam, "request_key", 0, NULL) == TSUJI_REFUSED);
  REQUIRE_SAYS(cam, "the pointer of the value is null");
  REQUIRE(cam, tsuji_input(cam, "answer_hit") == NULL);
  REQUIRE_SAYS(cam, "pin answer_hit is an output");
  REQUIRE(cam, tsuji_output(cam, "reset") == NULL);
  REQUIRE_SAYS(cam, "pin reset is an input");
  REQUIRE(cam, tsuji_pin_at(cam, 99, &pin) == TSUJI_REFUSED);
  REQUIRE_SAYS(cam, "no such pin (got '99'); accepted: 0..11");
  REQUIRE(cam, tsuji_pin_at(cam, 0, NULL) == TSUJI_REFUSED);
  uint32_t in[4] = {0}, out[4] = {0};
  const unsigned in_bits = tsuji_input_bits(cam), out_bits = tsuji_output_bits(cam);
  REQUIRE(cam, in_bits == 1 + 1 + 2 + 3 + 12 + 12 + 32 && out_bits == 1 + 1 + 1 + 3 + 32);
  REQUIRE(cam, tsuji_step_bits(cam, in_bits + 1, in, out_bits, out) == TSUJI_REFUSED);
  REQUIRE_SAYS(cam, "a vector of another width than all inputs (got '64'); accepted: 63 bits");
  REQUIRE(cam, tsuji_step_bits(cam, in_bits, in, out_bits - 1, out) == TSUJI_REFUSED);
  REQUIRE_SAYS(cam, "a vector of another width than all outputs (got '37'); accepted: 38 bits");
  REQUIRE(cam, tsuji_step_bits(cam, in_bits, NULL, out_bits, out) == TSUJI_REFUSED);
  REQUIRE_SAYS(cam, "the pointer of a vector is null");
  REQUIRE(cam, tsuji_status(cam) == TSUJI_OK && tsuji_step(cam) == TSUJI_OK);
  tsuji_destroy(cam);
}

/* A step with inputs that the device cannot take breaks it; it says so at each further one. */
static void breaks(const char* kind, const char* yaml, const char* valid, const char* pin, uint64_t value,
                   const char* says) {
  tsuji_device* device = made(kind, yaml);
  step(device);
  put(device, valid, 0, 1);
  uint64_t* const lane = tsuji_input(device, pin);
  REQUIRE(device, lane != NULL);
  *lane = value;
  REQUIRE(device, tsuji_step(device) == TSUJI_BROKEN && tsuji_status(device) == TSUJI_BROKEN);
  REQUIRE_SAYS(device, says);
  *lane = 0;
  REQUIRE(device, tsuji_put(device, "no_pin", 0, 0) == TSUJI_REFUSED);
  REQUIRE(device, tsuji_step(device) == TSUJI_BROKEN);
  REQUIRE_SAYS(device, says);
  tsuji_destroy(device);
}

static void inputs(void) {
  const char* const router = "router: {ports: 3, vcs: 3}\npins: {node_bits: 4, data_bits: 8}\n";
  breaks("router", router, "in_valid", "in_destination", 16,
         "pin in_destination[0], cycle 1: the value 0x10 has more than 4 bits");
  breaks("router", router, "in_valid", "in_data", 256,
         "pin in_data[0], cycle 1: the value 0x100 has more than 8 bits");
  breaks("router", router, "in_valid", "in_vc", 4,
         "pin in_vc[0], cycle 1: the value 0x4 has more than 2 bits");
  breaks("router", router, "in_valid", "in_head", 2,
         "pin in_head[0], cycle 1: the value 0x2 has more than 1 bit");
  breaks("router", router, "in_valid", "out_credit", 8,
         "pin out_credit[0], cycle 1: the value 0x8 has more than 3 bits");
  breaks("router", router, "in_valid", "reset", 2,
         "pin reset[0], cycle 1: the value 0x2 has more than 1 bit");
  breaks("router", router, "table_valid", "table_row", 16,
         "pin table_row[0], cycle 1: the value 0x10 has more than 4 bits");
  breaks("router", router, "table_valid", "table_entry", UINT64_C(1) << 32,
         "pin table_entry[0], cycle 1: the value 0x100000000 has more than 32 bits");
  const char* const cam = "lookup: {cam_entries: 6, cam_key_bits: 12}\npins: {value_bits: 4}";
  breaks("cam", cam, "request_valid", "request_key", 4096, "pin request_key[0], cycle 1: the value 0x1000");
  breaks("cam", cam, "request_valid", "request_operation", 4, "pin request_operation[0]");
  breaks("cam", cam, "request_valid", "request_value", 16, "pin request_value[0]");
  breaks("cache", "lookup: {entries: 12, ways: 2}", "fill_valid", "fill_set", 6, "there is no set 6 of 6");
  breaks("cache", "lookup: {entries: 12, ways: 2}", "lookup_valid", "lookup_set", 7,
         "there is no set 7 of 6");
  breaks("predictor", "router: {ports: 5}", "learn_valid", "learn_port", 5, "there is no port 5 of 5");
  breaks("predictor", "pins: {destination_bits: 4}", "learn_valid", "learn_destination", 16,
         "pin learn_destination[0]");
  breaks("crosspoint", "", "in_valid", "in_flit", 3, "takes no packet of kind 3");
  breaks("crosspoint", "", "in_valid", "in_flit", 1u << 4 << 2, "takes no packet of kind 0 for the ports 16");
  breaks("crosspoint", "", "in_valid", "in_flit", UINT64_C(1) << 28, "pin in_flit[0]");
  breaks("crosspoint", "", "in_valid", "in_flit", 1u << 2 | 4u << 25,
         "a packet does not have the flits that its header states");
  breaks("crosspoint", "", "in_valid", "out_room", 16, "pin out_room[0]");
  /* A header that tells 100 flits of body. */
  tsuji_device* crosspoint = made("crosspoint", "");
  put(crosspoint, "in_valid", 0, 1);
  for (unsigned flit = 0; flit < 2; ++flit) {
    put(crosspoint, "in_flit", 0, flit == 0 ? 4 : 0);
    step(crosspoint);
  }
  put(crosspoint, "in_flit", 0, 100u << 10);
  REQUIRE(crosspoint, tsuji_step(crosspoint) == TSUJI_BROKEN);
  REQUIRE_SAYS(crosspoint, "a header states a packet that is too long");
  tsuji_destroy(crosspoint);
  /* A row that does not exist though its pin can name it. */
  tsuji_device* device = made("cam", cam);
  put(device, "request_valid", 0, 1);
  put(device, "request_operation", 0, 1);
  put(device, "request_index", 0, 7);
  REQUIRE(device, tsuji_step(device) == TSUJI_BROKEN);
  REQUIRE_SAYS(device, "there is no row 7 of 6");
  tsuji_destroy(device);
}

int main(void) {
  REQUIRE(NULL, tsuji_version()[0] != '\0');
  keys();
  null_device();
  pins();
  inputs();
  puts("all refused");
  return 0;
}
