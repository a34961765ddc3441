// SPDX-License-Identifier: Apache-2.0
// The ports by which a head may leave a Detour-UD router of two dimensions, without registers: on FA channels or, in
// recovery, on UD channels. Port 2d goes to higher coordinates of dimension d, 2d + 1 to lower ones; number 4 is the
// processor interface.
module detour_ways #(
    parameter COORDINATE_BITS = 4,
    parameter RADIX_0 = 10,
    parameter RADIX_1 = 10,
    parameter WRAPS = 1
) (
    input  wire [2*COORDINATE_BITS-1:0] here,
    input  wire [2*COORDINATE_BITS-1:0] destination,
    input  wire [2:0]                   in_port,
    input  wire                         in_recovery,
    input  wire                         in_region,
    input  wire [3:0]                   torus_word,
    input  wire [3:0]                   up_down_word,
    output wire [3:0]                   minimal,  // shortest ways by coordinates
    output wire                         there,
    output wire                         reads_table,
    output wire [3:0]                   fa,
    output wire [3:0]                   ud
);
  genvar d;
  generate
    for (d = 0; d < 2; d = d + 1) begin : of_dimension
      localparam [COORDINATE_BITS+1:0] RADIX = d == 0 ? RADIX_0[COORDINATE_BITS+1:0] : RADIX_1[COORDINATE_BITS+1:0];
      wire [COORDINATE_BITS+1:0] from = {2'b0, here[d*COORDINATE_BITS+:COORDINATE_BITS]};
      wire [COORDINATE_BITS+1:0] to = {2'b0, destination[d*COORDINATE_BITS+:COORDINATE_BITS]};
      wire [COORDINATE_BITS+1:0] hops = to >= from ? to - from : to + RADIX - from;  // to higher coordinates
      assign minimal[2*d] = from != to && (WRAPS != 0 ? hops << 1 <= RADIX : to > from);
      assign minimal[2*d+1] = from != to && (WRAPS != 0 ? hops << 1 >= RADIX : to < from);
    end
  endgenerate

  assign there = here == destination;
  wire [3:0] back = in_port[2] ? 4'd0 : 4'd1 << in_port[1:0];
  wire [3:0] ways = in_region ? torus_word : minimal;
  wire [3:0] others = ways & ~back;
  assign reads_table = !there && (in_recovery || in_region);
  assign fa = !there && !in_recovery ? (others != 4'd0 ? others : ways) : 4'd0;
  assign ud = !there && in_recovery ? up_down_word : 4'd0;
endmodule
