// SPDX-License-Identifier: Apache-2.0
// A set-associative cache of routes, the twin of lookup::RoutingTableCache. In one cycle first the fill, then the
// look-up, then the flush: a look-up finds what is filled in its own cycle, and a flush leaves nothing. Answers
// come a cycle later.
module routing_table_cache #(
    parameter SET_BITS = 4,
    parameter WAYS = 4,
    parameter WAY_BITS = 2,
    parameter POLICY = 0  // 0 LRU, 1 FIFO, 2 pseudo-LRU by a tree of bits (WAYS a power of two)
) (
    input  wire                clock,
    input  wire                reset,
    input  wire                lookup_valid,
    input  wire [63:0]         lookup_key,
    input  wire [SET_BITS-1:0] lookup_set,
    input  wire                fill_valid,
    input  wire [63:0]         fill_key,
    input  wire [SET_BITS-1:0] fill_set,
    input  wire [31:0]         fill_entry,
    input  wire                flush,
    output reg                 answer_valid,
    output reg                 answer_hit,
    output reg  [31:0]         answer_entry,
    output reg                 fill_replaced,  // another key had to leave
    output wire [15:0]         entries_held
);
  // Contradictions stop elaboration: there is no module of these names.
  generate
    if (WAYS < 1 || WAYS > (1 << WAY_BITS)) begin : contradiction0
      WAYS_is_not_1_to_2_power_WAY_BITS stop ();
    end
    if (POLICY < 0 || POLICY > 2) begin : contradiction1
      POLICY_is_not_0_to_2 stop ();
    end
    if (POLICY == 2 && WAYS != (1 << WAY_BITS)) begin : contradiction2
      pseudo_LRU_needs_WAYS_2_power_WAY_BITS stop ();
    end
    if (SET_BITS < 1 || WAY_BITS < 1 || SET_BITS + WAY_BITS > 14) begin : contradiction3
      SET_BITS_and_WAY_BITS_are_not_1_and_more_and_14_together stop ();
    end
  endgenerate

  localparam SETS = 1 << SET_BITS;
  localparam LRU = 0, FIFO = 1;
  // A set's order: for each way how many were used (or filled) after it; or the tree, node i with children 2i and 2i + 1,
  // each bit pointing away from the half that was used last.
  localparam ORDER_BITS = WAYS * WAY_BITS;

  reg [SETS*WAYS-1:0]  used;
  reg [63:0]           tags   [0:SETS*WAYS-1];
  reg [31:0]           entries[0:SETS*WAYS-1];
  reg [ORDER_BITS-1:0] orders [0:SETS-1];

  function [ORDER_BITS-1:0] first_order(input reg unused_input);
    integer way;
    begin
      first_order = {ORDER_BITS{1'b0}};
      if (POLICY == LRU || POLICY == FIFO)
        for (way = 0; way < WAYS; way = way + 1) first_order[way*WAY_BITS+:WAY_BITS] = way[WAY_BITS-1:0];
    end
  endfunction

  // The order once `recent` has been used.
  function [ORDER_BITS-1:0] touched(input [ORDER_BITS-1:0] order, input [WAY_BITS-1:0] recent);
    integer way, level, node;
    begin
      touched = order;
      if (POLICY == LRU || POLICY == FIFO) begin
        for (way = 0; way < WAYS; way = way + 1)
          if (order[way*WAY_BITS+:WAY_BITS] < order[recent*WAY_BITS+:WAY_BITS])
            touched[way*WAY_BITS+:WAY_BITS] = order[way*WAY_BITS+:WAY_BITS] + 1'b1;
        touched[recent*WAY_BITS+:WAY_BITS] = {WAY_BITS{1'b0}};
      end else begin
        node = 1;
        for (level = WAY_BITS - 1; level >= 0; level = level - 1) begin
          touched[node] = !recent[level];
          node = 2 * node + (recent[level] ? 1 : 0);
        end
      end
    end
  endfunction

  function [WAY_BITS-1:0] victim(input [ORDER_BITS-1:0] order);
    integer way, level, node;
    begin
      victim = {WAY_BITS{1'b0}};
      if (POLICY == LRU || POLICY == FIFO) begin
        for (way = 0; way < WAYS; way = way + 1)
          if ({{32 - WAY_BITS{1'b0}}, order[way*WAY_BITS+:WAY_BITS]} == WAYS - 1) victim = way[WAY_BITS-1:0];
      end else begin
        node = 1;
        for (level = WAY_BITS - 1; level >= 0; level = level - 1) begin
          victim[level] = order[node];
          node = 2 * node + (order[node] ? 1 : 0);
        end
      end
    end
  endfunction

  // The fill: in its key's way, else in the first empty one, else in the victim's.
  wire [WAYS-1:0] fill_used = used[fill_set*WAYS+:WAYS];
  wire [ORDER_BITS-1:0] fill_order = |fill_used ? orders[fill_set] : first_order(1'b0);
  reg fill_there, fill_empty;
  reg [WAY_BITS-1:0] fill_way;
  integer f;
  always @* begin
    fill_there = 1'b0;
    fill_empty = 1'b0;
    fill_way = victim(fill_order);
    for (f = WAYS - 1; f >= 0; f = f - 1)
      if (!fill_used[f]) begin
        fill_empty = 1'b1;
        fill_way = f[WAY_BITS-1:0];
      end
    for (f = 0; f < WAYS; f = f + 1)
      if (fill_used[f] && tags[fill_set*WAYS+f] == fill_key) begin
        fill_there = 1'b1;
        fill_way = f[WAY_BITS-1:0];
      end
  end
  wire [ORDER_BITS-1:0] filled_order = fill_there ? fill_order : touched(fill_order, fill_way);

  // The look-up, in the set as the fill leaves it.
  wire same_set = fill_valid && fill_set == lookup_set;
  wire [WAYS-1:0] lookup_used = used[lookup_set*WAYS+:WAYS];
  wire [ORDER_BITS-1:0] lookup_order = same_set ? filled_order : orders[lookup_set];
  reg lookup_hit;
  reg [WAY_BITS-1:0] lookup_way;
  reg [31:0] lookup_entry;
  integer l;
  always @* begin
    lookup_hit = 1'b0;
    lookup_way = {WAY_BITS{1'b0}};
    lookup_entry = 32'd0;
    for (l = 0; l < WAYS; l = l + 1)
      if (same_set && fill_way == l[WAY_BITS-1:0]) begin
        if (lookup_key == fill_key) begin
          lookup_hit = 1'b1;
          lookup_way = l[WAY_BITS-1:0];
          lookup_entry = fill_entry;
        end
      end else if (lookup_used[l] && tags[lookup_set*WAYS+l] == lookup_key) begin
        lookup_hit = 1'b1;
        lookup_way = l[WAY_BITS-1:0];
        lookup_entry = entries[lookup_set*WAYS+l];
      end
  end

  // Not in the process of the clock: Verilator 5.032 takes a function's own variables there for registers.
  wire [ORDER_BITS-1:0] looked_order = touched(lookup_order, lookup_way);

  wire [31:0] fill_way_number = {{32 - WAY_BITS{1'b0}}, fill_way};
  localparam HELD_BITS = SET_BITS + WAY_BITS + 1;
  reg [HELD_BITS-1:0] held;
  assign entries_held = {{16 - HELD_BITS{1'b0}}, held};
  wire adds = fill_valid && !fill_there && fill_empty;
  always @(posedge clock) begin
    answer_valid <= !reset && lookup_valid;
    answer_hit <= !reset && lookup_valid && lookup_hit;
    answer_entry <= !reset && lookup_valid ? lookup_entry : 32'd0;
    fill_replaced <= !reset && fill_valid && !fill_there && !fill_empty;
    if (fill_valid) begin
      tags[fill_set*WAYS+fill_way_number] <= fill_key;
      entries[fill_set*WAYS+fill_way_number] <= fill_entry;
      used[fill_set*WAYS+fill_way_number] <= 1'b1;
      orders[fill_set] <= filled_order;
    end
    if (lookup_valid && lookup_hit && POLICY != FIFO) orders[lookup_set] <= looked_order;
    held <= held + {{HELD_BITS - 1{1'b0}}, adds};
    if (flush || reset) begin
      used <= {SETS * WAYS{1'b0}};
      held <= {HELD_BITS{1'b0}};
    end
  end
endmodule
