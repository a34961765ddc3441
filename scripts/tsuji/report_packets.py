# SPDX-License-Identifier: Apache-2.0
"""What a run's page shows of packets.csv: the parts of packets' cycles, and the run over time."""

from __future__ import annotations

import csv
import itertools
import operator
import pathlib
from typing import Any

from .errors import Refused

INTERVALS = 200
FIXED = ("packet", "source", "destination", "flits", "hops", "created_cycle", "injected_cycle", "head_cycle",
         "tail_cycle", "latency_cycles")
ENDS = ("dropped_cycle", "cause", "class")
TIMES = ("created_cycle", "injected_cycle", "tail_cycle", "latency_cycles", "flits", "hops")


class Packets:
    """Columns of the delivered packets of packets.csv."""

    def __init__(self, path: pathlib.Path) -> None:
        with open(path, newline="", encoding="utf-8", errors="replace") as file:
            lines = csv.reader(file)
            names = next(lines, [])
            missing = [name for name in FIXED if name not in names]
            if missing:
                raise Refused(path, "", f"has no column {missing[0]}", None, "the packets.csv of a run with --records")
            dropped = names.index("dropped_cycle") if "dropped_cycle" in names else None
            self.parts = [name for name in names if name not in FIXED + ENDS]
            wanted = operator.itemgetter(*(names.index(name) for name in (*TIMES, *self.parts)))
            rows = []
            self.dropped = 0
            for row in lines:
                if len(row) != len(names):
                    raise Refused(f"{path}:{lines.line_num}", "", "has another number of cells than the first line",
                                  None, "the file as the run wrote it")
                if dropped is not None and row[dropped]:
                    self.dropped += 1
                    continue
                try:
                    rows.append(tuple(map(int, wanted(row))))
                except ValueError:
                    raise Refused(f"{path}:{lines.line_num}", "", "has a cell that is no number of cycles", None,
                                  "the file as the run wrote it") from None
        self.rows = rows


def parts_of(packets: Packets) -> dict[str, Any]:
    """Sums of the parts of latencies, by hops: rows of hops, packets, and a sum for each part."""
    hops = TIMES.index("hops")
    alike: dict[int, list[tuple[int, ...]]] = {}
    for row in packets.rows:
        alike.setdefault(row[hops], []).append(row)
    sums = {key: [len(rows), *map(sum, itertools.islice(zip(*rows), len(TIMES), None))] for key, rows in alike.items()}
    return {"names": words_of(packets.parts), "by_hops": [[key, *sums[key]] for key in sorted(sums)]}


def summed(folder: pathlib.Path) -> dict[str, Any]:
    """parts_of() the packets whose sums a run with --records and --report has written, and those by distance where the
    run knows distances."""
    names, by_hops = sums_in(folder / "packet_parts.csv", "hops")
    distances = folder / "packet_parts_by_distance.csv"
    if not distances.is_file():
        return {"names": names, "by_hops": by_hops}
    of_distance, by_distance = sums_in(distances, "distance")
    if of_distance != names:
        raise Refused(distances, "", "has other parts than packet_parts.csv", None, "the file as the run wrote it")
    return {"names": names, "by_hops": by_hops, "by_distance": by_distance}


def sums_in(path: pathlib.Path, group: str) -> tuple[list[str], list[list[int]]]:
    """Parts of a latency, and rows of a group's number, packets, and a sum for each part."""
    with open(path, newline="", encoding="utf-8", errors="replace") as file:
        names, *rows = list(csv.reader(file)) or [[]]
    for place, name in enumerate((group, "packets")):
        if names[place:place + 1] != [name]:
            raise Refused(path, "", f"has no column {name}", None, "the file as the run wrote it")
    for line, row in enumerate(rows, 2):
        if len(row) != len(names) or not all(cell.isdecimal() for cell in row):
            raise Refused(f"{path}:{line}", "", f"is no row of {len(names)} numbers", None,
                          "the file as the run wrote it")
    return words_of(names[2:]), [list(map(int, row)) for row in rows]


def words_of(columns: list[str]) -> list[str]:
    """Parts of a latency as a page names them."""
    return [name.removesuffix("_cycles").replace("_", " ") for name in columns]


def time_of(packets: Packets) -> dict[str, Any] | None:
    """The run in equal intervals: rows of first cycle, packets born, flits accepted, mean and longest latency of what
    arrived, packets between birth and arrival at its end, and its cycles."""
    if not packets.rows:
        return None
    first, last = min(row[0] for row in packets.rows), max(row[2] for row in packets.rows)
    length = max(1, -(-(last + 1 - first) // INTERVALS))
    count = (last - first) // length + 1
    born, arrived, flits, total, longest = ([0] * count for _ in range(5))
    for created, _, tail, latency, size, *_ in packets.rows:
        born[(created - first) // length] += 1
        end = (tail - first) // length
        arrived[end] += 1
        flits[end] += size
        total[end] += latency
        longest[end] = max(longest[end], latency)
    under_way = itertools.accumulate(b - a for b, a in zip(born, arrived))
    return {"interval": length,
            "rows": [[first + i * length, born[i], flits[i], round(total[i] / arrived[i], 3) if arrived[i] else None,
                      longest[i] if arrived[i] else None, way, min(length, last + 1 - first - i * length)]
                     for i, way in enumerate(under_way)], "whole": False}
