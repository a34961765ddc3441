// SPDX-License-Identifier: Apache-2.0
// The Sender's packet builder (Kanoh 2000, 4.2): cuts parcels into packets, makes their headers, takes the data from source lines, and sends
// the flits with check bits, parity and position.
//
//   choose in c         a packet of the parcel at the pins, in a free place; the cut is shown in c + 1
//   build in b > c      its page is known: the header is shown in b + 1, from which the place takes doublewords of its lines. Until b the
//                       parcel remains at the pins
//   line_valid          the next doubleword of the lines of a packet, 16 of each line, also those after its data, which may come when the
//                       place has another packet already
//   send in s           flit i is on the wires in s + 1 + i; word k of the payload comes in s + 1 + header + WORD_FLITS k or before
module packet_builder #(
    parameter PLACES = 2,                   // packet buffers
    parameter PLACE_BITS = 1,
    parameter MAX_PAYLOAD = 256,
    parameter HEADER_FLITS = 18,            // of a single cast
    parameter MULTICAST_HEADER_FLITS = 18,
    parameter SYNC_HEADER_FLITS = 9,
    parameter WORD_FLITS = 3
) (
    input  wire                  clock,
    input  wire                  reset,
    input  wire [           9:0] node,                    // of this interface
    // Header register of the chosen parcel.
    input  wire                  choose,
    input  wire [PLACE_BITS-1:0] choose_place,
    input  wire [           1:0] parcel_kind,
    input  wire [           3:0] parcel_protocol,
    input  wire                  parcel_inline,
    input  wire                  parcel_log,
    input  wire                  parcel_physical,
    input  wire                  parcel_interrupt,
    input  wire                  parcel_refused,
    input  wire [          19:0] parcel_length,
    input  wire [           5:0] parcel_rrid,
    input  wire [          63:0] parcel_source,
    input  wire [          63:0] parcel_destination,
    input  wire [          63:0] parcel_notification,
    input  wire [           7:0] parcel_cid,
    input  wire [          11:0] parcel_source_pe,
    input  wire [           7:0] parcel_destination_cid,
    input  wire [           9:0] parcel_number,           // node, group or synchronization identifier
    input  wire [          63:0] parcel_map,
    input  wire [          19:0] parcel_offset,
    input  wire                  parcel_kept,
    output reg                   cut_valid,
    output reg  [           8:0] cut_bytes,
    output reg                   cut_first,
    output reg                   cut_last,
    output reg  [           1:0] cut_reads,
    output reg  [          56:0] cut_line,
    output reg  [           6:0] cut_skip,
    output reg                   cut_again,
    output reg                   cut_keeps,
    input  wire                  build,
    output reg                   built,
    output reg  [          63:0] built_header,
    output reg  [          63:0] built_address,
    input  wire                  line_valid,
    input  wire                  line_start,              // the first doubleword for this packet
    input  wire [PLACE_BITS-1:0] line_place,
    input  wire [          63:0] line_word,
    input  wire                  send,
    input  wire [PLACE_BITS-1:0] send_place,
    input  wire [          15:0] send_ports,
    output reg                   out_valid,
    output reg  [          27:0] out_flit
);
  generate
    if (PLACES < 1 || PLACES > (1 << PLACE_BITS) || PLACES > 8) begin : contradiction0
      PLACES_is_not_1_to_8_and_2_power_PLACE_BITS stop ();
    end
    if (MAX_PAYLOAD != 128 && MAX_PAYLOAD != 256) begin : contradiction1
      MAX_PAYLOAD_is_not_128_or_256 stop ();
    end
    if (HEADER_FLITS < 6 || HEADER_FLITS > 64) begin : contradiction2
      HEADER_FLITS_is_not_6_to_64 stop ();
    end
    if (MULTICAST_HEADER_FLITS < 9 || MULTICAST_HEADER_FLITS > 64 || SYNC_HEADER_FLITS < 9 || SYNC_HEADER_FLITS > 64) begin : contradiction3
      MULTICAST_HEADER_FLITS_or_SYNC_HEADER_FLITS_is_not_9_to_64 stop ();
    end
    if (WORD_FLITS < 3 || WORD_FLITS > 8) begin : contradiction4
      WORD_FLITS_is_not_3_to_8 stop ();
    end
  endgenerate

  localparam [3:0] MESSAGE0 = 4, MESSAGE1 = 5, REMOTE_READ = 7, COMPARE_SWAP = 9, COMPARE_SWAP_REPLY = 12;
  localparam [1:0] SINGLE = 0, MULTICAST = 1;
  localparam [2:0] LAST_PART = WORD_FLITS[2:0] - 3'd1;

  // The cut.
  wire [8:0] next_bytes;
  wire next_first, next_last, next_again, next_keeps;
  wire [1:0] next_reads;
  wire [56:0] next_line;
  wire [6:0] next_skip;
  packet_cutter #(
      .MAX_PAYLOAD(MAX_PAYLOAD)
  ) cutter (
      .protocol   (parcel_protocol),
      .inline_data(parcel_inline),
      .refused    (parcel_refused),
      .length     (parcel_length),
      .source     (parcel_source),
      .destination(parcel_destination[11:0]),
      .offset     (parcel_offset),
      .kept       (parcel_kept),
      .bytes      (next_bytes),
      .first      (next_first),
      .last       (next_last),
      .reads      (next_reads),
      .line       (next_line),
      .skip       (next_skip),
      .again      (next_again),
      .keeps      (next_keeps)
  );
  reg [PLACE_BITS-1:0] place;
  reg [19:0] cut_offset;

  always @(posedge clock) begin
    cut_valid <= choose && !reset;
    if (reset) begin
      cut_bytes <= 9'd0;
      cut_first <= 1'b0;
      cut_last <= 1'b0;
      cut_reads <= 2'd0;
      cut_line <= 57'd0;
      cut_skip <= 7'd0;
      cut_again <= 1'b0;
      cut_keeps <= 1'b0;
    end else if (choose) begin
      cut_bytes <= next_bytes;
      cut_first <= next_first;
      cut_last <= next_last;
      cut_reads <= next_reads;
      cut_line <= next_line;
      cut_skip <= next_skip;
      cut_again <= next_again;
      cut_keeps <= next_keeps;
      place <= choose_place;
      cut_offset <= next_reads == 2'd0 ? 20'd0 : parcel_offset;
    end
  end

  // The header.
  wire is_message = parcel_protocol == MESSAGE0 || parcel_protocol == MESSAGE1;
  wire is_request = parcel_protocol >= REMOTE_READ && parcel_protocol <= COMPARE_SWAP;
  wire equal = parcel_protocol == COMPARE_SWAP_REPLY && parcel_notification[26];
  wire [63:0] first_address = is_message ? 64'd0 : is_request ? parcel_source : parcel_destination;
  wire [63:0] header = {
    8'd0, parcel_physical, parcel_refused, parcel_interrupt, equal, parcel_rrid, parcel_log, cut_first, cut_last, cut_bytes,
    parcel_source_pe, parcel_protocol, parcel_destination_cid, parcel_number
  };
  wire [63:0] address = first_address + {44'd0, cut_offset};
  wire [63:0] request_end = {25'd0, parcel_physical, node, parcel_cid, parcel_length};
  wire [63:0] body_first = is_request ? parcel_destination : parcel_source;
  wire [63:0] body_second = parcel_protocol == REMOTE_READ ? request_end : parcel_notification;

  always @(posedge clock) begin
    built <= build && !reset;
    if (reset) begin
      built_header <= 64'd0;
      built_address <= 64'd0;
    end else if (build) begin
      built_header <= header;
      built_address <= address;
    end
  end

  // The packet that leaves: a place in its header or payload, for each flit.
  reg sending, body, even;
  reg [PLACE_BITS-1:0] kept_place;
  reg [6:0] header_at;
  reg [2:0] part;
  reg [5:0] number;
  wire flows = send || sending;
  wire [PLACE_BITS-1:0] from = send ? send_place : kept_place;

  wire [PLACES*64-1:0] read_words;
  wire [PLACES*2-1:0] kinds;
  wire [PLACES*6-1:0] counts;
  genvar p;
  generate
    for (p = 0; p < PLACES; p = p + 1) begin : buffer
      packet_place one (
          .clock            (clock),
          .build            (build && place == p[PLACE_BITS-1:0]),
          .build_from_memory(cut_reads != 2'd0),
          .build_kind       (parcel_kind),
          .build_bytes      (cut_bytes[8:2]),
          .build_skip       (cut_skip[6:2]),
          .build_map        (parcel_map),
          .build_header     (header),
          .build_address    (address),
          .build_first      (body_first),
          .build_second     (body_second),
          .build_third      (request_end),
          .line_valid       (line_valid && line_place == p[PLACE_BITS-1:0]),
          .line_start       (line_start),
          .line_word        (line_word),
          .read_body        (body),
          .read_number      (number),
          .read_word        (read_words[p*64+:64]),
          .kind             (kinds[p*2+:2]),
          .words            (counts[p*6+:6])
      );
    end
  endgenerate

  reg [63:0] word;
  reg [1:0] kind;
  reg [5:0] words;
  integer i;
  always @* begin
    word = 64'd0;
    kind = 2'd0;
    words = 6'd0;
    for (i = 0; i < PLACES; i = i + 1)
      if (from == i[PLACE_BITS-1:0]) begin
        word = read_words[i*64+:64];
        kind = kinds[i*2+:2];
        words = counts[i*6+:6];
      end
  end

  wire [6:0] header_flits = kind == SINGLE ? HEADER_FLITS[6:0] : kind == MULTICAST ? MULTICAST_HEADER_FLITS[6:0] : SYNC_HEADER_FLITS[6:0];
  wire header_ends = !body && header_at + 7'd1 == header_flits;
  wire word_ends = part == (body ? LAST_PART : 3'd2);
  wire last = !send && (body ? word_ends && number + 6'd1 == words : header_ends && words == 6'd0);

  // A flit: check bits beside the upper 16 bits of a word, parity, position.
  wire [7:0] check;
  word_ecc ecc (
      .word (word),
      .check(check)
  );
  wire [23:0] data = send ? {6'd0, send_ports, kind}
      : part == 3'd0 ? word[23:0] : part == 3'd1 ? word[47:24] : part == 3'd2 ? {check, word[63:48]} : 24'd0;
  wire [2:0] position = last ? 3'b100 : !send && even ? 3'b010 : 3'b001;

  always @(posedge clock) begin
    sending <= flows && !last && !reset;
    out_valid <= flows && !reset;
    out_flit <= flows && !reset ? {position, ^data, data} : 28'd0;
    if (send) begin
      kept_place <= send_place;
      even <= 1'b1;
      body <= 1'b0;
      header_at <= 7'd0;
      part <= 3'd0;
      number <= 6'd0;
    end else begin
      even <= !even;
      header_at <= header_at + 7'd1;
      if (header_ends) body <= 1'b1;
      part <= header_ends || word_ends ? 3'd0 : part + 3'd1;
      number <= header_ends ? 6'd0 : word_ends ? number + 6'd1 : number;
    end
  end
endmodule
