// SPDX-License-Identifier: Apache-2.0
// Prediction in a router, the twin of router::Prediction with PredictionCheck::kill: a stage beside the others. An input
// without packet or flit holds its predicted output while no input requests it. A head that comes to such an input crosses in
// its cycle of arrival, by a virtual channel that a packet can take, and the further flits of its packet cross as they come,
// until the output is requested. A head whose guess is wrong is killed at the latch of the output: it has not left its buffer,
// and passes the stages. Input virtual channel v of port i has index i * VCS + v.
module router_prediction #(
    parameter KIND = 1,  // 1 static, from a table (SS, UP); 2 latest port
    parameter PORTS = 5,
    parameter VCS = 4,
    parameter SA_CYCLES = 1,
    parameter CANDIDATES = 1,
    // Derived; do not set.
    parameter PORT_BITS = PORTS > 1 ? $clog2(PORTS) : 1,
    parameter VC_BITS = VCS > 1 ? $clog2(VCS) : 1
) (
    input  wire                       clock,
    input  wire                       reset,
    /* verilator lint_off UNUSEDSIGNAL */  // each kind reads a part of these
    input  wire                       write_valid,  // in a reset: predicted output of an input; one that does not exist: none
    input  wire [PORT_BITS-1:0]       write_input,
    input  wire [15:0]                write_port,
    input  wire [PORTS*VCS-1:0]       learns,       // a head's route is known for the first time,
    input  wire [PORTS*VCS*PORT_BITS-1:0] learned,  // with this port
    /* verilator lint_on UNUSEDSIGNAL */
    input  wire [PORTS*VCS-1:0]       quiet,        // no packet, and no flit of before this cycle
    input  wire [PORTS*VCS-1:0]       begins,       // a head starts at the front, with these candidates
    input  wire [PORTS*VCS*CANDIDATES*PORT_BITS-1:0] route_ports,
    input  wire [PORTS*VCS*CANDIDATES*VCS-1:0] ways,
    input  wire [PORTS*VCS-1:0]       tails,        // the flit at the front is a tail
    input  wire [PORTS*VCS-1:0]       asks,         // requests an output virtual channel
    input  wire [PORTS*VCS-1:0]       sends,        // the flit at the front can request the switch
    input  wire [PORTS*PORTS*VCS-1:0] at,           // output p of these requests: bit p * PORTS * VCS + l
    input  wire [PORTS*VCS-1:0]       won,          // has won the switch, with this virtual channel
    input  wire [PORTS*VCS*VC_BITS-1:0] line_vc,
    input  wire [PORTS*VCS-1:0]       open,         // output virtual channels that a packet can take, with a credit
    input  wire [PORTS-1:0]           passes,       // a flit that won the switch crosses to this output in this cycle
    output wire [PORTS*VCS-1:0]       crosses,      // flits that cross by prediction: they do not request the switch
    output wire [PORTS-1:0]           hit,          // of these, heads
    output wire [PORTS*PORT_BITS-1:0] port,         // output that an input holds, or its head predicts
    output wire [PORTS*VC_BITS-1:0]   vc,           // its virtual channel
    output reg  [PORTS*3-1:0]         outcome       // 1 hit, 2 wrong, 3 lost, 4 no room, 5 and 6 one and two heads at an
                                                    // input that was not quiet, 7 not predicted
);
  localparam LINES = PORTS * VCS;

  wire [PORTS-1:0] is_quiet, comes, predicted_valid, wants, has, may, hits_route, has_room, ends, in_use, asks_in, kept_lost;
  wire [PORTS*PORT_BITS-1:0] predicted_port;
  wire [LINES-1:0] kept, requesting;
  wire [PORTS*PORTS-1:0] given;  // input i gets output o: bit o * PORTS + i
  wire [PORTS-1:0] asked, asked_late;
  reg [PORTS-1:0] holds, asked_before;
  reg [PORTS*PORT_BITS-1:0] held_port;
  reg [PORTS*VC_BITS-1:0] kept_line, kept_vc;  // of a packet that has hit: its input and output virtual channels
  reg [PORTS*VC_BITS-1:0] last_vc;             // output virtual channel of the input's last flit

  genvar i, o, v, l, c;
  generate
    // Predictors.
    for (i = 0; i < PORTS; i = i + 1) begin : predictor_of
      if (KIND == 1) begin : fixed
        reg [PORT_BITS-1:0] way;
        reg is_way;
        always @(posedge clock)
          if (reset && write_valid && write_input == i) begin
            way <= write_port[PORT_BITS-1:0];
            is_way <= {16'd0, write_port} < PORTS;
          end
        assign predicted_valid[i] = is_way;
        assign predicted_port[i*PORT_BITS+:PORT_BITS] = way;
      end else begin : latest
        // Of several heads the one of the last virtual channel counts. The port of a head that hits is known already.
        reg [PORT_BITS-1:0] learn_port;
        integer n;
        always @* begin
          learn_port = {PORT_BITS{1'b0}};
          for (n = 0; n < VCS; n = n + 1) if (learns[i*VCS+n]) learn_port = learned[(i*VCS+n)*PORT_BITS+:PORT_BITS];
        end
        wire next_valid;
        wire [PORT_BITS-1:0] next_port;
        predictor #(.KIND(1), .PORTS(PORTS), .PORT_BITS(PORT_BITS), .DESTINATION_BITS(1), .ENTRY_BITS(1)) one (.clock(clock),
            .reset(reset), .learn_valid(|learns[i*VCS+:VCS]), .learn_port(learn_port), .learn_destination(1'b0),
            .predicted_valid(predicted_valid[i]), .predicted_port(predicted_port[i*PORT_BITS+:PORT_BITS]),
            .next_valid(next_valid), .next_port(next_port));
        wire unused = &{1'b0, next_valid, next_port};
      end
    end

    // Connections at the beginning of the cycle: those that are left, and for an output without one, which no input has
    // requested in the cycle before, a quiet input that predicts it.
    for (o = 0; o < PORTS; o = o + 1) begin : of_output
      wire [PORTS-1:0] held_by, wanted_by, late_by;
      for (i = 0; i < PORTS; i = i + 1) begin : of_input
        assign held_by[i] = holds[i] && held_port[i*PORT_BITS+:PORT_BITS] == o;
        assign wanted_by[i] = wants[i] && predicted_port[i*PORT_BITS+:PORT_BITS] == o;
        assign late_by[i] = kept_lost[i] && port[i*PORT_BITS+:PORT_BITS] == o;
      end
      wire [PORTS-1:0] pick;
      arbiter #(.LINES(PORTS)) turn (.clock(clock), .reset(reset),
          .requests(|held_by || asked_before[o] ? {PORTS{1'b0}} : wanted_by), .pick(pick), .served(pick));
      assign given[o*PORTS+:PORTS] = pick;
      assign asked[o] = |(requesting & at[o*LINES+:LINES]);
      assign asked_late[o] = |late_by;
    end

    for (i = 0; i < PORTS; i = i + 1) begin : of_input
      wire [PORT_BITS-1:0] to = holds[i] ? held_port[i*PORT_BITS+:PORT_BITS] : predicted_port[i*PORT_BITS+:PORT_BITS];
      wire [PORTS-1:0] gets;
      for (o = 0; o < PORTS; o = o + 1) begin : of_output
        assign gets[o] = given[o*PORTS+i];
      end
      assign is_quiet[i] = &quiet[i*VCS+:VCS];
      assign wants[i] = is_quiet[i] && predicted_valid[i];
      assign has[i] = holds[i] || |gets;
      assign port[i*PORT_BITS+:PORT_BITS] = to;
      assign comes[i] = is_quiet[i] && |begins[i*VCS+:VCS];

      // Requests, and flits that won the switch, which cross in this cycle.
      assign asks_in[i] = |requesting[i*VCS+:VCS];
      assign may[i] = has[i] && !asked[to] && !asks_in[i] && !in_use[i] && !passes[to];
      reg [SA_CYCLES-1:0] won_before;
      assign in_use[i] = won_before[SA_CYCLES-1];
      if (SA_CYCLES == 1) begin : next
        always @(posedge clock) won_before <= reset ? 1'b0 : |won[i*VCS+:VCS];
      end else begin : later
        always @(posedge clock) won_before <= reset ? {SA_CYCLES{1'b0}} : {won_before[SA_CYCLES-2:0], |won[i*VCS+:VCS]};
      end

      // The head that comes: a virtual channel from that of the last flit on, and the route.
      wire [VCS-1:0] free = open[to*VCS+:VCS];
      reg [VC_BITS-1:0] place, taken;
      reg found;
      integer n;
      always @* begin
        place = last_vc[i*VC_BITS+:VC_BITS];
        taken = {VC_BITS{1'b0}};
        found = 1'b0;
        for (n = 0; n < VCS; n = n + 1) begin
          if (!found && free[place]) begin
            found = 1'b1;
            taken = place;
          end
          place = {{32-VC_BITS{1'b0}}, place} == VCS - 1 ? {VC_BITS{1'b0}} : place + 1'b1;
        end
      end
      assign has_room[i] = found;
      wire [VCS*CANDIDATES-1:0] right;
      for (l = 0; l < VCS; l = l + 1) begin : of_line
        for (c = 0; c < CANDIDATES; c = c + 1) begin : candidate
          localparam ONE = (i * VCS + l) * CANDIDATES + c;
          assign right[l*CANDIDATES+c] = begins[i*VCS+l] && route_ports[ONE*PORT_BITS+:PORT_BITS] == to && ways[ONE*VCS+{{32-VC_BITS{1'b0}}, taken}];
        end
      end
      assign hits_route[i] = |right;
      assign hit[i] = comes[i] && predicted_valid[i] && found && may[i] && |right;

      // The packet that has hit.
      for (v = 0; v < VCS; v = v + 1) begin : of_vc
        localparam LINE = i * VCS + v;
        assign kept[LINE] = holds[i] && !is_quiet[i] && kept_line[i*VC_BITS+:VC_BITS] == v;
        assign requesting[LINE] = asks[LINE] || (sends[LINE] && !kept[LINE]);
        assign crosses[LINE] = (kept[LINE] && sends[LINE] && may[i]) || (hit[i] && begins[LINE]);
      end
      assign kept_lost[i] = |(kept[i*VCS+:VCS] & sends[i*VCS+:VCS]) && !may[i];
      assign vc[i*VC_BITS+:VC_BITS] = is_quiet[i] ? taken : kept_vc[i*VC_BITS+:VC_BITS];
      assign ends[i] = |(crosses[i*VCS+:VCS] & tails[i*VCS+:VCS]);

      reg [VC_BITS-1:0] hit_line, won_vc;
      integer k;
      always @* begin
        hit_line = {VC_BITS{1'b0}};
        won_vc = {VC_BITS{1'b0}};
        for (k = 0; k < VCS; k = k + 1) begin
          if (begins[i*VCS+k]) hit_line = hit_line | k[VC_BITS-1:0];
          if (won[i*VCS+k]) won_vc = won_vc | line_vc[(i*VCS+k)*VC_BITS+:VC_BITS];
        end
      end
      always @(posedge clock) begin
        holds[i] <= has[i] && !asked[to] && !asks_in[i] && !kept_lost[i] && !(comes[i] && !hit[i]) && !ends[i];
        held_port[i*PORT_BITS+:PORT_BITS] <= to;
        if (hit[i]) begin
          kept_line[i*VC_BITS+:VC_BITS] <= hit_line;
          kept_vc[i*VC_BITS+:VC_BITS] <= taken;
        end
        if (hit[i]) last_vc[i*VC_BITS+:VC_BITS] <= taken;
        if (|won[i*VCS+:VCS]) last_vc[i*VC_BITS+:VC_BITS] <= won_vc;
        if (reset) begin
          holds[i] <= 1'b0;
          last_vc[i*VC_BITS+:VC_BITS] <= {VC_BITS{1'b0}};
        end
      end

      reg [1:0] heads;  // of two virtual channels at most: one has come, one was next to a tail
      integer h;
      always @* begin
        heads = 2'd0;
        for (h = 0; h < VCS; h = h + 1) if (begins[i*VCS+h]) heads = heads + 1'b1;
        outcome[i*3+:3] = !comes[i] ? (heads == 2'd0 ? 3'd0 : heads == 2'd1 ? 3'd5 : 3'd6) : !predicted_valid[i] ? 3'd7 :
            !has_room[i] ? 3'd4 : !may[i] ? 3'd3 : !hits_route[i] ? 3'd2 : 3'd1;
      end
    end
  endgenerate

  always @(posedge clock) asked_before <= reset ? {PORTS{1'b0}} : asked | asked_late;
endmodule
