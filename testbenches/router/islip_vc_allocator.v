// SPDX-License-Identifier: Apache-2.0
// Virtual-channel allocation by iSLIP. In an iteration every unmatched output VC grants one of the input VCs that
// request it, and an input VC accepts one grant. The pointers of both move with grants accepted in the first iteration.
// An output VC chooses in two steps: a port, then one of the port's virtual channels.
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

  // Round-robin pointers. For an output VC: the ports after that of the input VC served last, and the virtual channels after
  // it at its port, which have the highest priority. For an input VC: the output VCs after the one taken last.
  reg [PORTS*VCS*PORTS-1:0] first_ports;
  reg [PORTS*VCS*VCS-1:0] first_lines;
  reg [LINES*VCS-1:0] first_vcs, moved;
  reg [LINES-1:0] done, wishes;
  reg [VCS*LINES-1:0] wishes_of, offers_of, grants_of;  // by virtual channel: bit c * LINES + l
  reg [PORTS*VCS-1:0] left;
  reg [VCS-1:0] offers, vc_pick, own, upper, line_pick;
  reg [PORTS-1:0] any, later, last, above, port_pick;
  reg [LINES-1:0] picks;
  // The picks of the first iteration.
  reg [PORTS*VCS*PORTS-1:0] ports_picked;
  reg [PORTS*VCS*VCS-1:0] lines_picked;
  integer n, p, c, l, i;

  always @* begin
    for (c = 0; c < VCS; c = c + 1)
      for (l = 0; l < LINES; l = l + 1) wishes_of[c*LINES+l] = vcs[l*VCS+c];
    granted = {LINES * VCS{1'b0}};
    moved = {LINES * VCS{1'b0}};
    done = {LINES{1'b0}};
    left = {PORTS * VCS{1'b1}};
    offers = {VCS{1'b0}};
    vc_pick = {VCS{1'b0}};
    grants_of = {VCS * LINES{1'b0}};
    ports_picked = {PORTS * VCS * PORTS{1'b0}};
    lines_picked = {PORTS * VCS * VCS{1'b0}};
    for (n = 0; n < ITERATIONS; n = n + 1) begin
      offers_of = {VCS * LINES{1'b0}};
      for (p = 0; p < PORTS; p = p + 1)
        for (c = 0; c < VCS; c = c + 1) begin
          wishes = wishes_of[c*LINES+:LINES] & at[p*LINES+:LINES] & ~done & {LINES{left[p*VCS+c]}};
          later = first_ports[(p*VCS+c)*PORTS+:PORTS];
          last = ~later & {1'b1, later[PORTS-1:1]};  // the port served last
          for (i = 0; i < PORTS; i = i + 1) begin
            any[i] = wishes[i*VCS+:VCS] != {VCS{1'b0}};
            upper = wishes[i*VCS+:VCS] & first_lines[(p*VCS+c)*VCS+:VCS];
            above[i] = last[i] && upper != {VCS{1'b0}};
            if (above[i]) own = upper; else own = wishes[i*VCS+:VCS];
            picks[i*VCS+:VCS] = own & (~own + 1'b1);
          end
          port_pick = (any & later) | above;
          if (port_pick == {PORTS{1'b0}}) port_pick = any;
          port_pick = port_pick & (~port_pick + 1'b1);
          line_pick = {VCS{1'b0}};
          for (i = 0; i < PORTS; i = i + 1) begin
            picks[i*VCS+:VCS] = picks[i*VCS+:VCS] & {VCS{port_pick[i]}};
            line_pick = line_pick | picks[i*VCS+:VCS];
          end
          offers_of[c*LINES+:LINES] = offers_of[c*LINES+:LINES] | picks;
          if (n == 0) begin
            ports_picked[(p*VCS+c)*PORTS+:PORTS] = port_pick;
            lines_picked[(p*VCS+c)*VCS+:VCS] = line_pick;
          end
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
  reg [PORTS*VCS*PORTS-1:0] first_ports_next;
  reg [PORTS*VCS*VCS-1:0] first_lines_next;
  reg [LINES*VCS-1:0] first_vcs_next;
  reg [VCS*LINES-1:0] moves_of;
  integer q, d, m;
  always @* begin
    first_ports_next = first_ports;
    first_lines_next = first_lines;
    first_vcs_next = first_vcs;
    for (d = 0; d < VCS; d = d + 1)
      for (m = 0; m < LINES; m = m + 1) moves_of[d*LINES+m] = moved[m*VCS+d];
    for (q = 0; q < PORTS; q = q + 1)
      for (d = 0; d < VCS; d = d + 1)
        if ((moves_of[d*LINES+:LINES] & at[q*LINES+:LINES]) != {LINES{1'b0}}) begin
          first_ports_next[(q*VCS+d)*PORTS+:PORTS] = ~(ports_picked[(q*VCS+d)*PORTS+:PORTS] | (ports_picked[(q*VCS+d)*PORTS+:PORTS] - 1'b1));
          first_lines_next[(q*VCS+d)*VCS+:VCS] = ~(lines_picked[(q*VCS+d)*VCS+:VCS] | (lines_picked[(q*VCS+d)*VCS+:VCS] - 1'b1));
        end
    for (m = 0; m < LINES; m = m + 1)
      if (moved[m*VCS+:VCS] != {VCS{1'b0}}) first_vcs_next[m*VCS+:VCS] = ~(moved[m*VCS+:VCS] | (moved[m*VCS+:VCS] - 1'b1));
  end

  always @(posedge clock) begin
    first_ports <= reset ? {PORTS * VCS * PORTS{1'b0}} : first_ports_next;
    first_lines <= reset ? {PORTS * VCS * VCS{1'b0}} : first_lines_next;
    first_vcs <= reset ? {LINES * VCS{1'b0}} : first_vcs_next;
  end
endmodule
