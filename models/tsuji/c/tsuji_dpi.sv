// SPDX-License-Identifier: Apache-2.0
// Models of libtsuji_c in SystemVerilog; tsuji.h says what each function does. A simulator is linked with libtsuji_c.
package tsuji_dpi;
  // Vectors of tsuji_dpi_step(): inputs and outputs at the low end.
  localparam int most_bits = 2048;
  typedef bit [most_bits-1:0] tsuji_vector;

  import "DPI-C" function chandle tsuji_create(input string kind, input string yaml);
  import "DPI-C" function chandle tsuji_create_file(input string kind, input string path);
  import "DPI-C" function void tsuji_destroy(input chandle device);
  // 0: usable, 1: a step failed, 2: it could not be made.
  import "DPI-C" function int tsuji_status(input chandle device);
  import "DPI-C" function string tsuji_error(input chandle device);
  import "DPI-C" function int tsuji_put(input chandle device, input string name, input int unsigned lane,
                                        input longint unsigned value);
  import "DPI-C" function int tsuji_get(input chandle device, input string name, input int unsigned lane,
                                        output longint unsigned value);
  import "DPI-C" function int tsuji_step(input chandle device);
  // tsuji_step_bits(): an edge with all inputs and outputs, in one call.
  import "DPI-C" function int tsuji_dpi_step(input chandle device, input int unsigned in_bits, input tsuji_vector in,
                                             input int unsigned out_bits, output tsuji_vector out);
endpackage
