// SPDX-License-Identifier: Apache-2.0
// Mesh router with look-ahead routing. Ports: 0 local, 1 north (+y), 2 east (+x), 3 south, 4 west. All vectors have their
// most significant bit first, and port 0, virtual channel 0 there.
//
// Flit, 64 bits. Head: [0:2] output port at this router, [3:5] x and [6:8] y of the destination, [9:14] flits of the packet,
// itself included, [20:63] payload. Other flits: [0:43] payload. Flits carry no kind: the length in the head determines it.
//
// After the buffer: virtual-channel allocation beside route computation for the next router, switch allocation, crossbar.
// Credits: a downstream virtual channel has 4 slots.
module lookahead_router (
  input  wire         clk_i,
  input  wire         rst_ni,
  input  wire [0:2]   here_x_i,
  input  wire [0:2]   here_y_i,
  input  wire [0:4]   flit_valid_i,
  input  wire [0:9]   flit_vc_i,
  input  wire [0:319] flit_i,
  output reg  [0:19]  credit_o,
  output reg  [0:4]   flit_valid_o,
  output reg  [0:9]   flit_vc_o,
  output reg  [0:319] flit_o,
  input  wire [0:19]  credit_i,
  output wire [0:4]   fault_o
);
  localparam PORTS = 5;
  localparam VCS = 4;
  localparam INPUTS = PORTS * VCS;
  localparam LOCAL = 3'd0, NORTH = 3'd1, EAST = 3'd2, SOUTH = 3'd3, WEST = 3'd4;

  // Output port at the downstream router of `out`: x first, then y.
  function [0:2] next_output(input [0:2] out, input [0:2] x, input [0:2] y);
    reg [0:2] at_x, at_y;
    begin
      at_x = here_x_i + (out == EAST ? 3'd1 : 3'd0) - (out == WEST ? 3'd1 : 3'd0);
      at_y = here_y_i + (out == NORTH ? 3'd1 : 3'd0) - (out == SOUTH ? 3'd1 : 3'd0);
      if (x != at_x) next_output = x > at_x ? EAST : WEST;
      else if (y != at_y) next_output = y > at_y ? NORTH : SOUTH;
      else next_output = LOCAL;
    end
  endfunction

  // Input virtual channels, port p's at [p*VCS +: VCS].
  wire [0:INPUTS-1]    filled;
  wire [0:INPUTS*64-1] front;
  wire [0:INPUTS-1]    pop;
  reg  [0:INPUTS-1]    active;     // has an output virtual channel
  reg  [0:INPUTS-1]    starts;     // and its head is still here
  reg  [0:INPUTS*3-1]  out_port;
  reg  [0:INPUTS*2-1]  out_vc;
  reg  [0:INPUTS*3-1]  next_port;
  reg  [0:INPUTS*6-1]  left;       // flits of the packet

  // Output virtual channels.
  reg  [0:INPUTS-1]    held;
  reg  [0:INPUTS*3-1]  credits;
  wire [0:INPUTS-1]    in_reach;   // there is a credit

  genvar p, q, i;
  generate
    for (p = 0; p < PORTS; p = p + 1) begin : storage
      la_pool #(.VCS(VCS), .VC_BITS(2), .SLOTS(16), .SLOT_BITS(4), .SHARE(4), .WIDTH(64)) pool (
        .clk_i(clk_i), .rst_ni(rst_ni),
        .write_i(flit_valid_i[p]), .write_vc_i(flit_vc_i[2*p +: 2]), .write_flit_i(flit_i[64*p +: 64]),
        .read_i(pop[p*VCS +: VCS]), .filled_o(filled[p*VCS +: VCS]), .front_o(front[p*VCS*64 +: VCS*64]),
        .overflow_o(fault_o[p]));
    end
  endgenerate

  // Virtual-channel allocation: an output gives one of its free virtual channels to one head a cycle.
  wire [0:PORTS*INPUTS-1] chosen;   // [output][input virtual channel]
  wire [0:INPUTS-1]       given;    // output virtual channels
  wire [0:PORTS*2-1]      given_vc;
  wire [0:INPUTS-1]       granted;  // input virtual channels
  wire [0:INPUTS*2-1]     granted_vc;
  generate
    for (p = 0; p < PORTS; p = p + 1) begin : vc_allocation
      wire [0:INPUTS-1] wants, turn;
      wire [0:VCS-1]    place;
      for (i = 0; i < INPUTS; i = i + 1) begin : input_vc
        assign wants[i] = filled[i] && !active[i] && front[i*64 +: 3] == p;
      end
      wire some = |wants && !(&held[p*VCS +: VCS]);
      la_round_robin #(.N(INPUTS)) heads (.clk_i(clk_i), .rst_ni(rst_ni), .request_i(wants), .advance_i(some),
        .grant_o(turn));
      la_round_robin #(.N(VCS)) places (.clk_i(clk_i), .rst_ni(rst_ni), .request_i(~held[p*VCS +: VCS]),
        .advance_i(some), .grant_o(place));
      assign chosen[p*INPUTS +: INPUTS] = turn & {INPUTS{some}};
      assign given[p*VCS +: VCS] = place & {VCS{some}};
      assign given_vc[p*2 +: 2] = {place[2] | place[3], place[1] | place[3]};
    end
    for (i = 0; i < INPUTS; i = i + 1) begin : grant
      assign granted[i] = chosen[i] | chosen[INPUTS + i] | chosen[2*INPUTS + i] | chosen[3*INPUTS + i] |
        chosen[4*INPUTS + i];
      assign granted_vc[i*2 +: 2] = given_vc[front[i*64 +: 3]*2 +: 2];
    end
  endgenerate

  // Switch allocation: one virtual channel of each input, then one input of each output.
  wire [0:INPUTS-1] ready;
  wire [0:INPUTS-1] offered;
  wire [0:INPUTS-1] taken;   // output virtual channels of which a credit is taken
  wire [0:INPUTS-1] closed;  // and those that a last flit leaves
  wire [0:PORTS*PORTS-1] passes;  // [output][input]
  generate
    for (i = 0; i < INPUTS; i = i + 1) begin : readiness
      assign in_reach[i] = credits[i*3 +: 3] != 3'd0;
      assign ready[i] = filled[i] && active[i] && in_reach[{out_port[i*3 +: 3], out_vc[i*2 +: 2]}];
    end
    for (p = 0; p < PORTS; p = p + 1) begin : switch_allocation
      wire [0:PORTS-1] asks;
      wire won = passes[p] | passes[PORTS + p] | passes[2*PORTS + p] | passes[3*PORTS + p] | passes[4*PORTS + p];
      la_round_robin #(.N(VCS)) channels (.clk_i(clk_i), .rst_ni(rst_ni), .request_i(ready[p*VCS +: VCS]),
        .advance_i(won), .grant_o(offered[p*VCS +: VCS]));
      for (q = 0; q < PORTS; q = q + 1) begin : from
        assign asks[q] = (offered[q*VCS] && out_port[q*VCS*3 +: 3] == p) ||
          (offered[q*VCS + 1] && out_port[(q*VCS + 1)*3 +: 3] == p) ||
          (offered[q*VCS + 2] && out_port[(q*VCS + 2)*3 +: 3] == p) ||
          (offered[q*VCS + 3] && out_port[(q*VCS + 3)*3 +: 3] == p);
      end
      la_round_robin #(.N(PORTS)) inputs (.clk_i(clk_i), .rst_ni(rst_ni), .request_i(asks), .advance_i(1'b1),
        .grant_o(passes[p*PORTS +: PORTS]));
      assign pop[p*VCS +: VCS] = offered[p*VCS +: VCS] & {VCS{won}};
    end
    for (q = 0; q < INPUTS; q = q + 1) begin : use_of_output
      wire [0:INPUTS-1] here, last;
      for (i = 0; i < INPUTS; i = i + 1) begin : by_input
        assign here[i] = pop[i] && {out_port[i*3 +: 3], out_vc[i*2 +: 2]} == q;
        assign last[i] = here[i] && left[i*6 +: 6] == 6'd1;
      end
      assign taken[q] = |here;
      assign closed[q] = |last;
    end
  endgenerate

  generate
    for (i = 0; i < INPUTS; i = i + 1) begin : state
      always @(posedge clk_i)
        if (!rst_ni) begin
          active[i] <= 1'b0;
          held[i] <= 1'b0;
          credits[i*3 +: 3] <= 3'd4;
        end else begin
          if (granted[i]) begin
            active[i] <= 1'b1;
            starts[i] <= 1'b1;
            out_port[i*3 +: 3] <= front[i*64 +: 3];
            out_vc[i*2 +: 2] <= granted_vc[i*2 +: 2];
            next_port[i*3 +: 3] <= next_output(front[i*64 +: 3], front[i*64 + 3 +: 3], front[i*64 + 6 +: 3]);
            left[i*6 +: 6] <= front[i*64 + 9 +: 6];
          end else if (pop[i]) begin
            starts[i] <= 1'b0;
            left[i*6 +: 6] <= left[i*6 +: 6] - 6'd1;
            active[i] <= left[i*6 +: 6] != 6'd1;
          end
          if (given[i]) held[i] <= 1'b1;
          else if (closed[i]) held[i] <= 1'b0;
          credits[i*3 +: 3] <= credits[i*3 +: 3] + {2'b0, credit_i[i]} - {2'b0, taken[i]};
        end
    end
  endgenerate
  always @(posedge clk_i) credit_o <= rst_ni ? pop : {INPUTS{1'b0}};

  // Registers between switch allocation and crossbar: a flit of each input. Then the crossbar.
  wire [0:PORTS-1]    crossing;
  wire [0:PORTS*3-1]  crossing_port;
  wire [0:PORTS*66-1] crossing_flit;  // virtual channel, flit
  generate
    for (p = 0; p < PORTS; p = p + 1) begin : input_register
      reg        filled_r;
      reg [0:2]  port_r;
      reg [0:65] flit_r;
      integer    v;
      always @(posedge clk_i) begin
        filled_r <= rst_ni && |pop[p*VCS +: VCS];
        for (v = 0; v < VCS; v = v + 1)
          if (pop[p*VCS + v]) begin
            port_r <= out_port[(p*VCS + v)*3 +: 3];
            flit_r[0:1] <= out_vc[(p*VCS + v)*2 +: 2];
            flit_r[2:4] <= starts[p*VCS + v] ? next_port[(p*VCS + v)*3 +: 3] : front[(p*VCS + v)*64 +: 3];
            flit_r[5:65] <= front[(p*VCS + v)*64 + 3 +: 61];
          end
      end
      assign crossing[p] = filled_r;
      assign crossing_port[p*3 +: 3] = port_r;
      assign crossing_flit[p*66 +: 66] = flit_r;
    end
    for (p = 0; p < PORTS; p = p + 1) begin : crossbar
      integer f;
      always @(posedge clk_i) begin
        flit_valid_o[p] <= 1'b0;
        for (f = 0; f < PORTS; f = f + 1)
          if (rst_ni && crossing[f] && crossing_port[f*3 +: 3] == p) begin
            flit_valid_o[p] <= 1'b1;
            flit_vc_o[p*2 +: 2] <= crossing_flit[f*66 +: 2];
            flit_o[p*64 +: 64] <= crossing_flit[f*66 + 2 +: 64];
          end
      end
    end
  endgenerate
endmodule
