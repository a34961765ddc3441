// SPDX-License-Identifier: Apache-2.0
// FIFO of one crosspoint: SLOTS packets of up to 2^FLIT_BITS flits. A packet may leave while it arrives. Its head requests when it has
// passed the pipeline of its kind, which is counted down in its slot.
module crosspoint_fifo #(
    parameter PORTS = 4,
    parameter SLOTS = 2,
    parameter FLIT_BITS = 7,
    parameter SINGLE_WAIT = 8,
    parameter MULTICAST_WAIT = 13,
    parameter SYNC_WAIT = 12,
    // Derived; do not set.
    parameter SLOT_BITS = SLOTS > 2 ? 2 : 1
) (
    input  wire             clock,
    input  wire             reset,
    input  wire             write,
    input  wire             head,
    input  wire [27:0]      flit,
    input  wire [1:0]       kind,
    input  wire             routed,
    input  wire [PORTS-1:0] next_ports,
    input  wire             send,  // the output takes the flit at the front
    input  wire             absorb,  // the synchronization table takes the packet at the front
    output wire             asks,  // the packet at the front requests the output
    output wire             multicast,
    output wire             asks_table,  // it requests the synchronization table
    output wire [PORTS-1:0] ports,  // its port bits at the next switch
    output wire [27:0]      front,
    output reg  [SLOT_BITS-1:0] write_slot,
    output reg  [SLOT_BITS-1:0] read_slot,
    output reg              room,  // registered: there is room for a whole packet
    output reg              freed  // registered: a slot has become free
);
  integer s;
  reg [27:0] flits[0:(1<<(SLOT_BITS+FLIT_BITS))-1];
  reg [FLIT_BITS-1:0] write_at, read_at;
  reg [2:0] count;
  reg [SLOTS*2-1:0] kinds;
  reg [SLOTS*8-1:0] waits;
  reg [SLOTS*PORTS-1:0] ports_of;
  reg popped;

  localparam LAST_SLOT = SLOTS - 1;
  localparam [2:0] FULL = SLOTS[2:0];
  wire [1:0] front_kind = kinds[read_slot*2+:2];
  wire ready = count != 3'd0 && waits[read_slot*8+:8] == 8'd0;
  wire comes = write && head;
  wire pop = absorb || (send && front[27]);

  assign asks = ready && front_kind != 2'd2;
  assign multicast = front_kind == 2'd1;
  assign asks_table = ready && front_kind == 2'd2;
  assign ports = ports_of[read_slot*PORTS+:PORTS];
  assign front = flits[{read_slot, read_at}];

  always @(posedge clock) begin
    if (reset) begin
      write_slot <= {SLOT_BITS{1'b0}};
      read_slot <= {SLOT_BITS{1'b0}};
      write_at <= {FLIT_BITS{1'b0}};
      read_at <= {FLIT_BITS{1'b0}};
      count <= 3'd0;
      room <= 1'b1;
      popped <= 1'b0;
      freed <= 1'b0;
      kinds <= {SLOTS{2'd0}};
    end else begin
      if (write) begin
        write_at <= flit[27] ? {FLIT_BITS{1'b0}} : write_at + 1'b1;
        if (flit[27]) write_slot <= write_slot == LAST_SLOT[SLOT_BITS-1:0] ? {SLOT_BITS{1'b0}} : write_slot + 1'b1;
      end
      if (comes) kinds[write_slot*2+:2] <= kind;
      if (pop) begin
        read_at <= {FLIT_BITS{1'b0}};
        read_slot <= read_slot == LAST_SLOT[SLOT_BITS-1:0] ? {SLOT_BITS{1'b0}} : read_slot + 1'b1;
      end else if (send) read_at <= read_at + 1'b1;
      if (comes != pop) count <= comes ? count + 3'd1 : count - 3'd1;
      room <= count < FULL - {2'd0, comes};
      popped <= pop;
      freed <= popped;
    end
    for (s = 0; s < SLOTS; s = s + 1) if (waits[s*8+:8] != 8'd0) waits[s*8+:8] <= waits[s*8+:8] - 8'd1;
    if (comes) waits[write_slot*8+:8] <= kind == 2'd0 ? SINGLE_WAIT[7:0] : kind == 2'd1 ? MULTICAST_WAIT[7:0] : SYNC_WAIT[7:0];
    if (write && routed) ports_of[write_slot*PORTS+:PORTS] <= next_ports;
    if (write) flits[{write_slot, write_at}] <= flit;
  end
endmodule
