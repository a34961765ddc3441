// SPDX-License-Identifier: Apache-2.0
// Decision of a Detour-UD router of two dimensions on a head: the ports by which it may leave, on FA channels or, in
// recovery, on UD channels. Port 2d goes to higher coordinates of dimension d, 2d + 1 to lower ones; number 4 is the
// processor interface. Outputs belong to the inputs of the previous cycle.
module detour_decision #(
    parameter COORDINATE_BITS = 4,
    parameter RADIX_0 = 10,
    parameter RADIX_1 = 10,
    parameter WRAPS = 1
) (
    input  wire                         clock,
    input  wire                         reset,
    input  wire                         head,
    input  wire [2*COORDINATE_BITS-1:0] here,
    input  wire [2*COORDINATE_BITS-1:0] destination,
    input  wire [2:0]                   in_port,
    input  wire                         on_ud,
    input  wire                         in_recovery,
    input  wire                         in_region,
    input  wire [3:0]                   torus_word,
    input  wire [3:0]                   up_down_word,
    output reg                          decided,
    output reg                          eject,
    output reg                          reads_table,
    output reg  [3:0]                   fa,
    output reg  [3:0]                   ud
);
  generate
    if (RADIX_0 < 1 || RADIX_0 > (1 << COORDINATE_BITS) || RADIX_1 < 1 || RADIX_1 > (1 << COORDINATE_BITS)) begin : contradiction0
      RADIX_is_not_1_to_2_power_COORDINATE_BITS stop ();
    end
  endgenerate

  // The words lead no head from a UD channel back: nothing here has to keep it from turning.
  wire unused = on_ud;

  wire [3:0] minimal;
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

  wire there = here == destination;
  wire [3:0] back = in_port[2] ? 4'd0 : 4'd1 << in_port[1:0];
  wire [3:0] ways = in_region ? torus_word : minimal;
  wire [3:0] others = ways & ~back;

  always @(posedge clock) begin
    decided <= head && !reset;
    eject <= head && !reset && there;
    reads_table <= head && !reset && !there && (in_recovery || in_region);
    fa <= head && !reset && !there && !in_recovery ? (others != 4'd0 ? others : ways) : 4'd0;
    ud <= head && !reset && !there && in_recovery ? up_down_word : 4'd0;
  end
endmodule
