// SPDX-License-Identifier: Apache-2.0
// Turns of a router's choices: the number of heads that have got a virtual channel, modulo 1 .. CANDIDATES.
module choice_turns #(
    parameter CANDIDATES = 2,
    parameter LINES = 20,
    parameter VCS = 4,
    // Derived; do not set.
    parameter TURN_BITS = $clog2(CANDIDATES)
) (
    input  wire clock,
    input  wire reset,
    input  wire [LINES*VCS-1:0] granted,
    output wire [CANDIDATES*TURN_BITS-1:0] turns  // [n - 1]: modulo n
);
  localparam COUNT_BITS = $clog2(LINES + CANDIDATES + 1);

  reg [COUNT_BITS-1:0] count;
  integer l;
  always @* begin
    count = {COUNT_BITS{1'b0}};
    for (l = 0; l < LINES; l = l + 1) if (granted[l*VCS+:VCS] != {VCS{1'b0}}) count = count + 1'b1;
  end

  genvar n;
  generate
    for (n = 1; n <= CANDIDATES; n = n + 1) begin : modulo
      localparam [COUNT_BITS-1:0] N = n;
      reg [TURN_BITS-1:0] turn;
      wire [COUNT_BITS-1:0] next = ({{COUNT_BITS-TURN_BITS{1'b0}}, turn} + count) % N;
      always @(posedge clock) turn <= reset ? {TURN_BITS{1'b0}} : next[TURN_BITS-1:0];
      assign turns[(n-1)*TURN_BITS+:TURN_BITS] = turn;
      wire unused = &{1'b0, next};
    end
  endgenerate
endmodule
