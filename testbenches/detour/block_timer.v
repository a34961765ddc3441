// SPDX-License-Identifier: Apache-2.0
// Block timers of a router's input virtual channels: a head that has been at the front for TIMEOUT cycles expires in the
// cycle in which they end. A head that waits for its node or is in recovery does not expire. In one cycle, heads leave
// first, then others arrive.
module block_timer #(
    parameter INPUTS = 18,
    parameter TIMEOUT = 128,
    parameter COUNT_BITS = 8
) (
    input  wire              clock,
    input  wire              reset,
    input  wire [INPUTS-1:0] come,
    input  wire [INPUTS-1:0] in_recovery,  // the arriving head is in recovery
    input  wire [INPUTS-1:0] leave,
    input  wire [INPUTS-1:0] to_node,
    output reg  [INPUTS-1:0] expired
);
  generate
    if (TIMEOUT < 1 || TIMEOUT >= (1 << COUNT_BITS)) begin : contradiction0
      TIMEOUT_is_not_1_and_below_2_power_COUNT_BITS stop ();
    end
  endgenerate

  // Cycles until a head's time is over: 0 for one in recovery, for one whose time was over while it waited for its node, and
  // without a head.
  integer i;
  localparam [COUNT_BITS-1:0] NONE = 0;
  reg [INPUTS*COUNT_BITS-1:0] rest, rest_now;

  always @* begin
    rest_now = rest;
    for (i = 0; i < INPUTS; i = i + 1) begin
      if (leave[i]) rest_now[i*COUNT_BITS+:COUNT_BITS] = NONE;
      if (come[i]) rest_now[i*COUNT_BITS+:COUNT_BITS] = in_recovery[i] ? NONE : TIMEOUT[COUNT_BITS-1:0];
    end
  end

  always @(posedge clock) begin
    for (i = 0; i < INPUTS; i = i + 1) begin
      expired[i] <= !reset && rest_now[i*COUNT_BITS+:COUNT_BITS] == 1 && !to_node[i];
      rest[i*COUNT_BITS+:COUNT_BITS] <=
          reset || rest_now[i*COUNT_BITS+:COUNT_BITS] == NONE ? NONE : rest_now[i*COUNT_BITS+:COUNT_BITS] - 1'b1;
    end
  end
endmodule
