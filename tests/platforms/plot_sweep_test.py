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


FULL = """load,offered,accepted,latency_mean,latency_mean_confidence95,latency_confidence,latency_p50,latency_p95,latency_p99,\
latency_p999,hops_mean,packets_missing,latency_is_lower_bound,saturated
0.1,0.1,0.1,37.5,0.2,independent,37,52,62,66,6.25,0,0,0
0.3,0.3,0.3,45.7,1.5,independent,44,70,90,120,6.25,0,0,0
0.39,0.39,0.39,75,,dependent,58,190,320,700,6.25,0,0,0
0.4,0.4,0.4,150.1,,lower_bound,80,300,900,2000,6.25,12,1,0
0.5,0.5,0.41,1500,,saturated,900,3000,4000,5000,6.25,0,0,1
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

    @unittest.skipUnless(importlib.util.find_spec("matplotlib"), "no matplotlib here")
    def test_a_picture_that_cannot_be_written_has_a_status_of_its_own(self):
        done = self.plot(self.csv, "-o", self.folder / "nowhere" / "x")
        self.assertEqual(done.returncode, 4)
        self.assertIn("No such file or directory", done.stderr)

    def test_shows_what_the_columns_say(self):
        sys.path.insert(0, str(pathlib.Path(SCRIPT).parent))
        import plot_sweep

        self.csv.write_text(FULL)
        figure = plot_sweep.draw([("x", plot_sweep.read(self.csv))], "")
        latency, accepted = figure.axes
        shown = {line.get_label(): list(zip(*line.get_data())) for line in latency.get_lines()}
        self.assertEqual(shown["mean"], [(0.1, 37.5), (0.3, 45.7)])
        self.assertEqual(shown["mean, no interval"], [(0.39, 75)])
        self.assertEqual(shown["mean, at least"], [(0.4, 150.1)])
        self.assertEqual(shown["mean, saturated"], [(0.5, 1500)])
        for label, last in (("50", 80), ("95", 300), ("99", 900), ("99.9", 2000)):
            self.assertEqual(shown[f"{label} % within"][-1], (0.4, last))
        band = latency.collections[0].get_paths()[0].get_extents()
        self.assertAlmostEqual(band.ymin, 37.3)
        self.assertAlmostEqual(band.ymax, 47.2)
        self.assertEqual(latency.get_yscale(), "log")
        self.assertGreater(latency.get_ylim()[1], 2000)
        self.assertEqual([line.get_label() for line in accepted.get_lines()][1:],
                         ["accepted", "accepted, saturated", "_child3", "all that is offered"])
        # A sweep below saturation varies little, and is drawn as it is.
        self.csv.write_text("\n".join(FULL.split("\n")[:3]) + "\n")
        figure = plot_sweep.draw([("x", plot_sweep.read(self.csv))], "")
        self.assertEqual(figure.axes[0].get_yscale(), "linear")


if __name__ == "__main__":
    SCRIPT = os.path.abspath(sys.argv.pop())
    unittest.main()
