// SPDX-License-Identifier: Apache-2.0
// A router between senders that keep to their credits and packets, and receivers that give each place back once.
module whole #(
    parameter PORTS = 2,
    parameter VCS = 2,
    parameter BUFFER_FLITS = 2,
    parameter ALLOCATOR = 0,
    parameter CREDIT_CYCLES = 1,
    parameter RC_CYCLES = 1,
    parameter VA_CYCLES = 1,
    parameter ST_CYCLES = 1,  // 0 or 1
    parameter ATOMIC_VCS = 0
) (
    input wire clock,
    input wire reset,
    input wire [PORTS-1:0] in_valid,
    input wire [PORTS-1:0] in_head,
    input wire [PORTS-1:0] in_tail,
    input wire [PORTS*VC_BITS-1:0] in_vc,
    input wire [PORTS*NODE_BITS-1:0] in_destination,
    input wire [PORTS*DATA_BITS-1:0] in_data,
    input wire [PORTS*VCS-1:0] out_credit
);
  localparam NODE_BITS = 2, LINES = PORTS * VCS, VC_BITS = VCS > 1 ? $clog2(VCS) : 1;
  localparam LINE_BITS = LINES > 1 ? $clog2(LINES) : 1, DATA_BITS = LINE_BITS + 1, STAGES = 1 + ST_CYCLES;
  localparam C = $clog2(BUFFER_FLITS + 2);
  wire [LINES-1:0] in_credit;
  wire [PORTS-1:0] out_valid, out_head, out_tail;
  wire [PORTS*VC_BITS-1:0] out_vc;
  wire [PORTS*NODE_BITS-1:0] out_destination;
  wire [PORTS*DATA_BITS-1:0] out_data;
  wire error;
  vc_router #(.PORTS(PORTS), .VCS(VCS), .BUFFER_FLITS(BUFFER_FLITS), .VA_ALLOCATOR(ALLOCATOR), .SA_ALLOCATOR(ALLOCATOR), .UTURN_NETWORK(1),
      .CREDIT_CYCLES(CREDIT_CYCLES), .RC_CYCLES(RC_CYCLES), .VA_CYCLES(VA_CYCLES), .ST_CYCLES(ST_CYCLES),
      .ATOMIC_VCS(ATOMIC_VCS), .NODE_BITS(NODE_BITS), .DATA_BITS(DATA_BITS),
      .ROUTES(VCS == 1 ? "routes_1.hex" : "routes_2.hex")) one (.clock(clock), .reset(reset), .in_valid(in_valid), .in_head(in_head), .in_tail(in_tail), .in_vc(in_vc),
      .in_destination(in_destination), .in_data(in_data), .in_credit(in_credit), .out_valid(out_valid), .out_head(out_head),
      .out_tail(out_tail), .out_vc(out_vc), .out_destination(out_destination), .out_data(out_data), .out_credit(out_credit), .error(error),
      .table_valid(1'b0), .table_row({NODE_BITS{1'b0}}), .table_entry(32'd0));

  reg started = 0;
  always @(posedge clock) started <= 1;
  always @* if (!started) assume (reset);
  wire runs = started && !reset;
`ifdef P_errors
  always @* if (runs) assert (!error);
`endif

  genvar i, v, o, l;
  generate
    // Senders: a flit's data begins with its line's number.
    for (i = 0; i < PORTS; i = i + 1) begin : sender
      wire [VC_BITS-1:0] vc = in_vc[i*VC_BITS+:VC_BITS];
      always @* if (in_valid[i]) assume (!reset && vc < VCS);
      for (v = 0; v < VCS; v = v + 1) begin : of_vc
        localparam L = i * VCS + v;
        wire sends = in_valid[i] && vc == v;
        reg [C-1:0] held;
        reg inside;
        always @(posedge clock) begin
          held <= reset ? 0 : held + sends - in_credit[L];
          if (sends) inside <= !in_tail[i];
          if (reset) inside <= 0;
        end
        always @* if (sends) assume (held < BUFFER_FLITS && in_head[i] == !inside && in_data[i*DATA_BITS+:LINE_BITS] == L);
`ifdef P_freed
        always @* if (runs) assert (!in_credit[L] || held != 0);
`endif
      end
    end
    // Flits on the outputs' wires, by the line that they came from.
    for (o = 0; o < PORTS; o = o + 1) begin : receiver
      wire [LINE_BITS-1:0] line = out_data[o*DATA_BITS+:LINE_BITS];
      wire [NODE_BITS-1:0] destination = out_destination[o*NODE_BITS+:NODE_BITS];
      wire [VC_BITS-1:0] vc = out_vc[o*VC_BITS+:VC_BITS];
      for (v = 0; v < VCS; v = v + 1) begin : of_vc
        wire comes = out_valid[o] && vc == v;
        wire credit = out_credit[o*VCS+v];
        reg [C-1:0] held;
        reg inside;
        reg [LINE_BITS-1:0] from;
        always @(posedge clock) begin
          held <= reset ? 0 : held + comes - credit;
          if (comes) inside <= !out_tail[o];
          if (comes && out_head[o]) from <= line;
          if (reset) inside <= 0;
        end
        always @* if (credit) assume (!reset && (held != 0 || comes));
`ifdef P_places
        always @* if (runs) assert (held + comes <= BUFFER_FLITS);
`endif
`ifdef P_packets
        always @* if (runs && comes) begin
          assert (out_head[o] == !inside);
          assert (out_head[o] || line == from);
          assert (!out_head[o] || destination[0] == o && (VCS == 1 || !destination[1] || v == o));
        end
`endif
      end
    end
    for (l = 0; l < LINES; l = l + 1) begin : way
      wire [PORTS-1:0] leaving;
      for (o = 0; o < PORTS; o = o + 1) begin : at
        assign leaving[o] = out_valid[o] && out_data[o*DATA_BITS+:LINE_BITS] == l;
      end
`ifdef P_freed
      // A freed place is a flit on the wires, ST_CYCLES later.
      reg before;
      always @(posedge clock) before <= !reset && in_credit[l];
      wire freed = ST_CYCLES == 0 ? in_credit[l] : before;
      always @* if (runs) assert (freed == |leaving && (leaving & (leaving - 1)) == 0);
`endif
    end
  endgenerate

`ifdef P_order
  (* anyconst *) wire [LINE_BITS-1:0] followed;
  (* anyseq *) wire mark;
  wire [PORTS-1:0] enters, leaves;
  wire [NODE_BITS+DATA_BITS+1:0] entering[0:PORTS], leaving[0:PORTS];
  assign entering[0] = 0;
  assign leaving[0] = 0;
  generate
    for (i = 0; i < PORTS; i = i + 1) begin : follow
      wire [NODE_BITS+DATA_BITS+1:0] in = {in_head[i], in_tail[i], in_destination[i*NODE_BITS+:NODE_BITS], in_data[i*DATA_BITS+:DATA_BITS]};
      wire [NODE_BITS+DATA_BITS+1:0] out = {out_head[i], out_tail[i], out_destination[i*NODE_BITS+:NODE_BITS], out_data[i*DATA_BITS+:DATA_BITS]};
      assign enters[i] = in_valid[i] && in_data[i*DATA_BITS+:LINE_BITS] == followed;
      assign leaves[i] = out_valid[i] && out_data[i*DATA_BITS+:LINE_BITS] == followed;
      assign entering[i+1] = entering[i] | (enters[i] ? in : 0);
      assign leaving[i+1] = leaving[i] | (leaves[i] ? out : 0);
    end
  endgenerate
  localparam W = $clog2(BUFFER_FLITS + STAGES + 2);
  reg [W-1:0] within, before;
  reg marked;
  reg [NODE_BITS+DATA_BITS+1:0] flit;
  wire [W-1:0] left = within - |leaves;
  always @(posedge clock) begin
    within <= left + |enters;
    if (mark && |enters && !marked) begin
      marked <= 1;
      flit <= entering[PORTS];
      before <= left;
    end else if (marked && |leaves) begin
      before <= before - 1;
      if (before == 0) marked <= 0;
    end
    if (reset) begin
      marked <= 0;
      within <= 0;
    end
  end
  always @* if (runs) begin
    assert (!(|leaves) || within != 0);
    assert (within <= BUFFER_FLITS + STAGES);
    if (marked && |leaves && before == 0) assert (leaving[PORTS] == flit);
  end
`endif
endmodule
