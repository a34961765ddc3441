// SPDX-License-Identifier: Apache-2.0
// An input virtual channel: its buffer, and the state of the packet at the front. A head at the front passes route
// computation, then requests an output virtual channel until it has one; each flit requests the switch separately. A flit
// that arrives at an empty buffer is at the front in its cycle of arrival.
module input_vc #(
    parameter PORTS = 5,
    parameter VCS = 4,
    parameter BUFFER_FLITS = 8,
    parameter RC_CYCLES = 1,
    parameter VA_CYCLES = 1,
    parameter FLIT_BITS = 18,  // tail, head and the rest
    parameter CANDIDATES = 1,
    // Derived; do not set.
    parameter PORT_BITS = PORTS > 1 ? $clog2(PORTS) : 1,
    parameter VC_BITS = VCS > 1 ? $clog2(VCS) : 1,
    parameter COUNT_BITS = BUFFER_FLITS > 0 ? $clog2(BUFFER_FLITS + 1) : 1,
    parameter TURN_BITS = CANDIDATES > 1 ? $clog2(CANDIDATES) : 1
) (
    input  wire                 clock,
    input  wire                 reset,
    input  wire                 arrives,
    input  wire [FLIT_BITS-1:0] arriving,
    output wire [FLIT_BITS-1:0] front,
    input  wire [CANDIDATES*PORT_BITS-1:0] route_port,  // candidates of the head at the front
    input  wire [CANDIDATES*VCS-1:0] route_vcs,         // none: there is no such candidate; of all: the head has no route
    input  wire [CANDIDATES-1:0] route_lesser,          // ranks below the candidate before it
    input  wire by_table,    // the candidates of a head that begins come later,
    input  wire answered,    // in this cycle
    input  wire restarts,    // the head begins again, for recovery
    input  wire [PORTS*VCS-1:0] free,        // output virtual channels that may be allocated
    input  wire [PORTS*VCS-1:0] has_place,   // output virtual channels with a credit
    input  wire [PORTS*VCS*COUNT_BITS-1:0] credits,
    input  wire [CANDIDATES*TURN_BITS-1:0] turns,       // of output_choice.v
    output wire                 drops,       // restarts, and had held_vc of held_port
    output wire [PORT_BITS-1:0] held_port,
    output wire [VC_BITS-1:0]   held_vc,
    output wire                 begins,      // a head starts at the front
    output wire [VCS-1:0]       asks,        // requests one of these virtual channels at out_port
    input  wire [VCS-1:0]       granted,
    output wire                 sends,       // the flit at the front requests the switch, unless it crosses by prediction
    output wire                 learns,      // the head's route is known for the first time in this cycle, after RC_CYCLES
    output reg  [PORT_BITS-1:0] learned,     // the port of its first candidate
    output wire                 quiet,       // neither a packet nor a flit of before this cycle
    input  wire                 hit,         // the head that begins crosses by prediction, with this output virtual channel
    input  wire [PORT_BITS-1:0] hit_port,
    input  wire [VC_BITS-1:0]   hit_vc,
    output wire [PORT_BITS-1:0] out_port,
    output wire [VC_BITS-1:0]   out_vc,
    input  wire                 leaves,
    output wire                 wrong        // a flit for a full buffer or out of order, or a head without a route
);
  localparam PLACE_BITS = BUFFER_FLITS > 1 ? $clog2(BUFFER_FLITS) : 1;
  localparam [PLACE_BITS-1:0] LAST = BUFFER_FLITS[PLACE_BITS-1:0] - 1'b1;
  localparam [COUNT_BITS-1:0] FULL = BUFFER_FLITS[COUNT_BITS-1:0];

  // The buffer.
  reg [FLIT_BITS-1:0] flits[0:BUFFER_FLITS-1];
  reg [PLACE_BITS-1:0] read, write;
  reg [COUNT_BITS-1:0] count;
  reg open;  // the tail of the arriving packet has not arrived
  wire any = count != {COUNT_BITS{1'b0}};
  wire here = any || arrives;
  assign front = any ? flits[read] : arriving;
  wire tail_arrives = arriving[FLIT_BITS-1], head_arrives = arriving[FLIT_BITS-2];

  always @(posedge clock) begin
    if (arrives) begin
      flits[write] <= arriving;
      write <= write == LAST ? {PLACE_BITS{1'b0}} : write + 1'b1;
      open <= !tail_arrives;
    end
    if (leaves) read <= read == LAST ? {PLACE_BITS{1'b0}} : read + 1'b1;
    if (arrives && !leaves) count <= count + 1'b1;
    if (leaves && !arrives) count <= count - 1'b1;
    if (reset) begin
      write <= {PLACE_BITS{1'b0}};
      read <= {PLACE_BITS{1'b0}};
      count <= {COUNT_BITS{1'b0}};
      open <= 1'b0;
    end
  end

  // The packet at the front.
  localparam [1:0] IDLE = 2'd0, HEAD = 2'd1, ACTIVE = 2'd2;
  reg [1:0] state;
  reg [CANDIDATES*PORT_BITS-1:0] port;  // of candidates; the lowest one is that of the packet when it has a virtual channel
  reg [CANDIDATES*VCS-1:0] vcs;
  reg [CANDIDATES-1:0] lesser;
  reg [VC_BITS-1:0] vc;
  assign begins = (state == IDLE && here) || restarts;
  reg is_new;  // the head's route was not known before
  assign learns = state == HEAD && is_over && is_new;
  integer f;
  always @* begin
    learned = {PORT_BITS{1'b0}};
    for (f = CANDIDATES - 1; f >= 0; f = f - 1) if (vcs[f*VCS+:VCS] != {VCS{1'b0}}) learned = port[f*PORT_BITS+:PORT_BITS];
  end
  assign quiet = state == IDLE && !any;
  assign drops = restarts && state == ACTIVE;
  assign held_port = port[0+:PORT_BITS];
  assign held_vc = vc;
  reg asks_table;  // the answer has not come
  wire is_over;  // the pipeline stage of the head is complete

  wire waits = RC_CYCLES == 0 ? begins || state == HEAD : state == HEAD && is_over && !restarts;
  wire routed = waits && (!asks_table || answered);
  wire now_known = (RC_CYCLES == 0 && begins) || answered;  // they are not in registers yet
  wire [CANDIDATES*VCS-1:0] ways = now_known ? route_vcs : vcs;
  wire [CANDIDATES*PORT_BITS-1:0] to = now_known ? route_port : port;
  wire [VCS-1:0] wish;
  generate
    if (CANDIDATES <= 1) begin : only
      assign out_port = to;
      assign wish = ways & free[out_port*VCS+:VCS];
      wire unused = &{1'b0, lesser, route_lesser, credits, turns};
    end else begin : several
      wire [PORT_BITS-1:0] best;
      output_choice #(.PORTS(PORTS), .VCS(VCS), .BUFFER_FLITS(BUFFER_FLITS), .CANDIDATES(CANDIDATES)) choice (.ports(to),
          .vcs(ways), .lesser(now_known ? route_lesser : lesser), .free(free), .credits(credits),
          .turns(turns), .port(best), .wish(wish));
      assign out_port = state == ACTIVE ? port[0+:PORT_BITS] : best;
    end
  endgenerate
  assign asks = routed ? wish : {VCS{1'b0}};
  assign wrong = (arrives && (count == FULL || head_arrives == open)) || (routed && ways == {CANDIDATES * VCS{1'b0}});

  reg [VC_BITS-1:0] granted_vc;
  integer g;
  always @* begin
    granted_vc = {VC_BITS{1'b0}};
    for (g = 0; g < VCS; g = g + 1) if (granted[g]) granted_vc = granted_vc | g[VC_BITS-1:0];
  end
  wire gets = granted != {VCS{1'b0}};
  wire holds = (state == ACTIVE && is_over && !restarts) || (VA_CYCLES == 0 && gets);
  assign out_vc = VA_CYCLES == 0 && gets ? granted_vc : vc;
  assign sends = holds && here && has_place[out_port*VCS+{{32-VC_BITS{1'b0}}, out_vc}];

  always @(posedge clock) begin
    if (answered) asks_table <= 1'b0;
    if (learns) is_new <= 1'b0;
    if (begins) begin
      state <= HEAD;
      is_new <= 1'b1;
      asks_table <= by_table;
    end
    if (begins || answered) begin
      port <= route_port;
      vcs <= route_vcs;
      lesser <= route_lesser;
    end
    if (gets) begin
      state <= ACTIVE;
      port[0+:PORT_BITS] <= out_port;
      vc <= granted_vc;
    end
    if (hit) begin
      state <= ACTIVE;
      port[0+:PORT_BITS] <= hit_port;
      vc <= hit_vc;
    end
    if (leaves && front[FLIT_BITS-1]) state <= IDLE;
    if (reset) begin
      state <= IDLE;
      asks_table <= 1'b0;
    end
  end

  generate
    if (RC_CYCLES > 1 || VA_CYCLES > 1) begin : long_stages
      localparam MOST = RC_CYCLES > VA_CYCLES ? RC_CYCLES : VA_CYCLES;
      localparam LEFT_BITS = $clog2(MOST);
      localparam integer AFTER_RC = RC_CYCLES > 1 ? RC_CYCLES - 1 : 0, AFTER_VA = VA_CYCLES > 1 ? VA_CYCLES - 1 : 0;
      reg [LEFT_BITS-1:0] left;
      assign is_over = left == {LEFT_BITS{1'b0}};
      always @(posedge clock) begin
        if (!is_over) left <= left - 1'b1;
        if (begins) left <= AFTER_RC[LEFT_BITS-1:0];
        if (gets) left <= AFTER_VA[LEFT_BITS-1:0];
        if (hit) left <= {LEFT_BITS{1'b0}};
        if (reset) left <= {LEFT_BITS{1'b0}};
      end
    end else begin : short_stages
      assign is_over = 1'b1;
    end
  endgenerate
endmodule
