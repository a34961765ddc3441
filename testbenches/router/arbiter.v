// SPDX-License-Identifier: Apache-2.0
// Arbiter: picks one of the requesting lines. From the next cycle on, a served line has the lowest priority: by round robin
// (0), where the lines after it have the highest, or by a priority matrix (1), where the others keep their order.
module arbiter #(
    parameter LINES = 4,
    parameter MATRIX = 0
) (
    input  wire             clock,
    input  wire             reset,
    input  wire [LINES-1:0] requests,
    output wire [LINES-1:0] pick,      // one-hot, or 0
    input  wire [LINES-1:0] served     // one-hot, or 0
);
  generate
    if (LINES < 1) begin : contradiction0
      LINES_is_less_than_1 stop ();
    end
    if (MATRIX == 0) begin : round_robin
      reg  [LINES-1:0] first;  // lines after the one that was served last
      wire [LINES-1:0] preferred = requests & first;
      wire [LINES-1:0] lines = |preferred ? preferred : requests;
      assign pick = lines & (~lines + 1'b1);
      always @(posedge clock) begin
        if (reset) first <= {LINES{1'b0}};
        else if (|served) first <= ~(served | (served - 1'b1));
      end
    end else if (LINES == 1) begin : alone
      assign pick = requests;
      wire unused = &{1'b0, clock, reset, served};
    end else begin : matrix
      // Line i has priority over line j > i: bit j * (j - 1) / 2 + i.
      reg [LINES*(LINES-1)/2-1:0] earlier;
      reg [LINES-1:0] beaten;
      integer i, j;
      always @* begin
        beaten = {LINES{1'b0}};
        for (j = 1; j < LINES; j = j + 1)
          for (i = 0; i < j; i = i + 1)
            if (requests[i] && requests[j]) begin
              if (earlier[j*(j-1)/2+i]) beaten[j] = 1'b1;
              else beaten[i] = 1'b1;
            end
      end
      assign pick = requests & ~beaten;
      integer a, b;
      always @(posedge clock) begin
        for (b = 1; b < LINES; b = b + 1)
          for (a = 0; a < b; a = a + 1) begin
            if (served[a]) earlier[b*(b-1)/2+a] <= 1'b0;
            if (served[b]) earlier[b*(b-1)/2+a] <= 1'b1;
          end
        if (reset) earlier <= {LINES * (LINES - 1) / 2{1'b1}};
      end
    end
  endgenerate
endmodule
