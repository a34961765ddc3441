# SPDX-License-Identifier: Apache-2.0
"""Where an ID's results come from: revision and seeds (result.json), date and seconds (measured.json)."""

from __future__ import annotations

import json
import pathlib
from typing import Any, Dict, Iterable, List, Set

from tsuji.runs import flat

from .runs import Result, recorded

NAME = "measured.json"


def origin(places: Iterable[pathlib.Path]) -> Dict[str, Any]:
    """Revisions of the executables that have played the runs, and the values of each key that is a seed."""
    revisions: Set[str] = set()
    seeds: Dict[str, Set[int]] = {}
    for place in set(places):
        content = Result(place).json
        revisions.update([content["revision"]] if "revision" in content else [])
        for key, value in flat(content.get("config") or {}).items():
            if key.split(".")[-1] in ("seed", "seeds") and isinstance(value, int):
                seeds.setdefault(key, set()).add(value)
    return {"revisions": sorted(revisions), "seeds": {key: sorted(values) for key, values in sorted(seeds.items())}}


def write(folder: pathlib.Path, places: Iterable[pathlib.Path]) -> None:
    """The only file of an ID that is not the same bytes after a second measurement."""
    noted = [recorded(place) for place in sorted(set(places))]
    timed = [seconds for _, seconds in noted if seconds is not None]
    content = {"date": max((date for date, _ in noted), default=None), "seconds": round(sum(timed), 3),
               "runs": len(noted), "timed": len(timed)}
    (folder / NAME).write_text(json.dumps(content) + "\n", encoding="utf-8")


def read(folder: pathlib.Path) -> Dict[str, Any]:
    """Without a file, as of an ID of which nothing is known."""
    try:
        return json.loads((folder / NAME).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {"date": None, "seconds": 0.0, "runs": 0, "timed": 0}


def minutes(seconds: float) -> str:
    return f"{seconds / 60:.1f} min" if seconds >= 6 else f"{seconds:.1f} s"


def seeds_text(seeds: Dict[str, List[int]]) -> str:
    """Keys with their values; three and more that follow each other as a range."""
    return "; ".join(f"{key} {numbers(values)}" for key, values in seeds.items())


def numbers(values: List[int]) -> str:
    groups: List[List[int]] = []
    for value in values:
        if groups and value == groups[-1][-1] + 1:
            groups[-1].append(value)
        else:
            groups.append([value])
    shown = [f"{group[0]}-{group[-1]}" if len(group) > 2 else ", ".join(map(str, group)) for group in groups]
    return ", ".join(shown if len(shown) <= 6 else [*shown[:5], f"... ({len(values)})", shown[-1]])
