# SPDX-License-Identifier: Apache-2.0
"""scripts/reproduce --set and --against: a changed paper beside the paper."""

import dataclasses
import json
import os
import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "platforms" / "reproduce"))
PLATFORMS = None

import forked  # noqa: E402
from own_folder import FolderTest  # noqa: E402
from reproduction import Run, changes, findings, main  # noqa: E402
from tsuji.errors import Refused  # noqa: E402

MESH = {"topology.kind": "mesh", "topology.radices": "4,4"}


def figure():
    from matplotlib.figure import Figure

    return Figure()


class Changes(unittest.TestCase):
    def test_assignments(self):
        self.assertEqual(changes.parse(["a.b=1", "c=x=y"]), {"a.b": "1", "c": "x=y"})
        self.assertEqual(changes.name({"a.b": "1", "c": "2"}), "a.b = 1, c = 2")
        for word in ("a", "=1", "a="):
            with self.assertRaises(Refused):
                changes.parse([word])

    def test_runs_that_do_not_read_a_key_stay(self):
        plan = {"mesh": Run("network", keys=MESH), "tree": Run("network", keys={"topology.kind": "fat_tree"})}
        new, number = changes.changed(plan, {"topology.radices": "5,5"}, PLATFORMS)
        self.assertEqual(number, 1)
        self.assertEqual(new, {**plan, "mesh": dataclasses.replace(plan["mesh"],
                                                                   keys={**MESH, "topology.radices": "5,5"})})
        with self.assertRaisesRegex(Refused, "did you mean 'router.vcs'"):
            changes.changed(plan, {"router.vcz": "2"}, PLATFORMS)
        with self.assertRaisesRegex(Refused, "changes no run of the ID"):
            changes.changed({"mesh": plan["mesh"]}, {"topology.radices": "4,4"}, PLATFORMS)

    def test_lines_are_laid_over_lines_with_room_for_both(self):
        def draw(values, limit):
            def on(target):
                axes = target.subplots()
                axes.plot([1, 2], values, "o-", color="C3", label="latency")
                axes.plot([1, 2], [5, 5], color="0.5", label="the paper")
                axes.set_ylim(0, limit)
                axes.legend()
            return on

        both = figure()
        changes.drawing(draw([1, 2], 6), draw([3, 9], 10), "k = 2")(both)
        [axes] = both.axes
        lines = {line.get_label(): line for line in axes.get_lines()}
        self.assertEqual(sorted(lines), ["latency", "latency, k = 2", "the paper"])
        self.assertEqual(list(lines["latency, k = 2"].get_ydata()), [3, 9])
        self.assertEqual(lines["latency, k = 2"].get_linestyle(), "--")
        self.assertEqual(lines["latency, k = 2"].get_color(), "C3")
        self.assertEqual(axes.get_ylim(), (0, 10))

    def test_the_papers_points_stand_in_the_figure(self):
        def draw(target):
            left, right = target.subplots(1, 2)
            left.plot([1, 2], [3, 4], label="measured")
            left.legend()
            right.plot([1, 2], [5, 6])

        drawn = figure()
        findings.draw_with_points(drawn, draw, [(0, 1, 3.5), (1, 2, 5.5), (0, 2, 4.5)])
        left, right = drawn.axes
        self.assertEqual(left.get_lines()[-1].get_xydata().tolist(), [[1, 3.5], [2, 4.5]])
        self.assertEqual(right.get_lines()[-1].get_xydata().tolist(), [[2, 5.5]])
        self.assertEqual([text.get_text() for text in left.get_legend().get_texts()], ["measured", "the paper's text"])
        self.assertEqual([text.get_text() for text in right.get_legend().get_texts()], ["the paper's text"])

    def test_bars_stand_side_by_side(self):
        def draw(height):
            def on(target):
                target.set_size_inches(5, 3)
                axes = target.subplots()
                axes.bar([1], [height])
                target.suptitle("bars")
            return on

        both = figure()
        changes.drawing(draw(1), draw(2), "k = 2")(both)
        self.assertEqual([axes.patches[0].get_height() for axes in both.axes], [1, 2])
        self.assertEqual(tuple(both.get_size_inches()), (10, 3))
        self.assertEqual([half._suptitle.get_text() for half in both.subfigs], ["base: bars", "k = 2: bars"])


# Its measured value is a key of the run.
PAPER_FILE = 'from reproduction import Paper, Section\n\nPAPER = Paper("Nobody 2000", "T",' \
             ' {"1": Section("A")})\nIDS = ["one"]\n'
PAPER = '''
from reproduction import Findings, Row, Run, exactly

TITLE, SOURCE = "A test", "Nobody 2000, section 1"
ROWS = [Row("seeds", "seeds of the run", "3", exactly(3), hard=True)]


def plan(setting):
    return {"seeds": Run("lookup_study", keys={"study.seeds": 3})}


def evaluate(setting, results):
    seeds = results["seeds"].json["config"]["study"]["seeds"]
    return Findings({"seeds": seeds}, [{"x": 1}], lambda figure: figure.subplots().plot([1, 2], [1, seeds]))
'''


class Command(FolderTest):
    @classmethod
    def setUpClass(cls):
        forked.load_matplotlib()

    def setUp(self):
        super().setUp()
        (self.folder / "experiments" / "test").mkdir(parents=True)
        (self.folder / "experiments" / "test" / "__init__.py").write_text(PAPER_FILE)
        (self.folder / "experiments" / "test" / "one.py").write_text(PAPER)

    def call(self, *words, out="out", status=0):
        done = forked.call(main.main, ["test.one", "--platforms", PLATFORMS, "--out", self.folder / out,
                                       "--experiments", self.folder / "experiments", *words],
                           self.folder, os.environ.copy(), timeout=200)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def result(self, out):
        return json.loads((self.folder / out / "test.one" / "result.json").read_text())

    def test_a_changed_paper_has_no_verdict_and_stands_beside_the_paper(self):
        self.assertIn("hard  passed", self.call())
        self.assertIn("1 of 1 runs read study.seeds = 4", self.call("--set", "study.seeds=4", out="changed"))
        [row] = self.result("changed")["rows"]
        self.assertEqual((row["measured"], row["verdict"], "base" in row), (4, "changed", False))
        self.assertEqual(self.result("changed")["changed"], {"study.seeds": "4"})
        told = self.call("--set", "study.seeds=4", "--against", "base", "--runs", str(self.folder / "out" / "runs"),
                         out="changed")
        self.assertIn("4 (base 3)", told)
        self.assertEqual(self.result("changed")["rows"][0]["base"], 3)
        self.assertIn("with study.seeds = 4", (self.folder / "changed" / "test.html").read_text())
        self.assertEqual(self.result("out")["rows"][0]["verdict"], "passed")

    def test_it_never_takes_the_place_of_the_paper(self):
        self.call()
        for words in (("--set", "study.seeds=4"), ("--set", "study.seeds=5", "--quick")):
            self.assertIn("accepted: another folder", self.call(*words, status=2))
        self.call("--set", "study.seeds=4", out="changed")
        self.assertIn("with other keys", self.call("--set", "study.seeds=5", out="changed", status=2))
        self.assertIn("with other keys", self.call(out="changed", status=2))

    def test_bad_input(self):
        self.assertIn("study.seedz: unknown key", self.call("--set", "study.seedz=4", status=2))
        self.assertIn("--set: not an assignment (got 'x')", self.call("--set", "x", status=2))
        self.assertIn("--against: nothing is changed", self.call("--against", "base", status=2))
        self.assertIn("--profile: no such profile", self.call("--profile", "nowhere", status=2))


if __name__ == "__main__":
    PLATFORMS = pathlib.Path(sys.argv.pop()).resolve()
    unittest.main()
