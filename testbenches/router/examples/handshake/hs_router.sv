// SPDX-License-Identifier: Apache-2.0
// Mesh router with one virtual channel, wormhole switching and valid/ready links. A queue for each input; outputs follow the
// queues within the cycle. An output that shows a flit keeps to its input until the packet's last flit has passed.
module hs_router
  import hs_pkg::*;
(
  input  logic   clk,
  input  logic   rst,
  input  place_t here,
  input  link_t  rx      [PORTS],
  output logic   rx_ready[PORTS],
  output link_t  tx      [PORTS],
  input  logic   tx_ready[PORTS]
);
  link_t             front[PORTS];
  logic              take [PORTS];
  port_e             way  [PORTS];
  logic [PORTS-1:0]  use_input[PORTS];        // [output]: one-hot
  logic [PORTS-1:0]  asks     [PORTS];        // [output]: first flits that want it

  for (genvar p = 0; p < PORTS; p++) begin : g_input
    port_e way_r;

    hs_fifo queue (.clk, .rst, .in(rx[p]), .in_ready(rx_ready[p]), .out(front[p]), .out_ready(take[p]));

    assign way[p] = begins(front[p].flit) ? output_for(here, front[p].flit.to) : way_r;
    always_ff @(posedge clk)
      if (front[p].valid && begins(front[p].flit)) way_r <= way[p];

    always_comb begin
      take[p] = 1'b0;
      for (int o = 0; o < PORTS; o++)
        if (use_input[o][p] && tx_ready[o]) take[p] = 1'b1;
    end
  end

  for (genvar o = 0; o < PORTS; o++) begin : g_output
    logic             locked;
    logic [PORTS-1:0] owner, pick;
    logic [2:0]       turn;  // the input that comes first

    always_comb begin
      for (int p = 0; p < PORTS; p++)
        asks[o][p] = front[p].valid && begins(front[p].flit) && way[p] == port_e'(o);
      pick = '0;
      for (int n = PORTS - 1; n >= 0; n--) begin
        automatic int p = (int'(turn) + n) % PORTS;
        if (asks[o][p]) pick = PORTS'(1) << p;
      end
      use_input[o] = locked ? owner : pick;
      tx[o] = '0;
      for (int p = 0; p < PORTS; p++)
        if (use_input[o][p]) tx[o] = front[p];
    end

    always_ff @(posedge clk)
      if (rst) begin
        locked <= 1'b0;
        owner <= '0;
        turn <= '0;
      end else if (tx[o].valid) begin
        locked <= !(tx_ready[o] && ends(tx[o].flit));
        owner <= use_input[o];
        if (!locked)
          for (int p = 0; p < PORTS; p++)
            if (use_input[o][p]) turn <= 3'((p + 1) % PORTS);
      end
  end
endmodule
