// SPDX-License-Identifier: Apache-2.0
// Output of a crosspoint switch: its arbiter, the synchronizations that it owes, and the flits of the packet that it sends. The port
// flit leaves with the port bits of the next switch.
module crosspoint_output #(
    parameter PORTS = 4,
    parameter PORT_BITS = 3,
    parameter RESERVE_AFTER = 4
) (
    input  wire                   clock,
    input  wire                   reset,
    input  wire [PORTS-1:0]       room,
    input  wire [PORTS-1:0]       asks,
    input  wire [PORTS-1:0]       multicast,
    input  wire [PORTS*PORTS-1:0] ports,
    input  wire [PORTS*28-1:0]    fronts,
    output reg  [PORTS-1:0]       send,  // the FIFO whose front leaves
    input  wire                   complete,
    input  wire [6:0]             complete_sid,
    input  wire                   complete_parity,
    input  wire [PORTS-1:0]       complete_ports,
    output wire                   take,  // an owed packet leaves: its header is fetched from the table
    output wire [6:0]             take_sid,
    output wire                   take_parity,
    output wire                   next_word,  // a flit of it leaves
    input  wire [23:0]            word,
    input  wire                   word_last,
    output reg                    out_valid,
    output reg  [27:0]            out_flit,
    output reg  [PORT_BITS-1:0]   out_from,  // with a packet's port flit: its input, or PORTS for the table
    output reg  [6:0]             out_sid
);
  integer i;
  reg sending, generating, odd;
  reg [PORT_BITS-1:0] source;
  wire [PORTS-1:0] unreserved;
  wire found, owes;
  wire [PORT_BITS-1:0] chosen;
  wire [PORTS-1:0] owed_ports;
  wire idle = !sending && !generating;

  owed_rounds #(
      .PORTS(PORTS)
  ) owed (
      .clock(clock),
      .reset(reset),
      .free(unreserved),
      .take(take),
      .complete(complete),
      .complete_sid(complete_sid),
      .complete_parity(complete_parity),
      .complete_ports(complete_ports),
      .asks(owes),
      .sid(take_sid),
      .parity(take_parity),
      .ports(owed_ports)
  );
  output_arbiter #(
      .PORTS(PORTS),
      .PORT_BITS(PORT_BITS),
      .RESERVE_AFTER(RESERVE_AFTER)
  ) arbiter (
      .clock(clock),
      .reset(reset),
      .enable(idle && (asks != 0 || owes)),
      .room(room),
      .asks({owes, asks}),
      .multicast(multicast),
      .ports(ports),
      .owed_ports(owed_ports),
      .unreserved(unreserved),
      .found(found),
      .chosen(chosen)
  );

  // The flit that leaves, with its FIFO.
  reg [27:0] front;
  reg [PORTS-1:0] new_ports;
  reg [23:0] head;
  assign take = found && chosen == PORTS[PORT_BITS-1:0];
  assign next_word = generating;
  always @* begin
    send = {PORTS{1'b0}};
    front = 28'd0;
    new_ports = owed_ports;
    for (i = 0; i < PORTS; i = i + 1) begin
      send[i] = found ? chosen == i[PORT_BITS-1:0] : sending && source == i[PORT_BITS-1:0];
      if (send[i]) begin
        front = fronts[i*28+:28];
        new_ports = ports[i*PORTS+:PORTS];
      end
    end
    head = 24'd0;
    head[1:0] = take ? 2'd2 : front[1:0];
    head[2+:PORTS] = new_ports;
  end

  always @(posedge clock) begin
    if (reset) begin
      sending <= 1'b0;
      generating <= 1'b0;
      odd <= 1'b0;
      source <= {PORT_BITS{1'b0}};
      out_valid <= 1'b0;
      out_flit <= 28'd0;
      out_from <= {PORT_BITS{1'b0}};
      out_sid <= 7'd0;
    end else begin
      out_valid <= found || !idle;
      out_from <= found ? chosen : {PORT_BITS{1'b0}};
      out_sid <= take ? take_sid : 7'd0;
      if (found) begin
        source <= chosen;
        sending <= !take && !front[27];
        generating <= take;
        odd <= 1'b0;
        out_flit <= {take ? 3'b001 : front[27:25], ^head, head};
      end else if (sending) begin
        sending <= !front[27];
        out_flit <= front;
      end else if (generating) begin
        generating <= !word_last;
        odd <= !odd;
        out_flit <= {word_last ? 3'b100 : odd ? 3'b001 : 3'b010, ^word, word};
      end else out_flit <= 28'd0;
    end
  end
endmodule
