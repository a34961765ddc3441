"""The file of a study: what is run, over which axes, and what is asked of it."""

import dataclasses
import pathlib
import re
from typing import Any, Dict, List, Optional, Tuple

from . import marked_yaml
from .designs import Axis, Design, Value, assignments, grid, read_axis
from .errors import Refused

KEYS = ["title", "platform", "config", "set", "axes", "seeds", "replicates", "until", "curve", "metrics", "compare", "pareto", "keep"]
OWN_PLATFORMS = ["network", "cenju4", "lookup_study", "compact_study"]  # of this project
# Of the results, where an axis of this name would be lost.
COLUMNS = ("seed", "replicate", "seeds", "runs", "failed", "error", "load", "run", "stable_seeds", "saturated_seeds", "status", "against", "metric", "pairs", "verdict")
LOAD_KEY = "traffic.load_flits_per_node_cycle"
# Of a curve, beside what its runs have.
CURVE_METRICS = ["saturation_flits_per_node_cycle", "saturation_accepted_flits_per_node_cycle", "saturated_flits_per_node_cycle"]


@dataclasses.dataclass(frozen=True)
class Until:
    """Seeds are added until the 95 % interval of the metric's mean is at most +-`relative` of it."""

    metric: str
    relative: float
    at_least: int
    at_most: int


@dataclasses.dataclass(frozen=True)
class Curve:
    """Loads of every design. With `saturation` the highest stable and the lowest saturated load are bisected until they are the share
    `resolution` apart."""

    loads: Tuple[float, ...]
    saturation: bool
    resolution: float
    key: str
    place: str


@dataclasses.dataclass(frozen=True)
class Compare:
    """Every level of an axis is compared with one of them, on the same seeds."""

    axis: str
    base: str


@dataclasses.dataclass(frozen=True)
class Spec:
    """A study."""

    path: pathlib.Path
    title: str
    platform: str
    platform_place: str
    config: str
    axes: List[Axis]
    designs: List[Design]
    seeds: Tuple[Any, ...]  # or the replicates' values of another key
    seed_key: str
    until: Optional[Until]
    curve: Optional[Curve]
    metrics: Dict[str, str]  # with places
    compare: Optional[Compare]
    pareto: Tuple[Tuple[str, str], ...]  # metric and min or max
    keep: str

    @property
    def name(self):
        return self.path.stem

    @property
    def folder(self):
        return self.path.parent

    def run_metrics(self):
        """Metrics that runs must have."""
        return {name: place for name, place in self.metrics.items() if not (self.curve and name in CURVE_METRICS)}


def read(path):
    """Refused, with file, line and column, for a file that is none."""
    path = pathlib.Path(path)
    root = marked_yaml.read(path)
    nodes = root.map(KEYS)
    for needed in ("platform", "metrics"):
        if needed not in nodes:
            raise Refused(root.place, "", f"'{needed}' is missing", accepted=", ".join(KEYS))
    common = assignments(nodes["set"]) if "set" in nodes else {}
    axes = [read_axis(name, node) for name, node in nodes["axes"].map().items()] if "axes" in nodes else []
    curve = read_curve(nodes["curve"]) if "curve" in nodes else None
    designs = grid(axes, common)
    until = read_until(nodes["until"]) if "until" in nodes else None
    seed_key, seeds = read_replicates(nodes["replicates"], nodes, until) if "replicates" in nodes else ("seed", read_seeds(nodes, until))
    check_reserved(designs, curve, seed_key)
    check_columns(axes, nodes["axes"] if axes else None)
    metrics = read_metrics(nodes["metrics"], curve)
    check_until(nodes, until, metrics)
    return Spec(path.resolve(), nodes["title"].scalar() if "title" in nodes else path.stem, read_platform(nodes["platform"]),
                nodes["platform"].place, read_config(nodes.get("config"), path), axes, designs, seeds, seed_key, until, curve, metrics,
                read_compare(nodes.get("compare"), axes), read_pareto(nodes.get("pareto"), metrics),
                nodes["keep"].word(["all", "metrics"]) if "keep" in nodes else "all")


def read_platform(node):
    if not re.fullmatch(r"\w[\w-]*", node.scalar()):
        raise node.refused("not the name of an executable", f"{', '.join(OWN_PLATFORMS)}, or one in the folder of --platforms")
    return node.scalar()


def read_config(node, study):
    if node is None:
        return ""
    path = study.resolve().parent / node.scalar()
    if not path.is_file():
        raise node.refused("cannot be read: not a file", "a configuration, beside the study or by its whole path")
    return str(path.resolve())


def check_reserved(designs, curve, seed_key):
    reserved = {seed_key: "seeds" if seed_key == "seed" else "replicates", **({curve.key: "curve"} if curve else {})}
    for design in designs:
        for key, value in design.keys.items():
            if key in reserved:
                raise Refused(value.place, key, f"is set by '{reserved[key]}'", value.text, f"{reserved[key]} of the study")


def check_columns(axes, node):
    """An axis is a column of all tables, beside theirs."""
    for axis in axes:
        if axis.name in COLUMNS:
            raise Refused(axis.place, node.key, "is the name of another column of the results", axis.name, "another name of the axis")


def read_seeds(nodes, until):
    """The seeds that a design may use at most."""
    if until:
        if "seeds" in nodes:
            raise nodes["seeds"].refused("does not go together with 'until', which adds seeds from 1 on", "one of them")
        return tuple(range(1, until.at_most + 1))
    if "seeds" not in nodes:
        return (1,)
    node = nodes["seeds"]
    if node.is_list:
        seeds = tuple(item.integer(0, 2**64 - 1) for item in node.list())
        if len(set(seeds)) != len(seeds):
            raise node.refused("a seed twice", "seeds that differ")
        return seeds
    return tuple(range(1, node.integer(1, 10000) + 1))


def read_replicates(node, nodes, until):
    """Key and values, for what seeds do not vary."""
    if "seeds" in nodes:
        raise node.refused("does not go together with 'seeds'", "one of them")
    members = node.map(["key", "values"])
    for needed in ("key", "values"):
        if needed not in members:
            raise Refused(node.place, node.key, f"'{needed}' is missing", accepted="key, values")
    values = tuple(item.value_text() for item in members["values"].list())
    if len(set(values)) != len(values):
        raise members["values"].refused("a value twice", "values that differ")
    if until and until.at_most > len(values):
        raise members["values"].refused(f"{len(values)} values, and 'until' asks for up to {until.at_most}", "as many, or a smaller at_most")
    return members["key"].scalar(), values


def read_until(node):
    members = node.map(["metric", "relative", "at_least", "at_most"])
    for needed in ("metric", "relative"):
        if needed not in members:
            raise Refused(node.place, node.key, f"'{needed}' is missing", accepted="metric, relative, at_least, at_most")
    at_least = members["at_least"].integer(2, 10000) if "at_least" in members else 5
    at_most = members["at_most"].integer(at_least, 10000) if "at_most" in members else max(20, at_least)
    return Until(members["metric"].scalar(), members["relative"].real(1e-6, 1), at_least, at_most)


def check_until(nodes, until, metrics):
    if until and until.metric not in metrics:
        raise nodes["until"].map()["metric"].refused("not among the study's metrics", ", ".join(metrics))


def read_curve(node):
    members = node.map(["loads", "saturation", "resolution", "key"])
    if "loads" not in members:
        raise Refused(node.place, node.key, "'loads' is missing", accepted="loads, saturation, resolution, key")
    saturation = members["saturation"].word(["true", "false"]) == "true" if "saturation" in members else True
    resolution = members["resolution"].real(1e-3, 0.5) if "resolution" in members else 0.01
    key = members["key"].scalar() if "key" in members else LOAD_KEY
    return Curve(read_loads(members["loads"]), saturation, resolution, key, node.place)


def read_loads(node):
    """A list of loads that rise, or FROM:TO:POINTS as --sweep-load takes it."""
    accepted = "loads in (0, 1] that rise, or FROM:TO:POINTS"
    if node.is_list:
        loads = tuple(round(item.real(1e-6, 1), 6) for item in node.list())
    else:
        parts = node.scalar().split(":")
        try:
            low, high, points = float(parts[0]), float(parts[1]), int(parts[2])
        except (ValueError, IndexError):
            raise node.refused("not a sweep", accepted) from None
        if len(parts) != 3 or not 0 < low < high <= 1 or not 2 <= points <= 1000:
            raise node.refused("not a sweep", f"{accepted}, 2..1000 points")
        loads = tuple(round(low + (high - low) * i / (points - 1), 6) for i in range(points))
    if len(loads) < 2 or any(a >= b for a, b in zip(loads, loads[1:])):
        raise node.refused("loads that do not rise", accepted)
    return loads


def read_metrics(node, curve):
    metrics = {item.scalar(): item.place for item in node.list()}
    if len(metrics) != len(node.list()):
        raise node.refused("a metric twice", "metrics that differ")
    if curve and curve.saturation:
        metrics = {**{name: curve.place for name in CURVE_METRICS}, **metrics}
    return metrics


def read_compare(node, axes):
    if node is None:
        return None
    members = node.map(["axis", "with"])
    for needed in ("axis", "with"):
        if needed not in members:
            raise Refused(node.place, node.key, f"'{needed}' is missing", accepted="axis, with")
    axis = members["axis"].word([axis.name for axis in axes])
    labels = next([level.label for level in found.levels] for found in axes if found.name == axis)
    return Compare(axis, members["with"].word(labels))


def read_pareto(node, metrics):
    """Two metrics, each with min or max: {latency_cycles_mean: min, saturation_flits_per_node_cycle: max}."""
    if node is None:
        return ()
    members = node.map()
    if len(members) != 2:
        raise node.refused(f"{len(members)} metrics", "two, each with min or max")
    for name, child in members.items():
        if name not in metrics:
            raise child.refused(f"{name} is not among the study's metrics", ", ".join(metrics))
    return tuple((name, child.word(["min", "max"])) for name, child in members.items())
