#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/plot_latency.py from outside: what it refuses, and what it draws. usage: plot_latency_test.py SCRIPT"""

import importlib.util
import json
import os
import pathlib
import sys
import unittest

import forked
from own_folder import FolderTest

SCRIPT = None
ROWS = [[10, 10, 5, 0.5], [12, 12, 3, 0.8], [64, 67, 1, 0.9], [128, 135, 1, 1.0]]


@unittest.skipUnless(importlib.util.find_spec("matplotlib"), "no matplotlib here")
class PlotLatency(FolderTest):
    def setUp(self):
        super().setUp()
        sys.path.insert(0, str(pathlib.Path(SCRIPT).parent))

    def result(self, name, rows):
        (self.folder / name).mkdir()
        path = self.folder / name / "result.json"
        metrics = {f"latency_cycles_{metric}": {"value": value, "unit": "cycles"}
                   for metric, value in (("mean", 26.5), ("p99", 130), ("max", 130))}
        path.write_text(json.dumps({"schema": "tsuji.result/1", "metrics": metrics,
                                    "tables": {"latency_histogram": {"columns": [], "rows": rows}}}))
        return path

    def plot(self, *arguments):
        forked.load_matplotlib()
        return forked.call(lambda words: forked.run_script(SCRIPT, words), arguments, self.folder, os.environ.copy(),
                           timeout=300)

    def test_refuses_what_has_no_latencies(self):
        path = self.folder / "result.json"
        for text in ("", "[]", '{"schema": "tsuji.result/1", "metrics": {}}',
                     '{"schema": "tsuji.result/1", "metrics": {}, "tables": {"latency_histogram": {"rows": []}}}'):
            path.write_text(text)
            done = self.ended(self.plot(path), 2)
            self.assertIn("plot_latency: ", done.stderr)

    def test_draws_the_same_bytes_twice(self):
        first, second = self.result("first", ROWS), self.result("second", ROWS[:2])
        for name in ("a", "b"):
            self.ended(self.plot(first, second, "-o", self.folder / name, "--title", "both"))
        self.assertEqual((self.folder / "a.svg").read_bytes(), (self.folder / "b.svg").read_bytes())
        self.assertGreater((self.folder / "a.png").stat().st_size, 1000)
        self.assertEqual(self.plot(first).returncode, 0)
        self.assertTrue((self.folder / "first/latency.svg").is_file())

    def test_shows_what_the_table_says(self):
        import plot_latency

        edges, shares = plot_latency.density(ROWS)
        self.assertEqual(edges, [10, 11, 12, 13, 64, 68, 128, 136])
        self.assertEqual([round(share, 9) for share in shares], [0.5, 0, 0.3, 0, 0.025, 0, 0.0125])
        self.assertAlmostEqual(sum(share * (b - a) for share, a, b in zip(shares, edges, edges[1:])), 1)
        figure = plot_latency.draw([("first", plot_latency.read(self.result("first", ROWS)))], "")
        tail, histogram = figure.axes
        x, y = tail.get_lines()[0].get_data()
        self.assertEqual(list(x), [10, 10, 12, 67])
        self.assertEqual([round(share, 9) for share in y], [1, 0.5, 0.2, 0.1])
        self.assertEqual(tail.get_xlim(), (10, 136))
        self.assertEqual([line.get_xdata()[0] for line in histogram.get_lines()], [130])
        figure.canvas.draw()
        legend = tail.get_legend()
        self.assertEqual([text.get_text() for text in legend.get_texts()],
                         ["mean 26.5, 99 % within 130, longest 130", "50 % and 99 % within"])
        self.assertFalse(legend.get_window_extent().overlaps(tail.get_window_extent()))


if __name__ == "__main__":
    SCRIPT = os.path.abspath(sys.argv.pop())
    unittest.main()
