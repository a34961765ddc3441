"""What a study still needs: a function of the runs that have ended, whatever the order in which they did."""

import dataclasses
from typing import Any, Dict, Optional

from .runs import Run
from .statistics import mean_confidence95, seeds_for
from .study_file import CURVE_METRICS

ACCEPTED_BY = "accepted_flits_per_node_cycle"


@dataclasses.dataclass(frozen=True)
class Outcome:
    """The end of a run: `complete` with metrics, or `failed`, `refused` or `lost` with an error of one line."""

    status: str
    metrics: Dict[str, Any] = dataclasses.field(default_factory=dict)
    error: str = ""


@dataclasses.dataclass(frozen=True)
class Point:
    """What a run is about: a design, a seed, and a load where the study has curves."""

    design: int
    seed: Any  # or the value of another key that the study replicates by
    load: Optional[float] = None


def load_text(load):
    return f"{load:.6f}".rstrip("0").rstrip(".")


def run_of(spec, point):
    """The run of a point."""
    keys = {key: value.text for key, value in spec.designs[point.design].keys.items()}
    keys[spec.seed_key] = str(point.seed)
    if point.load is not None:
        keys[spec.curve.key] = load_text(point.load)
    return Run(spec.platform, spec.config, keys)


def curve_step(curve, saturated):
    """(loads, saturation point): all loads that a curve needs by what is known of `saturated`, by load (True, False, None: the run
    has not succeeded; absent: not run yet). The point is None while it is open, and where a load of it has failed. It is found as
    --sweep-load does: the largest load that is accepted, to the curve's resolution."""
    loads = list(curve.loads)
    if not curve.saturation or any(load not in saturated for load in loads):
        return loads, None
    if any(saturated[load] is None for load in loads):
        return loads, None
    first = next((load for load in loads if saturated[load]), None)
    accepted = max((load for load in loads if first is None or load < first), default=0.0)
    refused = first if first is not None else 1.0
    if first is None and 1.0 not in loads:
        loads.append(1.0)
        if saturated.get(1.0) is None:
            return loads, None
    if first is None and not saturated[1.0]:
        return loads, 1.0
    while refused - accepted > curve.resolution + 1e-9:
        middle = round((accepted + refused) / 2, 6)
        if middle not in loads:
            loads.append(middle)
        if saturated.get(middle) is None:
            return loads, None
        if saturated[middle]:
            refused = middle
        else:
            accepted = middle
    return loads, accepted


def saturated_loads(spec, outcomes, design, seed):
    """By load, of the runs that have ended."""
    known = {}
    for point, outcome in outcomes.of_replicate(design, seed).items():
        value = outcome.metrics.get("saturated") if outcome.status == "complete" else None
        known[point.load] = None if value is None else value == 1
    return known


def replicate(spec, outcomes, design, seed):
    """(points, metrics): the points of a design with one seed, and the replicate's metrics, None while a point of it is open. One that
    has failed has no metrics, {}."""
    if spec.curve is None:
        point = Point(design, seed)
        outcome = outcomes.get(point)
        return [point], None if outcome is None else outcome.metrics
    saturated = saturated_loads(spec, outcomes, design, seed)
    loads, saturation = curve_step(spec.curve, saturated)
    points = [Point(design, seed, load) for load in loads]
    if any(load not in saturated for load in loads):
        return points, None
    if saturation is None:
        return points, {}
    at_saturation = outcomes.get(Point(design, seed, saturation))
    accepted = at_saturation.metrics.get(ACCEPTED_BY) if at_saturation else None
    return points, dict(zip(CURVE_METRICS, (saturation, accepted)))


def design_points(spec, outcomes, design):
    """All points that a design needs by what has ended. With `until` seeds 1..n are judged together, and n grows until the answer is
    certain: it never depends on which of them has ended first."""
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


def next_number(until, number, values):
    """Of seeds; the same where the answer is certain. At most twice as many, as few seeds say little of how many it takes."""
    samples = [value for value in values if value is not None]
    if len(samples) < 2:
        return min(until.at_most, 2 * number)
    mean, half = mean_confidence95(samples)
    if half <= until.relative * abs(mean):
        return number
    return max(number + 1, min(until.at_most, 2 * number, int(min(seeds_for(samples, until.relative), until.at_most))))


class Outcomes:
    """Ends of runs by point."""

    def __init__(self):
        self.by_replicate = {}

    def put(self, point, outcome):
        self.by_replicate.setdefault((point.design, point.seed), {})[point] = outcome

    def get(self, point):
        return self.of_replicate(point.design, point.seed).get(point)

    def of_replicate(self, design, seed):
        return self.by_replicate.get((design, seed), {})


def all_points(spec, outcomes):
    """In the order of designs and seeds, each once."""
    return [point for design in spec.designs for point in design_points(spec, outcomes, design.number)]
