// SPDX-License-Identifier: Apache-2.0
// RTL with scopes, which prints, checks itself and calls C++, for rtl_lives_test.cpp.
`timescale 1ns / 10ps
module rtl_lives (input logic clock, input logic [7:0] value, output logic [7:0] answer);
  import "DPI-C" context function int rtl_lives_call(input int value);
  export "DPI-C" function rtl_lives_back;
  function int rtl_lives_back(input int given);
    return given + int'(value);
  endfunction

  always_ff @(posedge clock) begin
    answer <= 8'(rtl_lives_call(int'(value)));
    case (value)
      1: $error("%m at %0t", $realtime);
      2: $finish;
      3: $stop;
      4: $fatal(1, "for good");
      5: $write("a line\n");
      default: ;
    endcase
    if (value == 5) $error("after a line");
    own: assert (value != 6);
  end
  logic turns;  // without end
  assign turns = value == 7 && clock ? ~turns : 1'b0;
  final if (value == 8) $error("%m at the end, %0t", $realtime);
endmodule
