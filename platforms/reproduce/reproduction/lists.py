# SPDX-License-Identifier: Apache-2.0
"""Committed lists beside the papers: statements that are known to fail, and calibrated values."""

from __future__ import annotations

import dataclasses
import pathlib
from typing import TYPE_CHECKING, Any, Dict, FrozenSet, List, Optional, Sequence, Tuple

from tsuji import marked_yaml

from .papers import Paper

if TYPE_CHECKING:
    from tsuji.marked_yaml import Node

KNOWN_FAILURES, CALIBRATED, NOT_REPRODUCED = "known_failures.yaml", "calibrated.yaml", "not_reproduced.yaml"
VERSIONS = ("quick", "full", "recorded")
RowName = Tuple[str, str]  # ID and key of a row
Rows = Dict[str, Optional[List[str]]]  # keys of the judged rows of every ID; None: its file was not read


@dataclasses.dataclass(frozen=True)
class Known:
    """A statement that is known to fail in `versions`: why, and where the list says so."""

    reason: str
    versions: FrozenSet[str]
    place: str


@dataclasses.dataclass(frozen=True)
class Calibrated:
    """A fitted value: its source, and the rows that it fits."""

    name: str
    value: str
    source: str
    rows: Tuple[RowName, ...]


@dataclasses.dataclass(frozen=True)
class NotReproduced:
    """A statement of a paper of which there is no row, and why."""

    statement: str
    reason: str


def version(quick: bool, traces: Any) -> str:
    """One of VERSIONS: a statement may hold in some of them only."""
    return "quick" if quick else "recorded" if traces else "full"


def root(path: pathlib.Path) -> Dict[str, "Node"]:
    """The entries of a list by name; none where there is no list."""
    return marked_yaml.read(path).map() if path.is_file() else {}


def sentence(node: "Node") -> str:
    text = " ".join(node.scalar().split())
    if not text:
        raise node.refused("is empty", "a sentence")
    return text


def part(entry: "Node", parts: Dict[str, "Node"], name: str) -> "Node":
    if name not in parts:
        raise entry.refused(f"has no {name}", name)
    return parts[name]


def judged_rows(name: "Node", rows: Rows, identity: str) -> Optional[List[str]]:
    """Keys of the rows with a verdict of an ID; None: its file was not read."""
    if identity not in rows:
        raise name.refused(f"there is no ID {identity}", "an ID of --list")
    return rows[identity]


def check_row(node: "Node", judged: Optional[List[str]], identity: str, key: str) -> None:
    if judged is not None and key not in judged:
        raise node.refused(f"{identity} has no row {key} with a verdict", ", ".join(judged))


def known_failures(path: pathlib.Path, rows: Rows) -> Dict[RowName, Known]:
    """The list of statements that are known to fail. Refused where `rows` has an ID, but not a row of the list."""
    known = {}
    for identity, keys in root(path).items():
        judged = judged_rows(keys, rows, identity)
        for key, entry in keys.map().items():
            parts = entry.map(["in", "reason"])
            check_row(entry, judged, identity, key)
            versions = frozenset(node.word(VERSIONS) for node in part(entry, parts, "in").list())
            known[identity, key] = Known(sentence(part(entry, parts, "reason")), versions, entry.place)
    return known


def calibrated(path: pathlib.Path, rows: Rows) -> List[Calibrated]:
    """All fitted values. A row is `ID KEY`, or `ID` for all rows of it (with the key "" where its file was not
    read)."""
    values = []
    for name, entry in root(path).items():
        parts = entry.map(["value", "source", "rows"])
        fitted: List[RowName] = []
        for node in part(entry, parts, "rows").list():
            identity, _, key = node.scalar().partition(" ")
            judged = judged_rows(node, rows, identity)
            if key:
                check_row(node, judged, identity, key)
            fitted += [(identity, one) for one in ([key] if key or judged is None else judged)]
        values.append(Calibrated(name, sentence(part(entry, parts, "value")), sentence(part(entry, parts, "source")),
                                 tuple(fitted)))
    return values


def not_reproduced(path: pathlib.Path, papers: Dict[str, Paper]) -> Dict[str, Dict[str, List[NotReproduced]]]:
    """Statements without a row, by paper and section. Refused: a paper or a section that does not exist."""
    found: Dict[str, Dict[str, List[NotReproduced]]] = {}
    for name, sections in root(path).items():
        if name not in papers:
            raise sections.refused(f"there is no paper {name}", ", ".join(papers))
        for number, entries in sections.map().items():
            if number not in papers[name].sections:
                raise entries.refused(f"{name} has no section {number}", ", ".join(papers[name].sections))
            for entry in entries.list():
                parts = entry.map(["statement", "reason"])
                found.setdefault(name, {}).setdefault(number, []).append(
                    NotReproduced(*(sentence(part(entry, parts, each)) for each in ("statement", "reason"))))
    return found


def names_by_row(values: Sequence[Calibrated]) -> Dict[RowName, List[str]]:
    """Names of the values that fit each row."""
    names: Dict[RowName, List[str]] = {}
    for value in values:
        for row in value.rows:
            names.setdefault(row, []).append(value.name)
    return names
