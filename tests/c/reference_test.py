#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Models of libtsuji_c in simulators: the example's bench beside a router's RTL, with bugs, and wrong calls.

usage: reference_test.py Verilator|Icarus PROJECT LIBRARIES MODULES SOURCES
LIBRARIES has libtsuji_c.so, MODULES tsuji_vpi.vpi, SOURCES tsuji_dpi.sv and tsuji_reference.sv: of a build or of an
installation.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

PROJECT, LIBRARIES, MODULES, SOURCES = (pathlib.Path(word).resolve() for word in sys.argv[2:6])
EXAMPLE, TWINS = PROJECT / "platforms/example/reference", PROJECT / "testbenches/router"
BUGS = {"output_vc.v": ("if (send && !credit) away", "if (send) away"),
        "input_vc.v": ("front = any ?", "front = any && !(arrives && count == 1) ?")}
SMALL = "{router: {ports: 3, vcs: 2, node_ports: [0, 1, 2]}, pins: {node_bits: 2}, routes: {ports: [0, 1, 2]}}"
# A flit through a router by names of pins; DECLARE, CALLS and END are each simulator's.
NAMED = """module named;
  reg clock = 0;
  integer cycle;
  reg [63:0] value;
%(declare)s
  initial begin
%(create)s
    for (cycle = 0; cycle < 12; cycle = cycle + 1) begin
%(put)s
%(step)s
%(get)s
      if (value[0]) $display("left after %%0d", cycle);
    end
    %(end)s
    $finish;
  end
endmodule
"""
# Of a reference: its parameters, and the inputs.
ALONE = """module alone;
  reg clock = 0;
  wire [45:0] out;
  tsuji_reference #(%s) reference (clock, %s, out);
  always #5 clock = !clock;
  initial #100 begin $display("no text"); $finish; end
endmodule
"""


class Simulated(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="tsuji_reference_"))
        self.addCleanup(shutil.rmtree, self.folder)
        for path in (EXAMPLE / "router.yaml", EXAMPLE / "routes.hex"):
            shutil.copy(path, self.folder)

    def run_in(self, *words, status=0):
        """What a command prints."""
        environment = {**os.environ, "LD_LIBRARY_PATH": str(LIBRARIES)}
        done = subprocess.run([str(word) for word in words], cwd=self.folder, env=environment, capture_output=True,
                              text=True, check=False, timeout=600)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def twin(self, bug=None):
        """The router's sources, one of them with a bug."""
        sources = []
        for path in sorted(TWINS.glob("*.v")):
            sources.append(path)
            if bug == path.name:
                text = path.read_text()
                self.assertIn(BUGS[bug][0], text)
                sources[-1] = self.folder / path.name
                sources[-1].write_text(text.replace(*BUGS[bug]))
        return sources

    def text(self, name, source):
        (self.folder / name).write_text(source)
        return self.folder / name


class Verilator(Simulated):
    def simulate(self, top, *sources, status=0):
        self.run_in("verilator", "--binary", "--top-module", top, "+1364-2005ext+v", "-Wno-lint", "-Wno-style", "-O3",
                    "--Mdir", top, SOURCES / "tsuji_dpi.sv", SOURCES / "tsuji_reference.sv", *sources,
                    "-CFLAGS", "-O1", "-LDFLAGS", f"-L'{LIBRARIES}' -ltsuji_c")
        return self.run_in(self.folder / top / f"V{top}", status=status)

    def test_a_router_and_its_model_are_equal(self):
        said = self.simulate("router_bench", EXAMPLE / "router_bench.sv", *self.twin())
        self.assertRegex(said, r"equal in 100000 cycles, 3\d{5} flits")

    def test_a_planted_bug_is_found(self):
        for bug in BUGS:
            said = self.simulate("router_bench", EXAMPLE / "router_bench.sv", *self.twin(bug))
            self.assertRegex(said, r"cycle \d+: the RTL has [0-9a-f]+, the model [0-9a-f]+\n")

    def test_pins_by_name(self):
        words = {"declare": "  import tsuji_dpi::*;\n  chandle device;",
                 "create": f'    device = tsuji_create("router", "{SMALL}");',
                 "put": '      if (tsuji_put(device, "in_valid", 1, cycle == 2) + tsuji_put(device, "in_head", 1, 1)\n'
                        '        + tsuji_put(device, "in_tail", 1, 1) + tsuji_put(device, "in_destination", 1, 2) != 0)'
                        ' $fatal(1, tsuji_error(device));',
                 "step": "      if (tsuji_step(device) != 0) $fatal(1, tsuji_error(device));",
                 "get": '      if (tsuji_get(device, "out_valid", 2, value) != 0) $fatal(1, tsuji_error(device));',
                 "end": 'if (tsuji_put(device, "in_vali", 1, 1) == 2) $display("%s", tsuji_error(device));\n'
                        '    tsuji_destroy(device);'}
        said = self.simulate("named", self.text("named.sv", NAMED % words))
        self.assertIn("left after 5\n", said)
        self.assertIn("no such pin (got 'in_vali'); accepted: reset, in_valid", said)

    def test_what_a_model_refuses_ends_the_simulation(self):
        for parameters, says in (
                ('.YAML("router: {port: 5}")', "text:1:10: router.port: unknown key"),
                (f'.YAML("{SMALL}")', "another width than all inputs (got '8')"),
                ('.KIND("crosspoint"), .YAML("switch: {ports: 16}")', "more than 2048 bits")):
            with self.subTest(says):
                self.setUp()
                alone = ALONE % (f"{parameters}, .IN_BITS(8), .OUT_BITS(46)", "8'd0")
                self.assertIn(says, self.simulate("alone", self.text("alone.sv", alone), status=-6))


class Icarus(Simulated):
    @staticmethod
    def bench():
        return [EXAMPLE / "router_bench.sv", SOURCES / "tsuji_reference.sv"]

    def simulate(self, top, *sources, status=0, cycles=None):
        settings = [f"-P{top}.CYCLES={cycles}"] if cycles else []
        self.run_in("iverilog", "-g2012", "-o", "compiled", "-s", top, *settings, *sources)
        return self.run_in("vvp", "-M", MODULES, "-m", "tsuji_vpi", "compiled", status=status)

    def test_a_router_and_its_model_are_equal(self):
        said = self.simulate("router_bench", *self.bench(), *self.twin(), cycles=1000)
        self.assertRegex(said, r"equal in 1000 cycles, 3\d{3} flits")

    def test_a_planted_bug_is_found(self):
        for bug in BUGS:
            said = self.simulate("router_bench", *self.bench(), *self.twin(bug), cycles=1000)
            self.assertRegex(said, r"cycle \d+: the RTL has [0-9a-f]+, the model [0-9a-f]+\n")

    def test_pins_by_name(self):
        words = {"declare": "  integer device;", "create": f'    device = $tsuji_create("router", "{SMALL}");',
                 "put": '      $tsuji_put(device, "in_valid", 1, cycle == 2);\n'
                        '      $tsuji_put(device, "in_head", 1, 1);\n'
                        '      $tsuji_put(device, "in_tail", 1, 1);\n      $tsuji_put(device, "in_destination", 1, 2);',
                 "step": "      $tsuji_edge(device);", "get": '      value = $tsuji_get(device, "out_valid", 2);',
                 "end": '$tsuji_put(device, "in_vali", 1, 1);'}
        said = self.simulate("named", self.text("named.sv", NAMED % words), status=1)
        self.assertIn("left after 5\n", said)
        self.assertRegex(said, r"named\.sv:\d+: tsuji: no such pin \(got 'in_vali'\); accepted: reset, in_valid")

    def test_what_a_model_refuses_ends_the_simulation(self):
        right = f'.YAML("{SMALL}"), .IN_BITS(%s), .OUT_BITS(%s)'
        bits = 1 + 3 * (1 + 1 + 1 + 1 + 2 + 12 + 2) + 1 + 2 + 32
        for parameters, inputs, says in (
                ('.YAML("router: {port: 5}"), .IN_BITS(8), .OUT_BITS(46)', "8'd0",
                 "text:1:10: router.port: unknown key"),
                (right % (8, 46), "8'd0", f"another width than all inputs (got '8'); accepted: {bits} bits"),
                (right % (bits, 46), f"{bits}'d0", "another width than all outputs (got '46')"),
                (right % (bits, 61), f"{{1'bx, {bits - 1}'d0}}",
                 "pin reset[0], cycle 0: the value has unknown bits (X or Z)"),
                # Of a flit that is not valid no field is looked at.
                (right % (bits, 61), f"{{1'b0, 3'd0, {{{bits - 4 - 6 - 35}{{1'bx}}}}, 41'd0}}", "no text"),
                (right % (bits, 61), f"{{1'b0, 3'd4, {{{bits - 4 - 6 - 35}{{1'bx}}}}, 41'd0}}",
                 "pin in_head[0], cycle 0: the value has unknown")):
            with self.subTest(says):
                alone = self.text("alone.sv", ALONE.replace("[45:0]", "[60:0]") % (parameters, inputs))
                said = self.simulate("alone", alone, SOURCES / "tsuji_reference.sv",
                                     status=0 if says == "no text" else 1)
                self.assertIn(says, said)

    def test_wrong_calls_are_told_with_their_place(self):
        for call, says in (("$tsuji_edge(7);", "no device (got '7')"), ("$tsuji_edge;", "an argument is missing"),
                           ('$tsuji_put(device, "reset");', "an argument is missing"),
                           ('$tsuji_put(device, "reset", 0, 2);', "the value is too wide (got '2'); accepted: 1 bits"),
                           ('$tsuji_put(device, "reset", 1, 0);', "has no such lane (got '1')"),
                           ('device = $tsuji_get(device, "resets", 0);', "no such pin (got 'resets')"),
                           ('device = $tsuji_create("no", "");', "no such device (got 'no')"),
                           ('device = $tsuji_create_file("router", "no.yaml");', "no.yaml")):
            with self.subTest(call):
                source = self.text("wrong.v", "module wrong;\n  integer device;\n  initial begin\n    device = "
                                   f'$tsuji_create("router", "{SMALL}");\n    {call}\n  end\nendmodule\n')
                said = self.simulate("wrong", source, status=1)
                self.assertIn("wrong.v:5: tsuji: ", said)
                self.assertIn(says, said)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], sys.argv[1]])
