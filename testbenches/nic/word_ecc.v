// SPDX-License-Identifier: Apache-2.0
// Eight check bits of a 64-bit word.
module word_ecc (
    input  wire [63:0] word,
    output reg  [ 7:0] check
);
  wire [511:0] columns;
  integer i;

  ecc_columns matrix (.columns(columns));

  always @* begin
    check = 8'd0;
    for (i = 0; i < 64; i = i + 1) if (word[i]) check = check ^ columns[8*i+:8];
  end
endmodule
