#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/compare: differences of results that are made up, and what is said of each. usage: compare_test.py"""

import contextlib
import io
import json
import os
import random
import sqlite3
import subprocess
import sys
import unittest

from own_folder import FolderTest
from study_tables import ROOT, complete, failed, tables_of, write_result, write_study

from tsuji import compare_main, statistics
from tsuji.compare import saturation_of

STUDY = """
platform: network
axes: {router.vcs: [2, 4], net: {mesh: {topology.kind: mesh}, torus: {topology.kind: torus}}}
seeds: SEEDS
metrics: [latency_cycles_mean, hops_mean]
"""


class Compare(FolderTest):
    def call(self, *words):
        """(exit status, stdout, stderr)."""
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = compare_main.main([str(word) for word in words])
        return status, out.getvalue(), err.getvalue()

    def compared(self, a, b):
        """What --json says, with its rows by (of, metric)."""
        status, _, err = self.call(a, b, "--json", self.folder / "said.json")
        self.assertEqual(status, 0, err)
        said = json.loads((self.folder / "said.json").read_text())
        said["rows"] = {(row["of"], row["metric"]): row for row in said["metrics"]}
        return said

    def line(self, text, *words):
        """The line with all of the words."""
        found = [line for line in text.splitlines() if all(word in line.split() for word in words)]
        self.assertEqual(len(found), 1, text)
        return " ".join(found[0].split())


class Runs(Compare):
    A = {"latency": 100.0, "latency_confidence95": 3.0, "share": 1.0, "share_confidence95": 0.4, "hops": 5.0,
         "packets": 7, "word": "all", "gone": 1,
         "wall_seconds": 3.0}
    B = {"latency": 94.0, "latency_confidence95": 4.0, "share": 1.5, "share_confidence95": 0.4, "hops": 6.0,
         "packets": 7, "word": "none", "new": 1,
         "wall_seconds": 9.0}

    def runs(self):
        return (write_result(self.folder / "a", self.A, {"router": {"vcs": 2, "buffer_flits": 4}, "old": 1}),
                write_result(self.folder / "b", self.B, {"router": {"vcs": 4, "buffer_flits": 4}}, revision="r2"))

    def test_metrics_with_differences_and_verdicts(self):
        rows = self.compared(*self.runs())["rows"]
        latency = rows["", "latency"]
        self.assertEqual((latency["a"], latency["b"], latency["difference"], latency["percent"], latency["unit"]),
                         (100, 94, -6, -6, "cycles"))
        self.assertAlmostEqual(latency["confidence95"], 5 * 2.2414 / 1.96, 3)  # of two that are tested: 97.5 %
        self.assertEqual({metric: row["verdict"] for (_, metric), row in rows.items()},
                         {"latency": "lower", "share": "no difference shown", "hops": "one run each: not known",
                          "packets": "equal",
                          "word": "differs"})

    def test_the_other_way_round_signs_change(self):
        a, b = self.runs()
        latency = self.compared(b, a)["rows"]["", "latency"]
        self.assertEqual((latency["difference"], latency["verdict"]), (6, "higher"))

    def test_the_limit_is_the_root_of_the_squares(self):
        for other, verdict in ((104.9, "no difference shown"), (105.1, "higher")):
            rows = self.compared(self.runs()[0], write_result(self.folder / "c",
                                                              {**self.B, "latency": other, "share": 1.0}))["rows"]
            self.assertEqual(rows["", "latency"]["verdict"], verdict)

    def test_what_differs_in_configuration_and_revision(self):
        said = self.compared(*self.runs())
        self.assertEqual([(entry["key"], entry["a"], entry["b"]) for entry in said["configuration"]],
                         [("router.vcs", 2, 4), ("old", 1, "-")])
        self.assertEqual(said["facts"], [{"name": "revision", "a": "r1", "b": "r2"}])
        self.assertEqual((said["only_in_a"], said["only_in_b"]), (["gone"], ["new"]))

    def test_text_leaves_equal_metrics_out_unless_asked(self):
        a, b = self.runs()
        status, text, _ = self.call(a, b)
        self.assertEqual(status, 0)
        self.assertNotIn("packets", text)
        self.assertIn("1 metrics are equal (--all)", text)
        self.assertEqual(self.line(text, "latency"), "latency cycles 100 94 -6 5.7 -6 % lower")
        self.assertEqual(self.line(text, "router.vcs"), "router.vcs 2 4")
        self.assertEqual(self.line(self.call(a, b, "--all")[1], "packets"), "packets cycles 7 7 +0 +0 % equal")

    def test_equal_runs_are_said_to_be_the_same(self):
        a = self.runs()[0]
        b = write_result(self.folder / "c", {**self.A, "wall_seconds": 99.0},
                         {"router": {"vcs": 2, "buffer_flits": 4}, "old": 1})
        self.assertIn("The same run: equal configuration, version and metrics.", self.call(a, b / "result.json")[1])
        c = write_result(self.folder / "d", {**self.A, "hops": 5.5},
                         {"router": {"vcs": 2, "buffer_flits": 4}, "old": 1})
        text = self.call(a, c)[1]
        self.assertNotIn("The same run", text)
        self.assertIn("only executables or input files", text)


class Studies(Compare):
    def study(self, name, end, seeds="[1, 2, 3, 4]", text=STUDY, keys=()):
        return write_study(self.folder / name, tables_of(self.folder, text.replace("SEEDS", seeds), end), name, keys)

    @staticmethod
    def shared(seed):
        """Which all runs with a seed have in common."""
        return random.Random(seed).uniform(-50, 50)

    def end(self, shift):
        def run(labels, seed, load):
            small = random.Random(f"{labels}{seed}{shift}").uniform(-0.1, 0.1)
            return complete(latency_cycles_mean=200 + self.shared(seed) + (shift + small
                                                                           if labels["net"] == "torus" else small),
                            hops_mean=5.0)

        return run

    def test_the_same_seeds_are_paired(self):
        a, b = self.study("a", self.end(0)), self.study("b", self.end(3))
        rows = self.compared(a, b)["rows"]
        row = rows["router.vcs 4, net torus", "latency_cycles_mean"]
        self.assertEqual((row["pairs"], row["verdict"], row["unit"]), (4, "higher", "cycles"))
        self.assertAlmostEqual(row["difference"], 3, delta=0.2)
        self.assertLess(row["confidence95"], 0.4)
        self.assertEqual(rows["router.vcs 4, net mesh", "latency_cycles_mean"]["verdict"], "no difference shown")
        self.assertEqual(rows["router.vcs 4, net mesh", "hops_mean"]["verdict"], "equal")
        self.assertEqual(self.compared(b, a)["rows"]["router.vcs 2, net torus", "latency_cycles_mean"]["verdict"],
                         "lower")

    def test_pairs_are_those_of_one_seed_whatever_the_order(self):
        a, b = self.study("a", self.end(0)), self.study("b", self.end(3), seeds="[4, 2, 1, 3]")
        self.assertLess(self.compared(a, b)["rows"]["router.vcs 4, net torus", "latency_cycles_mean"]["confidence95"],
                        0.4)

    def test_other_seeds_are_unpaired(self):
        said = self.compared(self.study("a", self.end(0)), self.study("b", self.end(3), seeds="[11, 12, 13]"))
        row = said["rows"]["router.vcs 4, net torus", "latency_cycles_mean"]
        self.assertEqual((row["pairs"], row["verdict"]), (0, "no difference shown"))
        self.assertGreater(row["confidence95"], 10)
        self.assertIn({"name": "seeds", "a": "1, 2, 3, 4", "b": "11, 12, 13"}, said["facts"])
        far = self.compared(self.study("c", self.end(0)), self.study("d", self.end(900), seeds="[11, 12, 13]"))
        self.assertEqual(far["rows"]["router.vcs 4, net torus", "latency_cycles_mean"]["verdict"], "higher")

    def test_values_of_another_key_are_no_seeds(self):
        text = STUDY.replace("seeds: SEEDS", "replicates: {key: link.latency_cycles, values: [1, 2, 3, 4]}")
        b, c = (self.study(name, self.end_of_text, text=text) for name in "bc")
        rows = self.compared(self.study("a", self.end(0)), b)["rows"]
        self.assertEqual({row["pairs"] for row in rows.values()}, {0})
        said = self.compared(b, c)
        self.assertEqual({row["pairs"] for row in said["metrics"]}, {4})
        self.assertEqual(said["configuration"], [])

    def end_of_text(self, labels, value, load):
        return self.end(3)(labels, int(value), load)

    def test_one_seed_each_is_not_known(self):
        rows = self.compared(self.study("a", self.end(0), "1"), self.study("b", self.end(3), "1"))["rows"]
        self.assertEqual(rows["router.vcs 4, net torus", "latency_cycles_mean"]["verdict"], "one run each: not known")

    def test_verdicts_hold_together(self):
        """A difference that would be shown alone (p about 0.02) is not among eight."""
        def end(noise):
            def run(labels, seed, load):
                value = 100.0 + (noise + {1: 1.0, 2: 2.0, 3: 1.4, 4: 0.5}[seed] if noise else 0.0)
                return complete(latency_cycles_mean=value, hops_mean=5.0 + (0.001 * (-1)**seed * seed if noise else 0))

            return run

        p = statistics.p_of_zero_mean([1.01, 2.01, 1.41, 0.51])
        self.assertTrue(0.05 / 8 < p < 0.05, p)
        rows = self.compared(self.study("a", end(0)), self.study("b", end(0.01)))["rows"]
        self.assertEqual({row["verdict"] for (_, metric), row in rows.items() if metric == "latency_cycles_mean"},
                         {"no difference shown"})

    def test_designs_and_axes_of_one_alone(self):
        other = STUDY.replace("[2, 4]", "[4, 8]").replace("axes: {",
                                                          "axes: {buffers: {one: {router.buffer_flits: 4}}, ")
        said = self.compared(self.study("a", self.end(0)), self.study("b", self.end(3), text=other))
        self.assertEqual({of for of, _ in said["rows"]}, {"router.vcs 4, net mesh", "router.vcs 4, net torus"})
        self.assertEqual(said["only_in_a"], ["router.vcs 2, net mesh", "router.vcs 2, net torus"])
        self.assertEqual(said["only_in_b"], [f"buffers one, router.vcs 8, net {net}" for net in ("mesh", "torus")])
        for note in ("axis buffers: only in B", "axis router.vcs: only in A: 2", "axis router.vcs: only in B: 8"):
            self.assertIn(note, said["notes"])

    def test_an_axis_of_one_with_two_levels_leaves_designs_unmatched(self):
        other = STUDY.replace("axes: {",
                              "axes: {buffers: {one: {router.buffer_flits: 4}, two: {router.buffer_flits: 8}}, ")
        said = self.compared(self.study("a", self.end(0)), self.study("b", self.end(3), text=other))
        self.assertEqual((said["rows"], len(said["only_in_a"]), len(said["only_in_b"])), ({}, 4, 8))
        said = self.compared(self.folder / "b", self.folder / "a")
        self.assertEqual((said["rows"], len(said["only_in_a"]), len(said["only_in_b"])), ({}, 8, 4))

    def test_keys_that_differ_and_in_which_designs(self):
        a = self.study("a", self.end(0), keys={"link.latency_cycles": 1})
        b = self.study("b", self.end(3), text=STUDY.replace("{topology.kind: torus}",
                                                            "{topology.kind: torus, router.sa_allocator: wavefront}"),
                       seeds="[5, 6]", keys={"link.latency_cycles": 2})
        self.assertEqual([tuple(entry.values()) for entry in self.compared(a, b)["configuration"]],
                         [("link.latency_cycles", 1, 2, ""),
                          ("router.sa_allocator", "-", "wavefront", "2 of 4 designs")])

    def test_runs_that_are_in_both_and_failed_ones_are_told(self):
        def end(labels, seed, load):
            return failed("x") if seed == 4 else self.end(0)(labels, seed, load)

        said = self.compared(self.study("a", end), self.study("a", end))
        self.assertIn("16 runs are in both: equal executable, configuration and inputs.", said["notes"])
        self.assertEqual({row["pairs"] for row in said["metrics"]}, {3})
        self.assertEqual({row["verdict"] for row in said["metrics"]}, {"equal"})
        b = self.study("b", self.end(3))
        self.assertIn({"name": "runs without results", "a": 4, "b": 0}, self.compared(self.folder / "a", b)["facts"])

    def test_the_yaml_is_not_needed(self):
        a, b = self.study("a", self.end(0)), self.study("b", self.end(3))
        (self.folder / "study.yaml").unlink()
        self.assertEqual(self.call(a, b)[0], 0)


class Curves(Compare):
    TEXT = """
platform: network
axes: {router.vcs: [2]}
seeds: 3
curve: {loads: [0.1, 0.5]}
metrics: [latency_cycles_mean]
"""

    def study(self, name, capacity):
        def end(labels, seed, load):
            limit = capacity + 0.03 * seed
            return complete(latency_cycles_mean=20.0 + seed + capacity, accepted_flits_per_node_cycle=min(load, limit),
                            saturated=int(load > limit))

        tables = tables_of(self.folder, self.TEXT, end)
        return write_study(self.folder / name, tables, name), tables

    def test_saturation_points_are_those_of_the_study(self):
        (a, tables), (b, others) = self.study("a", 0.3), self.study("b", 0.4)
        rows = self.compared(a, b)["rows"]
        row = rows["router.vcs 2", "saturation_flits_per_node_cycle"]
        self.assertAlmostEqual(row["a"], tables.of_points()[0]["saturation_flits_per_node_cycle"])
        self.assertAlmostEqual(row["b"], others.of_points()[0]["saturation_flits_per_node_cycle"])
        self.assertEqual((row["pairs"], row["unit"]), (3, "flits/node/cycle"))
        accepted = rows["router.vcs 2", "saturation_accepted_flits_per_node_cycle"]
        self.assertAlmostEqual(accepted["a"], tables.of_points()[0]["saturation_accepted_flits_per_node_cycle"])

    def test_loads_are_compared_one_by_one_and_saturated_latencies_are_not(self):
        rows = self.compared(self.study("a", 0.3)[0], self.study("b", 0.4)[0])["rows"]
        self.assertAlmostEqual(rows["router.vcs 2, load 0.1", "latency_cycles_mean"]["difference"], 0.1)
        self.assertEqual(rows["router.vcs 2, load 0.5", "latency_cycles_mean"]["verdict"], "saturated: not compared")

    def test_a_curve_that_is_not_whole_has_no_saturation_point(self):
        good, full = {"saturated": 0, "accepted_flits_per_node_cycle": 0.1}, {"saturated": 1}
        self.assertEqual(saturation_of({0.1: good, 0.5: full})["saturation_flits_per_node_cycle"], 0.1)
        self.assertEqual(saturation_of({0.1: good, 0.5: None}), {})
        self.assertEqual(saturation_of({0.1: good, 0.5: good}), {})
        self.assertEqual(saturation_of({0.1: full, 0.003: full}),
                         {"saturation_flits_per_node_cycle": 0.0, "saturated_flits_per_node_cycle": 0.003})
        self.assertEqual(saturation_of({0.1: good, 1.0: good})["saturation_flits_per_node_cycle"], 1.0)


class Papers(Compare):
    def paper(self, place, name, values, vcs, **more):
        folder = self.folder / place / name
        folder.mkdir(parents=True)
        rows = [{"key": key, "text": f"row {key}", "unit": "nodes", "measured": value, **more}
                for key, value in values.items()]
        content = {"id": name, "quick": False, "rows": rows,
                   "runs": {"r": {"platform": "network", "keys": {"router.vcs": vcs}},
                            "s": {"platform": "network",
                                  "keys": {"router.vcs": vcs, **({"seed": 1} if vcs == 2 else {})}}, f"t{vcs}": {}}}
        (folder / "result.json").write_text(json.dumps(content))
        return folder

    def test_rows_and_keys(self):
        a = self.paper("a", "cache.fig1", {"x": 10, "same": 3, "gone": 1}, 2)
        b = self.paper("b", "cache.fig1", {"x": 12, "same": 3}, 4)
        for pair in ((a, b), (a.parent, b.parent), (a / "result.json", b)):
            said = self.compared(*pair)
            row = said["rows"]["cache.fig1", "row x"]
            self.assertEqual((row["difference"], row["percent"], row["verdict"]), (2, 20, "not known"))
            self.assertEqual(said["rows"]["cache.fig1", "row same"]["verdict"], "equal")
            self.assertEqual([tuple(entry.values()) for entry in said["configuration"]],
                             [("router.vcs", 2, 4, "cache.fig1: 2 runs"), ("seed", 1, "-", "cache.fig1: s")])
            self.assertEqual((said["only_in_a"], said["only_in_b"]),
                             (["cache.fig1: gone", "cache.fig1: run t2"], ["cache.fig1: run t4"]))

    def test_certain_where_rows_have_intervals(self):
        a = self.paper("a", "i", {"x": 10.0}, 2, confidence95=0.3)
        b = self.paper("b", "i", {"x": 10.45}, 2, confidence95=0.4)
        c = self.paper("c", "i", {"x": 10.55}, 2, confidence95=0.4)
        self.assertEqual(self.compared(a, b)["rows"]["i", "row x"]["verdict"], "no difference shown")
        self.assertEqual(self.compared(a, c)["rows"]["i", "row x"]["verdict"], "higher")


class CommandLine(Compare):
    def test_what_is_no_result_is_refused(self):
        run = write_result(self.folder / "run", {"x": 1})
        study = write_study(self.folder / "study", tables_of(self.folder, STUDY.replace("SEEDS", "1"),
                                                             lambda *_: complete(hops_mean=1.0)))
        (self.folder / "empty").mkdir()
        (self.folder / "text").write_text("no JSON")
        (self.folder / "list.json").write_text("[1]")
        (self.folder / "odd.json").write_text('{"metrics": {"x": 1}}')
        (self.folder / "broken").mkdir()
        (self.folder / "broken" / "study.sqlite").write_text("no database, but long enough to be looked into" * 40)
        for other, part in (("gone", "no such file or folder"), ("empty", "no result"), ("text", "no result"),
                            ("list.json", "no result"),
                            ("odd.json", "no result"), ("broken", "cannot be read")):
            for words in ((run, self.folder / other), (self.folder / other, run)):
                status, out, err = self.call(*words)
                self.assertEqual((status, out), (2, ""), other)
                self.assertIn(part, err)
                self.assertIn("a run's folder", err)
        database = sqlite3.connect(study / "study.sqlite")
        database.execute("DROP TABLE metrics")
        database.commit()
        database.close()
        self.assertEqual(self.call(study, study)[0], 2)
        status, _, err = self.call(run, study)
        self.assertEqual(status, 2)
        self.assertIn("a study's folder, while", err)

    def test_from_outside(self):
        run = write_result(self.folder / "run", {"x": 1})
        done = subprocess.run([sys.executable, "-m", "tsuji.compare_main", "run", "gone"], capture_output=True,
                              text=True, cwd=self.folder,
                              env={**os.environ, "PYTHONPATH": str(ROOT / "scripts")}, timeout=300)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertTrue(done.stderr.startswith("compare: no such file or folder (got 'gone')"), done.stderr)
        self.assertIn("The same run", self.call(run, run)[1])
        self.assertEqual(self.call(run, run, "--json", self.folder / "none" / "x.json")[0], 1)


class Statistics(unittest.TestCase):
    def test_welch_against_scipy(self):
        from scipy import stats

        first, second = [1.0, 2.0, 4.0, 3.5], [5.0, 9.0, 6.0]
        difference, half, p, freedom = statistics.welch(first, second)
        self.assertAlmostEqual(difference, 20 / 3 - 10.5 / 4)
        self.assertAlmostEqual(p, stats.ttest_ind(second, first, equal_var=False).pvalue)
        # An interval that ends at 0 is one of p = 0.05.
        moved = [value - difference + half for value in second]
        self.assertAlmostEqual(statistics.welch(first, moved)[2], 0.05)
        self.assertEqual(statistics.welch([1.0, 1.0], [1.0, 1.0]), (0.0, 0.0, 1.0, None))
        self.assertEqual(statistics.welch([1.0, 1.0], [2.0, 2.0]), (1.0, 0.0, 0.0, None))

    def test_intervals_exclude_0_where_holm_shows_a_difference(self):
        import random

        draw = random.Random(3)
        kinds = set()
        for _ in range(400):
            rows = []
            for _ in range(draw.randint(1, 12)):
                spread = draw.choice([0.0, 0.3, 1.0])
                first = [draw.choice([draw.gauss(0, 1), float(draw.randint(0, 2))]) for _ in range(draw.randint(2, 6))]
                second = [value + draw.choice([0.0, 1.0, 2.0]) + draw.gauss(0, spread) for value in first]
                rows.append(statistics.paired(first, second)
                            if draw.random() < 0.7 else statistics.welch(first, second))
            ends = statistics.holm([p for _, _, p, _ in rows])
            for (difference, half, p, freedom), (shown, level) in zip(rows, ends):
                verdict, adjusted = statistics.judged(difference, half, p, freedom, shown, level)
                self.assertEqual(verdict != "no difference shown", shown)
                kinds.add((shown, adjusted is None, freedom is None))
                if adjusted is None:
                    self.assertFalse(shown)
                    continue
                self.assertEqual(abs(difference) > adjusted, shown, (difference, half, p, freedom, level))
                if adjusted and freedom is not None:
                    self.assertGreaterEqual(adjusted, half * (1 - 1e-9))
        self.assertEqual(kinds, {(True, False, False), (False, False, False), (False, True, True), (True, False, True),
                                 (False, False, True)})

    def test_holm_by_hand(self):
        shown = [(True, 0.05 / 4), (True, 0.05 / 3), (False, 0.05 / 2), (False, 0.05 / 2), (False, None)]
        self.assertEqual(statistics.holm([0.012, 0.016, 0.03, 0.5, None]), shown)
        self.assertEqual(statistics.holm([0.5, None, 0.03, 0.016, 0.012]), [shown[i] for i in (3, 4, 2, 1, 0)])
        self.assertEqual(statistics.holm([0.001, 0.002, 0.003]),
                         [(True, 0.05 / 3)] * 3)  # Bonferroni's where that is enough
        self.assertEqual(statistics.holm([0.06, 0.07]), [(False, 0.025)] * 2)
        self.assertEqual(statistics.holm([0.04, 0.01]), [(True, 0.05), (True, 0.025)])

    def test_pairs_against_scipy_and_without_spread(self):
        from scipy import stats

        first, second = [1.0, 2.0, 4.0], [2.0, 2.5, 5.5]
        self.assertAlmostEqual(statistics.paired(first, second)[2], stats.ttest_rel(second, first).pvalue)
        self.assertEqual(statistics.paired([1.0, 2.0], [3.0, 4.0])[2], 0.5)  # two signs that agree
        self.assertEqual(statistics.paired([float(i) for i in range(6)], [float(i) + 2 for i in range(6)])[2], 2 / 64)
        self.assertEqual(statistics.paired([1.0, 1.0], [3.0, 3.0]), (2.0, 0.0, 0.0, None))  # no seed changes anything
        self.assertEqual(statistics.paired([1.0, 2.0], [1.0, 2.0])[2], 1.0)
        self.assertEqual(statistics.paired([1.0], [3.0]), (2.0, None, None, None))
        self.assertEqual(statistics.paired([0.3, 0.3], [0.1 + 0.2, 0.1 + 0.2])[2], 1.0)  # rounding


if __name__ == "__main__":
    sys.exit(unittest.main())
