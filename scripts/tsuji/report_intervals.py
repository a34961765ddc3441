# SPDX-License-Identifier: Apache-2.0
"""What a run's page shows of intervals.csv and link_intervals.csv: the run over time."""

from __future__ import annotations

import base64
import csv
import pathlib
from typing import Any

from .errors import Refused
from .report_network import number, read_csv

COLUMNS = ("first_cycle", "cycles", "born_packets", "delivered_packets", "delivered_flits", "latency_mean",
           "latency_max", "under_way_packets")
MOST_CELLS = 1_500_000  # of links' bytes in a page
AS_WRITTEN = "the file as the run wrote it"


def time_of(path: pathlib.Path) -> dict[str, Any]:
    """As report_packets.time_of()."""
    rows = []
    for row in read_csv(path, COLUMNS):
        try:
            first, cycles, born, _, flits, under_way = (int(row[name]) for name in COLUMNS if "latency" not in name)
            latencies = [number(row[name]) for name in ("latency_mean", "latency_max")]
            rows.append([first, born, flits, *latencies, under_way, cycles])
        except ValueError:
            raise Refused(path, "", f"has a cell that is no number in the interval {row['first_cycle']}", None,
                          AS_WRITTEN) from None
    return {"interval": rows[0][6] if rows else 0, "rows": rows, "whole": True}


def links_of(path: pathlib.Path, network: dict[str, Any], time: dict[str, Any]) -> dict[str, Any]:
    """Shares of each link's bandwidth as bytes (255: all of it), an interval of all links after the other. Intervals
    are joined where the page would be too large."""
    numbers = {link[2]: i for i, link in enumerate(network["links"])}
    cycles = [row[6] for row in time["rows"]]
    joined = max(1, -(-len(cycles) * len(numbers) // MOST_CELLS))
    count = -(-len(cycles) // joined)
    lengths = [sum(cycles[i * joined:(i + 1) * joined]) for i in range(count)]
    scale = [255 * network["flit_cycles"] / length for length in lengths]
    shares = bytearray(count * len(numbers))
    with open(path, newline="", encoding="utf-8", errors="replace") as file:
        lines = csv.reader(file)
        if len(next(lines, [])) != 2 + len(cycles):
            raise Refused(path, "", "has other intervals than intervals.csv", None, AS_WRITTEN)
        for row in lines:
            link = numbers.get(f"{row[0]} to {row[1]}") if len(row) == 2 + len(cycles) else None
            if link is None:
                raise Refused(f"{path}:{lines.line_num}", "", "is no link of links.csv", None, AS_WRITTEN)
            try:
                flits = [int(cell) for cell in row[2:]]
            except ValueError:
                raise Refused(f"{path}:{lines.line_num}", "", "has a cell that is no number of flits", None,
                              AS_WRITTEN) from None
            if joined != 1:
                flits = [sum(flits[i * joined:(i + 1) * joined]) for i in range(count)]
            of_link = [round(sent * factor) for sent, factor in zip(flits, scale)]
            if min(of_link) < 0:
                raise Refused(f"{path}:{lines.line_num}", "", "has a cell that is no number of flits", None, AS_WRITTEN)
            if max(of_link) > 255:
                of_link = [min(255, share) for share in of_link]
            shares[link::len(numbers)] = bytes(of_link)
    return {"firsts": [time["rows"][i * joined][0] for i in range(count)], "lengths": lengths,
            "shares": base64.b64encode(shares).decode()}
