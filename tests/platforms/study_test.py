# SPDX-License-Identifier: Apache-2.0
"""scripts/study: what it decides, refuses and leaves; killed and gone on; failures, lost runs, edits."""

import csv
import json
import os
import pathlib
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
import unittest
import unittest.mock

import forked
from machine import FAKE_DRAWING
from own_folder import FolderTest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
PLATFORMS = None
if not shutil.which(os.environ.get("TSUJI_SNAKEMAKE") or "/usr/bin/snakemake") and not shutil.which("snakemake"):
    print("skipped: snakemake is not installed (scripts/packages, section study)")
    sys.exit(77)

from tsuji import Refused, Run, decisions, engine, pictures, play, renames  # noqa: E402
from tsuji import saturation, study_file, study_main  # noqa: E402
from tsuji.decisions import Outcome, Outcomes, Point  # noqa: E402
from tsuji.designs import at  # noqa: E402
from tsuji.tables import Tables  # noqa: E402
from tsuji.statistics import holm, mean_confidence95, p_of_zero_mean, seeds_for  # noqa: E402

FAKE_SNAKEMAKE = str(ROOT / "tests" / "platforms" / "fake_snakemake")
MESH = ("{topology.kind: mesh, topology.radices: [4, 4], measure.cycles: 400, measure.warmup_cycles: 100, "
        "measure.drain_cycles: 2000}")
STUDY = f"""
platform: network
set: {MESH}
axes:
  router.vcs: [1, 2]
  buffers: {{small: {{router.buffer_flits: 4}}, large: {{router.buffer_flits: 8}}}}
seeds: 3
metrics: [latency_cycles_mean, accepted_flits_per_node_cycle]
compare: {{axis: buffers, with: small}}
"""


class Files(FolderTest):
    def write(self, text, name="a.yaml"):
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return path

    def read(self, text):
        return study_file.read(self.write(text))


class Decisions(Files):
    """Classes without runs."""

    CURVE = "platform: network\ncurve: {loads: [0.1, 0.2, 0.4], resolution: 0.05}\nmetrics: [latency_cycles_mean]\n"

    def test_axes_span_a_grid_in_their_order(self):
        spec = self.read("platform: network\nset: {router.vcs: 2, x: 1}\naxes:\n  a: [1, 2]\n  b: {zip: {c: [5, 6], d: "
                         "[[1, 2], [3, 4]]}}\n"
                         "  e: {one: {router: {vcs: 7}}, two: {f: true}}\nmetrics: [m]\n")
        self.assertEqual([design.labels for design in spec.designs[:3]],
                         [("1", "5/[1,2]", "one"), ("1", "5/[1,2]", "two"), ("1", "6/[3,4]", "one")])
        self.assertEqual(len(spec.designs), 8)
        self.assertEqual({key: value.text for key, value in spec.designs[2].keys.items()},
                         {"router.vcs": "7", "x": "1", "a": "1", "c": "6", "d": "[3,4]"})
        self.assertTrue(spec.axes[0].numeric)
        self.assertEqual(spec.seeds, (1,))

    def test_replicates_take_the_place_of_seeds(self):
        spec = self.read("platform: network\nreplicates: {key: topology.seed, values: [3, 5]}\nmetrics: [m]\n")
        self.assertEqual([decisions.run_of(spec, point).keys for point in decisions.all_points(spec, Outcomes())],
                         [{"topology.seed": "3"}, {"topology.seed": "5"}])
        spec = self.read("platform: network\nseeds: [3, 5]\nmetrics: [m]\n")
        self.assertEqual([decisions.run_of(spec, point).keys for point in decisions.all_points(spec, Outcomes())],
                         [{"seed": "3"}, {"seed": "5"}])

    def test_a_latin_hypercube_has_a_point_in_every_part_of_every_range(self):
        text = ("platform: network\naxes: {s: {latin_hypercube: {points: 8, seed: 3, keys: {n: [1, 8], x: [0.0, "
                "2.0]}}}}\nmetrics: [m]\n")
        spec = self.read(text)
        whole = [int(design.keys["n"].text) for design in spec.designs]
        real = [float(design.keys["x"].text) for design in spec.designs]
        self.assertEqual(sorted(whole), list(range(1, 9)))
        self.assertEqual(sorted(int(value / 0.25) for value in real), list(range(8)))
        self.assertNotEqual(whole, sorted(whole))
        self.assertNotEqual([d.keys["x"].text for d in self.read(text.replace("seed: 3", "seed: 4")).designs],
                            [d.keys["x"].text for d in spec.designs])
        self.assertEqual([at(1, 3, share) for share in (0, 0.33, 0.34, 0.999)], ["1", "1", "2", "3"])

    def walk(self, judge, loads=(0.1, 0.2, 0.4), apart=0.05, limit=80):
        """(bracket, runs) of a search whose runs are judged by `judge(load, times)`."""
        ends = {}
        while len(ends) < limit:
            runs, bracket = saturation.search(loads, ends, apart)
            fresh = [run for run in runs if run not in ends]
            if not fresh:
                return bracket, sorted(ends)
            ends.update({run: judge(*run) for run in fresh})
        self.fail("no end")

    @staticmethod
    def sharp(limit):
        return lambda load, _: saturation.End("saturated" if load > limit else "stable")

    def test_a_curve_is_bisected_as_a_sweep_is(self):
        # 5 % of the saturated load apart: 0.2 and 0.4, 0.3 and 0.4, 0.3 and 0.35, 0.325 and 0.35, 0.325 and 0.3375.
        bracket, runs = self.walk(self.sharp(0.33))
        self.assertEqual(bracket, saturation.Bracket(0.325, 0.3375))
        self.assertEqual(runs, [(load, 1) for load in (0.1, 0.2, 0.3, 0.325, 0.3375, 0.35, 0.4)])
        self.assertEqual(self.walk(self.sharp(0.05))[0].stable, 0.05)
        self.assertEqual(self.walk(self.sharp(2.0)), (saturation.Bracket(1.0, None),
                                                      [(0.1, 1), (0.2, 1), (0.4, 1), (1.0, 1)]))
        self.assertEqual(self.walk(self.sharp(-1))[0].stable, 0.0)
        self.assertEqual(saturation.search((0.1, 0.2), {(0.1, 1): None, (0.2, 1): saturation.End("stable")}, 0.05),
                         ([(0.1, 1), (0.2, 1)], None))

    def test_a_curve_makes_runs_longer_that_decide_nothing(self):
        def judge(load, times):
            if abs(load - 0.3) < 0.03 / times:
                return saturation.End("undecided", 3 * times)
            return saturation.End("stable" if load < 0.3 else "saturated")

        bracket, runs = self.walk(judge, apart=0.01)
        self.assertLessEqual(bracket.stable, 0.3 - 0.03 / 16)
        self.assertGreater(bracket.stable, 0.3 - 0.03 / 16 - 0.003)
        self.assertGreaterEqual(bracket.saturated, 0.3 + 0.03 / 16)
        self.assertLess(bracket.saturated, 0.3 + 0.03 / 16 + 0.0031)
        self.assertEqual({times for load, times in runs if load == 0.3}, {1, 4, 16})
        fixed = self.walk(lambda load, times: saturation.End(judge(load, times).verdict), apart=0.01)
        self.assertEqual({times for _, times in fixed[1]}, {1})
        self.assertLessEqual(fixed[0].stable, 0.27)

    def test_a_longer_run_measures_more_cycles(self):
        spec = self.read(self.CURVE)
        outcomes = Outcomes()
        for load, metrics in ((0.1, {"stability": "stable"}),
                              (0.2, {"stability": "undecided", "stability_needs_cycles": 9000}),
                              (0.4, {"stability": "saturated"})):
            outcomes.put(Point(0, 1, load), Outcome("complete",
                                                    {"measured_cycles": 3000, "latency_cycles_mean": 5, **metrics}))
        fresh = [point for point in decisions.all_points(spec, outcomes) if outcomes.get(point) is None]
        self.assertEqual(fresh, [Point(0, 1, 0.2, 12000)])
        self.assertEqual(decisions.run_of(spec, fresh[0]).keys["measure.cycles"], "12000")
        outcomes.put(fresh[0],
                     Outcome("complete", {"measured_cycles": 12000, "latency_cycles_mean": 7, "stability": "stable"}))
        # The longer run is the load's.
        self.assertEqual(Tables(spec, outcomes).ends(0)[0.2][1].metrics["latency_cycles_mean"], 7)
        fresh = [point for point in decisions.all_points(spec, outcomes) if outcomes.get(point) is None]
        self.assertEqual(fresh, [Point(0, 1, 0.3)])

    def until(self, relative, values):
        """Seeds that a study of one design needs, by how many of them have ended in the order given."""
        spec = self.read(f"platform: network\nuntil: {{metric: m, relative: {relative}, at_least: 3, at_most: "
                         f"12}}\nmetrics: [m]\n")
        outcomes, wanted = Outcomes(), []
        while True:
            points = decisions.design_points(spec, outcomes, 0)
            fresh = [point for point in points if outcomes.get(point) is None]
            wanted.append(len(points))
            if not fresh:
                return wanted
            point = fresh[-1]  # the last one ends first
            outcomes.put(point, Outcome("complete", {"m": values[point.seed - 1]}))

    def test_seeds_are_added_until_the_mean_is_certain_whatever_ends_first(self):
        self.assertEqual(self.until(0.02, [10, 10, 10] + [None] * 9), [3] * 4)
        self.assertEqual(self.until(0.6, [10, 14, 9] + [None] * 9)[-1], 3)
        alternate = self.until(0.3, [10, 20, 10, 20] * 3)
        # Of 3 seeds it looks like 39, which are at most twice as many; 6 have +-5.75 of 15, which asks for 10: +-3.77.
        self.assertEqual(sorted(set(alternate)), [3, 6, 10])
        self.assertEqual(self.until(0.001, [1, 2, 3, 4] * 3)[-1], 12)
        self.assertEqual(alternate[:4], [3, 3, 3, 6], "seeds 1..3 are judged together, when all have ended")

    def test_means_intervals_and_certainty(self):
        mean, half = mean_confidence95([1, 2, 3, 4])
        self.assertEqual(mean, 2.5)
        self.assertAlmostEqual(half, 3.182446 * (5 / 3)**0.5 / 2, 5)  # Student's t of 3 degrees
        self.assertEqual(mean_confidence95([0.1 + 0.2, 0.3, 0.3])[1], 0)
        self.assertEqual(mean_confidence95([7]), (7, None))
        self.assertEqual(mean_confidence95([]), (None, None))
        # t = 2.5 / 0.645497 = 3.873 with 3 degrees of freedom: p = 0.0305.
        self.assertAlmostEqual(p_of_zero_mean([1, 2, 3, 4]), 0.0305, 4)
        self.assertEqual(p_of_zero_mean([2, 2]), 0)
        self.assertEqual(p_of_zero_mean([0, 0]), 1)
        # Holm: 0.01 <= 0.05 / 3, 0.024 <= 0.05 / 2, 0.06 > 0.05.
        self.assertEqual([shown for shown, _ in holm([0.06, 0.01, None, 0.024])], [False, True, False, True])
        self.assertEqual([shown for shown, _ in holm([0.03, 0.03])], [False, False])
        self.assertEqual(seeds_for([9, 10, 11], 0.1), 19)  # (2.484 / 1)^2 * 3

    def test_a_saturation_point_is_no_more_certain_than_its_resolution(self):
        # 15 % apart: 0.35 and 0.4, 0.45 and 0.5, 0.6 and 0.7. 40 %: 0.3 and 0.4, 0.4 and 0.6, 0.6 and 1.
        for resolution, verdicts in ((0.15, ["higher", "higher"]), (0.4, ["no difference shown", "higher"])):
            spec = self.read(f"platform: network\naxes: {{router.vcs: [1, 2, 3]}}\ncurve: {{loads: [0.1, 0.2], "
                             f"resolution: {resolution}}}\nseeds: 8\n"
                             "metrics: [latency_cycles_mean]\ncompare: {axis: router.vcs, with: 1}\n")
            outcomes, fresh = Outcomes(), True
            while fresh:
                fresh = [point for point in decisions.all_points(spec, outcomes) if outcomes.get(point) is None]
                for point in fresh:
                    saturated = point.load > (0.35, 0.45, 0.65)[point.design]
                    outcomes.put(point, Outcome("complete", {"saturated": int(saturated), "latency_cycles_mean": 9}))
            tables = Tables(spec, outcomes)
            for row in tables.of_points():
                self.assertAlmostEqual(row["saturation_flits_per_node_cycle_confidence95"],
                                       row["saturated_flits_per_node_cycle"] - row["saturation_flits_per_node_cycle"])
            compared = [row for row in tables.of_comparisons() if row["metric"] == "saturation_flits_per_node_cycle"]
            self.assertEqual([row["verdict"] for row in compared], verdicts, resolution)

    def test_a_curve_with_a_load_that_failed_has_no_saturation_point(self):
        spec = self.read(self.CURVE)
        outcomes = Outcomes()
        for load, end in ((0.1, Outcome("complete", {"saturated": 0, "latency_cycles_mean": 5})),
                          (0.2, Outcome("failed", error="a flit is lost")),
                          (0.4, Outcome("complete", {"saturated": 1, "latency_cycles_mean": 50}))):
            outcomes.put(Point(0, 1, load), end)
        self.assertEqual(decisions.replicate(spec, outcomes, 0, 1)[1], {})
        [point] = Tables(spec, outcomes).of_points()
        self.assertEqual((point["runs"], point["failed"], point["saturation_flits_per_node_cycle"], point["error"]),
                         (3, 1, None, "a flit is lost"))
        self.assertEqual([row["latency_cycles_mean"] for row in Tables(spec, outcomes).of_curves()], [5, None, 50])

    def test_bad_files_are_refused_with_their_place(self):
        for text, told in (
                ("platform: a/b\nmetrics: [m]\n",
                 "a.yaml:1:11: platform: not the name of an executable (got 'a/b'); accepted: network"),
                ("platform: network\nmetric: [m]\n",
                 "a.yaml:2:1: unknown key (got 'metric'); accepted: title, platform"),
                ("platform: network\n", "'metrics' is missing"),
                ("platform: network\nmetrics: []\n", "a.yaml:2:10: metrics: not a list with something in it"),
                ("platform: network\nmetrics: [m, m]\n", "a.yaml:2:10: metrics: a metric twice"),
                ("platform: network\nmetrics: [m]\nseeds: 0\n",
                 "a.yaml:3:8: seeds: out of range (got '0'); accepted: an integer 1..10000"),
                ("platform: network\nmetrics: [m]\nseeds: [1, 1]\n", "a seed twice"),
                ("platform: network\nmetrics: [m]\nseeds: 2\nreplicates: {key: a, values: [1]}\n",
                 "does not go together with 'seeds'"),
                ("platform: network\nmetrics: [m]\nreplicates: {key: a}\n", "'values' is missing"),
                ("platform: network\nmetrics: [m]\nreplicates: {key: a, values: [1, 1]}\n", "a value twice"),
                ("platform: network\nmetrics: [m]\nset: {a: 1}\nreplicates: {key: a, values: [1, 2]}\n",
                 "is set by 'replicates'"),
                ("platform: network\nmetrics: [m]\nreplicates: {key: a, values: [1, 2]}\nuntil: {metric: m, relative: "
                 "0.1}\n", "2 values, and 'until' asks for up to 20"),
                ("platform: network\nmetrics: [m]\nuntil: {metric: m, relative: 0.1, at_least: 1}\n",
                 "accepted: an integer 2..10000"),
                ("platform: network\nmetrics: [m]\nuntil: {metric: m, relative: 1.5}\n",
                 "out of range (got '1.5'); accepted: a number 1e-06..1"),
                ("platform: network\nmetrics: [m]\nplatform: cenju4\n", "a.yaml:3:1: stands twice (got 'platform')"),
                ("platform: network\nmetrics: [m]\nseeds: x\n", "not a number (got 'x')"),
                ("platform: network\nmetrics: [m]\naxes: {a: [1, 1]}\n",
                 "a.yaml:3:11: axes.a: the same value twice (got '1')"),
                ("platform: network\nmetrics: [m]\naxes: {a: [1], b: {x: {a: 2}}}\n", "sets a, as the axis a does"),
                ("platform: network\nmetrics: [m]\naxes: {load: {x: {a: 1}}}\n",
                 "is the name of another column of the results (got 'load')"),
                ("platform: network\nmetrics: [m]\naxes: {z: {zip: {a: [1, 2], b: [1]}}}\n", "a has 2, b has 1"),
                ("platform: network\nmetrics: [m]\naxes: {z: {latin_hypercube: {points: 4}}}\n", "'keys' is missing"),
                ("platform: network\nmetrics: [m]\naxes: {z: {latin_hypercube: {points: 4, keys: {a: [2, 2]}}}}\n",
                 "an empty range"),
                ("platform: network\nmetrics: [m]\nset: {seed: 4}\n", "is set by 'seeds'"),
                ("platform: network\nmetrics: [m]\nset: {traffic.load_flits_per_node_cycle: 0.1}\ncurve: {loads: "
                 "0.1:0.3:3}\n", "is set by 'curve'"),
                ("platform: network\nmetrics: [m]\ncurve: {loads: 0.3:0.1:3}\n",
                 "a.yaml:3:16: curve.loads: not a sweep (got '0.3:0.1:3')"),
                ("platform: network\nmetrics: [m]\ncurve: {loads: [0.2, 0.1]}\n", "loads that do not rise"),
                ("platform: network\nmetrics: [m]\nuntil: {metric: n, relative: 0.1}\n",
                 "not among the study's metrics (got 'n'); accepted: m"),
                ("platform: network\nmetrics: [m]\nseeds: 2\nuntil: {metric: m, relative: 0.1}\n",
                 "does not go together with 'until'"),
                ("platform: network\nmetrics: [m]\nuntil: {metric: m, relative: 0.1, at_least: 5, at_most: 4}\n",
                 "accepted: an integer 5..10000"),
                ("platform: network\nmetrics: [m]\naxes: {a: [1, 2]}\ncompare: {axis: a, with: 3}\n",
                 "unknown word (got '3'); accepted: 1, 2"),
                ("platform: network\nmetrics: [m]\ncompare: {axis: a, with: 3}\n", "unknown word (got 'a')"),
                ("platform: network\nmetrics: [m]\naxes: {a: [1, 2], b: [3]}\npairs: {a: 1}\n",
                 "a.yaml:4:8: pairs: 1 axes (got 'a map'); accepted: two or more"),
                ("platform: network\nmetrics: [m]\naxes: {a: [1, 2], b: [3]}\npairs: {a: 3, b: 3}\n",
                 "pairs.a: unknown word (got '3'); accepted: 1, 2"),
                ("platform: network\nmetrics: [m]\naxes: {a: [1, 2], b: [3]}\npairs: {a: 1, c: 3}\n",
                 "unknown key (got 'c'); accepted: a, b"),
                ("platform: network\nmetrics: [m]\npareto: {m: min}\n", "1 metrics (got 'a map'); accepted: two"),
                ("platform: network\nmetrics: [m, n]\npareto: {m: min, n: most}\n",
                 "unknown word (got 'most'); accepted: min, max"),
                ("platform: network\nmetrics: [m, n]\npareto: {m: min, o: max}\n",
                 "o is not among the study's metrics"),
                ("platform: network\nmetrics: [m]\nkeep: some\n", "accepted: all, metrics"),
                ("platform: network\nmetrics: [m]\nconfig: none.yaml\n",
                 "cannot be read: not a file (got 'none.yaml')"),
                ("platform: [network\n", "a.yaml:2:1"), ("", "empty"), ("- a\n", "not a map")):
            with self.subTest(text):
                with self.assertRaises(Refused) as refused:
                    self.read(text)
                self.assertIn(told, str(refused.exception))
        with self.assertRaises(Refused) as refused:
            study_file.read(self.folder / "none.yaml")
        self.assertIn("cannot be read: No such file", str(refused.exception))


def study_without_pictures(words, snakemake):
    def touch(path, salt, draw, size=None):
        for kind in ("svg", "png"):
            path.with_name(f"{path.name}.{kind}").touch()

    with unittest.mock.patch.object(pictures, "write_figure",
                                    touch), unittest.mock.patch.object(engine, "SNAKEMAKE", snakemake):
        return study_main.main(words)


class Called(Files):
    """The command."""

    SNAKEMAKE = engine.SNAKEMAKE

    def start(self, study, *arguments, out="out", **popen):
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "scripts"), "PYTHONDONTWRITEBYTECODE": "1"}
        words = [sys.executable, "-m", "tsuji.study_main", str(study), "--out", str(self.folder / out), "--platforms",
                 str(PLATFORMS), "--jobs", "2",
                 *map(str, arguments)]
        return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment,
                                cwd=self.folder, **popen)

    def call(self, study, *arguments, status=0, out="out", drawn=False, snakemake=None):
        """Pictures of the page are empty files unless they are `drawn`, which takes longer than all else."""
        words = [study, "--out", self.folder / out, "--platforms", PLATFORMS, "--jobs", "2", *arguments]
        main = study_main.main if drawn else lambda words: study_without_pictures(words, snakemake or self.SNAKEMAKE)
        done = self.ended(forked.call(main, words, self.folder, os.environ.copy(), timeout=600), status)
        return done.stdout + done.stderr

    def rows(self, name, out="out"):
        with open(self.folder / out / name, newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def content(self, out="out"):
        """All that must not depend on engine, order and interruptions."""
        folder = self.folder / out
        files = {path.name: path.read_bytes() for path in sorted(folder.glob("*.csv"))}
        connection = sqlite3.connect(folder / "study.sqlite")
        files["dump"] = "\n".join(connection.iterdump())
        connection.close()
        return files


class Plays(Called):
    def test_a_grid_with_seeds_and_a_comparison(self):
        study = self.write(STUDY)
        self.assertIn("4 designs, 12 runs", self.call(study, drawn=True))
        self.assertGreater((self.folder / "out" / "pictures" / "effect_latency_cycles_mean.png").stat().st_size, 1000)
        points = self.rows("points.csv")
        self.assertEqual([(row["router.vcs"], row["buffers"]) for row in points],
                         [("1", "small"), ("1", "large"), ("2", "small"), ("2", "large")])
        runs = self.rows("runs.csv")
        self.assertEqual(len({row["run"] for row in runs}), 12)
        of_first = [float(row["latency_cycles_mean"]) for row in runs[:3]]
        mean, half = mean_confidence95(of_first)
        self.assertAlmostEqual(float(points[0]["latency_cycles_mean"]), mean, 9)
        self.assertAlmostEqual(float(points[0]["latency_cycles_mean_confidence95"]), half, 9)
        # A run's numbers are those of the platform alone.
        result = self.alone({"router.vcs": 2, "router.buffer_flits": 8, "seed": 3})
        self.assertEqual(float(runs[11]["latency_cycles_mean"]),
                         float(f"{result['metrics']['latency_cycles_mean']['value']:.12g}"))
        compared = self.rows("comparisons.csv")
        self.assertEqual([(row["router.vcs"], row["buffers"], row["against"], row["metric"]) for row in compared[:2]],
                         [("1", "large", "small", "latency_cycles_mean"),
                          ("2", "large", "small", "latency_cycles_mean")])
        differences = [float(runs[3 + i]["latency_cycles_mean"]) - of_first[i] for i in range(3)]
        self.assertAlmostEqual(float(compared[0]["difference"]), sum(differences) / 3, 9)
        # Two differences: each at 2.5 %, where Student's t of two degrees is 6.205347 in the place of 4.302653.
        self.assertAlmostEqual(float(compared[0]["difference_confidence95"]),
                               mean_confidence95(differences)[1] * 6.205347 / 4.302653, 5)
        self.assertEqual(compared[0]["pairs"], "3")
        connection = sqlite3.connect(self.folder / "out" / "study.sqlite")
        self.addCleanup(connection.close)
        [(value,)] = connection.execute("SELECT value FROM metrics JOIN runs USING(run) WHERE metric = "
                                        "'latency_cycles_mean' AND design = 3 AND seed = '3'")
        self.assertEqual(value, result["metrics"]["latency_cycles_mean"]["value"])
        self.assertEqual(connection.execute("SELECT count(*) FROM metrics WHERE metric = 'wall_seconds'").fetchall(),
                         [(0,)])
        values = connection.execute("SELECT DISTINCT value FROM keys WHERE key = 'router.vcs' ORDER BY value").fetchall()  # noqa: E501
        self.assertEqual(values, [("1",), ("2",)])
        # Nothing is played again.
        before = self.times()
        self.assertIn("12 runs are there already", self.call(study))
        self.assertEqual(self.times(), before)

    def alone(self, keys):
        words = [f"{key}={value}" for key, value in keys.items()]
        mesh = [f"{pair.split(': ')[0]}={pair.split(': ')[1]}"
                for pair in MESH.strip("{}").replace("[4, 4]", "4;4").split(", ")]
        sets = [word for pair in [*mesh, *words] for word in ("--set", pair.replace(";", ","))]
        subprocess.run([str(PLATFORMS / "network"), *sets, "--out", str(self.folder / "alone"), "--quiet"], check=True,
                       cwd=self.folder)
        return json.loads((self.folder / "alone" / "result.json").read_text())

    def times(self, out="out"):
        return {path: path.stat().st_mtime_ns for path in (self.folder / out / "runs").glob("*/result.json")}

    def test_a_curve_has_the_loads_and_the_saturation_of_a_sweep(self):
        study = self.write(f"platform: network\nset: {MESH}\ncurve: {{loads: 0.2:0.6:3}}\nseeds: [4]\nmetrics: "
                           f"[latency_cycles_mean]\n")
        self.call(study, snakemake=FAKE_SNAKEMAKE)
        mesh = [f"{pair.split(': ')[0]}={pair.split(': ')[1]}"
                for pair in MESH.strip("{}").replace("[4, 4]", "4;4").split(", ")]
        sets = [word for pair in mesh for word in ("--set", pair.replace(";", ","))]
        subprocess.run([str(PLATFORMS / "network"), *sets, "--seed", "4", "--sweep-load", "0.2:0.6:3:saturation",
                        "--out",
                        str(self.folder / "sweep"), "--quiet"], check=True, cwd=self.folder, env=FAKE_DRAWING)
        with open(self.folder / "sweep" / "sweep.csv", newline="", encoding="utf-8") as file:
            swept = {f"{float(row['load']):g}": row for row in csv.DictReader(file)}
        curve = {f"{float(row['load']):g}": row for row in self.rows("curves.csv")}
        for load, row in curve.items():
            self.assertEqual(float(row["latency_cycles_mean"]), float(f"{float(swept[load]['latency_mean']):.12g}"),
                             load)
        # The sweep fills its knee besides, with loads that are stable.
        self.assertLessEqual(set(curve), set(swept))
        [point] = self.rows("points.csv")
        found = json.loads((self.folder / "sweep" / "result.json").read_text())["metrics"]
        for metric in ("saturation_flits_per_node_cycle", "saturated_flits_per_node_cycle"):
            self.assertEqual(float(point[metric]), found[metric]["value"])
        self.assertGreater(len(self.rows("runs.csv")), len(curve), "no run was made longer")
        # Bisected loads that are there already are found one after the other.
        content, before = self.content(), self.times()
        self.call(study, snakemake=FAKE_SNAKEMAKE)
        self.assertEqual((self.content(), self.times()), (content, before))
        # A sweep of the platform finds the study's runs.
        before = self.times()
        subprocess.run([str(PLATFORMS / "network"), *sets, "--seed", "4", "--sweep-load", "0.2:0.6:3", "--runs",
                        str(self.folder / "out" / "runs"),
                        "--quiet"], check=True, cwd=self.folder, env=FAKE_DRAWING)
        self.assertEqual({path: time for path, time in self.times().items() if path in before}, before)
        self.assertEqual(len(self.times()), len(before) + 1)  # its own

    def test_only_metrics_are_kept_where_that_is_asked(self):
        self.call(self.write(STUDY), snakemake=FAKE_SNAKEMAKE)
        self.call(self.write(STUDY + "keep: metrics\n", "b.yaml"), out="b", snakemake=FAKE_SNAKEMAKE)
        for name in ("points.csv", "runs.csv", "comparisons.csv"):
            self.assertEqual((self.folder / "out" / name).read_bytes(), (self.folder / "b" / name).read_bytes())
        folders = [path for path in (self.folder / "b" / "runs").iterdir() if path.name.startswith("network-")]
        self.assertEqual({tuple(path.name for path in folder.iterdir()) for folder in folders}, {("metrics.json",)})
        self.assertIn("12 runs are there already", self.call(self.folder / "b.yaml", out="b"))

    def test_a_dry_run_plays_one_run(self):
        told = self.call(self.write(STUDY), "--dry-run")
        self.assertIn("4 designs, 12 runs in the first round, 11 of them still to run", told)
        self.assertRegex(told, r"pilot: [0-9.]+ s and [0-9.]+ kB; at that pace [0-9.]+ core-minutes and [0-9.]+ kB for "
                         r"all")
        self.assertEqual(len(self.times()), 1)
        self.assertFalse((self.folder / "out" / "points.csv").exists())

    def test_a_dry_run_builds_nothing(self):
        """In a checkout without a build; time and disk are told as unknown."""
        checkout = self.folder / "checkout"
        for part in ("scripts", "platforms/study"):
            shutil.copytree(ROOT / part, checkout / part, ignore=shutil.ignore_patterns("__pycache__"))
        before = sorted(checkout.rglob("*"))
        elsewhere = ("TSUJI_BUILD",
                     "TSUJI_PLATFORMS")  # a build that the caller's environment names, as scripts/test does
        environment = {key: value for key, value in os.environ.items()
                       if key not in elsewhere} | {"PYTHONDONTWRITEBYTECODE": "1"}
        done = subprocess.run([str(checkout / "scripts" / "study"), str(self.write(STUDY)), "--dry-run"],
                              capture_output=True, text=True, cwd=self.folder,
                              env=environment, timeout=100)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout.splitlines()[0], "4 designs, 12 runs in the first round")
        self.assertIn("time and disk are not known: network is not built", done.stdout)
        self.assertEqual(sorted(checkout.rglob("*")), before)

    def test_until_plays_as_many_seeds_as_it_takes(self):
        text = (f"platform: network\nset: {MESH}\nmetrics: [latency_cycles_mean]\nuntil: {{metric: "
                f"latency_cycles_mean, relative: %s, at_least: 2, at_most: 9}}\n")
        self.call(self.write(text % 0.9), snakemake=FAKE_SNAKEMAKE)
        self.assertEqual(self.rows("points.csv")[0]["seeds"], "2")
        told = self.call(self.write(text % 0.0001), snakemake=FAKE_SNAKEMAKE)
        self.assertEqual(self.rows("points.csv")[0]["seeds"], "9")
        self.assertIn("the study was edited since its last call: of 2 runs in its first round 2 are still valid", told)
        self.assertIn("1 designs are less certain than +-0.01 % of latency_cycles_mean after 9 seeds", told)

    def test_the_package_plays_runs_for_notebooks(self):
        keys = {"topology.kind": "mesh", "topology.radices": [4, 4], "measure.cycles": 400}
        runs = [Run("network", keys={**keys, "seed": seed}) for seed in (1, 2)]
        results = play(runs, self.folder / "kept", platforms=PLATFORMS)
        self.assertNotEqual(*[result.metric("latency_cycles_mean") for result in results])
        self.assertEqual(results[0].json["seed"], 1)
        self.assertEqual(results[0].unit("latency_cycles_mean"), "cycles")


class Interrupted(Called):
    def test_killed_anywhere_it_goes_on_and_ends_in_the_same_bytes(self):
        text = STUDY.replace("seeds: 3", "seeds: 9")
        study = self.write(text)
        self.call(study, out="whole", snakemake=FAKE_SNAKEMAKE)
        for number, after in ((signal.SIGKILL, 1), (signal.SIGTERM, 7), (signal.SIGINT, 14), (signal.SIGKILL, 24)):
            process = self.start(study)
            limit = time.monotonic() + 120
            kept = self.folder / "out" / "runs"
            while len(list(kept.glob("network-*/result.json"))) < after and process.poll() is None:
                self.assertLess(time.monotonic(), limit)
                time.sleep(0.01)
            process.send_signal(number)
            process.communicate(timeout=60)
            self.assertIn(process.returncode, (-number, 128 + number, 0))
            time.sleep(0.3)
            self.assertEqual(self.others(), [], "its runs end with it")
        self.call(study)
        self.assertEqual(self.content(), self.content("whole"))

    def test_an_executable_that_is_built_anew_in_the_middle_changes_nothing(self):
        platforms = self.folder / "platforms"
        platforms.mkdir()
        shutil.copy(PLATFORMS / "network", platforms / "network")
        process = self.start(self.write(STUDY.replace("seeds: 3", "seeds: 5")), "--platforms", platforms)
        while process.poll() is None and len(list((self.folder / "out" / "runs").glob("network-*/result.json"))) < 3:
            time.sleep(0.01)
        (platforms / "network").unlink()
        (platforms / "network").write_text("no executable")
        said = process.communicate(timeout=200)
        self.assertEqual(process.returncode, 0, said)
        self.assertEqual({row["status"] for row in self.rows("runs.csv")}, {"complete"})

    def others(self):
        lines = []
        for entry in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
            try:
                lines.append(entry.read_bytes().replace(b"\0", b" ").decode(errors="replace"))
            except OSError:
                pass
        return [line for line in lines if str(self.folder / "out") in line]

    def test_runs_that_fail_are_rows_and_lost_ones_are_tried_again(self):
        """A platform of our own that fails, is killed once, or always, by its seed."""
        fake = self.folder / "platforms"
        fake.mkdir()
        (fake / "network").write_text(f"""#!/usr/bin/env bash
case " $* " in
  *--check-runs*) exec {PLATFORMS / 'network'} "$@" ;;
  *seed=2\\ *) exec {PLATFORMS / 'network'} "$@" --set routing.kind=dimension_order --set topology.kind=torus ;;
  *seed=3\\ *) [ -e {self.folder}/once ] || {{ : >{self.folder}/once; kill -KILL $$; }} ;;
  *seed=4\\ *) echo x >>{self.folder}/tries; kill -KILL $$ ;;
esac
exec {PLATFORMS / 'network'} "$@"
""")
        (fake / "network").chmod(0o755)
        study = self.write(f"platform: network\nset: {MESH}\nseeds: 5\nmetrics: [latency_cycles_mean]\n")
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "scripts")}
        done = subprocess.run([sys.executable, "-m", "tsuji.study_main", str(study), "--out", str(self.folder / "out"),
                               "--platforms", str(fake),
                               "--retries", "1"], capture_output=True, text=True, env=environment, timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr)
        status = {row["seed"]: row for row in self.rows("runs.csv")}
        self.assertEqual([status[seed]["status"] for seed in "1345"], ["complete", "complete", "lost", "complete"])
        self.assertIn("lost 2 times", status["4"]["error"])
        self.assertEqual((self.folder / "tries").read_text(), "x\nx\n")
        self.assertIn("2 runs were lost and tried again", done.stdout)
        [point] = self.rows("points.csv")
        self.assertEqual((point["seeds"], point["failed"]),
                         ("5", str(sum(row["status"] != "complete" for row in status.values()))))
        self.assertIn("lost", point["error"] + status["4"]["error"])


class Refusals(Called):
    SNAKEMAKE = FAKE_SNAKEMAKE

    def refused(self, text, *arguments, status=2, name="a.yaml", out="out"):
        return self.call(self.write(text, name), *arguments, status=status, out=out)

    def test_bad_input(self):
        self.assertIn("a.yaml:3:17: router.vcz: 3: --set router.vcz=3: router.vcz: unknown key, did you mean "
                      "'router.vcs'?",
                      self.refused("platform: network\naxes:\n  router.vcz: [ 3]\nmetrics: [m]\n"))
        self.assertRegex(self.refused("platform: netwrok\nmetrics: [m]\n"),
                         r"a.yaml:1:11: platform: not an executable in .* \(got 'netwrok'\); accepted: network,")
        # A key that is not read with the others' words, in a level of an axis.
        told = self.refused("platform: network\naxes:\n  a:\n    small: {topology.kind: mesh}\n    large: "
                            "{topology.kind: mesh, topology.up_links: 8}\nmetrics: [m]\n")
        self.assertIn("a.yaml:5:53: a: large: ", told)
        self.assertIn("topology.up_links", told)
        self.assertFalse((self.folder / "out" / "points.csv").exists())
        told = self.refused(f"platform: network\nset: {MESH}\nmetrics: [latency_mean]\n")
        self.assertIn("a.yaml:3:11: metrics: no design's run has such a metric (got 'latency_mean'); accepted: ", told)
        old = renames.Rename("metric", "0.2", "latency_mean", "latency_cycles_mean")
        with unittest.mock.patch.object(renames, "table", lambda: {("metric", "latency_mean"): old}):
            told = self.refused(f"platform: network\nset: {MESH}\nmetrics: [latency_mean]\n")
        self.assertIn("a.yaml:3:11: metrics: is called latency_cycles_mean since 0.2 (got 'latency_mean'); accepted: "
                      "the new name, which scripts/migrate", told)
        self.assertIn("latency_cycles_mean", told)
        self.assertIn("--profile: no such profile (got 'nowhere')",
                      self.refused(STUDY, "--profile", "nowhere", out="p"))
        self.call(self.write(STUDY), "--jobs", "0", status=2)

    def test_a_study_that_was_refused_goes_into_the_same_folder_when_it_is_right(self):
        self.refused(STUDY.replace("router.vcs", "router.vcz"))
        self.call(self.write(STUDY.replace("seeds: 3", "seeds: 1")))

    def test_folders_of_others(self):
        self.call(self.write(STUDY))
        self.assertIn("has the study a", self.refused(STUDY, name="b.yaml"))
        (self.folder / "mine").mkdir()
        (self.folder / "mine" / "letter.txt").write_text("dear")
        self.assertIn("has files of something else than a study", self.refused(STUDY, out="mine"))
        self.assertEqual((self.folder / "mine" / "letter.txt").read_text(), "dear")

    def test_a_full_disk_ends_the_study_and_keeps_what_is_there(self):
        """A platform whose disk is full says so."""
        fake = self.folder / "platforms"
        fake.mkdir()
        (fake / "network").write_text(f"#!/usr/bin/env bash\ncase \" $* \" in *seed=2\\ *) echo 'network: result.json: "
                                      f"cannot be written: No space left'; exit 1 ;; esac\n"
                                      f"exec {PLATFORMS / 'network'} \"$@\"\n")
        (fake / "network").chmod(0o755)
        study = self.write(f"platform: network\nset: {MESH}\nseeds: 3\nmetrics: [latency_cycles_mean]\n")
        told = self.call(study, "--platforms", fake, "--retries", "0", status=1)
        self.assertIn("No space left; ended runs are kept", told)
        self.assertFalse((self.folder / "out" / "points.csv").exists())
        (fake / "network").write_text(f"#!/usr/bin/env bash\nexec {PLATFORMS / 'network'} \"$@\"\n")
        self.assertIn("2 runs are there already", self.call(study, "--platforms", fake))


if __name__ == "__main__":
    PLATFORMS = pathlib.Path(sys.argv.pop()).resolve()
    unittest.main(argv=[sys.argv[0], *sys.argv[1:]])
