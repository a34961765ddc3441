// SPDX-License-Identifier: Apache-2.0
// Two virtual channels of on/off links: a handshake router for each, queues at the inputs, and a register at each output. The router's place is
// a parameter.
module oo_top
  import hs_pkg::*;
#(
  parameter int X = 0,
  parameter int Y = 0
) (
  input  logic                clk,
  input  logic                rst_n,
  input  logic [PORTS-1:0]    valid_i,
  input  logic [PORTS-1:0]    vc_i,
  input  logic [20*PORTS-1:0] flit_i,
  output logic [2*PORTS-1:0]  off_o,
  output logic [2*PORTS-1:0]  valid_o,  // a bit a virtual channel
  output logic [20*PORTS-1:0] flit_o,
  input  logic [2*PORTS-1:0]  off_i
);
  localparam int DEPTH = 4;

  link_t rx[2][PORTS], tx[2][PORTS];
  logic  rx_ready[2][PORTS], tx_ready[2][PORTS];

  for (genvar v = 0; v < 2; v++) begin : g_vc
    for (genvar p = 0; p < PORTS; p++) begin : g_port
      logic [2:0] count;
      link_t arrives;
      wire put = valid_i[p] && vc_i[p] == 1'(v);
      wire get = rx[v][p].valid && rx_ready[v][p];

      assign arrives.valid = put;
      assign {arrives.flit.kind, arrives.flit.to, arrives.flit.data} = {flit_i[20*p +: 8], 36'd0, flit_i[20*p + 8 +: 12]};
      hs_fifo #(.DEPTH(DEPTH)) queue (.clk, .rst(!rst_n), .in(arrives), .in_ready(), .out(rx[v][p]), .out_ready(rx_ready[v][p]));
      always_ff @(posedge clk) count <= rst_n ? count + 3'(put) - 3'(get) : '0;
      // A flit may be in the register of its sender.
      assign off_o[2*p + v] = count >= 3'(DEPTH - 1);
      lost: assert property (@(posedge clk) disable iff (!rst_n) !(put && count == 3'(DEPTH) && !get)) else $error("a flit is lost");
    end
    hs_router router (.clk, .rst(!rst_n), .here('{row: 3'(Y), column: 3'(X)}), .rx(rx[v]), .rx_ready(rx_ready[v]), .tx(tx[v]),
                      .tx_ready(tx_ready[v]));
  end

  for (genvar p = 0; p < PORTS; p++) begin : g_output
    logic last;  // virtual channel of the last flit
    logic [1:0] may, take;

    assign may = {tx[1][p].valid && !off_i[2*p + 1], tx[0][p].valid && !off_i[2*p]};
    assign take = may == 2'b11 ? (last ? 2'b01 : 2'b10) : may;
    assign tx_ready[0][p] = take[0];
    assign tx_ready[1][p] = take[1];
    always_ff @(posedge clk) begin
      valid_o[2*p +: 2] <= rst_n ? take : 2'b00;
      flit_o[20*p +: 20] <= take[1] ? {tx[1][p].flit.data[11:0], tx[1][p].flit.kind, tx[1][p].flit.to}
                                    : {tx[0][p].flit.data[11:0], tx[0][p].flit.kind, tx[0][p].flit.to};
      if (take != 2'b00) last <= take[1];
    end
  end
endmodule
