/* SPDX-License-Identifier: Apache-2.0 */
// Models of Tsuji between pins, for benches in C, C++, SystemVerilog (DPI-C: tsuji_dpi.sv) and Verilog (VPI).
// Link with libtsuji_c. A device is made of YAML keys, its pins have the names of the RTL, and one call is
// one clock edge:
//
//     tsuji_device* router = tsuji_create("router", "router: {ports: 5, vcs: 4}");
//     if (tsuji_status(router) != TSUJI_OK) fail(tsuji_error(router));
//     uint64_t* in_valid = tsuji_input(router, "in_valid");    (a value for each lane, here each port)
//     const uint64_t* out_valid = tsuji_output(router, "out_valid");
//     in_valid[0] = 1;
//     if (tsuji_step(router) != TSUJI_OK) fail(tsuji_error(router));
//     if (out_valid[3]) took(3);    (the next cycle's values)
//     tsuji_destroy(router);
//
// No call ends the program, prints or throws. Two devices may be used in two threads, one device in one at a
// time; a network, of which a process has one, in the thread that made it.
#ifndef TSUJI_C_TSUJI_H
#define TSUJI_C_TSUJI_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A model with pins; also one that could not be made, which only reports why.
typedef struct tsuji_device tsuji_device;

/// Results of calls. After the failures tsuji_error() has a text.
enum {
  TSUJI_OK = 0,      ///< No failure.
  TSUJI_BROKEN = 1,  ///< The model cannot continue, as its inputs broke a rule of the device.
  TSUJI_REFUSED = 2  ///< A wrong argument; the device is as before.
};

/// Version of the library, as "0.1.0".
const char* tsuji_version(void);

/// Makes a device of YAML text: "router", "crosspoint", "cache", "cam", "predictor" or "network". The result
/// is null only if memory is exhausted; tsuji_status() reports whether it is usable.
tsuji_device* tsuji_create(const char* kind, const char* yaml);
/// tsuji_create() of the YAML file at `path`.
tsuji_device* tsuji_create_file(const char* kind, const char* path);
/// Frees a device with its pins; null: nothing.
void tsuji_destroy(tsuji_device* device);

/// State of a device: TSUJI_OK, TSUJI_BROKEN after a step that failed, TSUJI_REFUSED if it could not be made
/// or is null.
int tsuji_status(const tsuji_device* device);
/// Text of the device's last call that failed; "": none has. A device that could not be made has the reason,
/// with line and column of the YAML. The text holds until the device's next call.
const char* tsuji_error(const tsuji_device* device);

/// A pin. Its lanes are the fields of a vector of the RTL, lane 0 at the low end.
typedef struct tsuji_pin {
  const char* name;     ///< Its name, which holds as long as the device.
  unsigned width_bits;  ///< Width of a lane, 1..64.
  unsigned lanes;       ///< Number of lanes.
  int is_input;         ///< 1: an input, 0: an output.
} tsuji_pin;

/// Number of pins; 0 for a device that could not be made.
size_t tsuji_pin_count(const tsuji_device* device);
/// Pin number `index`, in the order of tsuji_step_bits().
int tsuji_pin_at(tsuji_device* device, size_t index, tsuji_pin* pin);

/// The lanes of an input, for all of the device's life; null: there is no such pin.
uint64_t* tsuji_input(tsuji_device* device, const char* name);
/// The lanes of an output, for all of the device's life; null: there is no such pin.
const uint64_t* tsuji_output(tsuji_device* device, const char* name);
/// Writes one lane of an input. Refused: a value that does not fit into the pin's width.
int tsuji_put(tsuji_device* device, const char* name, unsigned lane, uint64_t value);
/// Reads one lane of an output or an input.
int tsuji_get(tsuji_device* device, const char* name, unsigned lane, uint64_t* value);

/// A clock edge: takes the inputs, then shows the outputs of the next cycle.
int tsuji_step(tsuji_device* device);

/// A clock edge with all inputs and outputs as two vectors of `in_bits` and `out_bits` bits in words of 32,
/// lowest first, as DPI and VPI have them. The first pin is at the high end, as in a concatenation {reset,
/// in_valid, ...}, lane 0 of a pin at the pin's low end. Unused bits of the last word of `out` are 0.
int tsuji_step_bits(tsuji_device* device, unsigned in_bits, const uint32_t* in, unsigned out_bits,
                    uint32_t* out);
/// Bits of all inputs.
unsigned tsuji_input_bits(const tsuji_device* device);
/// Bits of all outputs.
unsigned tsuji_output_bits(const tsuji_device* device);

#ifdef __cplusplus
}
#endif

#endif
