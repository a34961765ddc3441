# SPDX-License-Identifier: Apache-2.0
"""What a run's page shows of port_waits.csv: why input virtual channels of routers wait."""

from __future__ import annotations

import pathlib
from typing import Any

from .errors import Refused
from .report_network import read_csv

PLACE = ("router", "port", "vc")
STATES = ("empty", "no_flit", "routing", "mispredicted", "no_vc", "link_down", "recovery", "allocation", "no_credit",
          "lost_switch", "moves", "paused")
STALLS = ("no_vc", "link_down", "recovery", "no_credit", "lost_switch")
MOST_ROWS = 50


def waits_of(path: pathlib.Path, routers: list[str]) -> dict[str, Any]:
    """`shares`: by router of the drawing, shares of the cycles of its input virtual channels by state (None where it
    has none); `all`: cycles of the network by state; `worst`: the ports that waited longest, with their cycles."""
    numbers = {name: i for i, name in enumerate(routers)}
    sums = [[0] * len(STATES) for _ in routers]
    ports: dict[tuple[int, int], list[int]] = {}
    for row in read_csv(path, (*PLACE, *STATES)):
        try:
            router, port = int(row["router"]), int(row["port"])
            cycles = [int(row[state]) for state in STATES]
        except ValueError:
            raise Refused(path, "", f"has a cell that is no number at router {row['router']}", None,
                          "the file as the run wrote it") from None
        for of in (sums[numbers[str(router)]] if str(router) in numbers else [0] * len(STATES),
                   ports.setdefault((router, port), [0] * len(STATES))):
            for i, value in enumerate(cycles):
                of[i] += value
    stalls = [STATES.index(state) for state in STALLS]
    worst = sorted(ports.items(), key=lambda item: (-sum(item[1][i] for i in stalls), item[0]))[:MOST_ROWS]
    return {"states": list(STATES), "stalls": list(STALLS),
            "shares": [[round(value / sum(of), 5) for value in of] if sum(of) else None for of in sums],
            "all": [sum(of[i] for of in ports.values()) for i in range(len(STATES))],
            "worst": [[router, port, *of] for (router, port), of in worst if any(of[i] for i in stalls)]}


def over_time(path: pathlib.Path) -> dict[str, Any]:
    """`rows` of wait_intervals.csv: first cycle, flits in buffers at the end, and shares of the cycles of all input
    virtual channels by each cause of STALLS."""
    rows = []
    for row in read_csv(path, ("first_cycle", "cycles", "buffered_flits", *STATES)):
        try:
            cycles = sum(int(row[state]) for state in STATES)
            rows.append([int(row["first_cycle"]), int(row["buffered_flits"]),
                         *(round(int(row[state]) / cycles, 5) if cycles else 0 for state in STALLS)])
        except ValueError:
            raise Refused(path, "", f"has a cell that is no number in the interval {row['first_cycle']}", None,
                          "the file as the run wrote it") from None
    return {"stalls": list(STALLS), "rows": rows}
