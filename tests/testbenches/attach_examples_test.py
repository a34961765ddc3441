#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Attached RTL: the examples deliver all packets, and bugs planted in them are reported.

usage: attach_examples_test.py PROJECT BUILD FOLDER CASE, as attach_rig.py says; CASE is
  meshes  each example delivers all packets of small meshes, and its latencies are scored
  large   ... more than 100,000 packets of 4x4 and of 8x8 routers
  planted bugs in description and RTL are told by the adapter with cycle, port, virtual channel and flit
"""

import re
import shutil
import sys

from attach_rig import (BUILD, EXAMPLES, FLIT, FOLDER, HEAVY, LENGTHS, PROJECT, SOON_COMPILED, Attached, attach, main,
                        own_signals, play, run)
from benches import FolderTest, counted_in, metrics_of


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
    main()
