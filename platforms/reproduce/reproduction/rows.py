# SPDX-License-Identifier: Apache-2.0
"""Rows: what a paper says, what is accepted, and the verdict on what was measured."""

import dataclasses
import enum
from typing import Any, Callable, Optional

from .papers import NOTHING


class Verdict(enum.Enum):
    PASSED = "passed"
    FAILED = "FAILED"  # a hard row
    KNOWN = "FAILED (known)"  # a hard row on the list of known failures
    NEWLY_HOLDS = "passed (listed as failing)"
    MISSED = "missed"  # a soft row
    NO_VERDICT = "no verdict"
    NOT_IN_QUICK = "not in --quick"
    CHANGED = "changed"  # not the paper's hardware any more


@dataclasses.dataclass(frozen=True)
class Tolerance:
    """`number`: the paper's, where the band lies round one."""

    text: str
    accepts: Callable[[Any], bool]
    number: Any = None


def show(value):
    """A value as a table shows it: numbers with at most six digits."""
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, (list, tuple)):
        return " / ".join(show(item) for item in value)
    return str(value)


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def distance_percent(measured, number):
    """Of a measured number from the paper's, or from the nearer end of its range; of several numbers the largest
    distance. None where that says nothing."""
    if isinstance(measured, (list, tuple)):
        numbers = number if isinstance(number, list) else [number] * len(measured)
        if len(numbers) != len(measured):
            return None
        distances = [distance_percent(one, other) for one, other in zip(measured, numbers)]
        return max(distances, key=abs) if distances and None not in distances else None
    if isinstance(number, tuple):
        low, high = number
        number = min(max(measured, low), high) if is_number(measured) else None
        if number == measured and number is not None:
            return 0.0
    if not is_number(measured) or not is_number(number) or number == 0:
        return None
    return 100 * (measured - number) / abs(number)


def exactly(value):
    """A number, or a list of them."""
    return Tolerance("exact", lambda measured: measured == value, value)


def within(value, margin):
    """`margin` in the row's own unit."""
    return Tolerance(f"{show(value)} +- {show(margin)}", lambda measured: abs(measured - value) <= margin,
                     value)


def within_percent(value, percent):
    return Tolerance(f"{show(value)} +- {show(percent)} %",
                     lambda measured: abs(measured - value) <= percent / 100 * abs(value), value)


def at_most(limit):
    return Tolerance(f"<= {show(limit)}", lambda measured: measured <= limit)


def at_least(limit):
    return Tolerance(f">= {show(limit)}", lambda measured: measured >= limit)


def below(limit):
    return Tolerance(f"< {show(limit)}", lambda measured: measured < limit)


def above(limit):
    return Tolerance(f"> {show(limit)}", lambda measured: measured > limit)


def above_and_below(low, high):
    return Tolerance(f"> {show(low)}, < {show(high)}", lambda measured: low < measured < high)


def between(low, high):
    """Ends included."""
    return Tolerance(f"{show(low)} .. {show(high)}", lambda measured: low <= measured <= high)


def holds():
    """For statements: the measured value is a bool."""
    return Tolerance("holds", lambda measured: measured is True)


@dataclasses.dataclass(frozen=True)
class Row:
    """One statement of a paper. `paper` is what its text says, for the reader; "-" where the row states nothing of the
    paper. Without a tolerance the row is shown and has no verdict. `quick`: a --quick run is long enough for the
    verdict. `hard=False`: another reading, on which the project claims nothing. `by_definition`: the value is an input
    of the run, so that the row reproduces nothing.

    `section` of the paper, where the ID's SOURCE names several or none. `number`: the paper's number, where the
    tolerance is not a band round it; a pair: a range. `reading_of`: keys of the rows whose statement this row reads
    another way, a value for each where they are several. `runs`: patterns of the names of the runs that the value comes
    from; none: all of the ID. `points`: (axes of the figure, x, y) of the paper's numbers. `measurable=False`: the
    value needs a file that is not here, and the row has no verdict."""

    key: str
    text: str
    paper: str
    tolerance: Optional[Tolerance] = None
    hard: bool = True
    unit: str = ""
    quick: bool = True
    points: tuple = ()
    by_definition: bool = False
    section: str = ""
    number: Any = None
    reading_of: tuple = ()
    runs: tuple = ()
    measurable: bool = True

    @property
    def strength(self):
        if self.tolerance is None:
            return "shown"
        return "hard" if self.hard else "soft"

    @property
    def states(self):
        """True if the row counts as a statement of the paper that can be reproduced."""
        judged = self.hard and self.tolerance is not None
        return judged and not self.by_definition and self.paper not in NOTHING

    def distance(self, measured):
        """From the paper's number, in percent of it; None where the paper or the run gives none."""
        if self.paper in NOTHING:
            return None
        number = self.number
        if number is None and self.tolerance is not None:
            number = self.tolerance.number
        return distance_percent(measured, number)

    def read_as(self, value, row):
        """True if `row`'s statement holds with this row's value; None: nothing was measured."""
        values = value if isinstance(value, (list, tuple)) else [value]
        if None in values:
            return None
        return all(row.tolerance.accepts(one) for one in values)

    def marks(self, calibrated=()):
        """Strength, and what a reader must know to judge by it."""
        return "; ".join([self.strength, *(["by definition"] if self.by_definition else []),
                          *(f"calibrated: {name}" for name in calibrated)])

    def judge(self, measured, quick):
        """A row with a verdict that was not measured has failed, but for --quick."""
        if self.tolerance is None or not self.measurable:
            return Verdict.NO_VERDICT
        if quick and not self.quick:
            return Verdict.NOT_IN_QUICK
        if measured is not None and self.tolerance.accepts(measured):
            return Verdict.PASSED
        return Verdict.FAILED if self.hard else Verdict.MISSED
