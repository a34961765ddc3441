// SPDX-License-Identifier: Apache-2.0
// For a proof, a memory in a netlist of yosys without its contents: its reads give anything, and registers take
// what it is asked for and what is written, so that a difference there is a difference of the next state.
module \$mem_v2 (RD_CLK, RD_EN, RD_ARST, RD_SRST, RD_ADDR, RD_DATA, WR_CLK, WR_EN, WR_ADDR, WR_DATA);
  parameter MEMID = "";
  parameter signed SIZE = 4;
  parameter signed OFFSET = 0;
  parameter signed ABITS = 2;
  parameter signed WIDTH = 8;
  parameter signed INIT = 1'bx;
  parameter signed RD_PORTS = 1;
  parameter RD_CLK_ENABLE = 1'b0;
  parameter RD_CLK_POLARITY = 1'b0;
  parameter RD_TRANSPARENCY_MASK = 1'b0;
  parameter RD_COLLISION_X_MASK = 1'b0;
  parameter RD_WIDE_CONTINUATION = 1'b0;
  parameter RD_CE_OVER_SRST = 1'b0;
  parameter RD_ARST_VALUE = 1'b0;
  parameter RD_SRST_VALUE = 1'b0;
  parameter RD_INIT_VALUE = 1'b0;
  parameter signed WR_PORTS = 1;
  parameter WR_CLK_ENABLE = 1'b1;
  parameter WR_CLK_POLARITY = 1'b1;
  parameter WR_PRIORITY_MASK = 1'b0;
  parameter WR_WIDE_CONTINUATION = 1'b0;

  input [RD_PORTS-1:0] RD_CLK, RD_EN, RD_ARST, RD_SRST;
  input [RD_PORTS*ABITS-1:0] RD_ADDR;
  output [RD_PORTS*WIDTH-1:0] RD_DATA;
  input [WR_PORTS-1:0] WR_CLK;
  input [WR_PORTS*WIDTH-1:0] WR_EN, WR_DATA;
  input [WR_PORTS*ABITS-1:0] WR_ADDR;

  genvar port;
  wire [WR_PORTS*ABITS-1:0] written_address;
  generate
    for (port = 0; port < WR_PORTS; port = port + 1) begin : writes
      assign written_address[port*ABITS+:ABITS] = |WR_EN[port*WIDTH+:WIDTH] ? WR_ADDR[port*ABITS+:ABITS] : {ABITS{1'b0}};
    end
  endgenerate
  localparam BITS = RD_PORTS * ABITS + 2 * WR_PORTS * WIDTH + WR_PORTS * ABITS;
  (* keep *) wire [BITS-1:0] asked_before;
  (* keep *) \$dff #(.WIDTH(BITS), .CLK_POLARITY(1'b1)) asked (
      .CLK(WR_CLK[0]), .D({RD_ADDR, WR_EN, WR_EN & WR_DATA, written_address}), .Q(asked_before));
  \$anyseq #(.WIDTH(RD_PORTS * WIDTH)) anything (.Y(RD_DATA));
endmodule
