#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Twins under Icarus, which knows values that are not defined: from the pins of a bench run, every output has the
bench's value in every cycle after the first reset, and none is undefined.

usage: icarus_test.py CYCLES FOLDER_OF_DEVICES BENCH...
"""

import json
import pathlib
import re
import sys
import unittest

import benches

CYCLES, DEVICES, BENCHES = int(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3:]

REPLAY = """module replay;
  reg clock = 0, defined = 0;
  reg [{inputs}-1:0] in;
  reg [{outputs}-1:0] expected;
  wire [{outputs}-1:0] out;
  integer file, cycle, compared;
  {top} #({parameters}) twin (.clock(clock), {pins});
  initial begin
    file = $fopen("{rows}", "r");
    compared = 0;
    for (cycle = 0; $fscanf(file, "%h %h", in, expected) == 2; cycle = cycle + 1) begin
      #1;
      if (defined) compared = compared + 1;
      if (defined && out !== expected) begin
        $display("cycle %0d: %b, not %b", cycle, out, expected);
        $finish;
      end
      defined = defined || in[{reset}];
      #1 clock = 1;
      #1 clock = 0;
    end
    $display("equal in %0d cycles", compared);
  end
endmodule
"""


def output_of(*command):
    result = benches.run(*command)
    if result.returncode != 0:
        raise AssertionError(result.stdout + result.stderr)
    return result.stdout


def devices():
    """The bench of each device."""
    return {device: bench for bench in BENCHES for device in benches.devices(bench)}


def record(device, folder):
    """Pins and rows of a run: [(direction, name, bits)], lines."""
    path = folder / "pins.txt"
    output_of(devices()[device], "--device", device, "--cycles", CYCLES, "--record", path)
    head, rows = path.read_text(encoding="utf-8").split("cycles\n")
    return [(word[0], word[1], int(word[2])) for word in map(str.split, head.splitlines())], rows


def replay(twin, pins, rows, folder):
    """Icarus's output for a twin and the rows."""
    places = {"input": 0, "output": 0}
    bound = []
    for direction, name, bits in pins:
        if name == "reset":
            reset = places[direction]
        bound.append(f".{name}({'in' if direction == 'input' else 'out'}[{places[direction]} +: {bits}])")
        places[direction] += bits
    (folder / "rows.txt").write_text(rows, encoding="utf-8")
    (folder / "replay.v").write_text(REPLAY.format(
        inputs=places["input"], outputs=places["output"], top=twin["top"], pins=", ".join(bound),
        rows=folder / "rows.txt",
        parameters=", ".join(f".{name}({value})" for name, value in twin["parameters"].items()), reset=reset),
                                     encoding="utf-8")
    output_of("iverilog", "-g2005", "-s", "replay", "-o", folder / "replay.vvp", folder / "replay.v", *twin["sources"])
    return output_of("vvp", "-n", folder / "replay.vvp")


class Icarus(benches.FolderTest):
    def test_every_twin_is_equal_and_defined(self):
        self.assertEqual(sorted(devices()), sorted(path.stem for path in DEVICES.glob("*.json")))
        for device in devices():
            with self.subTest(device=device):
                twin = json.loads((DEVICES / f"{device}.json").read_text(encoding="utf-8"))
                told = replay(twin, *record(device, self.folder), self.folder)
                found = re.fullmatch(r"equal in (\d+) cycles\n", told)
                self.assertTrue(found, told)
                self.assertGreaterEqual(int(found.group(1)), CYCLES - 10)

    def test_another_output_and_an_undefined_one_are_told(self):
        twin = json.loads((DEVICES / "crc32c.json").read_text(encoding="utf-8"))
        pins, rows = record("crc32c", self.folder)
        lines = rows.splitlines()
        middle = CYCLES // 2
        inputs, outputs = lines[middle].split()
        lines[middle] = f"{inputs} {int(outputs, 16) ^ 4:0{len(outputs)}x}"
        self.assertIn(f"cycle {middle}: ", replay(twin, pins, "\n".join(lines), self.folder))
        # A register that no reset reaches.
        source = self.folder / "crc_hash.v"
        good = pathlib.Path(twin["sources"][0]).read_text(encoding="utf-8")
        bad = good.replace("      out_hash <= {WIDTH{1'b0}};\n", "")
        self.assertNotEqual(good, bad)
        source.write_text(bad, encoding="utf-8")
        told = replay(dict(twin, sources=[str(source)]), pins, rows, self.folder)
        self.assertRegex(told, "cycle [0-9]+: [01]*x+")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
