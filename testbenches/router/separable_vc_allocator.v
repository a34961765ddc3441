// SPDX-License-Identifier: Apache-2.0
// Virtual-channel allocation, separable and input first: an input VC picks one of the output VCs that it requests,
// and an output VC picks one of the input VCs that have picked it.
module separable_vc_allocator #(
    parameter PORTS = 5,
    parameter VCS = 4,
    parameter LINES = 20,
    parameter MATRIX = 0
) (
    input  wire                   clock,
    input  wire                   reset,
    input  wire [PORTS*LINES-1:0] at,      // input VC l requests port p: bit p * LINES + l, one port for each input VC
    input  wire [LINES*VCS-1:0]   vcs,     // output VCs that input VC l may take
    output reg  [LINES*VCS-1:0]   granted  // at most one for each input VC
);
  wire [LINES*VCS-1:0] choice;
  wire [PORTS*VCS*LINES-1:0] winner;  // of an output VC: an input VC
  genvar l, p, c, n;
  generate
    for (l = 0; l < LINES; l = l + 1) begin : line
      arbiter #(.LINES(VCS), .MATRIX(MATRIX)) vc (.clock(clock), .reset(reset), .requests(vcs[l*VCS+:VCS]),
          .pick(choice[l*VCS+:VCS]), .served(granted[l*VCS+:VCS]));
    end
    for (p = 0; p < PORTS; p = p + 1) begin : port
      for (c = 0; c < VCS; c = c + 1) begin : of_vc
        wire [LINES-1:0] wishes;
        for (n = 0; n < LINES; n = n + 1) begin : of_line
          assign wishes[n] = at[p*LINES+n] && choice[n*VCS+c];
        end
        arbiter #(.LINES(LINES), .MATRIX(MATRIX)) one (.clock(clock), .reset(reset), .requests(wishes),
            .pick(winner[(p*VCS+c)*LINES+:LINES]), .served(winner[(p*VCS+c)*LINES+:LINES]));
      end
    end
  endgenerate

  integer i, j, k;
  always @* begin
    granted = {LINES * VCS{1'b0}};
    for (i = 0; i < PORTS; i = i + 1)
      for (j = 0; j < VCS; j = j + 1)
        for (k = 0; k < LINES; k = k + 1) if (winner[(i*VCS+j)*LINES+k]) granted[k*VCS+j] = 1'b1;
  end
endmodule
