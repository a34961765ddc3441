# SPDX-License-Identifier: Apache-2.0
"""A race of designs on equal seeds: what is to be played next, and who has lost, as a function of the runs that have
ended. So a race that is continued answers as one that was never interrupted.

A design loses where another one is shown better in every goal that runs measure, and is no worse in every fact. A
difference is shown by the paired differences of the seeds (Student, one-sided) at the level
(1 - confidence) / (rungs x designs of the race). A design that no other one beats meets at most that many
comparisons with others, so it is dropped with a probability of at most 1 - confidence."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TYPE_CHECKING

from .statistics import mean_confidence95, student

if TYPE_CHECKING:
    from .decisions import Outcome  # noqa: F401 - of Ends
    from .facts import Design
    from .question import Goal, Load, Question


@dataclasses.dataclass(frozen=True)
class Place:
    """A run of a race. `share`: of an application's trace, its first part."""

    design: int
    load: str
    seed: int
    share: float = 1.0


@dataclasses.dataclass(frozen=True)
class Lost:
    """How a design has left the race. `by`: the design that beats it."""

    stage: str  # failed, saturated, constraint, model, beaten
    rung: int
    reason: str
    by: int | None = None
    excess: float | None = None


@dataclasses.dataclass(frozen=True)
class Mean:
    """Of a goal over the seeds. `half`: half of its 95 % interval, 0 of a fact."""

    mean: float
    half: float | None
    samples: tuple[float, ...]


Ends = Callable[[Place], "Outcome | None"]


class Scores:
    """Goals of designs, by the ends of their runs. Where fewer seeds have ended than are asked for, the mean of these
    stands for the others: the race repeats an application only where the seed changes it (SeedClasses)."""

    def __init__(self, question: Question, ends: Ends) -> None:
        self.question, self.ends = question, ends

    def metric(self, number: int, load: str, metric: str, seeds: int, share: float = 1.0) -> list[float] | None:
        """By seed; None where a run has no such number."""
        values: list[float] = []
        for seed in range(1, seeds + 1):
            end = self.ends(Place(number, load, seed, share))
            if end is None and values:
                return values + [math.fsum(values) / len(values)] * (seeds - len(values))
            value = end.metrics.get(metric) if end is not None else None
            if not isinstance(value, (int, float)) or isinstance(value, bool):
                return None
            values.append(float(value))
        return values

    def goal(self, design: Design, goal: Goal, seeds: int, share: float = 1.0) -> Mean | None:
        if goal.is_fact:
            fact = design.worst(goal)
            return None if fact is None else Mean(fact, 0.0, ())
        loads = [load for load in self.question.loads if load.name in goal.loads]
        of_loads = [self.metric(design.number, load.name, goal.metric, seeds,
                                share_of(design, load.name, share)) for load in loads]
        if any(values is None for values in of_loads):
            return None
        whole = math.fsum(load.weight for load in loads)
        samples = tuple(math.fsum(load.weight * values[seed] for load, values in zip(loads, of_loads)) / whole
                        for seed in range(seeds))
        mean, half = mean_confidence95(samples)
        return Mean(mean, half, samples)

    def all(self, design: Design, seeds: int, share: float = 1.0) -> list[Mean] | None:
        """Of all goals, with the first `share` of each trace; None where one is missing."""
        means = [self.goal(design, goal, seeds, share) for goal in self.question.goals]
        return None if any(mean is None for mean in means) else means


def share_of(design: Design, load: str, share: float) -> float:
    """The whole where a load replays no trace."""
    return share if design.replays_trace(load) else 1.0


class SeedClasses:
    """Whether a seed changes the runs of an application. The first design of a class (Design.seed_class) plays two
    seeds; if its metrics are equal, the others of the class play one in the first rung, and compare two later on, by
    the first `share` where they replay a trace. A class with a design whose runs differ plays all seeds."""

    def __init__(self, ends: Ends, share: float = 1.0) -> None:
        self.ends, self.share = ends, share
        self.members: dict[tuple[str, ...], list[tuple[int, str]]] = {}

    def places(self, design: Design, load: str, rung: int, wanted: int) -> list[Place]:
        """Runs at a load for the wanted seeds of a rung."""
        every = [Place(design.number, load, seed) for seed in range(1, wanted + 1)]
        if not design.runs_application(load):
            return every
        members = self.members.setdefault(design.seed_class(load), [])
        if (design.number, load) not in members:
            members.append((design.number, load))
        if self.differ(design, load):
            return every
        if members[0] == (design.number, load):
            return every[:2]
        share = share_of(design, load, self.share)
        return every[:1] + [Place(design.number, load, seed, share) for seed in (1, 2) if rung > 0]

    def differ(self, design: Design, load: str) -> bool:
        """Whether a design of the class has shown that seeds change its runs, whole or of the first `share`."""
        parts = {1.0, share_of(design, load, self.share)}
        return any(self.is_equal(*member, part) is False for member in self.members.get(design.seed_class(load), [])
                   for part in parts)

    def is_equal(self, number: int, load: str, share: float) -> bool | None:
        """Of the first two seeds; None where they have not both ended."""
        first, second = (self.ends(Place(number, load, seed, share)) for seed in (1, 2))
        if first is None or second is None:
            return None
        names = set(first.metrics) - {"wall_seconds"}
        return first.status == second.status and all(first.metrics[name] == second.metrics.get(name) for name in names)


def level_of(question: Question, designs: int) -> float:
    return (1 - question.confidence) / (len(question.seeds) * max(1, designs))


def shown_less(first: Mean, second: Mean, level: float) -> bool:
    """That the mean of `first` is less than that of `second`."""
    if first.mean >= second.mean:
        return False
    differences = [b - a for a, b in zip(first.samples, second.samples)]
    mean, half = mean_confidence95(differences)
    if mean is None or half is None or mean <= 0:
        return False
    freedom = len(differences) - 1
    return mean * student(0.975, freedom) >= half * student(1 - level, freedom)


def beats(first: list[Mean], second: list[Mean], goals: Iterable[Goal], level: float) -> bool:
    """Whether `first` is no worse in any fact and shown better in every measured goal; among facts alone, better in
    one."""
    better = False
    for goal, a, b in zip(goals, first, second):
        if goal.is_fact:
            if a.mean > b.mean:
                return False
            better = better or a.mean < b.mean
        elif not shown_less(a, b, level):
            return False
        else:
            better = True
    return better


def broken(scores: Scores, design: Design, seeds: int) -> tuple[str, float] | None:
    """The constraint on a metric that a design breaks with its whole 95 % interval: its text, and by which share."""
    from .question import FACTS

    worst: tuple[str, float] | None = None
    for bound in scores.question.bounds:
        if bound.metric in FACTS:
            continue
        for load in bound.loads:
            values = scores.metric(design.number, load, bound.metric, seeds)
            if values is None:
                return f"{bound.metric} is missing at {load}", math.inf
            mean, half = mean_confidence95(values)
            near = mean - (half or 0) if bound.most is not None else mean + (half or 0)
            if bound.excess(near) > 0 and (worst is None or bound.excess(mean) > worst[1]):
                worst = (f"{bound.metric} is {mean:.4g} at {load}, wanted: {bound.text()}",
                         bound.excess(mean))
    return worst


def first_ratios(values: Iterable[Sequence[float] | None]) -> list[float]:
    """Mean over the first value, of each sequence that has more than one, and a first one above 0."""
    return [math.fsum(of) / len(of) / of[0] for of in values if of and len(of) > 1 and of[0] > 0]


def unfit(scores: Scores, design: Design, loads: Iterable[Load], seeds: int, rung: int,
          share: float = 1.0) -> Lost | None:
    """A run at one of the loads that has failed, or a network that is saturated there."""
    for load in loads:
        for seed in range(1, seeds + 1):
            end = scores.ends(Place(design.number, load.name, seed, share_of(design, load.name, share)))
            if end is None and seed > 1:
                break  # it is not repeated
            if end is None or end.status != "complete":
                return Lost("failed", rung, f"{load.name}, seed {seed}: {end.error if end else 'no run'}")
            if end.metrics.get("stability") == "saturated" or end.metrics.get("saturated") == 1:
                return Lost("saturated", rung, f"saturated at {load.name}, seed {seed}")
    return None


def ended_badly(scores: Scores, design: Design, seeds: int, rung: int) -> Lost | None:
    """An unfit design, or a goal without a number."""
    bad = unfit(scores, design, scores.question.loads, seeds, rung)
    if bad:
        return bad
    if scores.all(design, seeds) is None:
        return Lost("failed", rung, "a goal has no number")
    return None


def after_rung(question: Question, scores: Scores, designs: list[Design], rung: int,
               racing: int) -> tuple[dict[int, Lost], dict[int, Any]]:
    """(lost, means) of designs whose runs of a rung have ended. `racing`: how many designs began the race."""
    seeds, level = question.seeds[rung], level_of(question, racing)
    lost: dict[int, Lost] = {}
    means: dict[int, Any] = {}
    for design in designs:
        bad = ended_badly(scores, design, seeds, rung)
        if bad is None:
            constraint = broken(scores, design, seeds)
            if constraint:
                bad = Lost("constraint", rung, constraint[0], excess=constraint[1])
        if bad:
            lost[design.number] = bad
        means[design.number] = scores.all(design, seeds)
    able = [design.number for design in designs if design.number not in lost]
    for number in able:
        winner = next((other for other in able if other != number
                       and beats(means[other], means[number], question.goals, level)), None)
        if winner is not None:
            lost[number] = Lost("beaten", rung, "another design is better in all goals", by=winner)
    return lost, means


def front(means: dict[int, list[Mean]]) -> list[int]:
    """Designs that no other one beats in the means alone. In the order of their goals a design comes after all that
    beat it, so that those on the front are enough to compare with."""
    ordered = sorted(((tuple(mean.mean for mean in of), number) for number, of in means.items()))
    found: list[tuple[tuple[float, ...], int]] = []
    for values, number in ordered:
        if not any(better != values and all(a <= b for a, b in zip(better, values)) for better, _ in found):
            found.append((values, number))
    return sorted(number for _, number in found)
