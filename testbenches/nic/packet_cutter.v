// SPDX-License-Identifier: Apache-2.0
// The next packet of a parcel, and the lines of its source (Kanoh 2000, 4.2): a payload ends at a line border of the destination, and
// crosses no page of source or destination. Of a parcel without data from memory, the whole. All outputs are combinational.
module packet_cutter #(
    parameter MAX_PAYLOAD = 256
) (
    input  wire [ 3:0] protocol,
    input  wire        inline_data,
    input  wire        refused,
    input  wire [19:0] length,
    input  wire [63:0] source,
    input  wire [11:0] destination,  // its place in a page
    input  wire [19:0] offset,       // bytes of the parcel that are cut
    input  wire        kept,         // the last packet's last line is clean
    output wire [ 8:0] bytes,
    output wire        first,
    output wire        last,
    output wire [ 1:0] reads,
    output wire [56:0] line,         // first of the lines, which follow each other
    output wire [ 6:0] skip,         // bytes of the first line before the packet's
    output wire        again,        // the first line is the last packet's last one
    output wire        keeps
);
  localparam [3:0] MESSAGE0 = 4, MESSAGE1 = 5, ATOMIC_ADD = 6, REMOTE_READ = 7, COMPARE_SWAP = 9, SYNCHRONIZATION = 15;
  localparam [12:0] MOST = MAX_PAYLOAD[12:0];

  wire is_request = protocol >= REMOTE_READ && protocol <= COMPARE_SWAP;
  wire one_packet = protocol == MESSAGE0 || protocol == MESSAGE1 || protocol == SYNCHRONIZATION;
  wire from_memory = !inline_data && !refused && protocol != ATOMIC_ADD && !is_request &&
      (protocol != SYNCHRONIZATION || length != 20'd0);

  wire [63:0] from = source + {44'd0, offset};
  wire [11:0] base = one_packet ? 12'd0 : destination;
  wire [11:0] to = base + offset[11:0];
  wire [19:0] rest = length - offset;

  // The nearest border: in doublewords at the source, as the last word of a shifted packet is after its page.
  wire [12:0] to_line_border = MOST - {6'd0, to[6:0]};
  wire [12:0] to_page_border = 13'd4096 - {1'b0, to};
  wire [12:0] from_page_border = 13'd4096 - {1'b0, from[11:3], 3'd0};
  wire [12:0] at_destination = to_line_border < to_page_border ? to_line_border : to_page_border;
  wire [12:0] to_border = at_destination < from_page_border ? at_destination : from_page_border;
  wire ends = rest <= {7'd0, to_border};
  wire [8:0] cut = ends ? rest[8:0] : to_border[8:0];
  wire [8:0] whole = refused ? 9'd0 : !is_request ? length[8:0] : protocol == REMOTE_READ ? 9'd16 : 9'd24;

  // Lines: 1 to 3. The sum is the packet's end in bytes after the begin of its first line.
  wire [9:0] end_in_lines = {3'd0, from[6:0]} + {1'b0, cut};
  wire [12:0] end_in_page = {1'b0, from[11:0]} + {4'd0, cut};
  wire [6:0] difference = source[6:0] - base[6:0];

  assign bytes = from_memory ? cut : whole;
  assign first = offset == 20'd0;
  assign last = !from_memory || ends;
  assign reads = !from_memory ? 2'd0 : end_in_lines > 10'd256 ? 2'd3 : end_in_lines > 10'd128 ? 2'd2 : 2'd1;
  assign line = from_memory ? from[63:7] : 57'd0;
  assign skip = from_memory ? from[6:0] : 7'd0;
  assign again = from_memory && kept && from[6:0] != 7'd0;
  assign keeps = from_memory && end_in_page <= 13'd4096 && difference != 7'd4;
endmodule
