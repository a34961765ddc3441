# SPDX-License-Identifier: Apache-2.0
"""Axes of a study, and the designs that they span."""

from __future__ import annotations

import dataclasses
import itertools
from typing import Any, TYPE_CHECKING

from .errors import Refused

if TYPE_CHECKING:
    from .marked_yaml import Node

MOST_DESIGNS = 100000
# Words of a study that a level may set, too. They are no keys of a platform.
WORDS = ("platform", "config", "flit_bytes", "packet_bytes")


@dataclasses.dataclass(frozen=True)
class Value:
    """A key's value, in the form of --set, and its place in the file."""

    text: str
    place: str


@dataclasses.dataclass(frozen=True)
class Level:
    """One position on an axis: its label, and the keys and words that it sets."""

    label: str
    keys: dict[str, Value]


@dataclasses.dataclass(frozen=True)
class Axis:
    name: str
    place: str
    levels: list[Level]
    numeric: bool = False  # labels are numbers of one key


@dataclasses.dataclass(frozen=True)
class Design:
    """A level of every axis. `words`: those of WORDS that it has."""

    number: int
    labels: tuple[str, ...]
    keys: dict[str, Value]
    words: dict[str, Value]

    @property
    def platform(self) -> str:
        return self.words["platform"].text

    @property
    def config(self) -> str:
        """Path of the configuration; empty: every key has its default."""
        return self.words["config"].text if "config" in self.words else ""

    def bytes_of(self, word: str) -> float | None:
        """Of flit_bytes or packet_bytes; None where the study does not state it."""
        return float(self.words[word].text) if word in self.words else None


def is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def assignments(node: Node, before: str = "") -> dict[str, Value]:
    """Dotted keys of a map of keys or sections."""
    keys: dict[Any, Any] = {}
    for name, child in node.map().items():
        if child.is_map:
            keys.update(assignments(child, f"{before}{name}."))
        else:
            keys[before + name] = Value(child.value_text(), child.place)
    return keys


def read_axis(name: str, node: Node) -> Axis:
    """A list: values of the key `name`. A map with `zip` or `latin_hypercube`: keys that move together, or are drawn.
    Any other map: named variants."""
    if node.is_list:
        levels = [Level(item.value_text(), {name: Value(item.value_text(), item.place)}) for item in node.list()]
        return checked_axis(Axis(name, node.place, levels, all(is_number(level.label) for level in levels)), node)
    members = node.map()
    if set(members) == {"zip"}:
        levels = zipped(members["zip"])
    elif set(members) == {"latin_hypercube"}:
        levels = drawn(members["latin_hypercube"])
    else:
        levels = [Level(label, assignments(keys)) for label, keys in members.items()]
    return checked_axis(Axis(name, node.place, levels), node)


def checked_axis(axis: Axis, node: Node) -> Axis:
    labels = [level.label for level in axis.levels]
    for label in labels:
        if labels.count(label) > 1:
            raise Refused(node.place, node.key, "the same value twice", label, "values that differ")
    if not labels:
        raise Refused(node.place, node.key, "no values", accepted="a list, variants, zip or latin_hypercube")
    return axis


def zipped(node: Node) -> list[Level]:
    columns = {key: values.list() for key, values in node.map().items()}
    lengths = {key: len(values) for key, values in columns.items()}
    if len(set(lengths.values())) != 1:
        told = ", ".join(f"{key} has {length}" for key, length in lengths.items())
        raise Refused(node.place, node.key, f"lists of different lengths: {told}", accepted="lists of one length")
    rows = [{key: Value(values[i].value_text(), values[i].place) for key, values in columns.items()}
            for i in range(next(iter(lengths.values())))]
    return [Level("/".join(value.text for value in row.values()), row) for row in rows]


def drawn(node: Node) -> list[Level]:
    """Points of a Latin hypercube: each key's range is cut into as many parts as there are points, and each part has
    one of them."""
    members = node.map(["points", "seed", "keys"])
    for needed in ("points", "keys"):
        if needed not in members:
            raise Refused(node.place, node.key, f"'{needed}' is missing", accepted="points, seed, keys")
    points = members["points"].integer(2, 10000)
    seed = members["seed"].integer(0, 2**32 - 1) if "seed" in members else 1
    ranges = {key: read_range(range_node) for key, range_node in members["keys"].map().items()}
    from scipy.stats import qmc

    samples = qmc.LatinHypercube(d=len(ranges), seed=seed).random(points)
    rows = [{key: Value(at(low, high, share), place)
             for (key, (low, high, place)), share in zip(ranges.items(), sample)}
            for sample in samples]
    return [Level("/".join(value.text for value in row.values()), row) for row in rows]


def read_range(node: Node) -> tuple[float, float, str]:
    """Whole numbers where both ends are."""
    ends = node.list()
    if len(ends) != 2:
        raise node.refused(f"{len(ends)} values", "[LOW, HIGH]")
    values = [end.real(-1e18, 1e18) for end in ends]
    if values[0] >= values[1]:
        raise node.refused("an empty range", "[LOW, HIGH], LOW < HIGH")
    if all(end.scalar().lstrip("-").isdigit() for end in ends):
        values = [int(end.scalar()) for end in ends]
    return values[0], values[1], node.place


def at(low: float, high: float, share: float) -> str:
    """The value at a share 0 <= share < 1 of a range."""
    if isinstance(low, int):
        return str(low + int(share * (high - low + 1)))
    return f"{low + share * (high - low):.6g}"


def grid(axes: list[Axis], common: dict[str, Value]) -> list[Design]:
    """Designs in the order of the axes, the last one fastest. `common`: keys and words of all designs that do not set
    them. A key or word that two axes set is refused."""
    owners: dict[Any, Any] = {}
    for axis in axes:
        for key in {key for level in axis.levels for key in level.keys}:
            if key in owners:
                raise Refused(axis.place, f"axes.{axis.name}", f"sets {key}, as the axis {owners[key]} does",
                              accepted="a key in one axis")
            owners[key] = axis.name
    number = 1
    for axis in axes:
        number *= len(axis.levels)
    if number > MOST_DESIGNS:
        raise Refused(axes[0].place, "axes", "too many designs", str(number), f"at most {MOST_DESIGNS}")
    designs: list[Any] = []
    for number, levels in enumerate(itertools.product(*(axis.levels for axis in axes))):
        keys = dict(common)
        for level in levels:
            keys.update(level.keys)
        words = {word: keys.pop(word) for word in WORDS if word in keys}
        designs.append(Design(number, tuple(level.label for level in levels), keys, words))
    return designs
