// SPDX-License-Identifier: Apache-2.0
// Crossbar connections set before a flit arrives, the twin of router::PredictiveCrossbar. An input holds its predicted
// output (want_port) while no other input requests that output. Vectors hold all ports, port 0 at the low end; a predicted
// port that does not exist is no prediction. All outputs are functions of registers alone: the sender itself checks whether
// a request of this cycle releases its connection.
module predictive_crossbar #(
    parameter PORTS = 5,
    parameter PORT_BITS = 3,
    parameter SA_CYCLES = 1,   // from switch allocation to switch traversal
    parameter FLIT_CYCLES = 1  // of a flit at an output
) (
    input  wire                       clock,
    input  wire                       reset,
    input  wire [PORTS-1:0]           want_valid,
    input  wire [PORTS*PORT_BITS-1:0] want_port,
    input  wire [PORTS*PORTS-1:0]     request,     // input i requests output o: bit i * PORTS + o
    input  wire [PORTS-1:0]           won_valid,   // a flit has won switch allocation: one for each input and output, FLIT_CYCLES apart
    input  wire [PORTS*PORT_BITS-1:0] won_port,
    input  wire [PORTS-1:0]           send,        // a flit to the held output, if it is usable in this cycle
    input  wire [PORTS-1:0]           send_keep,   // keep the output for the rest of the packet
    output reg  [PORTS-1:0]           held_valid,  // usable in this cycle unless an input requests the output
    output reg  [PORTS*PORT_BITS-1:0] held_port,
    output wire [PORTS-1:0]           wanted_valid,
    output reg  [PORTS*PORT_BITS-1:0] wanted_port,
    output reg  [PORTS-1:0]           sent_valid,  // in the previous cycle
    output reg  [PORTS*PORT_BITS-1:0] sent_port
);
  // Contradictions stop elaboration: there is no module of these names.
  generate
    if (PORTS < 2 || PORTS > (1 << PORT_BITS)) begin : contradiction0
      PORTS_is_not_2_to_2_power_PORT_BITS stop ();
    end
    if (SA_CYCLES < 1 || FLIT_CYCLES < 1 || FLIT_CYCLES > SA_CYCLES + 1) begin : contradiction1
      FLIT_CYCLES_is_not_1_to_SA_CYCLES_and_1 stop ();
    end
  endgenerate

  localparam AHEAD = SA_CYCLES + FLIT_CYCLES;  // cycles of which crossings are known
  localparam [AHEAD-1:0] FLIT = {{SA_CYCLES{1'b0}}, {FLIT_CYCLES{1'b1}}};
  localparam [PORT_BITS-1:0] LAST_PORT = PORTS[PORT_BITS-1:0] - 1'b1;

  reg [PORTS-1:0]           wants, keeps, holds;
  reg [PORTS*PORT_BITS-1:0] wants_port;  // of an input that holds: the output that is held
  reg [PORTS*PORT_BITS-1:0] turn;        // of an output: the input with the highest priority
  reg [PORTS*AHEAD-1:0]     in_use;      // bit k: a flit crosses in k cycles
  reg [PORTS*AHEAD-1:0]     out_use;

  function exists(input [PORT_BITS-1:0] port);
    exists = port <= LAST_PORT;
  endfunction

  // Requests and new predictions of this cycle.
  reg [PORTS-1:0] asked, asks, released, stays, usable, wants_next;
  reg [PORTS*PORT_BITS-1:0] wants_port_next;
  integer i, o;
  always @* begin
    asked = {PORTS{1'b0}};
    for (i = 0; i < PORTS; i = i + 1) begin
      asked = asked | request[i*PORTS+:PORTS];
      asks[i] = |request[i*PORTS+:PORTS];
    end
    wants_next = wants;
    wants_port_next = wants_port;
    for (i = 0; i < PORTS; i = i + 1) begin
      usable[i] = holds[i] && !in_use[i*AHEAD];
      released[i] = holds[i] && asks[i];
      for (o = 0; o < PORTS; o = o + 1)
        if (wants_port[i*PORT_BITS+:PORT_BITS] == o[PORT_BITS-1:0]) begin
          if (|(out_use[o*AHEAD+:AHEAD] & FLIT)) usable[i] = 1'b0;
          if (holds[i] && asked[o]) released[i] = 1'b1;
        end
      stays[i] = holds[i] && !released[i];
      if (want_valid[i]) begin
        if (want_port[i*PORT_BITS+:PORT_BITS] != wants_port[i*PORT_BITS+:PORT_BITS]) stays[i] = 1'b0;
        wants_next[i] = exists(want_port[i*PORT_BITS+:PORT_BITS]);
        wants_port_next[i*PORT_BITS+:PORT_BITS] = want_port[i*PORT_BITS+:PORT_BITS];
      end else if (released[i] && keeps[i]) wants_next[i] = 1'b0;
    end
  end

  // Holders of the next cycle: those that stay, and for an output that no input holds or requested, the first input from
  // its turn on that predicts it.
  reg [PORTS-1:0] holds_next;
  reg [PORTS*PORT_BITS-1:0] turn_next;
  reg [PORT_BITS-1:0] at;
  reg free;
  integer h, n;
  always @* begin
    holds_next = stays;
    turn_next = turn;
    at = {PORT_BITS{1'b0}};
    for (h = 0; h < PORTS; h = h + 1) begin
      free = !asked[h];
      for (n = 0; n < PORTS; n = n + 1)
        if (stays[n] && wants_port[n*PORT_BITS+:PORT_BITS] == h[PORT_BITS-1:0]) free = 1'b0;
      at = turn[h*PORT_BITS+:PORT_BITS];
      for (n = 0; n < PORTS; n = n + 1) begin
        if (free && wants_next[at] && wants_port_next[at*PORT_BITS+:PORT_BITS] == h[PORT_BITS-1:0]) begin
          free = 1'b0;
          holds_next[at] = 1'b1;
          turn_next[h*PORT_BITS+:PORT_BITS] = at == LAST_PORT ? {PORT_BITS{1'b0}} : at + 1'b1;
        end
        at = at == LAST_PORT ? {PORT_BITS{1'b0}} : at + 1'b1;
      end
    end
  end

  wire [PORTS-1:0] sends = send & stays & usable;
  reg [PORTS*AHEAD-1:0] in_use_next, out_use_next;
  integer c, d;
  always @* begin
    for (c = 0; c < PORTS; c = c + 1) begin
      in_use_next[c*AHEAD+:AHEAD] = in_use[c*AHEAD+:AHEAD] >> 1;
      if (won_valid[c]) in_use_next[c*AHEAD+SA_CYCLES-1] = 1'b1;
      out_use_next[c*AHEAD+:AHEAD] = out_use[c*AHEAD+:AHEAD] >> 1;
      for (d = 0; d < PORTS; d = d + 1) begin
        if (won_valid[d] && won_port[d*PORT_BITS+:PORT_BITS] == c[PORT_BITS-1:0])
          out_use_next[c*AHEAD+:AHEAD] = out_use_next[c*AHEAD+:AHEAD] | FLIT << (SA_CYCLES - 1);
        if (sends[d] && wants_port[d*PORT_BITS+:PORT_BITS] == c[PORT_BITS-1:0])
          out_use_next[c*AHEAD+:AHEAD] = out_use_next[c*AHEAD+:AHEAD] | FLIT >> 1;
      end
    end
  end

  assign wanted_valid = wants;
  integer s;
  always @* begin
    held_valid = usable;
    for (s = 0; s < PORTS; s = s + 1) begin
      held_port[s*PORT_BITS+:PORT_BITS] = usable[s] ? wants_port[s*PORT_BITS+:PORT_BITS] : {PORT_BITS{1'b0}};
      wanted_port[s*PORT_BITS+:PORT_BITS] = wants[s] ? wants_port[s*PORT_BITS+:PORT_BITS] : {PORT_BITS{1'b0}};
    end
  end

  integer e;
  always @(posedge clock) begin
    wants <= wants_next;
    wants_port <= wants_port_next;
    keeps <= (keeps & ~want_valid) | (sends & send_keep);
    holds <= holds_next;
    turn <= turn_next;
    in_use <= in_use_next;
    out_use <= out_use_next;
    sent_valid <= sends;
    for (e = 0; e < PORTS; e = e + 1)
      sent_port[e*PORT_BITS+:PORT_BITS] <= sends[e] ? wants_port[e*PORT_BITS+:PORT_BITS] : {PORT_BITS{1'b0}};
    if (reset) begin
      wants <= {PORTS{1'b0}};
      wants_port <= {PORTS * PORT_BITS{1'b0}};
      keeps <= {PORTS{1'b0}};
      holds <= {PORTS{1'b0}};
      turn <= {PORTS * PORT_BITS{1'b0}};
      in_use <= {PORTS * AHEAD{1'b0}};
      out_use <= {PORTS * AHEAD{1'b0}};
      sent_valid <= {PORTS{1'b0}};
      sent_port <= {PORTS * PORT_BITS{1'b0}};
    end
  end
endmodule
