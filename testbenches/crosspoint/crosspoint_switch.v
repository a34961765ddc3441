// SPDX-License-Identifier: Apache-2.0
// Crosspoint-buffered switch of whole packets (Kanoh 2000, section 3, fig. 2): PORTS^2 FIFOs, one for each (input, output), with room
// wires back to the senders, multicast into all FIFOs of the port bits at once, and a synchronization table. A flit is 28 bits: data
// 23:0, even parity 24, position 27:25. All outputs are registers.
module crosspoint_switch #(
    parameter PORTS = 4,
    parameter SLOTS = 2,  // packets of a FIFO
    parameter FLIT_BITS = 7,  // a packet has at most 2^FLIT_BITS flits
    parameter SINGLE_CYCLES = 10,  // head at this input to head at the next one
    parameter MULTICAST_CYCLES = 15,
    parameter SYNC_CYCLES = 16,
    parameter ACCESS_CYCLES = 2,  // of the synchronization table
    parameter RESERVE_AFTER = 4,  // times that a multicast is passed over before its FIFOs are reserved
    // Derived; do not set.
    parameter NUMBER_BITS = PORTS > 8 ? 4 : PORTS > 4 ? 3 : PORTS > 2 ? 2 : 1,
    parameter PORT_BITS = PORTS > 15 ? 5 : PORTS > 7 ? 4 : PORTS > 3 ? 3 : 2
) (
    input  wire                      clock,
    input  wire                      reset,
    // The switch's place in the network; changes at reset only. An output's port bits are fixed (a node, a redundant stage), or its
    // next switch leads by output q to the nodes first .. last - 1.
    input  wire [PORTS*PORTS-1:0]    route_fixed,
    input  wire [PORTS*PORTS*11-1:0] route_first,
    input  wire [PORTS*PORTS*11-1:0] route_last,
    input  wire [PORTS*64-1:0]       sync_from,  // nodes whose synchronizations come in by each input
    input  wire [PORTS*64-1:0]       sync_to,  // nodes that each output leads to
    // Receiving ends.
    input  wire [PORTS-1:0]          in_valid,
    input  wire [PORTS*28-1:0]       in_flit,
    output wire [PORTS*PORTS-1:0]    in_room,  // bit input * PORTS + output: the FIFO has room for a whole packet
    output wire [PORTS*PORTS-1:0]    in_freed,  // a slot of the FIFO has become free
    // Sending ends.
    output wire [PORTS-1:0]          out_valid,
    output wire [PORTS*28-1:0]       out_flit,
    input  wire [PORTS*PORTS-1:0]    out_room,  // bit output * PORTS + FIFO: room as the sender trusts it
    // For observers: where a packet whose port flit leaves comes from, and what the table has absorbed.
    output wire [PORTS*PORT_BITS-1:0] out_from,
    output wire [PORTS*7-1:0]        out_sid,
    output reg                       sync_done,
    output reg  [NUMBER_BITS-1:0]    sync_input,
    output reg  [NUMBER_BITS-1:0]    sync_output,
    output reg                       sync_complete,
    output reg  [PORTS-1:0]          sync_arrived,
    output reg  [PORTS-1:0]          sync_early
);
  generate
    if (PORTS < 2 || PORTS > 16) begin : contradiction0
      PORTS_is_not_2_to_16 stop ();
    end
    if (SLOTS < 1 || SLOTS > 4) begin : contradiction1
      SLOTS_is_not_1_to_4 stop ();
    end
    if (FLIT_BITS < 4 || FLIT_BITS > 9) begin : contradiction2
      FLIT_BITS_is_not_4_to_9 stop ();
    end
    if (SINGLE_CYCLES < 3 || SINGLE_CYCLES > 255 || MULTICAST_CYCLES < 6 || MULTICAST_CYCLES > 255) begin : contradiction3
      SINGLE_CYCLES_or_MULTICAST_CYCLES_is_shorter_than_the_header_or_above_255 stop ();
    end
    if (ACCESS_CYCLES < 1 || SYNC_CYCLES < ACCESS_CYCLES + 11 || SYNC_CYCLES > 255) begin : contradiction4
      SYNC_CYCLES_is_not_ACCESS_CYCLES_and_11_to_255 stop ();
    end
    if (RESERVE_AFTER < 1 || RESERVE_AFTER > 255) begin : contradiction5
      RESERVE_AFTER_is_not_1_to_255 stop ();
    end
  endgenerate

  localparam FIFOS = PORTS * PORTS;
  localparam SLOT_BITS = SLOTS > 2 ? 2 : 1;
  wire [PORTS-1:0] head, routed, is_sync, is_last, is_header;
  wire [PORTS*2-1:0] kind;
  wire [PORTS*PORTS-1:0] targets;
  wire [PORTS*FLIT_BITS-1:0] index;
  wire [PORTS*24-1:0] data;
  wire [FIFOS-1:0] send, asks_table, absorb;
  wire [FIFOS*SLOT_BITS-1:0] write_slots, read_slots;
  wire [PORTS-1:0] complete, take, take_parity, next_word, word_last;
  wire [PORTS*7-1:0] take_sid;
  wire [PORTS*24-1:0] word;
  wire [6:0] complete_sid;
  wire complete_parity;
  wire [63:0] complete_map;
  wire [PORTS*64-1:0] members;

  genvar i, o;
  generate
    for (i = 0; i < PORTS; i = i + 1) begin : each_input
      assign data[i*24+:24] = in_flit[i*28+:24];
      assign is_last[i] = in_flit[i*28+27];
      assign is_sync[i] = kind[i*2+:2] == 2'd2;
      assign is_header[i] = in_valid[i] && is_sync[i] && !head[i];
      crosspoint_input #(
          .PORTS(PORTS),
          .FLIT_BITS(FLIT_BITS)
      ) unit (
          .clock(clock),
          .reset(reset),
          .valid(in_valid[i]),
          .data(data[i*24+:24]),
          .last(is_last[i]),
          .head(head[i]),
          .targets(targets[i*PORTS+:PORTS]),
          .kind(kind[i*2+:2]),
          .index(index[i*FLIT_BITS+:FLIT_BITS]),
          .routed(routed[i]),
          .members(members[i*64+:64])
      );
    end
    for (o = 0; o < PORTS; o = o + 1) begin : each_output
      wire [PORTS-1:0] asks, multicast;
      wire [PORTS*PORTS-1:0] ports;
      wire [PORTS*28-1:0] fronts;
      wire [PORTS-1:0] sends, complete_ports;
      for (i = 0; i < PORTS; i = i + 1) begin : column
        wire [PORTS-1:0] next;
        next_ports #(
            .PORTS(PORTS)
        ) route (
            .enable(routed[i] && targets[i*PORTS+o]),
            .fixed(route_fixed[o*PORTS+:PORTS]),
            .first(route_first[o*PORTS*11+:PORTS*11]),
            .last(route_last[o*PORTS*11+:PORTS*11]),
            .kind({1'b0, kind[i*2]}),  // a synchronization leaves by its table
            .members(members[i*64+:64]),
            .number(data[i*24+:10]),
            .ports(next)
        );
        crosspoint_fifo #(
            .PORTS(PORTS),
            .SLOTS(SLOTS),
            .FLIT_BITS(FLIT_BITS),
            .SINGLE_WAIT(SINGLE_CYCLES - 2),
            .MULTICAST_WAIT(MULTICAST_CYCLES - 2),
            .SYNC_WAIT(SYNC_CYCLES - ACCESS_CYCLES - 2)
        ) fifo (
            .clock(clock),
            .reset(reset),
            .write(targets[i*PORTS+o]),
            .head(head[i]),
            .flit(in_flit[i*28+:28]),
            .kind(kind[i*2+:2]),
            .routed(routed[i]),
            .next_ports(next),
            .send(send[i*PORTS+o]),
            .absorb(absorb[i*PORTS+o]),
            .asks(asks[i]),
            .multicast(multicast[i]),
            .asks_table(asks_table[i*PORTS+o]),
            .ports(ports[i*PORTS+:PORTS]),
            .front(fronts[i*28+:28]),
            .write_slot(write_slots[(i*PORTS+o)*SLOT_BITS+:SLOT_BITS]),
            .read_slot(read_slots[(i*PORTS+o)*SLOT_BITS+:SLOT_BITS]),
            .room(in_room[i*PORTS+o]),
            .freed(in_freed[i*PORTS+o])
        );
        assign send[i*PORTS+o] = sends[i];
      end
      next_ports #(
          .PORTS(PORTS)
      ) sync_route (
          .enable(complete[o]),
          .fixed(route_fixed[o*PORTS+:PORTS]),
          .first(route_first[o*PORTS*11+:PORTS*11]),
          .last(route_last[o*PORTS*11+:PORTS*11]),
          .kind(2'd2),
          .members(complete_map),
          .number(10'd0),
          .ports(complete_ports)
      );
      crosspoint_output #(
          .PORTS(PORTS),
          .PORT_BITS(PORT_BITS),
          .RESERVE_AFTER(RESERVE_AFTER)
      ) unit (
          .clock(clock),
          .reset(reset),
          .room(out_room[o*PORTS+:PORTS]),
          .asks(asks),
          .multicast(multicast),
          .ports(ports),
          .fronts(fronts),
          .send(sends),
          .complete(complete[o]),
          .complete_sid(complete_sid),
          .complete_parity(complete_parity),
          .complete_ports(complete_ports),
          .take(take[o]),
          .take_sid(take_sid[o*7+:7]),
          .take_parity(take_parity[o]),
          .next_word(next_word[o]),
          .word(word[o*24+:24]),
          .word_last(word_last[o]),
          .out_valid(out_valid[o]),
          .out_flit(out_flit[o*28+:28]),
          .out_from(out_from[o*PORT_BITS+:PORT_BITS]),
          .out_sid(out_sid[o*7+:7])
      );
    end
  endgenerate

  wire done, done_complete;
  wire [NUMBER_BITS-1:0] done_input, done_output;
  wire [PORTS-1:0] done_arrived, done_early;
  sync_table #(
      .PORTS(PORTS),
      .SLOTS(SLOTS),
      .FLIT_BITS(FLIT_BITS),
      .ACCESS_CYCLES(ACCESS_CYCLES)
  ) table_ (
      .clock(clock),
      .reset(reset),
      .from(sync_from),
      .to(sync_to),
      .header(is_header),
      .header_fifo(targets),
      .header_index(index),
      .header_data(data),
      .header_last(is_last),
      .write_slots(write_slots),
      .asks(asks_table),
      .read_slots(read_slots),
      .absorb(absorb),
      .complete(complete),
      .sid(complete_sid),
      .parity(complete_parity),
      .members(complete_map),
      .take(take),
      .take_sid(take_sid),
      .take_parity(take_parity),
      .next_word(next_word),
      .word(word),
      .word_last(word_last),
      .done(done),
      .done_input(done_input),
      .done_output(done_output),
      .done_complete(done_complete),
      .done_arrived(done_arrived),
      .done_early(done_early)
  );

  // With the wires of the freed slot.
  always @(posedge clock) begin
    sync_done <= done && !reset;
    sync_input <= reset ? {NUMBER_BITS{1'b0}} : done_input;
    sync_output <= reset ? {NUMBER_BITS{1'b0}} : done_output;
    sync_complete <= done_complete && !reset;
    sync_arrived <= reset ? {PORTS{1'b0}} : done_arrived;
    sync_early <= reset ? {PORTS{1'b0}} : done_early;
  end
endmodule
