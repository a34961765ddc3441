// SPDX-License-Identifier: Apache-2.0
// State of an output virtual channel in its router: whether a packet holds it, and the number of its credits.
module output_vc #(
    parameter BUFFER_FLITS = 8,
    parameter CREDIT_CYCLES = 1,  // from a credit at the pin to its use
    parameter ATOMIC = 0,         // allocated only when all downstream slots are free
    // Derived; do not set.
    parameter COUNT_BITS = BUFFER_FLITS > 0 ? $clog2(BUFFER_FLITS + 1) : 1
) (
    input  wire clock,
    input  wire reset,
    input  wire take,      // by a head
    input  wire release_,  // by a tail that leaves
    input  wire drop,      // by a head that begins recovery, before this cycle's allocation
    input  wire send,      // a flit leaves
    input  wire credit,    // at the pin
    output wire free,      // may be allocated in this cycle
    output wire has_place,
    output wire [COUNT_BITS-1:0] credits,
    output wire wrong      // a credit without an outstanding flit
);
  localparam [COUNT_BITS-1:0] FULL = BUFFER_FLITS[COUNT_BITS-1:0], NONE = {COUNT_BITS{1'b0}}, ONE = NONE + 1'b1;

  // Flits whose credits are not at the pin yet.
  reg [COUNT_BITS-1:0] away;
  reg held;
  assign wrong = credit && away == NONE;

  wire empty;  // as far as the router knows
  generate
    if (CREDIT_CYCLES == 0) begin : at_once
      assign has_place = away != FULL || credit;
      assign empty = away == NONE || (away == ONE && credit);
      assign credits = FULL - away + (credit ? ONE : NONE);
    end else if (CREDIT_CYCLES == 1) begin : next
      assign has_place = away != FULL;
      assign empty = away == NONE;
      assign credits = FULL - away;
    end else begin : later
      reg [CREDIT_CYCLES-2:0] coming;  // credits, the next one at the top
      reg [COUNT_BITS-1:0] taken;      // places
      integer c;
      assign has_place = taken != FULL;
      assign empty = taken == NONE;
      assign credits = FULL - taken;
      always @(posedge clock) begin
        coming[0] <= credit;
        for (c = 1; c < CREDIT_CYCLES - 1; c = c + 1) coming[c] <= coming[c-1];
        if (send && !coming[CREDIT_CYCLES-2]) taken <= taken + 1'b1;
        if (!send && coming[CREDIT_CYCLES-2]) taken <= taken - 1'b1;
        if (reset) begin
          coming <= {CREDIT_CYCLES - 1{1'b0}};
          taken <= NONE;
        end
      end
    end
  endgenerate
  assign free = (!held || drop) && (ATOMIC == 0 || empty);

  always @(posedge clock) begin
    if (send && !credit) away <= away + 1'b1;
    if (!send && credit) away <= away - 1'b1;
    if (drop) held <= 1'b0;
    if (take) held <= 1'b1;
    if (release_) held <= 1'b0;
    if (reset) begin
      away <= NONE;
      held <= 1'b0;
    end
  end
endmodule
