// SPDX-License-Identifier: Apache-2.0
// The predictors of a router's inputs and its predictive crossbar: `look` at an input makes the output that its predictor
// names, heads of this cycle included, its predicted output from the next cycle on.
module prediction_unit #(
    parameter KIND = 1,
    parameter PORTS = 5,
    parameter PORT_BITS = 3,
    parameter DESTINATION_BITS = 6,
    parameter HEADS = 2,
    parameter ENTRY_BITS = 4,
    parameter [PORTS*PORT_BITS-1:0] STRAIGHT = 0,
    parameter SA_CYCLES = 1,
    parameter FLIT_CYCLES = 1
) (
    input  wire                              clock,
    input  wire                              reset,
    input  wire [PORTS-1:0]                  look,  // predict, at an input without packet or flit
    input  wire [PORTS-1:0]                  learn_valid,
    input  wire [PORTS*PORT_BITS-1:0]        learn_port,
    input  wire [PORTS*DESTINATION_BITS-1:0] learn_destination,
    input  wire [PORTS*PORTS-1:0]            request,
    input  wire [PORTS-1:0]                  won_valid,
    input  wire [PORTS*PORT_BITS-1:0]        won_port,
    input  wire [PORTS-1:0]                  send,
    input  wire [PORTS-1:0]                  send_keep,
    output wire [PORTS-1:0]                  predicted_valid,
    output wire [PORTS*PORT_BITS-1:0]        predicted_port,
    output wire [PORTS-1:0]                  held_valid,
    output wire [PORTS*PORT_BITS-1:0]        held_port,
    output wire [PORTS-1:0]                  wanted_valid,
    output wire [PORTS*PORT_BITS-1:0]        wanted_port,
    output wire [PORTS-1:0]                  sent_valid,
    output wire [PORTS*PORT_BITS-1:0]        sent_port
);
  // One number must name no port, for inputs without a prediction.
  generate
    if (PORTS >= (1 << PORT_BITS)) begin : contradiction0
      PORTS_is_not_below_2_power_PORT_BITS stop ();
    end
  endgenerate

  wire [PORTS-1:0] next_valid;
  wire [PORTS*PORT_BITS-1:0] next_port, want_port;
  genvar p;
  generate
    for (p = 0; p < PORTS; p = p + 1) begin : of_input
      predictor #(
          .KIND(KIND), .PORTS(PORTS), .PORT_BITS(PORT_BITS), .DESTINATION_BITS(DESTINATION_BITS), .HEADS(HEADS),
          .ENTRY_BITS(ENTRY_BITS), .STRAIGHT(STRAIGHT[p*PORT_BITS+:PORT_BITS])
      ) one (
          .clock(clock), .reset(reset), .learn_valid(learn_valid[p]), .learn_port(learn_port[p*PORT_BITS+:PORT_BITS]),
          .learn_destination(learn_destination[p*DESTINATION_BITS+:DESTINATION_BITS]),
          .predicted_valid(predicted_valid[p]), .predicted_port(predicted_port[p*PORT_BITS+:PORT_BITS]),
          .next_valid(next_valid[p]), .next_port(next_port[p*PORT_BITS+:PORT_BITS]));
      assign want_port[p*PORT_BITS+:PORT_BITS] = next_valid[p] ? next_port[p*PORT_BITS+:PORT_BITS] : {PORT_BITS{1'b1}};
    end
  endgenerate

  predictive_crossbar #(
      .PORTS(PORTS), .PORT_BITS(PORT_BITS), .SA_CYCLES(SA_CYCLES), .FLIT_CYCLES(FLIT_CYCLES)
  ) crossbar (
      .clock(clock), .reset(reset), .want_valid(look), .want_port(want_port), .request(request), .won_valid(won_valid),
      .won_port(won_port), .send(send), .send_keep(send_keep), .held_valid(held_valid), .held_port(held_port),
      .wanted_valid(wanted_valid), .wanted_port(wanted_port), .sent_valid(sent_valid), .sent_port(sent_port));
endmodule
