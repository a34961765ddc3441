// SPDX-License-Identifier: Apache-2.0
// The handshake router with its structs as vectors and its arrays as pins, for tools that want plain pins.
module hs_top
  import hs_pkg::*;
(
  input  logic                clk,
  input  logic                rst,
  input  logic [2:0]          row, column,
  input  logic [PORTS-1:0]    rx_valid, tx_ready,
  output logic [PORTS-1:0]    rx_ready, tx_valid,
  input  logic [$bits(flit_t)-1:0] rx_home, rx_north, rx_east, rx_south, rx_west,
  output logic [$bits(flit_t)-1:0] tx_home, tx_north, tx_east, tx_south, tx_west
);
  link_t rx[PORTS], tx[PORTS];
  logic  rx_ready_of[PORTS], tx_ready_of[PORTS];
  flit_t rx_flit[PORTS];

  assign rx_flit = '{rx_home, rx_north, rx_east, rx_south, rx_west};
  for (genvar p = 0; p < PORTS; p++) begin : g_port
    assign rx[p] = '{valid: rx_valid[p], flit: rx_flit[p]};
    assign rx_ready[p] = rx_ready_of[p];
    assign tx_valid[p] = tx[p].valid;
    assign tx_ready_of[p] = tx_ready[p];
  end
  assign {tx_home, tx_north, tx_east} = {tx[HOME].flit, tx[NORTH].flit, tx[EAST].flit};
  assign {tx_south, tx_west} = {tx[SOUTH].flit, tx[WEST].flit};

  hs_router router (.clk, .rst, .here('{row: row, column: column}), .rx, .rx_ready(rx_ready_of), .tx, .tx_ready(tx_ready_of));
endmodule
