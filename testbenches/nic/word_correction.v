// SPDX-License-Identifier: Apache-2.0
// Check of a word with its check bits: a single error is corrected, two are detected.
module word_correction (
    input  wire [63:0] received,
    input  wire [ 7:0] received_check,
    output wire [63:0] word,
    output wire        corrected,     // also of an error in the check bits alone
    output wire        uncorrectable
);
  wire [511:0] columns;
  wire [7:0] check;
  integer i;
  reg [63:0] flips;

  ecc_columns matrix (.columns(columns));
  word_ecc expected (
      .word (received),
      .check(check)
  );
  wire [7:0] syndrome = check ^ received_check;
  wire in_check = syndrome != 8'd0 && (syndrome & (syndrome - 8'd1)) == 8'd0;

  always @* for (i = 0; i < 64; i = i + 1) flips[i] = syndrome == columns[8*i+:8];

  assign word = received ^ flips;
  assign corrected = in_check || flips != 64'd0;
  assign uncorrectable = syndrome != 8'd0 && !corrected;
endmodule
