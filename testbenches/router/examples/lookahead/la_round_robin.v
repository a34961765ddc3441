// SPDX-License-Identifier: Apache-2.0
// One of N requests, in turn: the requester after the one that won last comes first.
module la_round_robin #(
  parameter N = 4
) (
  input  wire           clk_i,
  input  wire           rst_ni,
  input  wire [0:N-1]   request_i,
  input  wire           advance_i,  // the grant of this cycle was used
  output reg  [0:N-1]   grant_o
);
  reg [0:N-1] after;  // requesters that come after the last winner

  wire [0:N-1] first_turn = request_i & after;
  wire [0:N-1] candidates = |first_turn ? first_turn : request_i;

  integer         i;
  reg             found;
  reg [0:N-1]     behind;  // requesters after the winner
  always @* begin
    grant_o = {N{1'b0}};
    found = 1'b0;
    for (i = 0; i < N; i = i + 1) begin
      behind[i] = found;
      if (candidates[i] && !found) begin
        grant_o[i] = 1'b1;
        found = 1'b1;
      end
    end
  end

  always @(posedge clk_i)
    if (!rst_ni) after <= {N{1'b1}};
    else if (advance_i && found) after <= behind;
endmodule
