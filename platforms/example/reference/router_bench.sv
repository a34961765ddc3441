// SPDX-License-Identifier: Apache-2.0
// A router's RTL beside its model: both get equal flits and credits, and all outputs are compared in every cycle.
module router_bench;
  localparam PORTS = 5, VCS = 4, LINES = PORTS * VCS, PLACES = 8, IN = 163, OUT = 126;
  reg clock = 0, reset = 1;
  reg [PORTS-1:0] valid = 0, head = 0, tail = 0;
  reg [2*PORTS-1:0] vc = 0;
  reg [4*PORTS-1:0] destination = 0;
  reg [12*PORTS-1:0] data = 0;
  reg [LINES-1:0] credit = 0;
  wire [OUT-1:0] rtl, model;
  vc_router #(.ROUTES("routes_5.hex")) router (clock, reset, valid, head, tail, vc, destination, data, rtl[125:106], rtl[105:101],
      rtl[100:96], rtl[95:91], rtl[90:81], rtl[80:61], rtl[60:1], credit, rtl[0], 1'b0, 4'd0, 32'd0);
  tsuji_reference #(.KIND("router"), .FILE("router.yaml"), .IN_BITS(IN), .OUT_BITS(OUT)) reference (clock,
      {reset, valid, head, tail, vc, destination, data, credit, 1'b0, 4'd0, 32'd0}, model);

  integer places[0:LINES-1], flits[0:LINES-1], owed[0:LINES-1], cycle, line, port, sent;
  always #5 clock = !clock;
  initial begin
    sent = 0;
    for (line = 0; line < LINES; line = line + 1) {places[line], flits[line], owed[line]} = {PLACES, 64'd0};
    for (cycle = 0; cycle < 100000 && (cycle == 0 || rtl === model); cycle = cycle + 1) begin
      reset = cycle < 2;
      for (line = 0; line < LINES; line = line + 1) begin  // a credit comes some cycles after its flit
        places[line] = places[line] + (rtl[106+line] === 1'b1 ? 1 : 0);
        if (rtl[101+line/VCS] === 1'b1 && rtl[81+line/VCS*2+:2] == line % VCS) owed[line] = owed[line] + 1;
        credit[line] = owed[line] > 0 && $urandom % 3 == 0;
        if (credit[line]) owed[line] = owed[line] - 1;
      end
      for (port = 0; port < PORTS; port = port + 1) begin  // packets of 1 to 5 flits for other ports
        line = port * VCS + $urandom % VCS;
        valid[port] = cycle > 2 && places[line] > 0 && $urandom % 4 > 0;
        head[port] = flits[line] == 0;
        if (valid[port] && head[port]) flits[line] = 1 + $urandom % 5;
        tail[port] = flits[line] == 1;
        {vc[2*port+:2], destination[4*port+:4], data[12*port+:12]} = {line[1:0], 4'd0, cycle[11:0]} | (((port + 1 + $urandom % 4) % 5) << 12);
        flits[line] = flits[line] - valid[port];
        places[line] = places[line] - valid[port];
        sent = sent + valid[port];
      end
      @(negedge clock);
    end
    if (rtl === model) $display("equal in %0d cycles, %0d flits", cycle, sent);
    else $display("cycle %0d: the RTL has %h, the model %h", cycle, rtl, model);
    $finish;
  end
endmodule
