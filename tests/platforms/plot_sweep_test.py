#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/plot_sweep.py from outside: what it refuses, what it says without matplotlib, and the same bytes twice."""

import importlib.util
import os
import pathlib
import subprocess
import sys
import unittest

import forked
from own_folder import FolderTest

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
"""  # noqa: E501

# With a word a load, in the order in which a search has run them.
BOUND = """load,offered,accepted,latency_mean,latency_p50,latency_p99,hops_mean,saturated,stability,capacity_bound,accepted_share_worst_source
0.1,0.1,0.1,37.5,37,62,6.25,0,stable,0.5,
0.3,0.3,0.3,45.7,44,90,6.25,0,stable,0.5,1
0.4,0.4,0.35,950.1,800,3000,6.25,1,saturated,0.5,0.8
0.35,0.35,0.35,90,80,200,6.25,0,undecided,0.5,0.9
"""  # noqa: E501


class PlotSweep(FolderTest):
    def setUp(self):
        super().setUp()
        self.csv = self.folder / "sweep.csv"
        self.csv.write_text(SWEEP)

    def plot(self, *arguments, **environment):
        return subprocess.run([sys.executable, SCRIPT, *map(str, arguments)], capture_output=True, text=True,
                              env={**os.environ, **environment}, timeout=300)

    def drawn_files(self, *arguments):
        """As plot(), with matplotlib loaded once."""
        forked.load_matplotlib()
        return forked.call(lambda words: forked.run_script(SCRIPT, words), arguments, self.folder, os.environ.copy(),
                           timeout=300)

    def test_refuses_what_is_no_sweep(self):
        for text in ("", "load,accepted\n1,2\n", SWEEP.replace("0.3,0.3,0.3", "0.3,much,0.3")):
            self.csv.write_text(text)
            done = self.ended(self.plot(self.csv), 2)
            self.assertIn("plot_sweep: ", done.stderr)
        self.assertEqual(self.plot(self.folder / "none.csv").returncode, 2)

    def test_names_the_package_where_matplotlib_is_missing(self):
        (self.folder / "matplotlib.py").write_text("raise ImportError('not here')\n")
        done = self.ended(self.plot(self.csv, PYTHONPATH=str(self.folder)), 3)
        self.assertIn("python3-matplotlib", done.stderr)
        self.assertFalse((self.folder / "sweep.svg").exists())

    @unittest.skipUnless(importlib.util.find_spec("matplotlib"), "no matplotlib here")
    def test_draws_the_same_bytes_twice(self):
        for name in ("a", "b"):
            self.ended(self.drawn_files(self.csv, self.csv, "-o", self.folder / name, "--title", "both"))
            self.assertGreater((self.folder / f"{name}.png").stat().st_size, 1000)
        self.assertEqual((self.folder / "a.svg").read_bytes(), (self.folder / "b.svg").read_bytes())
        self.assertIn(b"both", (self.folder / "a.svg").read_bytes())

    @unittest.skipUnless(importlib.util.find_spec("matplotlib"), "no matplotlib here")
    def test_a_name_may_end_as_a_picture_does(self):
        for name in ("a.png", "a.svg", "a.b"):
            with self.subTest(name):
                self.ended(self.drawn_files(self.csv, "-o", self.folder / name))
                written = {path.name for path in self.folder.iterdir() if path.suffix in (".png", ".svg")}
                stem = "a.b" if name == "a.b" else "a"
                self.assertLessEqual({stem + ".png", stem + ".svg"}, written)
                self.assertFalse({name + ".png", name + ".svg"} & written - {stem + ".png", stem + ".svg"}, written)

    @unittest.skipUnless(importlib.util.find_spec("matplotlib"), "no matplotlib here")
    def test_a_picture_that_cannot_be_written_has_a_status_of_its_own(self):
        done = self.ended(self.drawn_files(self.csv, "-o", self.folder / "nowhere" / "x"), 4)
        self.assertIn("No such file or directory", done.stderr)

    def drawn(self, *texts):
        """The figure of CSVs with these texts, whose curves are a, b, ..."""
        sys.path.insert(0, str(pathlib.Path(SCRIPT).parent))
        import plot_sweep

        sweeps = []
        for name, text in zip("abc", texts):
            self.csv.write_text(text)
            sweeps.append((name, plot_sweep.read(self.csv)))
        return plot_sweep.draw(sweeps, "")

    def shown(self, axes):
        return {line.get_label(): list(zip(*line.get_data())) for line in axes.get_lines()}

    def legend(self, figure):
        self.assertIsNone(figure.axes[1].get_legend())
        return [text.get_text() for text in figure.axes[0].get_legend().get_texts()]

    @unittest.skipUnless(importlib.util.find_spec("matplotlib"), "no matplotlib here")
    def test_shows_what_the_columns_say(self):
        figure = self.drawn(FULL)
        latency, accepted = figure.axes
        shown = self.shown(latency)
        self.assertEqual(shown["a"], [(0.1, 37.5), (0.3, 45.7), (0.39, 75), (0.4, 150.1), (0.5, 1500)])
        self.assertEqual(shown["a: "], [(0.1, 37.5), (0.3, 45.7)])
        self.assertEqual(shown["a: no interval"], [(0.39, 75)])
        self.assertEqual(shown["a: at least"], [(0.4, 150.1)])
        self.assertEqual(shown["a: saturated"], [(0.5, 1500)])
        for label, last in (("50", 80), ("95", 300), ("99", 900), ("99.9", 2000)):
            self.assertEqual(shown[f"a: {label} % within"][-1], (0.4, last))
        band = latency.collections[0].get_paths()[0].get_extents()
        self.assertAlmostEqual(band.ymin, 37.3)
        self.assertAlmostEqual(band.ymax, 47.2)
        self.assertEqual(latency.get_yscale(), "log")
        self.assertGreater(latency.get_ylim()[1], 2000)
        self.assertEqual(self.shown(accepted)["a: saturated"], [(0.5, 0.41)])
        # A sweep below saturation varies little, and is drawn without a break.
        figure = self.drawn("\n".join(FULL.split("\n")[:3]) + "\n")
        self.assertEqual(figure.axes[0].get_yscale(), "linear")

    @unittest.skipUnless(importlib.util.find_spec("matplotlib"), "no matplotlib here")
    def test_has_one_legend_entry_a_curve(self):
        self.assertEqual(self.legend(self.drawn(FULL)),
                         ["mean", "50 % within", "95 % within", "99 % within", "99.9 % within",
                          "95 % interval of the mean", "saturated",
                          "at least", "no interval", "highest load shown stable: 0.4",
                          "lowest load shown saturated: 0.5", "all that is offered"])
        self.assertEqual(self.legend(self.drawn(SWEEP, SWEEP.replace("37.5", "30"),
                                                SWEEP.replace("0.4,0.4,0.35,950.1", "0.2,0.2,0.2,40"))),
                         [f"{name}\nstable to {stable}, saturated from {load}"
                          for name, stable, load in (("a", 0.3, 0.4), ("b", 0.3, 0.4), ("c", 0.1, 0.2))] +
                         ["99 % within", "saturated", "highest load shown stable", "lowest load shown saturated",
                          "all that is offered"])
        self.assertEqual(self.legend(self.drawn("\n".join(SWEEP.split("\n")[:3]) + "\n")),
                         ["mean", "50 % within", "99 % within", "all that is offered"])

    @unittest.skipUnless(importlib.util.find_spec("matplotlib"), "no matplotlib here")
    def test_the_legend_covers_no_axes_and_axes_end_with_the_data(self):
        for texts in ((FULL,), (BOUND,), (SWEEP, FULL, BOUND), ("\n".join(SWEEP.split("\n")[:3]) + "\n",)):
            figure = self.drawn(*texts)
            figure.canvas.draw()
            latency, accepted = figure.axes
            beside = latency.get_legend().get_window_extent()
            page = figure.get_window_extent()
            for axes in (latency, accepted):
                self.assertFalse(beside.overlaps(axes.get_window_extent()), texts)
            self.assertLessEqual(beside.xmax, page.xmax)
            self.assertGreaterEqual(beside.ymin, page.ymin)
            for axes, side in ((accepted, 0), (accepted, 1), (latency, 1)):
                values = [point[side] for label, line in self.shown(axes).items()
                          for point in line if label.startswith(("a", "b", "c:")) and
                          not label.startswith("all")]
                lines = [line.get_xdata()[0] for line in axes.get_lines()
                         if "load shown" in line.get_label() or "capacity" in line.get_label()]
                last = max(values + (lines if side == 0 else []))
                end = (axes.get_ylim() if side else axes.get_xlim())[1]
                self.assertTrue(1.01 * last < end < 1.13 * last, (texts, side, last, end))

    @unittest.skipUnless(importlib.util.find_spec("matplotlib"), "no matplotlib here")
    def test_marks_undecided_loads_and_the_capacity_bound(self):
        figure = self.drawn(BOUND)
        latency, accepted = figure.axes
        for axes, column in ((latency, 90), (accepted, 0.35)):
            self.assertEqual(self.shown(axes)["a: undecided"], [(0.35, column)])
            diamond = next(line for line in axes.get_lines() if line.get_label() == "a: undecided")
            self.assertEqual((diamond.get_marker(), diamond.get_markerfacecolor()), ("D", "white"))
            lines = {label: points[0][0] for label, points in self.shown(axes).items()
                     if "load shown" in label or "capacity" in label}
            self.assertEqual(lines.pop("capacity (of the worst source)"), 0.8 * 0.4)
            self.assertEqual(lines, {"highest load shown stable": 0.3, "lowest load shown saturated": 0.4,
                                     "capacity bound": 0.5})
        # Latencies of a load that is undecided are known, and those of the first saturated one.
        self.assertEqual(self.shown(latency)["a"], [(0.1, 37.5), (0.3, 45.7), (0.35, 90), (0.4, 950.1)])
        self.assertIn("capacity bound: 0.5", self.legend(figure))
        self.csv.write_text(BOUND.replace("undecided", "unknown"))
        done = self.ended(self.plot(self.csv), 2)
        self.assertIn("unknown stability (got 'unknown'); accepted: stable, undecided, saturated", done.stderr)

    def test_names_curves_after_their_folders(self):
        sys.path.insert(0, str(pathlib.Path(SCRIPT).parent / "tsuji"))
        import curve_looks

        def names(*paths):
            return curve_looks.named([pathlib.Path(path) for path in paths])

        self.assertEqual(names("/a/b/sweep.csv", "/a/c/sweep.csv"), ["b", "c"])
        self.assertEqual(names("/a/b/x.csv", "/a/b/y.csv"), ["b/x", "b/y"])
        self.assertEqual(names("/a/b/x.csv", "/c/b/x.csv"), ["/a/b/x.csv", "/c/b/x.csv"])


if __name__ == "__main__":
    SCRIPT = os.path.abspath(sys.argv.pop())
    unittest.main()
