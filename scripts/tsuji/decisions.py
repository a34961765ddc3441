# SPDX-License-Identifier: Apache-2.0
"""What a study still needs: a function of the runs that have ended, whatever the order in which they did."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any, TYPE_CHECKING

from . import saturation
from .runs import Run
from .statistics import mean_confidence95, seeds_for
from .study_file import CURVE_METRICS

if TYPE_CHECKING:
    from .saturation import Bracket, End
    from .study_file import Spec, Until

ACCEPTED_BY = "accepted_flits_per_node_cycle"
LENGTH_KEY = "measure.cycles"


@dataclasses.dataclass(frozen=True)
class Outcome:
    """The end of a run: `complete` with metrics, or `failed`, `refused` or `lost` with an error of one line."""

    status: str
    metrics: dict[str, Any] = dataclasses.field(default_factory=dict)
    error: str = ""


@dataclasses.dataclass(frozen=True)
class Point:
    """The place of a run: a design, a seed, and a load where the study has curves."""

    design: int
    seed: Any  # or the value of another key that the study replicates by
    load: float | None = None
    cycles: int | None = None  # that a run measures which was made longer


def load_text(load: float) -> str:
    return f"{load:.6f}".rstrip("0").rstrip(".")


def run_of(spec: Spec, point: Point) -> Run:
    """The run of a point."""
    design = spec.designs[point.design]
    keys = {key: value.text for key, value in design.keys.items()}
    keys[spec.seed_key] = str(point.seed)
    if point.load is not None:
        keys[spec.curve.key] = load_text(point.load)
    if point.cycles is not None:
        keys[LENGTH_KEY] = str(point.cycles)
    return Run(design.platform, design.config, keys)


def end_of(outcome: Outcome, times: int) -> End | None:
    """Of a run for the search; None where it has failed."""
    verdict = saturation.verdict_of(outcome.metrics) if outcome.status == "complete" else None
    if verdict is None:
        return None
    needs, measured = outcome.metrics.get("stability_needs_cycles"), outcome.metrics.get("measured_cycles")
    return saturation.End(verdict, needs / (measured / times) if needs and measured else None)


def curve_points(spec: Spec, outcomes: Outcomes, design: int, seed: Any) -> tuple[list[Point], Bracket | None]:
    """(points, bracket) of a curve: all points that it needs by what has ended, and its saturation, None while it is
    open or where a point of it has failed."""
    curve, known = spec.curve, outcomes.of_replicate(design, seed)
    if not curve.saturation:
        return [Point(design, seed, load) for load in curve.loads], None
    cycles = {point.load: outcome.metrics.get("measured_cycles")
              for point, outcome in known.items() if point.cycles is None}

    def point_of(load: float, times: int) -> Point:
        return Point(design, seed, load, None if times == 1 else round(cycles[load] * times))

    ends: dict[Any, Any] = {}
    for point, outcome in known.items():
        times = 1 if point.cycles is None or not cycles.get(point.load) else round(point.cycles / cycles[point.load])
        ends[point.load, times] = end_of(outcome, times)
    runs, bracket = saturation.search(curve.loads, ends, curve.resolution)
    return [point_of(*run) for run in runs], bracket


def replicate(spec: Spec, outcomes: Outcomes, design: int, seed: Any) -> tuple[list[Point], dict[str, Any] | None]:
    """(points, metrics): the points of a design with one seed, and the replicate's metrics, None while a point of it is
    open. One that has failed has no metrics, {}."""
    if spec.curve is None:
        point = Point(design, seed)
        outcome = outcomes.get(point)
        return [point], None if outcome is None else outcome.metrics
    points, bracket = curve_points(spec, outcomes, design, seed)
    if any(outcomes.get(point) is None for point in points):
        return points, None
    if bracket is None:
        return points, {}
    at_saturation = [outcomes.get(point) for point in points if point.load == bracket.stable]
    accepted = at_saturation[-1].metrics.get(ACCEPTED_BY) if at_saturation else None
    return points, dict(zip(CURVE_METRICS, (bracket.stable, accepted, bracket.saturated)))


def design_points(spec: Spec, outcomes: Outcomes, design: int) -> list[Point]:
    """All points that a design needs by what has ended. With `until` seeds 1..n are judged together, and n grows until
    the answer is certain: it never depends on which of them has ended first."""
    if spec.until is None:
        return [point for seed in spec.seeds for point in replicate(spec, outcomes, design, seed)[0]]
    number = spec.until.at_least
    while True:
        replicates = [replicate(spec, outcomes, design, seed) for seed in spec.seeds[:number]]
        points = [point for of_seed, _ in replicates for point in of_seed]
        if number >= spec.until.at_most or any(metrics is None for _, metrics in replicates):
            return points
        following = next_number(spec.until, number, [metrics.get(spec.until.metric) for _, metrics in replicates])
        if following == number:
            return points
        number = following


def next_number(until: Until, number: int, values: Sequence[float]) -> int:
    """Of seeds; the same where the answer is certain. At most twice as many, as few seeds say little of how many it
    takes."""
    samples = [value for value in values if value is not None]
    if len(samples) < 2:
        return min(until.at_most, 2 * number)
    mean, half = mean_confidence95(samples)
    if half <= until.relative * abs(mean):
        return number
    return max(number + 1, min(until.at_most, 2 * number, int(min(seeds_for(samples, until.relative), until.at_most))))


class Outcomes:
    """Ends of runs by point."""

    def __init__(self) -> None:
        self.by_replicate: dict[Any, Any] = {}

    def put(self, point: Point, outcome: Outcome) -> None:
        self.by_replicate.setdefault((point.design, point.seed), {})[point] = outcome

    def get(self, point: Point) -> Outcome | None:
        return self.of_replicate(point.design, point.seed).get(point)

    def of_replicate(self, design: int, seed: Any) -> dict[Point, Outcome]:
        return self.by_replicate.get((design, seed), {})


def all_points(spec: Spec, outcomes: Outcomes) -> list[Point]:
    """In the order of designs and seeds, each once."""
    return [point for design in spec.designs for point in design_points(spec, outcomes, design.number)]
