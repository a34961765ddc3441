#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/hardware_cost: counts and paths of modules that can be counted by hand, on cells with round delays; wrong
input.

usage: hardware_cost_test.py PROJECT
"""

import csv
import json
import os
import pathlib
import subprocess
import sys
import unittest

from benches import FolderTest

PROJECT = pathlib.Path(sys.argv[1])

# Delays do not depend on loads: 0.5 ns for a flip-flop with 0.25 ns of set-up, 0.1 for an inverter, 0.2 for a NAND.
DELAY = """timing() { related_pin : "%s"; %s cell_rise(scalar) { values("%s"); } cell_fall(scalar) { values("%s"); }
  rise_transition(scalar) { values("0.01"); } fall_transition(scalar) { values("0.01"); } }"""


def gate(name, area, function, pins, delay):
    arcs = "\n".join(DELAY % (pin, "timing_sense : negative_unate;", delay, delay) for pin in pins)
    inputs = "\n".join(f"pin({pin}) {{ direction : input; capacitance : 0.01; }}" for pin in pins)
    return f"""cell ({name}) {{
  area : {area};
  {inputs}
  pin(Y) {{ direction : output; function : "{function}"; max_capacitance : 10; {arcs} }}
}}"""


CELLS = "\n".join(["""library(round) {
  delay_model : table_lookup; time_unit : "1ns"; voltage_unit : "1V"; current_unit : "1mA";
  pulling_resistance_unit : "1kohm"; capacitive_load_unit(1, pf);
  nom_voltage : 1.8; nom_temperature : 25; nom_process : 1;
  input_threshold_pct_rise : 50; input_threshold_pct_fall : 50; output_threshold_pct_rise : 50;
  output_threshold_pct_fall : 50; slew_lower_threshold_pct_rise : 20; slew_lower_threshold_pct_fall : 20;
  slew_upper_threshold_pct_rise : 80; slew_upper_threshold_pct_fall : 80;""",
                   gate("INV", 1, "!A", "A", 0.1), gate("NAND", 2, "!(A B)", "AB", 0.2),
                   gate("NOR", 2, "!(A+B)", "AB", 0.2), gate("BUF", 1.5, "A", "A", 0.15),
                   """cell (FLOP) {
  area : 8;
  ff (IQ, IQN) { clocked_on : "C"; next_state : "D"; }
  pin(C) { direction : input; clock : true; capacitance : 0.01; }
  pin(D) { direction : input; capacitance : 0.01;
    timing() { related_pin : "C"; timing_type : setup_rising; rise_constraint(scalar) { values("0.25"); }
               fall_constraint(scalar) { values("0.25"); } } }
  pin(Q) { direction : output; function : "IQ"; max_capacitance : 10;""",
                   DELAY % ("C", "timing_type : rising_edge;", 0.5, 0.5), "} } }"])

CHOICES = "all, block_timer"

SHIFT = """module shift #(parameter WIDTH = 3) (input wire clock, input wire d, output wire q);
  reg [WIDTH-1:0] bits;
  assign q = bits[WIDTH-1];
  always @(posedge clock) bits <= WIDTH'({bits, d});
endmodule
"""
TOGGLE = "module toggle (input wire tick, output reg q);\n  always @(posedge tick) q <= ~q;\nendmodule\n"
WORDS = """`include "width.vh"
module words (input wire clock, input wire write, input wire [3:0] at, input wire [`WIDTH-1:0] d,
              output wire [7:0] q);
  reg [7:0] m[0:15];
  assign q = m[at];
  always @(posedge clock) if (write) m[at] <= d;
endmodule
"""
PURE = "module pure (input wire a, input wire b, output wire y);\n  assign y = ~(a & b);\nendmodule\n"
PAIR = """module leaf (input wire clock, input wire d, output reg q);
  always @(posedge clock) q <= d;
endmodule
module pair (input wire clock, input wire a, output wire c);
  wire b;
  leaf first (.clock(clock), .d(a), .q(b));
  leaf second (.clock(clock), .d(~b), .q(c));
endmodule
"""


class HardwareCostTest(FolderTest):
    def setUp(self):
        super().setUp()
        self.library = self.folder / "round.lib"
        self.library.write_text(CELLS, encoding="utf-8")
        self.out = self.folder / "out"

    def call(self, *words, library=None):
        return subprocess.run([str(PROJECT / "scripts/hardware_cost"), "--library", str(library or self.library),
                               *map(str, words)],
                              capture_output=True, text=True, check=False, cwd=self.folder,
                              env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})

    def source(self, name, text):
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return path

    def rows(self, *words):
        done = self.call(*words, "--out", self.out)
        self.assertEqual(done.returncode, 0, done.stderr)
        with (self.out / "cost.csv").open(encoding="utf-8") as text:
            return list(csv.DictReader(text))

    def row(self, *words):
        rows = self.rows(*words)
        self.assertEqual(len(rows), 1)
        return rows[0]

    def test_a_shift_register_has_its_bits_and_the_path_between_two(self):
        row = self.row("--verilog", self.source("shift.sv", SHIFT))
        self.assertEqual((row["design"], row["flip_flops"], row["memory_bits"]), ("shift", "3", "0"))
        self.assertEqual(float(row["area"]), 3 * 8)
        self.assertEqual((float(row["path_ns"]), float(row["clock_mhz"])), (0.75, 1333.33))
        self.assertRegex(row["path_from"], r"^bits\[[01]\]$")

    def test_gates_between_registers_count_and_the_clock_has_a_name(self):
        row = self.row("--verilog", self.source("toggle.v", TOGGLE), "--clock", "tick")
        self.assertEqual((row["cells"], row["flip_flops"], float(row["area"])), ("2", "1", 9.0))
        self.assertEqual((float(row["path_ns"]), row["path_gates"]), (0.85, "1"))
        self.assertEqual((row["path_from"], row["path_to"]), ("q", "q"))

    def test_memories_are_apart_or_flip_flops(self):
        self.source("width.vh", "`define WIDTH 8\n")
        words = self.source("words.v", WORDS)
        row = self.row("--verilog", words)
        self.assertEqual((row["flip_flops"], row["memories"], row["memory_bits"]), ("0", "1", "128"))
        told = json.loads((self.out / "cost.json").read_text())["designs"][0]["memories"]
        self.assertEqual(told, [{"name": "m", "words": 16, "width": 8, "read_ports": 1, "write_ports": 1, "bits": 128}])
        row = self.row("--verilog", words, "--memories", "flip_flops")
        self.assertEqual((row["flip_flops"], row["memory_bits"]), ("128", "0"))

    def test_logic_alone_has_a_path_from_pin_to_pin(self):
        row = self.row("--verilog", self.source("pure.v", PURE))
        self.assertEqual((row["cells"], row["flip_flops"], float(row["area"]), float(row["path_ns"])),
                         ("1", "0", 2.0, 0.2))
        self.assertIn(row["path_from"], "ab")
        self.assertEqual(row["path_to"], "y")

    def test_parameters_are_set_and_varied(self):
        shift = self.source("shift.sv", SHIFT)
        self.assertEqual(self.row("--verilog", shift, "--set", "WIDTH=5")["flip_flops"], "5")
        rows = self.rows("--verilog", shift, "--vary", "WIDTH=2,4,8")
        self.assertEqual([(row["WIDTH"], row["flip_flops"]) for row in rows], [("2", "2"), ("4", "4"), ("8", "8")])
        page = (self.out / "index.html").read_text()
        self.assertIn("Over WIDTH", page)
        self.assertEqual(page.count("<img"), 1)

    def test_parts_are_kinds_of_modules_with_their_instances(self):
        self.rows("--verilog", self.source("pair.v", PAIR), "--top", "pair", "--parts")
        parts = json.loads((self.out / "cost.json").read_text())["designs"][0]["parts"]
        self.assertEqual(parts, [{"module": "leaf", "instances": 2, "cells": 2, "area": 16.0},
                                 {"module": "pair", "instances": 1, "cells": 1, "area": 1.0}])

    def test_a_twin_has_the_registers_of_its_source(self):
        """18 counters of 8 bits and 18 outputs; a matrix of 5 lines has 10 priorities."""
        self.assertEqual(self.row("block_timer")["flip_flops"], str(18 * 8 + 18))
        row = self.row("--verilog", PROJECT / "testbenches/router/arbiter.v", "--set", "LINES=5", "--set", "MATRIX=1")
        self.assertEqual(row["flip_flops"], "10")

    def test_a_design_that_fails_is_named_and_the_others_are_told(self):
        broken = self.source("shift.sv", SHIFT.replace("WIDTH-1:0] bits", "WIDTH-1:0] bits[0:WIDTH-4]"))
        done = self.call("--verilog", broken, "--vary", "WIDTH=2,3", "--jobs", "1")
        self.assertEqual(done.returncode, 1)
        self.assertIn("shift WIDTH=2: yosys failed", done.stderr)

    def test_wrong_input_is_refused(self):
        shift = self.source("shift.sv", SHIFT)
        empty = self.source("empty.lib", "library(empty) { }\n")
        for words, told in [
                (["--verilog", shift, "--set", "DEPTH=5"],
                 "--set: shift has no such parameter (got 'DEPTH'); accepted: WIDTH"),
                (["--verilog", shift, "--set", "WIDTH"], "--set: is not a parameter with its value (got 'WIDTH')"),
                (["--verilog", shift, "--set", "WIDTH=wide"], "--set: WIDTH: is neither an integer nor a string"),
                (["--verilog", shift, "--vary", "WIDTH=2,2"], "--vary: WIDTH: is no list of different integers"),
                (["--verilog", shift, "--vary", "WIDTH=2", "--set", "WIDTH=3"], "--vary: WIDTH: has values already"),
                (["--verilog", shift, "--top", "shaft"], "--top: no file has this module (got 'shaft')"),
                (["--verilog", shift, "--jobs", "0"], "--jobs: is below 1 (got '0')"),
                (["--verilog", shift, "--clock", "tick"],
                 "--clock: shift has no such input (got 'tick'); accepted: clock, d"),
                (["--verilog", self.folder / "none.v"], "--verilog: there is no such file"),
                (["--top", "shift", "block_timer"], "--top: goes with --verilog alone"),
                (["nothing"], f"there is no such device (got 'nothing'); accepted: {CHOICES}"),
                ([], f"no device; accepted: {CHOICES}")]:
            with self.subTest(words=words):
                done = self.call(*words)
                self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
                self.assertIn(f"hardware_cost: {told}", done.stderr)
        self.assertIn("has no cell with a flip-flop", self.call("--verilog", shift, library=empty).stderr)
        self.assertIn("there is no such file", self.call("--verilog", shift, library=self.folder / "none.lib").stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
