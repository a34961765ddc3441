# SPDX-License-Identifier: Apache-2.0
"""Races against the whole grid: how often a race finds the front that all runs of all designs give, and at which share
of their cost. The grid is played once; each race draws its runs with the seeds in another order."""

from __future__ import annotations

import csv
import dataclasses
import pathlib
import random
import statistics
from typing import TYPE_CHECKING

from .engine import Engine, EngineConfig
from .explore import Exploration
from .facts import PLATFORM
from .folders import locked
from .race import Mean, Place, share_of
from .runs import frozen

if TYPE_CHECKING:
    from .decisions import Outcome
    from .facts import Design
    from .question import Load

NAME = "races.csv"
COSTS = ("runs", "flit_hops", "wall_seconds")  # flit_hops: work of a run on any machine


class Grid(Exploration):
    """All designs that arithmetic leaves, with all seeds at each load. Where no seed changes the runs of an application
    (SeedClasses), one run stands for those of all seeds, in their cost too."""

    def play(self, config: EngineConfig = EngineConfig()) -> Grid:
        lock = locked(self.out)
        try:
            self.platforms = frozen(self.platforms, [PLATFORM], self.out / ".platforms")
            self.plan(config.jobs)
            self.engine = Engine(config, self.platforms, self.out / ".engine", self.kept)
            designs, last = self.arithmetic.remaining, len(self.question.seeds) - 1
            self.play_seeds(designs, last)
            for load in self.question.loads:
                self.complete([design for design in designs if design.runs_application(load.name)], load)
            self.judge(designs, last)
        finally:
            lock.close()
        return self

    def complete(self, designs: list[Design], load: Load) -> None:
        """Gives an application's runs all seeds, whole and of the first part."""
        seeds, share = self.question.seeds[-1], self.question.trace_share
        self.simulate([design for design in designs if self.seed_classes.differ(design, load.name)], seeds, [load],
                      share)
        self.simulate(designs, 1, [load], share)
        for design in designs:
            for part in (1.0, share_of(design, load.name, share)):
                for seed in range(2, seeds + 1):
                    self.ends.setdefault(Place(design.number, load.name, seed, part),
                                         self.ends[Place(design.number, load.name, 1, part)])


class Replay(Exploration):
    """A race on the runs of a grid. `order`: its seed for each seed of the race."""

    def __init__(self, grid: Exploration, order: list[int]) -> None:
        super().__init__(grid.question.path, grid.out, grid.kept, grid.platforms)
        self.grid, self.order = grid, order
        self.arithmetic, self.predictions = grid.arithmetic, grid.predictions

    def check_metrics(self, design: object) -> None:
        """The grid has all."""

    def play_places(self, places: list[Place]) -> bool:
        """Draws them from the grid, which no budget ends."""
        for place in places:
            self.ends[place] = self.grid.ends[dataclasses.replace(place, seed=self.order[place.seed - 1])]
        return True


def cost(ends: dict[Place, Outcome]) -> dict[str, float]:
    return {"runs": len(ends),
            **{name: sum(end.metrics.get(name) or 0.0 for end in ends.values()) for name in COSTS[1:]}}


def as_good(means: list[Mean], others: list[list[Mean]]) -> bool:
    """Whether one of the others is no worse in any goal, within both intervals."""
    return any(all(other.mean <= own.mean + (own.half or 0) + (other.half or 0) for own, other in zip(means, of))
               for of in others)


def same_within_intervals(grid: Exploration, found: list[int], wanted: list[int]) -> bool:
    """Whether each design of either front has one in the other front that is as good, by the grid's means."""
    if any(number not in grid.means or number in grid.lost and grid.lost[number].stage != "beaten" for number in found):
        return False
    ours, theirs = ([grid.means[number][1] for number in numbers] for numbers in (found, wanted))
    return all(as_good(means, theirs) for means in ours) and all(as_good(means, ours) for means in theirs)


def of(grid: Exploration, races: int) -> list[dict[str, float]]:
    """A row for each race: shares of the grid's cost, and whether its front is the grid's, as 0 or 1."""
    draws, wanted = random.Random(1), grid.front()
    whole = cost({place: end for place, end in grid.ends.items() if place.share == 1})
    rows: list[dict[str, float]] = []
    for number in range(1, races + 1):
        order = list(range(1, grid.question.seeds[-1] + 1))
        draws.shuffle(order)
        one = Replay(grid, order)
        one.race()
        found = one.front()
        rows.append({"race": number, "same_front": int(sorted(found) == sorted(wanted)),
                     "same_within_intervals": int(same_within_intervals(grid, found, wanted)), "front": len(found),
                     "simulated": len({place.design for place in one.ends}), "runs": len(one.ends),
                     **{f"{name}_share": spent / whole[name] if whole[name] else 0.0
                        for name, spent in cost(one.ends).items()}})
    return rows


def write(folder: pathlib.Path, rows: list[dict[str, float]]) -> None:
    with open(folder / NAME, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, fieldnames=list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def summary(grid: Exploration, rows: list[dict[str, float]]) -> list[str]:
    runs = sum(place.share == 1 for place in grid.ends)
    lines = [f"grid: {len(grid.arithmetic.remaining)} designs, {runs} runs, front of {len(grid.front())} designs",
             f"{len(rows)} races: {sum(row['same_front'] for row in rows)} with exactly this front, "
             f"{sum(row['same_within_intervals'] for row in rows)} with the same one within intervals"]
    for name in COSTS:
        shares = [100 * row[f"{name}_share"] for row in rows]
        lines.append(f"share of the grid's {name}: median {statistics.median(shares):.1f} %, {min(shares):.1f} to "
                     f"{max(shares):.1f} %")
    return lines
