// SPDX-License-Identifier: Apache-2.0
// Routes of a head on a mesh or torus of two dimensions, computed from coordinates, as candidates of output_choice.v.
// ROUTING 1: dimension order, whose virtual channels are two classes on rings; 2: Duato's protocol; 3: Detour-NF, with the
// router's plan for the destination; 4: Detour-UD, with the table's words. Port 2d goes to higher coordinates of dimension d,
// 2d + 1 to lower ones; port 4 to the node.
module cube_routes #(
    parameter ROUTING = 1,
    parameter COORDINATE_BITS = 2,
    parameter RADIX_0 = 4,
    parameter RADIX_1 = 4,
    parameter WRAPS = 1,
    parameter VCS = 4,
    parameter UD_VCS = 1,  // the last virtual channels, of heads in recovery
    parameter IN_PORT = 0,
    parameter IN_VC = 0,
    parameter CANDIDATES = 1,
    parameter PORT_BITS = 3
) (
    input  wire [2*COORDINATE_BITS-1:0] here,
    input  wire [2*COORDINATE_BITS-1:0] destination,
    input  wire [3:0] lives,        // ROUTING 3: ports whose links work
    input  wire in_region,          // ROUTING 4
    input  wire in_recovery,        // ROUTING 4
    // ROUTING 3: port of dimension order, bit 2: no shortest way needs a detour, bits 6:3 and 10:7: negative-first ports of a
    // head that may still go to lower coordinates, and of one that may not. ROUTING 4: bits 3:0 torus word, 7:4 up/down word.
    input  wire [10:0] words,
    output wire reads_table,
    output wire there,
    output wire [CANDIDATES*PORT_BITS-1:0] ports,
    output wire [CANDIDATES*VCS-1:0] vcs,
    output wire [CANDIDATES-1:0] lesser
);
  localparam [VCS-1:0] NONE = {VCS{1'b0}}, ALL = ~NONE;
  localparam [2:0] FROM = IN_PORT[2:0];
  wire [3:0] minimal, fa, ud;
  detour_ways #(.COORDINATE_BITS(COORDINATE_BITS), .RADIX_0(RADIX_0), .RADIX_1(RADIX_1), .WRAPS(WRAPS)) by_detour (.here(here),
      .destination(destination), .in_port(FROM), .in_recovery(in_recovery), .in_region(in_region), .torus_word(words[3:0]),
      .up_down_word(words[7:4]), .minimal(minimal), .there(there), .reads_table(reads_table), .fa(fa), .ud(ud));

  // Ports of dimension order, and whether the way by each port crosses the link between the ends of its ring.
  wire [3:0] order, ahead;
  wire [3:0] preferred = {minimal[3] && !minimal[2], minimal[2], minimal[1] && !minimal[0], minimal[0]};
  assign order = minimal[1:0] != 2'd0 ? {2'd0, preferred[1:0]} : preferred;
  wire [3:0] long_ring = {{2{WRAPS != 0 && RADIX_1 > 3}}, {2{WRAPS != 0 && RADIX_0 > 3}}};
  genvar d, k;
  generate
    for (d = 0; d < 2; d = d + 1) begin : of_dimension
      wire [COORDINATE_BITS-1:0] from = here[d*COORDINATE_BITS+:COORDINATE_BITS];
      wire [COORDINATE_BITS-1:0] to = destination[d*COORDINATE_BITS+:COORDINATE_BITS];
      assign ahead[2*d] = from > to;
      assign ahead[2*d+1] = from < to;
    end

    if (ROUTING == 1) begin : dimension_order
      localparam [VCS-1:0] UPPER = ALL << (VCS - VCS / 2);
      wire [1:0] port = order[3] ? 2'd3 : order[2] ? 2'd2 : order[1] ? 2'd1 : 2'd0;
      assign ports = there ? 3'd4 : {1'b0, port};
      assign vcs = there || !long_ring[port] ? ALL : ahead[port] ? ~UPPER : UPPER;
      assign lesser = 1'b0;
      wire unused = &{1'b0, fa, ud, words, lives, order};
    end else if (ROUTING == 2 || ROUTING == 3) begin : escapes
      localparam ESCAPES = WRAPS != 0 && (RADIX_0 > 3 || RADIX_1 > 3) ? 2 : 1;
      localparam [VCS-1:0] ESCAPE = ~(ALL << ESCAPES), NF = ROUTING == 3 ? ~(ALL >> 1) : NONE, ADAPTIVE = ALL & ~ESCAPE & ~NF;
      localparam ON_ESCAPE = IN_PORT < 4 && IN_VC < ESCAPES, ON_NF = IN_PORT < 4 && IN_VC == VCS - 1;
      wire [3:0] escape, negative, adaptive;
      if (ROUTING == 2) begin : minimal_ways
        assign adaptive = minimal;
        assign escape = order;
        assign negative = 4'd0;
        wire unused = &{1'b0, words, lives};
      end else begin : planned
        assign adaptive = words[2] || !(ON_ESCAPE || ON_NF) ? minimal & lives : 4'd0;
        assign negative = ON_ESCAPE ? 4'd0 : ON_NF && IN_PORT % 2 != 0 ? words[10:7] : words[6:3];
        assign escape = negative == 4'd0 ? 4'd1 << words[1:0] : 4'd0;
        wire unused = &{1'b0, order};
      end
      for (k = 0; k < 4; k = k + 1) begin : at_port
        localparam [PORT_BITS-1:0] PORT = k;
        if (k == 0) begin : or_node
          assign ports[0+:PORT_BITS] = there ? 3'd4 : PORT;
          assign vcs[0+:VCS] = there ? ALL : adaptive[k] ? ADAPTIVE : NONE;
        end else begin : alone
          assign ports[k*PORT_BITS+:PORT_BITS] = PORT;
          assign vcs[k*VCS+:VCS] = !there && adaptive[k] ? ADAPTIVE : NONE;
        end
      end
      assign lesser[4:0] = 5'b10000;
      if (ROUTING == 2) begin : one_escape
        wire [1:0] port = escape[3] ? 2'd3 : escape[2] ? 2'd2 : escape[1] ? 2'd1 : 2'd0;
        assign ports[4*PORT_BITS+:PORT_BITS] = {1'b0, port};
        assign vcs[4*VCS+:VCS] = there ? NONE : long_ring[port] ? (ahead[port] ? ESCAPE & 1 : ESCAPE & 2) : ESCAPE;
        wire unused = &{1'b0, negative, escape};
      end else begin : escape_or_negative
        for (k = 0; k < 4; k = k + 1) begin : at_port
          localparam [PORT_BITS-1:0] PORT = k;
          assign ports[(4+k)*PORT_BITS+:PORT_BITS] = PORT;
          assign vcs[(4+k)*VCS+:VCS] = there ? NONE : negative[k] ? NF : !escape[k] ? NONE :
              long_ring[k] ? (ahead[k] ? ESCAPE & 1 : ESCAPE & 2) : ESCAPE;
        end
        assign lesser[7:5] = 3'd0;
      end
      wire unused = &{1'b0, fa, ud};
    end else begin : detour_ud
      localparam [VCS-1:0] FA = ALL >> UD_VCS, UD = ~FA;
      for (k = 0; k < 4; k = k + 1) begin : at_port
        localparam [PORT_BITS-1:0] PORT = k;
        if (k == 0) begin : or_node
          assign ports[0+:PORT_BITS] = there ? 3'd4 : PORT;
          assign vcs[0+:VCS] = there ? ALL : ud[k] ? UD : fa[k] ? FA : NONE;
        end else begin : alone
          assign ports[k*PORT_BITS+:PORT_BITS] = PORT;
          assign vcs[k*VCS+:VCS] = ud[k] ? UD : fa[k] ? FA : NONE;
        end
      end
      assign lesser = {CANDIDATES{1'b0}};
      wire unused = &{1'b0, order, ahead, words, lives, long_ring};
    end
  endgenerate
endmodule
