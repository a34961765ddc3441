# SPDX-License-Identifier: Apache-2.0
"""Numbers shown in a study's pictures: curves, effects of axes, the Pareto front."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import Any, TYPE_CHECKING

from . import comparable
from .decisions import Point
from .saturation import verdict_of
from .statistics import mean_confidence95
from .tables import numbers

if TYPE_CHECKING:
    from .designs import Axis
    from .study_file import Spec
    from .tables import Tables


BOUND_METRIC = "capacity_bound_flits_per_node_cycle"


@dataclasses.dataclass(frozen=True)
class Spot:
    """A metric at one position of a curve. `half` is half of its 95 % interval, None where it is not known. `saturated`
    and `lower_bound` hold of at least one of the runs."""

    x: float
    mean: float
    half: float | None
    saturated: bool = False
    lower_bound: bool = False


def curve(tables: Tables, design: int, metric: str) -> list[Spot]:
    """Spots by load. Loads that only some of the seeds have are left out: bisection gives each seed loads of its
    own."""
    spots: list[Any] = []
    for load, by_seed in tables.ends(design).items():
        good = [end.metrics for end in by_seed.values() if end.status == "complete"]
        mean, half = mean_confidence95(numbers(metrics.get(metric) for metrics in good))
        if mean is not None and len(by_seed) == len(tables.seeds[design]):
            spots.append(Spot(load, mean, half, any(verdict_of(metrics) == "saturated" for metrics in good),
                              any(metrics.get("latency_is_lower_bound") == 1 for metrics in good)))
    return spots


def capacity_bound(tables: Tables, design: int) -> float | None:
    """The load that no run of a design can carry; None where runs have none, or several."""
    ends = [end for by_seed in tables.ends(design).values() for end in by_seed.values() if end.status == "complete"]
    found = {end.metrics.get(BOUND_METRIC) for end in ends}
    return numbers(found)[0] if len(found) == 1 and numbers(found) else None


@dataclasses.dataclass(frozen=True)
class Effect:
    """Means of a metric by level of an axis, over `used` of `all` combinations of the other axes' levels and `seeds`
    seeds.

    `halves`: of the 95 % interval of the level's distance from the mean of all levels on the same seeds and
    combinations, so that two levels whose intervals do not overlap differ for certain. None by level where it is not
    known. Not `paired`: the levels have no combination and seed in common, and each mean is over what its level has."""

    axis: str
    metric: str
    labels: list[str]
    means: list[float]
    halves: list[float | None]
    used: int
    all: int
    seeds: int
    paired: bool


def common_load(tables: Tables) -> float | None:
    """The largest load of a study's curves at which all runs of all designs are stable; None where there is none, or
    where a load is not the same data for all designs."""
    if not tables.spec.curve or len(comparable.data_rates(tables.links)) > 1:
        return None
    ends = [(load, end) for design in tables.of_design for load, by_seed in tables.ends(design).items()
            for end in by_seed.values()]
    other = [load for load, end in ends if end.status == "complete" and verdict_of(end.metrics) not in ("stable", None)]
    return max((load for load in tables.spec.curve.loads if not other or load < min(other)), default=None)


def effect(tables: Tables, axis: int, metric: str, load: float | None = None) -> Effect | None:
    """The effect of the axis at position `axis` of the study's axes; None where no design has the metric. `load`: of
    the runs whose metric it is, where the study has curves and the metric is none of a whole curve."""
    values, rests = by_level_and_rest(tables, axis, metric, load)
    labels = [level.label for level in tables.spec.axes[axis].levels
              if any(values.get((level.label, rest)) for rest in rests)]
    if not labels:
        return None
    used = [rest for rest in rests if all(values.get((label, rest)) for label in labels)]
    cells = [values[label, rest] for label in labels for rest in used]
    seeds = sorted(set.intersection(*(set(cell) for cell in cells))) if cells else []
    name = tables.spec.axes[axis].name
    if not seeds:
        means = [mean_of([value for rest in rests for value in values.get((label, rest), {}).values()])
                 for label in labels]
        return Effect(name, metric, labels, means, [None] * len(labels), 0, len(rests), 0, False)
    by_seed = {label: [mean_of([values[label, rest][seed] for rest in used]) for seed in seeds] for label in labels}
    of_all = [mean_of(of_levels) for of_levels in zip(*by_seed.values())] if len(labels) > 1 else [0.0] * len(seeds)
    halves = [mean_confidence95([value - base for value, base in zip(by_seed[label], of_all)])[1] for label in labels]
    return Effect(name, metric, labels, [mean_of(by_seed[label]) for label in labels], halves, len(used), len(rests),
                  len(seeds), True)


def by_level_and_rest(tables: Tables, axis: int, metric: str,
                      load: float | None) -> tuple[dict[Any, dict[Any, float]], list[tuple[str, ...]]]:
    """({(label, labels of the other axes): {seed: value}}, [labels of the other axes])."""
    values, rests = {}, {}
    for design in tables.of_design:
        labels = tables.spec.designs[design].labels
        rest = labels[:axis] + labels[axis + 1:]
        rests[rest] = None
        known = {seed: metrics_at(tables, design, seed, load).get(metric) for seed in tables.seeds[design]}
        values[labels[axis], rest] = {seed: value for seed, value in known.items() if numbers([value])}
    return values, list(rests)


def metrics_at(tables: Tables, design: int, seed: Any, load: float | None) -> dict[str, float]:
    return tables.replicates[design, seed] if load is None else tables.outcomes.get(Point(design, seed, load)).metrics


def mean_of(values: list[float] | tuple[float, ...]) -> float:
    return math.fsum(values) / len(values)


@dataclasses.dataclass(frozen=True)
class Candidate:
    """A design with the two metrics of `pareto`. Its `place`: "front"; "not certain", where no design of the front is
    better in both by more than the intervals; or "dominated"."""

    design: int
    values: tuple[float, ...]  # two
    halves: tuple[float | None, ...]
    place: str = ""


def front(tables: Tables) -> list[Candidate]:
    """Candidates in the order of designs, of those that have both metrics."""
    candidates: list[Any] = []
    for design, row in zip(tables.of_design, tables.of_points()):
        values = tuple(row[metric] for metric, _ in tables.spec.pareto)
        if None not in values:
            candidates.append(Candidate(design, values,
                                        tuple(row[f"{metric}_confidence95"] for metric, _ in tables.spec.pareto)))
    signs = [1 if word == "min" else -1 for _, word in tables.spec.pareto]

    def costs(candidate: Candidate) -> tuple[float, ...]:
        return tuple(sign * value for sign, value in zip(signs, candidate.values))

    best, last, on_front = math.inf, None, []
    for candidate in sorted(candidates, key=costs):
        if costs(candidate)[1] < best or costs(candidate) == last:
            on_front.append(candidate)
            best, last = costs(candidate)[1], costs(candidate)
    places = {candidate.design: "front" for candidate in on_front}
    for candidate in candidates:
        worse = any(certainly_worse(candidate, other, signs) for other in on_front)
        places.setdefault(candidate.design, "dominated" if worse else "not certain")
    return [dataclasses.replace(candidate, place=places[candidate.design]) for candidate in candidates]


def certainly_worse(candidate: Candidate, other: Candidate, signs: list[int]) -> bool:
    """In both metrics by more than the root of the intervals' squares. An interval that is not known leaves it open."""
    if None in candidate.halves + other.halves:
        return False
    return all(sign * (mine - its) > math.hypot(half, its_half) for sign, mine, its, half, its_half
               in zip(signs, candidate.values, other.values, candidate.halves, other.halves))


def short_names(axes: list[Axis]) -> list[str]:
    """The last part of each axis' dotted key, where that distinguishes the axes."""
    short = [axis.name.split(".")[-1] for axis in axes]
    return [name if short.count(name) == 1 else axis.name for name, axis in zip(short, axes)]


def design_name(spec: Spec, design: int, inner: Sequence[int] | None = None) -> str:
    """Of its labels on the axes at the positions `inner` (default: all): numbers with the axis' name, words alone."""
    names, labels = short_names(spec.axes), spec.designs[design].labels
    inner = range(len(names)) if inner is None else inner
    return ", ".join(f"{names[i]} {labels[i]}" if spec.axes[i].numeric else labels[i] for i in inner) or spec.name


def panels(spec: Spec, designs: list[int], most: int = 8) -> tuple[list[int], list[tuple[str, list[int]]]]:
    """(inner, [(title, designs)]): groups of at most `most` designs that a reader can distinguish in one picture.
    Designs of a group differ in the axes at the positions `inner` alone; these are as many as possible."""
    count = len(spec.axes)
    sizes = [len(axis.levels) for axis in spec.axes]
    fitting = [inner for mask in range(2**min(count, 12)) for inner in [[i for i in range(count) if mask >> i & 1]]
               if math.prod(sizes[i] for i in inner) <= most]
    inner = max(fitting, key=lambda chosen: (math.prod(sizes[i] for i in chosen), [-i for i in chosen]))
    if not inner and count or math.prod(sizes[i] for i in inner) == 1 and len(designs) > 1:
        inner = [max(range(count), key=lambda i: sizes[i])]  # an axis of many levels: cut into parts
    outer = [i for i in range(count) if i not in inner]
    groups: dict[Any, Any] = {}
    for design in designs:
        groups.setdefault(design_name(spec, design, outer) if outer else "", []).append(design)
    parts: list[Any] = []
    for title, members in groups.items():
        pieces = math.ceil(len(members) / most)
        size = math.ceil(len(members) / pieces)
        parts += [(title if pieces == 1 else f"{title} {i + 1} of {pieces}".strip(), members[i * size:(i + 1) * size])
                  for i in range(pieces)]
    return inner, parts
