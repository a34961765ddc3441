// SPDX-License-Identifier: Apache-2.0
// Routing table with two read ports for the input virtual channels of a router: four network ports of VCS channels,
// then the processor interface with NODE_VCS. The lower half of each port's channels has read port 0, the others port 1.
// In one cycle, cancellations come first, then grants, then requests, then a table write.
module table_port #(
    parameter NETWORK_PORTS = 4,
    parameter VCS = 4,
    parameter NODE_VCS = 2,
    parameter LINE_BITS = 5,
    parameter ADDRESS_BITS = 4,
    parameter WORD_BITS = 8,
    parameter DECODE_CYCLES = 1,  // from a head's arrival to its request
    parameter TABLE_CYCLES = 5,  // grant to answer
    parameter CLEARS = 1,  // a reset clears the table; else it is written in resets, too
    parameter PIPELINED = 1,  // a port reads in every cycle; else it is busy for TABLE_CYCLES
    // Derived; do not set.
    parameter LINES = NETWORK_PORTS * VCS + NODE_VCS
) (
    input  wire                          clock,
    input  wire                          reset,
    input  wire                          write_valid,
    input  wire [ADDRESS_BITS-1:0]       write_address,
    input  wire [WORD_BITS-1:0]          write_word,
    input  wire [LINES-1:0]              ask,
    input  wire [LINES*ADDRESS_BITS-1:0] ask_address,
    input  wire [LINES-1:0]              cancel,
    output reg  [LINES-1:0]              granted,  // in the previous cycle
    output wire [1:0]                    answer_valid,
    output wire [2*LINE_BITS-1:0]        answer_line,
    output wire [2*WORD_BITS-1:0]        answer_word
);
  generate
    if (DECODE_CYCLES < 1) begin : contradiction0
      DECODE_CYCLES_is_less_than_1 stop ();
    end
    if (TABLE_CYCLES < 1 || TABLE_CYCLES > 255) begin : contradiction1
      TABLE_CYCLES_is_not_1_to_255 stop ();
    end
    if (LINES > (1 << LINE_BITS)) begin : contradiction2
      LINES_is_not_1_to_2_power_LINE_BITS stop ();
    end
  endgenerate

  integer l, w;
  // The table entries, and each input VC's request: a bit that shifts up during address decode, and stays at the top.
  reg [WORD_BITS-1:0] words[0:(1<<ADDRESS_BITS)-1];
  reg [LINES*ADDRESS_BITS-1:0] address;
  reg [LINES*DECODE_CYCLES-1:0] question;
  reg [LINES-1:0] asks;
  wire [LINES-1:0] grant[0:1];
  wire [LINES-1:0] grants = grant[0] | grant[1];

  always @* begin
    for (l = 0; l < LINES; l = l + 1) asks[l] = question[l*DECODE_CYCLES+DECODE_CYCLES-1] && !cancel[l];
  end

  always @(posedge clock) begin
    granted <= reset ? {LINES{1'b0}} : grants;
    for (l = 0; l < LINES; l = l + 1) begin
      if (reset || cancel[l] || grants[l]) question[l*DECODE_CYCLES+:DECODE_CYCLES] <= {DECODE_CYCLES{1'b0}};
      else if (!asks[l]) question[l*DECODE_CYCLES+:DECODE_CYCLES] <= question[l*DECODE_CYCLES+:DECODE_CYCLES] << 1;
      if (ask[l] && !reset) begin
        question[l*DECODE_CYCLES] <= 1'b1;
        address[l*ADDRESS_BITS+:ADDRESS_BITS] <= ask_address[l*ADDRESS_BITS+:ADDRESS_BITS];
      end
    end
    for (w = 0; w < (1 << ADDRESS_BITS); w = w + 1) if (reset && CLEARS != 0) words[w] <= {WORD_BITS{1'b0}};
    if (write_valid && (!reset || CLEARS == 0)) words[write_address] <= write_word;
  end

  genvar p;
  generate
    for (p = 0; p < 2; p = p + 1) begin : of_port
      integer i, s;
      reg [LINES-1:0] own, chosen;
      reg [LINE_BITS-1:0] turn, next_turn, line;
      reg [7:0] busy;
      reg found;
      reg [ADDRESS_BITS-1:0] row;
      // Answers in flight, the next one at the top.
      reg [TABLE_CYCLES-1:0] valid;
      reg [TABLE_CYCLES*LINE_BITS-1:0] lines;
      reg [TABLE_CYCLES*WORD_BITS-1:0] found_words;

      // The first requesting input VC from the round-robin position on, or else from input VC 0 on.
      always @* begin
        for (i = 0; i < LINES; i = i + 1)
          own[i] = asks[i] && p == (i < NETWORK_PORTS * VCS ? 2 * (i % VCS) / VCS : 2 * (i - NETWORK_PORTS * VCS) / NODE_VCS);
        found = 1'b0;
        line = {LINE_BITS{1'b0}};
        for (i = 0; i < LINES; i = i + 1)
          if (!found && own[i] && i >= turn) begin
            found = 1'b1;
            line = i[LINE_BITS-1:0];
          end
        for (i = 0; i < LINES; i = i + 1)
          if (!found && own[i]) begin
            found = 1'b1;
            line = i[LINE_BITS-1:0];
          end
        if (busy != 8'd0) found = 1'b0;
        chosen = {LINES{1'b0}};
        chosen[line] = found;
        next_turn = line + 1'b1;
        row = address[line*ADDRESS_BITS+:ADDRESS_BITS];
      end
      assign grant[p] = chosen;

      always @(posedge clock) begin
        if (reset) begin
          turn <= {LINE_BITS{1'b0}};
          busy <= 8'd0;
          valid <= {TABLE_CYCLES{1'b0}};
        end else begin
          if (found) turn <= next_turn;
          if (found && PIPELINED == 0) busy <= TABLE_CYCLES[7:0] - 8'd1;
          else if (busy != 8'd0) busy <= busy - 8'd1;
          valid[0] <= found;
          for (s = 1; s < TABLE_CYCLES; s = s + 1)
            valid[s] <= valid[s-1] && !cancel[lines[(s-1)*LINE_BITS+:LINE_BITS]];
        end
        lines[0+:LINE_BITS] <= line;
        found_words[0+:WORD_BITS] <= words[row];
        for (s = 1; s < TABLE_CYCLES; s = s + 1) begin
          lines[s*LINE_BITS+:LINE_BITS] <= lines[(s-1)*LINE_BITS+:LINE_BITS];
          found_words[s*WORD_BITS+:WORD_BITS] <= found_words[(s-1)*WORD_BITS+:WORD_BITS];
        end
      end
      assign answer_valid[p] = valid[TABLE_CYCLES-1];
      assign answer_line[p*LINE_BITS+:LINE_BITS] =
          valid[TABLE_CYCLES-1] ? lines[(TABLE_CYCLES-1)*LINE_BITS+:LINE_BITS] : {LINE_BITS{1'b0}};
      assign answer_word[p*WORD_BITS+:WORD_BITS] =
          valid[TABLE_CYCLES-1] ? found_words[(TABLE_CYCLES-1)*WORD_BITS+:WORD_BITS] : {WORD_BITS{1'b0}};
    end
  endgenerate
endmodule
