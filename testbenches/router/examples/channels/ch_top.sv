// SPDX-License-Identifier: Apache-2.0
// Separate physical channels for requests and responses, a wormhole router each: no response waits for a request.
module ch_top
  import hs_pkg::*;
(
  input  logic                            clk, rst,
  input  logic [2:0]                      row, column,
  input  logic [PORTS-1:0]                req_valid_i, rsp_valid_i, req_ready_i, rsp_ready_i,
  output logic [PORTS-1:0]                req_valid_o, rsp_valid_o, req_ready_o, rsp_ready_o,
  input  logic [PORTS*$bits(flit_t)-1:0]  req_i,
  output logic [PORTS*$bits(flit_t)-1:0]  req_o,
  input  logic [PORTS*20-1:0]             rsp_i,  // narrow: 12 bits of data
  output logic [PORTS*20-1:0]             rsp_o
);
  link_t req[PORTS], req_out[PORTS], rsp[PORTS], rsp_out[PORTS];
  logic  req_take[PORTS], req_may[PORTS], rsp_take[PORTS], rsp_may[PORTS];

  for (genvar p = 0; p < PORTS; p++) begin : g_port
    assign req[p] = '{valid: req_valid_i[p], flit: req_i[p*$bits(flit_t) +: $bits(flit_t)]};
    assign rsp[p] = '{valid: rsp_valid_i[p], flit: {rsp_i[p*20 +: 8], 36'd0, rsp_i[p*20 + 8 +: 12]}};
    assign {req_ready_o[p], rsp_ready_o[p]} = {req_take[p], rsp_take[p]};
    assign {req_may[p], rsp_may[p]} = {req_ready_i[p], rsp_ready_i[p]};
    assign {req_valid_o[p], rsp_valid_o[p]} = {req_out[p].valid, rsp_out[p].valid};
    assign req_o[p*$bits(flit_t) +: $bits(flit_t)] = req_out[p].flit;
    assign rsp_o[p*20 +: 20] = {rsp_out[p].flit.data[11:0], rsp_out[p].flit.kind, rsp_out[p].flit.to};
  end
  hs_router requests (.clk, .rst, .here('{row: row, column: column}), .rx(req), .rx_ready(req_take), .tx(req_out),
                      .tx_ready(req_may));
  hs_router responses (.clk, .rst, .here('{row: row, column: column}), .rx(rsp), .rx_ready(rsp_take), .tx(rsp_out),
                       .tx_ready(rsp_may));
endmodule
