// SPDX-License-Identifier: Apache-2.0
// Choice of a head among its candidates: those of the first rank in which one has a free virtual channel; of these, the most
// credits on free virtual channels; of equally many, the first one in turn. The turn is the number of heads of the router that
// have got a virtual channel, modulo the number of candidates of the rank.
module output_choice #(
    parameter PORTS = 5,
    parameter VCS = 4,
    parameter BUFFER_FLITS = 8,
    parameter CANDIDATES = 2,
    // Derived; do not set.
    parameter PORT_BITS = PORTS > 1 ? $clog2(PORTS) : 1,
    parameter COUNT_BITS = BUFFER_FLITS > 0 ? $clog2(BUFFER_FLITS + 1) : 1,
    parameter TURN_BITS = $clog2(CANDIDATES)
) (
    input  wire [CANDIDATES*PORT_BITS-1:0] ports,
    input  wire [CANDIDATES*VCS-1:0] vcs,     // none: there is no such candidate
    input  wire [CANDIDATES-1:0] lesser,      // ranks below the candidate before it
    input  wire [PORTS*VCS-1:0] free,
    input  wire [PORTS*VCS*COUNT_BITS-1:0] credits,
    input  wire [CANDIDATES*TURN_BITS-1:0] turns,  // [n - 1]: modulo n
    output reg  [PORT_BITS-1:0] port,
    output reg  [VCS-1:0] wish                // free virtual channels of the choice; none: there is none
);
  localparam SUM_BITS = COUNT_BITS + $clog2(VCS + 1);
  localparam PLACE_BITS = TURN_BITS + 1;

  // Each candidate by itself.
  reg [CANDIDATES*VCS-1:0] usable;
  reg [CANDIDATES*SUM_BITS-1:0] sums;
  integer c, v;
  always @* begin
    for (c = 0; c < CANDIDATES; c = c + 1) begin
      usable[c*VCS+:VCS] = vcs[c*VCS+:VCS] & free[ports[c*PORT_BITS+:PORT_BITS]*VCS+:VCS];
      sums[c*SUM_BITS+:SUM_BITS] = {SUM_BITS{1'b0}};
      for (v = 0; v < VCS; v = v + 1)
        if (usable[c*VCS+v])
          sums[c*SUM_BITS+:SUM_BITS] = sums[c*SUM_BITS+:SUM_BITS] +
              {{SUM_BITS-COUNT_BITS{1'b0}}, credits[(ports[c*PORT_BITS+:PORT_BITS]*VCS+v)*COUNT_BITS+:COUNT_BITS]};
    end
  end

  // Ranks, one after the other until one has a free virtual channel.
  reg [CANDIDATES*TURN_BITS-1:0] ranks;
  reg [TURN_BITS-1:0] rank;
  reg [PLACE_BITS-1:0] equals, place, turn, distance, best_distance;
  reg [SUM_BITS-1:0] best_sum;
  reg found;
  integer k, r;
  always @* begin
    rank = {TURN_BITS{1'b0}};
    for (k = 0; k < CANDIDATES; k = k + 1) begin
      if (k != 0 && lesser[k]) rank = rank + 1'b1;
      ranks[k*TURN_BITS+:TURN_BITS] = rank;
    end
    port = {PORT_BITS{1'b0}};
    wish = {VCS{1'b0}};
    best_sum = {SUM_BITS{1'b0}};
    best_distance = {PLACE_BITS{1'b0}};
    distance = {PLACE_BITS{1'b0}};
    turn = {PLACE_BITS{1'b0}};
    place = {PLACE_BITS{1'b0}};
    equals = {PLACE_BITS{1'b0}};
    found = 1'b0;
    for (r = 0; r < CANDIDATES; r = r + 1)
      if (!found) begin
        equals = {PLACE_BITS{1'b0}};
        for (k = 0; k < CANDIDATES; k = k + 1)
          if (ranks[k*TURN_BITS+:TURN_BITS] == r[TURN_BITS-1:0] && vcs[k*VCS+:VCS] != {VCS{1'b0}}) equals = equals + 1'b1;
        turn = {PLACE_BITS{1'b0}};
        for (k = 1; k < CANDIDATES; k = k + 1)
          if (equals == k[PLACE_BITS-1:0] + 1'b1) turn = {1'b0, turns[k*TURN_BITS+:TURN_BITS]};
        place = {PLACE_BITS{1'b0}};
        for (k = 0; k < CANDIDATES; k = k + 1)
          if (ranks[k*TURN_BITS+:TURN_BITS] == r[TURN_BITS-1:0] && vcs[k*VCS+:VCS] != {VCS{1'b0}}) begin
            distance = place >= turn ? place - turn : place + equals - turn;
            place = place + 1'b1;
            if (usable[k*VCS+:VCS] != {VCS{1'b0}} && (!found || sums[k*SUM_BITS+:SUM_BITS] > best_sum ||
                (sums[k*SUM_BITS+:SUM_BITS] == best_sum && distance < best_distance))) begin
              found = 1'b1;
              best_sum = sums[k*SUM_BITS+:SUM_BITS];
              best_distance = distance;
              port = ports[k*PORT_BITS+:PORT_BITS];
              wish = usable[k*VCS+:VCS];
            end
          end
      end
  end
endmodule
