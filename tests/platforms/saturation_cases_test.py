# SPDX-License-Identifier: Apache-2.0
"""A study looks for the saturation of a curve as a sweep does: both play tests/platform/saturation_cases.json, step by
step (tests/platform/saturation_search_test.cpp).

The file: cases with `lengthens`, whether runs can be made longer, `steps` with the runs that have `ended`, each [load,
times, verdict, multiple that would decide (2)], and those that are wanted `next`, and the answer, `stable` and
`saturated`.
"""

import json
import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

from tsuji import saturation  # noqa: E402

CASES = json.loads((ROOT / "tests" / "platform" / "saturation_cases.json").read_text(encoding="utf-8"))


class Cases(unittest.TestCase):
    def play(self, case):
        loads, ends, runs, bracket = [load for load, *_ in case["steps"][0]["ended"]], {}, [], None
        for step in case["steps"]:
            for load, times, verdict, *needs in step["ended"]:
                ends[load, times] = saturation.End(verdict, (needs or [2.0])[0] if case["lengthens"] else None)
            runs, bracket = saturation.search(loads, ends, 0.01)
            self.assertEqual([list(run) for run in runs if run not in ends], step["next"], step)
        self.assertEqual(sorted(runs), sorted(ends), "no other runs are wanted")
        self.assertEqual(bracket, saturation.Bracket(case["stable"], case["saturated"]))

    def test_cases(self):
        for case in CASES:
            with self.subTest(case["name"]):
                self.play(case)


if __name__ == "__main__":
    unittest.main()
