// SPDX-License-Identifier: Apache-2.0
// Arbiter of an output: round robin among the requesters whose target FIFOs have room, the FIFO heads 0 .. PORTS - 1 and the owed
// synchronizations, PORTS. The targets of a multicast that was passed over RESERVE_AFTER times are kept free for it.
module output_arbiter #(
    parameter PORTS = 4,
    parameter PORT_BITS = 3,
    parameter RESERVE_AFTER = 4
) (
    input  wire                       clock,
    input  wire                       reset,
    input  wire                       enable,
    input  wire [PORTS-1:0]           room,
    input  wire [PORTS:0]             asks,
    input  wire [PORTS-1:0]           multicast,
    input  wire [PORTS*PORTS-1:0] ports,
    input  wire [PORTS-1:0]       owed_ports,
    output reg  [PORTS-1:0]           unreserved,  // room that requesters without the reservation may use
    output reg                        found,
    output reg  [PORT_BITS-1:0]       chosen
);
  integer u, r, i;
  reg [PORT_BITS-1:0] turn, reserved_for, after, candidate;
  reg reserved, keeps, takes;
  reg [PORTS*8-1:0] passed_over, counts;
  reg [PORTS:0] ready, from_turn;
  reg [PORTS-1:0] waited;

  always @* begin
    unreserved = room;
    for (u = 0; u < PORTS; u = u + 1)
      if (reserved && reserved_for == u[PORT_BITS-1:0]) unreserved = room & ~ports[u*PORTS+:PORTS];
  end

  always @* begin
    found = 1'b0;
    chosen = {PORT_BITS{1'b0}};
    ready = {(PORTS + 1) {1'b0}};
    from_turn = {(PORTS + 1) {1'b0}};
    if (enable) begin
      for (r = 0; r < PORTS; r = r + 1)
        ready[r] = asks[r] && (ports[r*PORTS+:PORTS] & ~(reserved && reserved_for == r[PORT_BITS-1:0] ? room : unreserved)) == 0;
      ready[PORTS] = asks[PORTS] && (owed_ports & ~unreserved) == 0;
      for (r = 0; r <= PORTS; r = r + 1) from_turn[r] = ready[r] && r[PORT_BITS-1:0] >= turn;
      found = ready != 0;
      if (from_turn == 0) from_turn = ready;
      for (r = PORTS; r >= 0; r = r - 1) if (from_turn[r]) chosen = r[PORT_BITS-1:0];
    end
  end

  // The turn and the reservation after a grant: multicasts that were passed over are counted, and the first one from the new turn on
  // that has waited long enough gets the reservation, if nobody else has it.
  always @* begin
    after = {PORT_BITS{1'b0}};
    keeps = reserved;
    takes = 1'b0;
    candidate = reserved_for;
    counts = passed_over;
    waited = {PORTS{1'b0}};
    if (found) begin
      if (chosen != PORTS[PORT_BITS-1:0]) after = chosen + 1'b1;
      keeps = reserved && reserved_for != chosen;
      for (i = 0; i < PORTS; i = i + 1)
        if (chosen == i[PORT_BITS-1:0]) counts[i*8+:8] = 8'd0;
        else if (asks[i] && multicast[i]) begin
          if (counts[i*8+:8] != RESERVE_AFTER[7:0]) counts[i*8+:8] = counts[i*8+:8] + 8'd1;
          waited[i] = counts[i*8+:8] == RESERVE_AFTER[7:0];
        end
      takes = waited != 0;
      for (i = PORTS - 1; i >= 0; i = i - 1) if (waited[i] && i[PORT_BITS-1:0] < after) candidate = i[PORT_BITS-1:0];
      for (i = PORTS - 1; i >= 0; i = i - 1) if (waited[i] && i[PORT_BITS-1:0] >= after) candidate = i[PORT_BITS-1:0];
    end
  end

  always @(posedge clock) begin
    if (reset) begin
      turn <= {PORT_BITS{1'b0}};
      reserved <= 1'b0;
      reserved_for <= {PORT_BITS{1'b0}};
      passed_over <= {PORTS{8'd0}};
    end else if (found) begin
      turn <= after;
      passed_over <= counts;
      reserved <= keeps || takes;
      if (!keeps) reserved_for <= candidate;
    end
  end
endmodule
