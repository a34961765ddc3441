// SPDX-License-Identifier: Apache-2.0
// Synchronizations that one output owes: for each sid the packets of up to two complete rounds. The parity of a round says where the
// table keeps its packet. Among sids whose target FIFO has room, round robin.
module owed_rounds #(
    parameter PORTS = 4
) (
    input  wire             clock,
    input  wire             reset,
    input  wire [PORTS-1:0] free,
    input  wire             take,
    input  wire             complete,  // a round is complete
    input  wire [6:0]       complete_sid,
    input  wire             complete_parity,
    input  wire [PORTS-1:0] complete_ports,
    output reg              asks,
    output reg  [6:0]       sid,
    output reg              parity,
    output reg  [PORTS-1:0] ports
);
  integer f, g;
  reg [127:0] once, twice, parities;
  reg [PORTS*128-1:0] needs;  // needs[f*128+s]: the packet of sid s goes to FIFO f
  reg [6:0] next;
  reg [127:0] ready, from_next, lowest;

  always @* begin
    asks = 1'b0;
    sid = 7'd0;
    parity = 1'b0;
    ports = {PORTS{1'b0}};
    ready = 128'd0;
    from_next = 128'd0;
    lowest = 128'd0;
    if (once != 128'd0) begin
      for (f = 0; f < PORTS; f = f + 1) if (free[f]) ready = ready | (once & needs[f*128+:128]);
      asks = ready != 128'd0;
      from_next = ready & (~128'd0 << next);
      if (from_next == 128'd0) from_next = ready;
      lowest = from_next & (~from_next + 128'd1);
      sid[0] = (lowest & {64{2'b10}}) != 128'd0;
      sid[1] = (lowest & {32{4'b1100}}) != 128'd0;
      sid[2] = (lowest & {16{8'hf0}}) != 128'd0;
      sid[3] = (lowest & {8{16'hff00}}) != 128'd0;
      sid[4] = (lowest & {4{32'hffff_0000}}) != 128'd0;
      sid[5] = (lowest & {2{64'hffff_ffff_0000_0000}}) != 128'd0;
      sid[6] = lowest[127:64] != 64'd0;
      parity = (lowest & parities) != 128'd0;
      for (f = 0; f < PORTS; f = f + 1) ports[f] = (lowest & needs[f*128+:128]) != 128'd0;
    end
  end

  wire [127:0] taken = take ? lowest : 128'd0;
  wire [127:0] completed = complete ? 128'd1 << complete_sid : 128'd0;
  wire [127:0] still_once = once & ~(taken & ~twice);
  wire [127:0] fresh = completed & ~still_once;
  always @(posedge clock) begin
    if (reset) begin
      once <= 128'd0;
      twice <= 128'd0;
      parities <= 128'd0;
      needs <= {PORTS{128'd0}};
      next <= 7'd0;
    end else if (take || complete) begin
      once <= still_once | completed;
      twice <= (twice & ~taken) | (completed & still_once);
      parities <= ((parities ^ taken) & ~fresh) | (fresh & {128{complete_parity}});
      for (g = 0; g < PORTS; g = g + 1)
        needs[g*128+:128] <= (needs[g*128+:128] & ~completed) | (completed & {128{complete_ports[g]}});
      if (take) next <= sid + 7'd1;
    end
  end
endmodule
