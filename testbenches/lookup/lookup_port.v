// SPDX-License-Identifier: Apache-2.0
// An input port's look-up pipeline: hash, cache and, on a miss, a dedicated memory with the entries of all ports. The
// twin of one port of lookup::CachedLookup with its answers in a queue for each virtual channel.
//
//   cycle t      a request is taken, its key hashed
//         t + 1  the cache is read
//         t + 2  a hit is answered; a miss begins to read the memory
//         t + 2 + CAM_CYCLES  the miss is answered and the cache filled
//
// A flush and a change of the table are commands in this order: they follow the requests of earlier cycles and of
// their own through the stages. A change uses the slot of a request, so no request is taken in that cycle.
module lookup_port #(
    parameter VCS = 4,
    parameter VC_BITS = 2,
    parameter DEPTH_BITS = 5,  // 2 to this power answers of a virtual channel wait or are in flight
    parameter SET_BITS = 3,
    parameter WAYS = 2,
    parameter WAY_BITS = 1,
    parameter POLICY = 0,
    parameter ROWS = 64,
    parameter ROW_BITS = 6,
    parameter CAM_CYCLES = 25
) (
    input  wire                clock,
    input  wire                reset,
    input  wire                flush,
    input  wire                table_valid,
    input  wire                table_erase,
    input  wire [ROW_BITS-1:0] table_row,
    input  wire [63:0]         table_key,
    input  wire [31:0]         table_entry,
    input  wire                request_valid,
    input  wire [VC_BITS-1:0]  request_vc,
    input  wire [63:0]         request_key,
    input  wire [7:0]          request_ticket,
    output wire [VCS-1:0]      request_ready,
    output reg  [VCS-1:0]      answer_valid,   // the oldest request of the virtual channel has its answer
    input  wire [VC_BITS-1:0]  answer_select,  // virtual channel whose oldest answer is output and taken
    input  wire                answer_take,
    output wire [7:0]          answer_ticket,
    output wire [31:0]         answer_entry
);
  // Contradictions stop elaboration: there is no module of these names.
  generate
    if (VCS < 1 || VCS > (1 << VC_BITS)) begin : contradiction0
      VCS_is_not_1_to_2_power_VC_BITS stop ();
    end
    if (DEPTH_BITS < 1) begin : contradiction1
      DEPTH_BITS_is_less_than_1 stop ();
    end
    if (CAM_CYCLES < 2 || CAM_CYCLES > 255) begin : contradiction2
      CAM_CYCLES_is_not_2_to_255 stop ();
    end
  endgenerate

  localparam DEPTH = 1 << DEPTH_BITS;
  localparam SLOT_BITS = VC_BITS + DEPTH_BITS;
  localparam SLOTS = VCS * DEPTH;

  // The queues: slots for answers, allocated by requests in order.
  reg [SLOTS-1:0]     done;
  reg [31:0]          slot_entry [0:SLOTS-1];
  reg [7:0]           slot_ticket[0:SLOTS-1];
  reg [DEPTH_BITS-1:0] head [0:VCS-1];
  reg [DEPTH_BITS-1:0] tail [0:VCS-1];
  reg [DEPTH_BITS:0]   count[0:VCS-1];

  genvar v;
  generate
    for (v = 0; v < VCS; v = v + 1) begin : ready
      assign request_ready[v] = !table_valid && !count[v][DEPTH_BITS];
    end
  endgenerate
  wire accept = request_valid && request_ready[request_vc];
  wire [SLOT_BITS-1:0] new_slot = {request_vc, tail[request_vc]};

  // Stage 1: the hash, and the rest of the request.
  wire hashed_valid;
  wire [31:0] hashed;
  wire hash_ready;
  crc_hash hash (
      .clock(clock), .reset(reset), .in_valid(accept), .in_key(request_key), .in_ready(hash_ready),
      .out_valid(hashed_valid), .out_hash(hashed), .out_ready(1'b1));
  wire unused = &{1'b0, hash_ready, hashed[31:SET_BITS]};
  reg [63:0] key1, key2;
  reg [SLOT_BITS-1:0] slot1, slot2;
  reg [SET_BITS-1:0] set2;
  reg flush1, stale2;
  reg write1, write2, erase1, erase2;
  reg [ROW_BITS-1:0] row1, row2;
  reg [31:0] entry1, entry2;
  always @(posedge clock) begin
    key1 <= table_valid ? table_key : request_key;
    slot1 <= new_slot;
    flush1 <= !reset && (flush || table_valid);
    write1 <= !reset && table_valid;
    erase1 <= table_erase;
    row1 <= table_row;
    entry1 <= table_entry;
    // Stage 2: the cache is read.
    key2 <= key1;
    slot2 <= slot1;
    set2 <= hashed[SET_BITS-1:0];
    stale2 <= flush1;
    write2 <= !reset && write1;
    erase2 <= erase1;
    row2 <= row1;
    entry2 <= entry1;
  end

  // The memory's answer, with the delayed request.
  wire memory_valid, memory_hit;
  wire [31:0] memory_value;
  localparam WAY_ALONG = SLOT_BITS + SET_BITS + 64;
  reg [WAY_ALONG-1:0] along[0:CAM_CYCLES-1];
  reg [CAM_CYCLES-1:0] stale;
  integer s;
  always @(posedge clock) begin
    along[0] <= {slot2, set2, key2};
    for (s = 1; s < CAM_CYCLES; s = s + 1) along[s] <= along[s-1];
    // An answer that was read before a flush is not stored in the cache.
    stale <= {stale[CAM_CYCLES-2:0], stale2} | {CAM_CYCLES{flush1}};
  end
  wire [SLOT_BITS-1:0] memory_slot;
  wire [SET_BITS-1:0] memory_set;
  wire [63:0] memory_key;
  assign {memory_slot, memory_set, memory_key} = along[CAM_CYCLES-1];
  // Without virtual channels there is no channel index.
  wire [31:0] memory_entry = memory_hit && memory_value[31:16] != 16'd0 ? memory_value : 32'd0;

  wire cached_valid, cached_hit;
  wire [31:0] cached_entry;
  wire fill_replaced;
  wire [15:0] entries_held;
  routing_table_cache #(
      .SET_BITS(SET_BITS), .WAYS(WAYS), .WAY_BITS(WAY_BITS), .POLICY(POLICY)
  ) cache (
      .clock(clock), .reset(reset),
      .lookup_valid(hashed_valid), .lookup_key(key1), .lookup_set(hashed[SET_BITS-1:0]),
      .fill_valid(memory_valid && !stale[CAM_CYCLES-1]), .fill_key(memory_key), .fill_set(memory_set),
      .fill_entry(memory_entry), .flush(flush1),
      .answer_valid(cached_valid), .answer_hit(cached_hit), .answer_entry(cached_entry),
      .fill_replaced(fill_replaced), .entries_held(entries_held));

  wire memory_ready;
  wire [ROW_BITS-1:0] memory_row;
  cam #(
      .ENTRIES(ROWS), .INDEX_BITS(ROW_BITS), .ACCESS_CYCLES(CAM_CYCLES)
  ) memory (
      .clock(clock), .reset(reset),
      .request_valid(write2 || (cached_valid && !cached_hit)),
      .request_operation(write2 ? (erase2 ? 2'd2 : 2'd1) : 2'd0),
      .request_index(row2), .request_key(key2), .request_mask({64{1'b1}}), .request_value(entry2),
      .request_ready(memory_ready),
      .answer_valid(memory_valid), .answer_hit(memory_hit), .answer_index(memory_row), .answer_value(memory_value));
  wire unused_too = &{1'b0, memory_ready, memory_row, fill_replaced, entries_held};

  // Answers come from the cache and from the memory; an answer that comes in this cycle counts in it.
  wire hit = cached_valid && cached_hit;
  integer a;
  always @*
    for (a = 0; a < VCS; a = a + 1)
      answer_valid[a] = count[a] != {DEPTH_BITS + 1{1'b0}} &&
          (done[{a[VC_BITS-1:0], head[a]}] || (hit && slot2 == {a[VC_BITS-1:0], head[a]}) ||
           (memory_valid && memory_slot == {a[VC_BITS-1:0], head[a]}));
  wire [SLOT_BITS-1:0] shown = {answer_select, head[answer_select]};
  wire shows = answer_valid[answer_select];
  assign answer_ticket = shows ? slot_ticket[shown] : 8'd0;
  assign answer_entry = !shows ? 32'd0 : done[shown] ? slot_entry[shown] : hit && slot2 == shown ? cached_entry : memory_entry;

  wire take = answer_take && shows;
  integer q;
  always @(posedge clock) begin
    if (hit) begin
      done[slot2] <= 1'b1;
      slot_entry[slot2] <= cached_entry;
    end
    if (memory_valid) begin
      done[memory_slot] <= 1'b1;
      slot_entry[memory_slot] <= memory_entry;
    end
    if (accept) begin
      done[new_slot] <= 1'b0;
      slot_ticket[new_slot] <= request_ticket;
    end
    for (q = 0; q < VCS; q = q + 1) begin
      if (reset) begin
        head[q] <= {DEPTH_BITS{1'b0}};
        tail[q] <= {DEPTH_BITS{1'b0}};
        count[q] <= {DEPTH_BITS + 1{1'b0}};
      end else begin
        if (take && answer_select == q[VC_BITS-1:0]) head[q] <= head[q] + 1'b1;
        if (accept && request_vc == q[VC_BITS-1:0]) tail[q] <= tail[q] + 1'b1;
        count[q] <= count[q] + {{DEPTH_BITS{1'b0}}, accept && request_vc == q[VC_BITS-1:0]}
                             - {{DEPTH_BITS{1'b0}}, take && answer_select == q[VC_BITS-1:0]};
      end
    end
  end
endmodule
