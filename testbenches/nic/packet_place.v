// SPDX-License-Identifier: Apache-2.0
// Buffer of a packet: header, payload. The doublewords of its source lines come one by one; those of a source that begins at an odd word are
// shifted by a word (Kanoh 2000, 5.1.3), so that a doubleword fills halves of two words of the payload.
module packet_place (
    input  wire        clock,
    input  wire        build,
    input  wire        build_from_memory,
    input  wire [ 1:0] build_kind,
    input  wire [ 8:2] build_bytes,
    input  wire [ 6:2] build_skip,
    input  wire [63:0] build_map,
    input  wire [63:0] build_header,
    input  wire [63:0] build_address,
    input  wire [63:0] build_first,   // body of a packet without data from memory
    input  wire [63:0] build_second,
    input  wire [63:0] build_third,
    input  wire        line_valid,
    input  wire        line_start,    // the packet's first doubleword
    input  wire [63:0] line_word,
    // Reader: word of the header, or of the payload.
    input  wire        read_body,
    input  wire [ 5:0] read_number,
    output reg  [63:0] read_word,
    output reg  [ 1:0] kind,
    output wire [ 5:0] words          // of the payload
);
  reg from_memory;
  reg [8:2] bytes;
  reg [63:0] map, header, address, first, second, third;
  reg [6:2] skip;
  reg [5:0] after;  // of the doubleword before: payload word of the next one

  assign words = bytes[8:3] + {5'd0, bytes[2]};

  always @(posedge clock) begin
    if (build) begin
      from_memory <= build_from_memory;
      kind <= build_kind;
      bytes <= build_bytes;
      map <= build_map;
      header <= build_header;
      address <= build_address;
      first <= build_first;
      second <= build_second;
      third <= build_third;
      skip <= build_skip;
    end
    if (line_valid) after <= next + 6'd1;
  end

  // Halves of the payload's words. A doubleword of a shifted source has the upper half of the word before. Doublewords that come before this
  // packet's first one, of the packet before, are overwritten.
  reg [31:0] low[0:31];
  reg [31:0] high[0:31];
  wire shifted = skip[2];
  wire [5:0] next = line_start ? 6'd0 - {2'd0, skip[6:3]} : after;  // 32 and more: before the packet's first word, or after its last
  wire [5:0] behind = next - {5'd0, shifted};
  wire low_valid = line_valid && !next[5];
  wire high_valid = line_valid && !behind[5];
  wire [31:0] low_half = shifted ? line_word[63:32] : line_word[31:0];
  wire [31:0] high_half = shifted ? line_word[31:0] : line_word[63:32];

  always @(posedge clock) begin
    if (low_valid) low[next[4:0]] <= low_half;
    if (high_valid) high[behind[4:0]] <= high_half;
  end

  // The lower half may come in the cycle in which the word's first flit is read, the upper half comes before it is read.
  wire half_ends = bytes[2] && read_number + 6'd1 == words;
  wire [31:0] read_low = low_valid && next[4:0] == read_number[4:0] ? low_half : low[read_number[4:0]];
  wire [31:0] read_high = high[read_number[4:0]];
  wire [63:0] stored =
      from_memory ? {read_high, read_low} : read_number == 6'd0 ? first : read_number == 6'd1 ? second : third;
  wire [5:0] of_header = kind == 2'd0 ? read_number + 6'd1 : read_number;

  always @*
    if (read_body) read_word = {stored[63:32] & {32{!half_ends}}, stored[31:0]};
    else if (of_header == 6'd0) read_word = map;
    else if (of_header == 6'd1) read_word = header;
    else if (of_header == 6'd2) read_word = address;
    else read_word = 64'd0;
endmodule
