// SPDX-License-Identifier: Apache-2.0
// Credits of an output virtual channel, between a router that sends where there is a place and a far end that gives each place
// back once.
module place #(
    parameter BUFFER_FLITS = 3,
    parameter CREDIT_CYCLES = 1,
    parameter ATOMIC = 0
) (
    input wire clock,
    input wire reset,
    input wire take,
    input wire tail,
    input wire send,
    input wire credit
);
  localparam C = $clog2(BUFFER_FLITS + 1);
  localparam COMING = CREDIT_CYCLES > 1 ? CREDIT_CYCLES - 1 : 1;
  wire free, has_place, wrong;
  output_vc #(.BUFFER_FLITS(BUFFER_FLITS), .CREDIT_CYCLES(CREDIT_CYCLES), .ATOMIC(ATOMIC)) one (.clock(clock), .reset(reset), .take(take),
      .release_(send && tail), .drop(1'b0), .send(send), .credit(credit), .free(free), .has_place(has_place), .wrong(wrong));

  // The first cycle is one of a reset; others may follow.
  reg started = 0;
  always @(posedge clock) started <= 1;
  always @* if (!started) assume (reset);
  wire runs = started && !reset;

  reg [C-1:0] away;         // flits whose credits have not been at the pin
  reg [COMING-1:0] coming;  // credits between the pin and their use, the latest at bit 0
  reg held;
  reg [C:0] known;  // places that the router may use
  integer c;
  always @(posedge clock) begin
    away <= reset ? 0 : away + send - credit;
    held <= reset ? 0 : (held || take) && !(send && tail);
    coming <= reset ? 0 : {coming, credit};
  end
  always @* begin
    known = BUFFER_FLITS - away;
    if (CREDIT_CYCLES == 0) known = known + credit;
    if (CREDIT_CYCLES > 1) for (c = 0; c < COMING; c = c + 1) known = known - coming[c];
  end
  always @* begin
    assume (!credit || away != 0);
    assume (!send || (has_place && (held || take)));
    assume (!take || free);
  end

  // The registers behind it: without them a state that is never reached could begin an induction.
  (* hierconn *) wire [C-1:0] \one.away ;
  (* hierconn *) wire \one.held ;
  (* hierconn *) wire [C-1:0] \one.genblk1.later.taken ;
  (* hierconn *) wire [COMING-1:0] \one.genblk1.later.coming ;
  always @* if (runs) begin
    assert (\one.away == away);
    assert (\one.held == held);
    if (CREDIT_CYCLES > 1) assert (\one.genblk1.later.taken == BUFFER_FLITS - known && \one.genblk1.later.coming == coming);
    assert (known <= BUFFER_FLITS);
    assert (has_place == (known != 0));
    assert (!wrong);
    assert (free == (!held && (ATOMIC == 0 || known == BUFFER_FLITS)));
  end
endmodule
