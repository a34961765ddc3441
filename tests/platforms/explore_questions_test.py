# SPDX-License-Identifier: Apache-2.0
"""scripts/explore: what a question may say, and what arithmetic, the fast model and the race decide."""

import math
import random
import statistics
import types
import unittest

from explore_rig import LOAD, QUESTION, SET, SMALL, SPACE, Files, main
from tsuji import answer, queueing, race
from tsuji.decisions import Outcome
from tsuji.explore import Exploration
from tsuji.race import Mean, Place, Scores


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


if __name__ == "__main__":
    main()
