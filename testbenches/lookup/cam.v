// SPDX-License-Identifier: Apache-2.0
// Content-addressable memory: all rows are compared in parallel; the lowest matching row is returned. The twin
// of lookup::CamState: what is taken in cycle t reads or writes what the rows hold then, and a search's answer is
// there in cycle t + ACCESS_CYCLES.
module cam #(
    parameter ENTRIES = 64,
    parameter INDEX_BITS = 6,
    parameter KEY_BITS = 64,
    parameter VALUE_BITS = 32,
    parameter TERNARY = 0,       // 1: bits of a row's mask that are 0 match anything
    parameter ACCESS_CYCLES = 25,
    parameter PIPELINED = 1      // 0: nothing is taken until the access before is over
) (
    input  wire                  clock,
    input  wire                  reset,
    input  wire                  request_valid,
    input  wire [1:0]            request_operation,  // 0 search, 1 insert, 2 erase, 3 nothing
    input  wire [INDEX_BITS-1:0] request_index,
    input  wire [KEY_BITS-1:0]   request_key,
    input  wire [KEY_BITS-1:0]   request_mask,
    input  wire [VALUE_BITS-1:0] request_value,
    output wire                  request_ready,
    output wire                  answer_valid,
    output wire                  answer_hit,
    output wire [INDEX_BITS-1:0] answer_index,
    output wire [VALUE_BITS-1:0] answer_value
);
  // Contradictions stop elaboration: there is no module of these names.
  generate
    if (ENTRIES < 1 || ENTRIES > (1 << INDEX_BITS)) begin : contradiction0
      ENTRIES_is_not_1_to_2_power_INDEX_BITS stop ();
    end
    if (ACCESS_CYCLES < 1 || ACCESS_CYCLES > 255) begin : contradiction1
      ACCESS_CYCLES_is_not_1_to_255 stop ();
    end
    if (KEY_BITS < 1 || VALUE_BITS < 1) begin : contradiction2
      KEY_BITS_or_VALUE_BITS_is_less_than_1 stop ();
    end
  endgenerate

  localparam [1:0] SEARCH = 2'd0, INSERT = 2'd1, ERASE = 2'd2;
  localparam ANSWER_BITS = 2 + INDEX_BITS + VALUE_BITS;

  reg [ENTRIES-1:0]    used;
  reg [KEY_BITS-1:0]   keys   [0:ENTRIES-1];
  reg [KEY_BITS-1:0]   masks  [0:ENTRIES-1];
  reg [VALUE_BITS-1:0] values [0:ENTRIES-1];

  // {valid, hit, index, value}; nothing but zeros where nothing was found.
  function [ANSWER_BITS-1:0] search(input [KEY_BITS-1:0] key);
    integer row;
    begin
      search = {1'b1, {ANSWER_BITS - 1{1'b0}}};
      for (row = ENTRIES - 1; row >= 0; row = row - 1)
        if (used[row] && ((keys[row] ^ key) & (TERNARY != 0 ? masks[row] : {KEY_BITS{1'b1}})) == {KEY_BITS{1'b0}})
          search = {2'b11, row[INDEX_BITS-1:0], values[row]};
    end
  endfunction

  reg [7:0] busy;  // cycles before the next request is taken
  assign request_ready = busy == 8'd0;
  wire take = request_valid && request_ready;

  always @(posedge clock)
    if (reset) begin
      used <= {ENTRIES{1'b0}};
      busy <= 8'd0;
    end else begin
      if (take && PIPELINED == 0) busy <= ACCESS_CYCLES[7:0] - 8'd1;
      else if (busy != 8'd0) busy <= busy - 8'd1;
      if (take && request_operation == INSERT) begin
        used[request_index] <= 1'b1;
        keys[request_index] <= request_key;
        masks[request_index] <= request_mask;
        values[request_index] <= request_value;
      end else if (take && request_operation == ERASE) used[request_index] <= 1'b0;
    end

  // Answers in flight, one cycle apart.
  reg [ANSWER_BITS-1:0] line[0:ACCESS_CYCLES-1];
  integer stage;
  always @(posedge clock) begin
    line[0] <= !reset && take && request_operation == SEARCH ? search(request_key) : {ANSWER_BITS{1'b0}};
    for (stage = 1; stage < ACCESS_CYCLES; stage = stage + 1)
      line[stage] <= reset ? {ANSWER_BITS{1'b0}} : line[stage-1];
  end
  assign {answer_valid, answer_hit, answer_index, answer_value} = line[ACCESS_CYCLES-1];
endmodule
