// SPDX-License-Identifier: Apache-2.0
// Virtual-channel allocation by iSLIP. In an iteration every unmatched output VC grants one of the input VCs that
// request it, and an input VC accepts one grant. The pointers of both move with grants accepted in the first iteration.
module islip_vc_allocator #(
    parameter PORTS = 5,
    parameter VCS = 4,
    parameter LINES = 20,
    parameter ITERATIONS = 1
) (
    input  wire                   clock,
    input  wire                   reset,
    input  wire [PORTS*LINES-1:0] at,      // input VC l requests port p: bit p * LINES + l, one port for each input VC
    input  wire [LINES*VCS-1:0]   vcs,     // output VCs that input VC l may take
    output reg  [LINES*VCS-1:0]   granted  // at most one for each input VC
);
  generate
    if (ITERATIONS < 1) begin : contradiction0
      ISLIP_ITERATIONS_is_less_than_1 stop ();
    end
  endgenerate

  // Round-robin pointers: for an output VC the input VCs, and for an input VC the output VCs, with the highest priority: those
  // after the last one served.
  reg [PORTS*VCS*LINES-1:0] first_lines;
  reg [LINES*VCS-1:0] first_vcs, moved;
  reg [LINES-1:0] done, wishes, line_pick;
  reg [VCS*LINES-1:0] wishes_of, offers_of, grants_of;  // by virtual channel: bit c * LINES + l
  reg [PORTS*VCS-1:0] left;
  reg [VCS-1:0] offers, vc_pick;
  integer n, p, c, l;

  always @* begin
    for (c = 0; c < VCS; c = c + 1)
      for (l = 0; l < LINES; l = l + 1) wishes_of[c*LINES+l] = vcs[l*VCS+c];
    granted = {LINES * VCS{1'b0}};
    moved = {LINES * VCS{1'b0}};
    done = {LINES{1'b0}};
    left = {PORTS * VCS{1'b1}};
    for (n = 0; n < ITERATIONS; n = n + 1) begin
      offers_of = {VCS * LINES{1'b0}};
      for (p = 0; p < PORTS; p = p + 1)
        for (c = 0; c < VCS; c = c + 1) begin
          wishes = wishes_of[c*LINES+:LINES] & at[p*LINES+:LINES] & ~done & {LINES{left[p*VCS+c]}};
          line_pick = wishes & first_lines[(p*VCS+c)*LINES+:LINES];
          if (line_pick == {LINES{1'b0}}) line_pick = wishes;
          offers_of[c*LINES+:LINES] = offers_of[c*LINES+:LINES] | (line_pick & (~line_pick + 1'b1));
        end
      for (l = 0; l < LINES; l = l + 1) begin
        for (c = 0; c < VCS; c = c + 1) offers[c] = offers_of[c*LINES+l];
        vc_pick = offers & first_vcs[l*VCS+:VCS];
        if (vc_pick == {VCS{1'b0}}) vc_pick = offers;
        vc_pick = vc_pick & (~vc_pick + 1'b1);
        granted[l*VCS+:VCS] = granted[l*VCS+:VCS] | vc_pick;
        if (vc_pick != {VCS{1'b0}}) done[l] = 1'b1;
        for (c = 0; c < VCS; c = c + 1) grants_of[c*LINES+l] = granted[l*VCS+c];
      end
      if (n == 0) moved = granted;
      for (p = 0; p < PORTS; p = p + 1)
        for (c = 0; c < VCS; c = c + 1) left[p*VCS+c] = (grants_of[c*LINES+:LINES] & at[p*LINES+:LINES]) == {LINES{1'b0}};
    end
  end

  // The pointers after this cycle.
  reg [PORTS*VCS*LINES-1:0] first_lines_next;
  reg [LINES*VCS-1:0] first_vcs_next;
  reg [VCS*LINES-1:0] moves_of;
  reg [LINES-1:0] served;
  integer q, d, m;
  always @* begin
    first_lines_next = first_lines;
    first_vcs_next = first_vcs;
    for (d = 0; d < VCS; d = d + 1)
      for (m = 0; m < LINES; m = m + 1) moves_of[d*LINES+m] = moved[m*VCS+d];
    for (q = 0; q < PORTS; q = q + 1)
      for (d = 0; d < VCS; d = d + 1) begin
        served = moves_of[d*LINES+:LINES] & at[q*LINES+:LINES];
        if (served != {LINES{1'b0}}) first_lines_next[(q*VCS+d)*LINES+:LINES] = ~(served | (served - 1'b1));
      end
    for (m = 0; m < LINES; m = m + 1)
      if (moved[m*VCS+:VCS] != {VCS{1'b0}}) first_vcs_next[m*VCS+:VCS] = ~(moved[m*VCS+:VCS] | (moved[m*VCS+:VCS] - 1'b1));
  end

  always @(posedge clock) begin
    first_lines <= reset ? {PORTS * VCS * LINES{1'b0}} : first_lines_next;
    first_vcs <= reset ? {LINES * VCS{1'b0}} : first_vcs_next;
  end
endmodule
