#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Pages of the papers, and what they are made of, on results that are given here: no run is played."""

import json
import pathlib
import re
import sys
import types
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "platforms" / "reproduce"))

from matplotlib.figure import Figure  # noqa: E402
from own_folder import FolderTest  # noqa: E402
from reproduction import (  # noqa: E402
    Paper, Row, Section, findings, lists, measured, page, paper_page, runs, within, wrong)
from reproduction.rows import Verdict  # noqa: E402

PAPER = Paper("Nobody 2000", "Tori", {"1": Section("Aims"), "2": Section("Method")})
OTHER = Paper("Somebody 2001", "Meshes", {"1": Section("Aims")})
FITTED = [lists.Calibrated("speed", "7 ns", "a guess", (("test.one", "a"), ("other.one", "z"))),
          lists.Calibrated("far", "9 m", "another", (("other.one", "z"),))]


def row(key, verdict=Verdict.PASSED, section="1", measured_value=8, reason="", **more):
    """As result.json has it."""
    made = Row(key, f"text of {key}", "8" if section else "-", within(8, 1) if section else None, section=section,
               unit="us", **more)
    return findings.Judged(made, measured_value, verdict, reason=reason).json()


def result(name, *rows, sections=("1",), **more):
    return {"schema_version": findings.SCHEMA_VERSION, "id": name, "title": f"title of {name}", "source": "a source",
            "sections": list(sections), "quick": False, "rows": list(rows), "notes": [], "readings": [],
            "revisions": ["r1"], "seeds": {}, "runs": {}, **more}


class Pages(FolderTest):
    def material(self, *results, noted=None):
        """`noted`: measured.json by ID."""
        for one in results:
            folder = self.folder / one["id"]
            folder.mkdir(exist_ok=True)
            (folder / "figure.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg"></svg>')
            (folder / "result.json").write_text(json.dumps(one))
            if one["id"] in (noted or {}):
                (folder / measured.NAME).write_text(json.dumps(noted[one["id"]]))
        committed = types.SimpleNamespace(papers={"test": PAPER, "other": OTHER}, calibrated=FITTED, no_papers=[],
                                          not_reproduced={})
        return paper_page.Material(self.folder, self.folder / "runs", {one["id"]: one for one in results},
                                   paper_page.readings_of(results), committed)

    def paper(self, *results, **more):
        return paper_page.of_paper(self.material(*results, **more), "test")

    def index(self, *results, **more):
        return page.body(self.material(*results, **more))

    def test_distances(self):
        for percent, text in ((None, "-"), (0.0001, "0 %"), (0.01, "+0.01 %"), (-12.34, "-12 %")):
            self.assertEqual(paper_page.distance({"distance_percent": percent}), text)

    def test_readings_say_under_how_many_a_statement_holds(self):
        tried = [{"id": "test.one", "key": "a", "label": label, "measured": 8, "holds": holds}
                 for label, holds in (("x", True), ("y", False), ("z", None))]
        text = self.paper(result("test.one", row("a"), readings=tried))
        self.assertIn("other readings tried: 3; holds under 1 of 2", text)
        words = re.findall(r"<td>([xyz])</td><td>8 us</td><td>([a-z ]*)</td>", text)
        self.assertEqual(words, [("x", "would hold"), ("y", "would fail"), ("z", "not judged")])

    def test_a_statement_has_its_band_and_the_base_of_a_change(self):
        text = self.paper(result("test.one", row("a"), row("b", Verdict.NO_VERDICT, section="")))
        self.assertEqual(text.count("accepted: 8 +- 1 us"), 1)
        self.assertNotIn("(base", text)
        changed = {**row("a", Verdict.CHANGED, measured_value=9), "base": 7}
        text = self.paper(result("test.one", changed, changed={"lookup.cam_cycles": "40"}))
        self.assertIn("<td>9 us (base 7)</td>", text)
        self.assertIn('class="verdict changed">changed<', text)
        self.assertIn("with lookup.cam_cycles = 40", text)
        self.assertNotIn("statements hold", text, "of changed hardware nothing is counted")

    def test_an_id_of_two_sections_is_drawn_in_the_first(self):
        text = self.paper(result("test.one", row("a"), row("b", section="2"), sections=("1", "2")))
        self.assertEqual(text.count("<figure>"), 1)
        second = text.split('<h2 id="section-2">')[1]
        self.assertIn("further statements", second)
        self.assertIn("text of b", second)
        self.assertNotIn("text of a", second)

    def test_a_study_of_readings_is_in_the_first_section_that_it_names(self):
        text = self.paper(result("test.one", row("a", Verdict.NO_VERDICT, section=""), sections=("1", "2")))
        first, second = text.split('<h2 id="section-1">')[1].split('<h2 id="section-2">')
        self.assertIn("title of test.one", first)
        self.assertNotIn("title of test.one", second)
        self.assertNotIn("further statements", second)

    def test_an_id_of_no_section_is_in_no_paper(self):
        text = self.paper(result("test.one", row("a", Verdict.NO_VERDICT, section=""), sections=()))
        self.assertIn("text of a", text.split('<h2 id="no-paper">')[1])

    def test_sections_count_what_holds(self):
        text = self.paper(result("test.one", row("a"), row("b", Verdict.KNOWN)))
        self.assertIn('<a href="#section-1">1 Aims</a></td><td>1 of 2</td>', text)
        self.assertIn("<b>1 of 2 statements hold</b>", text)

    def test_all_failures_are_listed_with_their_reasons(self):
        text = self.paper(result("test.one", row("a"), row("b", Verdict.FAILED),
                                 row("c", Verdict.KNOWN, reason="why c")))
        listed = text.split('<h2 id="fails">')[1].split("<h2")[0]
        self.assertEqual(re.findall(r": text of (\w)</td>.*?known\">([^<]*)<.*?<td>([^<]*)</td></tr>", listed),
                         [("b", "FAILED", ""), ("c", "FAILED (known)", "why c")])
        self.assertIn("<b>fails because</b>: why c</div>", text)

    def test_fitted_values_of_the_papers_own_rows(self):
        text = self.paper(result("test.one", row("a"))).split('<h2 id="calibrated">')[1]
        self.assertIn("<tr><td>speed</td><td>7 ns</td><td>a guess</td><td>test.one a</td></tr>", text)
        self.assertNotIn("another", text)
        text = self.index(result("test.one", row("a")))
        self.assertIn("<tr><td>speed</td><td>7 ns</td><td>a guess</td><td>test.one a</td></tr>", text)
        self.assertNotIn("another", text)

    def test_minutes_and_dates(self):
        noted = {"test.one": {"date": "2026-01-02", "seconds": 60, "runs": 2, "timed": 1},
                 "test.two": {"date": "2026-03-04", "seconds": 90, "runs": 2, "timed": 2}}
        results = [result("test.one", row("a")), result("test.two", row("b"))]
        text = self.paper(*results, noted=noted)
        self.assertIn("2026-01-02, 1.0 min (of 1 of 2 runs)", text)
        self.assertIn("2026-03-04, 1.5 min</span>", text)
        self.assertIn("2026-01-02 to 2026-03-04, 2.5 min of runs", text)
        line = self.index(*results, noted=noted).split('<a href="test.html">')[1].split("</tr>")[0]
        self.assertEqual(re.findall(r'class="measured">([^<]*)<', line), ["2026-03-04", "2.5 min"])

    def test_the_index_counts_statements_and_failures(self):
        text = self.index(result("test.one", row("a"), row("b", Verdict.KNOWN), row("c", Verdict.FAILED)),
                          result("test.two", row("d"), seeds={"topology.seed": [1, 2, 3]}),
                          result("other.one", row("z")))
        self.assertIn('<tr class="FAILED"><td><a href="test.html">Nobody 2000: Tori</a></td><td>2</td>'
                      "<td>2 of 4 statements hold</td><td>2</td>", text)
        self.assertIn('<tr class="passed"><td><a href="other.html">Somebody 2001: Meshes</a></td><td>1</td>'
                      "<td>1 of 1 statements hold</td><td>-</td>", text)
        self.assertIn('<tr class="FAILED"><td><a href="test.html#test.one">test.one</a></td>'
                      "<td>title of test.one</td><td>1 FAILED, 1 FAILED (known), 1 holds</td>", text)
        self.assertIn('<tr class="passed"><td><a href="test.html#test.two">', text)
        self.assertIn("</td><td>topology.seed 1-3</td></tr>", text)
        self.assertIn("<b>3 of 5 statements hold</b>", text)

    def test_results_of_an_earlier_version_are_named_and_not_shown(self):
        material = self.material(result("test.one", row("a")), result("test.two", row("b"), schema_version=1))
        page.write(self.folder, self.folder / "runs", ["test.one", "test.two"], material.committed)
        text = (self.folder / "index.html").read_text()
        self.assertIn("Not shown, to be measured again: test.two.", text)
        self.assertNotIn("title of test.two", text)
        self.assertFalse((self.folder / "test.two" / "runs.html").exists())

    def test_plants_that_no_row_notices_are_marked(self):
        wrong.write_table(self.folder, [wrong.Line("test.one", "x 2", 3, wrong.KILLED, ("a",)),
                                        wrong.Line("test.one", "+ 1", 3, wrong.ALIVE),
                                        wrong.Line("test.one", "/ 2", 3, wrong.REASON, reason="why")])
        text = self.index(result("test.one", row("a")))
        self.assertEqual(re.findall(r'<tr(?: class="(\w+)")?><td>test.one</td><td>([^<]*)</td><td>3</td>', text),
                         [("passed", "x 2"), ("FAILED", "+ 1"), ("", "/ 2")])


class Origin(FolderTest):
    """Where results come from."""

    def kept(self, name, config, seconds, date):
        place = self.folder / name
        runs.keep(place, {"config": config, "revision": f"of {name}"})
        runs.beside(place, runs.PLAYED).write_text(json.dumps({"date": date, "seconds": seconds}))
        return place

    def test_seeds_minutes_and_the_latest_date(self):
        places = [self.kept("a", {"topology": {"seed": 3}, "seed": 1}, 2.5, "2026-01-02"),
                  self.kept("b", {"topology": {"seed": 4}, "study": {"seeds": 9}, "lookup": {"ways": 2}}, 4,
                            "2026-03-04")]
        self.assertEqual(measured.origin(places), {
            "revisions": ["of a", "of b"], "seeds": {"seed": [1], "study.seeds": [9], "topology.seed": [3, 4]}})
        measured.write(self.folder, places)
        self.assertEqual(measured.read(self.folder), {"date": "2026-03-04", "seconds": 6.5, "runs": 2, "timed": 2})


class Points(unittest.TestCase):
    def test_points_of_the_paper_are_in_their_own_axes(self):
        figure = Figure()
        findings.draw_with_points(figure, lambda target: target.subplots(2, 1), [(0, 1, 10), (1, 2, 20), (1, 3, 30)])
        for axes, points in zip(figure.axes, ([(1, 10)], [(2, 20), (3, 30)])):
            self.assertEqual([tuple(place) for line in axes.lines for place in line.get_xydata()], points)
            self.assertEqual([text.get_text() for text in axes.get_legend().get_texts()], ["the paper's text"])


if __name__ == "__main__":
    unittest.main()
