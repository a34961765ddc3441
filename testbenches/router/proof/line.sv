// SPDX-License-Identifier: Apache-2.0
// An input virtual channel between a sender that keeps to its credits and packets, and a router that grants one virtual channel of
// those asked for, and the switch to a flit that asks for it.
module line #(
    parameter PORTS = 2,
    parameter VCS = 2,
    parameter BUFFER_FLITS = 3,
    parameter RC_CYCLES = 1,
    parameter VA_CYCLES = 1
) (
    input wire clock,
    input wire reset,
    input wire arrives,
    input wire [3:0] arriving,
    input wire route_port,
    input wire [VCS-1:0] route_vcs,
    input wire [PORTS*VCS-1:0] free,
    input wire [PORTS*VCS-1:0] has_place,
    input wire [VCS-1:0] granted,
    input wire leaves
);
  localparam FLIT_BITS = 4;
  wire [FLIT_BITS-1:0] front;
  wire [VCS-1:0] asks;
  wire sends, out_port, wrong;
  wire [(VCS > 1 ? $clog2(VCS) : 1)-1:0] out_vc;
  input_vc #(.PORTS(PORTS), .VCS(VCS), .BUFFER_FLITS(BUFFER_FLITS), .RC_CYCLES(RC_CYCLES), .VA_CYCLES(VA_CYCLES), .FLIT_BITS(FLIT_BITS)) one (
      .clock(clock), .reset(reset), .arrives(arrives), .arriving(arriving), .front(front), .route_port(route_port), .route_vcs(route_vcs),
      .by_table(1'b0), .answered(1'b0), .restarts(1'b0), .hit(1'b0), .hit_port(1'b0),
      .hit_vc({VCS > 1 ? $clog2(VCS) : 1{1'b0}}),
      .free(free), .has_place(has_place), .asks(asks), .granted(granted), .sends(sends), .out_port(out_port), .out_vc(out_vc),
      .leaves(leaves), .wrong(wrong));

  // The first edge is one of a reset; others may follow.
  reg started = 0;
  always @(posedge clock) started <= 1;
  always @* if (!started) assume (reset);

  // The sender.
  reg [7:0] held = 0;
  reg inside = 0;
  always @(posedge clock) begin
    held <= reset ? 0 : held + arrives - leaves;
    if (arrives) inside <= !arriving[FLIT_BITS-1];
    if (reset) inside <= 0;
  end
  always @* if (arrives) assume (!reset && held < BUFFER_FLITS && arriving[FLIT_BITS-2] == !inside);
  // The router.
  always @* begin
    assume (route_vcs != 0);
    assume ((granted & ~asks) == 0 && (granted & (granted - 1)) == 0);
    assume (!leaves || (sends && !reset));
  end

`ifdef P_count
  always @* if (started && !reset) begin
    assert (held <= BUFFER_FLITS);
    assert (!leaves || held + arrives != 0);
    assert (!wrong);
  end
`endif
`ifdef P_order
  // Any one flit, whose bits the solver chooses: it leaves when all those before it have, with the bits it came with.
  (* anyseq *) wire mark;
  reg marked = 0;
  reg [FLIT_BITS-1:0] flit;
  reg [7:0] before;
  wire now = mark && arrives && !marked;
  always @(posedge clock) begin
    if (now) begin
      marked <= 1;
      flit <= arriving;
      before <= held - leaves;
    end else if (marked && leaves) before <= before - 1;
    if (reset || (marked && leaves && before == 0) || (now && leaves && held == 0)) marked <= 0;
  end
  always @* if (started && !reset) begin
    if (marked && before == 0) assert (front == flit);
    if (now && held == 0) assert (front == arriving);
  end
`endif
endmodule
