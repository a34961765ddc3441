#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Pages of studies, whose database is made up: what they say, and what clicks do in Chromium. usage:
report_study_test.py PROJECT"""

import json
import os
import pathlib
import sqlite3
import sys
import types
import unittest
from unittest import mock

import browser
from own_folder import FolderTest
from report_test import data_of, library_or_skip, write_page

from tsuji import report_study  # noqa: E402
from tsuji.tables import SCHEMA  # noqa: E402

KINDS, VCS, LOADS, SEEDS = ("mesh", "<torus>"), (2, 10), (0.1, 0.2), (1, 2)
LATENCY, SATURATION = "latency_cycles_mean", "saturation_flits_per_node_cycle"


def latency(design, load):
    return 20 + 3 * design + 100 * load


# By design: 0 has the least latency, 2 the highest saturation, and 1 and 3 are worse than 2 in both.
SATURATIONS = (0.3, 0.35, 0.5, 0.4)
LATENCIES = (20, 28, 24, 30)


def made_study(folder, broken=False):
    """A study of 2 x 2 designs with curves of two loads and two seeds; its first design's runs have results."""
    folder.mkdir()
    database = sqlite3.connect(folder / "study.sqlite")
    database.executescript(SCHEMA)
    for design in range(4):
        for axis, value in (("topology.kind", KINDS[design // 2]), ("router.vcs", str(VCS[design % 2]))):
            database.execute("INSERT INTO designs VALUES(?, ?, ?)", (design, axis, value))
        for metric, value in ((SATURATION, SATURATIONS[design]), ("zero_latency", LATENCIES[design])):
            database.execute("INSERT INTO points VALUES(?, NULL, ?, 2, ?, 0.01)", (design, metric, value))
        for load in LOADS:
            database.execute("INSERT INTO points VALUES(?, ?, ?, 2, ?, 1.5)",
                             (design, load, LATENCY, latency(design, load)))
            for seed in SEEDS:
                run = f"run-{design}-{load}-{seed}"
                database.execute("INSERT INTO runs VALUES(?, ?, ?, ?, ?, ?)",
                                 (run, design, str(seed), load, "failed" if broken and design == 3 else "complete",
                                  "a flit was lost" if broken and design == 3 else ""))
                database.execute("INSERT INTO metrics VALUES(?, ?, 1, 'cycles')", (run, LATENCY))
                if design == 0:
                    made_result(folder / "runs" / run, latency(design, load))
        # A load of one seed alone is no point of a curve.
        database.execute("INSERT INTO points VALUES(?, 0.15, ?, 1, 900, NULL)", (design, LATENCY))
    database.commit()
    database.close()
    (folder / ".study").write_text(json.dumps({"name": "s", "digest": "", "title": "A <study>", "runs": "runs"}))
    return folder


def made_result(folder, mean):
    folder.mkdir(parents=True)
    (folder / "result.json").write_text(json.dumps(
        {"schema": "tsuji.result/1", "platform": "network", "tables": {}, "config": {},
         "metrics": {LATENCY: {"value": mean, "unit": "cycles"}}}))


class Pages(FolderTest):
    def setUp(self):
        library_or_skip()
        super().setUp()

    def test_a_study_and_its_runs(self):
        folder = made_study(self.folder / "study")
        done = self.ended(write_page(folder))
        self.assertIn("pages of 4 runs", done.stdout)
        data = data_of(folder / "report.html")
        self.assertEqual((data["title"], data["axes"]), ("A <study>", ["topology.kind", "router.vcs"]))
        self.assertEqual(data["designs"]["2"], ["<torus>", "2"])
        self.assertEqual(data["metrics"][0], [SATURATION, "flits/node/cycle"])
        self.assertIn([LATENCY, "cycles"], data["metrics"])
        self.assertEqual(sum(point[1] == 0.2 and point[4] == latency(point[0], 0.2) for point in data["points"]), 4)
        links = [run[6] for run in data["runs"]]
        self.assertEqual(sum(link is not None for link in links), 4)
        for run in data["runs"][:4]:
            page = folder / run[6]
            self.assertEqual(data_of(page)["metrics"][0][1], latency(0, run[3]))

    def test_refusals(self):
        folder = made_study(self.folder / "study")
        for name, text, part in ((".study", "{", "is damaged"), (".study", "[]", "is damaged"),
                                 ("study.sqlite", "no database", "cannot be read")):
            (folder / name).write_text(text)
            done = self.ended(write_page(folder), 2)
            self.assertIn(f"{folder / name}: ", done.stderr)
            self.assertIn(part, done.stderr)
            self.assertIn("accepted: the folder of a study", done.stderr)
            (folder / ".study").write_text("{}")
        self.assertFalse((folder / "report.html").exists())

    def test_runs_elsewhere(self):
        folder = made_study(self.folder / "study")
        (folder / "runs").rename(self.folder / "kept runs")
        (folder / ".study").write_text(json.dumps({"runs": "../kept runs"}))
        self.ended(write_page(folder))
        data = data_of(folder / "report.html")
        self.assertEqual(data["title"], "study")
        self.assertEqual(data["runs"][0][6], "../kept%20runs/run-0-0.1-1/report.html")
        self.assertEqual(report_study.href(folder, folder / "nothing.html"), None)
        (self.folder / "elsewhere").mkdir()
        self.ended(write_page(folder, "-o", self.folder / "elsewhere/page.html"))
        link = data_of(self.folder / "elsewhere/page.html")["runs"][0][6]
        self.assertEqual(link, "../kept%20runs/run-0-0.1-1/report.html")

    def test_a_study_goes_on_without_the_library(self):
        from tsuji import page

        folder, said = made_study(self.folder / "study"), []
        study = types.SimpleNamespace(out=folder, say=said.append, tables=lambda: None)
        with mock.patch.multiple(page, write_files=mock.DEFAULT, units_of=mock.DEFAULT) as calls:
            page.write(study)
            self.assertEqual((said, (folder / "report.html").is_file()), ([], True))
            (folder / "report.html").unlink()
            with mock.patch.dict(os.environ, TSUJI_D3=str(self.folder / "none.js")):
                page.write(study)
            self.assertEqual(calls["write_files"].call_count, 2)
        self.assertIn(f"no report.html: {self.folder}/none.js: cannot be read", said[0])
        self.assertFalse((folder / "report.html").exists())


@browser.needed
class Clicks(FolderTest):
    def setUp(self):
        library_or_skip()
        super().setUp()
        self.study = made_study(self.folder / "study", broken=True)
        self.ended(write_page(self.study))
        self.window = browser.Browser(self)
        self.window.open(self.study / "report.html")

    def choose(self, selector, value):
        self.window.run("const box = document.querySelector(arguments[0]); box.value = arguments[1]; "
                        "box.dispatchEvent(new Event('change'))", selector, value)

    def test_curves(self):
        self.assertEqual(len(self.window.all("#curve path.line")), 4)
        self.assertEqual(len(self.window.all("#curve path.band")), 4)
        self.assertEqual(len(self.window.all("#curve circle")), 8)
        self.choose("#axis-0", "<torus>")
        self.assertEqual(len(self.window.all("#curve path.line")), 2)
        self.assertEqual(len(self.window.rows("#design-table")), 2)
        self.assertEqual(len(self.window.rows("#run-table")), 8)
        self.choose("#axis-1", "10")
        self.assertEqual(self.window.rows("#design-table")[0][:4], ["<torus>", "10", "4", "4"])
        self.assertIn("4 runs have no results: a flit was lost", self.window.one("#wrong").text)
        self.window.one("#log").click()
        self.assertEqual(len(self.window.all("#curve circle")), 2)
        self.window.quiet()

    def test_the_front_of_two_metrics(self):
        metrics = self.window.run("return [...document.querySelectorAll('#pareto-x option')]"
                                  ".map(one => one.textContent)")
        self.assertIn("latency cycles mean (cycles) at load 0.1", metrics)
        self.choose("#pareto-x", metrics.index("zero latency"))
        self.choose("#sign-x", "1")
        self.choose("#pareto-y", next(i for i, text in enumerate(metrics) if text.startswith("saturation")))
        self.choose("#sign-y", "-1")
        self.assertEqual(self.window.one("#on-front").text, "On the front: kind mesh, vcs 2; kind <torus>, vcs 2")
        self.assertEqual(len(self.window.all("#pareto-chart circle.spot")), 4)
        self.choose("#sign-y", "1")
        self.assertEqual(self.window.one("#on-front").text, "On the front: kind mesh, vcs 2")
        self.choose("#sign-x", "-1")
        self.assertEqual(self.window.one("#on-front").text,
                         "On the front: kind mesh, vcs 2; kind mesh, vcs 10; kind <torus>, vcs 10")
        self.window.quiet()

    def test_effects_of_axes(self):
        metrics = self.window.run("return [...document.querySelectorAll('#effects-metric option')]"
                                  ".map(one => one.textContent)")
        self.choose("#effects-metric", next(i for i, text in enumerate(metrics) if text.startswith("saturation")))
        rows = [[row[0], row[1], *(float(cell) for cell in row[2:])] for row in self.window.rows("#effect-rows")]
        whole = sum(SATURATIONS) / 4
        expected = []
        for axis, name, levels in ((0, "topology.kind", KINDS), (1, "router.vcs", VCS)):
            for i, level in enumerate(levels):
                mean = sum(SATURATIONS[2 * i + j] if axis == 0 else SATURATIONS[2 * j + i] for j in range(2)) / 2
                expected.append([name, str(level), mean, mean - whole, 2, 2])
        self.assertEqual([row[:2] for row in rows], [row[:2] for row in expected])
        for row, of in zip(rows, expected):
            for got, wanted in zip(row[2:], of[2:]):
                self.assertAlmostEqual(got, wanted, 6)
        # The mean of a mesh with two channels is 0.0375 below the sum of both effects.
        pair = self.window.rows("#effect-pairs")[0]
        self.assertEqual((pair[0], round(abs(float(pair[1])), 6)), ("topology.kind and router.vcs", 0.0375))
        self.assertEqual([float(row[2]) for row in self.window.rows("#effect-grid")], list(SATURATIONS))
        self.assertEqual(len(self.window.all("#effects circle.effect")), 4)
        self.window.quiet()

    def test_effects_over_common_combinations(self):
        database = sqlite3.connect(self.study / "study.sqlite")
        database.execute("DELETE FROM points WHERE design = 3 AND metric = ?", (SATURATION,))
        database.commit()
        database.close()
        self.ended(write_page(self.study))
        self.window.open(self.study / "report.html")
        metrics = self.window.run("return [...document.querySelectorAll('#effects-metric option')]"
                                  ".map(one => one.textContent)")
        self.choose("#effects-metric", next(i for i, text in enumerate(metrics) if text.startswith("saturation")))
        rows = self.window.rows("#effect-rows")
        # <torus> lacks 10 channels, so that kinds are compared with 2 and channels on the mesh.
        self.assertEqual([[row[1], float(row[2]), row[4], row[5]] for row in rows],
                         [["mesh", 0.3, "1", "2"], ["<torus>", 0.5, "1", "2"], ["2", 0.3, "1", "2"],
                          ["10", 0.35, "1", "2"]])
        self.assertEqual(self.window.all("#effect-pairs"), [])

    def test_tables_sort_by_numbers(self):
        head = self.window.all("#design-table th button")[1]
        head.click()
        self.assertEqual([row[1] for row in self.window.rows("#design-table")], ["10", "10", "2", "2"])
        column = self.window.all("#design-table th button")[4]
        self.assertEqual(column.text, "saturation flits per node cycle (flits/node/cycle)")
        column.click()
        self.assertEqual([float(row[4]) for row in self.window.rows("#design-table")],
                         sorted(SATURATIONS, reverse=True))

    def test_points_lead_to_their_runs(self):
        dots = self.window.all('#curve circle[role="link"]')
        self.assertEqual(len(dots), 2)
        self.window.run("arguments[0].dispatchEvent(new MouseEvent('click'))", dots[1])
        self.assertTrue(self.window.driver.current_url.endswith("runs/run-0-0.2-1/report.html"))
        self.assertEqual(float(self.window.one(f'dd[data-metric="{LATENCY}"]').get_attribute("data-value")),
                         latency(0, 0.2))
        self.window.quiet()
        self.window.open(self.study / "report.html")
        self.window.all("#run-table a")[1].click()
        self.assertTrue(self.window.driver.current_url.endswith("runs/run-0-0.1-2/report.html"))
        self.window.quiet()


if __name__ == "__main__":
    PROJECT = pathlib.Path(sys.argv.pop())
    unittest.main()
