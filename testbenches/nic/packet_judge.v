// SPDX-License-Identifier: Apache-2.0
// The Receiver's check of packets (Kanoh 2000, 4.3): position and parity bits of the flits, ECC of the words, destination. A packet's
// flits come in cycles a .. a + flits - 1; a lost one leaves its cycle empty. A corrected word is shown in the cycle after its third flit, the
// verdict from a + flits on, until it is taken. Verdicts come in the order of packets.
//
//   verdict: 0 accepted, 1 accepted after correction, 2 double-bit error, 3 parity of the port flit, 4 position bits, 5 other destination
module packet_judge #(
    parameter SLOTS = 2,                    // packets that wait for the Receiver
    parameter HEADER_FLITS = 18,            // of a single cast
    parameter MULTICAST_HEADER_FLITS = 18,
    parameter SYNC_HEADER_FLITS = 9,
    parameter WORD_FLITS = 3,
    parameter FLIT_BITS = 7                 // of a packet's length
) (
    input  wire                 clock,
    input  wire                 reset,
    input  wire [          9:0] node,             // of this interface
    // Kind and length of a packet, announced with its head by the channel.
    input  wire                 in_head,
    input  wire [          1:0] in_kind,
    input  wire [FLIT_BITS-1:0] in_flits,
    input  wire                 in_valid,
    input  wire [         27:0] in_flit,
    // Words of map, header and payload by number, until the packet is known to be damaged beyond repair.
    output reg                  word_valid,
    output reg  [          5:0] word_number,
    output reg  [         63:0] word,
    output wire                 verdict_valid,
    output wire [          2:0] verdict,
    output wire [          5:0] verdict_corrected,  // words of an accepted packet
    input  wire                 verdict_take
);
  generate
    if (SLOTS < 1 || SLOTS > 8) begin : contradiction0
      SLOTS_is_not_1_to_8 stop ();
    end
    if (HEADER_FLITS < 6 || HEADER_FLITS > 64) begin : contradiction1
      HEADER_FLITS_is_not_6_to_64 stop ();
    end
    if (MULTICAST_HEADER_FLITS < 9 || MULTICAST_HEADER_FLITS > 64 || SYNC_HEADER_FLITS < 9 || SYNC_HEADER_FLITS > 64) begin : contradiction2
      MULTICAST_HEADER_FLITS_or_SYNC_HEADER_FLITS_is_not_9_to_64 stop ();
    end
    if (WORD_FLITS < 3 || WORD_FLITS > 8) begin : contradiction3
      WORD_FLITS_is_not_3_to_8 stop ();
    end
    if (FLIT_BITS < 4 || FLIT_BITS > 9) begin : contradiction4
      FLIT_BITS_is_not_4_to_9 stop ();
    end
  endgenerate

  localparam [2:0] ACCEPTED = 0, CORRECTED = 1, DOUBLE = 2, PARITY = 3, POSITION = 4, ELSEWHERE = 5;
  localparam [1:0] SINGLE = 0, MULTICAST = 1;
  localparam [2:0] LAST_PART = WORD_FLITS[2:0] - 3'd1;

  // The flit in this cycle.
  reg busy;
  reg [FLIT_BITS-1:0] index, kept_flits;
  reg [1:0] kept_kind;
  wire flows = in_head || busy;
  wire [FLIT_BITS-1:0] at = in_head ? {FLIT_BITS{1'b0}} : index;
  wire [FLIT_BITS-1:0] flits = in_head ? in_flits : kept_flits;
  wire [1:0] kind = in_head ? in_kind : kept_kind;
  wire last = at + 1'b1 == flits;

  // Position and parity.
  reg broken, bad_port;
  wire [2:0] position = last ? 3'b100 : at[0] ? 3'b010 : 3'b001;
  wire broken_now = (!in_head && broken) || !in_valid || in_flit[27:25] != position;
  wire bad_port_now = in_head ? ^in_flit[24:0] : bad_port;

  // Place in a word: three flits of each word carry it, those after them are padding.
  reg body;
  reg [2:0] part;
  reg [6:0] header_at;  // flits of the header that have come
  reg [4:0] words_come;  // words that have come, the header's first
  wire [6:0] header_flits = kind == SINGLE ? HEADER_FLITS[6:0] : kind == MULTICAST ? MULTICAST_HEADER_FLITS[6:0] : SYNC_HEADER_FLITS[6:0];
  wire header_ends = !body && header_at + 7'd1 == header_flits;
  wire has_header = words_come < (kind == SINGLE ? 5'd2 : 5'd3);
  wire completes = flows && !in_head && part == 3'd2;

  // ECC.
  reg [47:0] earlier;
  reg double;
  reg [5:0] corrections, number;
  wire [63:0] checked;
  wire corrected, uncorrectable;
  word_correction correction (
      .received      ({in_flit[15:0], earlier}),
      .received_check(in_flit[23:16]),
      .word          (checked),
      .corrected     (corrected),
      .uncorrectable (uncorrectable)
  );
  wire double_now = !in_head && (double || (completes && uncorrectable));
  wire [5:0] corrections_now = in_head ? 6'd0 : corrections + {5'd0, completes && corrected};
  wire shown = completes && (body || has_header);

  // Destination: node of a single cast; map, and group of a multicast.
  reg named, grouped;
  wire is_field = kind == SINGLE ? number == 6'd0 : number == 6'd1;
  wire named_now = shown && number == 6'd0 ? (kind == SINGLE || checked[node[5:0]]) : named;
  wire [9:0] wanted = kind == SINGLE ? node : {6'd0, node[9:6]};
  wire grouped_now =
      shown && is_field ? (kind == SINGLE || kind == MULTICAST ? checked[9:0] == wanted : node[9:6] == 4'd0) : grouped;

  wire [2:0] judged = broken_now ? POSITION : bad_port_now ? PARITY : double_now ? DOUBLE : !(named_now && grouped_now) ? ELSEWHERE
      : corrections_now != 6'd0 ? CORRECTED : ACCEPTED;
  wire [8:0] entry = {judged, judged == CORRECTED ? corrections_now : 6'd0};

  always @(posedge clock) begin
    if (reset) begin
      busy <= 1'b0;
      word_valid <= 1'b0;
      word_number <= 6'd0;
      word <= 64'd0;
    end else begin
      busy <= flows && !last;
      word_valid <= shown && !broken_now && !double_now;
      word_number <= shown && !broken_now && !double_now ? number : 6'd0;
      word <= shown && !broken_now && !double_now ? checked : 64'd0;
    end
    index <= at + 1'b1;
    broken <= broken_now;
    bad_port <= bad_port_now;
    double <= double_now;
    corrections <= corrections_now;
    named <= named_now;
    grouped <= grouped_now;
    if (in_head) begin
      kept_flits <= in_flits;
      kept_kind <= in_kind;
      body <= 1'b0;
      header_at <= 7'd0;
      words_come <= 5'd0;
      part <= 3'd0;
      number <= 6'd0;
    end else begin
      header_at <= header_at + 7'd1;
      if (header_ends) body <= 1'b1;
      part <= header_ends || part == (body ? LAST_PART : 3'd2) ? 3'd0 : part + 3'd1;
      if (completes) words_come <= words_come + 5'd1;
      if (shown) number <= number + 6'd1;
    end
    if (part == 3'd0) earlier[23:0] <= in_flit[23:0];
    if (part == 3'd1) earlier[47:24] <= in_flit[23:0];
  end

  // Verdicts that wait, the oldest first.
  localparam COUNT_BITS = SLOTS < 2 ? 1 : SLOTS < 4 ? 2 : SLOTS < 8 ? 3 : 4;
  reg [COUNT_BITS-1:0] waiting;
  reg [SLOTS*9-1:0] entries;
  localparam [COUNT_BITS-1:0] NONE = 0, ONE = 1;
  integer i;
  wire comes = flows && last;
  wire goes = verdict_take && verdict_valid;
  wire [COUNT_BITS-1:0] behind = waiting - (goes ? ONE : NONE);
  assign verdict_valid = waiting != NONE;
  assign verdict = entries[8:6];
  assign verdict_corrected = entries[5:0];

  always @(posedge clock) begin
    if (reset) begin
      waiting <= NONE;
      entries <= {SLOTS * 9{1'b0}};
    end else begin
      waiting <= behind + (comes ? ONE : NONE);
      if (goes) entries <= entries >> 9;
      for (i = 0; i < SLOTS; i = i + 1) if (comes && behind == i[COUNT_BITS-1:0]) entries[i*9+:9] <= entry;
    end
  end
endmodule
