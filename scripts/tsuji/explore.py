# SPDX-License-Identifier: Apache-2.0
"""Explorations: from a question to a front of designs, with the reason of every design that is not on it.

Arithmetic rejects first (facts.py), a fast model measured on the designs that have been simulated next (queueing.py),
a race on equal seeds last (race.py). All three are functions of the question and of runs that have ended."""

from __future__ import annotations

import dataclasses
import math
import pathlib
from collections.abc import Callable
from typing import Any, TYPE_CHECKING

from . import question as questions, queueing, race
from .engine import Engine, EngineConfig
from .errors import Refused, RunFailed
from .facts import PLATFORM, SHARE_KEY, Arithmetic, run_of
from .folders import locked
from .progress import Progress
from .race import Lost, Mean, Place, Scores, SeedClasses
from .runs import OUT, PLATFORMS, check, frozen
from .sampler import Sampler
from .study import outcome_of

if TYPE_CHECKING:
    from .decisions import Outcome
    from .facts import Design
    from .question import Candidate, Load, Question
    from .runs import Run


@dataclasses.dataclass
class Step:
    """How far a race has come after a batch of a rung."""

    rung: int = 0
    seeds: int = 0
    begun: int = 0
    left: int = 0
    runs: int = 0


class Exploration:
    """A question's file and what its runs have left. `out` is its folder (default: out/explore/NAME of the project),
    `kept` the folder of kept runs (default: `runs` in it)."""

    def __init__(self, path: str | pathlib.Path, out: str | pathlib.Path | None = None,
                 kept: str | pathlib.Path | None = None, platforms: str | pathlib.Path | None = None,
                 say: Callable[[str], object] = lambda text: None) -> None:
        self.question: Question = questions.read(path)
        self.out = pathlib.Path(out).resolve() if out else OUT / "explore" / self.question.name
        self.kept = pathlib.Path(kept).resolve() if kept else self.out / "runs"
        self.platforms = pathlib.Path(platforms or PLATFORMS).resolve()
        if not (self.platforms / PLATFORM).is_file():
            raise RunFailed(f"{self.platforms / PLATFORM} is not built")
        self.say = say
        self.names: dict[Place, str] = {}
        self.ends: dict[Place, Outcome] = {}
        self.scores = Scores(self.question, self.ends.get)
        self.seed_classes = SeedClasses(self.ends.get, self.question.trace_share)
        self.lost: dict[int, Lost] = {}
        self.means: dict[int, tuple[int, list[Mean]]] = {}  # seeds and goals of the last rung that a design has ended
        self.steps: list[Step] = []
        self.predictions: dict[int, dict[str, float | None]] = {}  # mean latencies by design and load
        self.stopped = ""  # why the race has ended before its last rung
        self.arithmetic: Arithmetic
        self.engine: Engine

    # Before any run.

    def plan(self, jobs: int = 1) -> Exploration:
        """Arithmetic, and predictions."""
        bar = Progress(1, "step")
        try:
            self.arithmetic = Arithmetic(self.question, self.platforms, jobs)
            self.add(self.question.candidates)
        finally:
            bar.wipe()
        self.refuse_question()
        return self

    def refuse_question(self) -> None:
        """A question of which the platform refuses every design is a wrong one, at the place of the key."""
        candidates, rejected = self.question.candidates, self.arithmetic.rejected
        if not candidates or any(candidate.number not in rejected or rejected[candidate.number].stage != "refused"
                                 for candidate in candidates):
            return
        first = rejected[candidates[0].number]
        keys = dict(candidates[0].keys)
        for load in self.question.loads:
            keys.update(load.keys)
        raise Refused(keys[first.key].place if first.key in keys else self.question.path, "every design is refused",
                      first.reason)

    def add(self, candidates: list[Candidate]) -> list[Design]:
        """Those of the candidates that race."""
        self.arithmetic.add(candidates)
        designs = [self.arithmetic.designs[candidate.number] for candidate in candidates
                   if candidate.number not in self.arithmetic.rejected]
        for design in designs:
            self.predictions[design.number] = {load.name: queueing.of_design(design, load.name)
                                               for load in self.question.loads}
        return designs

    def field(self) -> int:
        """How many designs race; where Optuna proposes them at most."""
        return max(self.question.search.designs, len(self.arithmetic.remaining)) if self.question.search.kind == \
            "optuna" else len(self.arithmetic.remaining)

    def most_runs(self) -> int:
        """Of a race in which no design loses, without short ones."""
        return self.field() * len(self.question.loads) * self.question.seeds[-1]

    def most_short_runs(self) -> int:
        """Of the first part of a trace: two of each design, the second of which finds whether the seed matters."""
        return 0 if self.question.trace_share == 1 else 2 * sum(
            design.replays_trace(load.name) for design in self.arithmetic.remaining for load in self.question.loads)

    # The race.

    def play(self, config: EngineConfig = EngineConfig()) -> Exploration:
        """Plays the race. After an exception all decisions until then are kept."""
        lock = locked(self.out)
        try:
            self.platforms = frozen(self.platforms, [PLATFORM], self.out / ".platforms")
            self.plan(config.jobs)
            self.engine = Engine(config, self.platforms, self.out / ".engine", self.kept)
            self.race()
        finally:
            lock.close()
        return self

    def race(self) -> None:
        if self.question.search.kind == "optuna":
            self.searched_rung()
        elif self.arithmetic.remaining:
            self.first_rung()
        for rung in range(1, len(self.question.seeds)):
            if self.stopped or len(self.racing()) < 2:
                break
            self.play_rung(rung)

    def racing(self) -> list[Design]:
        return self.of_race(self.arithmetic.remaining)

    def first_rung(self) -> None:
        """In batches, the most promising designs first. Each batch measures the fast model further, which may reject
        what is left."""
        waiting = self.by_promise()
        self.check_metrics(waiting[0])
        ended: list[Design] = []
        while waiting and not self.stopped:
            batch = waiting[:self.question.pilots]
            if not self.simulate_first(batch):
                break
            waiting = waiting[len(batch):]
            ended += batch
            self.judge(ended, 0)
            rejected = self.rejected_by_model(waiting)
            self.lost.update(rejected)
            waiting = [design for design in waiting if design.number not in rejected]
        for design in waiting:
            self.lost.setdefault(design.number, Lost("budget", 0, self.stopped))

    def simulate_first(self, batch: list[Design]) -> bool:
        """Runs of the first rung, the cheap ones that may end a design's race first: one seed at each load that is
        offered, the first part of each application's trace, one seed of each application, and all seeds of designs that
        the first runs do not reject. False: the budget does not allow them."""
        offered = [load for load in self.question.loads
                   if any(design.offered(load.name) is not None for design in batch)]
        for load in offered:
            if not self.simulate(self.of_race(batch), 1, [load]):
                return False
            self.drop_unfit(batch, [load])
            self.lost.update(self.broken_by_first_runs(self.of_race(batch), load))
        applications = [load for load in self.question.loads if load not in offered]
        for share in sorted({self.question.trace_share, 1.0}) if applications else []:
            if not self.simulate(self.of_race(batch), 1, applications, share):
                return False
            self.drop_unfit(batch, applications, share)
            self.lost.update(self.beaten_by_first_runs(self.of_race(batch), share))
        if not applications:
            self.lost.update(self.beaten_by_first_runs(self.of_race(batch), 1.0))
        return self.play_seeds(self.of_race(batch), 0)

    def of_race(self, designs: list[Design]) -> list[Design]:
        return [design for design in designs if design.number not in self.lost]

    def drop_unfit(self, batch: list[Design], loads: list[Load], share: float = 1.0) -> None:
        """By their first runs."""
        for design in self.of_race(batch):
            bad = race.unfit(self.scores, design, loads, 1, 0, share)
            if bad:
                self.lost[design.number] = bad

    def play_seeds(self, designs: list[Design], rung: int) -> bool:
        """All seeds of a rung at each load, but of an application as many as its seed class needs, which a run of the
        class may change. False: the budget does not allow them."""
        wanted = self.question.seeds[rung]
        while True:
            places = [place for design in designs for load in self.question.loads
                      for place in self.seed_classes.places(design, load.name, rung, wanted)]
            if all(place in self.ends for place in places):
                return True
            if not self.play_places(places):
                return False

    def searched_rung(self) -> None:
        """In batches that Optuna proposes by the goals of those before."""
        question = self.question
        sampler, ended = Sampler(question), []  # type: Sampler, list[Design]
        while len(question.candidates) < question.search.designs and not self.stopped:
            fresh = sampler.batch(min(question.pilots, question.search.designs - len(question.candidates)))
            if not fresh:
                self.say(f"Optuna proposes no other design after {len(question.candidates)}")
                break
            batch = self.add(fresh)
            if batch and not ended:
                self.check_metrics(batch[0])
            if batch and not self.simulate_first(batch):
                for design in batch:
                    self.lost.setdefault(design.number, Lost("budget", 0, self.stopped))
                break
            ended += batch
            self.judge(ended, 0)
            sampler.end_of({candidate.number: self.goals_of(candidate.number) for candidate in fresh})

    def goals_of(self, number: int) -> list[float] | None:
        """Means of a design's goals; None of one that was rejected, or that cannot be used."""
        lost = self.lost.get(number)
        if number not in self.means or (lost and lost.stage in ("failed", "saturated", "constraint")):
            return None
        return [mean.mean for mean in self.means[number][1]]

    def by_promise(self) -> list[Design]:
        """Designs of the fast model's front, then, so that all classes of its errors are met, the best one of each
        class, then the others by their predicted goals."""
        designs = self.arithmetic.remaining
        guesses = {design.number: self.guess(design) for design in designs}
        known = {number: [Mean(value, None, ()) for value in guess] for number, guess in guesses.items()}
        first = set(race.front(known))
        order = sorted(designs, key=lambda design: (guesses[design.number], design.number))
        met: set[tuple[str, ...]] = set()
        for design in order:
            kind = queueing.class_of(design)
            if kind not in met:
                met.add(kind)
                first.add(design.number)
        return sorted(order, key=lambda design: design.number not in first)

    def guess(self, design: Design) -> list[float]:
        """Of each goal; 0 where nothing predicts it, so that the design is tried early."""
        values: list[float] = []
        for goal in self.question.goals:
            values.append((design.worst(goal) if goal.is_fact else self.predicted(design, goal, 1.0)) or 0.0)
        return values

    def predicted(self, design: Design, goal: Any, factor: float) -> float | None:
        """A goal on the mean latency by the fast model, times a factor; None: it says nothing of it."""
        if goal.metric != queueing.LATENCY:
            return None
        loads = [load for load in self.question.loads if load.name in goal.loads]
        values = [self.predictions[design.number][load.name] for load in loads]
        if any(value is None for value in values):
            return None
        return factor * math.fsum(load.weight * value for load, value in zip(loads, values)) / math.fsum(
            load.weight for load in loads)

    def check_metrics(self, design: Design) -> None:
        """The first run: a metric that it does not have, or in another unit, is refused before hours of runs."""
        load = self.question.loads[0]
        self.simulate([design], 1, [load])
        place = Place(design.number, load.name, 1)
        end = self.ends.get(place)
        if end is None or end.status != "complete":
            return
        units = self.units(place)
        wanted: list[tuple[str, str, str | None]] = [(goal.metric, goal.place, None) for goal in self.question.goals
                                                     if not goal.is_fact]
        wanted += [(bound.metric, bound.place, bound.unit) for bound in self.question.bounds
                   if bound.metric not in questions.FACTS]
        for metric, where, unit in wanted:
            if metric not in end.metrics:
                import difflib

                near = difflib.get_close_matches(metric, [*end.metrics, *questions.FACTS], 3)
                raise Refused(where, metric, "no run has such a metric", metric,
                              ", ".join(near) or "a metric of result.json, or a fact of the design")
            if unit is not None:
                questions.check_unit(where, f"must.{metric}", unit, units.get(metric, ""))

    def units(self, place: Place) -> dict[str, str]:
        from .results import Result

        result = Result(self.kept / self.names[place])
        return {name: metric["unit"] for name, metric in result.json.get("metrics", {}).items()}

    def simulate(self, designs: list[Design], seeds: int, loads: list[Any], share: float = 1.0) -> bool:
        """Runs of equal seeds, of the first `share` of each trace. False: the budget does not allow them."""
        return self.play_places([Place(design.number, load.name, seed, race.share_of(design, load.name, share))
                                 for design in designs for load in loads for seed in range(1, seeds + 1)])

    def play_places(self, places: list[Place]) -> bool:
        """Plays runs that are missing. False: the budget does not allow them."""
        fresh = [place for place in places if place not in self.ends]
        if self.over_budget(fresh):
            return False
        runs = [self.run(place) for place in fresh]
        answers = check(runs, self.platforms, self.question.path.parent)
        missing: dict[str, Run] = {}
        for place, run, answer in zip(fresh, runs, answers):
            if answer.refused:
                raise Refused(self.question.path, answer.key, answer.refused)
            self.names[place] = answer.name
            if outcome_of(self.kept, answer.name) is None:
                missing[answer.name] = run
        self.play_missing(missing)
        from .decisions import Outcome

        for place in fresh:
            self.ends[place] = outcome_of(self.kept, self.names[place]) or Outcome("lost", error="it was lost")
        return True

    def run(self, place: Place) -> Run:
        load = next(load for load in self.question.loads if load.name == place.load)
        part = {} if place.share == 1 else {SHARE_KEY: place.share}
        return run_of(self.question, self.question.candidates[place.design], load, {"seed": place.seed, **part})

    def play_missing(self, missing: dict[str, Run]) -> None:
        if not missing:
            return
        bar = Progress(len(missing), "run")
        try:
            self.engine.play(missing, self.question.path.parent,
                             lambda number: bar.update(number, f"{number} of {len(missing)}, "
                                                       f"{len(self.racing())} designs in the race"))
        finally:
            bar.wipe()

    def over_budget(self, fresh: list[Place]) -> bool:
        question = self.question
        hours = math.fsum(end.metrics.get("wall_seconds") or 0.0 for end in self.ends.values()) / 3600
        if question.most_runs is not None and len(self.ends) + len(fresh) > question.most_runs:
            self.stopped = f"the budget of {question.most_runs} runs"
        elif question.most_core_hours is not None and hours >= question.most_core_hours:
            self.stopped = f"the budget of {question.most_core_hours:g} core hours"
        return bool(self.stopped)

    def judge(self, designs: list[Design], rung: int) -> None:
        """Losers of a rung among designs whose runs have ended."""
        able = [design for design in designs if design.number not in self.lost]
        lost, means = race.after_rung(self.question, self.scores, able, rung, self.field())
        self.lost.update(lost)
        for number, of in means.items():
            if of is not None:
                self.means[number] = self.question.seeds[rung], of
        self.steps.append(Step(rung + 1, self.question.seeds[rung], len(able), len(able) - len(lost),
                               len(self.ends)))

    def play_rung(self, rung: int) -> None:
        designs = self.racing()
        if self.play_seeds(designs, rung):
            self.judge(designs, rung)

    # The fast model.

    def ratios(self) -> dict[tuple[str, ...], queueing.Ratios]:
        """Measured over predicted latencies, by class: of each load of each design that was simulated."""
        found: dict[tuple[str, ...], list[list[float]]] = {}
        for design in self.arithmetic.remaining:
            values = self.ratios_of(design)
            if values:
                found.setdefault(queueing.class_of(design), []).append(values)
        return {kind: queueing.Ratios(tuple(value for values in of for value in values), len(of))
                for kind, of in found.items()}

    def ratios_of(self, design: Design) -> list[float]:
        if design.number in self.lost and self.lost[design.number].stage in ("failed", "saturated"):
            return []
        values: list[float] = []
        for load in self.question.loads:
            prediction = self.predictions[design.number][load.name]
            measured = self.scores.metric(design.number, load.name, queueing.LATENCY, self.question.seeds[0])
            if prediction and measured:
                values.append(math.fsum(measured) / len(measured) / prediction)
        return values

    def rejected_by_model(self, designs: list[Design]) -> dict[int, Lost]:
        """Designs whose predicted latency, even by the most favourable error of their class, is above that of a design
        that is no worse in any other goal."""
        ratios, rejected = self.ratios(), {}
        least_of_all = queueing.least_of_all(ratios.values())
        for design in designs:
            kind = queueing.class_of(design)
            if kind not in ratios:
                continue
            least = ratios[kind].least or least_of_all
            if least is None:
                continue
            floors = [design.worst(goal) if goal.is_fact else self.predicted(design, goal, least)
                      for goal in self.question.goals]
            if any(floor is None for floor in floors):
                continue
            winner = self.rival_below(floors)
            if winner is not None:
                rejected[design.number] = Lost("model", 0, "another design is faster than "
                                               f"{least:.3g} times its prediction, the least ratio measured",
                                               by=winner)
        return rejected

    def broken_by_first_runs(self, designs: list[Design], load: Load) -> dict[int, Lost]:
        """Designs that break a constraint at a load with the metric of the first seed, even with the most favourable
        ratio of all seeds to the first one that was measured."""
        rejected: dict[int, Lost] = {}
        for bound in self.question.bounds:
            if bound.metric in questions.FACTS or load.name not in bound.loads:
                continue
            ratios = race.first_ratios(self.scores.metric(number, load.name, bound.metric, self.question.seeds[0])
                                       for number in self.means)
            for design in designs if len(ratios) >= queueing.LEAST_OF_ALL else []:
                first = self.scores.metric(design.number, load.name, bound.metric, 1)
                value = first[0] * (min(ratios) if bound.most is not None else max(ratios)) if first else None
                if value is not None and bound.excess(value) > 0:
                    rejected.setdefault(design.number, Lost(
                        "constraint", 0, f"{bound.metric} is at best {value:.4g} at {load.name}, wanted: "
                        f"{bound.text()}", excess=bound.excess(first[0])))
        return rejected

    def beaten_by_first_runs(self, designs: list[Design], share: float) -> dict[int, Lost]:
        """Designs whose goals of the first seed, with the first `share` of each trace, even with the most favourable
        ratio of all seeds and the whole trace to these that was measured, are above those of another design."""
        rejected: dict[int, Lost] = {}
        least = self.least_of_first_runs(share)
        for design in designs if least else []:
            first = self.scores.all(design, 1, share)
            winner = self.rival_below([ratio * mean.mean for ratio, mean in zip(least, first)]) if first else None
            if winner is not None:
                of_trace = "" if share == 1 else f" with {share:g} of the trace"
                rejected[design.number] = Lost("beaten", 0, "another design is better in all goals than its first runs"
                                               f"{of_trace} times {', '.join(f'{one:.4g}' for one in least)}, "
                                               "the least ratios measured", by=winner)
        return rejected

    def least_of_first_runs(self, share: float) -> list[float]:
        """Of each goal the least ratio of its mean to its value in the first runs; 1 of a fact. Empty: too few designs
        have both."""
        ratios: list[list[float]] = [[] for _ in self.question.goals]
        for number, (_, means) in self.means.items():
            first = self.scores.all(self.arithmetic.designs[number], 1, share)
            for of, mean, one in zip(ratios, means, first or []):
                if one.mean > 0:
                    of.append(mean.mean / one.mean)
        if any(not goal.is_fact and len(of) < queueing.LEAST_OF_ALL for goal, of in zip(self.question.goals, ratios)):
            return []
        return [1.0 if goal.is_fact else min(of) for goal, of in zip(self.question.goals, ratios)]

    def rival_below(self, floors: list[Any]) -> int | None:
        """A design of the race that is shown below the floors of another one."""
        return next((number for number, (_, means) in self.means.items()
                     if number not in self.lost and self.below(means, floors)), None)

    def below(self, means: list[Mean], floors: list[Any]) -> bool:
        strictly = False
        for goal, mean, floor in zip(self.question.goals, means, floors):
            if mean.half is None or (mean.mean > floor if goal.is_fact else mean.mean + mean.half >= floor):
                return False
            strictly = strictly or not goal.is_fact or mean.mean < floor
        return strictly

    # The answer.

    def survivors(self) -> list[int]:
        return [design.number for design in self.racing() if design.number in self.means]

    def front(self) -> list[int]:
        """Survivors that no other one beats in the means, by the first goal. Other survivors are not shown worse."""
        means = {number: self.means[number][1] for number in self.survivors()}
        return sorted(race.front(means), key=lambda number: [mean.mean for mean in means[number]])

    def best(self) -> int | None:
        """The design of the front whose goals, as shares of the front's least ones, have the least product."""
        front = self.front()
        if not front:
            return None
        least = [min(self.means[number][1][i].mean for number in front) for i in range(len(self.question.goals))]

        def product(number: int) -> float:
            return math.fsum(math.log(mean.mean / low) for mean, low in zip(self.means[number][1], least)
                             if mean.mean > 0 and low > 0)

        return min(front, key=lambda number: (product(number), number))
