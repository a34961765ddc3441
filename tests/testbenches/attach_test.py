#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The example routers of testbenches/router/examples, attached to a network by scripts/attach_rtl as a user does it.

usage: attach_test.py PROJECT BUILD FOLDER CASE
BUILD holds the built libraries of PROJECT, FOLDER is a scratch folder of the test's own:
  meshes   each example delivers all packets of small meshes, and its latencies are scored
  large    ... more than 100,000 packets of 4x4 and of 8x8 routers
  variants other forms of pins, and the base router's twin, of which every packet has the model's cycles
  links    on and off, ready for each virtual channel, places as parameters, few bits of payload, keys of the network
  messages what the RTL itself prints and checks, and DPI
  planted  bugs in description and RTL are told by the adapter with cycle, port, virtual channel and flit
"""

import json
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

from benches import FolderTest, counted_in, metrics_of, with_set

PROJECT, BUILD, FOLDER = (pathlib.Path(word).resolve() for word in sys.argv[1:4])
EXAMPLES = PROJECT / "testbenches/router/examples"
SOON_COMPILED = ("-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_CXX_FLAGS_DEBUG=-O0")

sys.path.insert(0, str(PROJECT / "tests/installation"))
from installation_test import as_the_libraries  # noqa: E402


def run(*command):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=1200, check=False,
                          cwd=FOLDER)


def play(executable, *words):
    """A run of a network, whose results are in FOLDER/out unless the words say so."""
    out = () if "--out" in words else ("--out", FOLDER / "out")
    return run(executable, *out, *with_set(words))


def attach(description, name, *settings):
    """The executable of a description."""
    done = run("env", f"PYTHONPATH={PROJECT / 'testbenches/router/attach'}", sys.executable, "-m", "main", PROJECT,
               BUILD, description,
               "--out", FOLDER / name, *as_the_libraries(BUILD), *settings)
    if done.returncode != 0:
        raise AssertionError(f"{name}: {done.stdout}{done.stderr}")
    return FOLDER / name / "build" / description.stem


def own_signals(router):
    """The waveform of a router's own signals as VCD."""
    run("fst2vcd", FOLDER / f"out/rtl.r{router}.fst", "-o", FOLDER / "own.vcd")
    return (FOLDER / "own.vcd").read_text(encoding="utf-8")


HEAVY = ("traffic.load_flits_per_node_cycle=0.7",)
LENGTHS = ("traffic.length=range", "traffic.packet_flits=2", "traffic.largest_packet_flits=9")
FLIT = r"router \d+ \(\w+\), cycle \d+(, packet \d+\.\d+)?: port \d, virtual channel \d, flit \d+: "


class Attached(FolderTest):
    def score(self, executable, *words):
        """Packets, and the mean latencies of models and RTL."""
        models = FOLDER / f"{executable.name}_models"
        self.ended(play(executable, *words, "compare.record=true", "--out", models))
        self.ended(play(executable, *words, "--rtl", "router=all", f"compare.against={models / 'run.csv'}",
                        "compare.score=true"))
        metrics = metrics_of(FOLDER / "out")
        return (metrics["compared_packets"], metrics["compared_latency_cycles_before"],
                metrics["compared_latency_cycles"])

    def shadowed(self, executable, places, *words):
        """A model beside the RTL has the same packets, with other latencies, and changes nothing."""
        words = ("--rtl", places, "traffic.last_cycle=1000", "topology.radices=[4,4]", *words)
        self.ended(play(executable, *words))
        alone = counted_in(FOLDER / "out")
        self.ended(play(executable, *words, "rtl.shadow=packets"))
        beside = counted_in(FOLDER / "out")
        shadow = {key: beside.pop(key) for key in list(beside) if key.startswith("rtl_shadow_")}
        self.assertEqual(beside, alone)
        self.assertGreater(shadow["rtl_shadow_packets"], 100)
        self.assertEqual((shadow["rtl_shadow_differing"], shadow["rtl_shadow_unfinished"]), (0, 0))
        self.assertLess(shadow["rtl_shadow_later_cycles_min"], shadow["rtl_shadow_later_cycles_mean"])
        self.assertLess(shadow["rtl_shadow_later_cycles_mean"], shadow["rtl_shadow_later_cycles_max"])
        return shadow

    def delayed(self, executable, *words):
        """Flits and credits that come later: all packets are delivered, later, by the seed."""
        words = ("--rtl", "router=all", "topology.radices=[3,3]", "traffic.last_cycle=800", *words)
        found = {}
        for delay, more in (("0", ()), ("2", ()), ("9", ()), ("9", ("rtl.record=true",)),
                            ("9", ("--seed", "2")), ("9", HEAVY), ("9", ("--stall", "0.3"))):
            done = self.ended(play(executable, *words, "--delay", delay, *more))
            self.assertEqual(done.stderr, "")
            found[delay, more] = counted_in(FOLDER / "out")
        at = {key: metrics["latency_cycles_mean"] for key, metrics in found.items()}
        self.assertEqual(found["9", ()], found["9", ("rtl.record=true",)])
        self.assertNotEqual(at["9", ()], at["9", ("--seed", "2")])
        self.assertEqual(found["0", ()]["packets_delivered"], found["9", ()]["packets_delivered"])
        hops = 2  # and more, in a mesh of 3 by 3
        # A flit comes by a cycle later at each router on average, and by 4.5; a packet's flits wait for each other.
        self.assertGreater(at["2", ()], at["0", ()] + hops)
        self.assertGreater(at["9", ()], at["0", ()] + 4.5 * hops)
        self.assertNotEqual(at["9", ("--stall", "0.3")], at["9", ()])

    def few(self, executable):
        for words, least in ((("topology.radices=[3,3]", "traffic.last_cycle=1500"), 500),
                             (("topology.radices=[4,2]", "traffic.load_flits_per_node_cycle=0.9",
                               "traffic.last_cycle=400"), 500),
                             (("topology.radices=[2,3]", "traffic.packet_flits=1", "traffic.last_cycle=500", "--seed",
                               "2"), 500),
                             (("topology.radices=[3,2]", "traffic.length=range", "traffic.packet_flits=1",
                               "traffic.largest_packet_flits=20", "traffic.last_cycle=1500"), 120)):
            with self.subTest(words=words):
                packets, models, rtl = self.score(executable, *words)
                self.assertGreater(packets, least)
                self.assertNotEqual(models, rtl)  # other routers than ours


class Meshes(Attached):
    def test_lookahead(self):
        executable = attach(EXAMPLES / "lookahead/lookahead.yaml", "lookahead", *SOON_COMPILED)
        self.few(executable)
        file = FOLDER / "long.yaml"
        file.write_text("traffic:\n  packet_flits: 64\n", encoding="utf-8")
        done = self.ended(play(executable, "long.yaml", "--rtl", "router=all"), 2)
        self.assertIn("long.yaml:2:17: traffic.packet_flits: the RTL's length has 6 bits", done.stderr)
        # Made without --trace: the pins alone.
        self.ended(play(executable, "--rtl", "router=5", "rtl.wave=true", "traffic.last_cycle=500", "--waves",
                        "--waves-format", "vcd", "waves.routers=[]"))
        self.assertFalse(list((FOLDER / "out").glob("rtl.r*")))
        wave = (FOLDER / "out/rtl.vcd").read_text(encoding="utf-8")
        self.assertGreater(len(set(re.findall(r"^s\d+\.\d+/\d+ ", wave, re.MULTILINE))), 50)
        self.assertNotIn("s? ", wave)
        groups = (FOLDER / "out/rtl.gtkw").read_text(encoding="utf-8")
        self.assertIn("-router 5, port 2 (north), virtual channel 3\n", groups)
        self.shadowed(executable, "router=all")
        self.shadowed(executable, "router=5", *HEAVY)
        self.delayed(executable)
        done = self.ended(play(executable, "--rtl", "router=all", "rtl.shadow=true"), 2)
        self.assertIn("rtl.shadow: unknown word (got 'true'); accepted: one of false, packets", done.stderr)
        for words, said in ((("routing.kind=detour_ud", "topology.kind=torus", "router.atomic_vcs=true"),
                             "rtl.shadow: heads are taken into recovery"),
                            (("link.flit_cycles=2",), "rtl.shadow: the links are 2 times slower than the RTL's pins")):
            done = self.ended(play(executable, "--rtl", "router=all", "rtl.shadow=packets", *words), 2)
            self.assertIn(said, done.stderr)
        for words, said in ((("traffic.packet_flits=64",),
                             "traffic.packet_flits: the RTL's length has 6 bits (got '64'); accepted: 1..63"),
                            (("router.buffer_flits=5",),
                             "router.buffer_flits: the RTL has buffers of another depth (got '5'); accepted: 4"),
                            (("router.vcs=5",),
                             "router.vcs: more virtual channels than the RTL has (got '5'); accepted: 1..4"),
                            (("topology.radices=[9,2]",),
                             "topology.radices: the RTL's coordinate 0 has 3 bits (got '9'); accepted: 1..8"),
                            (("topology.radices=[2,2,2]",),
                             "has more ports than the RTL (got '7'); accepted: 5 ports at most")):
            with self.subTest(words=words):
                done = self.ended(play(executable, *words, "--rtl", "router=all"), 2)
                self.assertIn(said, done.stderr)

    def test_handshake(self):
        folder = FOLDER / "of a user"  # names with spaces
        shutil.copytree(EXAMPLES / "handshake", folder, dirs_exist_ok=True)
        (folder / "hs_top.sv").rename(folder / "hs top.sv")
        file = folder / "handshake.yaml"
        file.write_text(file.read_text(encoding="utf-8").replace("hs_top.sv", "hs top.sv"), encoding="utf-8")
        executable = attach(file, "hand shake", *SOON_COMPILED)
        self.few(executable)
        self.shadowed(executable, "router=all")
        self.delayed(executable)
        # At the end of an overloaded run flits at the pins are also in the buffers before them.
        self.ended(play(executable, "--rtl", "router=all", *HEAVY, "measure.cycles=500"))
        self.assertGreater(metrics_of(FOLDER / "out")["flits_in_flight_at_end"], 100)
        self.ended(play(executable, "--rtl", "router=1", "rtl.wave=true", "traffic.last_cycle=50", "measure.cycles=51"))
        if shutil.which("fst2vcd"):  # of Debian's gtkwave
            self.assertRegex(own_signals(1), r"\$scope module queue \$end(?s:.*)\$var \w+ +3 \S+ count ")
            # The save file names the signals as the waveform does, those of one port in its group.
            groups = (FOLDER / "out/rtl.r1.gtkw").read_text(encoding="utf-8")
            named = re.findall(r"^r1\.(\S+)$", groups, re.MULTILINE)
            there = [name + bits for name, bits in re.findall(r"^\$var \w+ +\d+ \S+ (\S+) ?(\S*) \$end",
                                                              own_signals(1), re.MULTILINE)]
            self.assertEqual([name for name in named if name not in there], [])
            self.assertEqual(sorted(named), sorted(set(named)))
            self.assertIn("clk", named)
            self.assertIn("rx_ready[4:0]", named)
            self.assertRegex(groups, r"-router 1, north\n@22\nr1\.rx_north\[55:0\]\nr1\.tx_north\[55:0\]\n")
            self.assertIn('[dumpfile] "/rtl.r1.fst"', groups)
            self.ended(play(executable, "--rtl", "router=1", "rtl.wave=true", "rtl.wave_first_cycle=20",
                            "rtl.wave_last_cycle=29", "traffic.last_cycle=50", "measure.cycles=51"))
            times = [int(time) for time in re.findall(r"(?m)^#(\d+)$", own_signals(1))]
            self.assertEqual((min(times), max(times)), (20_000, 29_500))
        done = self.ended(play(executable, "--rtl", "router=1", "rtl.wave=true", "rtl.wave_first_cycle=20",
                               "rtl.wave_last_cycle=19"), 2)
        self.assertIn("rtl.wave_last_cycle: before rtl.wave_first_cycle (got '19'); accepted: 20 and more",
                      done.stderr)
        done = self.ended(play(executable, "router.vcs=2", "--rtl", "router=all"), 2)
        self.assertIn("more virtual channels than the RTL has (got '2'); accepted: 1..1", done.stderr)

    def test_structs_and_arrays_without_a_top_module(self):
        """hs_router.sv itself has the packets and cycles that it has inside of hs_top.sv."""
        file = FOLDER / "structs.yaml"
        text = (EXAMPLES / "handshake/handshake.yaml").read_text(encoding="utf-8")
        for old, new in (("name: handshake", "name: structs"),
                         ("[hs_pkg.sv, hs_fifo.sv, hs_router.sv, hs_top.sv]",
                          "[" + ", ".join(str(EXAMPLES / f"handshake/hs_{word}.sv")
                                          for word in ("pkg", "fifo", "router")) + "]"),
                         ("top: hs_top", "top: hs_router"), ("{x: column, y: row}", "{x: here.column, y: here.row}"),
                         ('"rx_{port}"', '"rx[{index}].flit"'), ('"tx_{port}"', '"tx[{index}].flit"'),
                         ("rx_valid[{index}]", "rx[{index}].valid"), ("tx_valid[{index}]", "tx[{index}].valid"),
                         ("{kind: [55:54], payload: [47:0]}", "{kind: kind, payload: data}"),
                         ("{y: [53:51], x: [50:48]}", "{y: to.row, x: to.column}")):
            self.assertEqual(text.count(old), 1, old)
            text = text.replace(old, new)
        file.write_text(text, encoding="utf-8")
        executable = attach(file, "structs", *SOON_COMPILED)
        plain = attach(EXAMPLES / "handshake/handshake.yaml", "plain", *SOON_COMPILED)
        words = ("--rtl", "router=all", "traffic.last_cycle=1000", "--stall", "0.2")
        found = []
        for one in (executable, plain):
            self.ended(play(one, *words))
            found.append(counted_in(FOLDER / "out"))
        self.assertEqual(*found)
        self.assertGreater(found[0]["packets_delivered"], 500)

    def test_interfaces_and_parameters_without_a_top_module(self):
        """hs_router.sv with a port for each interface, the router's place shifted by an array of numbers."""
        (FOLDER / "interfaces.sv").write_text(INTERFACES, encoding="utf-8")
        file = FOLDER / "interfaces.yaml"
        file.write_text(INTERFACES_YAML.replace("EXAMPLES", str(EXAMPLES)), encoding="utf-8")
        executable = attach(file, "interfaces", *SOON_COMPILED)
        self.ended(play(executable, "--rtl", "router=all", "traffic.last_cycle=1000", "--stall", "0.2"))
        self.assertGreater(counted_in(FOLDER / "out")["packets_delivered"], 500)
        rules = FOLDER / "rules.sv"
        self.ended(run("env", f"PYTHONPATH={PROJECT / 'testbenches/router/attach'}", sys.executable, "-m", "main",
                       PROJECT, BUILD, file, "--assertions", rules))
        self.ended(run("verilator", "--lint-only", "--assert", "-Wno-lint", "-Wno-style", "--top-module",
                       "interfaces_top",
                       *(EXAMPLES / f"handshake/hs_{word}.sv" for word in ("pkg", "fifo", "router")),
                       FOLDER / "interfaces.sv", rules))


INTERFACES = """
interface hs_link #(parameter type flit_t = logic) (input logic clk);
  logic valid, ready;
  flit_t flit;
  modport from(output valid, flit, input ready);
  modport into(input valid, flit, output ready);
endinterface
module interfaces import hs_pkg::*; #(parameter int SHIFT[1:0] = '{0, 0}, parameter type here_t = logic) (
  input logic clk, rst, input here_t here, hs_link.into in0, in1, in2, in3, in4, hs_link.from out0, out1, out2, out3, out4);
  link_t rx[PORTS], tx[PORTS];
  logic rx_ready[PORTS], tx_ready[PORTS];
  place_t place;
  assign place = '{row: 3'(here >> SHIFT[1]), column: 3'(here >> SHIFT[0])};
  assign rx = '{{in0.valid, in0.flit}, {in1.valid, in1.flit}, {in2.valid, in2.flit}, {in3.valid, in3.flit}, {in4.valid, in4.flit}};
  assign {in0.ready, in1.ready, in2.ready, in3.ready, in4.ready} = {rx_ready[0], rx_ready[1], rx_ready[2], rx_ready[3], rx_ready[4]};
  assign {out0.valid, out0.flit} = tx[0]; assign tx_ready[0] = out0.ready;
  assign {out1.valid, out1.flit} = tx[1]; assign tx_ready[1] = out1.ready;
  assign {out2.valid, out2.flit} = tx[2]; assign tx_ready[2] = out2.ready;
  assign {out3.valid, out3.flit} = tx[3]; assign tx_ready[3] = out3.ready;
  assign {out4.valid, out4.flit} = tx[4]; assign tx_ready[4] = out4.ready;
  hs_router router (.clk, .rst, .here(place), .rx, .rx_ready, .tx, .tx_ready);
endmodule
"""  # noqa: E501
LINK = '"hs_link #(.flit_t(hs_pkg::flit_t)) (clk)"'
INTERFACES_YAML = f"""
name: interfaces
verilator:
  files: [{', '.join(f'EXAMPLES/handshake/hs_{word}.sv' for word in ('pkg', 'fifo', 'router'))}, interfaces.sv]
top: interfaces
parameters:
  SHIFT: "'{{5, 1}}"
  here_t: place_t
declarations: |
  typedef logic [7:0] place_t;
interfaces: {{{', '.join(f'{side}{port}: {LINK}' for port in range(5) for side in ('in', 'out'))}}}
clock: clk
reset: {{pin: rst, active: high, cycles: 4}}
place: {{x: "here[3:1]", y: "here[7:5]"}}
static: {{"here[0]": 1, "here[4]": 1}}
ports: {{rtl: [home, north, east, south, west], network: [east, west, north, south, home]}}
flow: valid_ready
in: {{valid: "in{{index}}.valid", ready: "in{{index}}.ready", flit: "in{{index}}.flit"}}
out: {{valid: "out{{index}}.valid", ready: "out{{index}}.ready", flit: "out{{index}}.flit"}}
flits: {{kind: kind, payload: data}}
kinds: {{body: 0, tail: 1, head: 2, both: 3}}
heads: {{y: to.row, x: to.column}}
"""


class Large(Attached):
    def test_lookahead(self):
        self.many("lookahead", 0.2)

    def test_handshake(self):
        self.many("handshake", 0.1)

    def many(self, example, load):
        executable = attach(EXAMPLES / f"{example}/{example}.yaml", f"{example}_fast")
        for radix, cycles in ((4, 26_000), (8, 6500)):
            words = (f"topology.radices=[{radix},{radix}]", f"traffic.load_flits_per_node_cycle={load}",
                     f"traffic.last_cycle={int(cycles / load)}", f"measure.cycles={int(cycles / load) + 1}")
            packets, models, rtl = self.score(executable, *words)
            print(f"{example}, {radix}x{radix}: {packets} packets, none lost; mean latency: models {models}, RTL {rtl} "
                  f"cycles", flush=True)
            self.assertGreater(packets, 100_000)


# A top module whose credits are a bit and a number.
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
READY = '''
module ready_top import hs_pkg::*; (input logic clk, rst, input logic [2:0] row, column, input logic [4:0] rx_valid, rx_vc,
  input logic [99:0] rx, output logic [9:0] rx_ready, output logic [9:0] tx_valid, output logic [99:0] tx, input logic [9:0] tx_ready);
  link_t in[2][PORTS], out[2][PORTS];
  logic in_ready[2][PORTS], out_ready[2][PORTS];
  logic [4:0] last;
  for (genvar p = 0; p < PORTS; p++) begin : g_port
    logic [1:0] may, take;
    for (genvar v = 0; v < 2; v++) begin : g_vc
      assign in[v][p].valid = rx_valid[p] && rx_vc[p] == 1'(v);
      assign {in[v][p].flit.kind, in[v][p].flit.to, in[v][p].flit.data} = {rx[20*p +: 8], 36'd0, rx[20*p + 8 +: 12]};
      assign rx_ready[2*p + v] = in_ready[v][p];
      assign may[v] = out[v][p].valid && tx_ready[2*p + v];
      assign out_ready[v][p] = take[v];
    end
    assign take = may == 2'b11 ? (last[p] ? 2'b01 : 2'b10) : may;
    assign tx_valid[2*p +: 2] = take;
    assign tx[20*p +: 20] = take[1] ? {out[1][p].flit.data[11:0], out[1][p].flit.kind, out[1][p].flit.to}
                                    : {out[0][p].flit.data[11:0], out[0][p].flit.kind, out[0][p].flit.to};
    always_ff @(posedge clk) if (take != 0) last[p] <= take[1];
  end
  for (genvar v = 0; v < 2; v++) begin : g_router
    hs_router router (.clk, .rst, .here('{row: row, column: column}), .rx(in[v]), .rx_ready(in_ready[v]), .tx(out[v]),
                      .tx_ready(out_ready[v]));
  end
endmodule
'''  # noqa: E501
READY_YAML = '''
name: ready
verilator: {files: [hs_pkg.sv, hs_fifo.sv, hs_router.sv, ready_top.sv], arguments: []}
top: ready_top
clock: clk
reset: {pin: rst, active: high}
place: {x: column, y: row}
ports: {rtl: [h, n, e, s, w], network: [e, w, n, s, h]}
flow: valid_ready
vcs: 2
in: {valid: "rx_valid[{index}]", vc: "rx_vc[{index}]", ready: "rx_ready[{index}*2 +: 2]", flit: "rx[{index}*20 +: 20]"}
out: {valid: "tx_valid[{index}*2 +: 2]", ready: "tx_ready[{index}*2 +: 2]", flit: "tx[{index}*20 +: 20]"}
flits: {kind: [7:6], payload: [19:8]}
kinds: {body: 0, tail: 1, head: 2, both: 3}
heads: {y: [5:3], x: [2:0]}
'''


class Links(Attached):
    def on_off(self, name, *changes):
        """The executable of the example, with changes of its files."""
        folder = FOLDER / name
        shutil.rmtree(folder, ignore_errors=True)
        for example in ("handshake", "on_off"):
            shutil.copytree(EXAMPLES / example, folder / example)
        for file, old, new in changes:
            path = folder / "on_off" / file
            text = path.read_text(encoding="utf-8")
            self.assertEqual(text.count(old), 1, old)
            path.write_text(text.replace(old, new), encoding="utf-8")
        return attach(folder / "on_off/on_off.yaml", f"{name}_rtl", *SOON_COMPILED)

    def test_on_off_with_the_place_as_a_parameter(self):
        executable = self.on_off("on_off_here")
        for words in (("traffic.last_cycle=1500",),
                      ("traffic.load_flits_per_node_cycle=0.9", "traffic.last_cycle=600"),
                      ("router.buffer_flits=2", "traffic.packet_flits=1", "traffic.last_cycle=600", "--seed", "2")):
            with self.subTest(words=words):
                packets, models, rtl = self.score(executable, *words)
                self.assertGreater(packets, 300)
                self.assertNotEqual(models, rtl)
        self.shadowed(executable, "router=all", "topology.radices=[3,2]", "router.buffer_flits=2")
        self.delayed(executable, "topology.radices=[3,2]")

    def test_stalls_sweeps_and_applications(self):
        executable = self.on_off("on_off_here")
        mean = {}
        for stall in ("0", "0.5", "0.5"):
            self.ended(play(executable, "--rtl", "router=all", "--stall", stall, "traffic.last_cycle=1500"))
            metrics = metrics_of(FOLDER / "out")
            self.assertGreater(metrics["packets_delivered"], 300)
            self.assertIn(mean.setdefault(stall, metrics["latency_cycles_mean"]), [metrics["latency_cycles_mean"]])
        self.assertGreater(mean["0.5"], mean["0"] * 1.2)
        done = self.ended(play(executable, "--stall", "0.5"), 2)
        self.assertIn("rtl.stall", done.stderr)
        done = self.ended(play(executable, "--rtl", "router=all", "--sweep-load", "0.1:0.3:2",
                               "traffic.last_cycle=1500"))
        self.assertNotIn("can't open file", done.stderr)
        self.assertEqual(metrics_of(FOLDER / "out")["sweep_runs"], 2)
        self.ended(play(executable, "--rtl", "router=all", "topology.radices=[3,2]", "workload.kind=collective"))
        self.assertGreater(metrics_of(FOLDER / "out")["rtl_flits"], 1000)

    def channels(self, name, *changes):
        folder = FOLDER / name
        shutil.rmtree(folder, ignore_errors=True)
        for example in ("handshake", "channels"):
            shutil.copytree(EXAMPLES / example, folder / example)
        for file, old, new in changes:
            path = folder / "channels" / file
            text = path.read_text(encoding="utf-8")
            self.assertEqual(text.count(old), 1, old)
            path.write_text(text.replace(old, new), encoding="utf-8")
        return attach(folder / "channels/channels.yaml", f"{name}_rtl", *SOON_COMPILED)

    def test_channels_of_requests_and_responses(self):
        executable = self.channels("channels")
        # Without classes each channel has packets of all.
        packets, models, rtl = self.score(executable, "classes.list=", "traffic.last_cycle=1500", "--seed", "2")
        self.assertGreater(packets, 300)
        self.assertNotEqual(models, rtl)
        for words in (("traffic.last_cycle=1500",), ("topology.radices=[3,3]", *HEAVY, "traffic.last_cycle=600")):
            with self.subTest(words=words):
                self.ended(play(executable, "--rtl", "router=all", *words))
                table = json.loads((FOLDER / "out/result.json").read_text(encoding="utf-8"))["tables"]["classes"]
                delivered = [column["name"] for column in table["columns"]].index("packets_delivered")
                requests, responses = (row[delivered] for row in table["rows"])
                self.assertGreater(requests, 300)
                self.assertEqual(requests, responses)
        self.shadowed(executable, "router=all")
        self.delayed(executable)
        # Both channels have flits, and no response waits for a request.
        self.ended(play(executable, "--rtl", "router=5", "rtl.wave=true", "--waves", "--waves-format", "vcd",
                        "waves.routers=[]", "traffic.last_cycle=500"))
        groups = (FOLDER / "out/rtl.gtkw").read_text(encoding="utf-8")
        for signal in ("r5.port2.req.in.valid", "r5.port2.rsp.out.valid", "r5.port2.vc1.in_ready"):
            self.assertIn(signal + "\n", groups)
        wave = (FOLDER / "out/rtl.vcd").read_text(encoding="utf-8")
        self.assertNotIn("s? ", wave)
        for words, said in ((("router.vcs=3", "classes.list="),
                             "router.vcs: more virtual channels than the RTL has (got '3'); accepted: 1..2"),
                            (("topology.kind=torus", "classes.list=", "routing.dateline=switching"),
                             "routing.kind: a head that comes to router 0 by virtual channel ")):
            with self.subTest(words=words):
                self.assertIn(said, self.ended(play(executable, *words, "--rtl", "router=all"), 2).stderr)

    def test_a_flit_of_another_channel_is_told(self):
        top = "ch_top.sv"
        executable = self.channels(
            "crossed", (top, "{req_out[p].valid, rsp_out[p].valid};", "{rsp_out[p].valid, req_out[p].valid};"),
            (top, "= req_out[p].flit;", "= rsp_out[p].flit;"),
            (top, "{rsp_out[p].flit.data[11:0], rsp_out[p].flit.kind, rsp_out[p].flit.to",
             "{req_out[p].flit.data[11:0], req_out[p].flit.kind, req_out[p].flit.to"))
        done = self.ended(play(executable, "--rtl", "router=all"), 1)
        self.assertRegex(done.stderr, FLIT + "it came in by channel (req|rsp) and leaves by channel (req|rsp)")

    def test_a_faster_clock_beside_the_first(self):
        folder = FOLDER / "clocks"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(EXAMPLES / "handshake", folder)
        for file, old, new in (
                ("hs_top.sv", "  input  logic                rst,", "  input  logic clk_b, clk_c, rst,"),
                ("hs_top.sv", "endmodule", """  int b, c, last_b, last_c;
  always_ff @(posedge clk_b) b <= b + 1;
  always_ff @(posedge clk_c) c <= c + 1;
  always_ff @(posedge clk) begin
    last_b <= b;
    last_c <= c;
    if (!rst && last_c != 0 && b - last_b != 1) $error("clk_b has %0d edges", b - last_b);
    if (!rst && last_c != 0 && c - last_c != 3) $error("clk_c has %0d edges", c - last_c);
  end
endmodule"""),
                ("handshake.yaml", "clock: clk", "clock: [clk, clk_b, {pin: clk_c, times: 3}]")):
            text = (folder / file).read_text(encoding="utf-8")
            self.assertEqual(text.count(old), 1, old)
            (folder / file).write_text(text.replace(old, new), encoding="utf-8")
        executable = attach(folder / "handshake.yaml", "clocks_rtl", *SOON_COMPILED)
        self.score(executable, "topology.radices=[3,2]", "traffic.last_cycle=500")

    def test_buffers_of_each_port(self):
        folder = FOLDER / "depths"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(EXAMPLES / "lookahead", folder)
        file = folder / "lookahead.yaml"
        text = file.read_text(encoding="utf-8")
        self.assertEqual(text.count("buffer_flits: 4"), 1)
        depths = "buffer_flits: {local: 1, north: 2, east: 4, south: 3, west: 1}"
        file.write_text(text.replace("buffer_flits: 4", depths), encoding="utf-8")
        executable = attach(file, "depths_rtl", *SOON_COMPILED)
        self.few(executable)

    def test_keys_of_the_network_are_those_of_the_description(self):
        executable = self.on_off("on_off_here")
        keys = self.ended(run(executable, "--print-config", "all")).stdout
        self.assertRegex(keys, r"(?m)^  radices: \[3, 2\]")
        self.assertRegex(keys, r"(?m)^  buffer_flits: 6")
        # A file of the user's comes after them.
        (FOLDER / "mine.yaml").write_text("router: {buffer_flits: 7}\n", encoding="utf-8")
        keys = self.ended(run(executable, "mine.yaml", "--print-config", "all")).stdout
        self.assertRegex(keys, r"(?m)^  buffer_flits: 7")
        self.assertRegex(keys, r"(?m)^  radices: \[3, 2\]")
        for words, said in ((("topology.radices=[4,4]",),
                             "topology.radices: the RTL has its place as a parameter, and was made for others "
                             "(got '4,4'); accepted: 3,2"),
                            (("router.buffer_flits=1",),
                             "router.buffer_flits: the RTL sends 1 flits after off (got '1'); accepted: 2 and more")):
            done = self.ended(play(executable, *words, "--rtl", "router=all"), 2)
            self.assertIn(said, done.stderr)

    def test_a_wrong_key_of_the_network_is_told_at_its_line(self):
        with self.assertRaises(AssertionError) as told:
            self.on_off("on_off_key", ("on_off.yaml", "buffer_flits: 6", "buffer_flit: 6"),
                        ("on_off.yaml", "radices: [3, 2]", "radices: [2, 2]"))
        self.assertRegex(str(told.exception), r"on_off.yaml:\d+:12: router.buffer_flit: unknown key")

    def test_flits_after_off(self):
        executable = self.on_off("on_off_more", ("on_off.yaml", "reserve_flits: 1", "reserve_flits: 3"),
                                 ("on_off.yaml", "radices: [3, 2]", "radices: [2, 2]"))
        done = self.ended(play(executable, "--rtl", "router=all", *HEAVY), 1)
        self.assertRegex(done.stderr, r"router \d \(on_off\), cycle \d+: .*oo_top.sv:\d+: .*a flit is lost")
        executable = self.on_off("on_off_deaf", ("oo_top.sv", "tx[0][p].valid && !off_i[2*p]}", "tx[0][p].valid}"),
                                 ("on_off.yaml", "radices: [3, 2]", "radices: [2, 2]"))
        done = self.ended(play(executable, "--rtl", "router=all", *HEAVY), 1)
        self.assertRegex(done.stderr, FLIT + "it has no place: the virtual channel is off, and more than 1 flits have")

    def test_ready_for_each_virtual_channel(self):
        folder = FOLDER / "ready"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(EXAMPLES / "handshake", folder)
        (folder / "ready_top.sv").write_text(READY, encoding="utf-8")
        (folder / "ready.yaml").write_text(READY_YAML, encoding="utf-8")
        executable = attach(folder / "ready.yaml", "ready_rtl", *SOON_COMPILED)
        self.few(executable)
        done = self.ended(play(executable, "router.vcs=3", "--rtl", "router=all"), 2)
        self.assertIn("router.vcs: more virtual channels than the RTL has (got '3'); accepted: 1..2", done.stderr)

    def test_a_length_without_the_head_and_twelve_bits_of_payload(self):
        folder = FOLDER / "minus"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(EXAMPLES / "lookahead", folder)
        for file, old, new in (
                ("lookahead_router.v", "<= front[i*64 + 9 +: 6]", "<= front[i*64 + 9 +: 6] + 6'd1"),
                ("lookahead.yaml", "length: [9:14], payload: [20:63]}",
                 "length: {bits: [9:14], minus: 1}, payload: [52:63]}"),
                ("lookahead.yaml", "bodies: {payload: [0:43]}", "bodies: {payload: [0:11]}")):
            text = (folder / file).read_text(encoding="utf-8")
            self.assertEqual(text.count(old), 1, old)
            (folder / file).write_text(text.replace(old, new), encoding="utf-8")
        executable = attach(folder / "lookahead.yaml", "minus_rtl", *SOON_COMPILED)
        self.few(executable)
        done = self.ended(play(executable, "traffic.packet_flits=65", "--rtl", "router=all"), 2)
        self.assertIn("traffic.packet_flits: the RTL's length has 6 bits (got '65'); accepted: 1..64", done.stderr)
        self.ended(play(executable, "traffic.packet_flits=64", "--rtl", "router=all", "traffic.last_cycle=300"))


# Checks of the router with this number in the fifth cycle, and before and after the run.
CHECKS = '''
`timescale 1ns / 1ps
module checks (input logic clk, rst, input logic [3:0] number);
  import "DPI-C" context function int called(input int value);
  export "DPI-C" function back;
  function int back(input int value);
    return value + int'(number);
  endfunction
  int cycle;
  logic turns, hit;
  wire here = !rst && cycle == 5;
  initial $display("%m begins");
  final $display("%m ends");
  final if (number == 6) $error("flits are left");
  assign turns = number == 7 && here ? ~turns : 1'b0;
  own: assert property (@(posedge clk) disable iff (rst) !(number == 3 && here)) else $error("not here");
  always_ff @(posedge clk) begin
    cycle <= rst ? 0 : cycle + 1;
    if (here)
      case (number)
        0: $display("%m at %0t", $realtime);
        1: $error("in cycle %0d", cycle);
        2: $fatal(1, "for good");
        4: $finish;
        5: $display("%m was told %0d", called(cycle));
        9: $stop;
        10: begin
          $error("the first");
          $error("the second");
        end
        11: $warning("no more than that");
        12: begin
          $write("be");
          $write("fore\\n");
          $error;
        end
        default: ;
      endcase
    if (number == 8 && rst) $error("too early at %0t", $realtime);
    unique case (1'b1)
      number == 13 && here: hit <= 1'b1;
      number[3:2] == 2'b11 && number[1:0] == 2'b01 && here: hit <= 1'b0;
      default: hit <= 1'b0;
    endcase
  end
endmodule
'''
CALLED = '''
#include <cstdio>
#include <svdpi.h>
#include "Vhandshake__Dpi.h"
int called(int value) {
  std::printf("a call of %s\\n", svGetNameFromScope(svGetScope()));
  return back(2 * value);
}
'''


def line_of(text):
    """Number of the line of CHECKS."""
    return [line.strip() for line in CHECKS.split("\n")].index(text) + 1


class Messages(FolderTest):
    """In the RTL's own words, with router and cycle."""

    @classmethod
    def setUpClass(cls):
        folder = FOLDER / "checked"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(EXAMPLES / "handshake", folder)
        for file, old, new in (("hs_top.sv", "endmodule",
                                "  checks checks (.clk, .rst, .number({row[1:0], column[1:0]}));\nendmodule"),
                               ("handshake.yaml", "files: [", "files: [checks.sv, called.cpp, ")):
            text = (folder / file).read_text(encoding="utf-8")
            assert text.count(old) == 1, old
            (folder / file).write_text(text.replace(old, new), encoding="utf-8")
        (folder / "checks.sv").write_text(CHECKS, encoding="utf-8")
        (folder / "called.cpp").write_text(CALLED, encoding="utf-8")
        cls.executable = attach(folder / "handshake.yaml", "checked_rtl", *SOON_COMPILED)

    def run_of(self, routers, *words):
        rtl = ("--rtl", f"router={routers}") if routers else ()
        return play(self.executable, *rtl, "topology.radices=[4,4]", "traffic.last_cycle=100", "measure.cycles=101",
                    "--quiet", *words)

    def test_a_failed_check_ends_the_run(self):
        error = "Assertion failed in r{0}.hs_top.checks"
        second = line_of('$error("the second");')
        for router, where, *texts in (
                (1, '1: $error("in cycle %0d", cycle);', error + ": in cycle 5"),
                (2, '2: $fatal(1, "for good");', error + ": for good"),
                (3, "own: assert property (@(posedge clk) disable iff (rst) !(number == 3 && here)) else $error(\"not "
                 "here\");",
                 error + ".own: not here"),
                (4, "4: $finish;", "$finish"),
                (9, "9: $stop;", "$stop"),
                (10, '$error("the first");', error + f": the first; checks.sv:{second}: " + error + ": the second"),
                (12, "$error;", error),
                # In the words of Verilator 5.006 and of 5.032.
                (13, "unique case (1'b1)", error + ": synthesis parallel_case, but multiple matches found",
                 error + ": unique case, but multiple matches found for '1'h1'")):
            for words in ((), ("rtl.assertions=stop",)):
                with self.subTest(router=router, words=words):
                    done = self.ended(self.run_of(router, *words), 1)
                    said = (f"handshake: model failure: router {router} (handshake), cycle 5: "
                            f"checks.sv:{line_of(where)}: ")
                    self.assertIn(done.stderr, [said + text.replace("{0}", str(router)) + "\n" for text in texts])
                    self.assertEqual(done.stdout, f"r{router}.hs_top.checks begins\n" + "before\n" * (router == 12)
                                     + f"r{router}.hs_top.checks ends\n")

    def test_a_check_before_and_after_the_run(self):
        done = self.ended(self.run_of(8), 1)
        self.assertRegex(done.stderr, r"^handshake: model failure: router 8 \(handshake\), cycle 0: in the reset: "
                         r"checks.sv:\d+: .*: too early at 0\n$")
        done = self.ended(self.run_of(6), 1)
        self.assertRegex(done.stderr, r"^handshake: model failure: router 6 \(handshake\), cycle 1\d\d: at the end: "
                         r"checks.sv:\d+: .*: flits are left\n$")
        self.assertEqual(done.stdout.count("r6.hs_top.checks ends"), 1)

    def test_signals_that_never_settle_end_the_run(self):
        for words in ((), ("rtl.assertions=warn",)):
            done = self.ended(self.run_of(7, *words), 1)
            self.assertRegex(done.stderr,
                             r"^handshake: model failure: router 7 \(handshake\), cycle [45]: \S+:\d+: .* did not "
                             r"converge\.\n$")

    def test_warnings_go_on(self):
        done = self.ended(self.run_of("0+1+2+3+4+5+6+8+9+10+11+12+13+14+15", "rtl.assertions=warn"))
        told = done.stderr.splitlines()
        self.assertIn(f"handshake: warning: router 4 (handshake), cycle 5: checks.sv:{line_of('4: $finish;')}: $finish",
                      told)
        routers = [int(re.fullmatch(r"handshake: warning: router (\d+) \(handshake\), cycle \d+: .*", text)[1])
                   for text in told]
        self.assertEqual(sorted(set(routers)), [1, 2, 3, 4, 6, 8, 9, 10, 12, 13])
        self.assertEqual(routers.count(10), 2)
        self.assertEqual(routers.count(8), 4)  # one a cycle of the reset
        self.assertEqual(sum(text.endswith("too early at 0") for text in told), 4)
        self.assertEqual(metrics_of(FOLDER / "out")["rtl_failed_checks"], len(told))
        models = self.ended(self.run_of(""))
        self.assertNotIn("checks", models.stdout)

    def test_text_time_and_calls(self):
        period = self.ended(self.run_of("0+5+11+14", "clock_period_ps=3000"))
        self.assertEqual(period.stderr, "")
        for text in ("r0.hs_top.checks at 16500", "a call of r5.hs_top.checks", "r5.hs_top.checks was told 15",
                     "no more than that",
                     "r14.hs_top.checks begins", "r14.hs_top.checks ends"):
            self.assertIn(text + "\n", period.stdout)

    def test_all_routers_are_destroyed_in_peace(self):
        for _ in range(2):
            done = self.ended(self.run_of("0+5+11+14+15", "rtl.wave=true"))
            self.assertEqual(done.stdout.count("ends\n"), 5)

    def test_a_wrong_word_is_refused(self):
        for routers, word, said in (("1", "none", "unknown word (got 'none'); accepted: one of stop, warn"),
                                    ("", "warn", "accepted: rtl.places")):
            done = self.ended(self.run_of(routers, f"rtl.assertions={word}"), 2)
            self.assertIn(f"handshake: --set rtl.assertions={word}: rtl.assertions: ", done.stderr)
            self.assertIn(said, done.stderr)


class Planted(FolderTest):
    """A bug each, reported with router, cycle, packet, port, virtual channel and flit."""


def plant(name, example, file, old, new, said, words=()):
    def test(self):
        folder = FOLDER / "planted" / name
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(EXAMPLES / example, folder)
        good = (folder / file).read_text(encoding="utf-8")
        self.assertEqual(good.count(old), 1, old)
        (folder / file).write_text(good.replace(old, new), encoding="utf-8")
        executable = attach(folder / f"{example}.yaml", f"planted/{name}_rtl", *SOON_COMPILED)
        done = self.ended(play(executable, "--rtl", "router=all", *words), 1)
        print(f"{name}: {done.stderr.strip()}", flush=True)
        self.assertRegex(done.stderr, said)
    setattr(Planted, f"test_{name}", test)


plant("length_one_bit_off", "lookahead", "lookahead.yaml", "length: [9:14]", "length: [10:15]", FLIT)
plant("y_one_bit_off", "lookahead", "lookahead.yaml", "y: [6:8], length: [9:14]", "y: [7:9], length: [10:15]", FLIT)
plant("ports_in_wrong_order", "lookahead", "lookahead.yaml", "[east, west, north,", "[west, east, north,", FLIT)
plant("coordinates_swapped", "lookahead", "lookahead.yaml", "{x: here_x_i, y: here_y_i}", "{y: here_x_i, x: here_y_i}",
      FLIT)
plant("reset_of_wrong_polarity", "lookahead", "lookahead.yaml", "reset: {pin: rst_ni, active: low, cycles: 2}",
      "reset: {pin: rst_ni, active: high, cycles: 2}\nlimits: {wait_cycles: 100}",
      FLIT + r".* for more than 100 cycles \(limits.wait_cycles\); no flit has come out since the reset: is "
      r"reset.active low and not high\?")
plant("more_buffers_than_there_are", "lookahead", "lookahead.yaml", "buffer_flits: 4", "buffer_flits: 5",
      "it raises fault_o", HEAVY)
plant("lost_credit", "lookahead", "lookahead_router.v", "rst_ni ? pop :", "rst_ni ? pop & ~{pop[1:19], 1'b0} :",
      r"router \d+ \(lookahead\), cycle \d+: port \d, virtual channel 3: a credit is missing for a flit that left in "
      r"cycle \d+ or before; it may take 64 cycles \(limits.credit_cycles\)")
plant("swapped_flits", "lookahead", "la_pool.v", "= flits[first[g]]", "= flits[count[g] == 3 ? last[g] : first[g]]",
      FLIT)
plant("wrong_vc_of_bodies", "lookahead", "lookahead_router.v", "flit_r[0:1] <= out_vc[(p*VCS + v)*2 +: 2]",
      "flit_r[0:1] <= out_vc[(p*VCS + v)*2 +: 2] ^ {1'b0, !starts[p*VCS + v]}", FLIT)
plant("wrong_vc", "lookahead", "lookahead_router.v", "flit_r[0:1] <= out_vc[(p*VCS + v)*2 +: 2]",
      "flit_r[0:1] <= out_vc[(p*VCS + v)*2 +: 2] ^ {1'b0, p == 0}", FLIT, HEAVY)
plant("lost_flit", "lookahead", "la_pool.v", "write_vc_i == g;", "write_vc_i == g && !(count[g] == 1 && read_i[g]);",
      FLIT)
plant("wrong_lookahead", "lookahead", "lookahead_router.v", "y > at_y ? NORTH", "y > at_y && at_x != 0 ? NORTH",
      FLIT + "look-ahead says output")
plant("list_overwritten", "lookahead", "la_pool.v", "if (count[write_vc_i] != 0) next", "next", FLIT)
plant("flit_without_credit", "lookahead", "lookahead_router.v", "<= 3'd4", "<= 3'd5", FLIT, HEAVY)
plant("length_lost_a_bit", "lookahead", "lookahead_router.v", "<= front[i*64 + 9 +: 6]",
      "<= {3'b0, front[i*64 + 12 +: 3]}", FLIT, LENGTHS)
plant("doubled_credit", "lookahead", "lookahead_router.v", "rst_ni ? pop :", "rst_ni ? pop | {pop[19], pop[0:18]} :",
      r"router \d+ \(lookahead\), cycle \d+: port \d, virtual channel \d: a credit for no flit")
plant("x_changed", "lookahead", "lookahead_router.v", "front[(p*VCS + v)*64 + 3 +: 61]",
      "front[(p*VCS + v)*64 + 3 +: 61] ^ {2'b0, starts[p*VCS + v], 58'b0}", FLIT + r"its x is \d and not \d")
plant("length_changed", "lookahead", "lookahead_router.v", "front[(p*VCS + v)*64 + 3 +: 61]",
      "front[(p*VCS + v)*64 + 3 +: 61] ^ {11'b0, starts[p*VCS + v], 49'b0}", FLIT + "its length is 5 and not 4")
plant("payload_changed", "lookahead", "lookahead_router.v", "front[(p*VCS + v)*64 + 3 +: 61]",
      "front[(p*VCS + v)*64 + 3 +: 61] ^ {40'b0, !starts[p*VCS + v], 20'b0}", FLIT)
plant("kind_changed", "handshake", "hs_router.sv", "if (use_input[o][p]) tx[o] = front[p];",
      "if (use_input[o][p]) tx[o] = front[p];\n      if (tx[o].flit.kind == LAST) tx[o].flit.kind = MIDDLE;",
      FLIT + "its kind is 0 and not 1")
plant("kinds_swapped", "handshake", "handshake.yaml", "body: 0, tail: 1", "body: 1, tail: 0", FLIT)
plant("x_one_bit_off", "handshake", "handshake.yaml", "payload: [47:0]}\nkinds: {body: 0, tail: 1, head: 2, both: "
      "3}\nheads: {y: [53:51], x: [50:48]}",
      "payload: [46:0]}\nkinds: {body: 0, tail: 1, head: 2, both: 3}\nheads: {y: [53:51], x: [49:47]}", FLIT)
plant("reset_of_wrong_polarity_2", "handshake", "handshake.yaml", "active: high", "active: low", FLIT)
plant("overflow", "handshake", "hs_fifo.sv", "in_ready = count != (BITS + 1)'(DEPTH)", "in_ready = 1'b1", FLIT, HEAVY)
plant("lock_lost", "handshake", "hs_router.sv", "locked <= !(tx_ready[o] && ends(tx[o].flit))",
      "locked <= !ends(tx[o].flit)", FLIT, (*HEAVY, "router.buffer_flits=1"))
plant("out_of_the_mesh", "handshake", "hs_pkg.sv", "if (to.row > here.row)",
      "if (to.row > here.row && here.column == 3) return EAST;\n    if (to.row > here.row)",
      r"^handshake: model failure: router (3|7|11) \(handshake\), cycle \d+, packet \d+\.\d+: port 0, virtual channel "
      r"0, flit 0: nothing is connected to the port; "
      r"the destination is node \d+, and the routing allows port 2 with virtual channels 0x1$")
plant("wrong_way", "handshake", "hs_pkg.sv", "to.row > here.row", "to.row >= here.row", FLIT)


def test_a_router_that_expects_a_body_in_each_cycle(self):
    """Only flits that come later show it: neither the nominal times nor outputs that stall do."""
    folder = FOLDER / "planted/late"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(EXAMPLES / "lookahead", folder)
    file, old = folder / "lookahead_router.v", "ready[i] = filled[i] && active[i]"
    good = file.read_text(encoding="utf-8")
    self.assertEqual(good.count(old), 1)
    file.write_text(good.replace(old, "ready[i] = (filled[i] || active[i] && !starts[i]) && active[i]"),
                    encoding="utf-8")
    executable = attach(folder / "lookahead.yaml", "planted/late_rtl", *SOON_COMPILED)
    packets = folder / "packets.txt"  # one after the other through routers 5 and 6
    packets.write_text("".join(f"{40 * i} 4 7 4\n" for i in range(60)), encoding="utf-8")
    words = ("--rtl", "router=5", "topology.radices=[4,4]", "traffic.kind=list", f"traffic.list={packets}",
             "measure.cycles=3000")
    self.ended(play(executable, *words))
    for seed in ("1", "2", "3"):
        self.ended(play(executable, *words, "--stall", "0.5", "--seed", seed))
    told = [self.ended(play(executable, *words, "--delay", "3", "--seed", seed), 1).stderr
            for seed in ("1", "1", "2", "3")]
    self.assertEqual(told[0], told[1])
    self.assertGreater(len(set(told)), 1)
    for said in told:
        self.assertRegex(said, r"router 5 \(lookahead\), cycle \d+(, packet 4\.\d+)?: port 0, virtual channel \d, flit "
                               r"[0-3]: ")


Planted.test_a_router_that_expects_a_body_in_each_cycle = test_a_router_that_expects_a_body_in_each_cycle

if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    unittest.main(argv=[sys.argv[0], sys.argv[4].capitalize(), *sys.argv[5:]])
