// SPDX-License-Identifier: Apache-2.0
// Input of a crosspoint switch: follows the flits of the packet that arrives. The port flit names the packet's kind and the FIFOs that
// store it; the routing fields of the header (map; node, group or sid) come later, as the packet is written.
module crosspoint_input #(
    parameter PORTS = 4,
    parameter FLIT_BITS = 7
) (
    input  wire                 clock,
    input  wire                 reset,
    input  wire                 valid,
    input  wire [23:0]          data,
    input  wire                 last,
    output wire                 head,
    output wire [PORTS-1:0]     targets,  // FIFOs that store the flit
    output wire [1:0]           kind,
    output wire [FLIT_BITS-1:0] index,  // the flit's place in its packet
    output wire                 routed,  // the routing fields are complete with this flit
    output reg  [63:0]          members
);
  reg [FLIT_BITS-1:0] next;
  reg [1:0] kept_kind;
  reg [PORTS-1:0] kept_targets;

  assign index = next;
  assign head = valid && next == 0;
  assign kind = next == 0 ? data[1:0] : kept_kind;
  assign targets = !valid ? {PORTS{1'b0}} : next == 0 ? data[2+:PORTS] : kept_targets;
  assign routed = valid && next == (kept_kind == 2'd0 ? 1 : 4);

  always @(posedge clock) begin
    if (reset) next <= {FLIT_BITS{1'b0}};
    else if (valid) next <= last ? {FLIT_BITS{1'b0}} : next + 1'b1;
    if (head) begin
      kept_kind <= data[1:0];
      kept_targets <= data[2+:PORTS];
    end
    if (valid && next == 1) members[23:0] <= data;
    if (valid && next == 2) members[47:24] <= data;
    if (valid && next == 3) members[63:48] <= data[15:0];
  end
endmodule
