// SPDX-License-Identifier: Apache-2.0
// Port bits of a packet for the receiver at one output: the FIFOs of the next switch. They are `fixed` at a node or before a redundant
// stage; otherwise output q of the next switch leads to the nodes first[q] .. last[q] - 1.
module next_ports #(
    parameter PORTS = 4
) (
    input  wire                enable,
    input  wire [PORTS-1:0]    fixed,
    input  wire [PORTS*11-1:0] first,
    input  wire [PORTS*11-1:0] last,
    input  wire [1:0]          kind,
    input  wire [63:0]         members,
    input  wire [9:0]          number,  // single cast: destination node; multicast: group of 64 nodes
    output reg  [PORTS-1:0]    ports
);
  integer q;
  reg [10:0] low, high, base;
  reg [PORTS-1:0] found;

  // Distance of a node from the first one of the group, 0 to 64.
  function [6:0] place_in(input [10:0] node, input [10:0] from);
    reg [10:0] distance;
    begin
      distance = node - from;
      place_in = node <= from ? 7'd0 : distance >= 11'd64 ? 7'd64 : distance[6:0];
    end
  endfunction

  always @* begin
    ports = {PORTS{1'b0}};
    found = {PORTS{1'b0}};
    base = 11'd0;
    low = 11'd0;
    high = 11'd0;
    if (enable) begin
      base = kind == 2'd1 ? {1'b0, number[3:0], 6'd0} : 11'd0;
      for (q = 0; q < PORTS; q = q + 1) begin
        low = first[q*11+:11];
        high = last[q*11+:11];
        if (kind == 2'd0) found[q] = {1'b0, number} >= low && {1'b0, number} < high;
        else found[q] = (members & (~64'd0 << place_in(low, base)) & ~(~64'd0 << place_in(high, base))) != 64'd0;
      end
      // A synchronization enters the FIFO of the lowest output that it needs.
      if (kind == 2'd2) found = found & (~found + 1'b1);
      ports = fixed != 0 ? fixed : found;
    end
  end
endmodule
