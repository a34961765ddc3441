# SPDX-License-Identifier: Apache-2.0
"""The file of a study: its runs, its axes, and its questions."""

from __future__ import annotations

import dataclasses
import pathlib
import re
from typing import Any, TYPE_CHECKING

from . import marked_yaml
from .designs import WORDS, Axis, Design, Value, assignments, grid, read_axis
from .errors import Refused

if TYPE_CHECKING:
    from .marked_yaml import Node

KEYS = ["title", *WORDS, "set", "axes", "seeds", "replicates", "until", "curve", "metrics", "compare", "pairs",
        "pareto", "keep", "ranks"]
OWN_PLATFORMS = ["network", "cenju4", "lookup_study", "compact_study"]  # of this project
# Of the results, where an axis of this name would be lost.
COLUMNS = ("seed", "replicate", "seeds", "runs", "failed", "error", "load", "run", "stable_seeds", "saturated_seeds",
           "status", "against", "metric", "pairs", "verdict", "first", "second")
LOAD_KEY = "traffic.load_flits_per_node_cycle"
# Of a curve, beside what its runs have.
CURVE_METRICS = ["saturation_flits_per_node_cycle", "saturation_accepted_flits_per_node_cycle",
                 "saturated_flits_per_node_cycle"]
DATA_METRIC = "saturation_mb_per_node_s"  # the first of them in bytes of data
LOAD_UNIT, DATA_UNIT = "flits/node/cycle", "MB/node/s"
CURVE_UNITS = {**dict.fromkeys(CURVE_METRICS, LOAD_UNIT), DATA_METRIC: DATA_UNIT}
MOST_RANKS = 1024
DEFAULT_KEYS = "none"  # instead of a configuration


@dataclasses.dataclass(frozen=True)
class Until:
    """Seeds are added until the 95 % interval of the metric's mean is at most +-`relative` of it."""

    metric: str
    relative: float
    at_least: int
    at_most: int


@dataclasses.dataclass(frozen=True)
class Curve:
    """Loads of every design. With `saturation` the highest stable and the lowest saturated load are bisected until they
    are the share
    `resolution` apart."""

    loads: tuple[float, ...]
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
    axes: list[Axis]
    designs: list[Design]
    seeds: tuple[Any, ...]  # or the replicates' values of another key
    seed_key: str
    until: Until | None
    curve: Curve | None
    metrics: dict[str, str]  # with places
    compare: Compare | None
    pairs: dict[str, str]  # the base's level by axis, of those whose levels are tried alone and in pairs
    pareto: tuple[tuple[str, str], ...]  # metric and min or max
    keep: str
    ranks: int = 1  # processes of each run

    @property
    def name(self) -> Any:
        return self.path.stem

    @property
    def folder(self) -> pathlib.Path:
        return self.path.parent

    @property
    def platforms(self) -> dict[str, str]:
        """Places by platform, in the order of the designs."""
        places: dict[Any, Any] = {}
        for design in self.designs:
            places.setdefault(design.platform, design.words["platform"].place)
        return places

    def states(self, word: str) -> bool:
        """Whether the designs have `flit_bytes`, or `packet_bytes`."""
        return word in self.designs[0].words

    def run_metrics(self) -> dict[str, str]:
        """Metrics that runs must have."""
        own = curve_metrics(self.states("packet_bytes")) if self.curve else []
        return {name: place for name, place in self.metrics.items() if name not in own}


def curve_metrics(in_data: bool) -> list[str]:
    """A curve's own; `in_data`: the bytes of packets are stated."""
    return CURVE_METRICS + [DATA_METRIC] if in_data else CURVE_METRICS


def read(path: str | pathlib.Path) -> Spec:
    """Refused, with file, line and column, for a file that is none."""
    path = pathlib.Path(path)
    root = marked_yaml.read(path)
    nodes = root.map(KEYS)
    if "metrics" not in nodes:
        raise Refused(root.place, "", "'metrics' is missing", accepted=", ".join(KEYS))
    common = {**read_common(nodes.get("set")), **{word: Value(nodes[word].scalar(), nodes[word].place)
                                                  for word in WORDS if word in nodes}}
    axes = [read_axis(name, node) for name, node in nodes["axes"].map().items()] if "axes" in nodes else []
    curve = read_curve(nodes["curve"]) if "curve" in nodes else None
    designs = [checked_words(design, path.resolve().parent) for design in grid(axes, common)]
    check_all_have_words(designs, axes, root, curve)
    until = read_until(nodes["until"]) if "until" in nodes else None
    seed_key, seeds = read_replicates(nodes["replicates"], nodes,
                                      until) if "replicates" in nodes else ("seed", read_seeds(nodes, until))
    check_reserved(designs, curve, seed_key)
    check_columns(axes, nodes["axes"] if axes else None)
    metrics = read_metrics(nodes["metrics"], curve, "packet_bytes" in designs[0].words)
    check_until(nodes, until, metrics)
    return Spec(path.resolve(), nodes["title"].scalar() if "title" in nodes else path.stem, axes, designs, seeds,
                seed_key, until, curve, metrics,
                read_compare(nodes.get("compare"), axes), read_pairs(nodes.get("pairs"), axes),
                read_pareto(nodes.get("pareto"), metrics),
                nodes["keep"].word(["all", "metrics"]) if "keep" in nodes else "all",
                nodes["ranks"].integer(1, MOST_RANKS) if "ranks" in nodes else 1)


def read_common(node: Node | None) -> dict[str, Value]:
    """Keys of all runs."""
    common = assignments(node) if node else {}
    for word in WORDS:
        if word in common:
            raise Refused(common[word].place, f"set.{word}", "is a word of the study, no key", common[word].text,
                          f"'{word}' beside 'set', or in a variant")
    return common


def checked_words(design: Design, folder: pathlib.Path) -> Design:
    """A design whose words are right, with the whole path of its configuration. `folder`: the study's."""
    words = dict(design.words)
    if "platform" in words and not re.fullmatch(r"\w[\w-]*", words["platform"].text):
        raise refused_word(words, "platform", "not the name of an executable",
                           f"{', '.join(OWN_PLATFORMS)}, or one in the folder of --platforms")
    config = words.pop("config", None)
    if config and config.text != DEFAULT_KEYS:
        if not (folder / config.text).is_file():
            raise refused_word(design.words, "config", "cannot be read: not a file",
                               f"a configuration, beside the study or by its whole path, or {DEFAULT_KEYS}")
        words["config"] = Value(str((folder / config.text).resolve()), config.place)
    for word in ("flit_bytes", "packet_bytes"):
        if word in words and not is_size(words[word].text):
            raise refused_word(words, word, "no number of bytes", "a number 0.001..1e+06")
    return dataclasses.replace(design, words=words)


def is_size(text: str) -> bool:
    try:
        return 0.001 <= float(text) <= 1e6
    except ValueError:
        return False


def refused_word(words: dict[str, Value], word: str, problem: str, accepted: str) -> Refused:
    return Refused(words[word].place, word, problem, words[word].text, accepted)


def check_all_have_words(designs: list[Design], axes: list[Axis], root: Node, curve: Curve | None) -> None:
    """Every design has a platform, and bytes where one has them."""
    for word in ("platform", "flit_bytes", "packet_bytes"):
        having = [design for design in designs if word in design.words]
        if len(having) == len(designs) or not having and word != "platform":
            continue
        if not having:
            raise Refused(root.place, "", f"'{word}' is missing", accepted=", ".join(KEYS))
        without = next(design for design in designs if word not in design.words)
        told = ", ".join(f"{axis.name} {label}" for axis, label in zip(axes, without.labels))
        raise Refused(having[0].words[word].place, word, f"is missing for {told}",
                      accepted=f"'{word}' of the study, or of every variant")
    words = designs[0].words
    if "packet_bytes" in words and "flit_bytes" not in words:
        raise refused_word(words, "packet_bytes", "without flit_bytes", "both, or flit_bytes alone")
    if "packet_bytes" in words and (curve is None or curve.key != LOAD_KEY):
        raise refused_word(words, "packet_bytes", f"without a curve over {LOAD_KEY}", "a curve, or flit_bytes alone")


def check_reserved(designs: list[Design], curve: Curve | None, seed_key: str) -> None:
    reserved = {seed_key: "seeds" if seed_key == "seed" else "replicates", **({curve.key: "curve"} if curve else {})}
    for design in designs:
        for key, value in design.keys.items():
            if key in reserved:
                raise Refused(value.place, key, f"is set by '{reserved[key]}'", value.text,
                              f"{reserved[key]} of the study")


def check_columns(axes: list[Axis], node: Node | None) -> None:
    """An axis is a column of all tables, beside theirs."""
    for axis in axes:
        if axis.name in COLUMNS:
            raise Refused(axis.place, node.key, "is the name of another column of the results", axis.name,
                          "another name of the axis")


def read_seeds(nodes: dict[str, Node], until: Until | None) -> tuple[int, ...]:
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


def read_replicates(node: Node, nodes: dict[str, Node], until: Until | None) -> tuple[str, tuple[str, ...]]:
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
        raise members["values"].refused(f"{len(values)} values, and 'until' asks for up to {until.at_most}",
                                        "as many, or a smaller at_most")
    return members["key"].scalar(), values


def read_until(node: Node) -> Until:
    members = node.map(["metric", "relative", "at_least", "at_most"])
    for needed in ("metric", "relative"):
        if needed not in members:
            raise Refused(node.place, node.key, f"'{needed}' is missing",
                          accepted="metric, relative, at_least, at_most")
    at_least = members["at_least"].integer(2, 10000) if "at_least" in members else 5
    at_most = members["at_most"].integer(at_least, 10000) if "at_most" in members else max(20, at_least)
    return Until(members["metric"].scalar(), members["relative"].real(1e-6, 1), at_least, at_most)


def check_until(nodes: dict[str, Node], until: Until | None, metrics: dict[str, str]) -> None:
    if until and (until.metric not in metrics or until.metric == DATA_METRIC):
        raise nodes["until"].map()["metric"].refused("not among the study's metrics",
                                                     ", ".join(name for name in metrics if name != DATA_METRIC))


def read_curve(node: Node) -> Curve:
    members = node.map(["loads", "saturation", "resolution", "key"])
    if "loads" not in members:
        raise Refused(node.place, node.key, "'loads' is missing", accepted="loads, saturation, resolution, key")
    saturation = members["saturation"].word(["true", "false"]) == "true" if "saturation" in members else True
    resolution = members["resolution"].real(1e-3, 0.5) if "resolution" in members else 0.01
    key = members["key"].scalar() if "key" in members else LOAD_KEY
    return Curve(read_loads(members["loads"]), saturation, resolution, key, node.place)


def read_loads(node: Node) -> tuple[float, ...]:
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


def read_metrics(node: Node, curve: Curve | None, in_data: bool) -> dict[str, str]:
    """With the curve's own."""
    metrics = {item.scalar(): item.place for item in node.list()}
    if len(metrics) != len(node.list()):
        raise node.refused("a metric twice", "metrics that differ")
    if curve and curve.saturation:
        metrics = {**{name: curve.place for name in curve_metrics(in_data)}, **metrics}
    return metrics


def read_compare(node: Node | None, axes: list[Axis]) -> Compare | None:
    if node is None:
        return None
    members = node.map(["axis", "with"])
    for needed in ("axis", "with"):
        if needed not in members:
            raise Refused(node.place, node.key, f"'{needed}' is missing", accepted="axis, with")
    axis = members["axis"].word([axis.name for axis in axes])
    labels = next([level.label for level in found.levels] for found in axes if found.name == axis)
    return Compare(axis, members["with"].word(labels))


def read_pairs(node: Node | None, axes: list[Axis]) -> dict[str, str]:
    """{AXIS: LEVEL} of the base."""
    members = node.map([axis.name for axis in axes]) if node else {}
    if node and len(members) < 2:
        raise node.refused(f"{len(members)} axes", "two or more, each with the level of the base")
    of_axis = {axis.name: [level.label for level in axis.levels] for axis in axes}
    return {name: members[name].word(of_axis[name]) for name in of_axis if name in members}


def read_pareto(node: Node | None, metrics: dict[str, str]) -> tuple[tuple[str, str], ...]:
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
