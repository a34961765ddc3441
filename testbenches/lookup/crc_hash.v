// SPDX-License-Identifier: Apache-2.0
// CRC of a 64-bit key, highest byte first, followed by a register. The twin of lookup::Crc::of_key().
// A stage with handshake: the output keeps its value while out_ready is low.
module crc_hash #(
    parameter WIDTH = 32,
    parameter [WIDTH-1:0] POLYNOMIAL = 32'h1edc6f41,
    parameter [WIDTH-1:0] INITIAL = 32'hffffffff,
    parameter REFLECT_IN = 1,
    parameter REFLECT_OUT = 1,
    parameter [WIDTH-1:0] XOR_OUT = 32'hffffffff
) (
    input  wire             clock,
    input  wire             reset,
    input  wire             in_valid,
    input  wire [63:0]      in_key,
    output wire             in_ready,
    output reg              out_valid,
    output reg  [WIDTH-1:0] out_hash,
    input  wire             out_ready
);
  // Contradictions stop elaboration: there is no module of these names.
  generate
    if (WIDTH < 2 || WIDTH > 64) begin : contradiction0
      WIDTH_is_not_2_to_64 stop ();
    end
    if (!POLYNOMIAL[0]) begin : contradiction1
      POLYNOMIAL_is_even stop ();
    end
  endgenerate

  // A loop over constants: in hardware, an exclusive or over some of the key's bits for each bit.
  function [WIDTH-1:0] check(input [63:0] key);
    integer byte_of, bit_of;
    reg feedback;
    reg [WIDTH-1:0] shifted;
    begin
      shifted = INITIAL;
      for (byte_of = 7; byte_of >= 0; byte_of = byte_of - 1)
        for (bit_of = 0; bit_of < 8; bit_of = bit_of + 1) begin
          feedback = shifted[WIDTH-1] ^ key[8 * byte_of + (REFLECT_IN != 0 ? bit_of : 7 - bit_of)];
          shifted = {shifted[WIDTH-2:0], 1'b0} ^ (feedback ? POLYNOMIAL : {WIDTH{1'b0}});
        end
      for (bit_of = 0; bit_of < WIDTH; bit_of = bit_of + 1)
        check[bit_of] = (REFLECT_OUT != 0 ? shifted[WIDTH-1-bit_of] : shifted[bit_of]) ^ XOR_OUT[bit_of];
    end
  endfunction

  // Not in the process of the clock: Verilator 5.032 takes a function's own variables there for registers.
  wire [WIDTH-1:0] checked = check(in_key);

  assign in_ready = !out_valid || out_ready;

  always @(posedge clock)
    if (reset) begin
      out_valid <= 1'b0;
      out_hash <= {WIDTH{1'b0}};
    end else if (in_ready) begin
      out_valid <= in_valid;
      if (in_valid) out_hash <= checked;
    end
endmodule
