// SPDX-License-Identifier: Apache-2.0
// Virtual-channel allocation by iSLIP beside its rule said plainly: an output virtual channel offers itself to the first input virtual
// channel, round robin by number from the one after that of its last accepted first offer, and an input virtual channel accepts alike.
module allocation #(
    parameter PORTS = 3,
    parameter VCS = 2,
    parameter ITERATIONS = 1,
    // Derived; do not set.
    parameter LINES = PORTS * VCS
) (
    input wire clock,
    input wire reset,
    input wire [LINES*2-1:0] ports,  // that each input virtual channel requests; one of 3 may be none
    input wire [LINES*VCS-1:0] vcs
);
  reg [PORTS*LINES-1:0] at;
  wire [LINES*VCS-1:0] granted;
  islip_vc_allocator #(.PORTS(PORTS), .VCS(VCS), .LINES(LINES), .ITERATIONS(ITERATIONS)) one (.clock(clock), .reset(reset), .at(at),
      .vcs(vcs), .granted(granted));

  // The first cycle is one of a reset; others may follow.
  reg started = 0;
  always @(posedge clock) started <= 1;
  always @* if (!started) assume (reset);

  integer p, c, l, n, k;
  always @* for (p = 0; p < PORTS; p = p + 1) for (l = 0; l < LINES; l = l + 1) at[p*LINES+l] = ports[l*2+:2] == p;

  // Numbers of the lines that are first: of output virtual channel p * VCS + c, and of an input virtual channel.
  reg [7:0] first_line[0:PORTS*VCS-1], first_vc[0:LINES-1];
  reg [7:0] next_line[0:PORTS*VCS-1], next_vc[0:LINES-1];
  reg [LINES*VCS-1:0] expected;
  reg [LINES-1:0] matched;
  reg [PORTS*VCS-1:0] taken;
  reg [LINES*VCS-1:0] offers;
  reg found;
  integer line;
  always @* begin
    expected = 0;
    matched = 0;
    taken = 0;
    for (p = 0; p < PORTS * VCS; p = p + 1) next_line[p] = first_line[p];
    for (l = 0; l < LINES; l = l + 1) next_vc[l] = first_vc[l];
    for (n = 0; n < ITERATIONS; n = n + 1) begin
      offers = 0;
      for (p = 0; p < PORTS; p = p + 1)
        for (c = 0; c < VCS; c = c + 1) begin
          found = 0;
          for (k = 0; k < 2 * LINES; k = k + 1) begin
            line = k % LINES;
            if (!found && k >= first_line[p*VCS+c] && !taken[p*VCS+c] && !matched[line] && at[p*LINES+line] && vcs[line*VCS+c]) begin
              found = 1;
              offers[line*VCS+c] = 1;
            end
          end
        end
      for (l = 0; l < LINES; l = l + 1) begin
        found = 0;
        for (k = 0; k < 2 * VCS; k = k + 1)
          if (!found && k >= first_vc[l] && offers[l*VCS+k%VCS]) begin
            found = 1;
            matched[l] = 1;
            expected[l*VCS+k%VCS] = 1;
            for (p = 0; p < PORTS; p = p + 1)
              if (at[p*LINES+l]) begin
                taken[p*VCS+k%VCS] = 1;
                if (n == 0) next_line[p*VCS+k%VCS] = l == LINES - 1 ? 0 : l + 1;
              end
            if (n == 0) next_vc[l] = k % VCS == VCS - 1 ? 0 : k % VCS + 1;
          end
      end
    end
  end
  always @(posedge clock) begin
    for (p = 0; p < PORTS * VCS; p = p + 1) first_line[p] <= reset ? 0 : next_line[p];
    for (l = 0; l < LINES; l = l + 1) first_vc[l] <= reset ? 0 : next_vc[l];
  end
`ifdef P_grants
  always @* if (started && !reset) assert (granted == expected);
`endif
endmodule
