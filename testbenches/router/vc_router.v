// SPDX-License-Identifier: Apache-2.0
// Input-buffered virtual-channel router, the twin of router::VcRouter with wormhole switching and a table of routes. Vectors
// hold all ports, port 0 at the low end. All outputs are registers; they are 0 without a flit or credit, and after an error
// until the next reset.
module vc_router #(
    parameter PORTS = 5,
    parameter VCS = 4,
    parameter BUFFER_FLITS = 8,
    parameter RC_CYCLES = 1,
    parameter VA_CYCLES = 1,  // 0: in one cycle with switch allocation
    parameter SA_CYCLES = 1,
    parameter ST_CYCLES = 1,
    parameter CREDIT_CYCLES = 1,  // from a credit at the pin to its use
    parameter ATOMIC_VCS = 0,
    parameter VA_ALLOCATOR = 0,  // 0 islip, 1 separable, 2 matrix
    parameter SA_ALLOCATOR = 0,
    parameter ISLIP_ITERATIONS = 1,
    parameter UTURN_NETWORK = 0,
    parameter UTURN_NODE = 1,
    parameter NODE_PORTS = 0,  // a bit for each port to a node, where a packet may take any virtual channel
    parameter NODE_BITS = 4,
    parameter DATA_BITS = 12,
    parameter TIMEOUT = 0,  // cycles after which a head at the front is blocked; 0: none is
    // 0: routes are a table; else they are computed from coordinates (cube_routes.v), and nodes are pairs of coordinates:
    // 1 dimension order, 2 Duato's protocol, 3 Detour-NF, 4 Detour-UD, whose heads go into recovery when they are blocked.
    parameter ROUTING = 0,
    parameter RADIX_0 = 4,
    parameter RADIX_1 = 4,
    parameter WRAPS = 1,
    parameter UD_VCS = 1,  // ROUTING 4: virtual channels of recovery, which are the last ones
    parameter TABLE_CYCLES = 5,  // ROUTING 4: from the grant of a read port to the table's answer
    parameter HOP_LIMIT = 0,  // ROUTING 4: hops after which a head goes into recovery; 0: no limit
    parameter HOP_BITS = 8,
    // Outputs of heads are predicted (../prediction/router_prediction.v): 0 not, 1 by a static table of inputs (SS, UP), 2 as
    // the port of the input's last head.
    parameter PREDICTION = 0,
    parameter CANDIDATES = 1,  // outputs among which a head may choose, by credits (output_choice.v)
    // A file with the initial routes: rows of all nodes for candidate 0, then for candidate 1, and so on. A row has virtual
    // channels from bit 16 on, the output port in the lower 16 bits, and in bit 31 whether it is of a lower rank than the
    // candidate before it.
    parameter ROUTES = "",
    // Derived; do not set.
    parameter VC_BITS = VCS > 1 ? $clog2(VCS) : 1,
    parameter ROUTE_BITS = NODE_BITS + (ROUTING != 0 ? 1 : CANDIDATES > 1 ? $clog2(CANDIDATES) : 0),
    parameter ROW_BITS = ROUTE_BITS + (PREDICTION == 1 ? 1 : 0),  // at the top: the row of an input's prediction, a port
    parameter HEAD_BITS = NODE_BITS + (ROUTING == 4 ? 1 + HOP_BITS : 0)  // node, in recovery, hops
) (
    input  wire                       clock,
    input  wire                       reset,
    input  wire [PORTS-1:0]           in_valid,
    input  wire [PORTS-1:0]           in_head,
    input  wire [PORTS-1:0]           in_tail,
    input  wire [PORTS*VC_BITS-1:0]   in_vc,
    input  wire [PORTS*HEAD_BITS-1:0] in_destination,
    input  wire [PORTS*DATA_BITS-1:0] in_data,
    output reg  [PORTS*VCS-1:0]       in_credit,
    output wire [PORTS-1:0]           out_valid,
    output wire [PORTS-1:0]           out_head,
    output wire [PORTS-1:0]           out_tail,
    output wire [PORTS*VC_BITS-1:0]   out_vc,
    output wire [PORTS*HEAD_BITS-1:0] out_destination,
    output wire [PORTS*DATA_BITS-1:0] out_data,
    input  wire [PORTS*VCS-1:0]       out_credit,
    output reg  [PORTS*VCS-1:0]       blocked,  // input virtual channels whose head was blocked in the cycle before
    output reg  [PORTS*3-1:0]         outcome,  // of predictions in the cycle before (router_prediction.v)
    output reg  [PORTS-1:0]           kept,     // in the cycle before, a flit after a head that hit crossed without allocation
    output reg                        error,
    input  wire                       table_valid,  // in a reset: a row of the routes is written
    input  wire [ROW_BITS-1:0]        table_row,
    input  wire [31:0]                table_entry
);
  // Contradictions stop elaboration: there is no module of these names.
  generate
    if (PORTS < 2 || PORTS > 8) begin : contradiction0
      PORTS_is_not_2_to_8 stop ();
    end
    if (VCS < 1 || VCS > 8) begin : contradiction1
      VCS_is_not_1_to_8 stop ();
    end
    if (BUFFER_FLITS < 1) begin : contradiction2
      BUFFER_FLITS_is_less_than_1 stop ();
    end
    if (RC_CYCLES < 0 || RC_CYCLES > 255 || VA_CYCLES < 0 || VA_CYCLES > 255) begin : contradiction3
      RC_CYCLES_or_VA_CYCLES_is_not_0_to_255 stop ();
    end
    if (SA_CYCLES < 1 || SA_CYCLES > 255 || ST_CYCLES < 0 || ST_CYCLES > 255) begin : contradiction4
      SA_CYCLES_is_not_1_to_255_or_ST_CYCLES_0_to_255 stop ();
    end
    if (CREDIT_CYCLES < 0 || CREDIT_CYCLES > 255) begin : contradiction11
      CREDIT_CYCLES_is_not_0_to_255 stop ();
    end
    if (VA_ALLOCATOR < 0 || VA_ALLOCATOR > 2 || SA_ALLOCATOR < 0 || SA_ALLOCATOR > 2) begin : contradiction5
      VA_ALLOCATOR_or_SA_ALLOCATOR_is_not_0_to_2 stop ();
    end
    if (ISLIP_ITERATIONS < 1) begin : contradiction6
      ISLIP_ITERATIONS_is_less_than_1 stop ();
    end
    if (NODE_BITS < 1 || NODE_BITS > 16) begin : contradiction7
      NODE_BITS_is_not_1_to_16 stop ();
    end
    if (DATA_BITS < 1) begin : contradiction8
      DATA_BITS_is_less_than_1 stop ();
    end
    if (NODE_PORTS < 0 || NODE_PORTS >= (1 << PORTS)) begin : contradiction10
      NODE_PORTS_has_not_PORTS_bits stop ();
    end
    if (CANDIDATES < 1 || CANDIDATES > 8) begin : contradiction12
      CANDIDATES_is_not_1_to_8 stop ();
    end
    if (ROUTE_BITS != NODE_BITS + (ROUTING != 0 ? 1 : CANDIDATES > 1 ? $clog2(CANDIDATES) : 0) ||
        ROW_BITS != ROUTE_BITS + (PREDICTION == 1 ? 1 : 0)) begin : contradiction13
      ROW_BITS_is_not_the_width_of_rows stop ();
    end
    if (TIMEOUT < 0 || TIMEOUT > 65535) begin : contradiction14
      TIMEOUT_is_not_0_to_65535 stop ();
    end
    if (ROUTING < 0 || ROUTING > 4) begin : contradiction15
      ROUTING_is_not_0_to_4 stop ();
    end
    if (ROUTING != 0 && (PORTS != 5 || NODE_PORTS != 16 || NODE_BITS % 2 != 0)) begin : contradiction16
      coordinates_need_PORTS_5_NODE_PORTS_16_and_even_NODE_BITS stop ();
    end
    if (ROUTING != 0 && (RADIX_0 < 1 || RADIX_0 > (1 << NODE_BITS / 2) || RADIX_1 < 1 || RADIX_1 > (1 << NODE_BITS / 2))) begin : contradiction17
      RADIX_is_not_1_to_2_power_half_NODE_BITS stop ();
    end
    if (ROUTING != 0 && CANDIDATES != (ROUTING == 1 ? 1 : ROUTING == 2 ? 5 : ROUTING == 3 ? 8 : 4)) begin : contradiction18
      CANDIDATES_is_not_1_5_8_or_4_as_of_ROUTING stop ();
    end
    if (ROUTING != 0 && VCS < (ROUTING == 3 ? 4 : ROUTING == 2 ? 3 : 2)) begin : contradiction19
      VCS_is_less_than_ROUTING_needs stop ();
    end
    if (ROUTING == 4 && (TIMEOUT < 1 || UD_VCS < 1 || UD_VCS >= VCS)) begin : contradiction20
      recovery_needs_TIMEOUT_and_UD_VCS_below_VCS stop ();
    end
    if (ROUTING == 4 && (TABLE_CYCLES < 1 || TABLE_CYCLES > 255 || HOP_BITS < 1 || HOP_LIMIT < 0 || HOP_LIMIT >= (1 << HOP_BITS))) begin : contradiction21
      TABLE_CYCLES_is_not_1_to_255_or_HOP_LIMIT_below_2_power_HOP_BITS stop ();
    end
    if (HEAD_BITS != NODE_BITS + (ROUTING == 4 ? 1 + HOP_BITS : 0)) begin : contradiction22
      HEAD_BITS_is_not_the_width_of_heads stop ();
    end
    if (PREDICTION < 0 || PREDICTION > 2 || (PREDICTION == 1 && PORTS > (1 << ROUTE_BITS))) begin : contradiction23
      PREDICTION_is_not_0_to_2_or_rows_have_no_place_for_all_inputs stop ();
    end
    if (PREDICTION != 0 && (RC_CYCLES < 1 || RC_CYCLES > ST_CYCLES || ROUTING == 4)) begin : contradiction24
      PREDICTION_needs_RC_CYCLES_1_to_ST_CYCLES_and_no_recovery stop ();
    end
    if (VC_BITS != (VCS > 1 ? $clog2(VCS) : 1)) begin : contradiction9
      VC_BITS_is_not_the_width_of_VCS stop ();
    end
  endgenerate

  localparam LINES = PORTS * VCS;  // input virtual channels: port i, virtual channel v has index i * VCS + v
  localparam PORT_BITS = PORTS > 1 ? $clog2(PORTS) : 1;
  localparam [PORTS-1:0] TO_NODE = NODE_PORTS[PORTS-1:0];
  localparam [PORTS-1:0] ONE_PORT = 1;
  // Ports whose input may use their output. Logic for the others' turns back is left out.
  localparam [PORTS-1:0] TURNS = (UTURN_NODE != 0 ? TO_NODE : {PORTS{1'b0}}) | (UTURN_NETWORK != 0 ? ~TO_NODE : {PORTS{1'b0}});
  localparam FLIT_BITS = 2 + HEAD_BITS + DATA_BITS;  // tail, head, destination, data
  localparam SENT_BITS = 1 + VC_BITS + FLIT_BITS;    // valid, virtual channel, flit
  localparam STAGES = SA_CYCLES + ST_CYCLES;

  localparam COUNT_BITS = BUFFER_FLITS > 0 ? $clog2(BUFFER_FLITS + 1) : 1;
  localparam TURN_BITS = CANDIDATES > 1 ? $clog2(CANDIDATES) : 1;

  // Routes of the heads at the fronts, from the table or from coordinates.
  wire [LINES*CANDIDATES*PORT_BITS-1:0] route_ports;
  wire [LINES*CANDIDATES*VCS-1:0] route_vcs;
  wire [LINES*CANDIDATES-1:0] route_lesser;
  // Of ROUTING 4: heads whose route is in the table, whose answer has come, for their node, that go into recovery, in recovery.
  wire [LINES-1:0] by_table, answered, to_node, restarts, recovers;

  wire [LINES*FLIT_BITS-1:0] front;
  wire [LINES*PORT_BITS-1:0] out_port, held_port;
  wire [LINES*VC_BITS-1:0] line_vc, held_vc;
  wire [LINES*VCS-1:0] asks, granted;
  wire [PORTS*LINES-1:0] at;  // input VC l requests port p: bit p * LINES + l
  wire [LINES*PORTS-1:0] requests;
  wire [LINES-1:0] begins, leaves, drops, wrong_line;
  wire [LINES*CANDIDATES*VCS-1:0] all_ways;  // of route_vcs, without turns back that are not allowed
  // Prediction: lines without packet and flit, flits that cross by it and heads among them, and by which output.
  wire [LINES-1:0] quiet, sends, won, crosses_early, learns;
  wire [LINES*PORT_BITS-1:0] learned;  // the port of the first candidate
  wire [PORTS-1:0] hit;
  wire [PORTS*PORT_BITS-1:0] early_port;
  wire [PORTS*VC_BITS-1:0] early_vc;
  wire [PORTS*3-1:0] outcome_now;
  wire predicts_row = PREDICTION == 1 && table_row[ROW_BITS-1];
  wire [LINES*FLIT_BITS-1:0] leaving;  // the flit at the front, with a head's new hops and class
  wire [LINES-1:0] expired;  // heads whose time is over in this cycle
  wire [PORTS-1:0] wrong_vc;
  wire [PORTS*VCS-1:0] free, has_place, wrong_credit;
  wire [PORTS*VCS*COUNT_BITS-1:0] credits;
  wire [CANDIDATES*TURN_BITS-1:0] turns;
  wire stops = |wrong_line || |wrong_vc || |wrong_credit || error;

  genvar i, v, o, l, c;
  generate
    if (ROUTING == 0) begin : from_table
      reg [31:0] routes[0:(CANDIDATES<<NODE_BITS)-1];
      if (ROUTES != "") begin : read
        initial $readmemh(ROUTES, routes);
      end
      always @(posedge clock) if (reset && table_valid && !predicts_row) routes[table_row[ROUTE_BITS-1:0]] <= table_entry;
      for (l = 0; l < LINES; l = l + 1) begin : of_line
        wire [NODE_BITS-1:0] node = front[l*FLIT_BITS+DATA_BITS+:NODE_BITS];
        for (c = 0; c < CANDIDATES; c = c + 1) begin : candidate
          wire [31:0] route = routes[{{32-NODE_BITS{1'b0}}, node} + (c << NODE_BITS)];
          wire exists = {16'd0, route[15:0]} < PORTS;
          wire [PORT_BITS-1:0] port_to = exists ? route[PORT_BITS-1:0] : {PORT_BITS{1'b0}};
          assign route_ports[(l*CANDIDATES+c)*PORT_BITS+:PORT_BITS] = port_to;
          assign route_vcs[(l*CANDIDATES+c)*VCS+:VCS] = !exists ? {VCS{1'b0}} : TO_NODE[port_to] ? {VCS{1'b1}} : route[16+:VCS];
          assign route_lesser[l*CANDIDATES+c] = route[31];
          wire unused = &{1'b0, route};
        end
      end
    end else begin : by_coordinates
      localparam ROWS = 1 << NODE_BITS, AXIS_BITS = NODE_BITS / 2;
      // The router's place, and what it knows of its surroundings: a row after those of all nodes.
      reg [NODE_BITS-1:0] here;
      reg [3:0] lives;
      reg in_region;
      wire own_row = table_row[NODE_BITS];
      always @(posedge clock)
        if (reset && table_valid && own_row && !predicts_row) begin
          here <= table_entry[NODE_BITS-1:0];
          lives <= table_entry[30:27];
          in_region <= table_entry[31];
        end
      wire [LINES*NODE_BITS-1:0] nodes;
      wire [LINES-1:0] asks_table, to_node_of;
      wire [LINES*11-1:0] words;
      for (l = 0; l < LINES; l = l + 1) begin : of_line
        assign nodes[l*NODE_BITS+:NODE_BITS] = front[l*FLIT_BITS+DATA_BITS+:NODE_BITS];
        cube_routes #(.ROUTING(ROUTING), .COORDINATE_BITS(AXIS_BITS), .RADIX_0(RADIX_0), .RADIX_1(RADIX_1), .WRAPS(WRAPS), .VCS(VCS),
            .UD_VCS(UD_VCS), .IN_PORT(l / VCS), .IN_VC(l % VCS), .CANDIDATES(CANDIDATES), .PORT_BITS(PORT_BITS)) one (.here(here),
            .destination(nodes[l*NODE_BITS+:NODE_BITS]), .lives(lives), .in_region(in_region), .in_recovery(recovers[l]),
            .words(words[l*11+:11]), .reads_table(asks_table[l]), .there(to_node_of[l]),
            .ports(route_ports[l*CANDIDATES*PORT_BITS+:CANDIDATES*PORT_BITS]), .vcs(route_vcs[l*CANDIDATES*VCS+:CANDIDATES*VCS]),
            .lesser(route_lesser[l*CANDIDATES+:CANDIDATES]));
      end
      if (ROUTING == 3) begin : of_plans
        reg [10:0] plans[0:ROWS-1];
        always @(posedge clock) if (reset && table_valid && !own_row && !predicts_row) plans[table_row[NODE_BITS-1:0]] <= table_entry[10:0];
        for (l = 0; l < LINES; l = l + 1) begin : of_line
          assign words[l*11+:11] = plans[nodes[l*NODE_BITS+:NODE_BITS]];
        end
      end else if (ROUTING == 4) begin : table_of_words
        localparam LINE_BITS = $clog2(LINES);
        wire [1:0] answer;
        wire [2*LINE_BITS-1:0] answer_line;
        wire [15:0] answer_word;
        wire [LINES-1:0] reads_granted;
        table_port #(.NETWORK_PORTS(PORTS - 1), .VCS(VCS), .NODE_VCS(VCS), .LINE_BITS(LINE_BITS), .ADDRESS_BITS(NODE_BITS), .WORD_BITS(8),
            .DECODE_CYCLES(RC_CYCLES), .TABLE_CYCLES(TABLE_CYCLES), .CLEARS(0)) port (.clock(clock), .reset(reset),
            .write_valid(reset && table_valid && !own_row), .write_address(table_row[NODE_BITS-1:0]),
            .write_word({table_entry[19:16], table_entry[3:0]}), .ask(begins & by_table), .ask_address(nodes), .cancel(restarts),
            .granted(reads_granted), .answer_valid(answer), .answer_line(answer_line), .answer_word(answer_word));
        for (l = 0; l < LINES; l = l + 1) begin : of_line
          localparam GROUP = 2 * (l % VCS) / VCS;
          assign words[l*11+:11] = {3'd0, answer_word[GROUP*8+:8]};
          assign answered[l] = answer[GROUP] && answer_line[GROUP*LINE_BITS+:LINE_BITS] == l;
        end
        wire unused = &{1'b0, reads_granted};
      end else begin : no_words
        assign words = {LINES * 11{1'b0}};
      end
      if (ROUTING == 4) begin : recovery
        assign by_table = asks_table;
        assign to_node = to_node_of;
        assign restarts = expired;
        for (l = 0; l < LINES; l = l + 1) begin : of_line
          wire [FLIT_BITS-1:0] flit = front[l*FLIT_BITS+:FLIT_BITS];
          wire [HOP_BITS-1:0] hops = flit[DATA_BITS+NODE_BITS+1+:HOP_BITS];
          reg is_in;
          assign recovers[l] = begins[l] ? flit[DATA_BITS+NODE_BITS] || restarts[l] || (HOP_LIMIT != 0 && {1'b0, hops} > HOP_LIMIT[HOP_BITS:0]) :
              is_in;
          always @(posedge clock) is_in <= recovers[l];
          wire [HOP_BITS-1:0] next_hops = hops == {HOP_BITS{1'b1}} ? hops : hops + 1'b1;
          assign leaving[l*FLIT_BITS+:FLIT_BITS] = !flit[FLIT_BITS-2] ? flit :
              {flit[FLIT_BITS-1:FLIT_BITS-2], next_hops, is_in, flit[0+:NODE_BITS+DATA_BITS]};
        end
      end else begin : no_recovery
        wire unused = &{1'b0, asks_table, to_node_of};
      end
      wire unused = &{1'b0, table_entry};
    end
    if (ROUTING != 4) begin : no_recovery
      assign {by_table, answered, to_node, restarts, recovers} = {5 * LINES{1'b0}};
      assign leaving = front;
    end
  endgenerate

  // Inputs.
  generate
    for (i = 0; i < PORTS; i = i + 1) begin : in
      wire [VC_BITS-1:0] vc = in_vc[i*VC_BITS+:VC_BITS];
      wire [FLIT_BITS-1:0] arriving = {in_tail[i], in_head[i], in_destination[i*HEAD_BITS+:HEAD_BITS], in_data[i*DATA_BITS+:DATA_BITS]};
      // The flit that leaves, with its output port and virtual channel.
      reg [SENT_BITS-1:0] sent;
      reg [PORT_BITS-1:0] port;
      localparam [PORTS-1:0] REACHED = TURNS | ~(ONE_PORT << i);
      wire [PORTS*VCS-1:0] reached;  // virtual channels of outputs that the input may use
      for (o = 0; o < PORTS; o = o + 1) begin : of_output
        assign reached[o*VCS+:VCS] = {VCS{REACHED[o]}};
      end
      for (v = 0; v < VCS; v = v + 1) begin : of_vc
        localparam LINE = i * VCS + v;
        localparam [PORT_BITS-1:0] OWN = i;
        wire [CANDIDATES*VCS-1:0] ways;
        for (c = 0; c < CANDIDATES; c = c + 1) begin : candidate
          wire turns_back = route_ports[(LINE*CANDIDATES+c)*PORT_BITS+:PORT_BITS] == OWN && !TURNS[i];
          assign ways[c*VCS+:VCS] = turns_back ? {VCS{1'b0}} : route_vcs[(LINE*CANDIDATES+c)*VCS+:VCS];
        end
        assign all_ways[LINE*CANDIDATES*VCS+:CANDIDATES*VCS] = ways;
        input_vc #(.PORTS(PORTS), .VCS(VCS), .BUFFER_FLITS(BUFFER_FLITS), .RC_CYCLES(RC_CYCLES), .VA_CYCLES(VA_CYCLES),
            .FLIT_BITS(FLIT_BITS), .CANDIDATES(CANDIDATES)) line (.clock(clock), .reset(reset), .arrives(in_valid[i] && vc == v), .arriving(arriving),
            .front(front[LINE*FLIT_BITS+:FLIT_BITS]), .route_port(route_ports[LINE*CANDIDATES*PORT_BITS+:CANDIDATES*PORT_BITS]),
            .route_vcs(ways), .route_lesser(route_lesser[LINE*CANDIDATES+:CANDIDATES]), .by_table(by_table[LINE]),
            .answered(answered[LINE]), .restarts(restarts[LINE]), .drops(drops[LINE]),
            .held_port(held_port[LINE*PORT_BITS+:PORT_BITS]), .held_vc(held_vc[LINE*VC_BITS+:VC_BITS]),
            .free(free & reached), .has_place(has_place & reached), .credits(credits), .turns(turns), .begins(begins[LINE]),
            .asks(asks[LINE*VCS+:VCS]), .granted(granted[LINE*VCS+:VCS]), .sends(sends[LINE]),
            .learns(learns[LINE]), .learned(learned[LINE*PORT_BITS+:PORT_BITS]),
            .quiet(quiet[LINE]), .hit(hit[i] && crosses_early[LINE]), .hit_port(early_port[i*PORT_BITS+:PORT_BITS]),
            .hit_vc(early_vc[i*VC_BITS+:VC_BITS]),
            .out_port(out_port[LINE*PORT_BITS+:PORT_BITS]), .out_vc(line_vc[LINE*VC_BITS+:VC_BITS]), .leaves(leaves[LINE]),
            .wrong(wrong_line[LINE]));
        for (o = 0; o < PORTS; o = o + 1) begin : of_output
          assign at[o*LINES+LINE] = REACHED[o] && out_port[LINE*PORT_BITS+:PORT_BITS] == o;
          assign requests[LINE*PORTS+o] = sends[LINE] && !crosses_early[LINE] && at[o*LINES+LINE];
        end
      end
      if (VCS < (1 << VC_BITS)) begin : any_other
        assign wrong_vc[i] = in_valid[i] && {1'b0, vc} >= VCS[VC_BITS:0];
      end else begin : no_other
        assign wrong_vc[i] = 1'b0;
      end
      integer n;
      always @* begin
        sent = {SENT_BITS{1'b0}};
        port = {PORT_BITS{1'b0}};
        for (n = 0; n < VCS; n = n + 1)
          if (won[i*VCS+n]) begin
            sent = sent | {1'b1, line_vc[(i*VCS+n)*VC_BITS+:VC_BITS], leaving[(i*VCS+n)*FLIT_BITS+:FLIT_BITS]};
            port = port | out_port[(i*VCS+n)*PORT_BITS+:PORT_BITS];
          end
      end
    end
  endgenerate

  generate
    if (VA_ALLOCATOR == 0) begin : va
      islip_vc_allocator #(.PORTS(PORTS), .VCS(VCS), .LINES(LINES), .ITERATIONS(ISLIP_ITERATIONS)) one (.clock(clock),
          .reset(reset), .at(at), .vcs(asks), .granted(granted));
    end else begin : va_separable
      separable_vc_allocator #(.PORTS(PORTS), .VCS(VCS), .LINES(LINES), .MATRIX(VA_ALLOCATOR == 2)) one (.clock(clock),
          .reset(reset), .at(at), .vcs(asks), .granted(granted));
    end
    if (SA_ALLOCATOR == 0) begin : sa
      islip_switch_allocator #(.PORTS(PORTS), .VCS(VCS), .ITERATIONS(ISLIP_ITERATIONS)) one (.clock(clock), .reset(reset),
          .requests(requests), .granted(won));
    end else begin : sa_separable
      separable_switch_allocator #(.PORTS(PORTS), .VCS(VCS), .MATRIX(SA_ALLOCATOR == 2)) one (.clock(clock), .reset(reset),
          .requests(requests), .granted(won));
    end
  endgenerate

  assign leaves = won | crosses_early;

  // Flits that cross by prediction.
  wire [PORTS-1:0] passes;     // to an output in this cycle, after switch allocation
  wire [PORTS*VCS-1:0] ahead;  // of output virtual channels: such a flit has yet to cross
  wire [PORTS*SENT_BITS-1:0] early;
  wire [PORTS-1:0] keeps;
  generate
    if (PREDICTION != 0) begin : predicts
      wire [LINES-1:0] tails, asking;
      for (l = 0; l < LINES; l = l + 1) begin : of_line
        assign tails[l] = front[l*FLIT_BITS+FLIT_BITS-1];
        assign asking[l] = |asks[l*VCS+:VCS];
      end
      router_prediction #(.KIND(PREDICTION), .PORTS(PORTS), .VCS(VCS), .SA_CYCLES(SA_CYCLES), .CANDIDATES(CANDIDATES)) one (
          .clock(clock), .reset(reset), .write_valid(table_valid && predicts_row), .write_input(table_row[PORT_BITS-1:0]),
          .write_port(table_entry[15:0]), .learns(learns), .learned(learned), .quiet(quiet), .begins(begins),
          .route_ports(route_ports), .ways(all_ways), .tails(tails), .asks(asking), .sends(sends), .at(at), .won(won),
          .line_vc(line_vc), .open(free & has_place & ~ahead), .passes(passes), .crosses(crosses_early), .hit(hit),
          .port(early_port), .vc(early_vc), .outcome(outcome_now));
      for (i = 0; i < PORTS; i = i + 1) begin : of_input
        reg [SENT_BITS-1:0] crosses;
        integer n;
        always @* begin
          crosses = {SENT_BITS{1'b0}};
          for (n = 0; n < VCS; n = n + 1)
            if (crosses_early[i*VCS+n])
              crosses = crosses | {1'b1, early_vc[i*VC_BITS+:VC_BITS], leaving[(i*VCS+n)*FLIT_BITS+:FLIT_BITS]};
        end
        assign early[i*SENT_BITS+:SENT_BITS] = crosses;
        assign keeps[i] = |crosses_early[i*VCS+:VCS] && !hit[i];
      end
    end else begin : no_prediction
      assign crosses_early = {LINES{1'b0}};
      assign {hit, keeps} = {2 * PORTS{1'b0}};
      assign early_port = {PORTS * PORT_BITS{1'b0}};
      assign early_vc = {PORTS * VC_BITS{1'b0}};
      assign outcome_now = {PORTS * 3{1'b0}};
      assign early = {PORTS * SENT_BITS{1'b0}};
      wire unused = &{1'b0, quiet, all_ways, passes, ahead, learns, learned};
    end
  endgenerate

  generate
    if (CANDIDATES > 1) begin : choice
      choice_turns #(.CANDIDATES(CANDIDATES), .LINES(LINES), .VCS(VCS)) one (.clock(clock), .reset(reset), .granted(granted),
          .turns(turns));
    end else begin : no_choice
      assign turns = 1'b0;
    end
  endgenerate

  // Times of heads. One that comes and leaves in a cycle has none.
  generate
    if (TIMEOUT > 0) begin : times
      block_timer #(.INPUTS(LINES), .TIMEOUT(TIMEOUT), .COUNT_BITS($clog2(TIMEOUT + 1))) one (.clock(clock),
          .reset(reset || stops), .come(begins & ~leaves), .in_recovery(recovers), .leave(leaves),
          .to_node(to_node), .expired(expired));
    end else begin : no_times
      assign expired = {LINES{1'b0}};
      wire unused = &{1'b0, begins, recovers, to_node};
    end
  endgenerate

  // Outputs.
  wire [PORTS*SENT_BITS-1:0] sent;
  wire [PORTS*PORT_BITS-1:0] sent_to;
  generate
    for (i = 0; i < PORTS; i = i + 1) begin : crossbar
      assign sent[i*SENT_BITS+:SENT_BITS] = in[i].sent;
      assign sent_to[i*PORT_BITS+:PORT_BITS] = in[i].port;
    end
    for (o = 0; o < PORTS; o = o + 1) begin : out
      reg [SENT_BITS-1:0] crosses, crosses_now;  // switch allocation's winner; by prediction
      integer n;
      always @* begin
        crosses = {SENT_BITS{1'b0}};
        crosses_now = {SENT_BITS{1'b0}};
        for (n = 0; n < PORTS; n = n + 1) begin
          if ((n != o || TURNS[o]) && sent_to[n*PORT_BITS+:PORT_BITS] == o) crosses = crosses | sent[n*SENT_BITS+:SENT_BITS];
          if ((n != o || TURNS[o]) && early_port[n*PORT_BITS+:PORT_BITS] == o) crosses_now = crosses_now | early[n*SENT_BITS+:SENT_BITS];
        end
      end
      reg [STAGES*SENT_BITS-1:0] under_way;  // the flit on the wires at the top
      assign passes[o] = under_way[SA_CYCLES*SENT_BITS-1];
      for (v = 0; v < VCS; v = v + 1) begin : of_vc
        wire [LINES-1:0] takes, dropped;
        for (l = 0; l < LINES; l = l + 1) begin : of_line
          assign takes[l] = at[o*LINES+l] && granted[l*VCS+v];
          assign dropped[l] = drops[l] && held_port[l*PORT_BITS+:PORT_BITS] == o && held_vc[l*VC_BITS+:VC_BITS] == v;
        end
        wire wins = crosses[SENT_BITS-1] && crosses[FLIT_BITS+:VC_BITS] == v;
        wire sends_now = crosses_now[SENT_BITS-1] && crosses_now[FLIT_BITS+:VC_BITS] == v;
        wire [SA_CYCLES-1:0] on_way;
        for (l = 0; l < SA_CYCLES; l = l + 1) begin : of_cycle
          assign on_way[l] = under_way[l*SENT_BITS+SENT_BITS-1] && under_way[l*SENT_BITS+FLIT_BITS+:VC_BITS] == v;
        end
        assign ahead[o*VCS+v] = |on_way;
        output_vc #(.BUFFER_FLITS(BUFFER_FLITS), .CREDIT_CYCLES(CREDIT_CYCLES), .ATOMIC(ATOMIC_VCS)) one (.clock(clock),
            .reset(reset), .take(|takes || sends_now), .release_((wins && crosses[FLIT_BITS-1]) || (sends_now && crosses_now[FLIT_BITS-1])),
            .drop(|dropped), .send(wins || sends_now), .credit(out_credit[o*VCS+v]),
            .free(free[o*VCS+v]), .has_place(has_place[o*VCS+v]), .credits(credits[(o*VCS+v)*COUNT_BITS+:COUNT_BITS]),
            .wrong(wrong_credit[o*VCS+v]));
      end

      integer s;
      always @(posedge clock) begin
        under_way[0+:SENT_BITS] <= crosses;
        for (s = 1; s < STAGES; s = s + 1)
          under_way[s*SENT_BITS+:SENT_BITS] <= under_way[(s-1)*SENT_BITS+:SENT_BITS] | (s == SA_CYCLES ? crosses_now : {SENT_BITS{1'b0}});
        if (reset || stops) under_way <= {STAGES * SENT_BITS{1'b0}};
      end
      assign {out_valid[o], out_vc[o*VC_BITS+:VC_BITS], out_tail[o], out_head[o], out_destination[o*HEAD_BITS+:HEAD_BITS],
              out_data[o*DATA_BITS+:DATA_BITS]} = under_way[(STAGES-1)*SENT_BITS+:SENT_BITS];
    end
  endgenerate

  always @(posedge clock) begin
    in_credit <= reset || stops ? {LINES{1'b0}} : leaves;
    blocked <= reset || stops ? {LINES{1'b0}} : expired & ~leaves;
    outcome <= reset || stops ? {PORTS * 3{1'b0}} : outcome_now;
    kept <= reset || stops ? {PORTS{1'b0}} : keeps;
    error <= !reset && stops;
  end
endmodule
