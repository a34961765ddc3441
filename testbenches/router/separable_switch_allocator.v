// SPDX-License-Identifier: Apache-2.0
// Switch allocation, separable and input first: an input picks one of its virtual channels, and an output one of the inputs
// whose pick requests it. A loser keeps its priority.
module separable_switch_allocator #(
    parameter PORTS = 5,
    parameter VCS = 4,
    parameter MATRIX = 0
) (
    input  wire                       clock,
    input  wire                       reset,
    input  wire [PORTS*VCS*PORTS-1:0] requests,  // input VC l requests output o: bit l * PORTS + o
    output wire [PORTS*VCS-1:0]       granted    // at most one for each input and each output
);
  wire [PORTS*VCS-1:0] choice;
  wire [PORTS*PORTS-1:0] winner;  // of output o: input i, bit o * PORTS + i
  genvar i, o, v, n;
  generate
    for (i = 0; i < PORTS; i = i + 1) begin : in
      wire [VCS-1:0] wishes;
      wire [PORTS-1:0] won;
      for (v = 0; v < VCS; v = v + 1) begin : of_vc
        assign wishes[v] = |requests[(i*VCS+v)*PORTS+:PORTS];
      end
      for (n = 0; n < PORTS; n = n + 1) begin : of_output
        assign won[n] = winner[n*PORTS+i];
      end
      arbiter #(.LINES(VCS), .MATRIX(MATRIX)) vc (.clock(clock), .reset(reset), .requests(wishes),
          .pick(choice[i*VCS+:VCS]), .served(granted[i*VCS+:VCS]));
      assign granted[i*VCS+:VCS] = |won ? choice[i*VCS+:VCS] : {VCS{1'b0}};
    end
    for (o = 0; o < PORTS; o = o + 1) begin : out
      wire [PORTS-1:0] wishes;
      for (n = 0; n < PORTS; n = n + 1) begin : of_input
        wire [VCS-1:0] wants;
        for (v = 0; v < VCS; v = v + 1) begin : of_vc
          assign wants[v] = choice[n*VCS+v] && requests[(n*VCS+v)*PORTS+o];
        end
        assign wishes[n] = |wants;
      end
      arbiter #(.LINES(PORTS), .MATRIX(MATRIX)) one (.clock(clock), .reset(reset), .requests(wishes),
          .pick(winner[o*PORTS+:PORTS]), .served(winner[o*PORTS+:PORTS]));
    end
  endgenerate
endmodule
