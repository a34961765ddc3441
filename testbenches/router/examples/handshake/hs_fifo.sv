// SPDX-License-Identifier: Apache-2.0
// Queue of an input. Its ready does not follow its reader's within a cycle.
module hs_fifo
  import hs_pkg::*;
#(
  parameter int DEPTH = 4
) (
  input  logic  clk,
  input  logic  rst,
  input  link_t in,
  output logic  in_ready,
  output link_t out,
  input  logic  out_ready
);
  localparam int BITS = $clog2(DEPTH);

  flit_t             flits[DEPTH];
  logic [BITS-1:0]   read_at, write_at;
  logic [BITS:0]     count;

  wire put = in.valid && in_ready;
  wire get = out.valid && out_ready;

  assign in_ready = count != (BITS + 1)'(DEPTH);
  assign out.valid = count != '0;
  assign out.flit = flits[read_at];

  always_ff @(posedge clk)
    if (rst) begin
      read_at <= '0;
      write_at <= '0;
      count <= '0;
    end else begin
      if (put) begin
        flits[write_at] <= in.flit;
        write_at <= write_at + 1'b1;
      end
      if (get) read_at <= read_at + 1'b1;
      count <= count + (BITS + 1)'(put) - (BITS + 1)'(get);
    end
endmodule
