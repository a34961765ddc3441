# SPDX-License-Identifier: Apache-2.0
"""YAML in which every value knows its place."""

from __future__ import annotations

import pathlib
from collections.abc import Callable, Sequence
from typing import Any

import yaml

from .errors import Refused


class Node:
    """A value of a YAML file. `key` is its dotted name in the file."""

    def __init__(self, node: yaml.Node, file: pathlib.Path, key: str = "") -> None:
        self.node, self.file, self.key = node, file, key

    @property
    def place(self) -> str:
        mark = self.node.start_mark
        return f"{self.file}:{mark.line + 1}:{mark.column + 1}"

    def refused(self, problem: str, accepted: str = "") -> Refused:
        return Refused(self.place, self.key, problem, self.shown(), accepted)

    def shown(self) -> str:
        return self.node.value if self.is_scalar else "a list" if self.is_list else "a map"

    is_scalar = property(lambda self: isinstance(self.node, yaml.ScalarNode))
    is_list = property(lambda self: isinstance(self.node, yaml.SequenceNode))
    is_map = property(lambda self: isinstance(self.node, yaml.MappingNode))

    def map(self, accepted: list[str] | None = None) -> dict[str, Node]:
        """Nodes by key; a key that is not in `accepted`, or that comes twice, is refused."""
        if not self.is_map:
            raise self.refused("not a map", f"a map with {', '.join(accepted)}" if accepted else "a map")
        nodes: dict[Any, Any] = {}
        for key, value in self.node.value:
            name = Node(key, self.file, self.key).scalar()
            child = Node(value, self.file, f"{self.key}.{name}" if self.key else name)
            at_key = Node(key, self.file, self.key)
            if accepted is not None and name not in accepted:
                raise at_key.refused("unknown key", ", ".join(accepted))
            if name in nodes:
                raise at_key.refused("stands twice", "each key once")
            nodes[name] = child
        return nodes

    def list(self) -> list[Node]:
        if not self.is_list or not self.node.value:
            raise self.refused("not a list with something in it", "[A, B, ...]")
        return [Node(item, self.file, self.key) for item in self.node.value]

    def scalar(self) -> str:
        if not self.is_scalar:
            raise self.refused("not a single value", "a word or a number")
        return self.node.value

    def value_text(self) -> str:
        """As --set takes it: a scalar, or a list of scalars."""
        if self.is_list:
            return f"[{','.join(item.scalar() for item in self.list())}]"
        return self.scalar()

    def number(self, kind: Callable[[str], Any], low: float, high: float, accepted: str) -> Any:
        try:
            value = kind(self.scalar())
        except ValueError:
            raise self.refused("not a number", accepted) from None
        if not low <= value <= high:  # not for NaN, either
            raise self.refused("out of range", accepted)
        return value

    def integer(self, low: int, high: int) -> int:
        return self.number(int, low, high, f"an integer {low}..{high}")

    def real(self, low: float, high: float) -> float:
        return self.number(float, low, high, f"a number {low:g}..{high:g}")

    def word(self, words: Sequence[str]) -> str:
        if self.scalar() not in words:
            raise self.refused("unknown word", ", ".join(words))
        return self.scalar()


def read(path: pathlib.Path, what: str = "a study") -> Node:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        said = problem.strerror if isinstance(problem, OSError) else "not UTF-8"
        raise Refused("", "", f"cannot be read: {said}", path, f"{what} as YAML") from None
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.YAMLError as problem:
        mark = getattr(problem, "problem_mark", None)
        place = f"{path}:{mark.line + 1}:{mark.column + 1}" if mark else str(path)
        raise Refused(place, "", getattr(problem, "problem", None) or "not YAML", accepted="YAML") from None
    if node is None:
        raise Refused(path, "", "empty", accepted=f"{what} as YAML")
    return Node(node, path)
