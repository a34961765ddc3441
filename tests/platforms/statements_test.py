# SPDX-License-Identifier: Apache-2.0
"""Statements of the papers: the list of known failures, calibrated values, rows by definition, and wrong models."""

import json
import os
import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXPERIMENTS = ROOT / "platforms" / "reproduce"
sys.path.insert(0, str(EXPERIMENTS))
PLATFORMS = None

import forked  # noqa: E402
from own_folder import FolderTest  # noqa: E402
from reproduction import (  # noqa: E402
    Row, Run, at_most, exactly, findings, lists, main, page, plants, statements, wrong)
from reproduction.runs import Pool  # noqa: E402
from tsuji.errors import Refused  # noqa: E402

PAPER_FILE = 'from reproduction import Paper, Section\n\nPAPER = Paper("Nobody 2000", "T",' \
             ' {"1": Section("A")})\nIDS = ["one"]\n'
# A paper of one ID. Destinations of a torus of 3x3, of which all rows but `shown` see 8 at most.
PAPER = '''
from reproduction import Findings, Row, Run, at_most, exactly

TITLE, SOURCE = "A test", "Nobody 2000, section 1"
ROWS = [Row("most", "most", "8", exactly(MOST)), Row("definition", "it again", "8", exactly(8), by_definition=True),
        Row("own", "in no paper", "-", exactly(8)), Row("late", "takes long", "1", exactly(1), quick=False),
        Row("shown", "shown", "5")]


def plan(setting):
    return {"run": Run("lookup_study", keys={"study.kind": "destinations", "topology.kind": "torus",
                                             "topology.radices": [3, 3]})}


def evaluate(setting, results):
    most = results["run"].metric("destinations_most")
    values = {"most": min(most, 8), "definition": min(most, 8), "own": 8, "shown": most, "late": 1}
    return Findings(values, [{"x": 1}], lambda figure: figure.subplots().plot([1, 2]))
'''
KNOWN = "test.one: {most: {in: [%s], reason: 'it is\n  so'}}\n"
WRONG = """excluded: {seed: random numbers, "*.seed": random numbers, lookup.cam_cycles: no reason}
fewer: [lookup.ways]
named:
  three ways: {ids: ["test.*"], set: {lookup.ways: 3}}
  more energy: {ids: ["test.*"], set: {lookup.energy.cam_nj: 50}}
  smaller torus: {ids: ["test.*"], set: {topology.radices: "[3,2]"}}
  larger torus: {ids: ["test.*"], set: {topology.radices: "[3,4]"}}
numbers: {"test.*": 2}
"""


class Lists(FolderTest):
    ROWS = {"a.one": ["x", "y"], "a.two": ["z"]}

    def write(self, text):
        path = self.folder / "list.yaml"
        path.write_text(text)
        return path

    def test_no_list_is_an_empty_one(self):
        self.assertEqual(lists.known_failures(self.folder / "none.yaml", self.ROWS), {})
        self.assertEqual(lists.calibrated(self.folder / "none.yaml", self.ROWS), [])

    def test_known_failures(self):
        known = lists.known_failures(self.write("a.one: {y: {in: [quick, full], reason: 'as\n   it is'}}\n"), self.ROWS)
        self.assertEqual(list(known), [("a.one", "y")])
        self.assertEqual(known["a.one", "y"].reason, "as it is")
        self.assertEqual(known["a.one", "y"].versions, {"quick", "full"})

    def test_a_list_about_rows_that_do_not_exist_is_refused_with_its_place(self):
        for text, part in (("a.three: {x: {in: [full], reason: so}}", "there is no ID a.three"),
                           ("a.one: {z: {in: [full], reason: so}}", "a.one has no row z"),
                           ("a.one: {x: {in: [fast], reason: so}}", "quick, full, recorded"),
                           ("a.one: {x: {in: [full]}}", "has no reason"),
                           ("a.one: {x: {reason: so}}", "has no in"),
                           ("a.one: {x: {in: [full], reason: ''}}", "is empty"),
                           ("a.one: {x: {in: [full], because: so}}", "unknown key")):
            with self.assertRaisesRegex(Refused, part) as refusal:
                lists.known_failures(self.write(text), self.ROWS)
            self.assertIn("list.yaml:1:", str(refusal.exception))
        for text, part in (("v: {value: 1, source: so, rows: [a.one w]}", "a.one has no row w"),
                           ("v: {value: 1, source: so, rows: [b.one]}", "there is no ID b.one"),
                           ("v: {value: 1, rows: [a.one]}", "has no source"),
                           ("v: {source: so, rows: [a.one]}", "has no value"),
                           ("v: {value: 1, source: so}", "has no rows")):
            with self.assertRaisesRegex(Refused, part):
                lists.calibrated(self.write(text), self.ROWS)

    def test_calibrated_values_fit_rows_or_all_rows_of_an_id(self):
        values = lists.calibrated(self.write("v: {value: 1, source: s, rows: [a.one y, a.two]}\n"
                                             "w: {value: 2, source: s, rows: [a.one]}\n"), self.ROWS)
        self.assertEqual(lists.names_by_row(values), {("a.one", "x"): ["w"], ("a.one", "y"): ["v", "w"],
                                                      ("a.two", "z"): ["v"]})

    def test_rows_of_files_that_were_not_read_are_not_looked_for(self):
        rows = {"a.one": None, "a.two": ["z"]}
        known = lists.known_failures(self.write("a.one: {w: {in: [full], reason: so}}\n"), rows)
        self.assertEqual(list(known), [("a.one", "w")])
        values = lists.calibrated(self.write("v: {value: 1, source: s, rows: [a.one w, a.one, a.two]}\n"), rows)
        self.assertEqual(values[0].rows, (("a.one", "w"), ("a.one", ""), ("a.two", "z")))
        with self.assertRaisesRegex(Refused, "there is no ID a.three"):
            lists.known_failures(self.write("a.three: {w: {in: [full], reason: so}}"), rows)

    def test_versions(self):
        self.assertEqual([lists.version(True, "traces"), lists.version(False, None), lists.version(False, "traces")],
                         ["quick", "full", "recorded"])

    def test_the_committed_lists_are_about_rows_that_exist(self):
        ids = main.all_ids(EXPERIMENTS)
        committed = main.Lists(EXPERIMENTS, ids, [main.Experiment(*name.split(".")) for name in ids])
        self.assertGreater(len(committed.known), 5)
        self.assertGreater(len(committed.calibrated), 10)
        rows = {(name, row.key): row for name in ids for row in main.Experiment(*name.split(".")).rows}
        for name in committed.known:
            self.assertTrue(rows[name].strength == "hard" and not rows[name].by_definition, name)
        definitions = {name for name, row in rows.items() if row.by_definition}
        self.assertTrue({("cache.table1", "case1_none"), ("cache.fig13", "equation"), ("cache.fig13", "idle_cached"),
                         ("compact.table", "compact")} <= definitions)
        soft = [name for name, row in rows.items() if row.strength == "soft"]
        self.assertTrue(soft)
        for identity, key in soft:  # the second reading of a row that is judged
            self.assertTrue(key.startswith("second_"), key)
            self.assertEqual(rows[identity, key.removeprefix("second_")].strength, "hard")
            self.assertFalse(rows[identity, key].states)
        self.assertEqual(committed.no_papers, ["booksim", "modern"])


class Counting(unittest.TestCase):
    ROWS = [Row("a", "", "1", exactly(1)), Row("b", "", "1", exactly(1), quick=False), Row("c", "", "-", exactly(1)),
            Row("d", "", "1"), Row("e", "", "1", exactly(1), by_definition=True)]

    def judged(self, quick=False, known=None, version="full", **values):
        entries = findings.judge(self.ROWS, values, quick)
        return findings.against_list(entries, "p.one", known or {}, version)

    def result(self, identity="p.one", **more):
        return {"id": identity, "rows": [entry.json() for entry in self.judged(**more)]}

    def test_only_statements_of_the_paper_count(self):
        self.assertEqual([row.key for row in self.ROWS if row.states], ["a", "b"])
        [paper, total] = statements.lines(statements.by_paper([self.result(a=1, b=2, c=2, d=1, e=1)], []))
        self.assertEqual((paper, total), ("p: 1 of 2 statements hold", "all: 1 of 2 statements hold"))
        [paper, _] = statements.lines(statements.by_paper([self.result(a=1, quick=True)], []))
        self.assertEqual(paper, "p: 1 of 1 statements hold (1 not judged in this version)")

    def test_papers_are_counted_apart_and_what_is_no_paper_not_at_all(self):
        results = [self.result(a=1, b=1), self.result("q.one", a=2, b=1), self.result("r.one", a=1, b=1)]
        self.assertEqual(statements.lines(statements.by_paper(results, ["r"])),
                         ["p: 2 of 2 statements hold", "q: 1 of 2 statements hold", "all: 3 of 4 statements hold"])

    def test_a_listed_row_is_known_to_fail_or_newly_holds(self):
        known = {("p.one", "a"): lists.Known("so", frozenset(["full"]), ""),
                 ("p.two", "b"): lists.Known("so", frozenset(["full"]), "")}
        for value, version, verdict in ((2, "full", "FAILED (known)"), (1, "full", "passed (listed as failing)"),
                                        (2, "quick", "FAILED"), (1, "quick", "passed")):
            entry = self.judged(known=known, version=version, a=value, b=2)[0]
            self.assertEqual((entry.verdict.value, entry.reason), (verdict, "so" if version == "full" else ""))
        self.assertEqual(self.judged(known=known, a=2, b=2)[1].verdict.value, "FAILED", "listed for another ID")
        self.assertEqual(self.judged(known={("p.one", "b"): known["p.one", "a"]}, quick=True, a=1)[1].verdict.value,
                         "not in --quick")

    def test_marks(self):
        self.assertEqual(self.ROWS[4].marks(["v"]), "hard; by definition; calibrated: v")
        self.assertEqual(self.ROWS[3].marks(), "shown")
        [entry] = findings.with_calibrated([findings.Judged(self.ROWS[0], 1, None)], "p.one", {("p.one", "a"): ["v"]})
        self.assertEqual(entry.calibrated, ("v",))


class Readings(unittest.TestCase):
    """Rows that distinguish two readings of a paper."""

    @staticmethod
    def row(module, key):
        [row] = [row for row in module.ROWS if row.key == key]
        return row

    def test_the_tables_part_of_fig_7_b_is_more_than_the_clocks(self):
        from detour import fig7, routers

        self.assertAlmostEqual(routers.above_in_cycles(0, "ud", "nf"), 100 * (52 / 48 - 1))
        self.assertAlmostEqual(routers.above_in_cycles(100 * (48 / 52 - 1), "ud", "nf"), 0)
        self.assertIsNone(routers.above_in_cycles(None, "ud", "nf"))
        self.assertAlmostEqual(fig7.over_clocks(100 * (48 / 52 - 1)), 0)
        self.assertAlmostEqual(fig7.over_clocks(100 * ((48 / 52) ** 2 - 1)), 1)
        self.assertIsNone(fig7.over_clocks(None))
        accepts = self.row(fig7, "small_1").tolerance.accepts
        # Five clocks of a table that is read in every other of six routers; none; and a router that is faster.
        slower = (6 * 5 + 16) / (6 * 5 + 3 * 5 + 16) * 48 / 52
        self.assertTrue(accepts(fig7.over_clocks(100 * (slower - 1))))
        self.assertFalse(accepts(fig7.over_clocks(100 * (48 / 52 - 1))))
        self.assertFalse(accepts(fig7.over_clocks(10)))

    def test_no_band_holds_another_figures_mean_gain(self):
        from cache import fig7, fig8, fig9

        gains = {fig7: 5.2, fig8: 6.9, fig9: 5.5}
        for figure, gain in gains.items():
            accepts = self.row(figure, "mean").tolerance.accepts
            self.assertTrue(accepts(gain))
            self.assertEqual(accepts(6.9), gain == 6.9)
        self.assertFalse(self.row(fig8, "mean").tolerance.accepts(5.5))

    def test_multicast_is_as_fast_as_one_node_to_one_not_as_with_short_headers(self):
        from cenju4 import fig9

        for key in ("multicast", "multicast_64"):
            accepts = self.row(fig9, key).tolerance.accepts
            self.assertTrue(accepts(0) and not accepts(8.7 / 2))


class Plants(FolderTest):
    def read(self, text=WRONG):
        path = self.folder / plants.WRONG_MODELS
        path.write_text(text)
        return plants.read_list(path)

    def test_operations(self):
        self.assertEqual([change(5) for change in plants.OPERATIONS.values()], [10, 2, 6])
        self.assertEqual([change(2.5) for change in plants.OPERATIONS.values()], [5, 1.25, 3.5])

    def test_numeric_keys(self):
        self.assertEqual(plants.numeric({"a": 1, "b": 1.5, "c": True, "d": "x", "e": [1, 2], "f": [], "g": ["x"]}),
                         ["a", "b", "e"])

    def test_a_plant_starts_from_each_runs_own_value(self):
        plan = {"two": Run("p", keys={"k": 2}), "three": Run("p", keys={"k": 3}), "none": Run("p")}
        read = {"two": {"k": 2}, "three": {"k": 3}, "none": {"other": 1}}
        new = plants.planted(plan, read, plants.Plant("k x 2", "k", plants.doubled))
        self.assertEqual({name: run.keys for name, run in new.items()}, {"two": {"k": 4}, "three": {"k": 6}})
        self.assertEqual(plan["two"].keys, {"k": 2})
        one_more = plants.Plant("k + 1", "k", plants.one_more)
        [new] = plants.planted({"a": Run("p")}, {"a": {"k": [4, 5]}}, one_more).values()
        self.assertEqual(new.keys, {"k": [5, 5]})
        self.assertEqual(plants.planted({"a": Run("p")}, {"a": {"k": 0}}, plants.Plant("k / 2", "k", plants.halved)),
                         {"a": Run("p", keys={"k": 0})}, "the platform finds that this is the same run")

    def test_a_named_plant_sets_keys_and_leaves_others_out(self):
        named = plants.Plant("off", values=(("kind", "none"), ("check", "")))
        run = Run("p", keys={"kind": "up", "check": "hint", "x": 1})
        self.assertEqual(named.planted(run, {"kind": "up"}).keys, {"kind": "none", "x": 1})
        for read in ({"kind": "none"}, {"other": 1}):
            self.assertIs(named.planted(run, read), run)

    def test_plants_of_an_id_are_drawn_with_a_fixed_seed(self):
        keys = ["lookup.ways", "seed", "topology.seed", "lookup.entries"]
        names = [plant.name for plant in plants.plants_of("test.one", keys, self.read())]
        self.assertEqual(names[:4], ["three ways", "more energy", "smaller torus", "larger torus"])
        drawn = [f"lookup.{key} {change}" for key in ("ways", "entries") for change in ("x 2", "/ 2", "+ 1")]
        self.assertEqual(sorted(names[4:]), sorted(["lookup.ways - 1", *drawn]))
        self.assertEqual(names, [plant.name for plant in plants.plants_of("test.one", reversed(keys), self.read())])
        self.assertNotEqual(names, [plant.name for plant in plants.plants_of("test.two", keys, self.read())])
        self.assertNotIn("three ways", [plant.name for plant in plants.plants_of("other.one", keys, self.read())])

    def test_a_plant_of_a_key_is_excluded_alone(self):
        wrong_models = self.read(WRONG.replace("{seed:", "{lookup.entries x 2: large, lookup.ways - 1: none, seed:"))
        names = {plant.name for plant in plants.plants_of("other.one", ["lookup.entries", "lookup.ways"], wrong_models)}
        self.assertEqual(names, {"lookup.entries / 2", "lookup.entries + 1", "lookup.ways x 2", "lookup.ways / 2",
                                 "lookup.ways + 1"})
        plants.check_excluded(["seed", "lookup.entries", "lookup.ways"], wrong_models)

    def test_at_most_a_third_of_the_keys_is_excluded(self):
        wrong_models = self.read()
        plants.check_excluded(["seed", "a", "b"], wrong_models)
        with self.assertRaisesRegex(Refused, "excludes 2 of 5 numeric keys"):
            plants.check_excluded(["seed", "a.seed", "a", "b", "c"], wrong_models)

    def test_bad_lists(self):
        for text, part in (("numbers: {'*': 1}", "has no excluded"),
                           ("excluded: {a: ''}\nnumbers: {'*': 1}", "is empty"),
                           ("excluded: {a: b}\nnumbers: {'*': x}", "not a number"),
                           ("excluded: {a: b}", "has no numbers"),
                           ("excluded: {a: b}\nnumbers: {'*': 1}\nalive: [{ids: [a], plants: [b]}]", "has no reason"),
                           ("excluded: {a: b}\nnumbers: {'*': 1}\nmore: 1", "unknown key")):
            with self.assertRaisesRegex(Refused, part):
                self.read(text)

    def test_the_committed_list(self):
        committed = plants.read_list(EXPERIMENTS / plants.WRONG_MODELS)
        ids = main.all_ids(EXPERIMENTS)
        for entry in (*committed.alive, *committed.named):
            for pattern in entry.identities:
                self.assertTrue([name for name in ids if plants.fnmatch.fnmatchcase(name, pattern)], pattern)
        self.assertTrue(all(committed.number(name) > 0 for name in ids))


class Ends(unittest.TestCase):
    LINES = [wrong.Line("a.one", "p", 1, wrong.KILLED, ("x",)), wrong.Line("a.one", "q", 1, wrong.ALIVE),
             wrong.Line("a.two", "p", 1, wrong.REASON, (), "because"), wrong.Line("a.two", "q", 0, wrong.REFUSED),
             wrong.Line("a.two", "r", 1, wrong.SAME), wrong.Line("a.two", "s", 1, wrong.UNMEASURED)]

    def test_refused_plants_and_those_that_change_no_result_are_no_wrong_models(self):
        self.assertAlmostEqual(wrong.share(self.LINES), 2 / 3)
        self.assertEqual(wrong.share([]), 1)
        self.assertEqual(wrong.summary(self.LINES)[-1], ["all", "6", "1", "1", "1", "1", "1", "1", "33 %", "67 %"])
        self.assertEqual(len(wrong.summary_text(self.LINES).splitlines()), 4)

    def test_a_row_fails_under_a_plant_if_it_held_before_and_is_hard(self):
        rows = [Row("a", "", "1", at_most(1)), Row("b", "", "1", at_most(1)), Row("c", "", "1", at_most(1), hard=False)]
        base = findings.judge(rows, {"a": 1, "b": 2, "c": 1}, False)
        self.assertEqual(wrong.failed_rows(base, findings.judge(rows, {"a": 2, "b": 3, "c": 2}, False)), ("a",))
        self.assertEqual(wrong.failed_rows(base, findings.judge(rows, {"a": 1, "b": 1, "c": 1}, False)), ())

    def test_what_a_plant_moves_within_its_bands(self):
        rows = [Row("a", "", "1", at_most(1)), Row("b", "", "1", at_most(1)), Row("c", "", "1", at_most(1), hard=False),
                Row("d", "", "1", at_most(1))]
        base, planted = (findings.judge(rows, values, False) for values in ({"a": 1, "b": 1, "c": 1, "d": 0},
                                                                            {"a": 0.5, "b": 2, "c": 0, "d": 0}))
        self.assertEqual(wrong.moved_rows(base, planted), "a: 1 -> 0.5")

    def test_the_draw_ends_when_enough_plants_have_changed_a_result(self):
        queue = [plants.Plant(f"{key} {name}", key) for key in "abc" for name in ("x 2", "+ 1")]
        for number, ends, played in ((2, {"a": wrong.KILLED, "b": wrong.ALIVE}, ["a x 2", "a + 1"]),
                                     (1, {"a": wrong.REFUSED, "b": wrong.KILLED}, ["a x 2", "a + 1", "b x 2"]),
                                     (1, {"a": wrong.SAME, "b": wrong.KILLED}, ["a x 2", "b x 2"]),
                                     (1, {"a": wrong.UNMEASURED, "b": wrong.KILLED}, ["a x 2", "b x 2"]),
                                     (1, {key: wrong.SAME for key in "abc"}, ["a x 2", "b x 2"]),
                                     (3, {key: wrong.SAME for key in "abc"},
                                      ["a x 2", "b x 2", "c x 2", "a + 1", "b + 1", "c + 1"])):
            draw, names = wrong.Draw(queue, number), []
            for plant in draw:
                names.append(plant.name)
                draw.played(plant, ends[plant.key])
            self.assertEqual(names, played)

    def test_a_run_that_refuses_a_plant_when_it_is_played_is_left_out(self):
        class Player(wrong.Player):
            """Of runs that fail: each call plays to the first of them."""

            def __init__(self, said):
                self.said = said

            def play(self, places, runs):
                return dict([(name, self.said[name]) for name in places if name in self.said][:1])

        with tempfile.TemporaryDirectory() as folder:
            places = {name: pathlib.Path(folder) / name for name in ("refuses", "fails", "plays")}
            beside = pathlib.Path(folder) / "refuses.refused"
            said = {"refuses": "x: exit 2\nx: a: too small\n", "fails": "x: exit 1\n"}
            for is_refused, left, errors, refusals in ((True, ["fails", "plays"], ["fails"], ["x: a: too small"]),
                                                       (False, ["refuses", "fails", "plays"], ["refuses"], [])):
                own, told = dict(places), []
                beside.unlink(missing_ok=True)
                if is_refused:
                    beside.write_text("", encoding="utf-8")
                self.assertEqual(list(Player(said).play_accepted(own, {}, told)), errors)
                self.assertEqual((list(own), told), (left, refusals))

    def test_a_kept_refusal_is_an_error_again(self):
        run = Run("compact_study", keys={"study.kind": "hops", "topology.nodes": 65, "study.entries": "[16]"})
        with tempfile.TemporaryDirectory() as folder:
            pool = Pool(PLATFORMS, pathlib.Path(folder), 1, False, lambda run: None)
            place, = pool.places([run])
            for _ in range(2):
                (_, error), = pool.play({place: run})
                self.assertIn("no square grid", error)

    def test_the_table_is_in_the_page(self):
        self.assertEqual(page.wrong_table(pathlib.Path("/nowhere")), "")


class Command(FolderTest):
    @classmethod
    def setUpClass(cls):
        forked.load_matplotlib()

    def setUp(self):
        super().setUp()
        self.papers = self.folder / "experiments"
        (self.papers / "test").mkdir(parents=True)
        (self.papers / "test" / "__init__.py").write_text(PAPER_FILE)
        self.write(8)

    def write(self, most):
        (self.papers / "test" / "one.py").write_text(PAPER.replace("MOST", str(most)))

    def call(self, *words, out="out", status=0):
        done = forked.call(main.main, ["test.one", "--platforms", PLATFORMS, "--out", self.folder / out,
                                       "--experiments", self.papers, *words],
                           self.folder, os.environ.copy(), timeout=200)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def rows(self, out="out"):
        result = json.loads((self.folder / out / "test.one" / "result.json").read_text())
        return {row["key"]: row for row in result["rows"]}

    def test_statements_are_counted(self):
        said = self.call()
        self.assertIn("test: 2 of 2 statements hold\nall: 2 of 2 statements hold", said)
        self.assertIn("2 of 2 statements hold", (self.folder / "out" / "index.html").read_text())
        self.assertIn("1 of 1 statements hold (1 not judged", self.call("--quick", out="quick"))

    def test_a_known_failure_is_exit_0_and_shown_with_its_reason(self):
        self.write(5)
        self.assertIn("hard rows that failed: test.one most", self.call(status=1))
        (self.papers / lists.KNOWN_FAILURES).write_text(KNOWN % "full")
        said = self.call()
        self.assertIn("FAILED (known)", said)
        self.assertIn("most is on the list of known failures: it is so", said)
        self.assertIn("test: 1 of 2 statements hold", said)
        self.assertEqual(self.rows()["most"]["reason"], "it is so")
        text = (self.folder / "out" / "test.html").read_text()
        self.assertIn("<b>fails because</b>: it is so", text)
        self.assertIn("FAILED (known)", text)
        self.assertIn("known failure (full): it is so", self.call("--list"))
        self.assertIn("hard rows that failed: test.one most", self.call("--quick", out="quick", status=1))

    def test_a_listed_row_that_holds_is_exit_1_and_named(self):
        (self.papers / lists.KNOWN_FAILURES).write_text(KNOWN % "quick, full")
        for words in ((), ("--quick",)):
            said = self.call(*words, out=f"out{len(words)}", status=1)
            self.assertIn("newly hold, to be taken off the list of known failures: test.one most", said)
        (self.papers / lists.KNOWN_FAILURES).write_text(KNOWN % "recorded")
        self.call(out="other")

    def test_a_list_about_another_row_is_exit_2(self):
        (self.papers / lists.KNOWN_FAILURES).write_text(KNOWN.replace("most", "mots") % "full")
        self.assertIn("test.one has no row mots", self.call(status=2))

    def test_calibrated_stands_beside_the_rows_that_it_fits(self):
        (self.papers / lists.CALIBRATED).write_text("a value: {value: 7, source: a source, rows: [test.one most]}\n")
        self.assertIn("hard; calibrated: a value", self.call())
        self.assertEqual((self.rows()["most"]["calibrated"], self.rows()["own"]["calibrated"]), (["a value"], []))
        self.assertTrue(self.rows()["definition"]["by_definition"])
        text = (self.folder / "out" / "test.html").read_text()
        for part in ("<b>calibrated</b>: 7", "by definition", "a source"):
            self.assertIn(part, text)
        self.assertIn("most [hard; calibrated: a value]", self.call("--list"))

    def wrong_lines(self):
        return {line.plant: line for line in wrong.read_table(self.folder / "out")}

    def test_wrong_models(self):
        (self.papers / plants.WRONG_MODELS).write_text(WRONG)
        said = self.call("--quick", "--against-wrong-models", status=1)
        lines = self.wrong_lines()
        self.assertEqual({name: line.end for name, line in lines.items()},
                         {"three ways": wrong.REFUSED, "more energy": wrong.SAME, "smaller torus": wrong.KILLED,
                          "larger torus": wrong.ALIVE})
        self.assertEqual(lines["smaller torus"].rows, ("most", "definition"))
        self.assertIn("cannot be divided into sets of 3 ways", lines["three ways"].reason)
        self.assertIn("larger torus: ALIVE", said)
        [total] = [line.split() for line in said.splitlines() if line.startswith("all ")]
        self.assertEqual(total, ["all", "4", "1", "0", "1", "1", "1", "0", "50", "%", "50", "%"])
        text = (self.folder / "out" / "index.html").read_text()
        for part in ("Wrong models", "smaller torus", "50 %"):
            self.assertIn(part, text)
        # Runs that are there are not played again but with --again, and say the same.
        runs = self.folder / "out" / "runs"
        before = {path: path.stat().st_mtime_ns for path in runs.glob("*/result.json")}
        for more, played in ((), False), (("--again",), True):
            again = self.call("--quick", "--against-wrong-models", *more, status=1)
            self.assertEqual(again.splitlines()[-3:-1], said.splitlines()[-3:-1])
            after = {path: path.stat().st_mtime_ns for path in runs.glob("*/result.json")}
            self.assertEqual(after != before, played)

    def test_a_reason_is_enough_for_exit_0(self):
        reason = 'alive: [{ids: ["test.*"], plants: ["larger*"], reason: nothing is said of it}]\n'
        (self.papers / plants.WRONG_MODELS).write_text(WRONG + reason)
        self.call("--quick", "--against-wrong-models")
        line = self.wrong_lines()["larger torus"]
        self.assertEqual((line.end, line.reason), (wrong.REASON, "nothing is said of it"))

    def test_only_as_many_plants_as_the_list_says_are_played(self):
        (self.papers / plants.WRONG_MODELS).write_text(WRONG.replace('"test.*": 2', '"test.*": 1'))
        self.call("--quick", "--against-wrong-models")
        self.assertEqual(list(self.wrong_lines()), ["three ways", "more energy", "smaller torus"])

    def test_bad_calls(self):
        self.assertIn("cannot be read", self.call("--against-wrong-models", status=2))
        (self.papers / plants.WRONG_MODELS).write_text(WRONG)
        self.assertIn("does not go with --against-wrong-models",
                      self.call("--against-wrong-models", "--set", "seed=2", status=2))
        self.assertIn("--profile: does not go with",
                      self.call("--against-wrong-models", "--profile", "slurm", status=2))
        (self.papers / plants.WRONG_MODELS).write_text(WRONG.replace("seed: random", '"*": random'))
        self.assertIn("accepted: at most a third", self.call("--quick", "--against-wrong-models", status=2))


if __name__ == "__main__":
    PLATFORMS = pathlib.Path(sys.argv.pop()).resolve()
    unittest.main()
