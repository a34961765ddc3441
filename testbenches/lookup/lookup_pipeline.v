// SPDX-License-Identifier: Apache-2.0
// The look-up pipeline of a switch: a port each (lookup_port.v), and tables that are changed and caches that are
// flushed in all of them at once. Vectors hold all ports, and the virtual channels of each, the first at the low end.
module lookup_pipeline #(
    parameter PORTS = 4,
    parameter VCS = 4,
    parameter VC_BITS = 2,
    parameter DEPTH_BITS = 5,
    parameter SET_BITS = 3,
    parameter WAYS = 2,
    parameter WAY_BITS = 1,
    parameter POLICY = 0,
    parameter ROWS = 64,
    parameter ROW_BITS = 6,
    parameter CAM_CYCLES = 25
) (
    input  wire                     clock,
    input  wire                     reset,
    input  wire                     flush,
    input  wire                     table_valid,
    input  wire                     table_erase,
    input  wire [ROW_BITS-1:0]      table_row,
    input  wire [63:0]              table_key,
    input  wire [31:0]              table_entry,
    input  wire [PORTS-1:0]         request_valid,
    input  wire [PORTS*VC_BITS-1:0] request_vc,
    input  wire [PORTS*64-1:0]      request_key,
    input  wire [PORTS*8-1:0]       request_ticket,
    output wire [PORTS*VCS-1:0]     request_ready,
    output wire [PORTS*VCS-1:0]     answer_valid,
    input  wire [PORTS*VC_BITS-1:0] answer_select,
    input  wire [PORTS-1:0]         answer_take,
    output wire [PORTS*8-1:0]       answer_ticket,
    output wire [PORTS*32-1:0]      answer_entry
);
  // Contradictions stop elaboration: there is no module of these names.
  generate
    if (PORTS < 1) begin : contradiction0
      PORTS_is_less_than_1 stop ();
    end
  endgenerate

  genvar p;
  generate
    for (p = 0; p < PORTS; p = p + 1) begin : port
      lookup_port #(
          .VCS(VCS), .VC_BITS(VC_BITS), .DEPTH_BITS(DEPTH_BITS), .SET_BITS(SET_BITS), .WAYS(WAYS),
          .WAY_BITS(WAY_BITS), .POLICY(POLICY), .ROWS(ROWS), .ROW_BITS(ROW_BITS), .CAM_CYCLES(CAM_CYCLES)
      ) one (
          .clock(clock), .reset(reset), .flush(flush),
          .table_valid(table_valid), .table_erase(table_erase), .table_row(table_row), .table_key(table_key),
          .table_entry(table_entry),
          .request_valid(request_valid[p]), .request_vc(request_vc[p*VC_BITS+:VC_BITS]),
          .request_key(request_key[p*64+:64]), .request_ticket(request_ticket[p*8+:8]),
          .request_ready(request_ready[p*VCS+:VCS]), .answer_valid(answer_valid[p*VCS+:VCS]),
          .answer_select(answer_select[p*VC_BITS+:VC_BITS]), .answer_take(answer_take[p]),
          .answer_ticket(answer_ticket[p*8+:8]), .answer_entry(answer_entry[p*32+:32]));
    end
  endgenerate
endmodule
