# SPDX-License-Identifier: Apache-2.0
"""A graph read from a file: one router for each vertex, one link for each edge."""

from __future__ import annotations

import pathlib
import re
from typing import Iterator, NamedTuple

from ..errors import Refused


class Word(NamedTuple):
    """A word of a file; `place` is FILE:LINE:COLUMN."""

    text: str
    place: str

    def refused(self, problem: str, accepted: str) -> Refused:
        return Refused(self.place, "", problem, self.text, accepted)

    def number(self, least: int, most: int) -> int:
        if not re.fullmatch("[0-9]{1,18}", self.text) or not least <= int(self.text) <= most:
            raise self.refused("no number of this range", f"an integer {least}..{most}")
        return int(self.text)


class Line(NamedTuple):
    """Words of a line; `end` is the empty word after its last one."""

    words: list[Word]
    end: Word


class Graph:
    """Routers by their vertices' labels, links, and a note for each property of the file that a topology lacks."""

    def __init__(self) -> None:
        self.labels: list[Word] = []
        self.links: list[tuple[int, int]] = []
        self.losses: set[str] = set()
        self.arcs: set[tuple[int, int]] = set()

    def add_link(self, one: int, other: int, word: Word, *, arc: bool) -> None:
        """An edge written at `word`. `arc`: (other, one), if it is an arc too, belongs to the same link."""
        if one == other:
            raise word.refused("an edge from a vertex to itself", "edges between two vertices")
        if (one, other) in self.arcs or not arc and (other, one) in self.arcs:
            raise word.refused("an edge is listed twice", "one edge between two vertices")
        if (other, one) not in self.arcs:
            self.links.append((min(one, other), max(one, other)))
        self.arcs |= {(one, other)} if arc else {(one, other), (other, one)}

    def check_connected(self) -> None:
        """A vertex without a path to the first one is refused."""
        neighbours: list[list[int]] = [[] for _ in self.labels]
        for one, other in self.links:
            neighbours[one].append(other)
            neighbours[other].append(one)
        reached, waiting = {0}, [0]
        while waiting:
            found = [after for after in neighbours[waiting.pop()] if after not in reached]
            reached.update(found)
            waiting += found
        for router, label in enumerate(self.labels):
            if router not in reached:
                raise label.refused(f"no path to vertex {self.labels[0].text}", "a connected graph")

    def text(self, name: str, nodes_per_router: int) -> str:
        """The topology file, with losses and labels as comments."""
        lines = [f"# {printable(name)}: {len(self.labels)} vertices, {len(self.links)} edges",
                 *(f"# lost: {loss}" for loss in sorted(self.losses))]
        lines += [f"router {router}  # {printable(label.text)}" for router, label in enumerate(self.labels)]
        lines += [f"link {one} {other}" for one, other in sorted(self.links)]
        lines += [f"node {node} at {node // nodes_per_router}"
                  for node in range(len(self.labels) * nodes_per_router)]
        return "\n".join(lines) + "\n"


def printable(text: str) -> str:
    return "".join(letter if letter.isprintable() else "?" for letter in text)


def lines_of(path: pathlib.Path, comments: str) -> Iterator[Line]:
    """Lines of a text file, without those whose first character other than a space is in `comments`."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        raise unreadable(path, problem) from None
    for number, line in enumerate(text.split("\n")[:-1] if text.endswith("\n") else text.split("\n"), 1):
        if not line.lstrip().startswith(tuple(comments)):
            words = [Word(found.group(), f"{path}:{number}:{found.start() + 1}") for found in re.finditer(r"\S+", line)]
            yield Line(words, Word("", f"{path}:{number}:{len(line) + 1}"))


def unreadable(path: pathlib.Path, problem: Exception) -> Refused:
    return Refused(path, "", f"cannot be read: {problem}", accepted="a file with a graph")
