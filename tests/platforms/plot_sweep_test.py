#!/usr/bin/python3
"""scripts/plot_sweep.py from outside: what it refuses, what it says without matplotlib, and the same bytes twice."""

import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = None
SWEEP = """load,offered,accepted,latency_mean,latency_p50,latency_p99,hops_mean,saturated
0.1,0.1,0.1,37.5,37,62,6.25,0
0.3,0.3,0.3,45.7,44,90,6.25,0
0.4,0.4,0.35,950.1,800,3000,6.25,1
0.5,0.5,0.36,,,,,1
"""


class PlotSweep(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory(prefix="tsuji-")
        self.addCleanup(place.cleanup)
        self.folder = pathlib.Path(place.name)
        self.csv = self.folder / "sweep.csv"
        self.csv.write_text(SWEEP)

    def plot(self, *arguments, **environment):
        return subprocess.run(["/usr/bin/python3", SCRIPT, *map(str, arguments)], capture_output=True, text=True,
                              env={**os.environ, **environment}, timeout=300)

    def test_refuses_what_is_no_sweep(self):
        for text in ("", "load,accepted\n1,2\n", SWEEP.replace("0.3,0.3,0.3", "0.3,much,0.3")):
            self.csv.write_text(text)
            done = self.plot(self.csv)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn("plot_sweep: ", done.stderr)
        self.assertEqual(self.plot(self.folder / "none.csv").returncode, 2)

    def test_names_the_package_where_matplotlib_is_missing(self):
        (self.folder / "matplotlib.py").write_text("raise ImportError('not here')\n")
        done = self.plot(self.csv, PYTHONPATH=str(self.folder))
        self.assertEqual(done.returncode, 3)
        self.assertIn("python3-matplotlib", done.stderr)
        self.assertFalse((self.folder / "sweep.svg").exists())

    @unittest.skipUnless(importlib.util.find_spec("matplotlib"), "no matplotlib here")
    def test_draws_the_same_bytes_twice(self):
        for name in ("a", "b"):
            done = self.plot(self.csv, self.csv, "-o", self.folder / name, "--title", "both")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertGreater((self.folder / f"{name}.png").stat().st_size, 1000)
        self.assertEqual((self.folder / "a.svg").read_bytes(), (self.folder / "b.svg").read_bytes())
        self.assertIn(b"both", (self.folder / "a.svg").read_bytes())


if __name__ == "__main__":
    SCRIPT = os.path.abspath(sys.argv.pop())
    unittest.main()
