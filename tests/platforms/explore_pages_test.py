# SPDX-License-Identifier: Apache-2.0
"""scripts/explore: the notebook and the page."""

import csv
import importlib.util
import sys
import types
import unittest.mock

import browser
from explore_rig import FAKE_SNAKEMAKE, PLATFORMS, QUESTION, Explored, main
import tsuji
from own_folder import FolderTest
from tsuji import Refused, engine, notebook
from tsuji.progress import Progress


class Notebook(FolderTest):
    """Dictionaries in, tables out, with and without pandas."""

    KEYS = {"topology.radices": [4, 4], "measure.warmup_cycles": 100, "measure.cycles": 300}

    def setUp(self):
        super().setUp()
        self.words = {"folder": self.folder / "notebook", "jobs": 1, "platforms": PLATFORMS}
        # The patch forgets modules that are first imported under it, and numpy 2 bears no second import.
        for name in ("numpy", "matplotlib.pyplot"):
            if importlib.util.find_spec(name.partition(".")[0]):
                importlib.import_module(name)
        for patched in (unittest.mock.patch.object(engine, "SNAKEMAKE", FAKE_SNAKEMAKE),
                        unittest.mock.patch.dict(sys.modules, {"pandas": None})):
            patched.start()
            self.addCleanup(patched.stop)

    def test_runs_and_sweeps(self):
        row, = notebook.run({**self.KEYS, "seed": 3}, **self.words)
        rows = notebook.sweep(self.KEYS, [0.05, 0.3], seeds=3, **self.words)
        self.assertEqual([(one["load"], one["seed"]) for one in rows],
                         [(load, seed) for load in (0.05, 0.3) for seed in (1, 2, 3)])
        self.assertEqual(len({one["latency_cycles_mean"] for one in rows}), 6)
        self.assertLess(rows[0]["latency_cycles_mean"], rows[3]["latency_cycles_mean"])
        self.assertNotIn("load", row)
        again, = notebook.run({**self.KEYS, "seed": 3}, **self.words)
        self.assertEqual(again["wall_seconds"], row["wall_seconds"])  # it was not repeated
        first, second = sorted((self.folder / "notebook" / "runs").glob("network-*"))[:2]
        compared = {of["metric"]: of for of in notebook.compare(first, second)}
        self.assertIn("latency_cycles_mean", compared)
        self.assertIsNotNone(compared["latency_cycles_mean"]["percent"])

    def test_studies_and_explorations(self):
        rows = notebook.study({"platform": "network", "set": self.KEYS, "axes": {"router.vcs": [2, 4]},
                               "metrics": ["latency_cycles_mean"]}, **self.words)
        self.assertEqual([row["router.vcs"] for row in rows], ["2", "4"])
        rows = notebook.explore({"set": self.KEYS, "space": {"router.vcs": [2, 4]},
                                 "load": {"u": {"traffic.load_flits_per_node_cycle": 0.1}},
                                 "minimize": ["buffer_bits"], "race": {"seeds": [2]}}, **self.words)
        self.assertEqual([(row["router.vcs"], row["status"]) for row in rows], [("2", "front"), ("4", "beaten")])
        with self.assertRaises(Refused):
            notebook.explore({"space": {}}, **self.words)

    def test_the_package_has_them_by_their_names(self):
        for name in ("run", "sweep", "study", "compare", "explore"):
            self.assertIs(getattr(tsuji, name), getattr(notebook, name))

    def test_a_file_is_one_way_to_say_it(self):
        path = self.folder / "which.yaml"
        path.write_text("set: {topology.radices: [4, 4], measure: {warmup_cycles: 100, cycles: 300}}\n"
                        "space: {router.vcs: [2, 4]}\nload: {u: {traffic.load_flits_per_node_cycle: 0.1}}\n"
                        "minimize: buffer_bits\nrace: {seeds: [2]}\n", encoding="utf-8")
        rows = tsuji.explore(path, **self.words)
        self.assertEqual([row["status"] for row in rows], ["front", "beaten"])
        self.assertEqual(rows, tsuji.explore(str(path), **self.words))
        self.assertEqual([child.name for child in (self.folder / "notebook").iterdir() if child.name != "runs"],
                         ["which"])

    def test_progress_is_drawn_in_the_cell(self):
        drawn = []
        handle = types.SimpleNamespace(display=lambda content, raw: drawn.append(("new", content)),
                                       update=lambda content, raw: drawn.append(("same", content)))
        shell, display = types.ModuleType("IPython"), types.ModuleType("IPython.display")
        shell.get_ipython = lambda: types.SimpleNamespace(kernel=1)
        display.DisplayHandle = lambda: handle
        with unittest.mock.patch.dict(sys.modules, {"IPython": shell, "IPython.display": display}):
            bar = Progress(4, "run")
            bar.update(1, "1 of <4>")
            bar.update(2, "2 of 4")
            bar.wipe()
            shell.get_ipython = lambda: types.SimpleNamespace()  # IPython on a terminal
            self.assertIsNone(Progress(4, "run").cell)
        self.assertEqual([how for how, _ in drawn], ["new", "same", "same"])
        self.assertIn('<progress value="0.2500" max="1"></progress> 25 %, ', drawn[0][1]["text/html"])
        self.assertIn("run 1 of &lt;4&gt;", drawn[0][1]["text/html"])
        self.assertIn("run 1 of <4>", drawn[0][1]["text/plain"])
        self.assertEqual(drawn[2][1], {"text/plain": "", "text/html": ""})

    def test_tables_are_frames_where_pandas_is(self):
        fake = types.ModuleType("pandas")
        fake.DataFrame = lambda rows: ("frame", rows)
        with unittest.mock.patch.dict(sys.modules, {"pandas": fake}):
            self.assertEqual(notebook.table([{"a": 1}]), ("frame", [{"a": 1}]))
        self.assertEqual(notebook.table([{"a": 1}]), [{"a": 1}])


@browser.needed
class Page(Explored):
    """The page in a browser."""

    def test_what_the_page_shows_is_what_the_tables_have(self):
        ended = self.explore(QUESTION + "must: {latency_cycles_mean: {at_most: 500 cycles}}\n"
                             "race: {seeds: [2, 3], pilots: 6}\n")
        self.assertEqual(ended.returncode, 0, ended.stderr)
        window = browser.Browser(self)
        window.open(self.folder / "out" / "report.html")
        front, designs = self.rows("front.csv"), self.rows("designs.csv")
        shown = window.rows("#answer > .data")
        self.assertEqual([row[1:4] for row in shown],
                         [[row["network"], row["router.vcs"], row["routing.kind"]] for row in front])
        for row, of in zip(shown, front):
            self.assertAlmostEqual(float(row[4]), float(of["latency_cycles_mean"]), delta=0.01)
        self.assertEqual([row[0] for row in shown].count("*"), 1)
        self.assertEqual(window.rows("#point > .data:nth-of-type(1)")[0][0], "latency cycles mean at most 500 cycles")
        counts = {row[0]: int(row[1]) for row in window.rows("#rejected")}
        self.assertEqual(counts, {status: sum(row["status"] == status for row in designs)
                                  for status in {row["status"] for row in designs}})
        self.assertEqual(len(window.rows("#designs")), len(designs))
        with open(self.folder / "out" / "pair_effects.csv", newline="", encoding="utf-8") as file:
            self.assertEqual(len(window.rows("#pair-rows")), len(list(csv.DictReader(file))))
        self.assertEqual(len(window.all("#pareto-chart .on-front")), len(front))
        steps = window.rows("#point > .data:nth-of-type(2)")
        self.assertIn("router.vcs", {row[0] for row in steps})
        window.run("document.querySelector('#answer tbody a').click()")
        self.assertIn("runs/network-", window.driver.current_url)
        window.quiet()


if __name__ == "__main__":
    main()
