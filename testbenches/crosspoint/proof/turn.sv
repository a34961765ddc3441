// SPDX-License-Identifier: Apache-2.0
// Arbiter of an output, whose FIFO heads keep their requests until they are served.
module turn #(
    parameter PORTS = 2,
    parameter PORT_BITS = 2,
    parameter RESERVE_AFTER = 2
) (
    input wire clock,
    input wire reset,
    input wire enable,
    input wire [PORTS-1:0] room,
    input wire [PORTS:0] asks,
    input wire [PORTS-1:0] multicast,
    input wire [PORTS*PORTS-1:0] ports,
    input wire [PORTS-1:0] owed_ports
);
  wire [PORTS-1:0] unreserved;
  wire found;
  wire [PORT_BITS-1:0] chosen;
  output_arbiter #(.PORTS(PORTS), .PORT_BITS(PORT_BITS), .RESERVE_AFTER(RESERVE_AFTER)) one (.clock(clock), .reset(reset), .enable(enable),
      .room(room), .asks(asks), .multicast(multicast), .ports(ports), .owed_ports(owed_ports), .unreserved(unreserved), .found(found),
      .chosen(chosen));

  // The first cycle is one of a reset; others may follow.
  reg started = 0;
  always @(posedge clock) started <= 1;
  always @* if (!started) assume (reset);
  wire runs = started && !reset;

  integer i;
  reg [PORTS-1:0] asked, were_multicast;
  reg [PORTS*PORTS-1:0] had_ports;
  always @(posedge clock) begin
    for (i = 0; i < PORTS; i = i + 1) asked[i] <= !reset && asks[i] && !(found && chosen == i);
    were_multicast <= multicast;
    had_ports <= ports;
  end
  always @* begin
    assume (!reset || !enable);
    for (i = 0; i < PORTS; i = i + 1) begin
      assume (!asks[i] || ports[i*PORTS+:PORTS] != 0);
      if (runs && asked[i])
        assume (asks[i] && multicast[i] == were_multicast[i] && ports[i*PORTS+:PORTS] == had_ports[i*PORTS+:PORTS]);
    end
    // owed_rounds offers only what it may send.
    assume (!asks[PORTS] || (owed_ports != 0 && (owed_ports & ~unreserved) == 0));
  end

  wire [PORTS-1:0] kept = room & ~unreserved;
  wire [PORTS-1:0] taken = chosen == PORTS ? owed_ports : ports[chosen*PORTS+:PORTS];
`ifdef P_rooms
  // No deadlock: an output whose receivers have room serves somebody; without a reservation it does so if any requester has room.
  (* hierconn *) wire \one.reserved ;
  (* hierconn *) wire [PORT_BITS-1:0] \one.reserved_for ;
  reg any;
  always @* begin
    any = asks[PORTS];
    for (i = 0; i < PORTS; i = i + 1) any = any || (asks[i] && (ports[i*PORTS+:PORTS] & ~room) == 0);
  end
  always @* if (runs) begin
    if (enable && asks != 0 && room == {PORTS{1'b1}}) assert (found);
    if (enable && any && !\one.reserved ) assert (found);
    if (\one.reserved ) assert (\one.reserved_for < PORTS && asks[\one.reserved_for ] && multicast[\one.reserved_for ]);
  end
`endif
`ifdef P_grants
  // A grant goes to a requester, into FIFOs with room, and into reserved FIFOs for their multicast alone.
  (* hierconn *) wire \one.reserved ;
  (* hierconn *) wire [PORT_BITS-1:0] \one.reserved_for ;
  (* hierconn *) wire [PORTS*8-1:0] \one.passed_over ;
  always @* if (runs) begin
    if (found) assert (enable && chosen <= PORTS && asks[chosen] && (taken & ~room) == 0);
    if (found && \one.reserved && chosen != \one.reserved_for ) assert ((taken & ports[\one.reserved_for *PORTS+:PORTS]) == 0);
    if (\one.reserved ) assert (\one.reserved_for < PORTS && asks[\one.reserved_for ] && multicast[\one.reserved_for ]);
    for (i = 0; i < PORTS; i = i + 1) assert (\one.passed_over [i*8+:8] <= RESERVE_AFTER);
  end
`endif
endmodule
