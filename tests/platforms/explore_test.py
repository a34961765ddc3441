# SPDX-License-Identifier: Apache-2.0
"""scripts/explore: what a question may say, what arithmetic, the fast model and the race decide, and what is left."""

import csv
import importlib.util
import json
import math
import os
import pathlib
import random
import shutil
import sqlite3
import statistics
import subprocess
import sys
import types
import unittest
import unittest.mock

import browser
import forked
from own_folder import FolderTest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
PLATFORMS = None
if not shutil.which(os.environ.get("TSUJI_SNAKEMAKE") or "/usr/bin/snakemake") and not shutil.which("snakemake"):
    print("skipped: snakemake is not installed (scripts/packages, section study)")
    sys.exit(77)

import tsuji  # noqa: E402
from tsuji import Refused, answer, engine, explore_main, notebook  # noqa: E402
from tsuji import queueing, question, race, races, report_library, sampler  # noqa: E402
from tsuji.decisions import Outcome  # noqa: E402
from tsuji.engine import EngineConfig  # noqa: E402
from tsuji.explore import Exploration  # noqa: E402
from tsuji.facts import proof_group  # noqa: E402
from tsuji.progress import Progress  # noqa: E402
from tsuji.race import Mean, Place, Scores  # noqa: E402

FAKE_SNAKEMAKE = str(ROOT / "tests" / "platforms" / "fake_snakemake")
SET = "set: {measure: {warmup_cycles: 300, cycles: 600, drain_cycles: 3000}, traffic: {packet_flits: 4}}\n"
SPACE = """space:
  network:
    mesh: {topology.kind: mesh, topology.radices: [4, 4]}
    torus: {topology.kind: torus, topology.radices: [4, 4]}
  router.vcs: [2, 4]
  routing.kind: {values: [dimension_order, west_first], where: {network: mesh}}
"""
LOAD = "load:\n  uniform: {traffic.load_flits_per_node_cycle: 0.2}\n"
SMALL = "minimize: [latency_cycles_mean, buffer_bits]\n"
QUESTION = SET + SPACE + LOAD + SMALL


class Files(FolderTest):
    def read(self, text):
        path = self.folder / "q.yaml"
        path.write_text(text, encoding="utf-8")
        return question.read(path)

    def refused(self, text, *words):
        with self.assertRaises(Refused) as caught:
            self.read(text)
        for word in words:
            self.assertIn(word, str(caught.exception))


class Questions(Files):
    """The file."""

    def test_a_conditional_axis_belongs_to_the_designs_that_it_names(self):
        found = self.read(QUESTION)
        self.assertEqual([candidate.labels for candidate in found.candidates],
                         [("mesh", "2", "dimension_order"), ("mesh", "2", "west_first"),
                          ("mesh", "4", "dimension_order"), ("mesh", "4", "west_first"),
                          ("torus", "2", "-"), ("torus", "4", "-")])
        self.assertNotIn("routing.kind", found.candidates[4].keys)
        self.assertEqual(found.candidates[1].keys["routing.kind"].text, "west_first")
        self.assertEqual(found.candidates[4].keys["measure.cycles"].text, "600")

    def test_ranges(self):
        def values(text):
            return [level.label for level in self.read(f"space: {{k: {text}}}\n" + LOAD + SMALL).axes[0].levels]

        self.assertEqual(values("{powers_of_two: [3, 17]}"), ["4", "8", "16"])
        self.assertEqual(values("{range: [1, 5], steps: 3}"), ["1", "3", "5"])
        self.assertEqual(values("{range: [5 ns, 6 ns], steps: 3}"), ["5 ns", "5.5 ns", "6 ns"])

    def test_random_designs_differ_and_depend_on_the_seed(self):
        space = "space: {a: [1, 2, 3, 4, 5, 6, 7, 8, 9], b: {values: [1, 2], where: {a: 9}}, c: [1, 2, 3, 4, 5, 6]}\n"

        def drawn(seed, designs):
            return [candidate.labels for candidate in self.read(
                f"{space}search: {{kind: random, designs: {designs}, seed: {seed}}}\n" + LOAD + SMALL).candidates]

        self.assertEqual(len(set(drawn(1, 20))), 20)
        self.assertEqual(drawn(1, 20), drawn(1, 40)[:20])
        self.assertNotEqual(drawn(1, 20), drawn(2, 20))
        self.assertEqual(len(drawn(1, 1000)), 8 * 6 + 2 * 6)  # all that there are
        self.assertTrue(all((labels[0] == "9") == (labels[1] != "-") for labels in drawn(1, 40)))

    def test_what_a_question_may_not_say_is_refused_with_its_place(self):
        for text, words in (
                ("space: {}\n" + LOAD + SMALL, ["q.yaml:1:8", "the space of designs is empty"]),
                ("space: {k: {range: [1, 5]}}\n" + LOAD + SMALL, ["a range without steps"]),
                ("space: {k: {range: [1 ns, 5], steps: 2}}\n" + LOAD + SMALL, ["'ns' to 'no unit'"]),
                ("space: {k: {range: [5, 1], steps: 2}}\n" + LOAD + SMALL, ["an empty range"]),
                ("space: {k: {powers_of_two: [5, 7]}}\n" + LOAD + SMALL, ["no power of two"]),
                (SPACE + SMALL, ["'load' is missing"]), (SPACE + LOAD, ["'minimize' is missing"]),
                (SPACE + LOAD + "minimize: [a, a]\n", ["a metric twice"]),
                (SPACE + LOAD + SMALL + "must: {latency_cycles_p99: {at_most: 2, at_least: 1}}\n", ["not one bound"]),
                (SPACE + LOAD + SMALL + "must: {buffer_bits: {at_most: 200}}\n",
                 ["q.yaml:10:31", "a bound without unit", "VALUE bit"]),
                (SPACE + LOAD + SMALL + "must: {buffer_bits: {at_most: 200 bytes}}\n", ["not the unit", "bytes"]),
                (SPACE + LOAD + SMALL + "must: {buffer_bits: {at_most: 2 bit, load: night}}\n", ["night", "uniform"]),
                (SPACE + "load: {u: {router.vcs: 2}}\n" + SMALL, ["load.u", "as space does"]),
                (SET + SPACE + "load: {u: {measure.cycles: 2}}\n" + SMALL, ["load.u", "as set does"]),
                ("space: {k: {a: {x: 1}, b: {x: 2}}, x: [1]}\n" + LOAD + SMALL, ["sets x, as another axis does"]),
                ("space: {k: {values: [1], where: {other: 1}}}\n" + LOAD + SMALL, ["unknown key", "other"]),
                ("space: {seed: [1, 2]}\n" + LOAD + SMALL, ["seeds are drawn by the race"]),
                (QUESTION + "race: {seeds: [3, 3]}\n", ["seeds that do not rise"]),
                (QUESTION + "race: {trace_share: 0}\n", ["q.yaml:11:21", "out of range"]),
                (QUESTION + "race: {trace_share: 1.1}\n", ["out of range"]),
                (QUESTION + "search: {kind: random}\n", ["'designs' is missing"]),
                (QUESTION + "search: {kind: grid, designs: 3}\n", ["'designs' with a grid"]),
                (QUESTION + "search: {kind: magic, designs: 3}\n", ["magic", "grid, random, optuna"]),
                (QUESTION + "budget: {runs: 0}\n", ["out of range"]),
                (QUESTION + "must: {survives: {draws: 3}}\n", ["'dead_links' is missing"])):
            with self.subTest(text=text):
                self.refused(text, *words)


def outcomes(values):
    """Ends of runs by (design, load): latencies by seed."""
    ends = {Place(design, load, seed): Outcome("complete", {"latency_cycles_mean": latency, "latency_cycles_p99": 9.0})
            for (design, load), latencies in values.items() for seed, latency in enumerate(latencies, 1)}
    return ends.get


class FakeDesign:
    """A design with a size and no facts else."""

    def __init__(self, number, size):
        self.number, self.size = number, size

    def worst(self, _goal):
        return self.size

    def replays_trace(self, load):
        return load == "cg"


class Races(Files):
    """Decisions on runs that are made up."""

    def setUp(self):
        super().setUp()
        self.question = self.read(SET + SPACE + LOAD + SMALL + "race: {seeds: [4, 8]}\n")

    def after(self, latencies, sizes, rung=0, text=None):
        found = self.read(text) if text else self.question
        ends = outcomes({(number, "uniform"): values for number, values in enumerate(latencies)})
        designs = [FakeDesign(number, size) for number, size in enumerate(sizes)]
        return race.after_rung(found, Scores(found, ends), designs, rung, len(designs))

    def test_a_design_that_is_worse_in_all_goals_loses_and_one_that_is_better_in_one_stays(self):
        lost, means = self.after([[10, 11, 12, 13], [20, 21, 22, 23], [20, 21, 22, 23.5]], [5, 5, 4])
        self.assertEqual({number: (one.stage, one.by) for number, one in lost.items()}, {1: ("beaten", 0)})
        self.assertEqual(race.front({number: means[number] for number in (0, 2)}), [0, 2])

    def test_a_difference_within_the_noise_drops_nobody(self):
        lost, _ = self.after([[10, 14, 9, 15], [14, 10, 13, 12]], [5, 5])
        self.assertEqual(lost, {})

    def test_pairs_count_not_means(self):
        """A design that is slower by the same on every seed is worse although seeds differ by more."""
        lost, _ = self.after([[10, 50, 30, 90], [11, 51.01, 31, 91.01]], [5, 5])
        self.assertEqual(lost[1].by, 0)

    def test_a_saturated_a_failed_and_an_unfit_design_lose(self):
        ends = {Place(number, "uniform", seed): Outcome("complete", {"latency_cycles_mean": 10.0 + seed,
                                                                     "latency_cycles_p99": 30.0 + seed})
                for number in range(4) for seed in range(1, 5)}
        ends[Place(0, "uniform", 2)] = Outcome("complete", {"latency_cycles_mean": 9.0, "stability": "saturated"})
        ends[Place(1, "uniform", 3)] = Outcome("failed", error="flit lost")
        ends[Place(2, "uniform", 4)] = Outcome("complete", {"latency_cycles_mean": None, "latency_cycles_p99": 9.0})
        found = self.read(SPACE + LOAD + SMALL + "must: {latency_cycles_p99: {at_most: 20 cycles}}\n"
                          "race: {seeds: [4]}\n")
        lost, _ = race.after_rung(found, Scores(found, ends.get), [FakeDesign(n, 1) for n in range(4)], 0, 4)
        self.assertEqual({number: one.stage for number, one in lost.items()},
                         {0: "saturated", 1: "failed", 2: "failed", 3: "constraint"})
        self.assertIn("flit lost", lost[1].reason)
        self.assertAlmostEqual(lost[3].excess, 32.5 / 20 - 1)

    def test_the_interval_of_a_constraint_must_be_beyond_it(self):
        text = SPACE + LOAD + SMALL + "must: {latency_cycles_mean: {at_most: 20 cycles}}\nrace: {seeds: [4]}\n"
        lost, _ = self.after([[10, 11, 34, 33], [29, 30, 31, 30]], [1, 2], text=text)
        self.assertEqual({number: one.stage for number, one in lost.items()}, {1: "constraint"})

    def test_the_best_design_is_dropped_as_rarely_as_stated(self):
        """500 races of 8 equal designs and one that is better by a tenth of the noise: at most 5 %, with 3 standard
        deviations of chance."""
        draws, dropped = random.Random(7), 0
        for _ in range(500):
            common = [draws.gauss(0, 3) for _ in range(8)]
            samples = [[50 + common[seed] + draws.gauss(0, 1) - (0.1 if number == 0 else 0) for seed in range(8)]
                       for number in range(9)]
            dropped += any(0 in self.after(samples, [1] * 9, rung)[0] for rung in (0, 1))
        self.assertLessEqual(dropped, 500 * 0.05 + 3 * (500 * 0.05 * 0.95)**0.5)

    def test_a_design_that_dominates_all_is_found_under_noise(self):
        draws = random.Random(3)
        samples = [[(40 if number == 5 else 50) + draws.gauss(0, 1) for _ in range(8)] for number in range(9)]
        lost, _ = self.after(samples, [1] * 9, 1)
        self.assertEqual(sorted(lost), [0, 1, 2, 3, 4, 6, 7, 8])

    def test_equal_designs_are_both_on_the_front(self):
        means = {number: [Mean(value, 0.0, ()), Mean(1.0, 0.0, ())] for number, value in enumerate((2.0, 2.0, 3.0))}
        self.assertEqual(race.front(means), [0, 1])

    def test_a_front_is_that_of_all_pairs(self):
        draws = random.Random(5)
        for _ in range(200):
            means = {number: [Mean(float(draws.randrange(6)), 0.0, ()) for _ in range(3)] for number in range(25)}
            values = {number: [mean.mean for mean in of] for number, of in means.items()}
            kept = [number for number, own in values.items()
                    if not any(all(a <= b for a, b in zip(other, own)) and other != own for other in values.values())]
            self.assertEqual(race.front(means), kept)

    def test_weights_are_shares_of_a_goal(self):
        found = self.read(SPACE + "load: {a: {x: 1, weight: 3}, b: {x: 2}}\nminimize: latency_cycles_mean\n")
        scores = Scores(found, outcomes({(0, "a"): [10, 20], (0, "b"): [30, 40]}))
        self.assertEqual(scores.goal(FakeDesign(0, 1), found.goals[0], 2).samples, (15.0, 25.0))


class Repeats(Files):
    """Which seeds of an application are played, on runs that are made up."""

    class Runs:
        """A design whose runs at `cg` are those of an application."""

        def __init__(self, number, kind):
            self.number, self.kind = number, kind

        def runs_application(self, load):
            return load in ("cg", "jobs")

        def replays_trace(self, load):
            return load == "cg"

        def seed_class(self, load):
            return load, self.kind

    def setUp(self):
        super().setUp()
        self.ends = {}
        self.classes = race.SeedClasses(self.ends.get, 0.1)

    def end(self, design, *times, load="cg", share=1.0):
        for seed, time in enumerate(times, 1):
            self.ends[Place(design.number, load, seed, share)] = Outcome("complete", {"trace_time_s": time,
                                                                                      "wall_seconds": float(seed)})

    def places(self, design, rung=0, load="cg"):
        """Seeds and shares of the trace."""
        return [(place.seed, place.share) for place in self.classes.places(design, load, rung, (3, 6)[rung])]

    def seeds(self, design, rung=0, load="cg"):
        """Number of whole runs."""
        return sum(share == 1 for _, share in self.places(design, rung, load))

    def test_the_first_design_of_a_class_plays_two_and_the_others_one(self):
        first, second, other = self.Runs(0, "mesh"), self.Runs(1, "mesh"), self.Runs(2, "torus")
        self.assertEqual([self.seeds(one) for one in (first, second, other)], [2, 1, 2])
        self.end(first, 5.0, 5.0)
        self.assertEqual([self.seeds(one) for one in (first, second)], [2, 1])
        self.assertEqual(self.seeds(second, load="uniform"), 3)

    def test_a_class_whose_runs_differ_plays_all(self):
        first, second, other = self.Runs(0, "mesh"), self.Runs(1, "mesh"), self.Runs(2, "torus")
        for one in (first, second, other):
            self.seeds(one)
        self.end(first, 5.0, 5.1)
        self.assertEqual([self.seeds(one) for one in (first, second, other)], [3, 3, 2])
        self.assertEqual(self.seeds(second, rung=1), 6)

    def test_survivors_compare_two_seeds_by_the_first_part_of_the_trace(self):
        first, second = self.Runs(0, "mesh"), self.Runs(1, "mesh")
        self.seeds(first), self.seeds(second)
        self.end(first, 5.0, 5.0)
        self.assertEqual(self.places(second), [(1, 1.0)])
        self.assertEqual(self.places(second, rung=1), [(1, 1.0), (1, 0.1), (2, 0.1)])
        self.assertEqual(self.places(first, rung=1), [(1, 1.0), (2, 1.0)])
        self.end(second, 6.0)
        self.end(second, 0.6, 0.6, share=0.1)
        self.assertEqual(self.seeds(second, rung=1), 1)
        self.end(second, 0.6, 0.65, share=0.1)
        self.assertEqual([self.seeds(one, rung=1) for one in (first, second)], [6, 6])

    def test_survivors_compare_whole_runs_of_what_has_no_parts(self):
        first, second = self.Runs(0, "mesh"), self.Runs(1, "mesh")
        self.seeds(first, load="jobs"), self.seeds(second, load="jobs")
        self.end(first, 5.0, 5.0, load="jobs")
        self.assertEqual(sorted(set(self.places(second, rung=1, load="jobs"))), [(1, 1.0), (2, 1.0)])
        self.end(second, 6.0, 6.5, load="jobs")
        self.assertEqual(self.seeds(second, rung=1, load="jobs"), 6)

    def test_runs_that_are_not_repeated_stand_for_the_others(self):
        found = self.read(SPACE + "load: {cg: {x: 1}}\nminimize: trace_time_s\n")
        self.end(self.Runs(0, "mesh"), 5.0, 7.0)
        scores = Scores(found, self.ends.get)
        self.assertEqual(scores.metric(0, "cg", "trace_time_s", 4), [5.0, 7.0, 6.0, 6.0])
        self.assertIsNone(race.unfit(scores, self.Runs(0, "mesh"), found.loads, 4, 0))
        self.assertEqual(race.unfit(scores, self.Runs(1, "mesh"), found.loads, 4, 0).stage, "failed")


class FirstRuns(Files):
    """What one seed may decide, by the ratios that other designs have had."""

    TEXT = (SPACE + LOAD + SMALL + "must: {latency_cycles_p99: {at_most: 30 cycles}}\nrace: {seeds: [3, 6]}\n")

    def found(self, firsts, rivals=10, worst=0.9):
        """An exploration with `rivals` designs of latency 10 and size 5 whose means are at least `worst` of the first
        seed, and designs of size 5 with one seed each."""
        asked = self.read(self.TEXT)
        one = Exploration.__new__(Exploration)
        one.question, one.ends, one.means, one.lost = asked, {}, {}, {}
        one.scores = Scores(asked, one.ends.get)
        one.arithmetic = types.SimpleNamespace(designs={number: FakeDesign(number, 5) for number in range(rivals)})
        for number in range(rivals):
            samples = (10.0, 10.0, 10.0) if number else (10.0, 10.0, 30 * worst - 20)
            one.means[number] = 3, [Mean(sum(samples) / 3, 0.1, samples), Mean(5.0, 0.0, ())]
            for seed, value in enumerate(samples, 1):
                one.ends[Place(number, "uniform", seed)] = Outcome("complete", {"latency_cycles_mean": value,
                                                                                "latency_cycles_p99": 2 * value})
        self.fresh = [FakeDesign(100 + place, 5) for place in range(len(firsts))]
        for design, value in zip(self.fresh, firsts):
            one.ends[Place(design.number, "uniform", 1)] = Outcome("complete", {"latency_cycles_mean": value,
                                                                                "latency_cycles_p99": 2 * value})
        return one

    def test_a_design_is_beaten_beyond_the_least_ratio_alone(self):
        """A rival of 9 +- 0.1: 10.2 x 0.9 is above that, 10 x 0.9 is not."""
        self.assertEqual(list(self.found([10.0, 10.2]).beaten_by_first_runs(self.fresh, 1)), [101])
        self.assertEqual(list(self.found([10.0, 10.2], worst=0.95).beaten_by_first_runs(self.fresh, 1)), [101])
        self.assertEqual(self.found([10.0, 50.0], rivals=9).beaten_by_first_runs(self.fresh, 1), {})

    def test_a_design_is_beaten_by_the_first_part_of_a_trace(self):
        """Rivals take 1 s, 9 to 10 times their first parts: a design is beaten that takes 9 times its own first part
        and is slower than they are under traffic, too."""
        self.TEXT = (SPACE + "load: {uniform: {x: 1}, cg: {x: 2}}\nrace: {seeds: [3, 6]}\n"
                     "minimize: [{metric: latency_cycles_mean, load: uniform}, {metric: trace_time_s, load: cg}]\n")
        found = self.found([10.0, 20.0, 20.0])
        for number, (_, means) in found.means.items():
            means[1] = Mean(1.0, 0.0, (1.0,) * 3)
            found.ends[Place(number, "cg", 1, 0.1)] = Outcome("complete", {"trace_time_s": 1 / (10 if number else 9)})
        for design, time in zip(self.fresh, (0.2, 0.112, 0.11)):
            found.ends[Place(design.number, "cg", 1, 0.1)] = Outcome("complete", {"trace_time_s": time})
        self.assertEqual(list(found.beaten_by_first_runs(self.fresh, 0.1)), [101])
        self.assertEqual(found.beaten_by_first_runs(self.fresh, 1), {})  # no whole run of cg has ended

    def test_the_fast_model_rejects_by_the_ratio_of_the_class_or_else_of_all(self):
        """A rival of 10 +- 0.1 and predictions of 12: 12 x 0.9 is above it, 12 x 0.8 is not. A class of which none was
        simulated loses nothing."""
        found = self.found([0.0] * 3, worst=1.0)
        found.predicted = lambda design, goal, factor: 12 * factor
        for design, kind in zip(self.fresh, ("local", "cam", "cached")):
            design.configs = {"uniform": {"lookup.kind": kind}}

        def rejected(few, many):
            kinds = [queueing.class_of(design) for design in self.fresh]
            found.ratios = lambda: {kinds[0]: queueing.Ratios((many,) * 9, 9), kinds[1]: queueing.Ratios((few,), 1)}
            return sorted(found.rejected_by_model(self.fresh))

        self.assertEqual(rejected(0.9, 0.9), [100, 101])
        self.assertEqual(rejected(1.0, 0.8), [])
        self.assertEqual(rejected(0.8, 0.9), [100])

    def test_a_design_that_is_smaller_is_not_beaten(self):
        found = self.found([50.0])
        self.fresh[0].size = 4
        self.assertEqual(found.beaten_by_first_runs(self.fresh, 1), {})

    def test_a_constraint_is_broken_beyond_the_least_ratio_alone(self):
        """At most 30 cycles: 2 x 17 x 0.9 is above, 2 x 16 x 0.9 is not."""
        found = self.found([16.0, 17.0])
        rejected = found.broken_by_first_runs(self.fresh, found.question.loads[0])
        self.assertEqual({number: one.stage for number, one in rejected.items()}, {101: "constraint"})
        self.assertAlmostEqual(rejected[101].excess, 34 / 30 - 1)
        few = self.found([50.0], rivals=9)
        self.assertEqual(few.broken_by_first_runs(self.fresh, few.question.loads[0]), {})

    def test_a_bound_from_below_takes_the_largest_ratio(self):
        self.TEXT = self.TEXT.replace("at_most: 30", "at_least: 30")
        found = self.found([16.0, 14.0, 12.0], worst=1.1)
        self.assertEqual(list(found.broken_by_first_runs(self.fresh, found.question.loads[0])), [102])


class Effects(Files):
    """Effects of axes and of pairs of axes, on means that are made up."""

    SPACE = "space: {a: [1, 2, 3], b: {values: [1, 2], where: {a: [1, 2]}}, c: [1, 2, 3, 4]}\n"

    def found(self, latency, drop=()):
        """Of designs whose latencies on two seeds are those of a function of the labels, but for `drop`."""
        asked = self.read(self.SPACE + LOAD + "minimize: latency_cycles_mean\nrace: {seeds: [2, 3]}\n")
        means = {}
        for candidate in asked.candidates:
            if candidate.labels not in drop:
                first = latency(*(0 if label == "-" else int(label) for label in candidate.labels))
                # The third seed is none of the first rung.
                means[candidate.number] = (3, [Mean(first, 0.1, (0.9 * first, 1.1 * first, 7.0))])
        return types.SimpleNamespace(question=asked, means=means)

    def test_pairs_of_axes(self):
        """Level 2 of a and level 3 of c are slower together by a tenth than both changes alone; the latency is
        otherwise a product."""
        found = self.found(lambda a, b, c: 10.0 * a * 1.5**b * c**2 * (1.1 if (a, c) == (2, 3) else 1.0))
        rows = {(row["axis"], row["to"], row["and"], row["and_to"]): row for row in answer.pair_effects(found)}
        # Level 3 of a has no b, so that no design of it differs from one of level 1 in a and another axis alone.
        self.assertEqual(set(rows), {("a", "2", "b", "2")} | {(axis, "2", "c", level) for axis in "ab"
                                                              for level in "234"})
        for place, row in rows.items():
            self.assertAlmostEqual(row["beyond_percent"], 10 if place == ("a", "2", "c", "3") else 0, msg=place)
        self.assertEqual(rows["a", "2", "c", "3"]["fours"], 2)
        self.assertAlmostEqual(rows["a", "2", "c", "3"]["high_percent"], 10)

    def test_the_interval_of_a_pair_is_that_of_the_fours(self):
        """Two fours, 10 % and 30 % beyond: of their logarithms mean and Student's interval with one degree."""
        found = self.found(lambda a, b, c: 5.0 * ({1: 1.1, 2: 1.3}[b] if (a, c) == (2, 4) else 1.0))
        row, = (row for row in answer.pair_effects(found)
                if (row["axis"], row["and"], row["and_to"]) == ("a", "c", "4"))
        logs = [math.log(1.1), math.log(1.3)]
        half = 12.7062 * statistics.stdev(logs) / 2**0.5
        self.assertAlmostEqual(row["beyond_percent"], 100 * math.expm1(sum(logs) / 2))
        self.assertAlmostEqual(row["low_percent"], 100 * math.expm1(sum(logs) / 2 - half), places=2)
        self.assertAlmostEqual(row["high_percent"], 100 * math.expm1(sum(logs) / 2 + half), places=0)

    def test_a_four_needs_all_its_designs(self):
        found = self.found(lambda a, b, c: 10.0, drop=[("1", "1", "1")])
        rows = [row for row in answer.pair_effects(found) if (row["axis"], row["and"]) == ("a", "c")]
        self.assertEqual({row["fours"] for row in rows}, {1})
        self.assertEqual({row["high_percent"] for row in rows}, {None})

    def test_axes(self):
        rows = answer.effects(self.found(lambda a, b, c: 10.0 * a + 100.0 * c))
        row, = (row for row in rows if (row["axis"], row["to"]) == ("a", "2"))
        self.assertEqual((row["from"], row["pairs"]), ("1", 8))
        self.assertAlmostEqual(row["change_percent"], 100 * math.expm1(sum(
            math.log((20 + 100 * c) / (10 + 100 * c)) for c in (1, 2, 3, 4)) / 4))
        self.assertNotIn(("a", "3"), {(row["axis"], row["to"]) for row in rows})


class Model(unittest.TestCase):
    """The fast model."""

    def test_the_wait_is_that_of_constant_service(self):
        """Against a queue that is played: packets of 4 cycles, drawn by chance in each cycle."""
        draws, waits, free, now = random.Random(1), [], 0.0, 0.0
        for _ in range(200000):
            now += draws.expovariate(0.6 / 4)
            waits.append(max(0.0, free - now))
            free = max(free, now) + 4
        self.assertAlmostEqual(queueing.mean_wait(0.6, 4), sum(waits) / len(waits), delta=0.06)

    def test_a_full_channel_has_no_prediction(self):
        facts = {"latency_cycles_without_contention": 20.0, "packet_flits_mean": 4.0, "hops_mean": 2.0,
                 "channel_loads": [[2.0, 5]]}
        self.assertIsNone(queueing.predicted(facts, 0.5, 1))
        self.assertIsNone(queueing.predicted({"latency_cycles_without_contention": None}, 0.1, 1))

    def test_waits_add_up_over_the_channels_of_a_path(self):
        """Four channels of equal load in a row, 16 in all: 4 waits."""
        facts = {"latency_cycles_without_contention": 20.0, "packet_flits_mean": 5.0, "hops_mean": 2.0,
                 "channel_loads": [[1.0, 16]]}
        self.assertAlmostEqual(queueing.predicted(facts, 0.4, 1), 20 + 4 * queueing.mean_wait(0.4, 5))

    def test_a_margin_needs_five_designs_and_is_the_least_ratio(self):
        self.assertIsNone(queueing.Ratios((1.0, 1.1, 1.2, 1.3, 0.9, 1.0, 1.0, 1.0), 4).least)
        self.assertEqual(queueing.Ratios((1.0, 1.1, 0.9, 1.3, 1.0), 5).least, 0.9)
        few, many = queueing.Ratios((0.8, 1.0), 2), queueing.Ratios((0.9,) * 8, 8)
        self.assertEqual(queueing.least_of_all([few, many]), 0.8)
        self.assertIsNone(queueing.least_of_all([queueing.Ratios((0.8,), 1), many]))
        self.assertEqual(queueing.errors([1.0, 0.5, 2.0]), {"median": 0.5, "p95": 1.0, "worst": 1.0})


def facts_of(*words):
    """Facts that the platform prints."""
    return json.loads(subprocess.run([str(PLATFORMS / "network"), *(part for word in words for part in ("--set", word)),
                                      "--print-design"], capture_output=True, text=True, check=True).stdout)


class Facts(FolderTest):
    """--print-design against runs and closed forms."""

    # With the cycles of a hop: four stages and a link.
    TOPOLOGIES = (
        (5, "topology.kind=mesh", "topology.radices=[4,4]"), (5, "topology.kind=torus", "topology.radices=[4,4]"),
        (5, "topology.kind=fat_tree", "topology.up_links=2", "topology.down_links=2", "topology.levels=3"),
        (8, "topology.kind=mesh", "topology.radices=[4,4]", "router.switching=store_and_forward",
         "router.buffer_flits=8"),
        (9, "topology.kind=torus", "topology.radices=[4,4]", "link.flit_cycles=3", "link.latency_cycles=5"),
        (11, "topology.kind=torus", "topology.radices=[4,4]", "link.flit_cycles=3", "link.latency_cycles=5",
         "link.whole_flit=true"),
        (8, "topology.kind=mesh", "topology.radices=[4,4]", "link.fec_cycles=3"),
        (5, "topology.kind=mesh", "topology.radices=[4,4]", "link.inject_latency_cycles=3",
         "link.eject_latency_cycles=6"),
        (15, "topology.kind=mesh", "topology.radices=[4,4]", "lookup.kind=cam", "lookup.cam_cycles=11"))

    def test_the_latency_without_contention_is_that_of_a_run_at_almost_no_load(self):
        """The packets of a run have other paths on the average than all pairs: by as many hops the latency differs."""
        for a_hop, *words in self.TOPOLOGIES:
            with self.subTest(words=words):
                keys = [*words, "traffic.packet_flits=4", "traffic.pattern=bit_complement"]
                facts, metrics = facts_of(*keys), self.run_of(*keys, "traffic.load_flits_per_node_cycle=0.0005",
                                                              "measure.warmup_cycles=0", "measure.cycles=40000")
                hops = metrics["hops_mean"] - 1 - facts["hops_mean"]
                self.assertAlmostEqual(facts["latency_cycles_without_contention"] + a_hop * hops,
                                       metrics["latency_cycles_mean"], delta=0.02)

    def test_hardware_is_that_of_the_energy_report(self):
        for _, *words in self.TOPOLOGIES:
            with self.subTest(words=words):
                facts = facts_of(*words)
                metrics = self.run_of(*words, "energy.report=true", "energy.flit_bits=32", "energy.tile_mm=2",
                                      "measure.cycles=10")
                self.assertEqual(32 * facts["buffer_flits"], metrics["buffer_bits"])
                self.assertEqual(32 * facts["link_channels"], metrics["wires"])
                self.assertEqual(64 * facts["link_tiles"], metrics["wire_length_mm"])
                bisection = facts["bisection_channels"]
                self.assertEqual(None if bisection is None else 32 * bisection, metrics["bisection_wires"])

    def test_channels_of_a_mesh(self):
        """An 8x8 mesh under uniform traffic: 224 channels of links, hops 5.25 with packets to the own node, and the
        middle channels are full at half a flit."""
        facts = facts_of("topology.kind=mesh", "topology.radices=[8,8]", "traffic.to_self=true")
        self.assertEqual((facts["link_channels"], facts["link_tiles"], facts["bisection_channels"]), (224, 224, 16))
        self.assertAlmostEqual(facts["hops_mean"], 5.25)
        self.assertAlmostEqual(facts["capacity_bound_flits_per_node_cycle"], 0.5)
        self.assertAlmostEqual(max(load for load, _ in facts["channel_loads"]), 2.0)
        self.assertEqual(sum(channels for _, channels in facts["channel_loads"]), 224 + 2 * 64)
        self.assertAlmostEqual(sum(load * channels for load, channels in facts["channel_loads"]), 64 * (5.25 + 2))
        self.assertEqual((facts["router_ports"], facts["router_ports_total"]), (5, 224 + 64))
        self.assertIsNone(facts["table_bits"])

    def test_loads_are_told_to_a_ten_thousandth(self):
        """Each link of a line of three nodes carries a third of a flit for each of two pairs of nodes."""
        facts = facts_of("topology.kind=mesh", "topology.radices=[3]")
        self.assertEqual(dict(map(tuple, facts["channel_loads"])), {0.6667: 4, 1.0: 6})

    def test_cycles_of_routers(self):
        """A look-up takes the place of the route computation: its memory alone, or a cache and after a miss the
        memory, too."""
        others = ("topology.radices=[4,4]", "router.va_cycles=0", "router.sa_cycles=2")
        for words, cycles in (((), (4, 4)), (("lookup.kind=cam", "lookup.cam_cycles=25"), (28, 28)),
                              (("lookup.kind=cached", "lookup.cam_cycles=25", "lookup.hash_cycles=2",
                                "lookup.cache_cycles=4"), (9, 34))):
            facts = facts_of(*others, *words)
            self.assertEqual((facts["router_cycles"], facts["router_cycles_miss"]), cycles)

    GRID = ("topology.kind=random_grid", "topology.nodes=64", "router.vcs=6")  # of degree 4

    def test_bits_of_tables(self):
        """Entries of 6 bits of coordinates and 2 of a port, and of each router the turns of three layers, or two
        numbers for each of four intervals and a port; of full tables a port and three layers for each router."""
        compact = (*self.GRID, "routing.kind=compact", "routing.entries=16")
        for words, bits in ((compact, 16 * 8 + 3 * 12),
                            ((*compact, "routing.escape=tree", "router.atomic_vcs=true"), 16 * 8 + 4 * 2 * 6 + 2),
                            ((*self.GRID, "routing.kind=source_table"), 64 * (2 + 3) + 3 * 12)):
            self.assertEqual(facts_of(*words)["table_bits"], 64 * bits)
        self.assertIsNone(facts_of("topology.kind=random_regular", "topology.nodes=16", "topology.degree=3",
                                   "routing.kind=source_table", "router.vcs=6")["table_bits"])

    def test_no_latency_is_told_where_it_depends_on_the_packet(self):
        searched = (*self.GRID, "routing.kind=compact", "routing.entries=16", "lookup.kind=compact")
        self.assertIsNone(facts_of(*searched)["latency_cycles_without_contention"])
        dragonfly = ("topology.kind=dragonfly", "routing.kind=minimal", "router.vcs=2")
        self.assertIsNotNone(facts_of(*dragonfly)["latency_cycles_without_contention"])
        self.assertIsNone(facts_of(*dragonfly, "link.classes=local latency 1, global latency 1 flit_cycles 2")
                          ["latency_cycles_without_contention"])

    def test_a_fat_tree_of_1024_nodes_has_a_bound(self):
        """It has as many links up as down: an ejection port is full first."""
        facts = facts_of("topology.kind=fat_tree", "topology.up_links=4", "topology.down_links=4", "topology.levels=5")
        self.assertEqual((facts["nodes"], facts["capacity_bound_kind"]), (1024, "upper_bound"))
        self.assertAlmostEqual(facts["capacity_bound_flits_per_node_cycle"], 1.0)

    def run_of(self, *words):
        from tsuji import Result

        out = self.folder / "run"
        shutil.rmtree(out, ignore_errors=True)
        subprocess.run([str(PLATFORMS / "network"), *(part for word in words for part in ("--set", word)), "--out",
                        str(out), "--quiet"], check=True, capture_output=True)
        return Result(out).metrics

    LINES = (("router.vcs=4",), ("router.vcs=4", "router.buffer_flits=12"), ("router.vcs=4", "router.sa_cycles=3"),
             ("router.vcs=4", "lookup.kind=cam"), ("router.vcs=4", "lookup.kind=cam", "lookup.cam_cycles=9"),
             ("router.vcs=4", "routing.kind=west_first"),
             ("router.vcs=4", "routing.kind=west_first", "lookup.kind=cam"),
             ("router.vcs=4", "routing.kind=west_first", "router.buffer_flits=9"), ("topology.kind=torus",),
             ("topology.kind=torus", "traffic.pattern=transpose"), ("topology.kind=torus", "link.latency_cycles=3"),
             ("topology.kind=torus", "router.switching=store_and_forward"), ("router.vcs=0",),
             ("topology.kind=torus", "traffic.packet_flits=9"), ("workload.npb=cg.S.64",), ())

    def answers(self, lines):
        words = [[part for word in line for part in ("--set", word)] + ["--print-design"] for line in lines]
        ended = subprocess.run([str(PLATFORMS / "network"), "--check-runs", "-"], capture_output=True, text=True,
                               input="".join(json.dumps(of) + "\n" for of in words), check=True)
        return [json.loads(line) for line in ended.stdout.splitlines()]

    # Values of keys of random designs. Some do not fit together, by paths or only with these.
    DRAWN = {"topology.kind": ("mesh", "torus", "random_regular"), "router.vcs": (1, 2, 4),
             "routing.kind": ("dimension_order", "west_first", "source_table"), "router.buffer_flits": (2, 5, 9),
             "router.switching": ("wormhole", "virtual_cut_through"), "lookup.kind": ("local", "cam", "cached"),
             "router.sa_cycles": (1, 3), "traffic.pattern": ("uniform", "transpose"), "traffic.packet_flits": (4, 5),
             "traffic.load_flits_per_node_cycle": (0.1, 0.2)}

    def test_random_designs_have_the_facts_of_one_alone_in_any_order(self):
        draws = random.Random(11)
        lines = [tuple(f"{key}={draws.choice(values)}" for key, values in self.DRAWN.items()) for _ in range(60)]
        alone = {line: self.answers([line])[0] for line in lines}
        self.assertGreater(len([answer for answer in alone.values() if "printed" in answer]), 8)
        self.assertGreater(len({answer.get("key") for answer in alone.values()}), 3)
        beside = sorted(lines, key=lambda line: [word for word in line if not word.startswith(
            ("router.buffer", "router.sw", "router.sa", "lookup", "prediction", "traffic.load"))])
        for order in (lines, beside, beside[::-1]):
            self.assertEqual(self.answers(order), [alone[line] for line in order])

    def test_a_refusal_of_the_paths_is_kept_for_the_next_design(self):
        """20 designs without paths take less than six times what a single one does: the table of 1,024 nodes is
        made once."""
        def seconds(lines):
            before = sum(os.times()[2:4])
            answers = self.answers(lines)
            self.assertTrue(all("too few virtual channels" in answer["refused"] for answer in answers))
            return sum(os.times()[2:4]) - before

        few = ("topology.kind=random_regular", "topology.nodes=1024", "routing.kind=source_table", "router.vcs=2")
        one = seconds([few])
        self.assertLess(seconds([(*few, f"router.buffer_flits={flits}") for flits in range(1, 21)]), 6 * one)

    def test_designs_after_others_have_the_facts_of_one_alone(self):
        """Paths of a design are kept for the next one. A refusal that needs the paths comes all the same."""
        answers, alone = self.answers, [self.answers([line])[0] for line in self.LINES]
        self.assertEqual([line for line, answer in zip(self.LINES, alone) if "refused" in answer],
                         [("router.vcs=4", "routing.kind=west_first", "lookup.kind=cam"), ("router.vcs=0",)])
        for order in (self.LINES, self.LINES[::-1], sorted(self.LINES)):
            with self.subTest(order=order):
                self.assertEqual(answers(order), [alone[self.LINES.index(line)] for line in order])

    def test_an_application_has_hardware_alone(self):
        facts = facts_of("workload.npb=cg.S.16", "topology.radices=[4,4]")
        self.assertEqual((facts["capacity_bound_kind"], facts["routers"]), ("none", 16))
        self.assertNotIn("channel_loads", facts)


class Explored(Files):
    def explore(self, text, *words):
        path = self.folder / "q.yaml"
        path.write_text(text, encoding="utf-8")
        with unittest.mock.patch.object(engine, "SNAKEMAKE", FAKE_SNAKEMAKE):
            return forked.call(explore_main.main, [path, "--platforms", PLATFORMS, "--out", self.folder / "out",
                                                   "--jobs", "1", *words], self.folder, os.environ, 120)

    def rows(self, name):
        with open(self.folder / "out" / name, newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))


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
    PLATFORMS = pathlib.Path(sys.argv.pop()).resolve()
    unittest.main(argv=[sys.argv[0], *sys.argv[1:]])
