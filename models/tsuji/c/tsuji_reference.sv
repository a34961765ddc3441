// SPDX-License-Identifier: Apache-2.0
// A model of libtsuji_c as a module: `in` is all inputs of the device and `out` all its outputs, each as one vector with the
// first pin at the high end, {reset, in_valid, ...}; `out` changes after an edge, as registers do. The keys are a text or, with
// FILE, a file. A refusal ends the simulation with its text.
// With tsuji_dpi.sv and libtsuji_c in Verilator, with vvp -m tsuji_vpi in Icarus.
module tsuji_reference #(
`ifdef __ICARUS__
    parameter KIND = "router",
    parameter YAML = "",
    parameter FILE = "",
`else
    parameter string KIND = "router",
    parameter string YAML = "",
    parameter string FILE = "",
`endif
    parameter IN_BITS = 1,
    parameter OUT_BITS = 1
) (
    input  wire                clock,
    input  wire [IN_BITS-1:0]  in,
    output reg  [OUT_BITS-1:0] out
);
`ifdef __ICARUS__
  integer device;
  reg [OUT_BITS-1:0] next;
  initial device = FILE == "" ? $tsuji_create(KIND, YAML) : $tsuji_create_file(KIND, FILE);
  always @(posedge clock) begin
    $tsuji_step(device, in, next);
    out <= next;
  end
`else
  import tsuji_dpi::*;
  chandle device;
  tsuji_vector next;
  initial begin
    device = FILE == "" ? tsuji_create(KIND, YAML) : tsuji_create_file(KIND, FILE);
    if (tsuji_status(device) != 0) $fatal(1, "%m: %s", tsuji_error(device));
  end
  always @(posedge clock) begin
    if (tsuji_dpi_step(device, IN_BITS, tsuji_vector'(in), OUT_BITS, next) != 0) $fatal(1, "%m: %s", tsuji_error(device));
    out <= next[OUT_BITS-1:0];
  end
  final tsuji_destroy(device);
`endif
endmodule
