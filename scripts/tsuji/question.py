# SPDX-License-Identifier: Apache-2.0
"""The file of an exploration: a space of designs, loads, constraints, and what is to be small."""

from __future__ import annotations

import dataclasses
import pathlib
import random
import re
from collections.abc import Callable
from typing import Any, TYPE_CHECKING

from . import marked_yaml
from .designs import MOST_DESIGNS, Axis, Level, Value, assignments, read_axis
from .errors import Refused

if TYPE_CHECKING:
    from .marked_yaml import Node

KEYS = ["title", "config", "flit_bits", "tile_mm", "set", "space", "search", "load", "must", "minimize", "budget",
        "race"]
ABSENT = "-"  # label of an axis that a design does not have
RANGES = ("powers_of_two", "range")
# Facts of a network that need no run, with their units; facts.py computes them.
FACTS = {"routers": "routers", "router_ports": "ports", "router_ports_total": "ports", "wires": "wires",
         "wire_length_mm": "mm", "bisection_wires": "wires", "buffer_bits": "bit", "table_bits": "bit",
         "capacity_bound_flits_per_node_cycle": "flits/node/cycle", "latency_cycles_without_contention": "cycles"}
OF_A_LOAD = ("capacity_bound_flits_per_node_cycle", "latency_cycles_without_contention")  # facts that loads differ in
DEADLOCK, SURVIVES = "deadlock_free", "survives"  # constraints that are proofs


@dataclasses.dataclass(frozen=True)
class Dimension:
    """An axis of the space. `where`: labels by another axis, of the designs that have this one."""

    axis: Axis
    where: dict[str, list[str]]


@dataclasses.dataclass(frozen=True)
class Candidate:
    """A design of the space: its label of every axis, and the keys that it sets."""

    number: int
    labels: tuple[str, ...]
    keys: dict[str, Value]


@dataclasses.dataclass(frozen=True)
class Load:
    """Traffic that every design is judged by. `weight`: its share of weighted means."""

    name: str
    weight: float
    keys: dict[str, Value]
    place: str


@dataclasses.dataclass(frozen=True)
class Bound:
    """A constraint on a metric: at most or at least a value, at each of some loads."""

    metric: str
    most: float | None
    least: float | None
    unit: str
    loads: tuple[str, ...]
    at: str  # words for the loads; empty: all
    place: str

    def excess(self, value: float) -> float:
        """By which share of the bound a value breaks it; at most 0: it holds."""
        bound = self.most if self.most is not None else self.least
        over = value - bound if self.most is not None else bound - value
        return over / abs(bound) if bound else over

    def text(self) -> str:
        words = f"at most {self.most:g}" if self.most is not None else f"at least {self.least:g}"
        return f"{self.metric} {words}{f' {self.unit}' if self.unit else ''}{self.at}"


@dataclasses.dataclass(frozen=True)
class Goal:
    """A metric that is to be small: its weighted mean over some loads."""

    metric: str
    loads: tuple[str, ...]
    at: str  # words for the loads; empty: all
    place: str

    @property
    def is_fact(self) -> bool:
        return self.metric in FACTS

    def text(self) -> str:
        return self.metric + self.at


@dataclasses.dataclass(frozen=True)
class Search:
    """Which designs of the space are looked at: `grid`, all; `random`, those that are drawn; `optuna`, those that
    Optuna proposes by the goals of those before."""

    kind: str
    designs: int
    seed: int
    place: str


@dataclasses.dataclass(frozen=True)
class Question:
    path: pathlib.Path
    title: str
    config: str
    flit_bits: int
    tile_mm: float
    dimensions: list[Dimension]
    common: dict[str, Value]  # keys of all designs
    search: Search
    candidates: list[Candidate]  # with Optuna those that it has proposed
    loads: list[Load]
    bounds: list[Bound]
    deadlock_free: bool
    dead_links: int  # that every design must survive
    draws: int  # sets of dead links that are tried
    goals: list[Goal]
    most_runs: int | None
    most_core_hours: float | None
    confidence: float
    seeds: tuple[int, ...]  # of each rung of the race, in total
    pilots: int  # designs by which the fast model is measured, at least
    trace_share: float  # of an application's trace, which designs play first; 1: they do not

    @property
    def name(self) -> str:
        return self.path.stem

    @property
    def axes(self) -> list[Axis]:
        return [dimension.axis for dimension in self.dimensions]


def read(path: str | pathlib.Path) -> Question:
    """Refused, with file, line and column, for a file that is none."""
    path = pathlib.Path(path)
    root = marked_yaml.read(path, "a question")
    nodes = root.map(KEYS)
    for needed in ("space", "load", "minimize"):
        if needed not in nodes:
            raise Refused(root.place, "", f"'{needed}' is missing", accepted=", ".join(KEYS))
    common = assignments(nodes["set"]) if "set" in nodes else {}
    dimensions = read_space(nodes["space"])
    loads = read_loads(nodes["load"])
    search = read_search(nodes.get("search"))
    check_owners(common, dimensions, loads)
    bounds, deadlock_free, dead_links, draws = read_must(nodes.get("must"), loads)
    budget = read_budget(nodes.get("budget"))
    seeds, pilots, share = read_race(nodes.get("race"))
    return Question(path.resolve(), nodes["title"].scalar() if "title" in nodes else path.stem,
                    read_config(nodes.get("config"), path),
                    nodes["flit_bits"].integer(1, 65535) if "flit_bits" in nodes else 64,
                    nodes["tile_mm"].real(0.001, 1e6) if "tile_mm" in nodes else 1.0,
                    dimensions, common, search, found_designs(dimensions, common, search, nodes["space"]),
                    loads, bounds, deadlock_free, dead_links, draws,
                    read_goals(nodes["minimize"], loads), *budget, seeds, pilots, share)


def read_config(node: Node | None, path: pathlib.Path) -> str:
    """The whole path; empty: every key has its default."""
    if node is None or node.scalar() == "none":
        return ""
    file = path.resolve().parent / node.scalar()
    if not file.is_file():
        raise node.refused("cannot be read: not a file", "a configuration, beside the question or by its whole path, "
                           "or none")
    return str(file.resolve())


def read_space(node: Node) -> list[Dimension]:
    if not node.is_map or not node.map():
        raise node.refused("the space of designs is empty", "axes: KEY: [values], a range, or NAME: {variants}")
    dimensions: list[Dimension] = []
    for name, child in node.map().items():
        where: dict[str, list[str]] = {}
        values = child
        if child.is_map and "where" in child.map():
            members = child.map(["values", "where"])
            if "values" not in members:
                raise child.refused("'where' without 'values'", "{values: [...], where: {AXIS: [labels]}}")
            values, where = members["values"], read_where(members["where"], dimensions)
        dimensions.append(Dimension(read_dimension(name, values), where))
    return dimensions


def read_where(node: Node, before: list[Dimension]) -> dict[str, list[str]]:
    known = {dimension.axis.name: [level.label for level in dimension.axis.levels] for dimension in before}
    where: dict[str, list[str]] = {}
    for name, child in node.map(list(known)).items():
        labels = child.list() if child.is_list else [child]
        where[name] = [label.word(known[name]) for label in labels]
    return where


def read_dimension(name: str, node: Node) -> Axis:
    if node.is_map and set(node.map()) & set(RANGES):
        texts = read_range(node)
        return Axis(name, node.place, [Level(text, {name: Value(text, node.place)}) for text in texts], True)
    return read_axis(name, node)


def read_range(node: Node) -> list[str]:
    """Values of {powers_of_two: [LOW, HIGH]}, or of {range: [LOW, HIGH], steps: N}, with ends and equal distances."""
    members = node.map([*RANGES, "steps"])
    if "powers_of_two" in members:
        ends = members["powers_of_two"].list()
        if len(ends) != 2 or "range" in members or "steps" in members:
            raise node.refused("not a range", "{powers_of_two: [LOW, HIGH]}")
        least, most = (end.integer(1, 2**31) for end in ends)
        powers = [2**power for power in range(32) if least <= 2**power <= most]
        if not powers:
            raise members["powers_of_two"].refused("no power of two", "LOW <= a power of two <= HIGH")
        return [str(value) for value in powers]
    if "steps" not in members:
        raise node.refused("a range without steps", "{range: [LOW, HIGH], steps: N}")
    ends, steps = members["range"].list(), members["steps"].integer(2, 1000)
    if len(ends) != 2:
        raise members["range"].refused(f"{len(ends)} values", "[LOW, HIGH]")
    (low, unit), (high, other) = (number_and_unit(end) for end in ends)
    if unit != other:
        raise ends[1].refused(f"a range from '{unit or 'no unit'}' to '{other or 'no unit'}'", "ends in one unit")
    if low >= high:
        raise members["range"].refused("an empty range", "LOW < HIGH")
    whole = all(float(value).is_integer() for value in (low, high)) and (high - low) % (steps - 1) == 0
    values = [low + (high - low) * step / (steps - 1) for step in range(steps)]
    return [(f"{value:.0f}" if whole else f"{value:.6g}") + (f" {unit}" if unit else "") for value in values]


def number_and_unit(node: Node) -> tuple[float, str]:
    match = re.fullmatch(r"\s*([-+]?[0-9.]+(?:[eE][-+]?[0-9]+)?)\s*(.*?)\s*", node.scalar())
    try:
        return float(match.group(1)), match.group(2)
    except (AttributeError, ValueError):
        raise node.refused("not a number", "a number, with its unit where it has one") from None


def read_search(node: Node | None) -> Search:
    if node is None:
        return Search("grid", 0, 1, "")
    members = node.map(["kind", "designs", "seed"])
    kind = members["kind"].word(["grid", "random", "optuna"]) if "kind" in members else "random"
    if ("designs" in members) == (kind == "grid"):
        raise node.refused("'designs' with a grid" if kind == "grid" else "'designs' is missing",
                           "{kind: grid}, or {kind: random or optuna, designs: N, seed: N}")
    return Search(kind, members["designs"].integer(1, MOST_DESIGNS) if "designs" in members else 0,
                  members["seed"].integer(0, 2**32 - 1) if "seed" in members else 1, node.place)


def found_designs(dimensions: list[Dimension], common: dict[str, Value], search: Search,
                  node: Node) -> list[Candidate]:
    if search.kind == "grid":
        return enumerate_designs(dimensions, common, node)
    return drawn_designs(dimensions, common, search) if search.kind == "random" else []


def design_of(number: int, dimensions: list[Dimension], common: dict[str, Value],
              pick: Callable[[Axis], Level]) -> Candidate:
    """A design of picked levels, of the axes that it has."""
    labels: dict[str, str] = {}
    keys: dict[str, Value] = {}
    for dimension in dimensions:
        applies = all(labels[name] in wanted for name, wanted in dimension.where.items())
        level = pick(dimension.axis) if applies else Level(ABSENT, {})
        labels[dimension.axis.name], keys = level.label, merged(keys, level, dimension.axis)
    return Candidate(number, tuple(labels.values()), {**common, **keys})


def drawn_designs(dimensions: list[Dimension], common: dict[str, Value], search: Search) -> list[Candidate]:
    """Designs that differ, each level of an axis as likely as another; fewer where the space has fewer."""
    draws, found = random.Random(search.seed), {}
    for _ in range(50 * search.designs):
        design = design_of(len(found), dimensions, common, lambda axis: draws.choice(axis.levels))
        found.setdefault(design.labels, design)
        if len(found) == search.designs:
            break
    return list(found.values())


def enumerate_designs(dimensions: list[Dimension], common: dict[str, Value], node: Node) -> list[Candidate]:
    """In the order of the axes, the last one fastest. A design that an axis does not apply to has it once, without its
    keys."""
    candidates: list[Candidate] = []
    partial: list[tuple[dict[str, str], dict[str, Value]]] = [({}, {})]
    for dimension in dimensions:
        axis, grown = dimension.axis, []
        for labels, keys in partial:
            applies = all(labels[name] in wanted for name, wanted in dimension.where.items())
            levels = axis.levels if applies else [Level(ABSENT, {})]
            grown += [({**labels, axis.name: level.label}, merged(keys, level, axis)) for level in levels]
            if len(grown) > MOST_DESIGNS:
                raise node.refused("too many designs", f"at most {MOST_DESIGNS}, or a search that draws some")
        partial = grown
    for number, (labels, keys) in enumerate(partial):
        candidates.append(Candidate(number, tuple(labels.values()), {**common, **keys}))
    return candidates


def merged(keys: dict[str, Value], level: Level, axis: Axis) -> dict[str, Value]:
    for key, value in level.keys.items():
        if key in keys:
            raise Refused(value.place, f"space.{axis.name}", f"sets {key}, as another axis does", value.text,
                          "a key in one axis of a design")
    return {**keys, **level.keys}


def read_loads(node: Node) -> list[Load]:
    if not node.is_map or not node.map():
        raise node.refused("no load", "NAME: {KEY: VALUE, ..., weight: W}")
    loads: list[Load] = []
    for name, child in node.map().items():
        members = child.map()
        weight = members["weight"].real(1e-9, 1e9) if "weight" in members else 1.0
        keys = assignments(child)
        keys.pop("weight", None)
        loads.append(Load(name, weight, keys, child.place))
    return loads


def check_owners(common: dict[str, Value], dimensions: list[Dimension], loads: list[Load]) -> None:
    """A key has one owner: the seed the race, others the space, the loads, or `set`."""
    of_space = {key for dimension in dimensions for level in dimension.axis.levels for key in level.keys}
    for where, keys in (("set", common), *((f"space.{dimension.axis.name}", level.keys) for dimension in dimensions
                                           for level in dimension.axis.levels),
                        *((f"load.{load.name}", load.keys) for load in loads)):
        for key, value in keys.items():
            if key == "seed":
                raise Refused(value.place, where, "seeds are drawn by the race", value.text, "race.seeds")
            if where.startswith("load.") and (key in of_space or key in common):
                raise Refused(value.place, where, f"sets {key}, as {'space' if key in of_space else 'set'} does",
                              value.text, "a key in one of them")


def read_must(node: Node | None, loads: list[Load]) -> tuple[list[Bound], bool, int, int]:
    bounds: list[Bound] = []
    deadlock_free, dead_links, draws = False, 0, 0
    for name, child in (node.map() if node else {}).items():
        if name == DEADLOCK:
            deadlock_free = child.word(["true", "false"]) == "true"
        elif name == SURVIVES:
            members = child.map(["dead_links", "draws"])
            if "dead_links" not in members:
                raise child.refused("'dead_links' is missing", "{dead_links: N, draws: N}")
            dead_links = members["dead_links"].integer(1, 1000)
            draws = members["draws"].integer(1, 100) if "draws" in members else 3
        else:
            bounds += [read_bound(name, one, loads) for one in (child.list() if child.is_list else [child])]
    return bounds, deadlock_free, dead_links, draws


def read_bound(name: str, node: Node, loads: list[Load]) -> Bound:
    members = node.map(["at_most", "at_least", "load"])
    ends = [word for word in ("at_most", "at_least") if word in members]
    if len(ends) != 1:
        raise node.refused("not one bound", "{at_most: VALUE UNIT} or {at_least: VALUE UNIT}, and load: NAME")
    value, unit = number_and_unit(members[ends[0]])
    if name in FACTS:
        check_unit(members[ends[0]].place, f"must.{name}", unit, FACTS[name])
    return Bound(name, value if ends[0] == "at_most" else None, value if ends[0] == "at_least" else None, unit,
                 *read_names(members.get("load"), loads), members[ends[0]].place)


def read_names(node: Node | None, loads: list[Load]) -> tuple[tuple[str, ...], str]:
    """(names, words) of one load or a list of them; without a node of all."""
    known = [load.name for load in loads]
    if node is None:
        return tuple(known), ""
    names = tuple(item.word(known) for item in (node.list() if node.is_list else [node]))
    return names, f" at {' and '.join(names)}"


def check_unit(place: str, key: str, given: str, unit: str) -> None:
    """A bound has the unit of its metric, so that 200 cycles are never 200 ns."""
    if given != unit:
        raise Refused(place, key, "not the unit of the metric" if given else "a bound without unit", given or None,
                      f"VALUE {unit}" if unit else "a value without unit")


def read_goals(node: Node, loads: list[Load]) -> list[Goal]:
    goals: list[Goal] = []
    for item in node.list() if node.is_list else [node]:
        if item.is_map:
            members = item.map(["metric", "load"])
            if "metric" not in members:
                raise item.refused("'metric' is missing", "METRIC, or {metric: METRIC, load: NAME}")
            goals.append(Goal(members["metric"].scalar(), *read_names(members.get("load"), loads), item.place))
        else:
            goals.append(Goal(item.scalar(), *read_names(None, loads), item.place))
    if len({goal.text() for goal in goals}) != len(goals):
        raise node.refused("a metric twice", "metrics that differ")
    return goals


def read_budget(node: Node | None) -> tuple[int | None, float | None, float]:
    members = node.map(["runs", "core_hours", "confidence"]) if node else {}
    return (members["runs"].integer(1, 10**9) if "runs" in members else None,
            members["core_hours"].real(1e-6, 1e9) if "core_hours" in members else None,
            members["confidence"].real(0.5, 0.9999) if "confidence" in members else 0.95)


def read_race(node: Node | None) -> tuple[tuple[int, ...], int, float]:
    members = node.map(["seeds", "pilots", "trace_share"]) if node else {}
    seeds: tuple[Any, ...] = (3, 6, 12)
    if "seeds" in members:
        seeds = tuple(item.integer(2, 1000) for item in members["seeds"].list())
        if any(a >= b for a, b in zip(seeds, seeds[1:])):
            raise members["seeds"].refused("seeds that do not rise", "the seeds of each rung, e.g. [3, 6, 12]")
    return (seeds, members["pilots"].integer(2, 10000) if "pilots" in members else 12,
            members["trace_share"].real(1e-6, 1) if "trace_share" in members else 0.05)
