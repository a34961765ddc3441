#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Attached RTL: routers with other forms of pins.

usage: attach_variants_test.py PROJECT BUILD FOLDER CASE, as attach_rig.py says; CASE is
  variants other forms of pins, and the base router's twin, of which every packet has the model's cycles
"""

import shutil
import sys

from attach_rig import BUILD, EXAMPLES, FOLDER, HEAVY, PROJECT, SOON_COMPILED, Attached, attach, main, play, run
from benches import metrics_of


NUMBERED = '''
module numbered (input wire clk_i, input wire rst_ni, input wire [2:0] x, y, input wire [4:0] in_valid, input wire [9:0] in_vc,
  input wire [319:0] in_flit, output wire [4:0] in_credit, output reg [9:0] in_credit_vc, output wire [4:0] out_valid,
  output wire [9:0] out_vc, output wire [319:0] out_flit, input wire [4:0] out_credit, input wire [9:0] out_credit_vc,
  output wire [4:0] fault);
  wire [0:19] credit;
  reg [0:19] back;
  genvar p;
  generate
    for (p = 0; p < 5; p = p + 1) begin : port
      assign in_credit[p] = |credit[p*4 +: 4];
      always @* in_credit_vc[p*2 +: 2] = {credit[p*4 + 2] | credit[p*4 + 3], credit[p*4 + 1] | credit[p*4 + 3]};
      always @* back[p*4 +: 4] = out_credit[p] ? 4'b1000 >> out_credit_vc[p*2 +: 2] : 4'b0;
    end
  endgenerate
  wire [0:4] valid_i, valid_o;
  wire [0:9] vc_i, vc_o;
  wire [0:319] flit_i, flit_o;
  generate
    for (p = 0; p < 5; p = p + 1) begin : turn
      assign valid_i[p] = in_valid[p];
      assign vc_i[p*2 +: 2] = in_vc[p*2 +: 2];
      assign flit_i[p*64 +: 64] = in_flit[p*64 +: 64];
      assign out_valid[p] = valid_o[p];
      assign out_vc[p*2 +: 2] = vc_o[p*2 +: 2];
      assign out_flit[p*64 +: 64] = flit_o[p*64 +: 64];
    end
  endgenerate
  lookahead_router router (.clk_i(clk_i), .rst_ni(rst_ni), .here_x_i(x), .here_y_i(y), .flit_valid_i(valid_i), .flit_vc_i(vc_i),
    .flit_i(flit_i), .credit_o(credit), .flit_valid_o(valid_o), .flit_vc_o(vc_o), .flit_o(flit_o), .credit_i(back), .fault_o(fault));
endmodule
'''  # noqa: E501
NUMBERED_YAML = '''
name: numbered
verilator: {files: [numbered.v, lookahead_router.v, la_pool.v, la_round_robin.v], arguments: [--default-language, 1364-2005]}
top: numbered
clock: clk_i
reset: {pin: rst_ni, active: low}
place: {x: x, y: y}
errors: [fault]
ports: {rtl: [l, n, e, s, w], network: [e, w, n, s, l]}
flow: credits
vcs: 4
buffer_flits: 4
in: {valid: "in_valid[{index}]", vc: "in_vc[{index}*2+1:{index}*2]", flit: "in_flit[{index}*64+63 -: 64]", credit: "in_credit[{index}]",
     credit_vc: "in_credit_vc[{index}*2 +: 2]"}
out: {valid: "out_valid[{index}]", vc: "out_vc[{index}*2+1:{index}*2]", flit: "out_flit[{index}*64+63 -: 64]", credit: "out_credit[{index}]",
      credit_vc: "out_credit_vc[{index}*2 +: 2]"}
heads: {output: [63:61], x: [60:58], y: [57:55], length: [54:49], output_vcs: [48:45], payload: [43:0]}
bodies: {payload: [63:20]}
'''  # noqa: E501


class Variants(Attached):
    def test_the_twin_has_the_models_cycles(self):
        executable = attach(EXAMPLES / "twin/twin.yaml", "twin", *SOON_COMPILED)
        for words in (("traffic.load_flits_per_node_cycle=0.7",), ("traffic.packet_flits=1", "--seed", "3")):
            models = FOLDER / "twin_models"
            self.ended(play(executable, *words, "compare.record=true", "--out", models))
            self.ended(play(executable, *words, "--rtl", "router=all", f"compare.against={models / 'run.csv'}"))
            self.assertGreater(metrics_of(FOLDER / "out")["compared_packets"], 1000)

    def test_a_table_of_several_candidates(self):
        """The twin with five candidates in its table has the models' cycles: Duato's protocol, and a turn model."""
        file = FOLDER / "variants/candidates.yaml"
        file.parent.mkdir(parents=True, exist_ok=True)
        text = (EXAMPLES / "twin/twin.yaml").read_text(encoding="utf-8")
        for old, new in (("../..", str(PROJECT / "testbenches/router")), ("output_vc.v,", "output_vc.v, CHOICE,"),
                         ("CHOICE", ", ".join(str(PROJECT / f"testbenches/router/{name}.v")
                                              for name in ("output_choice", "choice_turns"))),
                         ("name: twin", "name: candidates"),
                         ("-GNODE_PORTS=16", "-GNODE_PORTS=16, -GCANDIDATES=5, -GATOMIC_VCS=1"),
                         ("row: table_row", 'row: "table_row[5:0]", candidate: "table_row[8:6]", candidates: 5'),
                         ("[31:16]", "[30:16]"), ("vcs: \"table", 'lesser: "table_entry[31]", vcs: "table')):
            self.assertIn(old, text)
            text = text.replace(old, new)
        file.write_text(text, encoding="utf-8")
        executable = attach(file, "variants/candidates_rtl", *SOON_COMPILED)
        models, load = FOLDER / "candidates_models", "traffic.load_flits_per_node_cycle=0.6"
        for words in (("routing.kind=duato", load), ("routing.kind=west_first", load, "traffic.packet_flits=1")):
            words = ("router.atomic_vcs=true", "traffic.last_cycle=1500", *words)
            self.ended(play(executable, *words, "compare.record=true", "--out", models))
            self.ended(play(executable, *words, "--rtl", "router=all", f"compare.against={models / 'run.csv'}"))
            self.assertGreater(metrics_of(FOLDER / "out")["compared_packets"], 1000)

    def changed(self, name, *changes):
        folder = FOLDER / "variants" / name
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(EXAMPLES / "lookahead", folder)
        for file, old, new in changes:
            text = (folder / file).read_text(encoding="utf-8")
            self.assertEqual(text.count(old), 1, old)
            (folder / file).write_text(text.replace(old, new), encoding="utf-8")
        return folder

    def test_outputs_within_the_cycle(self):
        # The link's latch replaces the register that is gone.
        folder = self.changed("combinational", (
            "lookahead_router.v", "      always @(posedge clk_i) begin\n        flit_valid_o[p] <=",
            "      always @* begin\n        flit_valid_o[p] <="),
            ("lookahead.yaml", "flow: credits", "flow: credits\noutputs: combinational"))
        executable = attach(folder / "lookahead.yaml", "variants/combinational_rtl", *SOON_COMPILED)
        self.few(executable)
        registered = attach(EXAMPLES / "lookahead/lookahead.yaml", "lookahead", *SOON_COMPILED)
        words = ("traffic.load_flits_per_node_cycle=0.02", "topology.radices=[4,4]")
        self.assertEqual(self.score(executable, *words), self.score(registered, *words))

    def test_assertions_are_bound(self):
        files = ("lookahead.yaml", "files: [", "files: [rules.sv, ")
        for depth, status in (("4", 0), ("2", 1)):  # of what the rules know; the network has 4 places
            name = f"bound_{depth}"
            folder = self.changed(name, ("lookahead.yaml", "buffer_flits: 4", f"buffer_flits: {depth}"))
            self.ended(run(sys.executable, PROJECT / "testbenches/router/attach/main.py", PROJECT, BUILD,
                           folder / "lookahead.yaml", "--assertions", folder / "rules.sv"))
            rules = (folder / "rules.sv").read_text(encoding="utf-8")
            folder = self.changed(name, files)
            (folder / "rules.sv").write_text(rules, encoding="utf-8")
            executable = attach(folder / "lookahead.yaml", f"variants/{name}_rtl", *SOON_COMPILED)
            done = self.ended(play(executable, "--rtl", "router=all", *HEAVY), status)
            if status == 1:
                self.assertRegex(done.stderr, r"router \d+ \(lookahead\), cycle \d+: rules\.sv:\d+: .*"
                                              r"lookahead_assertions_i.*: (in|out) of port \w+, virtual channel \d: "
                                              r"a flit without a credit")

    def test_credits_as_numbers(self):
        folder = self.changed("numbered")
        (folder / "numbered.v").write_text(NUMBERED, encoding="utf-8")
        (folder / "numbered.yaml").write_text(NUMBERED_YAML, encoding="utf-8")
        executable = attach(folder / "numbered.yaml", "variants/numbered_rtl", *SOON_COMPILED)
        self.few(executable)
        masks = attach(EXAMPLES / "lookahead/lookahead.yaml", "lookahead", *SOON_COMPILED)
        self.assertEqual(self.score(executable), self.score(masks))


# Two handshake routers, and ready for each of their two virtual channels.


if __name__ == "__main__":
    main()
