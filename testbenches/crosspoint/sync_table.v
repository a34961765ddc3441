// SPDX-License-Identifier: Apache-2.0
// Synchronization table of a crosspoint switch. It takes one packet at a time from the FIFOs, round robin, ACCESS_CYCLES each. An entry
// for each sid counts, in two bits an input, the packet of this round and an early one of the next. The packet that completes a round
// is kept, by sid and the round's parity, until the outputs have sent their copies.
module sync_table #(
    parameter PORTS = 4,
    parameter SLOTS = 2,
    parameter FLIT_BITS = 7,
    parameter ACCESS_CYCLES = 2,
    // Derived; do not set.
    parameter NUMBER_BITS = PORTS > 8 ? 4 : PORTS > 4 ? 3 : PORTS > 2 ? 2 : 1,
    parameter SLOT_BITS = SLOTS > 2 ? 2 : 1
) (
    input  wire                         clock,
    input  wire                         reset,
    input  wire [PORTS*64-1:0]          from,  // nodes whose packets may come in by each input
    input  wire [PORTS*64-1:0]          to,  // nodes that each output leads to
    // Header flits of synchronizations that arrive.
    input  wire [PORTS-1:0]             header,
    input  wire [PORTS*PORTS-1:0]       header_fifo,
    input  wire [PORTS*FLIT_BITS-1:0]   header_index,
    input  wire [PORTS*24-1:0]          header_data,
    input  wire [PORTS-1:0]             header_last,
    input  wire [PORTS*PORTS*SLOT_BITS-1:0] write_slots,
    // Packets at the fronts of FIFOs: bit input * PORTS + output.
    input  wire [PORTS*PORTS-1:0]       asks,
    input  wire [PORTS*PORTS*SLOT_BITS-1:0] read_slots,
    output reg  [PORTS*PORTS-1:0]       absorb,
    // A round is complete.
    output reg  [PORTS-1:0]             complete,
    output reg  [6:0]                   sid,
    output reg                          parity,
    output wire [63:0]                  members,
    // Copies that outputs send.
    input  wire [PORTS-1:0]             take,
    input  wire [PORTS*7-1:0]           take_sid,
    input  wire [PORTS-1:0]             take_parity,
    input  wire [PORTS-1:0]             next_word,
    output wire [PORTS*24-1:0]          word,
    output reg  [PORTS-1:0]             word_last,
    // A packet has been absorbed.
    output reg                          done,
    output reg  [NUMBER_BITS-1:0]         done_input,
    output reg  [NUMBER_BITS-1:0]         done_output,
    output reg                          done_complete,
    output reg  [PORTS-1:0]             done_arrived,
    output reg  [PORTS-1:0]             done_early
);
  localparam FIFOS = PORTS * PORTS;
  localparam ENTRY_BITS = 2 * PORTS + 1;
  localparam ROW_BITS = 2 * NUMBER_BITS + SLOT_BITS;
  localparam [NUMBER_BITS-1:0] LAST = PORTS[NUMBER_BITS-1:0] - 1'b1;
  integer i, x;

  // Headers of the packets in the FIFOs, by input, output and slot: flits 1 to 9, and the index of the last flit.
  reg [9*24-1:0] headers[0:(1<<ROW_BITS)-1];
  reg [FLIT_BITS-1:0] lasts[0:(1<<ROW_BITS)-1];
  reg [128*ENTRY_BITS-1:0] entries;
  reg [9*24+FLIT_BITS-1:0] kept[0:255];

  // The next FIFO in turn.
  reg busy, found, commit;
  reg [NUMBER_BITS-1:0] turn_input, turn_output, pick_input, pick_output, at_input, at_output, of_input, of_output;
  reg [2*NUMBER_BITS-1:0] pick;
  reg [7:0] left;
  always @* begin
    found = 1'b0;
    pick = {2*NUMBER_BITS{1'b0}};
    if (!busy && asks != 0) begin
      found = 1'b1;
      for (i = FIFOS - 1; i >= 0; i = i - 1)
        if (asks[i]) pick = numbers_of(i);
      for (i = FIFOS - 1; i >= 0; i = i - 1)
        if (asks[i] && numbers_of(i) >= {turn_input, turn_output}) pick = numbers_of(i);
    end
    {pick_input, pick_output} = pick;
  end

  // Input and output of FIFO input * PORTS + output.
  function [2*NUMBER_BITS-1:0] numbers_of(input integer number);
    // The bits beyond NUMBER_BITS are 0.
    /* verilator lint_off UNUSEDSIGNAL */
    integer in, out;
    /* verilator lint_on UNUSEDSIGNAL */
    begin
      in = number / PORTS;
      out = number % PORTS;
      numbers_of = {in[NUMBER_BITS-1:0], out[NUMBER_BITS-1:0]};
    end
  endfunction

  // The end of an access.
  reg [9*24-1:0] row;
  reg [FLIT_BITS-1:0] row_last;
  reg [SLOT_BITS-1:0] slot;
  reg [PORTS-1:0] arrived, early, expected, served;
  reg is_complete;
  assign members = row[63:0];
  always @* begin
    commit = ACCESS_CYCLES == 1 ? found : busy && left == 8'd0;
    of_input = ACCESS_CYCLES == 1 ? pick_input : at_input;
    of_output = ACCESS_CYCLES == 1 ? pick_output : at_output;
    absorb = {FIFOS{1'b0}};
    complete = {PORTS{1'b0}};
    is_complete = 1'b0;
    sid = 7'd0;
    parity = 1'b0;
    slot = {SLOT_BITS{1'b0}};
    row = {(9 * 24) {1'b0}};
    row_last = {FLIT_BITS{1'b0}};
    arrived = {PORTS{1'b0}};
    early = {PORTS{1'b0}};
    expected = {PORTS{1'b0}};
    served = {PORTS{1'b0}};
    if (commit) begin
      for (x = 0; x < FIFOS; x = x + 1)
        if (numbers_of(x) == {of_input, of_output}) begin
          absorb[x] = 1'b1;
          slot = read_slots[x*SLOT_BITS+:SLOT_BITS];
        end
      row = headers[{of_input, of_output, slot}];
      row_last = lasts[{of_input, of_output, slot}];
      sid = row[72+:7];
      {parity, early, arrived} = entries[sid*ENTRY_BITS+:ENTRY_BITS];
      for (x = 0; x < PORTS; x = x + 1) begin
        expected[x] = (from[x*64+:64] & row[63:0]) != 64'd0;
        served[x] = (to[x*64+:64] & row[63:0]) != 64'd0;
        if (of_input == x[NUMBER_BITS-1:0]) begin
          early[x] = early[x] || arrived[x];
          arrived[x] = 1'b1;
        end
      end
      is_complete = (expected & ~arrived) == 0;
      if (is_complete) begin
        arrived = early;
        early = {PORTS{1'b0}};
        complete = served;
      end
    end
  end

  always @(posedge clock) begin
    if (reset) begin
      busy <= 1'b0;
      left <= 8'd0;
      turn_input <= {NUMBER_BITS{1'b0}};
      turn_output <= {NUMBER_BITS{1'b0}};
      at_input <= {NUMBER_BITS{1'b0}};
      at_output <= {NUMBER_BITS{1'b0}};
      entries <= {(128 * ENTRY_BITS) {1'b0}};
      done <= 1'b0;
      done_input <= {NUMBER_BITS{1'b0}};
      done_output <= {NUMBER_BITS{1'b0}};
      done_complete <= 1'b0;
      done_arrived <= {PORTS{1'b0}};
      done_early <= {PORTS{1'b0}};
    end else begin
      if (found) begin
        busy <= ACCESS_CYCLES > 1;
        left <= ACCESS_CYCLES[7:0] - 8'd2;
        at_input <= pick_input;
        at_output <= pick_output;
        turn_output <= pick_output == LAST ? {NUMBER_BITS{1'b0}} : pick_output + 1'b1;
        if (pick_output != LAST) turn_input <= pick_input;
        else turn_input <= pick_input == LAST ? {NUMBER_BITS{1'b0}} : pick_input + 1'b1;
      end else if (busy) begin
        busy <= left != 8'd0;
        left <= left - 8'd1;
      end
      if (commit) begin
        entries[sid*ENTRY_BITS+:ENTRY_BITS] <= {parity ^ is_complete, early, arrived};
        if (is_complete) kept[{sid, parity}] <= {row_last, row};
      end
      done <= commit;
      done_input <= commit ? of_input : {NUMBER_BITS{1'b0}};
      done_output <= commit ? of_output : {NUMBER_BITS{1'b0}};
      done_complete <= is_complete;
      done_arrived <= arrived;
      done_early <= early;
    end
  end

  // A header flit is written where its packet lies.
  genvar w;
  generate
    for (w = 0; w < PORTS; w = w + 1) begin : each_input
      localparam [NUMBER_BITS-1:0] INPUT = w[NUMBER_BITS-1:0];
      wire [FLIT_BITS-1:0] index = header_index[w*FLIT_BITS+:FLIT_BITS];
      integer o, h;
      reg [NUMBER_BITS-1:0] output_;
      reg [SLOT_BITS-1:0] to_slot;
      always @* begin
        output_ = {NUMBER_BITS{1'b0}};
        to_slot = {SLOT_BITS{1'b0}};
        for (o = 0; o < PORTS; o = o + 1)
          if (header_fifo[w*PORTS+o]) begin
            output_ = o[NUMBER_BITS-1:0];
            to_slot = write_slots[(w*PORTS+o)*SLOT_BITS+:SLOT_BITS];
          end
      end
      always @(posedge clock)
        if (header[w]) begin
          for (h = 0; h < 9; h = h + 1)
            if (index == h[FLIT_BITS-1:0] + 1'b1) headers[{INPUT, output_, to_slot}][h*24+:24] <= header_data[w*24+:24];
          if (header_last[w]) lasts[{INPUT, output_, to_slot}] <= index;
        end
    end
  endgenerate

  // The copy that each output sends, the next flit at the low end.
  genvar p;
  generate
    for (p = 0; p < PORTS; p = p + 1) begin : copy
      reg [9*24-1:0] words;
      reg [FLIT_BITS-1:0] flits_left;
      assign word[p*24+:24] = words[23:0];
      always @* word_last[p] = flits_left == 1;
      always @(posedge clock) begin
        if (take[p]) {flits_left, words} <= kept[{take_sid[p*7+:7], take_parity[p]}];
        else if (next_word[p]) begin
          words <= words >> 24;
          flits_left <= flits_left - 1'b1;
        end
      end
    end
  endgenerate
endmodule
