# SPDX-License-Identifier: Apache-2.0
"""What a run's page shows of an application's ranks: rank_timeline.csv, rank_messages.csv and critical_path.csv."""

from __future__ import annotations

import pathlib
from typing import Any

from .errors import Refused
from .report_network import read_csv

SPANS = ("rank", "operation", "first_cycle", "cycles", "waits", "source", "destination")
MESSAGES = ("from", "to", "messages", "bytes")
STEPS = ("part", "rank", "from", "operation", "first_cycle", "cycles")
MOST_SPANS, MOST_PAIRS, MOST_STEPS = 40_000, 20_000, 5_000


def ranks_of(folder: pathlib.Path) -> dict[str, Any] | None:
    """`spans`: the longest, as [rank, operation, first cycle, cycles, the rank that ended the wait or None]; `pairs`:
    [from, to, messages, bytes], the most bytes first; `path`: steps of the critical path in the order of time, the
    longest of them; `parts`: their cycles, of all."""
    paths = [folder / name for name in ("rank_timeline.csv", "rank_messages.csv", "critical_path.csv")]
    if not all(path.is_file() for path in paths):
        return None
    operations: dict[str, int] = {}
    spans = [[int(row["rank"]), operations.setdefault(row["operation"], len(operations)), int(row["first_cycle"]),
              int(row["cycles"]), other(row)] for row in rows_of(paths[0], SPANS)]
    pairs = [[int(row[name]) for name in MESSAGES] for row in rows_of(paths[1], MESSAGES)]
    path: list[list[Any]] = [[row["part"], int(row["rank"]), int(row["from"]), row["operation"],
                              int(row["first_cycle"]), int(row["cycles"])] for row in rows_of(paths[2], STEPS)]
    parts = {name: sum(step[5] for step in path if step[0] == part)
             for name, part in (("computing", "computing"), ("messages", "message"))}
    return {"operations": list(operations), "spans": longest(spans, MOST_SPANS, 3), "all_spans": len(spans),
            "end": max((span[2] + span[3] for span in spans), default=1),
            "ranks": max((span[0] for span in spans), default=0) + 1,
            "pairs": sorted(pairs, key=lambda pair: (-pair[3], pair))[:MOST_PAIRS], "all_pairs": len(pairs),
            "path": longest(path, MOST_STEPS, 5), "all_steps": len(path), "parts": parts}


def rows_of(path: pathlib.Path, columns: tuple[str, ...]) -> list[dict[str, str]]:
    rows = list(read_csv(path, columns))
    for line, row in enumerate(rows, 2):
        for name in columns:
            if name not in ("operation", "part") and row[name] and not row[name].isdigit():
                raise Refused(f"{path}:{line}", name, "is no number", row[name], "the file as the run wrote it")
    return rows


def other(row: dict[str, str]) -> int | None:
    """The rank at the other end of the message that ended a wait."""
    if row["waits"] != "1":
        return None
    return int(row["destination"] if row["source"] == row["rank"] else row["source"])


def longest(rows: list[list[Any]], most: int, column: int) -> list[list[Any]]:
    """In their order."""
    if len(rows) <= most:
        return rows
    kept = sorted(range(len(rows)), key=lambda i: (-rows[i][column], i))[:most]
    return [rows[i] for i in sorted(kept)]
