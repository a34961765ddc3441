#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Twins whose registers and memories begin at random (Verilator's --x-initial unique): the first reset leaves nothing
of it, all outputs are the model's from the first edge on.

usage: random_start_test.py BENCH...
"""

import pathlib
import subprocess
import sys
import tempfile
import unittest

BENCHES = sys.argv[1:]
STARTS = range(1, 9)


def run(bench, start, *words):
    (line,) = subprocess.run([bench, "--list"], capture_output=True, text=True, timeout=60,
                             check=True).stdout.splitlines()
    with tempfile.TemporaryDirectory() as folder:
        wave = pathlib.Path(folder) / "difference.vcd"
        result = subprocess.run([bench, "--device", line.split(":")[0], "--random-start", str(start),
                                 "--difference-wave", wave, *words],
                                capture_output=True, text=True, timeout=600, check=False)
    return result.returncode, result.stdout.replace(str(wave), "") + result.stderr


class RandomStart(unittest.TestCase):
    def test_after_the_first_edge_all_outputs_are_the_model_s(self):
        for bench in BENCHES:
            for start in STARTS:
                with self.subTest(bench=bench, start=start):
                    status, text = run(bench, start, "--cycles", "20000", "--seed", str(start), "--compare-from", "1")
                    self.assertEqual(status, 0, text)
                    self.assertIn("all outputs of model and twin equal, all rules of the scoreboard kept", text)

    def test_before_it_outputs_are_not(self):
        """Otherwise nothing would have begun at random."""
        for bench in BENCHES:
            told = {run(bench, start, "--cycles", "1")[1] for start in STARTS}
            self.assertTrue(all(": cycle 0: " in text for text in told), told)
            self.assertEqual(len(told), len(STARTS), "each start has values of its own")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
