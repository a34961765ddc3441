// SPDX-License-Identifier: Apache-2.0
// Synchronizations that an output owes, of one sid: two rounds at most are open, as the senders keep to.
module rounds #(
    parameter SID = 5
) (
    input wire clock,
    input wire reset,
    input wire [1:0] free,
    input wire take,
    input wire complete,
    input wire [6:0] complete_sid,
    input wire complete_parity,
    input wire [1:0] complete_ports
);
  localparam [6:0] one_sid = SID;
  wire asks, parity;
  wire [6:0] sid;
  wire [1:0] ports;
  owed_rounds #(.PORTS(2)) one (.clock(clock), .reset(reset), .free(free), .take(take), .complete(complete), .complete_sid(complete_sid),
      .complete_parity(complete_parity), .complete_ports(complete_ports), .asks(asks), .sid(sid), .parity(parity), .ports(ports));

  // The first cycle is one of a reset; others may follow.
  reg started = 0;
  always @(posedge clock) started <= 1;
  always @* if (!started) assume (reset);

  reg [1:0] open;
  reg oldest, newest;  // parities of the rounds
  reg [1:0] target;
  wire comes = complete && complete_sid == one_sid, goes = take && sid == one_sid;
  always @(posedge clock) begin
    open <= reset ? 0 : open + comes - goes;
    if (comes) begin
      newest <= complete_parity;
      target <= complete_ports;
    end
    if (comes && open - goes == 0) oldest <= complete_parity;
    else if (goes) oldest <= !oldest;
  end
  always @* begin
    assume (!take || asks);
    assume (!reset || (!take && !complete));
    // The table's parities alternate, and a synchronization goes to one FIFO, that of its members.
    assume (!complete || complete_ports == 1 || complete_ports == 2);
    if (comes) assume (open < 2 && (open == 0 || (complete_parity != newest && complete_ports == target)));
  end

  (* hierconn *) wire [127:0] \one.once ;
  (* hierconn *) wire [127:0] \one.twice ;
  (* hierconn *) wire [127:0] \one.parities ;
  (* hierconn *) wire [255:0] \one.needs ;
  wire once = \one.once >> one_sid;
  wire twice = \one.twice >> one_sid;
  wire next_parity = \one.parities >> one_sid;
  wire [1:0] needs = {\one.needs [255:128] >> one_sid, 1'b0} | (\one.needs [127:0] >> one_sid & 1'b1);
  always @* if (started && !reset) begin
    assert (open <= 2);
    assert (once == (open != 0) && twice == (open == 2));
    if (open == 1) assert (oldest == newest);
    if (open == 2) assert (oldest != newest);
    if (open != 0) assert (next_parity == oldest && needs == target && (target == 1 || target == 2));
    if (goes) assert (open != 0 && parity == oldest && ports == target && (target & ~free) == 0);
  end
endmodule
