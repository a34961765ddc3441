// SPDX-License-Identifier: Apache-2.0
// A router's RTL beside its model: both get equal flits and credits, and all outputs are compared in every cycle.
module router_bench #(parameter CYCLES = 100000);
  localparam PORTS = 5, VCS = 4, LINES = PORTS * VCS;
  reg clock = 0, reset = 1;
  reg [PORTS-1:0] valid = 0, head = 0, tail = 0;
  reg [2*PORTS-1:0] vc = 0;
  reg [4*PORTS-1:0] destination = 0;
  reg [12*PORTS-1:0] data = 0;
  reg [LINES-1:0] credit = 0;
  wire [125:0] rtl, model;  // from 106 on freed places, 101 flits that leave, 96 heads, 91 tails, 81 virtual channels
  vc_router #(.ROUTES("routes.hex")) router (clock, reset, valid, head, tail, vc, destination, data, rtl[125:106], rtl[105:101],
      rtl[100:96], rtl[95:91], rtl[90:81], rtl[80:61], rtl[60:1], credit, , , , rtl[0], 1'b0, 4'd0, 32'd0);
  tsuji_reference #(.KIND("router"), .FILE("router.yaml"), .IN_BITS(163), .OUT_BITS(126)) reference (clock,
      {reset, valid, head, tail, vc, destination, data, credit, 1'b0, 4'd0, 32'd0}, model);
  integer places[0:LINES-1], flits[0:LINES-1], owed[0:LINES-1], cycle = 0, line, port, sent = 0;
  initial for (line = 0; line < LINES; line = line + 1) {places[line], flits[line], owed[line]} = {32'd8, 64'd0};
  always #5 clock = !clock;
  always @(posedge clock) begin
    if (cycle > 2 && rtl !== model) $display("cycle %0d: the RTL has %h, the model %h", cycle, rtl, model);
    else if (cycle == CYCLES) $display("equal in %0d cycles, %0d flits", cycle, sent);
    if (cycle > 2 && rtl !== model || cycle == CYCLES) $finish;
    cycle = cycle + 1;
    reset <= cycle < 3;
    if (cycle > 3) for (line = 0; line < LINES; line = line + 1) begin  // a credit comes some cycles after its flit
      places[line] = places[line] + rtl[106+line];
      credit[line] <= owed[line] > 0;
      owed[line] = owed[line] - (owed[line] > 0) + (rtl[101+line/VCS] && rtl[81+line/VCS*2+:2] == line % VCS);
    end
    if (cycle > 3) for (port = 0; port < PORTS; port = port + 1) begin  // packets of 1 to 5 flits for other ports
      line = port * VCS + $urandom % VCS;
      {valid[port], head[port]} <= {places[line] > 0, flits[line] == 0};
      if (flits[line] == 0 && places[line] > 0) flits[line] = 1 + $urandom % 5;
      if (places[line] > 0) {flits[line], places[line], sent} = {flits[line] - 32'd1, places[line] - 32'd1, sent + 32'd1};
      {tail[port], vc[2*port+:2], data[12*port+:12]} <= {flits[line] == 0, line[1:0], cycle[11:0]};
      destination[4*port+:4] <= (port + 1 + $urandom % 4) % PORTS;
    end
  end
endmodule
