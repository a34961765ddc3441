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

  wire there, reads;
  wire [3:0] on_fa, on_ud_channels, minimal;
  wire unused_minimal = &{1'b0, minimal};
  detour_ways #(.COORDINATE_BITS(COORDINATE_BITS), .RADIX_0(RADIX_0), .RADIX_1(RADIX_1), .WRAPS(WRAPS)) one (.here(here),
      .destination(destination), .in_port(in_port), .in_recovery(in_recovery), .in_region(in_region), .torus_word(torus_word),
      .up_down_word(up_down_word), .minimal(minimal), .there(there), .reads_table(reads), .fa(on_fa), .ud(on_ud_channels));

  always @(posedge clock) begin
    decided <= head && !reset;
    eject <= head && !reset && there;
    reads_table <= head && !reset && reads;
    fa <= head && !reset ? on_fa : 4'd0;
    ud <= head && !reset ? on_ud_channels : 4'd0;
  end
endmodule
