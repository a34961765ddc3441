# SPDX-License-Identifier: Apache-2.0
"""Search for the saturation of a curve: the twin of models/tsuji/platform/saturation_search.h, over the runs that have
ended. Both play tests/platform/saturation_cases.json."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from typing import Any

Run = tuple[float, int]  # a load, and how many times as long as the study says
LONGEST = 16  # times as long as the study says


@dataclasses.dataclass(frozen=True)
class End:
    """Verdict of a run on its network, `stable`, `saturated` or `undecided`, and the multiple of the study's length
    that would decide; None: the run cannot be made longer."""

    verdict: str
    needs_times: float | None = None


@dataclasses.dataclass(frozen=True)
class Bracket:
    """The highest load shown stable (0: none) and the lowest shown saturated (None: none)."""

    stable: float
    saturated: float | None


def verdict_of(metrics: dict[str, Any]) -> str | None:
    """None where the run has none. A user's platform may have `saturated` alone."""
    if metrics.get("stability") is not None:
        return metrics["stability"]
    saturated = metrics.get("saturated")
    return None if saturated is None else "saturated" if saturated == 1 else "stable"


def bracket(verdicts: dict[float, str]) -> Bracket:
    """`verdicts`: by load."""
    saturated = min((load for load, verdict in verdicts.items() if verdict == "saturated"), default=None)
    below = [load for load, verdict in verdicts.items()
             if verdict == "stable" and (saturated is None or load < saturated)]
    return Bracket(max(below, default=0.0), saturated)


def search(loads: Sequence[float], ends: Mapping[Run, End | None], apart: float) -> tuple[list[Run], Bracket | None]:
    """(runs, bracket): all runs that are wanted by what is known, as (load, times) in their order, and the answer, None
    while it is open and where a run of it has failed. `ends`: End of each run that has ended, None for one that has
    failed."""
    runs, wanted, known = [], [(load, 1) for load in loads], {}
    while wanted:
        runs += [run for run in wanted if run not in runs]
        if any(ends.get(run) is None for run in wanted):
            return runs, None
        known.update({load: (ends[load, times], times) for load, times in wanted})
        wanted = following(known, apart)
    return runs, bracket({load: end.verdict for load, (end, _) in known.items()})


def following(known: dict[float, tuple[End, int]], apart: float) -> list[Run]:
    """Runs that are wanted next; none at the end. `known`: by load the end of its longest run, and how many times as
    long that was."""
    found = bracket({load: end.verdict for load, (end, _) in known.items()})
    if found.saturated is None and 1.0 not in known:
        return [(1.0, 1)]
    high = 2.0 if found.saturated is None else found.saturated
    open_loads = sorted(load for load in known if found.stable < load < high)
    longer = [(load, longer_times(known[load][1], known[load][0].needs_times)) for load in open_loads
              if known[load][0].needs_times is not None and known[load][1] < LONGEST]
    if longer:
        return longer
    first = open_loads[0] if open_loads else found.stable if found.saturated is None else found.saturated
    gaps = [(found.stable, first)]
    if open_loads and found.saturated is not None:
        gaps.append((open_loads[-1], found.saturated))
    return [(between(*gap), 1) for gap in gaps if not close_enough(*gap, apart)]


def between(low: float, high: float) -> float:
    return math.floor((low + high) / 2 * 1e6 + 0.5) / 1e6  # as std::round()


def close_enough(low: float, high: float, apart: float) -> bool:
    return high - low <= apart * high + 1e-9 or not low < between(low, high) < high


def longer_times(times: int, needs_times: float) -> int:
    wanted = 2 * times
    while wanted < needs_times and wanted < LONGEST:
        wanted *= 2
    return wanted
