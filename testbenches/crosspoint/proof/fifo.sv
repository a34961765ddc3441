// SPDX-License-Identifier: Apache-2.0
// FIFO of a crosspoint between a sender that trusts the room wire and sends packets without gaps, an output that sends the packet at
// the front without gaps, and a table that absorbs whole packets.
module fifo #(
    parameter SLOTS = 2,
    parameter FLIT_BITS = 1
) (
    input wire clock,
    input wire reset,
    input wire arrives,
    input wire last,
    input wire bits,
    input wire [1:0] kind,
    input wire leaves,
    input wire absorb
);
  reg inside = 0, sending = 0;
  reg [FLIT_BITS-1:0] index = 0;
  reg [3:0] packets = 0, whole = 0, flits = 0;
  wire [27:0] front;
  wire asks, asks_table, room, freed;
  wire head = arrives && !inside;
  crosspoint_fifo #(.PORTS(2), .SLOTS(SLOTS), .FLIT_BITS(FLIT_BITS), .SINGLE_WAIT(1), .MULTICAST_WAIT(2), .SYNC_WAIT(2)) one (
      .clock(clock), .reset(reset), .write(arrives), .head(head), .flit({last, 26'd0, bits}), .kind(kind), .routed(head), .next_ports(2'b01),
      .send(leaves), .absorb(absorb), .asks(asks), .asks_table(asks_table), .front(front), .room(room), .freed(freed));

  // The first edge is one of a reset; others may follow.
  reg started = 0;
  always @(posedge clock) started <= 1;
  always @* if (!started) assume (reset);
  wire pop = absorb || (leaves && front[27]);

  always @(posedge clock) begin
    inside <= !reset && (arrives ? !last : inside);
    index <= reset || (arrives && last) ? 0 : index + arrives;
    sending <= !reset && (leaves ? !front[27] : sending);
    packets <= reset ? 0 : packets + head - pop;
    whole <= reset ? 0 : whole + (arrives && last) - pop;
    flits <= reset ? 0 : flits + arrives - leaves;
  end
  always @* begin
    assume (!arrives || !reset);
    assume (!inside || arrives);
    assume (!head || room);
    assume (!arrives || last || index != {FLIT_BITS{1'b1}});
    assume (!leaves || (!reset && (sending || asks)));
    assume (!sending || leaves);
    assume (!absorb || (!reset && asks_table && !sending && whole != 0));
  end

`ifdef P_room
  // No packet overruns the FIFO, an output finds each flit, and the wire rises when there is room.
  reg had_room = 0;
  always @(posedge clock) had_room <= !reset && packets + head < SLOTS;
  always @* if (started && !reset) begin
    assert (packets <= SLOTS);
    assert (!head || packets < SLOTS);
    assert (!had_room || room);
    assert (!room || packets < SLOTS);
  end
`endif
`ifdef P_freed
  // Each packet frees one slot.
  reg [3:0] used = 0;
  always @(posedge clock) used <= reset ? 0 : used + head - freed;
  reg [1:0] coming = 0;
  always @(posedge clock) coming <= reset ? 0 : {coming[0], pop};
  always @* if (started && !reset) begin
    assert (freed == coming[1]);
    assert (used == packets + coming[0] + coming[1]);
  end
`endif
`ifdef P_order
  // Any one flit, which the solver marks: it leaves when all those before it have, with the bits it came with. Nothing is absorbed.
  (* anyseq *) wire mark;
  reg marked = 0;
  reg [1:0] flit;
  reg [3:0] before;
  wire now = mark && arrives && !marked;
  always @* assume (!head || kind != 2);
  always @(posedge clock) begin
    if (now) begin
      marked <= 1;
      flit <= {last, bits};
      before <= flits - leaves;
    end else if (marked && leaves) before <= before - 1;
    if (reset || (marked && leaves && before == 0)) marked <= 0;
  end
  always @* if (started && !reset) begin
    assert (!leaves || flits != 0);
    if (marked && before == 0) assert ({front[27], front[0]} == flit);
  end
`endif
endmodule
