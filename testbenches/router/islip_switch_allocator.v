// SPDX-License-Identifier: Apache-2.0
// Switch allocation by iSLIP. In an iteration every unmatched output grants one of the inputs that request it, and an
// input accepts one grant, for one of its virtual channels that request that output. The pointers of inputs and outputs
// move with grants accepted in the first iteration, those of virtual channels with every match.
module islip_switch_allocator #(
    parameter PORTS = 5,
    parameter VCS = 4,
    parameter ITERATIONS = 1
) (
    input  wire                       clock,
    input  wire                       reset,
    input  wire [PORTS*VCS*PORTS-1:0] requests,  // input VC l requests output o: bit l * PORTS + o
    output reg  [PORTS*VCS-1:0]       granted    // at most one for each input and each output
);
  // Round-robin pointers: the highest priority is after the last one served.
  reg [PORTS*PORTS-1:0] first_inputs;   // of an output
  reg [PORTS*PORTS-1:0] first_outputs;  // of an input
  reg [PORTS*VCS-1:0] first_vcs;        // of an input
  reg [PORTS*PORTS-1:0] wants, offers, accepts, moved;  // input i, output o: bit i * PORTS + o
  reg [PORTS-1:0] inputs_left, outputs_left, wishes, pick;
  reg [VCS-1:0] vcs, vc_pick;
  integer n, i, o, v;

  always @* begin
    for (i = 0; i < PORTS; i = i + 1)
      for (o = 0; o < PORTS; o = o + 1) begin
        wants[i*PORTS+o] = 1'b0;
        for (v = 0; v < VCS; v = v + 1) if (requests[(i*VCS+v)*PORTS+o]) wants[i*PORTS+o] = 1'b1;
      end
    granted = {PORTS * VCS{1'b0}};
    moved = {PORTS * PORTS{1'b0}};
    inputs_left = {PORTS{1'b1}};
    outputs_left = {PORTS{1'b1}};
    for (n = 0; n < ITERATIONS; n = n + 1) begin
      for (o = 0; o < PORTS; o = o + 1) begin
        for (i = 0; i < PORTS; i = i + 1) wishes[i] = wants[i*PORTS+o] && inputs_left[i] && outputs_left[o];
        pick = wishes & first_inputs[o*PORTS+:PORTS];
        if (pick == {PORTS{1'b0}}) pick = wishes;
        pick = pick & (~pick + 1'b1);
        for (i = 0; i < PORTS; i = i + 1) offers[i*PORTS+o] = pick[i];
      end
      for (i = 0; i < PORTS; i = i + 1) begin
        pick = offers[i*PORTS+:PORTS] & first_outputs[i*PORTS+:PORTS];
        if (pick == {PORTS{1'b0}}) pick = offers[i*PORTS+:PORTS];
        pick = pick & (~pick + 1'b1);
        accepts[i*PORTS+:PORTS] = pick;
        for (v = 0; v < VCS; v = v + 1) vcs[v] = (requests[(i*VCS+v)*PORTS+:PORTS] & pick) != {PORTS{1'b0}};
        vc_pick = vcs & first_vcs[i*VCS+:VCS];
        if (vc_pick == {VCS{1'b0}}) vc_pick = vcs;
        granted[i*VCS+:VCS] = granted[i*VCS+:VCS] | (vc_pick & (~vc_pick + 1'b1));
        if (pick != {PORTS{1'b0}}) inputs_left[i] = 1'b0;
        outputs_left = outputs_left & ~pick;
      end
      if (n == 0) moved = accepts;
    end
  end

  // The pointers after this cycle.
  reg [PORTS*PORTS-1:0] first_inputs_next, first_outputs_next;
  reg [PORTS*VCS-1:0] first_vcs_next;
  reg [PORTS-1:0] served;
  integer a, b;
  always @* begin
    first_inputs_next = first_inputs;
    first_outputs_next = first_outputs;
    first_vcs_next = first_vcs;
    for (a = 0; a < PORTS; a = a + 1) begin
      for (b = 0; b < PORTS; b = b + 1) served[b] = moved[b*PORTS+a];
      if (served != {PORTS{1'b0}}) first_inputs_next[a*PORTS+:PORTS] = ~(served | (served - 1'b1));
      served = moved[a*PORTS+:PORTS];
      if (served != {PORTS{1'b0}}) first_outputs_next[a*PORTS+:PORTS] = ~(served | (served - 1'b1));
      if (granted[a*VCS+:VCS] != {VCS{1'b0}})
        first_vcs_next[a*VCS+:VCS] = ~(granted[a*VCS+:VCS] | (granted[a*VCS+:VCS] - 1'b1));
    end
  end

  always @(posedge clock) begin
    first_inputs <= reset ? {PORTS * PORTS{1'b0}} : first_inputs_next;
    first_outputs <= reset ? {PORTS * PORTS{1'b0}} : first_outputs_next;
    first_vcs <= reset ? {PORTS * VCS{1'b0}} : first_vcs_next;
  end
endmodule
