// SPDX-License-Identifier: Apache-2.0
// The predictor of an input, the twin of router::Predictors: the output port of the next head. It learns from finished route
// computations. A port number that does not exist means no prediction.
module predictor #(
    parameter KIND = 1,  // 0 static, 1 latest port, 2 finite context, 3 last destination's port
    parameter PORTS = 5,
    parameter PORT_BITS = 3,
    parameter DESTINATION_BITS = 6,
    parameter HEADS = 2,       // finite context: heads whose ports choose an entry
    parameter ENTRY_BITS = 4,  // last destination: number of bits that select an entry
    parameter [PORT_BITS-1:0] STRAIGHT = 0
) (
    input  wire                        clock,
    input  wire                        reset,
    /* verilator lint_off UNUSEDSIGNAL */  // each kind reads a part of these
    input  wire                        learn_valid,
    input  wire [PORT_BITS-1:0]        learn_port,
    input  wire [DESTINATION_BITS-1:0] learn_destination,
    /* verilator lint_on UNUSEDSIGNAL */
    output reg                         predicted_valid,
    output reg  [PORT_BITS-1:0]        predicted_port,
    output wire                        next_valid,  // the prediction of the next cycle
    output wire [PORT_BITS-1:0]        next_port
);
  // Contradictions stop elaboration: there is no module of these names.
  generate
    if (KIND < 0 || KIND > 3) begin : contradiction0
      KIND_is_not_0_to_3 stop ();
    end
    if (HEADS < 1) begin : contradiction1
      HEADS_is_less_than_1 stop ();
    end
    if (ENTRY_BITS < 1 || ENTRY_BITS > DESTINATION_BITS) begin : contradiction2
      ENTRY_BITS_is_not_1_to_DESTINATION_BITS stop ();
    end
  endgenerate

  localparam INDEX_BITS = KIND == 2 ? HEADS * PORT_BITS : KIND == 3 ? ENTRY_BITS : 1;

  generate
    if (KIND == 0) begin : fixed
      assign next_valid = {{32 - PORT_BITS{1'b0}}, STRAIGHT} < PORTS;
      assign next_port = next_valid ? STRAIGHT : {PORT_BITS{1'b0}};
    end else begin : table_of_ports
      reg [INDEX_BITS-1:0] index;
      reg [(1<<INDEX_BITS)-1:0] used;
      reg [PORT_BITS-1:0] ports[0:(1<<INDEX_BITS)-1];

      wire [INDEX_BITS-1:0] next_index;
      if (KIND == 1) begin : latest_port
        assign next_index = 1'b0;
      end else if (KIND == 3) begin : last_destination
        assign next_index = learn_valid ? learn_destination[INDEX_BITS-1:0] : index;
      end else if (HEADS == 1) begin : one_head
        assign next_index = learn_valid ? learn_port : index;
      end else begin : finite_context
        assign next_index = learn_valid ? {index[INDEX_BITS-PORT_BITS-1:0], learn_port} : index;
      end

      // A head's port is written where the heads before it point, and may be read in the same cycle.
      wire written = learn_valid && next_index == index;
      assign next_valid = written || used[next_index];
      assign next_port = written ? learn_port : used[next_index] ? ports[next_index] : {PORT_BITS{1'b0}};

      always @(posedge clock) begin
        index <= next_index;
        if (learn_valid) begin
          used[index] <= 1'b1;
          ports[index] <= learn_port;
        end
        if (reset) begin
          index <= {INDEX_BITS{1'b0}};
          used <= {1 << INDEX_BITS{1'b0}};
        end
      end
    end
  endgenerate

  always @(posedge clock) begin
    predicted_valid <= next_valid;
    predicted_port <= next_port;
    if (reset) begin
      predicted_valid <= KIND == 0 && next_valid;
      predicted_port <= KIND == 0 ? next_port : {PORT_BITS{1'b0}};
    end
  end
endmodule
