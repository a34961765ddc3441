// SPDX-License-Identifier: Apache-2.0
// Search of a compact routing table: the row nearest to a destination by coordinates, of several at one distance the
// lowest. The twin of lookup::CompactSearchState.
//
//   cycle t      a search is taken; rows 0 to PER_CYCLE-1 are compared
//         t + 1  the next PER_CYCLE rows, and so on, up to the last row in use
//         t + c  after c cycles of comparing: the nearest of the comparators' rows is chosen
//         t + c + 1  the answer; the next request is taken
//
// Comparator i keeps the nearest of rows i, PER_CYCLE + i, 2 PER_CYCLE + i, ... A change of the table has its
// cycle to itself: no search is in progress then.
module compact_search #(
    parameter ENTRIES = 25,
    parameter ROW_BITS = 5,
    parameter PER_CYCLE = 4,
    parameter COORDINATE_BITS = 8,
    parameter PORT_BITS = 8,
    parameter DISTANCE = 0,    // 0 square of the Euclidean one, 1 Manhattan
    parameter DISTANCE_BITS = (DISTANCE == 0 ? 2 * COORDINATE_BITS : COORDINATE_BITS) + 1,
    parameter ENDS_EARLY = 0   // 1: a row at the destination ends the comparing after its cycle
) (
    input  wire                       clock,
    input  wire                       reset,
    input  wire                       request_valid,
    input  wire [1:0]                 request_operation,  // 0 search, 1 insert, 2 erase, 3 nothing
    input  wire [ROW_BITS-1:0]        request_row,
    input  wire [COORDINATE_BITS-1:0] request_x,          // destination's, or the row's that is inserted
    input  wire [COORDINATE_BITS-1:0] request_y,
    input  wire [PORT_BITS-1:0]       request_port,
    output wire                       request_ready,
    output reg                        answer_valid,
    output reg                        answer_hit,         // there was a row
    output reg  [ROW_BITS-1:0]        answer_row,
    output reg  [PORT_BITS-1:0]       answer_port,
    output reg  [ROW_BITS-1:0]        comparing_row,      // first row compared in this cycle
    output reg                        choosing,
    output reg  [PER_CYCLE-1:0]       nearest_valid,      // by comparator: the nearest row before this cycle
    output reg  [PER_CYCLE*ROW_BITS-1:0]      nearest_row,
    output reg  [PER_CYCLE*DISTANCE_BITS-1:0] nearest_distance
);
  // Contradictions stop elaboration: there is no module of these names.
  generate
    if (ENTRIES < 1 || ENTRIES > (1 << ROW_BITS)) begin : contradiction0
      ENTRIES_is_not_1_to_2_power_ROW_BITS stop ();
    end
    if (PER_CYCLE < 1 || PER_CYCLE > ENTRIES) begin : contradiction1
      PER_CYCLE_is_not_1_to_ENTRIES stop ();
    end
    if (COORDINATE_BITS < 1 || COORDINATE_BITS > 16 || PORT_BITS < 1 || PORT_BITS > 16) begin : contradiction2
      COORDINATE_BITS_or_PORT_BITS_is_not_1_to_16 stop ();
    end
    if (DISTANCE < 0 || DISTANCE > 1) begin : contradiction3
      DISTANCE_is_not_0_or_1 stop ();
    end
    if (DISTANCE_BITS != (DISTANCE == 0 ? 2 * COORDINATE_BITS : COORDINATE_BITS) + 1) begin : contradiction4
      DISTANCE_BITS_is_not_the_width_of_the_farthest stop ();
    end
  endgenerate

  localparam [1:0] SEARCH = 2'd0, INSERT = 2'd1, ERASE = 2'd2;

  reg [ENTRIES-1:0]         used;
  reg [COORDINATE_BITS-1:0] xs   [0:ENTRIES-1];
  reg [COORDINATE_BITS-1:0] ys   [0:ENTRIES-1];
  reg [PORT_BITS-1:0]       ports[0:ENTRIES-1];

  reg comparing;  // a search that was taken in an earlier cycle
  assign request_ready = !comparing && !choosing;
  wire take = request_valid && request_ready;
  wire search = take && request_operation == SEARCH;
  always @(posedge clock)
    if (reset) used <= {ENTRIES{1'b0}};
    else if (take && request_operation == INSERT) begin
      used[request_row] <= 1'b1;
      xs[request_row] <= request_x;
      ys[request_row] <= request_y;
      ports[request_row] <= request_port;
    end else if (take && request_operation == ERASE) used[request_row] <= 1'b0;

  reg [COORDINATE_BITS-1:0] held_x, held_y;
  always @(posedge clock)
    if (search) begin
      held_x <= request_x;
      held_y <= request_y;
    end
  wire [COORDINATE_BITS-1:0] to_x = comparing ? held_x : request_x;
  wire [COORDINATE_BITS-1:0] to_y = comparing ? held_y : request_y;

  function [DISTANCE_BITS-1:0] apart(input [COORDINATE_BITS-1:0] a, input [COORDINATE_BITS-1:0] b);
    apart = {{DISTANCE_BITS - COORDINATE_BITS{1'b0}}, a < b ? b - a : a - b};
  endfunction
  function [DISTANCE_BITS-1:0] distance(input [DISTANCE_BITS-1:0] dx, input [DISTANCE_BITS-1:0] dy);
    distance = DISTANCE == 0 ? dx * dx + dy * dy : dx + dy;
  endfunction

  // Comparators: their nearest rows after this cycle. In a search's first cycle they have none before.
  reg [PER_CYCLE*PORT_BITS-1:0]     nearest_port;
  reg [PER_CYCLE-1:0]               valid_next;
  reg [PER_CYCLE*ROW_BITS-1:0]      row_next;
  reg [PER_CYCLE*DISTANCE_BITS-1:0] distance_next;
  reg [PER_CYCLE*PORT_BITS-1:0]     port_next;
  reg                               exact;
  reg [ROW_BITS:0]                  row;
  reg [DISTANCE_BITS-1:0]           away;
  integer c;
  always @* begin
    valid_next = comparing ? nearest_valid : {PER_CYCLE{1'b0}};
    row_next = comparing ? nearest_row : {PER_CYCLE * ROW_BITS{1'b0}};
    distance_next = comparing ? nearest_distance : {PER_CYCLE * DISTANCE_BITS{1'b0}};
    port_next = comparing ? nearest_port : {PER_CYCLE * PORT_BITS{1'b0}};
    exact = 1'b0;
    row = {1'b0, comparing_row};
    away = {DISTANCE_BITS{1'b0}};
    for (c = 0; c < PER_CYCLE; c = c + 1) begin
      if (row < ENTRIES[ROW_BITS:0] && used[row[ROW_BITS-1:0]]) begin
        away = distance(apart(xs[row[ROW_BITS-1:0]], to_x), apart(ys[row[ROW_BITS-1:0]], to_y));
        if (away == {DISTANCE_BITS{1'b0}}) exact = 1'b1;
        if (!valid_next[c] || away < distance_next[c*DISTANCE_BITS+:DISTANCE_BITS]) begin
          valid_next[c] = 1'b1;
          row_next[c*ROW_BITS+:ROW_BITS] = row[ROW_BITS-1:0];
          distance_next[c*DISTANCE_BITS+:DISTANCE_BITS] = away;
          port_next[c*PORT_BITS+:PORT_BITS] = ports[row[ROW_BITS-1:0]];
        end
      end
      row = row + 1'b1;
    end
  end
  // No row in use comes after those that are compared.
  wire last = used >> row == {ENTRIES{1'b0}} || (ENDS_EARLY != 0 && exact);

  always @(posedge clock)
    if (reset) begin
      comparing <= 1'b0;
      choosing <= 1'b0;
      comparing_row <= {ROW_BITS{1'b0}};
      nearest_valid <= {PER_CYCLE{1'b0}};
      nearest_row <= {PER_CYCLE * ROW_BITS{1'b0}};
      nearest_distance <= {PER_CYCLE * DISTANCE_BITS{1'b0}};
      nearest_port <= {PER_CYCLE * PORT_BITS{1'b0}};
    end else begin
      choosing <= 1'b0;
      if (search || comparing) begin
        nearest_valid <= valid_next;
        nearest_row <= row_next;
        nearest_distance <= distance_next;
        nearest_port <= port_next;
        if (used != {ENTRIES{1'b0}}) begin
          comparing <= !last;
          choosing <= last;
          comparing_row <= last ? {ROW_BITS{1'b0}} : row[ROW_BITS-1:0];
        end
      end
    end

  // Choice among the comparators.
  reg                     chosen_valid;
  reg [ROW_BITS-1:0]      chosen_row;
  reg [DISTANCE_BITS-1:0] chosen_distance;
  reg [PORT_BITS-1:0]     chosen_port;
  integer n;
  always @* begin
    chosen_valid = 1'b0;
    chosen_row = {ROW_BITS{1'b0}};
    chosen_distance = {DISTANCE_BITS{1'b0}};
    chosen_port = {PORT_BITS{1'b0}};
    for (n = 0; n < PER_CYCLE; n = n + 1)
      if (nearest_valid[n] &&
          (!chosen_valid || nearest_distance[n*DISTANCE_BITS+:DISTANCE_BITS] < chosen_distance ||
           (nearest_distance[n*DISTANCE_BITS+:DISTANCE_BITS] == chosen_distance &&
            nearest_row[n*ROW_BITS+:ROW_BITS] < chosen_row))) begin
        chosen_valid = 1'b1;
        chosen_row = nearest_row[n*ROW_BITS+:ROW_BITS];
        chosen_distance = nearest_distance[n*DISTANCE_BITS+:DISTANCE_BITS];
        chosen_port = nearest_port[n*PORT_BITS+:PORT_BITS];
      end
  end
  wire answers = choosing && !reset;
  always @(posedge clock) begin
    answer_valid <= answers || (search && !reset && used == {ENTRIES{1'b0}});
    answer_hit <= answers;
    answer_row <= answers ? chosen_row : {ROW_BITS{1'b0}};
    answer_port <= answers ? chosen_port : {PORT_BITS{1'b0}};
  end
endmodule
