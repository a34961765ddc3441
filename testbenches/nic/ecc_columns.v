// SPDX-License-Identifier: Apache-2.0
// Columns of the check matrix (Hsiao code): 64 different bytes of three or five ones, column i of bit i of a word.
module ecc_columns (
    output wire [511:0] columns
);
  assign columns = {
    128'h574f3e3d_3b372f1f_e0d0c8c4_c2c1b0a8,
    128'ha4a2a198_9492918c_8a898685_83706864,
    128'h62615854_52514c4a_49464543_38343231,
    128'h2c2a2926_25231c1a_19161513_0e0d0b07
  };
endmodule
