# SPDX-License-Identifier: Apache-2.0
"""The network of a run's page: routers, links with their utilization, and places to draw them."""

from __future__ import annotations

import csv
import math
import pathlib
import re
from typing import Any, TYPE_CHECKING

from .errors import Refused

if TYPE_CHECKING:
    from .results import Result

COLUMNS = ("from", "to", "flits", "utilization")
GRIDS = ("mesh", "torus", "cube", "random_grid")
STAGES = ("fat_tree", "fly")
GROUPS = ("dragonfly", "dragonfly_plus", "hyperx", "slim_fly")
FIRST, LAST = -1, 1000  # stages of nodes at switches with names
Place = tuple[float, float]


def network_of(result: Result) -> dict[str, Any] | None:
    """Routers with places and links with loads; None where the run has no table of links."""
    rows, whole = link_rows(result)
    if not rows:
        return None
    routers = Routers()
    links = []
    for row in rows:
        source = routers.number(row["from"], row.get("from_at") or "", FIRST)
        target = routers.number(row["to"], row.get("to_at") or "", LAST)
        links.append([source, target, f"{row['from']} to {row['to']}", int(row["flits"]), number(row["utilization"])])
    config = result.json.get("config", {})
    topology = config.get("topology", {})
    kind = topology.get("kind", "crosspoints" if routers.staged else "")
    layout, places = places_of(kind, routers)
    return {"kind": kind, "layout": layout, "routers": routers.names,
            "at": [[] for _ in routers.at] if routers.staged else routers.at,
            "places": [[round(x, 3), round(y, 3)] for x, y in places] if places else None, "links": links,
            "stubs": stubs_of(links, routers.at, kind, places), "whole": whole,
            "flit_cycles": config.get("link", {}).get("flit_cycles", 1)}


def number(text: Any) -> float | None:
    return None if text in ("", None) else float(text)


def link_rows(result: Result) -> tuple[list[dict[str, Any]], bool]:
    """(rows, whether these are all links): of links.csv, or of the busiest in the table `links`."""
    path = result.folder / "links.csv"
    if path.is_file():
        return read_csv(path, COLUMNS), True
    if "links" not in result.json.get("tables", {}):
        return [], False
    rows = result.table("links")
    rows_key = result.json.get("config", {}).get("links", {}).get("rows")
    return rows, rows_key is not None and len(rows) < rows_key


def read_csv(path: pathlib.Path, columns: tuple[str, ...]) -> list[dict[str, Any]]:
    """Rows of a table that a run has written; Refused where one is damaged."""
    with open(path, newline="", encoding="utf-8", errors="replace") as file:
        reader = csv.DictReader(file)
        missing = [name for name in columns if name not in (reader.fieldnames or [])]
        if missing:
            raise Refused(path, "", f"has no column {missing[0]}", None, f"a file of the run with {', '.join(columns)}")
        rows = []
        for row in reader:
            if None in row or None in row.values():
                raise Refused(f"{path}:{reader.line_num}", "", "has another number of cells than the first line", None,
                              "the file as the run wrote it")
            rows.append(row)
    return rows


class Routers:
    """Names, coordinates and stages of routers, numbered in the order in which links name them."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.at: list[list[int]] = []
        self.staged = False  # names alone say where a switch is
        self.numbers: dict[str, int] = {}

    def number(self, end: str, coordinates: str, node_stage: int) -> int:
        """Of an end of a link: `91:1`, `switch2_0:3`, or `node 5`, which sends in the first stage and receives in the
        last."""
        name, stage = end.rpartition(":")[0] or end, []
        named = re.fullmatch(r"switch(\d+)_(\d+)|node (\d+)", name)
        if named:
            stage = [int(named.group(1)), int(named.group(2))] if named.group(1) else [node_stage, int(named.group(3))]
        key = f"{node_stage} {name}" if stage and stage[0] == node_stage else name
        if key not in self.numbers:
            self.numbers[key] = len(self.names)
            self.names.append(name)
            self.at.append([int(word) for word in coordinates.split()] or stage)
            self.staged = self.staged or bool(stage)
        return self.numbers[key]


def places_of(kind: str, routers: Routers) -> tuple[str, list[Place] | None]:
    """(layout, a place for each router); None: the page computes forces."""
    known = all(routers.at) and len({len(at) for at in routers.at}) == 1
    if known and kind in GRIDS:
        sizes = extents(routers.at)
        return "grid", [grid_place(at, sizes) for at in routers.at]
    if known and (kind in STAGES or routers.staged):
        return "stages", stage_places(routers)
    if known and kind in GROUPS:
        return "groups", group_places(routers.at)
    return "forces", None


def extents(at: list[list[int]]) -> list[int]:
    return [max(column) + 1 for column in zip(*at)]


def grid_place(at: list[int], sizes: list[int]) -> Place:
    """Dimensions 0 and 1 to the right and down, 2 and 3 as blocks of these, and so on."""
    x = y = 0.0
    step_x = step_y = 1.0
    for axis, value in enumerate(at):
        if axis % 2 == 0:
            x += value * step_x
            step_x = step_x * sizes[axis] + 1
        else:
            y += value * step_y
            step_y = step_y * sizes[axis] + 1
    return x, y


def stage_places(routers: Routers) -> list[Place]:
    """A column for each stage, with its routers spread over the height of the longest."""
    stages: dict[int, list[int]] = {}
    for i, at in enumerate(routers.at):
        stages.setdefault(at[0], []).append(i)
    height = max(len(members) for members in stages.values())
    places: list[Place] = [(0.0, 0.0)] * len(routers.at)
    for column, (_, members) in enumerate(sorted(stages.items())):
        for place, i in enumerate(sorted(members, key=lambda i: routers.at[i][1:])):
            places[i] = (column * max(2.0, 1.2 * height / len(stages)), (place + 0.5) * height / len(members))
    return places


def group_places(at: list[list[int]]) -> list[Place]:
    """Groups, by all coordinates but the last, on a circle; each group's routers on a small one."""
    groups: dict[tuple[int, ...], list[int]] = {}
    for i, place in enumerate(at):
        groups.setdefault(tuple(place[:-1]), []).append(i)
    largest = max(len(members) for members in groups.values())
    small = max(1.0, largest * 1.2 / (2 * math.pi))
    large = max(0.0, len(groups) * (2 * small + 2) / (2 * math.pi)) if len(groups) > 1 else 0.0
    places: list[Place] = [(0.0, 0.0)] * len(at)
    for g, group in enumerate(sorted(groups)):
        turn = 2 * math.pi * g / len(groups)
        for m, i in enumerate(sorted(groups[group], key=lambda i: at[i])):
            own = turn + 2 * math.pi * m / len(groups[group])
            places[i] = (large * math.cos(turn) + small * math.cos(own), large * math.sin(turn) + small * math.sin(own))
    return places


def stubs_of(links: list[list[Any]], at: list[list[int]], kind: str, places: list[Place] | None) -> list[Any]:
    """For each link of a grid that leaves its block or wraps around: the direction of a short line at its sender that
    is drawn for it. Null for a link that is drawn as a whole."""
    if places is None or kind not in ("mesh", "torus", "cube"):
        return []
    sizes = extents(at)
    stubs: list[Any] = []
    for link in links:
        source, target = at[link[0]], at[link[1]]
        axis = next((i for i, (a, b) in enumerate(zip(source, target)) if a != b), 0)
        forward = target[axis] - source[axis]
        wraps = abs(forward) > 1 and abs(forward) == sizes[axis] - 1
        sign = (-1 if forward > 0 else 1) if wraps else (1 if forward > 0 else -1)
        if axis < 2:
            stubs.append([sign * (axis == 0), sign * (axis == 1)] if wraps else None)
        else:  # dimensions above 1 as slanted lines, each with its own slope
            turn = math.pi / 4 * (1 + (axis - 2) * 0.5)
            stubs.append([round(sign * math.cos(turn), 3), round(-sign * math.sin(turn), 3)])
    return stubs if any(stubs) else []
