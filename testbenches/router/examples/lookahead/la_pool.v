// SPDX-License-Identifier: Apache-2.0
// Buffer of an input port: SLOTS places that its virtual channels share, a linked list each. A virtual channel has
// SHARE credits, and VCS * SHARE <= SLOTS: whatever the credits admit finds a place.
module la_pool #(
  parameter VCS = 4,
  parameter VC_BITS = 2,
  parameter SLOTS = 16,
  parameter SLOT_BITS = 4,
  parameter SHARE = 4,
  parameter WIDTH = 64
) (
  input  wire                   clk_i,
  input  wire                   rst_ni,
  input  wire                   write_i,
  input  wire [0:VC_BITS-1]     write_vc_i,
  input  wire [0:WIDTH-1]       write_flit_i,
  input  wire [0:VCS-1]         read_i,     // at most one
  output wire [0:VCS-1]         filled_o,
  output wire [0:VCS*WIDTH-1]   front_o,    // oldest flit of each virtual channel
  output reg                    overflow_o  // more flits than credits
);
  localparam COUNT_BITS = SLOT_BITS + 1;

  reg [0:WIDTH-1]      flits [0:SLOTS-1];
  reg [0:SLOT_BITS-1]  next  [0:SLOTS-1];
  reg [0:SLOTS-1]      vacant;
  reg [0:SLOT_BITS-1]  first [0:VCS-1];
  reg [0:SLOT_BITS-1]  last  [0:VCS-1];
  reg [0:COUNT_BITS-1] count [0:VCS-1];

  integer             s;
  reg [0:SLOT_BITS-1] place;
  always @* begin
    place = {SLOT_BITS{1'b0}};
    for (s = SLOTS - 1; s >= 0; s = s - 1)
      if (vacant[s]) place = s[SLOT_BITS-1:0];
  end

  genvar g;
  generate
    if (VCS * SHARE > SLOTS) begin : shares
      SHARES_OF_ALL_VIRTUAL_CHANNELS_EXCEED_THE_POOL refused ();
    end
    for (g = 0; g < VCS; g = g + 1) begin : vc
      assign filled_o[g] = count[g] != 0;
      assign front_o[g*WIDTH +: WIDTH] = flits[first[g]];
      wire arrives = write_i && write_vc_i == g;
      always @(posedge clk_i)
        if (!rst_ni) begin
          count[g] <= 0;
          first[g] <= 0;
          last[g] <= 0;
        end else begin
          count[g] <= count[g] + {{SLOT_BITS{1'b0}}, arrives} - {{SLOT_BITS{1'b0}}, read_i[g]};
          if (arrives) last[g] <= place;
          if (arrives && (count[g] == 0 || (count[g] == 1 && read_i[g]))) first[g] <= place;
          else if (read_i[g]) first[g] <= next[first[g]];
        end
    end
  endgenerate

  integer v;
  always @(posedge clk_i)
    if (!rst_ni) begin
      vacant <= {SLOTS{1'b1}};
      overflow_o <= 1'b0;
    end else begin
      if (write_i) begin
        flits[place] <= write_flit_i;
        if (count[write_vc_i] != 0) next[last[write_vc_i]] <= place;  // an empty list's last place may be another's now
        vacant[place] <= 1'b0;
        if (count[write_vc_i] == SHARE) overflow_o <= 1'b1;
      end
      for (v = 0; v < VCS; v = v + 1)
        if (read_i[v]) vacant[first[v]] <= 1'b1;
    end
endmodule
