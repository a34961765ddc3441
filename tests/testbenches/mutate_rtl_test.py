#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/mutate_rtl: its verdicts from runs and proofs, its proofs beside a search of all states, its reading of
coverage.

usage: mutate_rtl_test.py FOLDER_OF_THE_SCRIPT
"""

import contextlib
import io
import itertools
import json
import sys
import unittest

from benches import FolderTest

sys.path.insert(0, sys.argv[1])
import coverage  # noqa: E402  # pylint: disable=wrong-import-position
import main  # noqa: E402  # pylint: disable=wrong-import-position
import netlist  # noqa: E402  # pylint: disable=wrong-import-position
import proof  # noqa: E402  # pylint: disable=wrong-import-position

LINE = ("mutate -ctrl mutant 16 7 -mode cnot0 -module cam -cell $eq$cam.v:54$706 -port A -portbit 5 -ctrlbit 3 -wire "
        "busy -wirebit 2"
        " -src cam.v:12.1-12.9 -src cam.v:54.26-54.114")

# Counts down from 2: values above that are never reached, and bit 2 is always 0.
SOURCE = """module counter(input wire clock, input wire reset, input wire go, output wire ready);
  reg [2:0] left;
  assign ready = left == 3'd0;
  always @(posedge clock)
    if (reset) left <= 3'd0;
    else if (go && ready) left <= 3'd2;
    else if (left != 3'd0) left <= left - 3'd1;
endmodule
"""


class FakeBench:
    """Mutants that show after this number of cycles."""

    def __init__(self, shows):
        self.shows, self.cycles = shows, 0

    def run_all(self, numbers, cycles, _jobs):
        self.cycles += cycles * len(numbers)
        return {number: "differs" for number in numbers if self.shows.get(number, cycles) < cycles}


def mutants(count):
    return [netlist.Mutant(number, LINE) for number in range(1, count + 1)]


class Verdicts(FolderTest):
    def test_found_early_found_late_proved_and_surviving(self):
        bench = FakeBench({1: 10, 2: 500_000})
        found, proved = main.judge(bench, lambda number, _seconds=9: "why" if number == 3 else None, mutants(4),
                                   1_000_000, 1)
        self.assertEqual(sorted(found), [1, 2])
        self.assertEqual(proved, {3: "why"})
        # The whole run is for those that are neither found early nor proved.
        self.assertEqual(bench.cycles, 3 * 1_000_000 + 4 * main.SHORT_CYCLES)
        report = main.Report("cam", mutants(4), found, proved)
        self.assertEqual([mutant.number for mutant in report.survivors], [4])
        self.assertAlmostEqual(report.percent, 100 * 2 / 3)
        self.assertFalse(report.enough)
        self.assertIn("4 mutants, 1 set aside, 2 found of 3: 66.7 %", report.text())
        self.assertTrue(main.Report("cam", mutants(20), dict.fromkeys(range(1, 20), ""), {}).enough)

    def test_a_whole_run_that_takes_less_time_than_a_proof_comes_first(self):
        bench, asked = FakeBench({1: 10, 2: 500_000}), []

        def prover(number, _seconds=9):
            asked.append(number)
            return "why" if number == 3 else None

        found, proved = main.judge(bench, prover, mutants(4), 1_000_000, 1, patience=1e9)
        self.assertEqual((sorted(found), proved), ([1, 2], {3: "why"}))
        self.assertEqual(bench.cycles, 4 * 1_000_000 + 4 * main.SHORT_CYCLES)
        self.assertEqual(asked, [1, 3, 4])  # 1: a proof of too much

    def test_an_original_that_differs_and_a_proof_of_too_much_end_it(self):
        with self.assertRaisesRegex(RuntimeError, "without a mutant"):
            main.judge(FakeBench({0: 10}), lambda number, seconds=9: None, mutants(2), 1000, 1)
        with self.assertRaisesRegex(RuntimeError, "and found"):
            main.judge(FakeBench({1: 10}), lambda number, seconds=9: "why", mutants(2), 1000, 1)

    def test_verdicts_of_some_mutants_of_a_draw(self):
        some = [mutant for mutant in mutants(9) if mutant.number in (3, 7, 8)]
        report = main.Report("cam", some, {7: "differs"}, {8: "why"})
        self.assertIn("   8 cnot0 by bit 3", report.text())
        self.assertIn("3 mutants, 1 set aside, 1 found of 2: 50.0 %", report.text())
        self.assertEqual([mutant.number for mutant in report.survivors], [3])
        self.assertEqual(main.parse(["cam", "--only", "7", "--only", "8"], ["cam"]).only, [7, 8])
        with contextlib.redirect_stderr(io.StringIO()) as said, self.assertRaises(SystemExit):
            main.parse(["cam", "--only", "201"], ["cam"])
        self.assertIn("--only: there is no such mutant (got 201); accepted: 1 to 200", said.getvalue())

    def test_a_bench_runs_each_mutant_once(self):
        bench = main.Bench("none", "cam", 1, self.folder)
        bench.run = lambda number, cycles: f"{number}: cycle {cycles}" if number != 5 else None
        self.assertEqual(bench.run_all([4, 5, 6], 10, 2), {4: "4: cycle 10", 6: "6: cycle 10"})


class Lists(FolderTest):
    def test_a_mutant_is_read_and_told_and_made_again(self):
        mutant = netlist.Mutant(3, LINE)
        self.assertEqual(mutant.describe(), "cnot0 by bit 3 at busy[2] (A; cam.v:54)")
        self.assertEqual(mutant.command(),
                         "mutate -ctrl mutant 16 3 -mode cnot0 -module cam -cell $eq$cam.v:54$706 -port A"
                         " -portbit 5 -ctrlbit 3")

    def test_sources_of_another_folder_are_read_from_the_first_one(self):
        made = self.folder / "twin.json"
        made.write_text(json.dumps({"device": "twin", "top": "twin", "parameters": {},
                                    "sources": ["/rtl/router/twin.v", "/rtl/router/../detour/part.v"]}),
                        encoding="utf-8")
        self.assertEqual(netlist.Twin(made).read_commands()[0], "read_verilog twin.v ../detour/part.v")

    def test_clocks_are_left_out_and_numbers_have_no_gaps(self):
        lines = [LINE.replace("-port A", f"-port {port}") for port in ("A", "CLK", "WR_CLK", "B", "Y")]
        chosen = netlist.choose(lines, 2)
        self.assertEqual([(mutant.number, mutant.options["port"]) for mutant in chosen], [(1, "A"), (2, "B")])


class Beginning(FolderTest):
    def test_a_register_that_becomes_1_at_the_first_edge_is_none_of_the_constants(self):
        source = """module started(input wire clock, input wire go, output reg begun, output reg last);
  always @(posedge clock) begin
    begun <= 1'b1;
    last <= go;
  end
endmodule
"""
        folder = self.folder
        (folder / "started.v").write_text(source, encoding="utf-8")
        (folder / "started.json").write_text(json.dumps({"device": "started", "top": "started", "parameters": {},
                                                         "sources": [str(folder / "started.v")]}), encoding="utf-8")
        netlist.draw(netlist.Twin(folder / "started.json"), 1, 1, folder)
        text = (folder / "twin.il").read_text(encoding="utf-8")
        self.assertFalse(netlist.ones_at_outputs(text))
        self.assertIn("\\begun", text.partition("cell $dff")[2])

    def test_constants_that_are_1_are_told_from_0_and_from_wires(self):
        def shows(right):
            return netlist.ones_at_outputs(f"  wire width 3 output 2 \\out\n  wire width 3 \\in\n  connect \\out "
                                           f"{right}\n"
                                           "  connect \\in 3'111\n")

        self.assertTrue(shows("3'010"))
        self.assertTrue(shows("{ 1'1 \\in [1:0] }"))
        self.assertFalse(shows("3'000"))
        self.assertFalse(shows("\\in"))


class Proofs(FolderTest):
    """Of all mutants of a small circuit, beside a search of all states of original and mutant."""

    def setUp(self):
        super().setUp()
        path = self.folder
        (path / "counter.v").write_text(SOURCE, encoding="utf-8")
        (path / "counter.json").write_text(json.dumps({"device": "counter", "top": "counter", "parameters": {},
                                                       "sources": [str(path / "counter.v")]}), encoding="utf-8")
        self.mutants = netlist.draw(netlist.Twin(path / "counter.json"), 60, 1, path)
        proof.write_logic(self.mutants, path)
        self.logic = proof.Logic(path / "logic.aag")

    def step(self, mutant, state, inputs):
        """Next state and outputs."""
        value = {0: 0}
        value.update(zip((node >> 1 for node in self.logic.registers), state))
        free = iter(inputs)
        for node in self.logic.inputs:
            value[node >> 1] = 0 if node >> 1 in self.logic.select.values() else next(free)
        value.update({node: mutant >> bit & 1 for bit, node in self.logic.select.items()})
        for out, left, right in self.logic.ands:
            value[out >> 1] = (value[left >> 1] ^ (left & 1)) & (value[right >> 1] ^ (right & 1))
        return [tuple(value[node >> 1] ^ (node & 1) for node in wanted)
                for wanted in (self.logic.following, self.logic.outputs)]

    def can_be_told(self, mutant):
        free = len(self.logic.inputs) - len(self.logic.select)
        first = (0,) * len(self.logic.registers)
        reached, left = {(first, first)}, [(first, first)]
        while left:
            pair = left.pop()
            for inputs in itertools.product((0, 1), repeat=free):
                (good, good_out), (bad, bad_out) = self.step(0, pair[0], inputs), self.step(mutant, pair[1], inputs)
                if good_out != bad_out:
                    return True
                if (good, bad) not in reached:
                    reached.add((good, bad))
                    left.append((good, bad))
        return False

    def test_what_is_proved_is_what_no_state_tells(self):
        reasons = set()
        for mutant in self.mutants:
            reason = proof.prove(self.logic, mutant.number, self.folder, 60)
            self.assertEqual(reason is None, self.can_be_told(mutant.number), f"{mutant.describe()}: {reason}")
            reasons.add(reason)
        self.assertIn(None, reasons)
        self.assertGreaterEqual(len(reasons), 3, reasons)


class Coverage(FolderTest):
    def test_bits_of_registers_are_those_below_their_names(self):
        bits = {"busy[0]": 5, "busy[1]": 1, "keys[3][2]": 0, "keys[3][3]": 0, "wire[0]": 9, "a.line[1][7]": 2}
        own = coverage.of_registers(bits, {"busy", "keys", "a.line[1]"})
        self.assertEqual(set(own), set(bits) - {"wire[0]"})
        report = coverage.registers_report("cam", own)
        self.assertAlmostEqual(report.percent, 40)
        self.assertIn("busy[1], keys[3][2..3]", report.text)

    def test_instances_of_a_generate_block_are_added_up(self):
        bits = {"port[*].one.busy[0]": 5, "port[*].one.wire[0]": 5}
        self.assertEqual(coverage.of_registers(bits, {"port[0].one.busy", "port[1].one.busy"}),
                         {"port[*].one.busy[0]": 5})

    def test_bits_that_are_proved_to_be_constant_are_left_out(self):
        """Bit 0 of a pointer to the lines behind one is always 0."""
        path = self.folder
        (path / "pointer.v").write_text(
            "module pointer(input clock, input reset, input [3:0] served, output reg [3:0] first, output reg [3:0] "
            "last);\n"
            "always @(posedge clock) begin first <= reset ? 4'd0 : ~(served | (served - 1'b1)); last <= reset ? 4'd0 : "
            "served; end\n"
            "endmodule\n", encoding="utf-8")
        (path / "pointer.json").write_text(json.dumps({"device": "pointer", "top": "pointer",
                                                       "sources": [str(path / "pointer.v")],
                                                       "parameters": {}}), encoding="utf-8")
        constants = coverage.read_constants(netlist.Twin(path / "pointer.json"), path)
        self.assertEqual(constants, {"first[0]"})
        report = coverage.registers_report("pointer", {"first[0]": 0, "first[1]": 2, "last[0]": 2, "last[1]": 1},
                                           constants)
        self.assertEqual(report.text,
                         "pointer: 66.7 % of 3 bits of registers rise and fall, but not last[1]; proved to be "
                         "constant: 1")

    def test_constants_of_wires_are_read(self):
        text = ("  wire width 9 \\a\n  connect \\a [4:2] 3'000\n  connect { \\in[0].b [1] \\c [7:6] } 3'000\n  connect "
                "\\d [0] \\e [1]\n  connect \\f 2'00\n  connect \\g.h 1'0\n  connect \\k \\l\n")
        self.assertEqual(coverage.constant_bits(text), {"a[2]", "a[3]", "a[4]", "in[0].b[1]", "c[6]", "c[7]", "f",
                                                        "f[0]", "f[1]", "g.h", "g.h[0]"})

    def test_nothing_found_is_nothing_covered(self):
        self.assertEqual(coverage.registers_report("cam", {}).percent, 0)

    def test_a_file_of_verilator_is_read(self):
        path = self.folder / "coverage.dat"
        rows = ["f\x02/x/cam.v\x01l\x0259\x01n\x0213\x01page\x02v_toggle/cam\x01o\x02busy[0]\x01h"
                "\x02twin.top.port[0].one",
                "f\x02/x/cam.v\x01l\x0268\x01n\x027\x01page\x02v_line/cam\x01o\x02elsif\x01h\x02twin.top"]
        path.write_text("# SystemC::Coverage-3\n" + "".join(f"C '\x01{row}' {count}\n"
                                                            for row, count in zip(rows, (7, 0))),
                        encoding="utf-8")
        lines, toggles = coverage.read(path)
        self.assertEqual(toggles, {"port[0].one.busy[0]": 7})
        (report,) = coverage.lines_reports(lines)
        self.assertEqual(report.percent, 0)
        self.assertIn("68 (elsif, column 7)", report.text)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
