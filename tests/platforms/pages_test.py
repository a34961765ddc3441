# SPDX-License-Identifier: Apache-2.0
"""A page a paper: order of sections, distances, verdicts, links that resolve, configurations that run again, the list
of what is not reproduced, and --list."""

import fnmatch
import html.parser
import json
import os
import pathlib
import re
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXPERIMENTS = ROOT / "platforms" / "reproduce"
sys.path.insert(0, str(EXPERIMENTS))
PLATFORMS = None

import forked  # noqa: E402
from own_folder import FolderTest  # noqa: E402
from reproduction import (  # noqa: E402
    Paper, Row, Section, at_most, exactly, findings, lists, main, measured, papers, within)
from reproduction.rows import distance_percent  # noqa: E402
from tsuji.errors import Refused  # noqa: E402

INIT = '''
from reproduction import Paper, Section

PAPER = Paper("Nobody 2000", "Small tori", {
    "1": Section("Aims"), "2": Section("Method", "p. 7"), "10": Section("Ends")})
IDS = ["late", "early", "own"]
'''
ID = '''
from reproduction import Findings, Row, Run, at_most, exactly, within

TITLE, SOURCE = "NAME of the tori", SOURCES
ROWS = [ROWS]


def plan(setting):
    return {"torus of %d" % nodes: Run("lookup_study", keys={"study.kind": "destinations", "topology.kind": "torus",
                                                             "topology.radices": [nodes, 3]}) for nodes in (3, 5)}


def evaluate(setting, results):
    found = {"most": results["torus of 3"].metric("destinations_most"), "large": results["torus of 5"].metric("destinations_most")}
    return Findings({row.key: found.get(row.key, 1) for row in ROWS}, [{"x": 1}], lambda figure: figure.subplots().plot([1, 2]))
'''  # noqa: E501
ROWS = {
    "late": ('"Nobody 2000, section 10 and fig. 3"',
             'Row("one", "the last statement", "1", exactly(1)), Row("beside", "beside it", "-")'),
    "early": ('"Nobody 2000, section 2"',
              'Row("most", "most destinations", "about 10", within(10, 3), runs=("torus of 3",)), '
              'Row("wrong", "a wrong one", "at most 0", at_most(0)), '
              'Row("defined", "an input", "1", exactly(1), by_definition=True), '
              'Row("large", "a larger torus", "about 10", number=10, reading_of=("most",), runs=("*5",))'),
    "own": ('"in no paper"', 'Row("mine", "of our own", "-", exactly(1))')}


class Links(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.targets, self.names = [], set()

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.names.add(found.get("id"))
        self.targets += [found["href"]] if "href" in found else []


def links(path):
    parser = Links()
    parser.feed(path.read_text())
    return parser


class Data(unittest.TestCase):
    PAPER = Paper("Nobody 2000", "t", {"1": Section("a"), "2.1": Section("b")})

    def test_distance(self):
        for value, number, percent in ((11, 10, 10), (9, -10, 190), (95, (99, 100), 100 * -4 / 99),
                                       (99.5, (99, 100), 0), ([9, 12], 10, 20),
                                       ([9, 12], [9, 10], 20), ([1], [1, 2], None), (1, 0, None),
                                       (None, 1, None), (True, 1, None), ("a", 1, None)):
            self.assertEqual(distance_percent(value, number), percent, (value, number))
        self.assertEqual(Row("k", "", "about 8", within(8, 3)).distance(10), 25)
        self.assertEqual(Row("k", "", "0.1", at_most(0.15), number=0.1).distance(0.2), 100)
        self.assertIsNone(Row("k", "", "-", within(8, 3)).distance(10), "the paper gives none")

    def test_sections_of_a_source(self):
        for source, numbers in (("Nobody 2000, section 1 and fig. 7", ["1"]), ("In no paper; x", []),
                                ("Nobody 2000, sections 1 and 2.1, eq. 3", ["1", "2.1"])):
            self.assertEqual(papers.sections_of(source, self.PAPER, "p.x"), numbers)
        self.assertEqual(papers.sections_of("anything", None, "p.x"), [])
        for source in ("Nobody 2000, table 1", "Somebody 2000, section 1", "Nobody 2000, section 3"):
            with self.assertRaisesRegex(Refused, "accepted"):
                papers.sections_of(source, self.PAPER, "p.x")

    def test_rows_of_several_sections_name_theirs(self):
        row, own = Row("k", "", "1", exactly(1)), Row("o", "", "-")
        self.assertEqual([one.section for one in papers.with_sections([row, own], ["1"], self.PAPER, "p.x")], ["1", ""])
        for sections in ([], ["1", "2.1"]):
            with self.assertRaisesRegex(Refused, "has no section"):
                papers.with_sections([row], sections, self.PAPER, "p.x")
        with self.assertRaisesRegex(Refused, "states nothing"):
            papers.with_sections([Row("o", "", "-", section="1")], ["1"], self.PAPER, "p.x")
        self.assertLess(papers.order("4.2"), papers.order("4.10"))

    def test_readings_are_judged_by_the_statement(self):
        rows = [Row("a", "", "8", within(8, 1)), Row("b", "", "8", within(8, 1)),
                Row("c", "again", "-", reading_of=("a", "b")), Row("d", "both", "-", reading_of=("a",))]
        found = findings.readings("p.x", findings.judge(rows, {"a": 8, "b": 8, "c": [8, 5], "d": [8, 5]}, False))
        self.assertEqual([(one.key, one.holds) for one in found], [("a", True), ("b", False), ("a", False)])
        with self.assertRaisesRegex(Refused, "row without a verdict"):
            papers.check_readings([Row("c", "", "-", reading_of=("z",))], "p.x")
        with self.assertRaisesRegex(Refused, "another unit"):
            papers.check_readings([rows[0], Row("c", "", "-", unit="us", reading_of=("a",))], "p.x")

    def test_seeds_and_minutes(self):
        self.assertEqual(measured.seeds_text({"seed": [1], "topology.seed": [1, 2, 3, 7]}),
                         "seed 1; topology.seed 1-3, 7")
        self.assertEqual([measured.minutes(1.24), measured.minutes(90)], ["1.2 s", "1.5 min"])


class Committed(FolderTest):
    def test_every_section_has_a_row_or_a_reason(self):
        ids = main.all_ids(EXPERIMENTS)
        experiments = [main.Experiment(*name.split(".")) for name in ids]
        committed = main.Lists(EXPERIMENTS, ids, experiments)
        self.assertEqual(committed.no_papers, ["booksim", "modern"])
        for name, paper in committed.papers.items():
            rows = {row.section for one in experiments if one.id.split(".")[0] == name for row in one.rows}
            for number in paper.sections if paper else ():
                self.assertTrue(number in rows or number in committed.not_reproduced[name], f"{name} {number}")

    def test_patterns_name_runs(self):
        for name in main.all_ids(EXPERIMENTS):
            one = main.Experiment(*name.split("."))
            plan = one.plan(main.Setting(False, None, self.folder / name)) if any(row.runs for row in one.rows) else {}
            for row in one.rows:
                for pattern in row.runs:
                    self.assertTrue(fnmatch.filter(plan, pattern), f"{name} {row.key} {pattern}")

    def test_bad_lists(self):
        path = self.folder / "list.yaml"
        for text, part in (("q: {'1': [{statement: s, reason: r}]}", "there is no paper q"),
                           ("p: {'9': [{statement: s, reason: r}]}", "p has no section 9"),
                           ("p: {'1': [{statement: s}]}", "has no reason"),
                           ("p: {'1': [{statement: '', reason: r}]}", "is empty"),
                           ("p: {'1': [{statement: s, reason: r, more: x}]}", "unknown key")):
            path.write_text(text)
            with self.assertRaisesRegex(Refused, part):
                lists.not_reproduced(path, {"p": Data.PAPER})


class Pages(FolderTest):
    @classmethod
    def setUpClass(cls):
        forked.load_matplotlib()

    def setUp(self):
        super().setUp()
        place = self.folder / "experiments"
        (place / "test").mkdir(parents=True)
        (place / "test" / "__init__.py").write_text(INIT)
        for name, (source, rows) in ROWS.items():
            (place / "test" / f"{name}.py").write_text(ID.replace("NAME", name).replace("SOURCES", source)
                                                       .replace("[ROWS]", f"[{rows}]"))
        (place / lists.NOT_REPRODUCED).write_text("test: {'1': [{statement: all is well, reason: an aim}]}\n")
        (place / lists.KNOWN_FAILURES).write_text("test.early: {wrong: {in: [full], reason: it is wrong}}\n")
        self.out = self.folder / "out"

    def call(self, *words, status=0):
        done = forked.call(main.main, ["all", "--platforms", PLATFORMS, "--out", self.out, "--experiments",
                                       self.folder / "experiments", *words],
                           self.folder, os.environ.copy(), timeout=200)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def page(self, name="test.html"):
        return (self.out / name).read_text()

    def line(self, key):
        """Of a statement, with the text below it."""
        return self.page().split(f'<tr id="test.early.{key}"')[1].split('<tr id="')[0]

    def test_statements_in_the_order_of_sections_with_their_verdicts(self):
        self.call()
        text = self.page()
        order = ['<h2 id="section-1">1 Aims', "all is well",
                 '<h2 id="section-2">2 Method, p. 7', "<td>most destinations",
                 '<h2 id="section-10">10 Ends', "<td>the last statement", ">In no paper<", "<td>of our own"]
        places = [text.index(part) for part in order]
        self.assertEqual(places, sorted(places))
        line = {row: self.line(row) for row in ("most", "defined", "large")}
        self.assertIn(">-20 %<", line["most"])
        self.assertIn("holds under 0 of 1", text)
        self.assertIn("by definition", line["defined"])
        self.assertIn('class="verdict shown">shown', line["large"])
        for part in ("FAILED (known)", "it is wrong",
                     "<b>2 of 3 statements hold</b>", "measured beside, in no paper: 1"):
            self.assertIn(part, text)
        self.assertNotIn("http", text)

    def test_links_resolve_and_a_configuration_repeats_its_run(self):
        self.call()
        pages = [self.out / "index.html", *self.out.glob("*.html"), *self.out.glob("test.*/runs.html")]
        self.assertEqual(len(pages), 6)
        for page in pages:
            for target in links(page).targets:
                name, _, anchor = target.partition("#")
                file = page.parent / name if name else page
                self.assertTrue(file.is_file(), target)
                self.assertTrue(not anchor or anchor in links(file).names, target)
        [config] = re.findall(r'href="(runs/[^"]*resolved.yaml)"', self.line("most"))
        again = self.folder / "again"
        subprocess.run([PLATFORMS / "lookup_study", self.out / config, "--out", again], check=True, capture_output=True)
        metrics = [json.loads(path.read_text())["metrics"] for path in
                   (again / "result.json", (self.out / config).with_name("result.json"))]
        self.assertEqual(metrics[0]["destinations_most"], metrics[1]["destinations_most"])

    def test_pages_of_kept_runs_are_the_same_bytes(self):
        self.call()
        before = [self.page(name) for name in ("index.html", "test.html")]
        self.call()
        self.assertEqual([self.page(name) for name in ("index.html", "test.html")], before)
        noted = json.loads(self.page("test.early/measured.json"))
        self.assertEqual((noted["runs"], noted["timed"]), (2, 2))
        self.assertGreater(noted["seconds"], 0)
        self.assertIn(f'<span class="measured">{noted["date"]}', before[0])

    def test_results_of_an_earlier_version_are_named(self):
        self.call()
        path = self.out / "test.own" / "result.json"
        path.write_text(json.dumps({**json.loads(path.read_text()), "schema_version": 1}))
        self.call("--out", self.out)  # replaced
        self.assertNotIn("to be measured again", self.page("index.html"))

    def test_list(self):
        said = self.call("--list").splitlines()
        self.assertEqual(said[0], "test  Nobody 2000, Small tori: 2 IDs, 3 statements, 3 hard")
        self.assertEqual(said[1], "test.late  late of the tori (Nobody 2000, section 10 and fig. 3)")
        own = said.index("in no paper: 1 ID, and rows of 1 other ID")
        self.assertIn("test.own  own of the tori (in no paper)", said[own:])
        self.assertIn("    beside [shown]  beside it", said[own:])
        self.assertNotIn("    beside [shown]  beside it", said[:own])

    def test_a_source_without_a_section_is_refused(self):
        path = self.folder / "experiments" / "test" / "late.py"
        path.write_text(path.read_text().replace("section 10", "section 11"))
        self.assertIn("Nobody 2000 has no such section", self.call(status=2))


if __name__ == "__main__":
    PLATFORMS = pathlib.Path(sys.argv.pop()).resolve()
    unittest.main()
