# SPDX-License-Identifier: Apache-2.0
"""scripts/explore: whole explorations of small networks."""

import importlib.util
import json
import sqlite3
import subprocess
import sys
import types
import unittest
import unittest.mock

from explore_rig import FAKE_SNAKEMAKE, LOAD, PLATFORMS, QUESTION, ROOT, SET, SMALL, SPACE, Explored, main
from tsuji import answer, engine, explore_main, race, races, report_library, sampler
from tsuji.engine import EngineConfig
from tsuji.explore import Exploration
from tsuji.facts import proof_group
from tsuji.race import Mean, Place


class Plays(Explored):
    """Whole explorations of small networks."""

    def test_the_front_of_a_small_space(self):
        ended = self.explore(QUESTION + "race: {seeds: [2, 3], pilots: 6}\n")
        self.assertEqual(ended.returncode, 0, ended.stderr)
        designs = self.rows("designs.csv")
        self.assertEqual(len(designs), 6)
        front = self.rows("front.csv")
        # The torus has fewer hops, and 2 virtual channels half the buffers of 4.
        self.assertIn(("torus", "2"), {(row["network"], row["router.vcs"]) for row in front})
        bits = {(row["network"], row["router.vcs"]): float(row["buffer_bits"]) for row in designs}
        self.assertEqual(bits["torus", "4"], 2 * bits["torus", "2"])
        self.assertEqual(bits["torus", "2"], 16 * 5 * 2 * 8 * 64)
        text = (self.folder / "out" / "answer.yaml").read_text(encoding="utf-8")
        done = subprocess.run([str(PLATFORMS / "network"), str(self.folder / "out" / "answer.yaml"), "--out",
                               str(self.folder / "again"), "--quiet"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(any(f"# network {row['network']}, vcs {row['router.vcs']}" in text for row in front), text)
        database = sqlite3.connect(self.folder / "out" / "explore.sqlite")
        self.assertEqual(database.execute("SELECT count(*) FROM designs").fetchone(), (6,))
        self.assertGreater(database.execute("SELECT count(*) FROM runs").fetchone()[0], 6)
        database.close()
        page = (self.folder / "out" / "report.html").read_text(encoding="utf-8")
        self.assertIn("Effects of the axes", page)

    def test_arithmetic_rejects_with_reasons_before_any_run(self):
        text = (SET + SPACE + "load: {heavy: {traffic.load_flits_per_node_cycle: 0.9}}\n" + SMALL
                + "must: {router_ports: {at_most: 4 ports}, deadlock_free: true}\n")
        ended = self.explore(text, "--dry-run")
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertIn("6 designs, 6 rejected by arithmetic", ended.stdout)
        self.assertIn("router_ports is 5 ports, wanted: router_ports at most 4 ports", ended.stdout)
        self.assertFalse((self.folder / "out").exists())

    def test_a_load_above_the_capacity_bound(self):
        text = SET + "space: {topology.radices: [[8, 8], [2, 2]]}\nload: {heavy: {traffic.load_flits_per_node_cycle: " \
            "0.7}}\nminimize: latency_cycles_mean\n"
        ended = self.explore(text, "--dry-run")
        self.assertIn("1 rejected by arithmetic", ended.stdout)
        self.assertRegex(ended.stdout, r"1 capacity, the first one: carries at most 0\.5\d* of the 0\.7 flits/node/cyc")

    def test_dead_links(self):
        text = (SET + "space: {routing.kind: [dimension_order, detour_ud]}\n" + LOAD + "minimize: latency_cycles_mean\n"
                "must: {survives: {dead_links: 2, draws: 2}}\n")
        ended = self.explore(text, "--dry-run")
        self.assertIn("1 rejected by arithmetic", ended.stdout, ended.stderr)
        self.assertIn("1 faults, the first one: with 2 dead links (faults.seed 1)", ended.stdout)

    def test_a_constraint_that_nobody_meets_is_said_with_the_nearest_design(self):
        ended = self.explore(QUESTION + "must: {latency_cycles_mean: {at_most: 3 cycles}}\nrace: {seeds: [2]}\n")
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertIn("no design meets all constraints; the nearest one is", ended.stdout)
        self.assertFalse((self.folder / "out" / "answer.yaml").exists())

    def test_a_metric_that_no_run_has_is_refused_after_the_first(self):
        ended = self.explore(QUESTION.replace("latency_cycles_mean", "latency_cycles_men"))
        self.assertEqual(ended.returncode, 2)
        self.assertRegex(ended.stderr, r"q\.yaml:\d+:\d+: latency_cycles_men: no run has such a metric")
        ended = self.explore(QUESTION + "must: {latency_cycles_p99: {at_most: 20 ns}}\n")
        self.assertEqual(ended.returncode, 2)
        self.assertIn("not the unit of the metric (got 'ns'); accepted: VALUE cycles", ended.stderr)

    def test_a_budget_ends_the_race_and_is_told(self):
        ended = self.explore(QUESTION + "race: {seeds: [2, 3], pilots: 3}\nbudget: {runs: 7}\n")
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertIn("the race ended before its last rung: the budget of 7 runs", ended.stdout)
        self.assertEqual(len([row for row in self.rows("designs.csv") if row["status"] == "budget"]), 3)

    def test_a_second_call_plays_nothing_and_answers_the_same(self):
        text = QUESTION + "race: {seeds: [2, 3], pilots: 3}\n"
        self.explore(text)
        before = {path.name: path.read_bytes() for path in (self.folder / "out").glob("*.csv")}
        kept = self.times()
        self.explore(text)
        self.assertEqual(before, {path.name: path.read_bytes() for path in (self.folder / "out").glob("*.csv")})
        self.assertEqual(kept, self.times())

    def times(self):
        """Of the kept results."""
        return {path: path.stat().st_mtime_ns for path in (self.folder / "out" / "runs").glob("*/result.json")}

    def test_designs_share_proofs_that_buffers_and_loads_do_not_decide(self):
        config = {"seed": 1, "traffic.load_flits_per_node_cycle": 0.1, "router.vcs": 4, "router.buffer_flits": 8}
        self.assertEqual(proof_group(config), proof_group({**config, "seed": 2, "router.buffer_flits": 2,
                                                           "traffic.load_flits_per_node_cycle": 0.3}))
        self.assertNotEqual(proof_group(config), proof_group({**config, "router.vcs": 2}))

    def test_a_saturated_network_costs_one_run(self):
        """Three seeds of two designs: one of them is saturated in its first run."""
        text = (SET + "space: {router.buffer_flits: [1, 8]}\nload: {heavy: {traffic.load_flits_per_node_cycle: 0.35}}\n"
                "minimize: latency_cycles_mean\nrace: {seeds: [3]}\n")
        ended = self.explore(text)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertEqual([row["status"] for row in self.rows("designs.csv")], ["saturated", "front"])
        database = sqlite3.connect(self.folder / "out" / "explore.sqlite")
        self.assertEqual(database.execute("SELECT design, count(*) FROM runs GROUP BY design").fetchall(),
                         [(0, 1), (1, 3)])
        database.close()

    APPLICATION = ("set: {topology.radices: [2, 2]}\nload: {cg: {workload.npb: cg.S.4, workload.npb_steps: 1}}\n"
                   "space: {link.latency_cycles: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 400, 500]}\n"
                   "minimize: trace_time_s\n")

    def test_slow_designs_play_the_first_part_of_an_application_alone(self):
        ended = self.explore(self.APPLICATION + "race: {seeds: [2, 3], pilots: 12, trace_share: 0.2}\n")
        self.assertEqual(ended.returncode, 0, ended.stderr)
        rows = self.rows("designs.csv")
        self.assertEqual([rows[at]["status"] for at in (0, 1, 12, 13)], ["front", "beaten", "beaten", "beaten"])
        self.assertIn("with 0.2 of the trace", rows[13]["reason"])
        database = sqlite3.connect(self.folder / "out" / "explore.sqlite")
        runs = database.execute("SELECT design, trace_share, metrics FROM runs WHERE design IN (1, 12, 13)").fetchall()
        database.close()
        shares = [(design, share) for design, share, _ in runs]
        self.assertEqual(shares, [(1, 0.2), (1, 1.0), (12, 0.2), (13, 0.2)])
        operations = [json.loads(metrics)["trace_operations"] for _, _, metrics in runs]
        self.assertAlmostEqual(operations[0] / operations[1], 0.2, delta=0.03)

    def test_a_question_may_have_no_first_parts(self):
        ended = self.explore(self.APPLICATION + "race: {seeds: [2, 3], trace_share: 1}\n")
        self.assertEqual(ended.returncode, 0, ended.stderr)
        database = sqlite3.connect(self.folder / "out" / "explore.sqlite")
        self.assertEqual(database.execute("SELECT DISTINCT trace_share FROM runs").fetchall(), [(1.0,)])
        database.close()

    def test_the_dry_run_counts_first_parts(self):
        for share, words in (("0.2", "and at most 28 short runs, of the first 20 % of a trace"), ("1", "")):
            ended = self.explore(self.APPLICATION + f"race: {{seeds: [2, 3], trace_share: {share}}}\n", "--dry-run")
            self.assertEqual("\n".join(ended.stdout.splitlines()[-1:]) if words else "", words)
            self.assertEqual("short" in ended.stdout, bool(words))

    def test_the_fast_model_rejects_no_design_of_the_front(self):
        """Networks that differ in link latency by far: the slowest ones are never simulated, and the answer is that of
        a race without the model."""
        space = "space: {link.latency_cycles: [1, 2, 3, 4, 5, 6, 30, 40, 50]}\n"
        text = SET + space + LOAD + "minimize: latency_cycles_mean\nrace: {seeds: [2, 3], pilots: 3}\n"
        ended = self.explore(text)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        by = {row["link.latency_cycles"]: row["status"] for row in self.rows("designs.csv")}
        self.assertEqual([by[one] for one in ("1", "30", "40", "50")], ["front", "model", "model", "model"])

    def test_interruption_keeps_the_front_so_far(self):
        """In the fourth call of the engine: the first one plays the run that names the metrics, the second the first
        seed, the third the first rung."""
        exploration = Exploration(self.read(QUESTION + "race: {seeds: [2, 3], pilots: 6}\n").path, self.folder / "out",
                                  platforms=PLATFORMS)
        played = []

        def first(self, runs, *rest):
            played.append(runs)
            if len(played) == 4:
                raise explore_main.Interrupted(2)
            return whole(self, runs, *rest)

        whole = engine.Engine.play
        with unittest.mock.patch.object(engine, "SNAKEMAKE", FAKE_SNAKEMAKE), \
                unittest.mock.patch.object(engine.Engine, "play", first):
            self.assertEqual(explore_main.played(exploration, EngineConfig(jobs=1), report_library.read()), 130)
        self.assertEqual(answer.rejections(exploration)["front"], len(self.rows("front.csv")))
        self.assertEqual({row["seeds"] for row in self.rows("front.csv")}, {"2"})
        self.assertIn("interrupted", (self.folder / "out" / "report.html").read_text(encoding="utf-8"))

    def test_a_question_of_which_every_design_is_refused_is_a_wrong_one(self):
        ended = self.explore(QUESTION.replace("{traffic.load_flits", "{router.vc: 2, traffic.load_flits"))
        self.assertEqual(ended.returncode, 2)
        self.assertRegex(ended.stderr, r"q\.yaml:9:\d+: every design is refused: .*router\.vc: unknown key")
        self.assertFalse((self.folder / "out" / "designs.csv").exists())


class Measured(Explored):
    """The error of the fast model."""

    def test_its_error_is_that_of_the_rows(self):
        text = (SET + "space: {router.vcs: [1, 2, 3, 4], topology.radices: [[2, 2], [4, 4]]}\n"
                "load: {uniform: {traffic.load_flits_per_node_cycle: 0.1}}\nminimize: latency_cycles_mean\n")
        ended = self.explore(text, "--measure-model", "2")
        self.assertEqual(ended.returncode, 0, ended.stderr)
        rows = self.rows("model_error.csv")
        self.assertEqual([row["share_of_saturation"] for row in rows], ["0.3", "0.6", "0.8"] * 2)
        for row in rows:
            measured, predicted = (float(row[f"{name}_latency_cycles_mean"]) for name in ("measured", "predicted"))
            self.assertAlmostEqual(float(row["error_percent"]), 100 * (predicted / measured - 1))
        loads = [float(row["load"]) for row in rows[:3]]
        self.assertAlmostEqual(loads[1] / loads[0], 2, delta=1e-4)
        low = [abs(float(row["error_percent"])) for row in rows if row["share_of_saturation"] == "0.3"]
        self.assertLess(max(low), 10)
        self.assertIn(f"at 0.3 of the saturation, 2 designs: median {max(low):.1f} %", ended.stdout)


class Grids(Explored):
    """Races on the runs of the whole grid."""

    def test_races_find_the_front_of_the_grid(self):
        ended = self.explore(QUESTION + "race: {seeds: [2, 3], pilots: 6}\n", "--races", "3")
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertIn("grid: 6 designs, 18 runs, front of ", ended.stdout)
        rows = self.rows("races.csv")
        self.assertEqual(len(rows), 3)
        self.assertIn(f"3 races: {sum(int(row['same_front']) for row in rows)} with exactly this front, ", ended.stdout)
        for row in rows:
            self.assertAlmostEqual(float(row["runs_share"]), int(row["runs"]) / 18)
            self.assertLessEqual(float(row["flit_hops_share"]), 1.0)
            self.assertEqual(row["same_within_intervals"], "1")
        self.assertEqual(len(list((self.folder / "out" / "runs").glob("*/result.json"))), 18)

    def test_fronts_are_equal_within_intervals_only_where_each_design_has_its_like(self):
        def means(*pairs):
            return [Mean(mean, half, ()) for mean, half in pairs]

        grid = types.SimpleNamespace(lost={4: race.Lost("saturated", 0, "")},
                                     means={number: (3, of) for number, of in enumerate((
                                         means((10, 1), (5, 0)), means((11.5, 1), (5, 0)), means((13, 0.9), (5, 0)),
                                         means((20, 1), (2, 0)), means((10, 1), (5, 0))))})
        same = races.same_within_intervals
        self.assertTrue(same(grid, [1, 3], [0, 3]))
        self.assertFalse(same(grid, [2, 3], [0, 3]))  # 13 - 0.9 is above 10 + 1
        self.assertFalse(same(grid, [1], [0, 3]))  # 3 has none
        self.assertFalse(same(grid, [0, 3], [1]))
        self.assertFalse(same(grid, [4, 3], [0, 3]))  # saturated
        self.assertFalse(same(grid, [7, 3], [0, 3]))  # unknown

    def test_seeds_are_drawn_in_another_order(self):
        grid = types.SimpleNamespace(ends={Place(0, "u", seed): seed for seed in (1, 2, 3)})
        one = races.Replay.__new__(races.Replay)
        one.grid, one.order, one.ends = grid, [3, 1, 2], {}
        one.play_places([Place(0, "u", 1), Place(0, "u", 2)])
        self.assertEqual(one.ends, {Place(0, "u", 1): 3, Place(0, "u", 2): 1})


class Claims(Explored):
    """Three papers' claims, among the answers to platforms/study/question_papers.yaml."""

    def test_caches_prediction_and_compact_tables_pay(self):
        ended = self.explore((ROOT / "platforms" / "study" / "question_papers.yaml").read_text(encoding="utf-8"))
        self.assertEqual(ended.returncode, 0, ended.stderr)
        effects = [row for row in self.rows("effects.csv") if row["to"] in ("cache of 256", "straight")]
        self.assertEqual(len(effects), 4)  # of each the goals at two loads
        for row in effects:
            # With 2 virtual channels networks with the CAM alone are saturated.
            self.assertEqual(row["pairs"], "4" if row["axis"] == "lookup" else "8")
            self.assertLess(float(row["high_percent"]), -10, row)
        designs = [row for row in self.rows("designs.csv") if row["network"] == "random grid"]
        bits = {row["routing.kind"]: float(row["table_bits"]) for row in designs}
        # 256 routers of degree 4: a full table has 256 ports of 2 bits, 3 layers 256 x 3 bits and 3 x 12 of turns.
        self.assertEqual(bits["source_table"], 256 * (512 + 256 * 3 + 3 * 12))
        self.assertLess(bits["compact"], 0.6 * bits["source_table"])
        self.assertEqual({row["table_bits"] for row in self.rows("designs.csv") if row["network"] == "mesh"}, {""})


class Searches(Explored):
    """Designs that Optuna proposes."""

    TEXT = (SET + "space: {router.vcs: [1, 2, 4], router.buffer_flits: [4, 6, 8], link.latency_cycles: {range: [1, 9], "
            "steps: 9}}\n" + LOAD + "minimize: latency_cycles_mean\nrace: {seeds: [2], pilots: 6}\n"
            "search: {kind: optuna, designs: 30, seed: 4}\n")

    def test_without_optuna_it_is_refused_by_name(self):
        with unittest.mock.patch.dict(sys.modules, {"optuna": None}):
            ended = self.explore(self.TEXT)
        self.assertEqual(ended.returncode, 2)
        self.assertRegex(ended.stderr, r"q\.yaml:\d+:\d+: search\.kind: Optuna is not installed \(got 'optuna'\)")
        self.assertIn("accepted: grid, random, or the package python3-optuna", ended.stderr)

    @unittest.skipUnless(importlib.util.find_spec("optuna"), "optuna is not installed (section explore)")
    def test_it_proposes_better_designs_than_chance(self):
        """60 of 900 designs, of which the goal is the sum of two axes: less in the last third than in the
        first one."""
        found = self.read("space: {a: {range: [1, 30], steps: 30}, b: {range: [1, 30], steps: 30}}\n" + LOAD
                          + "minimize: latency_cycles_mean\nsearch: {kind: optuna, designs: 60, seed: 2}\n")
        proposals = sampler.Sampler(found)
        while len(found.candidates) < 60:
            batch = proposals.batch(10)
            proposals.end_of({one.number: [float(sum(map(int, one.labels)))] for one in batch})
        sums = [sum(map(int, one.labels)) for one in found.candidates]
        self.assertLess(1.3 * sum(sums[40:]), sum(sums[:20]))

    @unittest.skipUnless(importlib.util.find_spec("optuna"), "optuna is not installed (section explore)")
    def test_a_search_is_repeated_alike(self):
        ended = self.explore(self.TEXT)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        rows = self.rows("designs.csv")
        self.assertEqual(len({(row["router.vcs"], row["router.buffer_flits"], row["link.latency_cycles"])
                              for row in rows}), len(rows))
        self.assertIn(len(rows), range(20, 31))
        before = (self.folder / "out" / "designs.csv").read_bytes()
        self.explore(self.TEXT)
        self.assertEqual(before, (self.folder / "out" / "designs.csv").read_bytes())


if __name__ == "__main__":
    main()
